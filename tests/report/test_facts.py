"""How a run was made, as its page says it."""

from __future__ import annotations

from typing import Any

import yaml

from harness.report.page import Page, Part, render
from harness.report.results_page import facts
from harness.tables.results import Results, load_tables
from tests.report.pages import STORED, tables_in

COMMAND = "python -m harness report results/three_methods"


def context(results: Results) -> dict[str, Any]:
    return dict(facts(results, COMMAND).context)


def test_the_config_reads_back_as_the_manifest_has_it(three_methods: Results) -> None:
    said = context(three_methods)
    assert yaml.safe_load(said["config"]) == three_methods.manifest["experiment"]
    assert (said["file"], said["run"]) == (
        "three_methods.yaml",
        "python -m harness run three_methods.yaml",
    )
    assert said["command"] == COMMAND


def test_versions_seed_and_trials_are_those_of_the_manifest(three_methods: Results) -> None:
    said = context(three_methods)
    for key in ("versions", "seed"):
        assert said[key] == three_methods.manifest[key]
    assert said["trials"] == 2000
    assert said["trials_by_size"] == {"5": 1000, "20": 1000}


def test_the_agreement_is_a_row_for_each_comparison(three_methods: Results) -> None:
    page = Page("A page", [Part("run", "A run", [facts(three_methods, COMMAND)])])
    exact, drawn = tables_in(render(page))
    comparisons = three_methods.manifest["identity"]["comparisons"]
    assert [row[0] for row in exact.texts] == [each["of"] for each in comparisons]
    assert {row[-1] for row in exact.texts} == {"equal"}
    assert [row[0] for row in drawn.texts] == [
        "the outcomes drawn",
        "wald",
        "wilson",
        "clopper_pearson",
    ]
    tests = [each["tests"] for each in three_methods.manifest["agreement"]["methods"]]
    assert [int(row[1]) for row in drawn.texts[1:]] == tests
    assert {row[-1] for row in drawn.texts} == {"agrees"}


def test_a_disagreement_is_named(three_methods: Results) -> None:
    manifest = dict(three_methods.manifest)
    first, *others = manifest["identity"]["comparisons"]
    wrong = {**first, "holds": False, "largest_discrepancy_below": 0.1}
    manifest["identity"] = {
        **manifest["identity"],
        "holds": False,
        "comparisons": [wrong, *others],
    }
    results = Results(three_methods.cells, three_methods.summary, manifest)
    said = context(results)
    assert [each["holds"] for each in said["comparisons"]].count(False) == 1
    assert any("differ from" in each and "by up to 0.1" in each for each in said["verdicts"])


def test_a_calibration_has_no_engines_to_agree() -> None:
    said = context(load_tables(STORED / "ross2003/fig12-rates"))
    assert (said["verdicts"], said["tests"], said["comparisons"]) == ([], [], [])
    assert said["trials"] == 200000


def test_cells_that_are_not_stored_are_said_to_come_from_a_run(three_methods: Results) -> None:
    without = Results(three_methods.cells.clear(), three_methods.summary, three_methods.manifest)
    for results, said in ((three_methods, False), (without, True)):
        page = render(Page("A page", [Part("run", "A run", [facts(results, COMMAND)])]))
        assert ("<code>cells.parquet</code> is not stored here" in page) is said
