"""Intervals that are made for trials that may stop."""

import numpy as np
import pytest
from flint import arb, ctx

from harness.designs.stopping.paths import exact_values, stopped_trials
from harness.families.catalogue import family_of
from harness.methods.catalogue import find
from harness.methods.proportion.stopping import (
    beta_binomial_mixture,
    bonferroni_looks,
    mle_order,
    stagewise,
    stagewise_mid_p,
)
from tests.designs.stopping.rules import (
    ALPHA,
    FOUR_LOOKS,
    SMALL,
    rule_of,
    small_rules,
    stopping_function,
)

SIMON = {"boundaries": [{"n": 15, "at_most": 1}]}
# Limits are doubles, of roots that are found to their last digits.
LIMIT = 1e-13
EVERY_P = np.linspace(0, 1, 401)


def limits_of_mixture(data, alpha, shape=0.5):
    return beta_binomial_mixture(data, alpha, "two-sided", (shape, shape))


def by_order(rule, formula, tail):
    """The outcomes of a rule and their limits, both in the order of t and x."""
    stopped = stopped_trials(rule)
    order = stopped.stagewise()
    lower, upper = np.empty((2, order.size))
    lower[order], upper[order] = formula(stopped.outcomes.at(order), tail)
    return stopped, lower, upper


def limits_at(rule, trials, successes):
    stopped, lower, upper = by_order(rule, stagewise, ALPHA / 2)
    outcomes = stopped.outcomes
    (place,) = np.flatnonzero((outcomes.trials == trials) & (outcomes.successes == successes))
    return lower[place], upper[place]


# 40 digits; R binseqtest 1.0.4 agrees within the 3.1e-5 of its root finder.
@pytest.mark.parametrize(
    ("given", "most", "t", "x", "lower", "upper"),
    [
        (FOUR_LOOKS, 40, 20, 3, 0.04089357894119657, 0.4511623161734978),
        (FOUR_LOOKS, 40, 30, 20, 0.41772515947247, 0.8115216654078778),
        (SIMON, 25, 15, 1, 0.0016864302413527013, 0.3194845665783034),
        (SIMON, 25, 25, 9, 0.1797238472453878, 0.5747966621899616),
        (SIMON, 25, 25, 25, 0.8628148284692875, 1.0),
    ],
)
def test_stagewise_limits_are_those_of_40_digits(given, most, t, x, lower, upper):
    found = limits_at(rule_of(given, most, ALPHA), t, x)
    assert found == pytest.approx((lower, upper), abs=LIMIT)


@pytest.mark.parametrize("alpha", [1e-10, 0.05, 0.9])
@pytest.mark.parametrize(
    ("formula", "name"), [(stagewise, "clopper_pearson"), (stagewise_mid_p, "mid_p")]
)
def test_where_trials_never_stop_early_limits_are_those_of_one_sample(formula, name, alpha):
    rule = rule_of({"first": 60, "every": 1, "until": {"successes": 3}}, 60, ALPHA)
    _, lower, upper = by_order(rule, formula, alpha / 2)
    expected = find(family_of("proportion"), name).limits(
        (np.arange(61.0), np.full(61, 60.0)), alpha
    )
    assert lower == pytest.approx(expected[0], rel=1e-12, abs=0)
    assert upper == pytest.approx(expected[1], abs=LIMIT)


@pytest.mark.parametrize(
    "given", [(FOUR_LOOKS, 40), (SIMON, 25), SMALL["upper boundaries"], SMALL["successes"]]
)
def test_stagewise_intervals_never_miss_more_often_than_nominal_on_either_side(given):
    rule = rule_of(*given, ALPHA)
    stopped, lower, upper = by_order(rule, stagewise, ALPHA / 2)
    found = exact_values(stopped, lower[np.newaxis], upper[np.newaxis], EVERY_P)
    assert max(found.below.max(), found.above.max()) <= ALPHA / 2 * (1 + 1e-12)


def test_mid_p_limits_lie_inside():
    stopped = stopped_trials(rule_of(FOUR_LOOKS, 40, ALPHA))
    ordered = stopped.outcomes.at(stopped.stagewise())
    lower, upper = stagewise(ordered, ALPHA / 2)
    inner_lower, inner_upper = stagewise_mid_p(ordered, ALPHA / 2)
    assert (inner_lower[1:] > lower[1:]).all()
    assert (inner_upper[:-1] < upper[:-1]).all()
    assert (inner_lower[0], inner_upper[-1]) == (0, 1)


def test_mid_p_limits_with_a_tail_of_more_than_one_half_reach_the_ends():
    stopped = stopped_trials(rule_of(FOUR_LOOKS, 40, ALPHA))
    lower, upper = stagewise_mid_p(stopped.outcomes.at(stopped.stagewise()), 0.6)
    assert (lower[0], upper[0]) == (0, 0)
    assert (lower[-1], upper[-1]) == (1, 1)


def test_stagewise_limits_mirror_when_successes_and_failures_swap():
    mirrored = {
        "boundaries": [
            {"n": 10, "at_most": 2, "at_least": 9},
            {"n": 20, "at_most": 6, "at_least": 16},
            {"n": 30, "at_most": 10, "at_least": 21},
        ]
    }
    for formula in (stagewise, stagewise_mid_p):
        one = stopped_trials(rule_of(FOUR_LOOKS, 40, ALPHA))
        other = stopped_trials(rule_of(mirrored, 40, ALPHA))
        lower, upper = formula(one.outcomes.at(one.stagewise()), 0.025)
        low, high = formula(other.outcomes.at(other.stagewise()), 0.025)
        assert lower == pytest.approx(1 - high[::-1], abs=LIMIT)
        assert upper == pytest.approx(1 - low[::-1], abs=LIMIT)


def test_stagewise_limits_of_many_trials_have_the_tails_that_are_asked_for():
    looks = range(100, 2000, 100)
    bounds = [{"n": n, "at_most": n // 5, "at_least": 2 * n // 5 + 20} for n in looks]
    stopped = stopped_trials(rule_of({"boundaries": bounds}, 2000, ALPHA))
    ordered = stopped.outcomes.at(stopped.stagewise())
    lower, upper = stagewise(ordered, 0.025)
    for place in (1, 40, 300, 700, 1500, 1999):
        from_here = ordered.pmf([lower[place]], [1 - lower[place]])[0, place:].sum()
        to_here = ordered.pmf([upper[place]], [1 - upper[place]])[0, : place + 1].sum()
        assert (from_here, to_here) == pytest.approx((0.025, 0.025), rel=1e-12)


@pytest.mark.parametrize("name", list(small_rules()))
def test_limits_in_the_order_of_the_estimates_are_the_hull_of_what_neither_tail_rejects(name):
    """On a net of p, with the tails summed over all outcomes; estimates are compared as fractions.

    The hull is as far as the limits, to within a step of the net.
    """
    outcomes = stopped_trials(small_rules()[name]).outcomes
    lower, upper = mle_order(outcomes, ALPHA / 2)
    p = np.linspace(0, 1, 20_001)
    pmf, (x, t) = outcomes.pmf(p, 1 - p), (outcomes.successes, outcomes.trials)
    for place in range(x.size):
        at_least = pmf[:, x * t[place] >= x[place] * t].sum(axis=1)
        at_most = pmf[:, x * t[place] <= x[place] * t].sum(axis=1)
        kept = p[(at_least > ALPHA / 2) & (at_most > ALPHA / 2)]
        assert -1e-12 <= kept[0] - lower[place] < 1e-4
        assert -1e-12 <= upper[place] - kept[-1] < 1e-4


@pytest.mark.parametrize("name", list(small_rules()))
def test_tails_in_the_order_of_the_estimates_rise_with_p_by_any_rule(name):
    outcomes = stopped_trials(small_rules()[name]).outcomes
    order = np.argsort(outcomes.successes / outcomes.trials, kind="stable")
    estimate = (outcomes.successes / outcomes.trials)[order]
    tails = outcomes.at(order).pmf(EVERY_P, 1 - EVERY_P)[:, ::-1].cumsum(axis=1)[:, ::-1]
    assert np.diff(tails[:, np.append(True, np.diff(estimate) > 0)], axis=0).min() > -1e-14


def test_equal_estimates_of_different_looks_have_equal_limits():
    """1 of 4 and 2 of 8."""
    stopped = stopped_trials(rule_of({"boundaries": [{"n": 4, "at_most": 1}]}, 8, ALPHA))
    lower, upper = mle_order(stopped.outcomes, ALPHA / 2)
    first, second = (stopped.find(t, np.array([x]))[0] for t, x in ((4, 1), (8, 2)))
    assert (lower[first], upper[first]) == (lower[second], upper[second])


@pytest.mark.parametrize("name", list(small_rules()))
def test_intervals_by_the_order_of_the_estimates_never_miss_more_often_than_nominal(name):
    stopped = stopped_trials(small_rules()[name])
    lower, upper = mle_order(stopped.outcomes, ALPHA / 2)
    found = exact_values(stopped, lower[np.newaxis], upper[np.newaxis], EVERY_P)
    assert max(found.below.max(), found.above.max()) <= ALPHA / 2 * (1 + 1e-12)


@pytest.mark.parametrize("alpha", [1e-10, 0.05, 0.9])
def test_the_order_of_the_estimates_without_early_stops_is_that_of_the_successes(alpha):
    stopped = stopped_trials(
        rule_of({"first": 60, "every": 1, "until": {"successes": 3}}, 60, ALPHA)
    )
    expected = find(family_of("proportion"), "clopper_pearson").limits(
        (np.arange(61.0), np.full(61, 60.0)), alpha
    )
    lower, upper = mle_order(stopped.outcomes, alpha / 2)
    assert lower == pytest.approx(expected[0], rel=1e-12, abs=0)
    assert upper == pytest.approx(expected[1], abs=LIMIT)


def test_later_looks_change_the_limits_of_an_early_stop():
    """The lower limit of 3 of 13, in a design of up to 43 trials and of up to 26."""
    found = []
    for most in (43, 26):
        stopped = stopped_trials(rule_of({"boundaries": [{"n": 13, "at_most": 3}]}, most, ALPHA))
        place = stopped.find(13, np.array([3]))[0]
        found.append(round(mle_order(stopped.outcomes, ALPHA / 2)[0][place], 4))
    assert found == [0.0532, 0.0527]


# 40 digits.
@pytest.mark.parametrize(
    ("t", "x", "lower", "upper"),
    [
        (20, 3, 0.013269321691109613, 0.4752530970767664),
        (40, 24, 0.35218309428606503, 0.8164778913499647),
        (93, 10, 0.031494496067666584, 0.24273762806268764),
    ],
)
def test_limits_of_the_mixture_are_those_of_40_digits(t, x, lower, upper):
    found = limits_of_mixture((np.array([float(x)]), np.array([float(t)])), ALPHA)
    assert np.ravel(found) == pytest.approx((lower, upper), abs=LIMIT)


@pytest.mark.parametrize("n", [1, 3, 50, 1000, 10**4, 10**8])
@pytest.mark.parametrize("alpha", [1e-8, 0.05, 0.9])
@pytest.mark.parametrize("shape", [0.5, 1.0, 3.0])
def test_limits_of_the_mixture_solve_its_equation(n, alpha, shape):
    x = np.unique([0, 1, n // 7, n // 2, n - 1, n]).astype(float)
    limits = limits_of_mixture((x, np.full(x.size, float(n))), alpha, shape)
    with ctx.workprec(400):
        s = arb(shape)
        for count, *pair in zip(x.tolist(), *(each.tolist() for each in limits), strict=True):
            k, rest = arb(count), arb(n - count)
            mixture = (k + s).lgamma() + (rest + s).lgamma() - (n + 2 * s).lgamma()
            level = mixture - 2 * s.lgamma() + (2 * s).lgamma() + arb(alpha).log()
            for limit, end, inwards in zip(pair, (0, n), (LIMIT, -LIMIT), strict=True):
                if count == end:
                    assert limit == end / n
                    continue
                assert (
                    k * arb(limit + inwards).log() + rest * arb(1 - limit - inwards).log() > level
                )
                p = limit - inwards
                assert not 0 < p < 1 or k * arb(p).log() + rest * arb(1 - p).log() < level


def test_the_mixture_misses_a_truth_at_which_equality_holds():
    # B(7/2, 1/2)/B(1/2, 1/2) = 5/16 and (1/4)³/0.05 = 5/16.
    lower, _ = limits_of_mixture((np.array([3.0]), np.array([3.0])), 0.05)
    assert 0.25 < lower[0] < 0.25 + 1e-14


def test_the_mixture_never_misses_more_often_than_nominal_however_one_stops():
    def is_missed(t, x):
        lower, upper = limits_of_mixture((np.array([float(x)]), np.array([float(t)])), 0.3)
        return bool(lower[0] > 0.3 or upper[0] < 0.3)

    # The worst rule for p = 0.3 stops as soon as that is missed.
    stopped = stopped_trials(stopping_function(is_missed, 30))
    data = stopped.outcomes.successes, stopped.outcomes.trials
    lower, upper = (each[np.newaxis] for each in limits_of_mixture(data, 0.3))
    found = exact_values(stopped, lower, upper, EVERY_P)
    missed = (found.below + found.above)[0]
    assert missed.max() <= 0.3
    assert missed[EVERY_P == 0.3] > 0.1


def test_alpha_is_divided_by_the_number_of_looks():
    data = np.arange(11.0), np.full(11, 10.0)
    expected = find(family_of("proportion"), "clopper_pearson").limits(data, 0.05 / 4)
    assert np.array_equal(bonferroni_looks(data, 0.025, 4), expected)


def test_division_by_the_looks_holds_whichever_trials_one_stops_at():
    rule = rule_of({"first": 5, "every": 5, "until": {"excludes": 0.5, "of": "wald"}}, 60, ALPHA)
    stopped = stopped_trials(rule)
    data = stopped.outcomes.successes, stopped.outcomes.trials
    lower, upper = bonferroni_looks(data, ALPHA / 2, len(rule.looks))
    found = exact_values(stopped, lower[np.newaxis], upper[np.newaxis], EVERY_P)
    assert max(found.below.max(), found.above.max()) <= ALPHA / 2
