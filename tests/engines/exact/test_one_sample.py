"""Miss probabilities and worst cases against rational polynomials at n = 1 … 8."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.designs.miss_sets import AT, FROM_ABOVE, FROM_BELOW, miss_probabilities
from harness.designs.one_sample.worst_case import worst_case
from tests.engines import arbitrary_limits
from tests.oracles import brute_force

# A miss probability is a signed sum of at most 2(n + 1) = 18 tails of size up to one, each good
# to a few units in the last place.
EXACT = 1e-14
# At a maximum inside a gap the place enters squared, at the end of a gap to the first order of
# its rounding, with a slope of at most n.
WORST = 1e-14
# Places whose miss probabilities differ by no more than this count as equally bad.
EQUALLY_BAD = 1e-11

SIZES = range(1, 9)


def all_truths(lower, upper):
    """0, 1, every limit, and a place inside every gap."""
    ends = np.unique(np.concatenate(([0.0, 1.0], lower, upper)))
    return np.unique(np.concatenate((ends, 0.5 * (ends[:-1] + ends[1:]))))


def check_miss_probabilities(lower, upper):
    n, truths = lower.size - 1, all_truths(lower, upper)
    below, above = miss_probabilities(n, 0, lower, upper, truths, AT)
    for i, p in enumerate(truths.tolist()):
        expected = brute_force.missed_at(lower.tolist(), upper.tolist(), p)
        assert (below[i], above[i]) == pytest.approx(floats(expected), rel=0, abs=EXACT)
    for approach, at in ((FROM_ABOVE, truths[:-1]), (FROM_BELOW, truths[1:])):
        below, above = miss_probabilities(n, 0, lower, upper, at, approach)
        for i, p in enumerate(at.tolist()):
            expected = brute_force.missed_beside(
                lower.tolist(), upper.tolist(), p, from_right=approach == FROM_ABOVE
            )
            assert (below[i], above[i]) == pytest.approx(floats(expected), rel=0, abs=EXACT)


def check_worst_case(lower, upper):
    n = lower.size - 1
    found = worst_case(n, lower, upper)
    lower, upper = lower.tolist(), upper.tolist()
    worst = float(brute_force.worst_miss(lower, upper))
    assert found.alpha == pytest.approx(worst, rel=0, abs=WORST)
    # Several places may be equally bad: the one named must reach the supremum from its side, and
    # the double beside it must be as bad.
    if found.side == "at":
        there = brute_force.missed_at(lower, upper, found.truths[0])
    else:
        there = brute_force.missed_beside(
            lower, upper, found.truths[0], from_right=found.side == "above"
        )
    assert sum(floats(there)) == pytest.approx(worst, rel=EQUALLY_BAD, abs=WORST)
    if found.side != "at" and found.witness[0] in {0.0, 1.0, *lower, *upper}:
        return  # No double lies in the gap where it is worst.
    assert 0 < found.witness[0] < 1
    witnessed = sum(floats(brute_force.missed_at(lower, upper, found.witness[0])))
    assert witnessed == pytest.approx(worst, rel=EQUALLY_BAD, abs=WORST)


def floats(pair):
    return tuple(int(v.p) / int(v.q) for v in pair)


@pytest.mark.parametrize("n", SIZES)
def test_miss_probabilities_of_the_catalogue_are_exact(n):
    for _, lower, upper in arbitrary_limits.catalogue_limits(n):
        check_miss_probabilities(lower, upper)


@pytest.mark.parametrize("n", SIZES)
def test_worst_case_of_the_catalogue_is_exact(n):
    for _, lower, upper in arbitrary_limits.catalogue_limits(n):
        check_worst_case(lower, upper)


@pytest.mark.parametrize(
    ("lower", "upper"),
    [*arbitrary_limits.RANDOM, *arbitrary_limits.ZERO_WIDTH, arbitrary_limits.EMPTY_MIDDLE],
)
def test_made_up_limits_are_exact(lower, upper):
    check_miss_probabilities(lower, upper)
    check_worst_case(lower, upper)


@given(arbitrary_limits.limits)
def test_miss_probabilities_of_any_limits_are_exact(limits):
    check_miss_probabilities(*limits)


@given(arbitrary_limits.limits)
def test_worst_case_of_any_limits_is_exact(limits):
    check_worst_case(*limits)


@pytest.mark.parametrize(("lower", "upper"), arbitrary_limits.ZERO_WIDTH)
def test_an_interval_of_no_width_misses_almost_every_truth(lower, upper):
    found = worst_case(lower.size - 1, lower, upper)
    assert found.alpha == 1
    assert 0 < found.witness[0] < 1


def test_a_maximum_inside_a_gap_is_found_where_the_covering_outcomes_are_no_run():
    # Only the ends cover: Pr(X = 1 | n = 2) = 2p(1 - p) is largest at 1/2, far from any limit.
    lower, upper = np.array([0.0, 1.0, 0.0]), np.array([1.0, 1.0, 1.0])
    found = worst_case(2, lower, upper)
    assert found.alpha == pytest.approx(0.5, abs=WORST)
    assert found.truths[0] == pytest.approx(0.5, abs=1e-7)
    assert found.side == "at"


@given(arbitrary_limits.limits, st.floats(0, 1), st.floats(0, 1))
def test_outcomes_without_limits_count_as_impossible(limits, start, p):
    lower, upper = limits
    n = lower.size - 1
    first = int(start * n)
    truths = np.array([p])
    below, above = miss_probabilities(n, first, lower[first:], upper[first:], truths)
    every = [0.0] * first, [1.0] * first
    expected = brute_force.missed_at(
        every[0] + lower[first:].tolist(), every[1] + upper[first:].tolist(), p
    )
    assert (below[0], above[0]) == pytest.approx(floats(expected), rel=0, abs=EXACT)
