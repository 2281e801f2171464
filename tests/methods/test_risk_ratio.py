"""Intervals for the ratio of two proportions against their definitions in ball arithmetic."""

from math import inf

import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import ndtri

from harness.methods.catalogue import CATALOGUE
from tests.oracles.ratios import proportions_statistic

METHODS = {
    name: method for name, method in CATALOGUE["risk_ratio"].items() if not method.takes_prior
}
SCORES = {"koopman": (False, False), "miettinen_nurminen": (True, False), "scas": (True, True)}
# How far a limit may be from its statistic's root, relatively.
ACCURACY = 1e-12

HARD = [
    ((1, 1, 29, 30), 0.025),
    ((30, 30, 30, 30), 0.025),
    ((1, 1, 1, 1), 1e-12),
    ((1, 10**9, 1, 10**9), 1e-12),
    ((10**9, 10**9, 10**9 - 1, 10**9), 0.025),
    ((999_999, 10**6, 10**9, 10**9), 1e-10),
    ((5, 10**9, 10**9, 10**9), 0.025),
    ((3, 7, 0, 10**9), 1e-12),
    ((10**9, 10**9, 0, 1), 0.45),
    ((1, 2, 0, 3), 0.3),
    ((500_000_000, 10**9, 500_000_001, 10**9), 0.49),
    ((2, 5, 3, 7), 0.9),
    # Without a failure in a sample the corrected statistic falls and rises again.
    ((1, 1, 9, 10), 0.3),
    ((99, 100, 2, 2), 0.45),
    ((3, 3, 15, 30), 0.31),
]


def limits(name, data, tail):
    formula = METHODS[name].formula
    lower, upper = formula(tuple(np.array([float(v)]) for v in data), 2 * tail, "two-sided", (1, 1))
    return float(lower[0]), float(upper[0])


def one_sided(name, data, tail):
    columns = tuple(np.array([float(v)]) for v in data)
    formula = METHODS[name].formula
    lower, _ = formula(columns, tail, "lower", (1, 1))
    _, upper = formula(columns, tail, "upper", (1, 1))
    return float(lower[0]), float(upper[0])


def random_data(count, seed=1984):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n1, n2 = (int(10 ** rng.uniform(0, rng.choice([1.5, 9]))) for _ in range(2))
        x1, x2 = (
            int(rng.choice([0, min(1, n), n // 2, n - 1, n, rng.integers(n + 1)])) for n in (n1, n2)
        )
        yield (x1, n1, x2, n2), 10.0 ** rng.uniform(-12, -0.35)


def is_root(statistic, limit, z):
    """Whether a statistic that falls with the ratio is z next to the limit."""
    with ctx.workprec(300):
        below, above = arb(limit) * (1 - arb(ACCURACY)), arb(limit) * (1 + arb(ACCURACY))
    return statistic(below) >= z >= statistic(above)


@pytest.mark.parametrize("name", SCORES)
def test_the_statistic_at_a_limit_is_z(name):
    def statistic(theta):
        return proportions_statistic(data, theta, *SCORES[name])

    found = 0
    for data, tail in [*HARD, *random_data(40)]:
        z = -float(ndtri(tail))
        for limit, sign in zip(one_sided(name, data, tail), (1, -1), strict=True):
            if 0 < limit < inf:
                found += 1
                assert is_root(statistic, limit, arb(sign * z)), (data, tail, sign)
    assert found > 50


@pytest.mark.parametrize("name", SCORES)
def test_no_ratio_beyond_a_limit_is_kept_and_none_inside_rejected(name):
    rng = np.random.default_rng(1986)
    for data, tail in [*HARD, *random_data(6)]:
        lower, upper = one_sided(name, data, tail)
        z = -float(ndtri(tail))
        if data[0] + data[2] == 0 or (name == "scas" and 0 in (data[0], data[2])):
            continue
        for power in rng.uniform(-25, 25, 12):
            theta = 10.0**power
            statistic = proportions_statistic(data, arb(theta), *SCORES[name])
            if theta < lower:
                assert statistic > z, (data, tail, theta)
            if theta > upper:
                assert statistic < -z, (data, tail, theta)
            # The corrected statistic may be beyond z within, at a tail above 0.158 alone.
            if lower < theta < upper and (name != "scas" or z > 1):
                assert abs(statistic) < z, (data, tail, theta)


def test_without_a_failure_in_both_samples_scas_has_a_closed_form():
    # With p₂ = 1 and odds w² of a failure in the first sample the equation is quadratic in w.
    for n1, n2, tail in ((1, 1, 0.3), (5, 3, 0.2), (30, 30, 0.025), (1000, 2, 0.45), (7, 9, 0.6)):
        z, factor = -float(ndtri(tail)), (n1 + n2) / (n1 + n2 - 1)
        c = (z * z - 1) / 6 / factor
        radicand = factor * n1 * z * z - 4 * c * (n1 - c)
        w = (z * np.sqrt(factor * n1) + np.sqrt(radicand)) / (2 * (n1 - c))
        found = one_sided("scas", (n1, n1, n2, n2), tail)[0]
        assert found == pytest.approx(1 / (1 + w * w), rel=1e-12)


def by_logarithm(data, tail, added_successes, added_trials):
    with ctx.workprec(300):
        x1, n1, x2, n2 = (arb(value) for value in data)
        a1, a2 = x1 + added_successes, x2 + added_successes
        m1, m2 = n1 + added_trials, n2 + added_trials
        rest1, rest2 = (n - x + (added_trials - added_successes) for x, n in ((x1, n1), (x2, n2)))
        variance = rest1 / (a1 * m1) + rest2 / (a2 * m2)
        spread = -arb(float(ndtri(tail))) * variance.sqrt()
        ratio = (a1 / m1) / (a2 / m2)
        return float(ratio * (-spread).exp()), float(ratio * spread.exp())


@pytest.mark.parametrize(
    ("name", "successes", "trials"),
    [("katz", 0.0, 0.0), ("walter", 0.5, 0.5), ("price_bonett", 0.25, 1.75)],
)
def test_limits_of_the_logarithm_are_those_of_the_equation(name, successes, trials):
    for data, tail in [*HARD, *random_data(40)]:
        if name == "katz" and 0 in (data[0], data[2]):
            assert limits(name, data, min(tail, 0.45)) == (0.0, inf)
            continue
        expected = by_logarithm(data, tail, successes, trials)
        np.testing.assert_allclose(one_sided(name, data, tail), expected, rtol=1e-12)


NAMES_TO_THE_END = ("katz", "koopman", "miettinen_nurminen", "scas", "mover_wilson")


@pytest.mark.parametrize("name", NAMES_TO_THE_END)
def test_the_ends_of_the_range_are_limits_without_a_success(name):
    assert limits(name, (0, 5, 3, 7), 0.025)[0] == 0
    assert limits(name, (3, 7, 0, 5), 0.025)[1] == inf
    assert limits(name, (0, 5, 0, 7), 0.025) == (0, inf)
    for tail in (0.3, 0.7):
        assert one_sided(name, (0, 5, 0, 7), tail) == (0, inf)


@pytest.mark.parametrize("name", [name for name in METHODS if name not in NAMES_TO_THE_END])
def test_other_methods_have_limits_inside_at_any_outcome(name):
    for data in ((0, 5, 3, 7), (3, 7, 0, 5), (0, 5, 0, 7), (0, 5, 7, 7), (0, 10**9, 10**9, 10**9)):
        lower, upper = limits(name, data, 1e-12)
        assert 0 < lower < upper < inf


def test_where_the_corrected_score_never_reaches_z_the_limit_is_the_end():
    # (z² − 1)/6 is above x₁N/(N − 1) for z = 3 and x₁ = 1, and below it for x₁ = 2.
    tail = 0.00135
    assert limits("scas", (1, 20, 4, 20), tail)[0] == 0
    assert limits("scas", (2, 20, 4, 20), tail)[0] > 0
    assert limits("scas", (4, 20, 1, 20), tail)[1] == inf
    assert limits("scas", (4, 20, 2, 20), tail)[1] < inf


@pytest.mark.parametrize("name", ["koopman", "miettinen_nurminen"])
def test_a_one_sided_limit_at_one_half_is_the_estimate(name):
    for data in ((3, 8, 5, 8), (9, 9, 1, 7), (1, 10**9, 10**9, 10**9), (5, 5, 9, 9)):
        estimate = data[0] / data[1] / (data[2] / data[3])
        assert one_sided(name, data, 0.5) == pytest.approx((estimate, estimate), rel=1e-13)


def test_small_proportions_have_the_score_limits_of_rates():
    rates = CATALOGUE["rate_ratio"]
    columns = tuple(np.array(c) for c in ([3.0, 1, 7, 0], [1e9] * 4, [5.0, 8, 2, 4], [2e9] * 4))
    for name, of_rates in (("koopman", "score"), ("scas", "scas")):
        found = METHODS[name].formula(columns, 0.05, "two-sided", (1, 1))
        expected = rates[of_rates].formula(columns, 0.05, "two-sided", (1, 1))
        np.testing.assert_allclose(found, expected, rtol=1e-7)
