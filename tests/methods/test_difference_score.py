"""Score limits of a difference against the statistic's definition in ball arithmetic."""

import numpy as np
import pytest
from flint import arb
from scipy.special import ndtri

from harness.methods.catalogue import CATALOGUE
from tests.oracles import differences

PROPORTIONS, RATES = CATALOGUE["proportion_difference"], CATALOGUE["rate_difference"]
# How far the squared statistic at a limit may be from z², relatively, ...
STATISTIC = 1e-12
# ... beside what rounding the limit must cost: that of a unit of 2^-52 of the estimates and of
# the limit.
ROUNDING = 2.0**-51

HARD = [
    # Nearly no failure in a large second sample: the statistic rises steeply.
    ((0, 1, 11, 10**6), 1e-10),
    ((1, 936_263, 0, 845_765), 0.01),
    ((442_594, 442_594, 891_374, 891_374), 3e-9),
    ((999_999, 10**6, 1, 10**6), 1e-10),
    ((0, 10**6, 0, 1), 0.9),
    ((1, 1, 1, 1), 1e-10),
    ((1, 1, 0, 1), 0.9),
    ((500_000, 10**6, 500_000, 10**6), 0.9),
]


def limits(method, data, alpha, side="two-sided"):
    lower, upper = method.limits(tuple(np.array([float(v)]) for v in data), alpha, side)
    return float(lower[0]), float(upper[0])


def random_proportions(count):
    rng = np.random.default_rng(1985)
    for _ in range(count):
        n1, n2 = (int(np.exp(rng.uniform(0, np.log(1e6)))) for _ in range(2))
        x1, x2 = (int(rng.choice([0, n // 2, n - 1, n, rng.integers(n + 1)])) for n in (n1, n2))
        yield (x1, n1, x2, n2), 10.0 ** rng.uniform(-10, -0.05)


def random_rates(count):
    rng = np.random.default_rng(1985)
    for _ in range(count):
        x1, x2 = (int(rng.choice([0, 1, 2, int(10 ** rng.uniform(0, 6))])) for _ in range(2))
        exposure1, exposure2 = 10.0 ** rng.uniform(-4, 4, 2)
        yield (x1, exposure1, x2, exposure2), 10.0 ** rng.uniform(-10, -0.05)


def is_solved(statistic, data, limit, alpha):
    """Whether the squared statistic at the limit is z² but for rounding."""
    first, second = data[0] / data[1], data[2] / data[3]
    unit = ROUNDING * max(abs(limit), min(first, second))
    target = arb(float(ndtri(alpha / 2))) ** 2
    error = abs(float(statistic(data, limit) / target - 1))
    nearer = limit + unit if limit < first - second else limit - unit
    cost = abs(float(statistic(data, nearer) / statistic(data, limit) - 1))
    return error <= STATISTIC + cost


@pytest.mark.parametrize("name", ["mee", "miettinen_nurminen"])
def test_the_statistic_of_proportions_at_a_limit_is_the_square_of_z(name):
    def statistic(data, delta):
        return differences.proportions_score(data, delta, corrected=name != "mee")

    for data, alpha in [*HARD, *random_proportions(150)]:
        for limit in limits(PROPORTIONS[name], data, alpha):
            if abs(limit) < 1:
                assert is_solved(statistic, data, limit, alpha), (data, alpha)


def test_the_statistic_of_rates_at_a_limit_is_the_square_of_z():
    for data, alpha in random_rates(150):
        for limit in limits(RATES["score"], data, alpha):
            assert is_solved(differences.rates_score, data, limit, alpha), (data, alpha)


def test_the_differences_inside_are_those_of_a_small_statistic():
    for data, alpha in random_proportions(10):
        lower, upper = limits(PROPORTIONS["mee"], data, alpha)
        target = float(ndtri(alpha / 2)) ** 2
        for delta in np.linspace(-1, 1, 42)[1:-1]:
            inside = float(differences.proportions_score(data, delta)) <= target
            assert inside == (lower <= delta <= upper), (data, alpha, delta)


def test_a_limit_reaches_the_end_at_the_farthest_outcome_only():
    for name in ("mee", "miettinen_nurminen"):
        assert limits(PROPORTIONS[name], (0, 5, 7, 7), 0.05)[0] == -1
        assert limits(PROPORTIONS[name], (5, 5, 0, 7), 0.05)[1] == 1
        assert limits(PROPORTIONS[name], (1, 5, 7, 7), 0.05)[0] > -1
        assert limits(PROPORTIONS[name], (5, 5, 1, 7), 1e-10)[1] < 1


def test_a_one_sided_limit_at_one_half_is_the_estimate():
    for data in [(3, 8, 5, 8), (0, 5, 0, 9), (5, 5, 9, 9), (0, 5, 9, 9)]:
        estimate = data[0] / data[1] - data[2] / data[3]
        for side, place in (("lower", 0), ("upper", 1)):
            found = limits(PROPORTIONS["mee"], data, 0.5, side)[place]
            assert found == pytest.approx(estimate, abs=2.0**-53)
            if data[2] < 9:
                assert limits(RATES["score"], data, 0.5, side)[place] == estimate


def test_no_event_in_either_sample_bounds_rates_by_the_square_of_z():
    # The limits of a single sample without event, 0 and z²/E.
    z = float(ndtri(0.025))
    lower, upper = limits(RATES["score"], (0, 2.0, 0, 8.0), 0.05)
    assert (lower, upper) == pytest.approx((-z * z / 8, z * z / 2), rel=1e-15)
