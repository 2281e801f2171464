"""Exact coverage and length after trials that may stop, and how many there are on average."""

import numpy as np
import pytest

from harness.designs.stopping.paths import exact_values, stopped_trials
from harness.families.catalogue import family_of
from harness.methods.catalogue import find
from harness.methods.proportion.stopping import beta_binomial_mixture
from tests.designs.stopping.rules import ALPHA, FOUR_LOOKS, rule_of, small_rules, ways

# Sums of some hundred positive terms.
ROUNDING = 1e-13
METHODS = ("wald", "wilson", "clopper_pearson")
RULES = {
    "four looks": (FOUR_LOOKS, 40),
    "narrow": (
        {"first": 10, "every": 5, "until": {"half_width": 0.12, "of": "clopper_pearson"}},
        80,
    ),
    "apart": ({"first": 5, "every": 1, "until": {"excludes": 0.5, "of": "wald"}}, 60),
    "ten": ({"first": 1, "every": 1, "until": {"successes": 10}}, 120),
}


def values_of(stopped, truths):
    """Exact values of the three methods, and of the mixture."""
    outcomes = stopped.outcomes
    data = outcomes.successes, outcomes.trials
    pairs = [find(family_of("proportion"), name).limits(data, ALPHA) for name in METHODS]
    pairs.append(beta_binomial_mixture(data, ALPHA, "two-sided", (0.5, 0.5)))
    lower, upper = (np.array(each) for each in zip(*pairs, strict=True))
    return exact_values(stopped, lower, upper, np.asarray(truths)), lower, upper


# Counts of sequences in whole numbers, and 40 digits.
@pytest.mark.parametrize(
    ("rule", "method", "p", "below", "above"),
    [
        ("four looks", 0, 0.63, 0.07005258882247165, 0.0326034487195004),
        ("four looks", 1, 0.97, 0.0, 0.03450655550870217),
        ("four looks", 2, 0.63, 0.009849302918817908, 0.015863589646257725),
        ("four looks", 3, 0.1, 0.0001489915288270413, 0.0),
        ("narrow", 0, 0.1, 0.005633748981641279, 0.205891132094649),
        ("narrow", 1, 0.63, 0.028531616013816957, 0.033313616762099235),
        ("narrow", 2, 0.1, 0.02299775078701204, 0.0),
        ("narrow", 3, 0.25, 0.0005796906716377621, 0.0),
        ("apart", 0, 0.97, 0.8587340257, 0.00021389653251598304),
        ("apart", 1, 0.25, 0.014184600381807, 0.0),
        ("apart", 2, 0.63, 0.0, 0.026270108867531852),
        ("apart", 3, 0.1, 0.0003255434163015054, 0.0),
        ("ten", 0, 0.97, 0.7374241268949283, 0.0004658414415384386),
        ("ten", 3, 0.25, 0.0016444653738290071, 0.00035850481686097464),
    ],
)
def test_miss_probabilities_are_those_of_whole_numbers(rule, method, p, below, above):
    found, _, _ = values_of(stopped_trials(rule_of(*RULES[rule], ALPHA)), [p])
    assert found.below[method, 0] == pytest.approx(below, rel=ROUNDING)
    assert found.above[method, 0] == pytest.approx(above, rel=ROUNDING)


@pytest.mark.parametrize(
    ("rule", "method", "p", "length"),
    [
        ("four looks", 1, 0.25, 0.31578821959841613),
        ("narrow", 2, 0.1, 0.2195893445320732),
        ("apart", 0, 0.1, 0.1924021233081206),
        ("ten", 3, 0.97, 0.41507579602501293),
    ],
)
def test_mean_lengths_are_those_of_whole_numbers(rule, method, p, length):
    found, _, _ = values_of(stopped_trials(rule_of(*RULES[rule], ALPHA)), [p])
    assert found.length[method, 0] == pytest.approx(length, rel=ROUNDING)


@pytest.mark.parametrize(
    ("rule", "p", "trials"),
    [
        ("four looks", 0.25, 24.786213013085664),
        ("narrow", 0.63, 69.25023767375909),
        ("apart", 0.1, 5.969240317612014),
        ("ten", 0.63, 15.873015873015873),
    ],
)
def test_expected_trials_are_those_of_whole_numbers(rule, p, trials):
    found, _, _ = values_of(stopped_trials(rule_of(*RULES[rule], ALPHA)), [p])
    assert found.expected_trials[0] == pytest.approx(trials, rel=ROUNDING)


@pytest.mark.parametrize("name", list(small_rules()))
def test_all_values_are_sums_over_all_sequences_of_trials(name):
    rule, p = small_rules()[name], 0.3
    stopped, ended = stopped_trials(rule), ways(rule)
    found, lower, upper = values_of(stopped, [0.0, p, 1.0])
    chance = np.array([ways * p**x * (1 - p) ** (t - x) for (t, x), ways in sorted(ended.items())])
    trials = np.array([t for t, _ in sorted(ended)])
    assert found.below[:, 1] == pytest.approx((chance * (p < lower)).sum(axis=1), abs=ROUNDING)
    assert found.above[:, 1] == pytest.approx((chance * (p > upper)).sum(axis=1), abs=ROUNDING)
    assert found.length[:, 1] == pytest.approx((chance * (upper - lower)).sum(axis=1))
    assert found.expected_trials[1] == pytest.approx((chance * trials).sum())


def test_a_truth_equal_to_a_limit_is_covered():
    stopped = stopped_trials(rule_of(FOUR_LOOKS, 40, ALPHA))
    same = np.full((1, stopped.look.size), 0.25)
    found = exact_values(stopped, same, same, np.array([0.24, 0.25, 0.26]))
    assert found.below[0] == pytest.approx([1, 0, 0])
    assert found.above[0] == pytest.approx([0, 0, 1])


def test_expected_successes_are_p_times_the_expected_trials():
    # Wald's identity; the length of an interval from 0 to x is x.
    rule = rule_of(
        {"first": 10, "every": 1, "until": {"excludes": 0.5, "of": "wilson"}}, 900, ALPHA
    )
    stopped, p = stopped_trials(rule), np.linspace(0, 1, 101)
    successes = stopped.outcomes.successes[np.newaxis]
    found = exact_values(stopped, np.zeros_like(successes), successes, p)
    assert found.length[0] == pytest.approx(p * found.expected_trials, rel=1e-12)


def test_values_at_many_truths_are_those_at_each_alone():
    rule = rule_of(
        {"first": 50, "every": 50, "until": {"half_width": 0.02, "of": "wilson"}}, 4000, ALPHA
    )
    stopped, p = stopped_trials(rule), np.linspace(0, 1, 201)
    together, _, _ = values_of(stopped, p)
    for number in (0, 1, 60, 100, 199, 200):
        alone, _, _ = values_of(stopped, p[number : number + 1])
        for name in ("below", "above", "length"):
            here = getattr(together, name)[:, number]
            assert here == pytest.approx(getattr(alone, name)[:, 0], rel=1e-12, abs=1e-80)
