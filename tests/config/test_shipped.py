"""The configs that come with the package: all load, and an editor can check them."""

import json
import tomllib
from pathlib import Path, PurePosixPath

import pytest

from harness.base.errors import ConfigError
from harness.config import files
from harness.config.files import find_shipped
from harness.kinds.catalogue import kind_of_experiment
from harness.kinds.load import json_schema, load_experiment
from harness.runner.storage import content_hash
from tests.sample import sampled

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
    *sorted((RESULTS / "bowyer2025").glob("*/manifest.json")),
    *sorted((RESULTS / "planning").glob("*/manifest.json")),
    *sorted((RESULTS / "sampling").glob("*/manifest.json")),
    *sorted((RESULTS / "repeated_runs_skewed").glob("*/manifest.json")),
    RESULTS / "repeated_runs/manifest.json",
    RESULTS / "bootstrap/manifest.json",
    RESULTS / "rare_events/manifest.json",
    RESULTS / "two_test_sets/manifest.json",
    RESULTS / "wald_beside_wilson/manifest.json",
    RESULTS / "saw_teeth/manifest.json",
    RESULTS / "sixty_images/manifest.json",
]


@pytest.mark.parametrize(
    "manifest",
    sampled(
        [pytest.param(manifest, id=manifest.parent.name) for manifest in COMMITTED],
        one_in=4,
        by=lambda manifest: manifest.parent.parent.name,
    ),
)
def test_a_shipped_config_means_what_its_committed_results_were_made_with(manifest: Path) -> None:
    name = manifest.parent.relative_to(RESULTS)
    experiment = load_experiment(ROOT / "configs" / f"{name}.yaml")
    committed = json.loads(manifest.read_text(encoding="utf-8"))
    sources = kind_of_experiment(experiment).sources(experiment)
    assert content_hash(experiment.document, sources) == committed["content_hash"]


def test_the_schema_beside_the_configs_is_the_one_the_command_prints() -> None:
    stored = json.loads((ROOT / "configs" / "schema.json").read_text(encoding="utf-8"))
    assert stored == json_schema(), "write it anew: python -m harness schema > configs/schema.json"


@pytest.mark.parametrize("asked", ["quickstart", "quickstart.yaml", "configs/quickstart.yaml"])
def test_a_shipped_config_is_found_from_any_folder(
    asked: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert load_experiment(find_shipped(Path(asked))).name == "quickstart"


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


def test_a_config_of_the_user_precedes_a_shipped_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = Path("quickstart.yaml")
    own.write_text("name: mine\n", encoding="utf-8")
    assert find_shipped(own) == own


def test_no_path_out_of_the_shipped_folder_is_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    outside = Path("configs/../pyproject.toml")
    assert find_shipped(outside) == outside


def test_every_config_is_installed() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = project["tool"]["setuptools"]["data-files"]
    installed = {
        f"{target}/{file.name}"
        for target, globs in patterns.items()
        for pattern in globs
        for file in ROOT.glob(pattern)
    }
    configs = {
        f"share/coverage-harness/{config.relative_to(ROOT).as_posix()}" for config in CONFIGS
    }
    functions = {
        f"share/coverage-harness/{file.relative_to(ROOT).as_posix()}"
        for file in (ROOT / "configs").rglob("*.py")
    }
    assert installed == configs | functions | {"share/coverage-harness/configs/schema.json"}


def test_an_installed_package_finds_its_configs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "share" / "coverage-harness" / "configs"
    (folder / "ross2003").mkdir(parents=True)
    (folder / "schema.json").write_text("{}", encoding="utf-8")
    (folder / "ross2003" / "fig03.yaml").write_text("name: a\n", encoding="utf-8")

    class Located(PurePosixPath):
        def locate(self) -> Path:
            return tmp_path / "lib" / self

    listed = [Located("../share/coverage-harness/configs/schema.json")]
    monkeypatch.setattr(files, "_CHECKOUT", tmp_path / "nowhere")
    monkeypatch.setattr(files, "files", lambda name: listed)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lib").mkdir()
    assert find_shipped(Path("ross2003/fig03")) == folder / "ross2003" / "fig03.yaml"
    assert find_shipped(Path("ross2003")) == folder / "ross2003"
