"""Intervals for an area under the ROC curve against R's pROC 1.18.0 and against their definitions.

The files in ``tests/data/auc`` are what ``ci.auc(roc(...))`` and ``roc.test(..., paired = TRUE)``
print for the scores beside them, limits clipped to the range of the parameter.
"""

import csv
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtri

import harness
from harness.distributions.score_truths import Binormal, PairedScoreTruth, ScoreTruth
from harness.families.scores import placements
from harness.methods.catalogue import CATALOGUE

DATA = Path(__file__).parents[2] / "data/auc"
NEAR = 1e-12
"""Limits of pROC are sums of some thousand terms of order 1 in another order."""


def rows(name):
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def scores(name, *columns):
    """Scores of positives and of negatives for each of the columns, by the set."""
    found = {}
    for row in rows(name):
        lists = found.setdefault(row["set"], [[] for _ in range(2 * len(columns))])
        for place, column in enumerate(columns):
            lists[2 * place + (row["positive"] == "0")].append(float(row[column]))
    return found


@pytest.mark.parametrize("row", rows("delong.csv"), ids=lambda row: f"{row['set']}-{row['conf']}")
def test_delong_is_that_of_proc(row):
    positives, negatives = scores("scores.csv", "score")[row["set"]]
    found = harness.interval(
        "auc", "delong", positives=positives, negatives=negatives, alpha=1 - float(row["conf"])
    )
    expected = [float(row[name]) for name in ("auc", "lower", "upper")]
    assert [found.estimate, found.lower, found.upper] == pytest.approx(expected, abs=NEAR)


@pytest.mark.parametrize("row", rows("paired_delong.csv"), ids=lambda row: row["set"])
def test_paired_delong_is_that_of_proc(row):
    names = ("positives1", "negatives1", "positives2", "negatives2")
    lists = scores("paired_scores.csv", "first", "second")[row["set"]]
    found = harness.interval("auc_difference", "delong", **dict(zip(names, lists, strict=True)))
    expected = [float(row[name]) for name in ("difference", "lower", "upper")]
    assert [found.estimate, found.lower, found.upper] == pytest.approx(expected, abs=NEAR)


SEED = np.random.default_rng(19)
TIED = SEED.integers(0, 6, (50, 9)) + 1.0, SEED.integers(0, 6, (50, 7)) + 0.0
UNTIED = SEED.normal(1, 1, (50, 9)), SEED.normal(0, 1, (50, 7))


@pytest.mark.parametrize("data", [TIED, UNTIED], ids=["tied", "untied"])
def test_midranks_are_the_shares_of_all_pairs(data):
    positives, negatives = data
    wins = np.sign(positives[:, :, np.newaxis] - negatives[:, np.newaxis, :]) / 2 + 0.5
    above, below = placements(positives, negatives)
    np.testing.assert_allclose(above, wins.mean(axis=2), rtol=0, atol=1e-15)
    np.testing.assert_allclose(below, wins.mean(axis=1), rtol=0, atol=1e-15)


@pytest.mark.parametrize("tail", [5e-11, 0.025, 0.4])
def test_limits_of_newcombe_solve_his_equation(tail):
    lower, upper = CATALOGUE["auc"]["newcombe"].limits(UNTIED, 2 * tail)
    found, (n1, n2) = placements(*UNTIED)[0].mean(axis=1), (9, 7)
    for limit, sign in ((lower, 1), (upper, -1)):
        others = (n1 + n2) / 2 - 1
        inner = 1 + others * (1 - limit) / (2 - limit) + others * limit / (1 + limit)
        variance = limit * (1 - limit) * inner / (n1 * n2)
        expected = -ndtri(tail) * np.sqrt(variance)
        np.testing.assert_allclose(sign * (found - limit), expected, rtol=1e-12, atol=1e-15)


def test_hanley_mcneil_by_hand():
    """A = 0.75 at 2 + 2: Q1 = 0.6, Q2 = 9/14, and the variance is a quarter of their terms."""
    found = harness.interval("auc", "hanley_mcneil", positives=[4, 2], negatives=[3, 1], alpha=0.9)
    variance = (0.75 * 0.25 + (0.6 - 0.5625) + (9 / 14 - 0.5625)) / 4
    half = -ndtri(0.45) * np.sqrt(variance)
    assert (found.lower, found.upper) == pytest.approx((0.75 - half, 0.75 + half), rel=1e-14)


ENDS = {
    "hanley_mcneil": (1, 1),
    "delong": (1, 1),
    "bootstrap_percentile": (1, 1),
    "delong_logit": (0, 1),
    "newcombe": (pytest.approx(0.53969, abs=1e-5), 1),
}


@pytest.mark.parametrize("name", CATALOGUE["auc"])
def test_limits_where_all_positives_are_above_all_negatives(name):
    found = harness.interval("auc", name, positives=[5, 4, 3], negatives=[2, 1, 0, -1], seed=1)
    assert (found.lower, found.upper) == ENDS[name]


@pytest.mark.parametrize("family", ["auc", "auc_difference"])
def test_the_whole_range_is_the_interval_of_a_single_positive(family):
    lists = {"positives": [3], "negatives": [1, 2, 4]}
    ends = (0, 1)
    if family == "auc_difference":
        lists, ends = {f"{name}{i}": each for name, each in lists.items() for i in (1, 2)}, (-1, 1)
    found = harness.interval(family, "delong", **lists)
    assert (found.lower, found.upper) == ends


@pytest.mark.parametrize("name", CATALOGUE["auc"])
def test_a_rising_transformation_of_the_scores_changes_nothing(name):
    moved = tuple(np.exp(each) + 3 for each in UNTIED)
    both = [
        CATALOGUE["auc"][name].limits(data, 0.1, rng=np.random.default_rng(1))
        for data in (UNTIED, moved)
    ]
    np.testing.assert_array_equal(*both)


def test_the_bootstrap_resamples_areas_of_cases():
    """The quantiles of 999 resamples lie within 4.5 standard errors of those of a plain loop.

    The false-alarm rate of both limits is 1.4e-5.
    """
    rng = np.random.default_rng(5)
    positives, negatives = TIED[0][0], TIED[1][0]
    plain = np.sort(
        [
            placements(rng.choice(positives, 9), rng.choice(negatives, 7))[0].mean()
            for _ in range(4000)
        ]
    )
    many = np.repeat(positives[np.newaxis], 400, 0), np.repeat(negatives[np.newaxis], 400, 0)
    limits = CATALOGUE["auc"]["bootstrap_percentile"].limits(many, 0.2, rng=rng)
    for limit, level in zip(limits, (0.1, 0.9), strict=True):
        reached = np.searchsorted(plain, limit, side="right") / 4000
        below = np.searchsorted(plain, limit, side="left") / 4000
        slack = 4.5 * np.sqrt(0.09 * (1 / 4000 + 1 / 400 / 999))
        assert below.mean() - slack <= level <= reached.mean() + slack


# --- truths


@pytest.mark.parametrize("levels", [2, 5, 40])
@pytest.mark.parametrize("sd", [0.5, 1.0, 2.0])
def test_the_true_area_of_rounded_scores_is_that_of_what_is_drawn(levels, sd):
    """The mean of 200 areas of 300 + 300 lies within 4.5 standard errors of the true one.

    The false-alarm rate of all is 6e-5.
    """
    truth = ScoreTruth((0.8,), (sd,), levels=levels)
    rng = np.random.default_rng(11)
    positives, negatives = truth.draw(0, ((200, 300), (200, 300)), rng)
    assert set(np.unique(positives)) <= set(range(levels))
    areas = placements(positives, negatives)[0].mean(axis=1)
    (true,), (ratio,) = truth.values
    assert ratio == sd
    assert abs(areas.mean() - true) < 4.5 * areas.std(ddof=1) / np.sqrt(200)


def test_many_levels_are_no_levels():
    assert Binormal(0.8, 1.5, 10_000).area() == pytest.approx(0.8, abs=0.005)


def test_two_scores_of_a_case_have_the_correlation_of_the_truth():
    """Of 40,000 cases of each class, within 4.5 standard errors; the false-alarm rate is 3e-5."""
    truth = PairedScoreTruth((0.9,), (0.8,), (-0.6, 0.6))
    drawn = truth.draw(1, ((1, 40_000), (1, 40_000)), np.random.default_rng(3))
    for first, second in zip(drawn[:2], drawn[2:], strict=True):
        found = np.corrcoef(first[0], second[0])[0, 1]
        assert abs(found - 0.6) < 4.5 * (1 - 0.36) / 200
    assert truth.values[0].tolist() == [0.1, 0.1]


# --- runs


def run(**changes):
    config = {
        "name": "scores",
        "n1": [20],
        "n2": [30],
        "methods": ["delong"],
        "trials": {"per_truth": 4000},
        "seed": 8,
        "figures": [],
        **changes,
    }
    return harness.run(config, out=None)


def test_delong_misses_too_often_next_to_an_area_of_1_and_newcombe_does_not():
    """An alpha of 0.05 has a standard error of 0.0035: 4.5 of them are a false alarm of 3e-6."""
    found = run(family="auc", methods=["delong", "newcombe"], truth={"auc": [0.95]})
    alphas = dict(found.summary.select("method", "actual_alpha").rows())
    assert alphas["delong"] > 0.05 + 4.5 * 0.0035
    assert alphas["newcombe"] < 0.05 + 4.5 * 0.0035


def test_a_difference_of_rounded_scores_is_covered_at_its_true_value():
    """Two scores alike in law: alpha is 0.05 but for the small sample, within 5 standard errors.

    The truths are exactly 0 where both areas are equal, of rounded scores too.
    """
    truth = {"auc1": 0.8, "auc2": [0.7, 0.8], "correlation": 0.5, "levels": 7}
    found = run(family="auc_difference", n1=[80], n2=[80], truth=truth)
    cells = found.cells.sort("truth")
    assert cells["truth"][0] == 0.0
    assert cells["truth"][1] == pytest.approx(0.1, abs=0.02)
    assert cells["correlation"].to_list() == [0.5, 0.5]
    assert cells["actual_alpha"].is_between(0.03, 0.07).all()
