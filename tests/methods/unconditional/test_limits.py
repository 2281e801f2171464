"""Exact unconditional limits of a difference against their definition."""

import numpy as np
import pytest
from scipy.stats import binom

import harness
from harness.base.errors import ConfigError, InputError
from harness.checks.check import check
from harness.kinds.load import load_experiment
from harness.methods import unconditional
from harness.methods.catalogue import CATALOGUE
from harness.methods.method import LOWER, TWO_SIDED, UPPER

NAMES = ("santner_snell", "chan_zhang", "agresti_min_exact")
METHODS = {name: CATALOGUE["proportion_difference"][name] for name in NAMES}
names = pytest.mark.parametrize("name", NAMES)
SIZES = [(1, 1), (3, 2), (5, 5)]
# The largest p-value at 201 points is this much below the supremum, relatively, and 2^-42 is the
# width in which a limit is found.
COARSE, FOUND = 1e-3, 1e-11
# Limits in the other order are found by the same steps.
EQUAL = 0.0


def every_outcome(n1, n2):
    x1, x2 = np.meshgrid(np.arange(n1 + 1.0), np.arange(n2 + 1.0), indexing="ij")
    return x1.ravel(), np.full(x1.size, float(n1)), x2.ravel(), np.full(x1.size, float(n2))


def level_of(name, alpha):
    return alpha if name == "agresti_min_exact" else alpha / 2


@names
@pytest.mark.parametrize(("n1", "n2"), SIZES)
def test_no_difference_outside_has_a_p_value_above_the_level(name, n1, n2):
    for alpha in (0.02, 0.1):
        level = level_of(name, alpha)
        lower, upper = METHODS[name].limits(every_outcome(n1, n2), alpha)
        for delta in np.random.default_rng(n1).uniform(-1, 1, 20):
            found = p_values(name, n1, n2, delta)
            assert (found[lower > delta + FOUND] <= level * (1 + 1e-9)).all(), (alpha, delta)
            if name == "agresti_min_exact":
                assert (found[upper < delta - FOUND] <= level * (1 + 1e-9)).all(), (alpha, delta)


@names
@pytest.mark.parametrize(("n1", "n2"), [(3, 2), (4, 2)])
def test_beside_a_limit_the_p_value_is_above_the_level(name, n1, n2):
    """An isolated difference between others is above it only there."""
    step = 1e-9
    for alpha in (0.05, 0.2):
        level = level_of(name, alpha)
        lower, _ = METHODS[name].limits(every_outcome(n1, n2), alpha)
        for place, limit in enumerate(lower):
            inside = p_values(name, n1, n2, min(max(limit, -1) + step, 1 - step))[place]
            assert inside >= level * (1 - COARSE), (alpha, place)


@names
@pytest.mark.parametrize(("n1", "n2"), [*SIZES, (7, 6)])
def test_no_truth_is_missed_more_often_than_promised(name, n1, n2):
    """At a grid of p₂ for differences next to every limit, where the probabilities are largest."""
    for side in METHODS[name].sides:
        for alpha in (0.02, 0.1):
            lower, upper = METHODS[name].limits(every_outcome(n1, n2), alpha, side)
            ends = np.unique(np.concatenate([lower - 1e-9, upper + 1e-9]))
            ends = np.clip(ends[:: max(1, ends.size // 16)], -1, 1)
            worst = max(
                (tables(n1, n2, delta, 101) @ ((lower > delta) | (upper < delta))).max()
                for delta in ends
            )
            assert 0 < worst <= alpha * (1 + 1e-9), (side, alpha)


def test_an_excursion_of_the_p_value_above_the_level_is_found():
    """From 0.05472 on the p-value is above 0.025, and from 0.0548 to 0.06505 below it again."""
    (limit, _), place = limits("chan_zhang", (10, 10, 7, 12), 0.05), 10 * 13 + 7
    at = {d: p_values("chan_zhang", 10, 12, d, 4001)[place] for d in (0.0547, 0.05474, 0.06)}
    assert at[0.0547] < 0.025 < at[0.05474]
    assert at[0.06] < 0.025
    assert 0.0547 < limit < 0.05474


def limits(name, data, alpha, side=TWO_SIDED):
    lower, upper = METHODS[name].limits(tuple(np.array([float(v)]) for v in data), alpha, side)
    return float(lower[0]), float(upper[0])


def test_outcomes_with_one_difference_have_the_same_limits():
    """0.1 and 0.7 − 0.6 are different doubles."""
    n = 10
    found = {limits("santner_snell", (x + 1, n, x, n), 0.05) for x in range(n)}
    assert len(found) == 1
    assert limits("santner_snell", (2, 4, 1, 6), 0.05) == limits(
        "santner_snell", (4, 4, 4, 6), 0.05
    )


def test_the_score_orders_at_least_as_finely_as_the_difference():
    data = every_outcome(6, 6)
    coarse, fine = (METHODS[name].limits(data, 0.05) for name in ("santner_snell", "chan_zhang"))
    assert (fine[1] - fine[0]).mean() < (coarse[1] - coarse[0]).mean()
    one_test = METHODS["agresti_min_exact"].limits(data, 0.05)
    assert (one_test[1] - one_test[0]).mean() < (fine[1] - fine[0]).mean()


@names
def test_samples_swap_and_successes_mirror_exactly(name):
    for n1, n2, side, other in ((3, 3, TWO_SIDED, TWO_SIDED), (2, 4, LOWER, UPPER)):
        x1, size1, x2, size2 = every_outcome(n1, n2)
        if side in METHODS[name].sides:
            lower, upper = METHODS[name].limits((x1, size1, x2, size2), 0.1, side)
            for data in ((x2, size2, x1, size1), (size1 - x1, size1, size2 - x2, size2)):
                unconditional._table.cache_clear()
                low, high = METHODS[name].limits(data, 0.1, other)
                np.testing.assert_allclose(low, -upper, rtol=0, atol=EQUAL)
                np.testing.assert_allclose(high, -lower, rtol=0, atol=EQUAL)


@pytest.mark.parametrize("name", NAMES[:2])
def test_a_one_sided_limit_is_that_of_twice_the_alpha(name):
    data = (4, 9, 1, 7)
    both = limits(name, data, 0.1)
    assert limits(name, data, 0.05, LOWER) == (both[0], 1.0)
    assert limits(name, data, 0.05, UPPER) == (-1.0, both[1])
    assert limits(name, data, 0.8, LOWER)[0] > limits(name, data, 0.4, LOWER)[0]


def test_no_failure_and_no_success_reach_the_end():
    for name in NAMES:
        assert limits(name, (5, 5, 0, 6), 0.05)[1] == 1
        assert limits(name, (0, 5, 6, 6), 0.05)[0] == -1
        assert limits(name, (5, 5, 1, 6), 1e-10)[1] < 1


ADVICE = "{} takes n1 and n2 of at most 100, found n1 = 101"


@names
def test_larger_samples_are_refused_in_a_sentence(name, tmp_path):
    advice = ADVICE.format(name)
    with pytest.raises(InputError, match=advice):
        harness.interval("proportion_difference", name, x1=7, n1=101, x2=3, n2=50)
    with pytest.raises(InputError, match=advice):
        harness.coverage("proportion_difference", name, n1=101, n2=5, p1=0.5, p2=0.4)
    with pytest.raises(InputError, match=advice):
        check(name, family="proportion_difference", sizes=((101.0, 5.0),))
    with pytest.raises(InputError, match=advice):
        check(
            "newcombe", family="proportion_difference", against=name, sizes=((101.0, 5.0),),
            alphas=(0.05,),
        )  # fmt: skip
    config = {
        "name": "large",
        "family": "proportion_difference",
        "n1": [5, 101],
        "n2": 5,
        "alpha": 0.05,
        "methods": ["newcombe", name],
        "engines": ["enumeration"],
        "truth": {"first": {"values": [0.5]}, "second": {"values": [0.4]}},
    }
    file = tmp_path / "large.yaml"
    file.write_text(str(config).replace("'", '"'))
    with pytest.raises(ConfigError, match=rf"methods\[1\]: {advice}"):
        load_experiment(file)


# P-values of differences from their definition: sums over all tables at many p₂.


HALVINGS = 70


def scores(n1, n2, delta):
    """The score statistic of each table, by halving the range of p₂; shape (n₁ + 1, n₂ + 1)."""
    x1, x2 = np.meshgrid(np.arange(n1 + 1.0), np.arange(n2 + 1.0), indexing="ij")
    low, high = np.full(x1.shape, max(0.0, -delta)), np.full(x1.shape, min(1.0, 1 - delta))
    with np.errstate(divide="ignore", invalid="ignore"):
        for _ in range(HALVINGS):
            p2 = (low + high) / 2
            p1 = p2 + delta
            slope = np.where(x1 > 0, x1 / p1, 0) - np.where(x1 < n1, (n1 - x1) / (1 - p1), 0)
            slope += np.where(x2 > 0, x2 / p2, 0) - np.where(x2 < n2, (n2 - x2) / (1 - p2), 0)
            low, high = np.where(slope > 0, p2, low), np.where(slope > 0, high, p2)
        variance = p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2
        return (x1 / n1 - x2 / n2 - delta) / np.sqrt(variance)


def tables(n1, n2, delta, points):
    """The probabilities of the tables at values of p₂, shape (points, (n₁ + 1)(n₂ + 1))."""
    share = np.sin(np.linspace(0, np.pi / 2, points)) ** 2
    p2 = max(0.0, -delta) + (min(1.0, 1 - delta) - max(0.0, -delta)) * share
    p1 = np.clip(p2 + delta, 0, 1)
    first = binom.pmf(np.arange(n1 + 1), n1, p1[:, np.newaxis])
    second = binom.pmf(np.arange(n2 + 1), n2, p2[:, np.newaxis])
    return (first[:, :, np.newaxis] * second[:, np.newaxis, :]).reshape(points, -1)


def extremes(name, n1, n2, delta, near=1e-9):
    """For each table the tables at least as extreme against smaller δ; near ties count."""
    if name == "santner_snell":
        order = np.subtract.outer(np.arange(n1 + 1) * n2, np.arange(n2 + 1) * n1).ravel()
        near = 0
    else:
        order = scores(n1, n2, delta).ravel()
    if name == "agresti_min_exact":
        order = np.abs(order)
    return order >= order[:, np.newaxis] - near


def p_values(name, n1, n2, delta, points=201):
    """The largest probability over p₂ of what is as extreme as each table."""
    return (tables(n1, n2, delta, points) @ extremes(name, n1, n2, delta).T).max(axis=0)
