"""Intervals for the ratio of two rates against their definitions in ball arithmetic."""

from math import inf

import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import ndtri
from scipy.stats import binom

from harness.methods.catalogue import CATALOGUE, PROPORTION
from tests.oracles import beta
from tests.oracles.ratios import rates_statistic

METHODS = {
    name: method for name, method in CATALOGUE["rate_ratio"].items() if not method.takes_prior
}
ACCURACY = 1e-12
CONDITIONAL = {
    "exact_conditional": "clopper_pearson",
    "mid_p": "mid_p",
    "score": "wilson",
    "scas": "scas",
}
HARD = [
    ((1, 1.0, 1, 1.0), 1e-12),
    ((0, 120.0, 8, 30.0), 0.025),
    ((10**9, 1e-3, 1, 1e9), 0.025),
    ((1, 1e-9, 10**9, 1e9), 1e-10),
    ((10**9, 7.0, 10**9, 3.0), 1e-12),
    ((3, 2.0, 2, 5.0), 0.9),
    ((2, 1.0, 7, 1.0), 0.3),
    ((0, 1.0, 1, 1.0), 0.17),
]


def one_sided(name, data, tail):
    columns = tuple(np.array([float(v)]) for v in data)
    lower, _ = METHODS[name].formula(columns, tail, "lower", (1, 1))
    _, upper = METHODS[name].formula(columns, tail, "upper", (1, 1))
    return float(lower[0]), float(upper[0])


def random_data(count, largest=9.0):
    rng = np.random.default_rng(1940)
    for _ in range(count):
        x1, x2 = (int(rng.choice([0, 1, 2, int(10 ** rng.uniform(0, largest))])) for _ in range(2))
        exposure1, exposure2 = 10.0 ** rng.uniform(-6, 6, 2)
        yield (x1, exposure1, x2, exposure2), 10.0 ** rng.uniform(-12, -0.05)


def around(limit):
    with ctx.workprec(300):
        return arb(limit) * (1 - arb(ACCURACY)), arb(limit) * (1 + arb(ACCURACY))


@pytest.mark.parametrize(("name", "corrected"), [("score", False), ("scas", True)])
def test_the_statistic_at_a_limit_is_z(name, corrected):
    found = 0
    for data, tail in [*HARD, *random_data(100)]:
        z = -float(ndtri(tail))
        for limit, sign in zip(one_sided(name, data, tail), (1, -1), strict=True):
            if 0 < limit < inf:
                found += 1
                below, above = (rates_statistic(data, near, corrected) for near in around(limit))
                assert below >= arb(sign * z) >= above, (data, tail, sign)
    assert found > 60


@pytest.mark.parametrize(("name", "share"), [("exact_conditional", 0), ("mid_p", arb(0.5))])
def test_the_tail_of_the_binomial_distribution_at_a_limit_is_the_nominal_one(name, share):
    found = 0
    for data, tail in [*HARD[5:], *random_data(60, largest=4.0)]:
        x1, exposure1, x2, exposure2 = data
        for limit, is_upper in zip(one_sided(name, data, tail), (False, True), strict=True):
            if not 0 < limit < inf:
                continue
            found += 1
            tails = []
            for theta in around(limit):
                with ctx.workprec(300):
                    share_1 = theta * exposure1 / (theta * exposure1 + exposure2)
                    p, x, rest = share_1.mid(), x1, x2
                    if is_upper:
                        p, x, rest = (1 - p).mid(), x2, x1
                    # Pr(X ≥ x | p) less a share of Pr(X = x | p), of x + rest
                    here = p.beta_lower(arb(x), arb(rest + 1), regularized=True)
                    beyond = (
                        p.beta_lower(arb(x + 1), arb(rest), regularized=True) if rest else arb(0)
                    )
                    tails.append(here - share * (here - beyond))
            assert (tails[0] - tail) * (tails[1] - tail) <= 0, (data, tail, is_upper)
    assert found > 60


@pytest.mark.parametrize("name", CONDITIONAL)
def test_limits_are_odds_of_those_of_a_proportion(name):
    x1, x2 = (part.ravel() for part in np.meshgrid(np.arange(8.0), np.arange(9.0)))
    some = x1 + x2 > 0
    x1, x2 = x1[some], x2[some]
    data = x1, np.full_like(x1, 3.0), x2, np.full_like(x2, 4.0)
    for alpha in (1e-6, 0.05, 0.5, 0.9):
        found = METHODS[name].formula(data, alpha, "two-sided", (1, 1))
        limits = PROPORTION[CONDITIONAL[name]].formula((x1, x1 + x2), alpha, "two-sided", (1, 1))
        with np.errstate(divide="ignore"):
            expected = [4 / 3 * limit / (1 - limit) for limit in limits]
        np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("total", [1, 2, 5, 40])
def test_the_exact_conditional_interval_misses_no_ratio_more_often_than_nominal(total, alpha):
    x = np.arange(total + 1.0)
    data = x, np.full_like(x, 2.0), total - x, np.full_like(x, 5.0)
    method = METHODS["exact_conditional"]
    assert method.promise == "at-least"
    lower, upper = method.formula(data, alpha, "two-sided", (1, 1))
    worst = 0.0
    ends = np.concatenate([lower[lower > 0], upper[upper < inf]])
    # The probability of a miss is largest next to a limit.
    for theta in np.concatenate([ends * (1 - 1e-9), ends * (1 + 1e-9)]):
        odds = theta * 2 / 5
        missed = (theta < lower) | (theta > upper)
        worst = max(worst, binom.pmf(x, total, odds / (1 + odds))[missed].sum())
    assert 0.1 * alpha < worst <= alpha * (1 + 1e-6)


@pytest.mark.parametrize(("name", "added"), [("wald_log", 0.0), ("wald_log_half", 0.5)])
def test_limits_of_the_logarithm_are_those_of_the_equation(name, added):
    for data, tail in [*HARD, *random_data(60)]:
        x1, exposure1, x2, exposure2 = data
        if name == "wald_log" and 0 in (x1, x2):
            assert one_sided(name, data, tail) == (0.0, inf)
            continue
        with ctx.workprec(300):
            a, b = arb(x1) + added, arb(x2) + added
            spread = -arb(float(ndtri(tail))) * (1 / a + 1 / b).sqrt()
            ratio = a / exposure1 / (b / exposure2)
            expected = float(ratio * (-spread).exp()), float(ratio * spread.exp())
        np.testing.assert_allclose(one_sided(name, data, tail), expected, rtol=1e-12)


FINITE = ("wald_log_half", "mover_jeffreys")


@pytest.mark.parametrize("name", METHODS)
def test_the_ends_of_the_range_are_limits_without_an_event(name):
    for tail in (1e-12, 0.025, 0.3):
        none, first, second = (
            one_sided(name, data, tail)
            for data in ((0, 2.0, 0, 5.0), (0, 2.0, 3, 5.0), (3, 2.0, 0, 5.0))
        )
        if name in FINITE:
            assert all(0 < limit < inf for limit in (*none, *first, *second))
        else:
            assert none == (0, inf)
            assert first[0] == 0
            assert second[1] == inf


def test_large_counts_keep_the_digits_of_a_small_share():
    # 2 of 10^9 + 2 events: the odds are those of a share next to 0 and, swapped, next to 1.
    lower, _ = one_sided("exact_conditional", (2, 1.0, 10**9, 1.0), 0.025)
    _, upper = one_sided("exact_conditional", (10**9, 1.0, 2, 1.0), 0.025)
    assert lower * upper == pytest.approx(1, rel=1e-14)
    odds = beta.exact(lower)
    with ctx.workprec(300):
        p = (odds / (1 + odds)).mid()
        tail = float(p.beta_lower(arb(2), arb(10**9 + 1), regularized=True))
    assert tail == pytest.approx(0.025, rel=1e-11)
