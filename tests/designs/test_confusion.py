"""Confusion tables: outcomes, probabilities and worst cases are those of the whole table."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import yaml

import harness
from harness.base.errors import ConfigError, InputError
from harness.catalogue import scenario_for
from harness.designs.confusion import CONFUSED, as_pairs
from harness.designs.engines.solver import solver_of
from harness.distributions.paired_truths import ConfusionTruth, DirichletTruth
from harness.families.catalogue import family_of
from harness.families.confusion import CELLS, CONFUSION_FAMILIES, f_score
from harness.methods.catalogue import CATALOGUE
from tests.study.experiments import in_memory

ROWS = json.loads((Path(__file__).parents[1] / "data/confusion.json").read_text("utf-8"))["rows"]
FAMILIES = [each.name for each in CONFUSION_FAMILIES]
TABLE = {"tp": 41, "fp": 9, "fn": 14, "tn": 436}
RATES = {"prevalence": 0.3, "sensitivity": 0.8, "specificity": 0.9}


def named(metric):
    """The family of a metric of the reference values, with its β."""
    return ("f_score", {"beta": float(metric[1])}) if metric[0] == "f" else (metric, {})


def test_limits_are_those_of_thirty_digits():
    for row in (row for row in ROWS if row["quantity"] == "limits"):
        family, beta = named(row["metric"])
        counts = {cell: row[cell] for cell in CELLS}
        found = harness.interval(family, row["method"], alpha=row["alpha"], **counts, **beta)
        assert (found.lower, found.upper) == pytest.approx((row["lower"], row["upper"]), abs=1e-12)


def test_coverage_is_that_of_a_sum_over_all_tables():
    for row in (row for row in ROWS if row["quantity"] == "alpha"):
        family, beta = named(row["metric"])
        truth = dict(zip(("p_tp", "p_fp", "p_fn"), row["truth"], strict=False))
        options = {"alpha": row["alpha"], "n": row["n"], **truth, **beta}
        found = harness.coverage(family, row["method"], **options)
        expected = row["below"], row["above"], row["length"]
        assert (found.miss_below, found.miss_above, found.mean_length) == pytest.approx(
            expected, abs=1e-12
        )


@pytest.mark.parametrize(("family", "name"), [("f_score", "wilson"), ("npv", "clopper_pearson")])
def test_a_method_of_part_of_the_table_covers_as_one_of_the_whole(family, name):
    method = CATALOGUE[family][name]

    def of_the_whole(tp, fp, fn, tn, alpha):
        return method.limits(tuple(np.atleast_1d(x).astype(float) for x in (tp, fp, fn, tn)), alpha)

    reduced, whole = (
        harness.coverage(family, each, n=12, **RATES) for each in (name, of_the_whole)
    )
    assert not method.uses_both
    assert reduced.miss_below == pytest.approx(whole.miss_below, abs=1e-13)
    assert reduced.mean_length == pytest.approx(whole.mean_length, abs=1e-13)


@pytest.mark.parametrize("family", FAMILIES)
def test_counts_of_an_outcome_lead_back_to_it(family):
    for with_both in (False, True):
        truth = ConfusionTruth.of([(0.1, 0.2, 0.3, 0.4), (0.4, 0.3, 0.2, 0.1)])
        scenario = scenario_for(family_of(family), 7, truth, with_both=with_both)
        outcomes = solver_of(scenario).possible_outcomes()
        counts = scenario.counts(outcomes)
        np.testing.assert_array_equal(scenario.outcomes(*counts), outcomes)
        np.testing.assert_array_equal(sum(counts), 7)
        pairs = as_pairs(scenario)
        assert outcomes.size == pairs.outcome_count == (120 if with_both else 36)


@pytest.mark.parametrize("family", ["precision", "f_score", "jaccard"])
def test_the_engines_agree_under_a_distribution(family):
    config = {
        "name": "dirichlet",
        "family": family,
        "n": [6, 15],
        "methods": ["wilson", "minimal_length"],
        "truth": {"dirichlet": [1, 2, 1, 3]},
        "trials": {"per_size": 20_000},
        "seed": 5,
    }
    results = in_memory(config)
    # The chance of a false alarm is that of ``agreement.LEVEL``.
    assert results.manifest["agreement"]["agrees"]
    assert results.manifest["identity"]["holds"]
    compared = {each["against"] for each in results.manifest["identity"]["comparisons"]}
    assert "enumeration" in compared


def test_a_wrong_posterior_is_found_by_the_integral_over_a_cell(monkeypatch):
    config = {
        "name": "wrong",
        "family": "f_score",
        "beta": 2,
        "n": 8,
        "methods": ["balanced_tail"],
        "truth": {"dirichlet": [1, 1, 1, 1]},
        "engines": ["posterior", "enumeration"],
    }
    assert in_memory(config).manifest["identity"]["holds"]
    known = f_score(2.0)
    exchanged = known.closed_posterior

    def of_exchanged_cells(data, prior):
        tp, fp, fn, tn = data
        return exchanged((tp, fn, fp, tn), prior)

    object.__setattr__(known, "closed_posterior", of_exchanged_cells)
    try:
        assert not in_memory(config).manifest["identity"]["holds"]
    finally:
        object.__setattr__(known, "closed_posterior", exchanged)


@pytest.mark.parametrize("family", ["recall", "f_score"])
def test_no_table_is_missed_more_often_than_the_worst_case(family):
    config = {
        "name": "worst",
        "family": family,
        "n": 12,
        "methods": ["wilson", "clopper_pearson"],
        "truth": {"dirichlet": [1, 1, 1, 1]},
        "engines": ["enumeration"],
    }
    summary = in_memory(config).summary
    cells = np.random.default_rng(3).dirichlet([0.5] * 4, 400)
    names = "p_tp", "p_fp", "p_fn"
    for name, worst in summary.select("method", "worst_alpha").rows():
        at = dict(zip(names, cells.T, strict=False))
        missed = 1.0 - harness.coverage(family, name, n=12, **at).coverage
        assert missed.max() <= worst + 1e-9
        assert name == "wilson" or worst <= 0.05


def test_tables_and_configs_have_beta_beside_the_family(tmp_path):
    config = {
        "name": "f2",
        "family": "f_score",
        "beta": 2,
        "n": 10,
        "methods": ["delta"],
        "truth": {name: [p] for name, p in RATES.items()},
        "engines": ["enumeration"],
        "figures": [],
    }
    found = harness.run(config, out=tmp_path)
    assert found.summary.select("family", "beta").rows() == [("f_score", 2.0)]
    written = yaml.safe_load((found.path / "config.yaml").read_text("utf-8"))
    assert (written["family"], written["beta"]) == ("f_score", 2)
    assert harness.run(written, out=None).summary.equals(found.summary)
    asked = {"n": 10, **RATES}
    by_two, by_one = (
        harness.coverage("f_score", "delta", beta=b, **asked).coverage for b in (2, 1)
    )
    assert found.summary["coverage"][0] == pytest.approx(by_two, abs=1e-14)
    assert by_two != by_one


def test_larger_tables_than_are_enumerated_have_trials_alone():
    config = {
        "name": "large",
        "family": "mcc",
        "n": [20, 1000],
        "methods": ["delta"],
        "truth": {name: [p] for name, p in RATES.items()},
        "trials": {"per_truth": 500},
        "seed": 5,
        "figures": [],
    }
    results = in_memory(config)
    exact = results.summary.filter(pl.col("engine") == "enumeration", pl.col("n") == 1000)
    assert CONFUSED.most_enumerated == 2_000_000
    assert exact["actual_alpha"].null_count() == exact.height
    assert results.manifest["not_enumerated"] == ["1000"]


def test_the_size_that_suffices_has_the_width_that_coverage_says():
    asked = {"half_width": 0.2, **RATES}
    found = harness.size("f_score", "wilson", **asked)
    at = harness.coverage("f_score", "wilson", n=[found.n - 1, found.n], **RATES)
    assert found.reached == pytest.approx(at.mean_length[1] / 2, abs=1e-12)
    assert at.mean_length[0] / 2 > 0.2 >= at.mean_length[1] / 2


LIMITED = {"mcc", "kappa", "informedness"}
"""A metric of 0/0 that the cases of one class still limit: by these methods."""
BY_THE_CASES = {"jeffreys", "jeffreys_minimal_length", "mover_wilson"}


def test_a_metric_of_0_of_0_has_the_whole_range():
    for family in FAMILIES:
        one = (
            {"tp": 0, "fp": 0, "fn": 0, "tn": 5} if family != "npv" else {**TABLE, "tn": 0, "fn": 0}
        )
        one = {"tp": 5, "fp": 0, "fn": 0, "tn": 0} if family == "specificity" else one
        low, high = family_of(family).support
        for name, method in CATALOGUE[family].items():
            if "two-sided" in method.sides and name != "jeffreys_equal_tailed":
                found = harness.interval(family, name, seed=1, **one)
                assert np.isnan(found.estimate)
                is_whole = (found.lower, found.upper) == (low, high)
                assert is_whole != (family in LIMITED and name in BY_THE_CASES), (family, name)


@pytest.mark.parametrize(
    ("truth", "says"),
    [
        ({"tp": [0], "fp": [0.1], "fn": [0]}, "where recall is a number, found 0/0 at p_tp = 0"),
        ({"tp": [0.5], "fp": [0.4], "fn": [0.3]}, "p_tn = 1 − p_tp − p_fp − p_fn"),
        ({"prevalence": [0.5], "tp": [0.5]}, "a mapping with tp, fp and fn"),
        ({"prevalence": [1.5], "sensitivity": [0.5], "specificity": [0.5]}, "prevalence"),
    ],
)
def test_a_truth_without_a_metric_is_refused(truth, says):
    config = {"name": "a", "family": "recall", "n": 5, "methods": ["wilson"], "truth": truth}
    with pytest.raises(ConfigError, match=says):
        in_memory({**config, "engines": ["enumeration"]})


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: harness.interval("f_score", tp=-1, fp=1, fn=1, tn=1), "tp should be a whole"),
        (lambda: harness.interval("f_score", tp=0.5, fp=1, fn=1, tn=1), "tp should be a whole"),
        (lambda: harness.interval("f_score", tp=0, fp=0, fn=0, tn=0), "the sum of tp, fp, fn"),
        (lambda: harness.interval("f_score", beta=0, **TABLE), "beta should be a number from"),
        (lambda: harness.interval("f_score", "wilson", beta=2, **TABLE), "wilson"),
        (lambda: harness.interval("mcc", beta=2, **TABLE), "mcc needs the data tp, fp, fn and tn"),
        (lambda: harness.coverage("recall", "wilson", n=5, prevalence=0.1), "no sensitivity"),
        (lambda: harness.coverage("mcc", "delta", n=5, p_tp=0, p_fp=0, p_fn=0), "not defined"),
    ],
)
def test_wrong_data_are_refused_in_a_sentence(call, says):
    with pytest.raises(InputError, match=says):
        call()


def test_the_draws_of_a_table_are_those_of_its_distribution():
    scenario = scenario_for(family_of("f_score"), 9, DirichletTruth((1.0, 2.0, 0.5, 3.0)))
    drawn = scenario.draw_truths(40_000, np.random.default_rng(4))
    means = np.array([each.mean() for each in drawn])
    # Standard errors are at most 0.0012; the chance of a false alarm is below 1e-6.
    np.testing.assert_allclose(means, np.array([1, 2, 0.5, 3]) / 6.5, atol=0.006)
