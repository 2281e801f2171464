"""Runs of every family."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import yaml
from scipy import stats

import harness
from harness.catalogue import scenario_for
from harness.distributions.list_laws import GammaRuns, runs_truth
from harness.distributions.list_truths import RunTruth
from harness.families.catalogue import family_of
from harness.figures.kinds.over_size import COVERAGE, CoverageOverSizeOptions
from harness.figures.size_panels import size_panels
from harness.findings.answer import found_answer
from harness.findings.conclusion import scored_against
from harness.findings.manifest import agrees
from harness.kinds.coverage.screen import results_screen
from harness.methods.catalogue import CATALOGUE, find
from harness.pages.results_page import escaped, markdown
from harness.report.curves.panels import truth_panels
from harness.report.curves.section import shown_of
from harness.tables.dictionary import columns_of
from tests.methods.finite_population.rational import misses

METHODS = CATALOGUE["mean"]

# Every family through all three engines, from a config to tables that agree with each other.


ONE = {"alpha": [0.05, 0.2], "seed": 2003, "trials": {"per_size": 20_000}}
CASES = yaml.safe_load(Path(__file__).with_name("families.yaml").read_text("utf-8"))


@pytest.fixture(scope="module", params=CASES)
def found(request, tmp_path_factory):
    name = request.param
    config = {
        "name": "families/" + name.replace(" ", "_"),
        "figures": [],
        "family": name,
        **ONE,
        **CASES[name],
    }
    return harness.run(config, out=tmp_path_factory.mktemp("families"))


def test_the_engines_agree(found):
    assert agrees(found.manifest)
    assert found.manifest["agreement"]["checked"]
    assert found.manifest["identity"]["largest_discrepancy_below"] <= 1e-11


def test_what_is_read_is_what_was_written(found):
    again = harness.load(found.path)
    assert again.cells.equals(found.cells)
    assert again.summary.equals(found.summary)
    assert again.manifest == found.manifest


def test_every_engine_has_a_row_for_every_method_alpha_and_size(found):
    counted = found.summary.group_by("method", "alpha").len()
    sizes = len({tuple(row[4:6]) for row in found.summary.rows()})
    assert set(counted["len"]) <= {3 * sizes, 3, 6}
    assert set(found.summary["engine"]) == {"monte_carlo", "posterior", "enumeration"}


def test_cells_have_columns_for_the_outcomes_and_truths_of_each_sample(found):
    two = not {"n1", "exposure1"}.isdisjoint(found.manifest["experiment"])
    counts = ["x1", "x2"] if two else ["x"]
    outcomes = found.cells.filter(found.cells["given"] == "outcome")
    assert outcomes.select(counts).null_count().sum_horizontal()[0] == 0
    truths = found.cells.filter(found.cells["given"] == "truth")
    names = ["truth1", "truth2"] if two else ["truth"]
    assert truths.select(names).null_count().sum_horizontal().sum() == 0


def test_a_worst_case_is_no_better_than_the_mean_and_than_any_cell(found):
    exact = found.summary.filter(found.summary["engine"] == "enumeration")
    known = exact.filter(exact["worst_alpha"].is_not_null())
    assert known.height
    assert (known["worst_alpha"] >= known["actual_alpha"] - 1e-12).all()
    kind = found.manifest["worst_cases"][0]
    two = "truth1" in found.cells.columns
    assert ("found_by" in kind) == two
    over, truths = (kind["over"], kind["truth"]) if two else ([kind["over"]], [kind["truth"]])
    assert all(low <= truth <= high for (low, high), truth in zip(over, truths, strict=True))


def test_under_a_flat_truth_posterior_and_enumeration_have_one_mean():
    name = "proportion_difference"
    config = {"name": "families/flat", "figures": [], "family": name, **ONE, **CASES[name]}
    summary = harness.run(config, out=None).summary
    posterior, enumeration = (
        summary.filter(summary["engine"] == engine)["actual_alpha"].to_numpy()
        for engine in ("posterior", "enumeration")
    )
    np.testing.assert_allclose(posterior, enumeration, rtol=0, atol=1e-11)


# Runs with methods for a finite population: their data have its size, and they keep their promise.


POPULATION, SIZE, ALPHA = 60, 12, 0.1
NAMES = ("hypergeometric_exact", "hypergeometric_wang")
CONFIG = {
    "name": "finite",
    "family": "proportion",
    "n": [SIZE],
    "alpha": ALPHA,
    "methods": [*NAMES, "clopper_pearson"],
    "sampling": {"hypergeometric": {"population": POPULATION}},
    "truth": {"values": [m / POPULATION for m in range(POPULATION + 1)]},
    "trials": {"per_truth": 500},
    "engines": ["monte_carlo", "enumeration"],
    "seed": 11,
}


@pytest.fixture(scope="module")
def results():
    # A run whose engines disagree raises an error.
    return harness.run(CONFIG, out=None)


def column(frame, name, method, engine):
    rows = [row for row in frame.iter_rows(named=True) if row["method"] == method]
    return [row[name] for row in rows if row["engine"] == engine]


@pytest.mark.parametrize("name", NAMES)
def test_exact_misses_are_those_counted_in_whole_numbers(results, name):
    data = np.arange(SIZE + 1.0), np.full(SIZE + 1, 1.0 * SIZE), np.full(SIZE + 1, 1.0 * POPULATION)
    limits = find(family_of("proportion"), name).limits(data, ALPHA)
    expected = misses(SIZE, POPULATION, *(np.rint(limit * POPULATION) for limit in limits))
    cells = results.cells.filter(results.cells["given"] == "truth")
    found = column(cells, "actual_alpha", name, "enumeration")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)
    (worst,) = column(results.summary, "worst_alpha", name, "enumeration")
    assert worst == pytest.approx(expected.max(), abs=1e-13)
    assert worst <= ALPHA + 1e-12


def test_the_shorter_interval_is_the_admissible_one(results):
    lengths = [
        column(results.summary, "mean_length", name, "enumeration")[0]
        for name in ("hypergeometric_wang", "hypergeometric_exact", "clopper_pearson")
    ]
    assert lengths == sorted(lengths)
    assert len(set(lengths)) == 3


# Runs with a user's function of lists, which is called for the data of every trial.


SOURCE = """
import numpy as np

def all_right(x, n, alpha):
    # Wilson's interval of all cases together.
    x, n, z = float(np.sum(x)), float(np.sum(n)), 1.959963984540054
    p, half = x / n, z * np.sqrt(x * (n - x) / n + z * z / 4)
    return (x + z * z / 2 - half) / (n + z * z), (x + z * z / 2 + half) / (n + z * z)

def drawn(values, alpha, rng):
    half = 2 * np.std(values, ddof=1) / np.sqrt(len(values)) * (1 + 0.1 * rng.random())
    return np.mean(values) - half, np.mean(values) + half
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    return str(path)


def run(family, function, methods, **keys):
    entry = {"path": function[0], "function": function[1], "label": "mine"}
    config = {
        "name": "lists",
        "figures": [],
        "family": family,
        "methods": [entry, *methods],
        "trials": {"per_truth": 300},
        "seed": 7,
        **keys,
    }
    return harness.run(config, out=None)


def test_a_function_of_lists_has_the_misses_of_the_same_formula(file):
    found = run(
        "clustered_proportion",
        (file, "all_right"),
        ["wilson"],
        clusters=[5],
        size=4,
        truth={"p": {"values": [0.7]}, "rho": {"values": [0.2]}},
    )
    mine, wilson = (
        found.cells.filter(method=name, given="truth").row(0, named=True)
        for name in ("mine", "wilson")
    )
    assert mine["miss_below"] == wilson["miss_below"] > 0
    assert mine["miss_above"] == wilson["miss_above"]
    assert mine["length"] == pytest.approx(wilson["length"], rel=1e-12)
    assert found.manifest["failures"] == []


def test_a_function_of_lists_may_draw_its_limits_and_draws_them_again(file):
    runs = [
        run("mean", (file, "drawn"), [], k=[6], truth={"normal": {"mean": 1, "sd": 2}})
        for _ in range(2)
    ]
    first, second = (each.summary.drop("sampling") for each in runs)
    assert first.equals(second)
    assert 0.03 < first["actual_alpha"][0] < 0.25


# Runs of experiments on the mean of repeated runs: Monte Carlo beside the closed form.


NORMAL: dict[str, Any] = {
    "name": "runs",
    "figures": [],
    "title": "Runs",
    "family": "mean",
    "k": [2, 5, 30],
    "alpha": 0.05,
    "methods": list(METHODS),
    "truth": {"normal": {"mean": -3, "sd": 2}},
    "trials": {"per_size": 400},
    "seed": 1908,
}
CLOSED = ["z_population", "z_sample", "student_t"]


@pytest.fixture(scope="module")
def normal() -> harness.Results:
    return harness.run(NORMAL, out=None)


def by(results: harness.Results, engine: str) -> pl.DataFrame:
    return results.summary.filter(engine=engine)


def test_closed_forms_stand_beside_monte_carlo_where_runs_are_normal(normal):
    exact, simulated = by(normal, "closed_form"), by(normal, "monte_carlo")
    assert exact["method"].unique(maintain_order=True).to_list() == CLOSED
    assert simulated["method"].unique(maintain_order=True).to_list() == list(METHODS)
    assert normal.manifest["agreement"]["agrees"]
    assert normal.manifest["agreement"]["not_checked"] == list(METHODS)[3:]
    five = exact.filter(k=5)
    assert [round(100 * value, 1) for value in five["coverage"]] == [84.6, 87.8, 95.0]
    assert exact.filter(method="student_t")["actual_alpha"].to_list() == pytest.approx([0.05] * 3)


def test_a_run_says_that_exact_values_rest_on_normality(normal):
    (assumption,) = normal.manifest["assumptions"]
    assert assumption == {"assumes": "normal values of runs", "methods": CLOSED}
    printed = [line for line in results_screen(normal) if isinstance(line, str)]
    said = "The exact values of z_population, z_sample, student_t rest on normal values of runs."
    assert said in printed
    assert normal.summary["sampling"].unique().to_list() == ["normal runs, sd 2"]


@pytest.mark.parametrize(
    "truth",
    [
        {"gamma": {"mean": 0.75, "sd": 0.02, "skewness": -2}},
        {"beta": [57, 3]},
        {"mixture": {"normal": {"mean": 1, "sd": 1}, "failed": {"share": 0.1, "mean": 0, "sd": 0}}},
    ],
)
def test_other_laws_have_no_closed_form_and_are_named(truth):
    changed = {"truth": truth, "methods": ["student_t", "bootstrap_t"], "k": 4}
    results = harness.run(NORMAL | changed, out=None)
    assert results.summary["engine"].unique().to_list() == ["monte_carlo"]
    assert "assumptions" not in results.manifest
    ((name, settings),) = truth.items()
    assert results.summary["sampling"][0] == runs_truth(name, settings).title
    printed = " ".join(line for line in results_screen(results) if isinstance(line, str))
    assert "Student's interval is exact for normal values" in printed


# Runs whose intervals are scored against the median, or another quantile, of the law of the runs.


ORDER = """
import numpy as np

def order(values, alpha):
    # Of 30 values, from the tenth to the tenth last of them: of the median.
    ordered = np.sort(values, axis=-1)
    return ordered[..., 9], ordered[..., 20]
"""
SKEWED: dict[str, Any] = {
    **NORMAL,
    "k": 30,
    "truth": {"gamma": {"mean": 1, "sd": 1, "skewness": 2}},
    "trials": {"per_size": 4000},
}
# A right implementation fails one of the comparisons of counts with this probability.
FALSE_ALARM = 1e-5
MEDIAN_OF_SKEWED = "Intervals are scored against the median of the truth's law: 0.693147."


@pytest.fixture(scope="module")
def order(tmp_path_factory):
    path = tmp_path_factory.mktemp("order") / "mine.py"
    path.write_text(ORDER)
    return {"path": str(path), "function": "order", "label": "order"}


@pytest.fixture(scope="module")
def skewed(order):
    """The same runs, an exponential law, scored against its mean and two of its quantiles."""
    methods = {"methods": [order, "student_t"]}
    keys = {"mean": {}, "median": {"estimand": "median"}, "0.9": {"estimand": {"quantile": 0.9}}}
    return {name: harness.run(SKEWED | methods | key, out=None) for name, key in keys.items()}


@pytest.mark.parametrize(
    ("estimand", "below", "coverage"),
    [("mean", 1 - math.exp(-1), 0.715), ("median", 0.5, 0.957), ("0.9", 0.9, 0.0005)],
)
def test_order_statistics_cover_an_estimand_as_often_as_so_many_values_are_below_it(
    skewed, estimand, below, coverage
):
    """The number of values below it is binomial: it is below the tenth of them where 9 are."""
    row = skewed[estimand].summary.row(by_predicate=pl.col("method") == "order", named=True)
    misses = {
        "miss_below": stats.binom.cdf(9, 30, below),
        "miss_above": stats.binom.sf(20, 30, below),
    }
    assert 1 - sum(misses.values()) == pytest.approx(coverage, abs=5e-4)
    for side, chance in misses.items():
        count = round(row[side] * row["trials"])
        tails = stats.binom(row["trials"], chance)
        assert min(tails.cdf(count), tails.sf(count - 1)) > FALSE_ALARM / 12


def test_the_runs_of_an_estimand_are_those_of_the_mean(skewed):
    """So the intervals are the same, and their lengths."""
    lengths = [found.summary["mean_length"].to_list() for found in skewed.values()]
    assert lengths[0] == lengths[1] == lengths[2]
    scenarios = [
        scenario_for(family_of("mean"), 30, RunTruth(GammaRuns(1, 1, 2), each))
        for each in (None, 0.5, 0.9)
    ]
    contents = [scenario.content() for scenario in scenarios]
    assert [each.get("estimand") for each in contents] == [None, "median", {"quantile": 0.9}]
    first, *others = (scenario.stream(1908, 0).random(4).tolist() for scenario in scenarios)
    assert others == [first, first]


def test_the_truth_of_the_tables_is_the_estimand(skewed):
    truths = [found.cells["truth"].unique().to_list() for found in skewed.values()]
    expected = [1, math.log(2), math.log(10)]
    assert [truth for (truth,) in truths] == pytest.approx(expected, rel=1e-14)
    assert skewed["median"].manifest["scored_against"] == {
        "estimand": "median",
        "value": pytest.approx(math.log(2), rel=1e-14),
    }
    assert "scored_against" not in skewed["mean"].manifest
    assert skewed["mean"].summary.columns == skewed["median"].summary.columns
    meaning = columns_of("cells", "mean")
    assert "median" in next(each.meaning for each in meaning if each.name == "truth")


def test_a_run_says_once_what_a_users_intervals_are_scored_against(skewed):
    expected = {
        "mean": "Intervals are scored against the mean of the truth's law (estimand: median scores "
        "against its median).",
        "median": MEDIAN_OF_SKEWED,
        "0.9": "Intervals are scored against the 0.9 quantile of the truth's law: 2.30259.",
    }
    for name, found in skewed.items():
        printed = " ".join(line for line in results_screen(found) if isinstance(line, str))
        assert printed.count("scored against") == printed.count(expected[name]) == 1
        assert markdown([found]).count(escaped(expected[name])) == 1
        assert found_answer(found).sentences[0] == expected[name]


def test_a_run_of_the_catalogue_says_what_it_is_scored_against_unless_that_is_the_mean(normal):
    methods = {"methods": ["student_t"], "trials": {"per_size": 100}}
    median = harness.run(SKEWED | methods | {"estimand": "median"}, out=None)
    for found, sentences in ((normal, []), (median, [MEDIAN_OF_SKEWED])):
        assert list(scored_against(found.manifest)) == sentences


def test_pictures_are_at_the_median_where_this_is_the_estimand(skewed):
    symbols = [truth_panels(found).family.symbols for found in skewed.values()]
    assert symbols == [("mean",), ("median",), ("0.9 quantile",)]
    assert shown_of(skewed["median"], truth_panels(skewed["median"])).axis.label == "true median"


def test_the_median_of_normal_runs_has_the_numbers_of_their_mean_without_a_closed_form(order):
    config = NORMAL | {"methods": [order, "student_t", "bootstrap_t"], "k": [30, 40]}
    mean, median = (harness.run(config | key, out=None) for key in ({}, {"estimand": "median"}))
    assert by(mean, "closed_form").height == 2
    assert median.summary["engine"].unique().to_list() == ["monte_carlo"]
    # A bootstrap draws the same resamples too.
    assert median.summary.equals(by(mean, "monte_carlo"))
    for found, title in ((mean, "mean = -3"), (median, "median = -3")):
        (drawn,) = size_panels(found, COVERAGE, CoverageOverSizeOptions(), "actual_alpha")
        assert [panel.title for panel in drawn.panels] == [title]


def test_a_run_against_another_estimand_takes_no_trials_of_the_former_one(order, tmp_path):
    config = SKEWED | {"methods": [order, "student_t"], "trials": {"per_size": 500}}
    for key in ({}, {"estimand": "median"}):
        found = harness.run(config | key, out=tmp_path)
        assert found.summary.equals(harness.run(config | key, out=None).summary)


def test_one_sided_intervals_are_of_infinite_length_in_both_engines():
    methods = [{"name": name, "side": side} for name in CLOSED for side in ("lower", "upper")]
    results = harness.run(NORMAL | {"methods": methods, "alpha": [0.05, 0.6]}, out=None)
    assert results.manifest["agreement"]["agrees"]
    assert results.summary["mean_length"].is_infinite().all()
    assert results.summary.filter(side="lower")["miss_above"].max() == 0
    assert results.summary.filter(side="upper")["miss_below"].max() == 0
