"""The vectorised Newton iteration, and the search for the largest true integer."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.base.numerics.root_finding import SMALL_RESIDUAL, bracketed_newton, largest_true

# The last Newton step starts from a residual of at most SMALL_RESIDUAL and squares it; the
# curvatures below add a factor of a few.
ROOT = 10 * SMALL_RESIDUAL**2


def falling(levels):
    """x -> level - x^3 - x, as the solver wants it."""

    def evaluate(x, index):
        return levels[index] - x**3 - x, -3 * x**2 - 1

    return evaluate


def solve(levels, starts, steps=200):
    levels, starts = np.asarray(levels), np.asarray(starts)
    ends = np.full(levels.shape, -100.0), np.full(levels.shape, 100.0)
    return bracketed_newton(falling(levels), *ends, starts, steps)


@given(st.lists(st.tuples(st.floats(-50, 50), st.floats(-200, 200)), min_size=1, max_size=8))
def test_an_array_equals_one_function_at_a_time(pairs):
    levels, starts = (np.array(column) for column in zip(*pairs, strict=True))
    roots, found = solve(levels, starts)
    assert found.all()
    for i, (level, start) in enumerate(pairs):
        alone, alone_found = solve([level], [start])
        assert roots[i] == alone[0]
        assert found[i] == alone_found[0]


@given(st.floats(-50, 50), st.floats(-200, 200))
def test_a_root_is_found_from_any_start(level, start):
    (root,), (found,) = solve([level], [start])
    assert found
    assert root**3 + root == pytest.approx(level, rel=ROOT, abs=ROOT)


def test_every_outcome_of_an_iteration_stands_beside_its_element():
    # A plain root; a root at an end; one with a useless derivative, left to bisection; a jump
    # over zero, which ends in a bracket of no width; a function that is not a number.
    def evaluate(x, index):
        with np.errstate(invalid="ignore"):
            value = np.select(
                [index == 0, index == 1, index == 2, index == 3],
                [0.25 - x, -x, 0.3 - x, np.where(x < 0.7, 1.0, -1.0)],
                np.nan,
            )
        return value, np.where(index == 2, 0.0, -1.0)

    roots, found = bracketed_newton(evaluate, np.zeros(5), np.ones(5), np.full(5, 0.9))
    assert found.tolist() == [True, True, True, True, False]
    assert roots[:3] == pytest.approx([0.25, 0.0, 0.3], rel=ROOT, abs=SMALL_RESIDUAL)
    assert roots[2] == pytest.approx(0.3, rel=ROOT)


def test_a_jump_is_bracketed_to_the_last_bit():
    def evaluate(x, index):
        return np.where(x < 0.7, 1.0, -1.0), np.full(x.shape, -1.0)

    (root,), (found,) = bracketed_newton(evaluate, np.zeros(1), np.ones(1), np.full(1, 0.5))
    assert found
    assert root == pytest.approx(0.7, rel=4e-16)


def test_a_circle_is_left_by_halving_the_bracket():
    """−sign(x) √|x|, from which Newton's method steps to −x for ever."""

    def square_root(x, index):
        root = np.sqrt(np.abs(x))
        with np.errstate(divide="ignore"):
            return -np.sign(x) * root, -0.5 / root

    span = np.array([7.0])
    (root,), (found,) = bracketed_newton(square_root, -span, span, np.ones(1))
    assert found
    assert root == pytest.approx(0.0, abs=1e-13)


def test_too_few_steps_are_reported():
    roots, found = solve([0.0, 30.0], [0.0, 90.0], steps=3)
    assert found.tolist() == [True, False]
    assert roots[0] == 0


def test_inputs_are_left_as_they_were():
    low, high, start = np.zeros(2), np.ones(2), np.full(2, 0.9)

    def evaluate(x, index):
        return 0.5 - x, np.full(x.shape, -1.0)

    bracketed_newton(evaluate, low, high, start)
    assert (low.tolist(), high.tolist(), start.tolist()) == ([0, 0], [1, 1], [0.9, 0.9])


def test_no_functions_have_no_roots():
    roots, found = bracketed_newton(falling(np.zeros(0)), np.zeros(0), np.ones(0), np.zeros(0))
    assert roots.size == found.size == 0


@given(st.lists(st.tuples(*[st.integers(1, 10**9)] * 3), min_size=1, max_size=20), st.booleans())
def test_the_largest_true_integer_is_found_from_any_start(cases, unbounded):
    last, start, room = np.array(cases, float).T
    largest = np.full(last.size, np.inf) if unbounded else last + room - 1
    tried = []

    def condition(k, index):
        tried.append(k)
        return k <= last[index]

    np.testing.assert_array_equal(largest_true(condition, start, largest), last)
    for k in tried:
        assert (k >= 2).all()
        assert (k <= largest.max()).all()
    # Doubling and bisection: two evaluations for each binary digit of the distance.
    assert len(tried) <= 2 * np.log2(1e9) + 4


def test_a_good_start_needs_few_evaluations():
    tried = []

    def condition(k, index):
        tried.append(k)
        return k <= 10**6

    largest_true(condition, np.array([10.0**6 + 2]), np.array([np.inf]))
    assert len(tried) <= 5


def test_a_range_of_one_integer_needs_no_evaluation():
    def condition(k, index):
        raise AssertionError

    assert largest_true(condition, np.array([7.0]), np.array([1.0])) == 1
