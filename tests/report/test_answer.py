"""The answer of a run: its sentences, and the table from the best method to the worst."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml

import harness
from harness.designs.miss_curve import MissCurve
from harness.findings.answer import (
    ESTIMATE,
    LENGTH,
    MEAN,
    METHOD,
    OUTCOME,
    VERDICT,
    WORST,
    Answer,
    found_answer,
)
from harness.findings.conclusion import sentences
from harness.findings.judgements import judgements
from harness.findings.verdicts import (
    ABOUT,
    NEVER_ABOVE,
    ON_AVERAGE,
    UNDERSTATES,
    listed_words,
    range_text,
    ranges_above,
)
from harness.kinds.calibration import show as calibration
from harness.kinds.stored import load
from harness.report.page import Page, PagePart, render
from harness.report.sections import answer_section, facts
from harness.tables.formats import Entry
from harness.tables.results import Results
from harness.tables.wording import coverage
from tests.report.pages import STORED, tables_in

RUN: dict[str, Any] = {"trials": {"per_size": 200}, "seed": 1, "figures": []}


def entries(found: Answer) -> dict[str, dict[str, Entry]]:
    """The rows of the only table by label, each by the names of its columns."""
    (table,) = found.rankings.values()
    rows = [dict(zip(table.names, row, strict=True)) for row in table.rows]
    return {row[METHOD].note or row[METHOD].text: row for row in rows}


def verdicts(found: Answer) -> dict[str, Entry]:
    """The verdicts of the only table by label."""
    return {label: row[VERDICT] for label, row in entries(found).items()}


def exact_rows(results: Results) -> pl.DataFrame:
    return results.summary.filter(engine="enumeration")


def test_the_sentences_are_those_of_the_screen(three_methods: Results) -> None:
    said = found_answer(three_methods).sentences
    assert list(said) == sentences(three_methods, judgements(three_methods))
    assert said[0].startswith("Of 3 methods, clopper_pearson is the only one that never covers")


def test_numbers_are_those_of_the_tables(three_methods: Results) -> None:
    found = entries(found_answer(three_methods))
    drawn = three_methods.summary.filter(engine="monte_carlo")
    shortest = exact_rows(three_methods).filter(method="clopper_pearson")["mean_length"]
    for label, each in found.items():
        rows = exact_rows(three_methods).filter(method=label)
        worst = rows.row(int(rows["worst_alpha"].arg_max() or 0), named=True)
        least = rows.row(int(rows["actual_alpha"].arg_max() or 0), named=True)
        estimate = drawn.filter(method=label, n=least["n"]).row(0, named=True)
        assert each[WORST].value == 1 - worst["worst_alpha"]
        assert each[WORST].place.startswith(f"n = {worst['n']}, p = ")
        assert (each[MEAN].value, each[MEAN].place) == (least["coverage"], f"n = {least['n']}")
        assert each[MEAN].text == coverage(least["coverage"])
        assert each[ESTIMATE].value == estimate["coverage"]
        assert each[ESTIMATE].text.startswith(coverage(estimate["coverage"], estimate["std_error"]))
        assert each[LENGTH].value == pytest.approx((rows["mean_length"] / shortest).mean())


def test_the_written_table_holds_the_same_numbers(three_methods: Results) -> None:
    page = Page("A page", [PagePart("run", "A run", [answer_section(found_answer(three_methods))])])
    (table,) = tables_in(render(page))
    found = entries(found_answer(three_methods))
    assert [row[0].split("\n")[0].strip() for row in table.texts] == [
        each["Method"].text for each in found.values()
    ]
    for row, each in zip(table.values, found.values(), strict=True):
        cells = dict(zip(table.heads, row, strict=True))
        for name in ("Worst-case coverage", "Mean coverage", "by Monte Carlo", "Relative length"):
            assert float(cells[name]) == each[name].value


def test_methods_stand_from_the_best_to_the_worst(three_methods: Results) -> None:
    found = verdicts(found_answer(three_methods))
    assert list(found) == ["clopper_pearson", "wilson", "wald"]
    kinds = [each.kind for each in found.values()]
    assert kinds == [NEVER_ABOVE, ON_AVERAGE, UNDERSTATES]
    assert found["clopper_pearson"].text == "never covers less than 95 %"
    assert found["wald"].text == "covers too little: less than 95 % for every p at n = 5"


def test_a_verdict_names_the_true_values_where_a_method_misses_too_often(tmp_path: Path) -> None:
    config = {
        "name": "wald_below",
        "family": "proportion",
        "n": 20,
        "methods": ["wald"],
        "truth": {"uniform": [0, 0.145]},
        "engines": ["enumeration"],
        **RUN,
    }
    results = harness.run(config, out=tmp_path)
    # From 0.141 to 0.146 all of 1 to 7 successes are covered: the rest has 5 % at 0.143.
    words = verdicts(found_answer(results))["wald"].text
    assert words == "covers too little: less than 95 % for p < 0.143, of p in 0 … 0.145"


@pytest.mark.parametrize(
    ("missed", "ranges"),
    [
        ([0.1, 0.1, 0.0, 0.0], [(0.0, 1.5)]),
        ([0.0, 0.1, 0.1, 0.0], [(0.5, 2.5)]),
        ([0.1, 0.0, 0.0, 0.1], [(0.0, 0.5), (2.5, 3.0)]),
        ([0.1, 0.1, 0.1, 0.1], [(0.0, 3.0)]),
        ([0.0, 0.0, 0.0, 0.0], []),
    ],
)
def test_ranges_above_a_bound_are_cut_where_the_line_crosses_it(
    missed: list[float], ranges: list[tuple[float, float]]
) -> None:
    curve = MissCurve(np.arange(4.0), np.array(missed))
    assert np.allclose(ranges_above(curve, 0.05), ranges)


def test_a_jump_ends_a_range_where_it_is() -> None:
    curve = MissCurve(np.array([0.0, 1.0, 1.0, 2.0]), np.array([0.2, 0.2, 0.0, 0.0]))
    assert ranges_above(curve, 0.05) == [(0.0, 1.0)]


def test_of_listed_true_values_those_with_too_many_misses_are_counted(tmp_path: Path) -> None:
    config = {
        "name": "pairs",
        "family": "proportion_difference",
        "n1": 10,
        "n2": 10,
        "methods": ["wald"],
        "truth": {"first": {"values": [0.05, 0.5]}, "second": {"values": [0.05]}},
        "engines": ["enumeration"],
        "figures": [],
    }
    results = harness.run(config, out=tmp_path)
    above = (results.cells.filter(given="truth")["actual_alpha"] > 0.05).sum()
    (each,) = verdicts(found_answer(results)).values()
    assert above == 1
    assert each.text == ("covers too little: less than 95 % at one of 2 true values, p1 = 0.5")


@pytest.mark.parametrize(
    ("above", "words"),
    [
        ([1, 1, 1, 1], "at all 4 true values"),
        ([1, 1, 0, 0], "at the 2 of 4 true values with p1 ≤ 0.2"),
        ([0, 0, 1, 1], "at the 2 of 4 true values with p1 ≥ 0.5"),
        ([0, 1, 1, 0], "at the 2 of 4 true values with 0.2 ≤ p1 ≤ 0.5"),
        ([1, 0, 1, 0], "at 2 of 4 true values, all with p1 ≤ 0.5"),
        ([0, 0, 1, 0], "at one of 4 true values, p1 = 0.5"),
        ([1, 0, 0, 1], "at 2 of 4 true values"),
    ],
)
def test_listed_true_values_are_named_by_their_range(above: list[int], words: str) -> None:
    truths = {"p1": [0.1, 0.2, 0.5, 0.9], "p2": [0.3] * 4}
    assert listed_words(truths, [bool(each) for each in above]) == words


def test_listed_pairs_of_true_values_are_named_by_the_ranges_of_both() -> None:
    truths = {"p1": [0.1, 0.1, 0.2, 0.2], "p2": [0.5, 0.6, 0.5, 0.6]}
    one = listed_words(truths, [True, False, False, False])
    assert one == "at 1 of 4 true values, all with p1 = 0.1 and p2 = 0.5"
    assert listed_words(truths, [True, True, False, False]).endswith(", all with p1 = 0.1")


@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ((0.0, 0.12345), "p < 0.123"),
        ((0.98765, 1.0), "p > 0.9877"),
        ((0.0102, 0.010523), "0.0102 < p < 0.0105"),
        ((0.9894761, 0.9898), "0.9895 < p < 0.9898"),
        ((0.5, 0.50001), "0.5 < p < 0.50001"),
    ],
)
def test_ends_of_a_range_are_told_from_zero_and_one(ends: tuple[float, float], words: str) -> None:
    assert range_text(ends, (0.0, 1.0), "p") == words


def test_a_mean_just_above_alpha_is_about_right_and_stands_before_what_is_not() -> None:
    found = verdicts(found_answer(load(STORED / "planning/validation_set", with_cells=False)))
    assert [each.kind for each in found.values()] == [ABOUT, ABOUT, UNDERSTATES]
    assert found["jeffreys"].text == "about right: 94.8 % on average at n = 200, at p = 0.8"


def test_a_place_of_too_many_misses_is_of_a_size_whose_mean_is_above_alpha() -> None:
    results = load(STORED / "catalogue", with_cells=False)
    words = verdicts(found_answer(results))["likelihood_ratio"].text
    size = int(words.rpartition("n = ")[2])
    row = results.summary.filter(method="likelihood_ratio", n=size, engine="enumeration")
    assert row["actual_alpha"][0] > 1.05 * 0.05


def test_of_one_limit_lengths_are_relative_to_the_shortest_of_all(tmp_path: Path) -> None:
    config = {
        "name": "limits",
        "family": "proportion",
        "n": 10,
        "methods": [
            {"name": "clopper_pearson", "side": "upper"},
            {"name": "wilson", "side": "two-sided"},
            {"name": "wald", "side": "two-sided"},
        ],
        "truth": {"uniform": [0, 1]},
        "engines": ["enumeration"],
        "figures": [],
    }
    found = found_answer(harness.run(config, out=tmp_path))
    assert next(iter(verdicts(found).values())).kind == NEVER_ABOVE
    (table,) = found.rankings.values()
    assert ", the shortest of all whose lengths are known." in table.caption


def test_lengths_that_are_means_of_trials_say_of_how_many(tmp_path: Path) -> None:
    config = {
        "name": "drawn_lengths",
        "family": "proportion",
        "n": 10,
        "methods": ["wald", "wilson"],
        "truth": {"uniform": [0, 1]},
        "engines": ["monte_carlo"],
        **RUN,
    }
    section = answer_section(found_answer(harness.run(config, out=tmp_path)))
    (table,) = tables_in(render(Page("A page", [PagePart("run", "A run", [section])])))
    column = table.heads.index("Relative length")
    assert [row[column].split("\n")[1] for row in table.texts] == ["mean of 200 trials"] * 2


def test_an_estimate_without_exact_values_has_its_error(tmp_path: Path) -> None:
    config = {
        "name": "drawn",
        "family": "proportion",
        "n": 10,
        "methods": ["wald", "wilson"],
        "truth": {"uniform": [0, 1]},
        "engines": ["monte_carlo"],
        **RUN,
    }
    results = harness.run(config, out=tmp_path)
    found = entries(found_answer(results))
    for label, each in found.items():
        row = results.summary.filter(method=label).row(0, named=True)
        assert each[MEAN].value == row["coverage"]
        assert each[MEAN].text == coverage(row["coverage"], row["std_error"])
        assert "±" in each[MEAN].text
        assert {WORST, ESTIMATE}.isdisjoint(each)


def test_of_the_posterior_alone_the_worst_outcome_is_shown(tmp_path: Path) -> None:
    config = {
        "name": "asked",
        "family": "proportion",
        "n": [10, 20],
        "methods": ["wald", "minimal_length"],
        "truth": {"uniform": [0, 1]},
        "engines": ["posterior"],
        "figures": [],
    }
    results = harness.run(config, out=tmp_path)
    found = found_answer(results)
    words = {label: each.text for label, each in verdicts(found).items()}
    assert list(words) == ["minimal_length", "wald"]
    lowest = results.summary.filter(method="wald")["alpha_error_min"].min()
    assert entries(found)["wald"][OUTCOME].value == 1 - (0.05 - lowest)
    # Of no success the interval of Wald is one point.
    assert words["wald"] == "covers as little as 0 % at x = 0, n = 10, by the posterior"
    assert "covers 95 % or more at every outcome" in words["minimal_length"]


def test_each_alpha_has_a_table(tmp_path: Path) -> None:
    config = {
        "name": "two_alphas",
        "family": "proportion",
        "n": 10,
        "alpha": [0.05, 0.1],
        "methods": ["wilson", "clopper_pearson"],
        "truth": {"uniform": [0, 1]},
        "engines": ["enumeration"],
        "figures": [],
    }
    found = found_answer(harness.run(config, out=tmp_path))
    assert list(found.rankings) == ["At 95 % nominal coverage", "At 90 % nominal coverage"]
    assert len(found.sentences) == 4, "who keeps alpha, and how short a method can be"


@pytest.mark.parametrize(
    "name",
    ["repeated_runs", "clustered_questions", "stratified", "paired"],
)
def test_stored_results_of_any_family_have_an_answer(name: str) -> None:
    found = found_answer(load(STORED / name, with_cells=False))
    assert found.sentences
    assert found.rankings


def test_a_stored_calibration_has_an_answer() -> None:
    found = calibration.found_answer(load(STORED / "ross2003/fig12-rates", with_cells=False))
    assert found.sentences
    assert found.references


# How a run was made, as its page says it.


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
    page = Page("A page", [PagePart("run", "A run", [facts(three_methods, COMMAND)])])
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
    (_, *_, verdict_column) = zip(*said["tables"][0].rows, strict=True)
    assert [entry.text for entry in verdict_column].count("different") == 1
    assert any("differ from" in each and "by up to 0.1" in each for each in said["verdicts"])


def test_a_calibration_has_no_engines_to_agree() -> None:
    said = context(load(STORED / "ross2003/fig12-rates", with_cells=False))
    assert (said["verdicts"], said["tables"]) == ([], [])
    assert said["trials"] == 200000


def test_cells_that_are_not_stored_are_said_to_come_from_a_run(three_methods: Results) -> None:
    without = Results(three_methods.cells.clear(), three_methods.summary, three_methods.manifest)
    for results, said in ((three_methods, False), (without, True)):
        page = render(Page("A page", [PagePart("run", "A run", [facts(results, COMMAND)])]))
        assert ("<code>cells.parquet</code> is not stored here" in page) is said
