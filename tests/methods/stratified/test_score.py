"""Intervals over strata: score, normal, reference rows."""

import json
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from harness.methods.catalogue import CATALOGUE
from harness.methods.proportion.score import wilson
from harness.methods.stratified import most_likely
from tests.methods.stratified.outcomes import limits, random_outcomes
from tests.oracles.laws import score, variance

METHODS = CATALOGUE["stratified_difference"]

# Score limits over strata against the statistic's definition, and where it has several roots.


NAMES = ("miettinen_nurminen", "scas")
names = pytest.mark.parametrize("name", NAMES)
# How far a limit may be from the root.
ROUNDING = 1e-13

DATA = [
    ([3, 0, 5], [8, 5, 20], [0, 1, 2], [9, 4, 18]),
    ([0, 0], [4, 7], [0, 0], [5, 3]),
    ([4, 0], [4, 7], [5, 0], [5, 3]),
    ([2, 3], [2, 3], [0, 1], [2, 40]),
    ([999_999, 0], [10**6, 9], [1, 5], [10**6, 9]),
    ([600_000, 1], [10**6, 10**6], [550_000, 0], [10**6, 10**6]),
    ([10**9 - 1, 3], [10**9, 4], [5, 7], [10**9, 30]),
]


@names
@pytest.mark.parametrize("alpha", [1e-6, 0.05, 0.3])
def test_the_statistic_changes_its_side_of_z_at_a_limit(name, alpha):
    z, solved = -float(ndtri(alpha / 2)), 0
    for data in DATA:
        swapped = data[2:] + data[:2]
        lower, upper = limits(name, data, alpha / 2)
        for arranged, limit in ((data, lower), (swapped, -upper)):
            if limit > -1:
                ends = (limit - ROUNDING, limit + ROUNDING)
                sides = [score(arranged, at, z, skewness=name == "scas") for at in ends]
                assert sides[0] > 0 > sides[1], (data, limit)
                solved += 1
    assert solved >= 2 * len(DATA) - 2


SEVERAL = ([96, 1], [100, 1], [0, 2], [2, 2])
"""The second stratum's difference is below the first one's by so much that the statistic falls
below z, rises above it and falls again."""


def test_of_several_roots_the_outermost_one_is_the_limit():
    alpha = 1.55e-10
    z = -float(ndtri(alpha / 2))
    lower, _ = limits("miettinen_nurminen", SEVERAL, alpha / 2)
    outside = np.linspace(-1, lower, 20)[1:-1]
    assert all(score(SEVERAL, delta, z, skewness=False) > 0 for delta in outside)
    assert score(SEVERAL, lower + 1e-9, z, skewness=False) < 0
    inside = [score(SEVERAL, delta, z, skewness=False) for delta in np.linspace(lower, 0.9, 100)]
    assert max(inside) > 0


@names
@pytest.mark.parametrize("z", [1.3, 2.0, 6.4])
def test_no_difference_below_a_lower_limit_is_inside(name, z):
    """Of outcomes in which strata differ as much as they can, by a scan."""
    data = random_outcomes(7, 150, 3, 300.0)
    tail = float(ndtr(-z))
    lower, _ = METHODS[name].formula(data, 2 * tail, "two-sided", (1.0, 1.0))
    for delta in np.linspace(-1, 1, 82)[1:-1]:
        statistic = _statistic(data, delta, z, skewness=name == "scas")
        assert (statistic[delta < lower - 1e-12] > 0).all()


def _statistic(data, delta, z, skewness):
    """T − (r² − 1)k − r, r = z or the largest value that Z can have there."""
    x1, n1, x2, n2 = data
    turned = delta > 0
    x, y = (n1 - x1, x2) if turned else (x1, n2 - x2)
    rates = most_likely(x, n1, y, n2, np.full(x.shape, 1 - abs(delta)))
    u, w = rates.first, rates.second
    weight = n1 * n2 / (n1 + n2)
    share = weight / weight.sum(axis=1, keepdims=True)
    variance = u * (1 - u) / n1 + w * (1 - w) / n2
    total = (share**2 * variance * (n1 + n2) / (n1 + n2 - 1)).sum(axis=1)
    third = u * (1 - u) * (1 - 2 * u) / n1**2 + w * (1 - w) * (1 - 2 * w) / n2**2
    k = (-1 if turned else 1) * (share**3 * third).sum(axis=1) / (6 * total**1.5)
    k = k if skewness else 0 * k
    reached = np.where(k < 0, np.minimum(z, -0.5 / np.where(k < 0, k, -1.0)), z)
    estimate = (share * (x1 / n1 - x2 / n2)).sum(axis=1)
    return (estimate - delta) / np.sqrt(total) - (reached**2 - 1) * k - reached


@names
def test_every_small_outcome_has_an_interval_that_holds_its_estimate(name):
    counts = np.array(list(product(range(3), range(4), range(3), range(2))), float)
    sizes = np.broadcast_to([2.0, 3.0, 2.0, 1.0], counts.shape)
    data = counts[:, :2], sizes[:, :2], counts[:, 2:], sizes[:, 2:]
    weight = data[1] * data[3] / (data[1] + data[3])
    estimate = (weight * (data[0] / data[1] - data[2] / data[3])).sum(axis=1) / weight.sum(axis=1)
    for alpha in (1e-9, 0.05, 0.3):
        lower, upper = METHODS[name].formula(data, alpha, "two-sided", (1.0, 1.0))
        assert (lower >= -1).all()
        assert (upper <= 1).all()
        assert (lower < estimate + 1e-15).all()
        assert (estimate < upper + 1e-15).all()
        assert (upper - lower > 0.05).all()
        at_end = np.flatnonzero(lower == -1)
        assert name == "scas" or at_end.tolist() == np.flatnonzero(estimate == -1).tolist()


def test_without_a_success_anywhere_the_limits_are_those_of_the_variance_next_to_0():
    # V(δ) = δ(1 − δ) Σ (w/Σw)² N/(N − 1)/n₁ for δ > 0, so that δ/(1 − δ) = z² times that sum.
    n1, n2 = np.array([4.0, 7.0]), np.array([5.0, 3.0])
    weight, total = n1 * n2 / (n1 + n2), n1 + n2
    share = weight / weight.sum()
    odds = float(ndtri(0.025)) ** 2 * (share**2 * total / (total - 1) / n1).sum()
    _, upper = limits("miettinen_nurminen", ([0, 0], n1, [0, 0], n2), 0.025)
    assert upper == pytest.approx(odds / (1 + odds), rel=1e-13)


def test_the_most_likely_rates_are_those_of_the_likelihood():
    rng, count = np.random.default_rng(4), 80
    n, m = (np.floor(10 ** rng.uniform(0, 7, count)) for _ in range(2))
    x, y = (np.minimum(rng.choice([0.0, 1.0, 2.0, 1e9], count), size) for size in (n, m))
    e = np.where(rng.random(count) < 0.3, 10 ** rng.uniform(-9, 0, count), rng.random(count))
    rates = most_likely(x, n, y, m, e)
    found = rates.first * (1 - rates.first) / n + rates.second * (1 - rates.second) / m
    expected = [variance(*sample) for sample in zip(x, n, y, m, e, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-10)


def test_the_rates_move_with_the_distance_as_their_derivative_says():
    x, n, y, m = (column.ravel() for column in random_outcomes(5, 200, 2, 50.0))
    e, step = np.linspace(0.05, 0.95, x.size), 1e-6
    before, after = (most_likely(x, n, y, m, e + sign * step) for sign in (-1, 1))
    slope = (after.first - before.first) / (2 * step)
    expected = most_likely(x, n, y, m, e).first_slope
    # At a kink, where a rate leaves 0, the two sides differ.
    assert np.mean(np.abs(slope - expected) < 1e-5) > 0.99


# Normal limits over strata, and what they are where a variance is 0 or would be negative.


def test_satos_variance_of_equal_samples_is_that_of_mantel_and_haenszel():
    # Of one stratum with n₁ = n₂ both are Σ x(n − x)/(4n).
    data = [7], [20], [3], [20]
    expected = limits("mantel_haenszel", data, 0.025)
    assert limits("sato", data, 0.025) == pytest.approx(expected, rel=1e-14)


def test_satos_interval_has_no_width_only_where_each_stratum_has_all_or_none():
    without = ([4, 0], [4, 9], [6, 0], [6, 2]), ([4, 2], [4, 2], [0, 0], [6, 2])
    for data in without:
        lower, upper = limits("sato", data, 0.025)
        assert lower == upper
    # Strata in which D ΣP and ΣQ cancel the more, the more their sizes differ.
    lower, upper = limits("sato", ([1, 0], [1, 10**6], [0, 0], [10**6, 1]), 0.025)
    assert 0 < upper - lower < 0.01


def test_limits_end_where_the_range_does():
    data = [9, 8], [10, 8], [1, 0], [10, 9]
    for name in ("sato", "mantel_haenszel"):
        lower, upper = limits(name, data, 1e-9)
        assert -1 < lower < upper == 1


def test_newcombes_limits_without_a_success_have_the_quantile_of_equal_proportions():
    n1, n2 = np.array([5.0, 20.0]), np.array([8.0, 9.0])
    share = n1 * n2 / (n1 + n2) / (n1 * n2 / (n1 + n2)).sum()
    z = -float(ndtri(0.025))
    # U₁ is the mean of the Wilson limits z²/(n + z²).
    quantile = z * np.sqrt((share**2 / n1).sum()) / (share / np.sqrt(n1)).sum()
    mean = (share * quantile**2 / (n1 + quantile**2)).sum()
    spread = (share**2 / n1).sum() * mean * (1 - mean)
    _, upper = limits("newcombe", ([0, 0], n1, [0, 0], n2), 0.025)
    assert upper == pytest.approx(z * np.sqrt(spread), rel=1e-13)
    equal = limits("newcombe", ([1e-9, 4e-9], n1, [1e-9, 1e-9], n2), 0.025)
    assert upper == pytest.approx(equal[1], abs=1e-4)


def test_newcombes_limits_of_one_stratum_lie_where_those_of_wilson_do():
    one = np.array([0.0]), np.array([12.0])
    _, far = wilson(one, 0.025)
    lower, upper = limits("newcombe", ([0], [12], [0], [10**9]), 0.025)
    assert upper == pytest.approx(float(far[0]), abs=1e-7)
    assert lower == pytest.approx(0, abs=1e-7)


# Limits over strata, held against published programs and against 40 digits of their equations.


FILE = Path(__file__).parents[2] / "data" / "stratified_difference.json"
ROWS = json.loads(FILE.read_text())["rows"]
TOLERANCE = 1e-14
"""Of the 40 digits; what programs print has the tolerance of its row."""


def found(row):
    data = tuple(np.array([values], float) for values in row["inputs"].values())
    return np.ravel(METHODS[row["method"]].formula(data, row["alpha"], "two-sided", (1.0, 1.0)))


@pytest.mark.parametrize("name", METHODS)
def test_limits_are_those_of_the_equation_and_of_the_programs(name):
    rows = [row for row in ROWS if row["method"] == name]
    assert len(rows) == 12
    for row in rows:
        limits, right = found(row), row["evaluated"]
        np.testing.assert_allclose(limits, [right["lower"], right["upper"]], atol=TOLERANCE)
        for printed in (row, row["second"]):
            expected = [printed["lower"], printed["upper"]]
            np.testing.assert_allclose(limits, expected, rtol=0, atol=row["tolerance"])


@pytest.mark.parametrize("name", METHODS)
def test_outcomes_together_have_the_limits_that_they_have_alone(name):
    rows = [row for row in ROWS if row["method"] == name and row["alpha"] == 0.05]
    most = max(len(row["inputs"]["x1"]) for row in rows)
    padded = [
        np.array([[*row["inputs"][key], *[0] * (most - len(row["inputs"][key]))] for row in rows])
        for key in ("x1", "n1", "x2", "n2")
    ]
    data = tuple(each.astype(float) for each in padded)
    together = METHODS[name].formula(data, 0.05, "two-sided", (1.0, 1.0))
    alone = np.array([found(row) for row in rows]).T
    np.testing.assert_allclose(together, alone, rtol=0, atol=TOLERANCE)
