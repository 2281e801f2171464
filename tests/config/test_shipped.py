"""The configs that come with the package: all load, and an editor can check them."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest

from harness.config import shipped
from harness.config.load import json_schema, load_experiment
from harness.errors import ConfigError
from harness.tables.manifest import content_hash

ROOT = Path(__file__).parent.parent.parent
CONFIGS = sorted((ROOT / "configs").rglob("*.yaml"))
IDS = [str(config.relative_to(ROOT / "configs")) for config in CONFIGS]


@pytest.mark.parametrize("config", CONFIGS, ids=IDS)
def test_a_shipped_config_loads_and_names_its_own_place(config: Path) -> None:
    name = load_experiment(config).name
    assert ROOT / "configs" / f"{name}.yaml" == config


@pytest.mark.parametrize("config", CONFIGS, ids=IDS)
def test_a_shipped_config_points_editors_to_the_schema(config: Path) -> None:
    first = config.read_text(encoding="utf-8").splitlines()[0]
    prefix = "# yaml-language-server: $schema="
    assert first.startswith(prefix)
    schema = (config.parent / first.removeprefix(prefix)).resolve()
    assert schema == ROOT / "configs" / "schema.json"


RESULTS = ROOT / "results"
COMMITTED = [
    *sorted((RESULTS / "ross2003").glob("*/manifest.json")),
    RESULTS / "saw_teeth/manifest.json",
]


@pytest.mark.parametrize("manifest", COMMITTED, ids=[each.parent.name for each in COMMITTED])
def test_a_shipped_config_means_what_its_committed_results_were_made_with(manifest: Path) -> None:
    name = manifest.parent.relative_to(RESULTS)
    experiment = load_experiment(ROOT / "configs" / f"{name}.yaml")
    committed = json.loads(manifest.read_text(encoding="utf-8"))
    assert content_hash(experiment.document, {}) == committed["content_hash"]


def test_the_schema_beside_the_configs_is_the_one_the_command_prints() -> None:
    stored = json.loads((ROOT / "configs" / "schema.json").read_text(encoding="utf-8"))
    assert stored == json_schema(), "write it anew: python -m harness schema > configs/schema.json"


@pytest.mark.parametrize("asked", ["quickstart", "quickstart.yaml", "configs/quickstart.yaml"])
def test_a_shipped_config_is_found_from_any_folder(
    asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_experiment(shipped.found(Path(asked))).name == "quickstart"


@pytest.mark.parametrize("asked", ["quickstart", "configs/quickstart.yaml"])
def test_python_finds_shipped_configs_as_the_command_line_does(
    asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_experiment(asked).name == "quickstart"
    assert load_experiment(Path(asked)).name == "quickstart"


@pytest.mark.parametrize("asked", ["nothing.yaml", "a\0b", "x" * 5000])
def test_a_path_that_names_no_config_is_refused(
    asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match="expected a config"):
        load_experiment(asked)


def test_a_config_of_ones_own_goes_before_a_shipped_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = Path("quickstart.yaml")
    own.write_text("name: mine\n", encoding="utf-8")
    assert shipped.found(own) == own


def test_no_path_out_of_the_shipped_folder_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outside = Path("configs/../pyproject.toml")
    assert shipped.found(outside) == outside


def test_every_package_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    listed = set(project["tool"]["setuptools"]["packages"])
    code = {
        ".".join(folder.parent.relative_to(ROOT).parts)
        for folder in (ROOT / "harness").rglob("__init__.py")
    }
    data = {".".join(("harness", *config.parent.relative_to(ROOT).parts)) for config in CONFIGS}
    assert listed == code | data
