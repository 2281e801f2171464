"""``init``: a commented config that runs, for every family."""

import re
from pathlib import Path

import pytest

import harness
from harness.config import yaml12
from harness.config.files import find_shipped
from harness.config.form import family_form
from harness.families.catalogue import FAMILIES, family_of
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.load import load_experiment
from harness.kinds.starter import starter
from tests.cli.conftest import is_one_sentence


def flat(text: str) -> str:
    """The comments of a config as one line."""
    return " ".join(line.removeprefix("#").strip() for line in text.splitlines())


@pytest.mark.parametrize("family", FAMILIES)
def test_a_starter_loads_with_every_key_and_its_description(family: str, tmp_path: Path) -> None:
    text = starter(family_of(family), "mine")
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    experiment = load_experiment(file)
    assert (experiment.name, experiment.family.name) == ("mine", family)
    assert len(experiment.methods) >= 2
    for key, record in family_form(Experiment, FAMILIES[family]).keys.items():
        assert re.search(rf"^#?{key}:", text, re.MULTILINE)
        assert " ".join(record.field.description.split()) in " ".join(flat(text).split())
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("family", FAMILIES)
def test_what_a_starter_comments_out_are_the_values_that_hold(family: str, tmp_path: Path) -> None:
    text = starter(family_of(family), "mine")
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    resolved = load_experiment(file)
    file.write_text(re.sub(r"^#(\w+:|  - )", r"\1", text, flags=re.MULTILINE), encoding="utf-8")
    assert load_experiment(file) == resolved


SMALLER = {
    "n": 5,
    "n1": 4,
    "n2": 4,
    "positives": 3,
    "negatives": 3,
    "exposure": 2,
    "exposure1": 2,
    "exposure2": 2,
}
"""Sizes whose exact values take little time."""
STRATA = {"n1": [3, 2, 2], "n2": [3, 2, 2]}


@pytest.mark.parametrize("family", FAMILIES)
def test_a_starter_runs_at_small_sizes(family: str) -> None:
    document = yaml12.read(starter(family_of(family), "mine")).data
    sizes = STRATA if family_of(family).design == "strata" else SMALLER
    document |= {key: value for key, value in sizes.items() if key in document}
    if family != "proportion_difference" and len(document["methods"]) > 2:
        # The posterior of two samples takes seconds, and is asked of one family.
        document["methods"] = [name for name in document["methods"] if name != "minimal_length"]
    document |= {"trials": dict.fromkeys(document["trials"], 5), "execution": {"jobs": 1}}
    results = harness.run(document, out=None)
    assert results.summary["method"].n_unique() == len(document["methods"])


@pytest.mark.parametrize("family", ["rate", "mean"])
def test_a_starter_runs_and_draws_its_figures(family: str, run_command, here: Path) -> None:
    assert run_command("init", "--family", family).code == 0
    trials = "per_size" if family == "mean" else "per_truth"
    argv = [f"{family}.yaml", "--set", f"trials={{{trials}: 20}}", "--jobs", "1", "--quiet"]
    result = run_command("run", *argv)
    assert (result.code, result.err) == (0, "")
    assert any((here / "results" / family / "figures").iterdir())


def test_init_writes_a_config_that_runs(run_command, here: Path) -> None:
    result = run_command("init")
    assert (result.code, result.err) == (0, "")
    assert "python -m harness run proportion.yaml" in result.words
    few = ["--set", "n=5", "--set", "figures=[]", "--set", "trials={per_truth: 20}"]
    assert run_command("run", "proportion.yaml", *few, "--quiet").code == 0
    assert (here / "results/proportion/summary.csv").is_file()


def test_init_starts_from_a_shipped_config(run_command, here: Path) -> None:
    assert run_command("init", "mine.yaml", "--from", "paired").code == 0
    text = (here / "mine.yaml").read_text(encoding="utf-8")
    assert text.startswith("# Two models on the same 40 test cases")
    mine, shipped = load_experiment(here / "mine.yaml"), load_experiment("paired")
    assert mine.name == "mine"
    assert (mine.methods, mine.truth, mine.figures) == (
        shipped.methods,
        shipped.truth,
        shipped.figures,
    )


@pytest.mark.parametrize(
    ("name", "file"),
    [("simulations/z_for_t", "z_for_t.py"), ("bowyer2025/clustered", "clustered_bayes.py")],
)
def test_init_copies_the_functions_of_a_shipped_study(
    run_command, here: Path, name: str, file: str
) -> None:
    result = run_command("init", "mine.yaml", "--from", name)
    assert (result.code, result.err) == (0, "")
    assert f"{file} is copied beside it" in result.words
    shipped = find_shipped(Path(name))
    assert (here / file).read_bytes() == shipped.with_name(file).read_bytes()
    mine, theirs = load_experiment(here / "mine.yaml"), load_experiment(shipped)
    assert mine.name == "mine"
    assert mine.document["methods"] == theirs.document["methods"]


def test_init_replaces_no_function_unless_it_may(run_command, here: Path) -> None:
    (here / "z_for_t.py").write_text("mine = 1\n", encoding="utf-8")
    argv = ["init", "mine.yaml", "--from", "simulations/z_for_t"]
    result = run_command(*argv)
    assert (result.code, is_one_sentence(result)) == (2, True)
    assert "z_for_t.py exists; --force overwrites it" in result.err
    assert not (here / "mine.yaml").exists()
    assert run_command(*argv, "--force").code == 0
    assert run_command("run", "mine.yaml", "--dry-run").code == 0


def test_init_overwrites_a_file_only_if_it_may(run_command, here: Path) -> None:
    (here / "proportion.yaml").write_text("mine", encoding="utf-8")
    result = run_command("init")
    assert (result.code, is_one_sentence(result)) == (2, True)
    assert "proportion.yaml exists; --force overwrites it" in result.err
    assert (here / "proportion.yaml").read_text(encoding="utf-8") == "mine"
    assert run_command("init", "--force").code == 0
    assert load_experiment(here / "proportion.yaml").name == "proportion"
