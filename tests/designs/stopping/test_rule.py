"""Stopping rules are read from plain data, and contradictions are refused in one sentence."""

import numpy as np
import pytest

from harness.base.errors import InputError
from harness.designs.stopping.rule import Excludes, HalfWidth
from harness.families.catalogue import family_of
from harness.methods.catalogue import PROPORTION, find
from harness.methods.method import TWO_SIDED
from tests.designs.stopping.rules import ALPHA, FOUR_LOOKS, rule_of, stopping_function


def stops_at(rule, t):
    """The x at which trials end after t of them."""
    return np.flatnonzero(rule.stops(np.full(t + 1, t), np.arange(t + 1))).tolist()


def until(**condition):
    return {"first": 10, "every": 5, "until": condition}


def test_one_looks_first_then_every_so_often_and_at_the_end():
    assert rule_of(until(successes=3), 27, ALPHA).looks == (10, 15, 20, 25, 27)
    assert rule_of(until(successes=3), 25, ALPHA).looks == (10, 15, 20, 25)
    assert rule_of(until(successes=3), 10, ALPHA).looks == (10,)


def test_boundaries_belong_to_the_stop_and_all_trials_end_at_the_last_look():
    rule = rule_of(FOUR_LOOKS, 40, ALPHA)
    assert rule.looks == (10, 20, 30, 40)
    assert stops_at(rule, 10) == [0, 1, 8, 9, 10]
    assert stops_at(rule, 30) == [*range(10), *range(20, 31)]
    assert stops_at(rule, 40) == list(range(41))


def test_so_many_successes_are_an_upper_boundary_of_every_look():
    rule = rule_of(until(successes=12), 30, ALPHA)
    assert stops_at(rule, 10) == []
    assert stops_at(rule, 15) == [12, 13, 14, 15]


@pytest.mark.parametrize("name", ["wald", "wilson", "clopper_pearson"])
def test_a_rule_looks_at_the_interval_of_a_method(name):
    x = np.arange(26.0)
    for alpha in (0.05, 0.2):
        lower, upper = find(family_of("proportion"), name).limits((x, np.full(26, 25.0)), alpha)
        narrow = rule_of(until(half_width=0.12, of=name, alpha=alpha), 40, ALPHA)
        apart = rule_of(until(excludes=0.4, of=name), 40, alpha)
        assert stops_at(narrow, 25) == np.flatnonzero((upper - lower) / 2 <= 0.12).tolist()
        assert stops_at(apart, 25) == np.flatnonzero((lower > 0.4) | (upper < 0.4)).tolist()


DETERMINISTIC = [
    name
    for name, method in PROPORTION.items()
    if method.deterministic and TWO_SIDED in method.sides
]


@pytest.mark.parametrize("alpha", [0.001, 0.02, 0.3])
@pytest.mark.parametrize("name", DETERMINISTIC)
def test_runs_of_outcomes_are_decided_as_each_outcome_is(name, alpha):
    t = np.repeat([7, 40, 41, 90], [8, 41, 31, 91])
    x = np.concatenate([np.arange(8), np.arange(41), np.arange(5, 36), np.arange(91)])
    lower, upper = PROPORTION[name].limits((x.astype(float), t.astype(float)), alpha)
    for bound in (0.013, 0.08, 0.21):
        assert np.array_equal(
            HalfWidth(bound, PROPORTION[name], alpha).holds(t, x), upper - lower <= 2 * bound
        )
    for bound in (0.013, 0.37, 0.5):
        excluded = (lower > bound) | (upper < bound)
        assert np.array_equal(Excludes(bound, PROPORTION[name], alpha).holds(t, x), excluded)


def test_a_function_of_trials_and_successes_is_a_rule():
    rule = stopping_function(lambda t, x: t - x == 2, 6, first=3)
    assert [stops_at(rule, t) for t in (3, 5)] == [[1], [3]]
    assert stops_at(rule, 6) == list(range(7))


def test_a_function_that_returns_no_truth_value_is_refused():
    rule = stopping_function(lambda t, x: "yes", 6)
    with pytest.raises(InputError, match="True or False, found 'yes' at 2 trials with 0 succ"):
        rule.stops(np.array([2]), np.array([0]))


def boundaries(*each):
    return {"boundaries": list(each)}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("wilson", "stopping should be a mapping, found 'wilson'"),
        ({"first": 10, "until": {"successes": 3}}, "stopping needs every"),
        ({**until(successes=3), "last": 5}, "stopping has the keys first, every, until, found"),
        ({**until(successes=3), "first": 0}, "first should be a whole number from 1 on, found 0"),
        ({**until(successes=3), "every": 0.5}, "every should be a whole number from 1 on"),
        ({**until(successes=3), "first": 60}, "first should be at most n = 50, found 60"),
        (until(), "until should have one of half_width, excludes, successes, found {}"),
        (until(successes=3, excludes=0.5), "until should have one of"),
        (until(successes=0), "successes should be a whole number from 1 on, found 0"),
        (until(successes=3, of="wald"), "until has the keys successes, found 'of'"),
        (until(half_width=0.1), "until needs of"),
        (until(half_width=0.1, off="wald"), "found 'off'; did you mean of?"),
        (until(half_width=0.5, of="wald"), "half_width should be a number above 0 and below 0.5"),
        (until(excludes=1, of="wald"), "excludes should be a number above 0 and below 1, found 1"),
        (until(excludes=0.5, of="wald", alpha=0), "alpha should be a number above 0 and below 1"),
        (until(excludes=0.5, of="wilsn"), "did you mean wilson?"),
        (until(excludes=0.5, of="one_sided"), "one_sided needs side: lower or side: upper"),
        (until(excludes=0.5, of="bootstrap_percentile"), "draws random numbers"),
        (until(excludes=0.5, of="hypergeometric_exact"), "a stopping rule does not take"),
        (boundaries(), "boundaries should be a list with a look or more, found []"),
        (boundaries({"n": 10}), "a boundary should have at_most or at_least, found none at n = 10"),
        (boundaries({"at_most": 1}), "a boundary needs n"),
        (boundaries({"n": 10, "at_most": 11}), "at_most should be at most n = 10, found 11"),
        (boundaries({"n": 10, "at_most": 4, "at_least": 4}), "at_most should be below at_least"),
        (
            boundaries({"n": 20, "at_most": 4}, {"n": 10, "at_most": 1}),
            "boundaries should have n that rise, found n = 10 after n = 20",
        ),
        (boundaries({"n": 51, "at_most": 4}), "n up to the most trials, 50"),
    ],
)
def test_what_is_no_rule_is_refused(given, message):
    with pytest.raises(InputError) as refused:
        rule_of(given, 50, ALPHA)
    assert message in str(refused.value)
