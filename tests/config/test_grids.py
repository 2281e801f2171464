"""Evenly spaced truths and sizes."""

import math
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.config.models.levels import grid
from harness.config.models.sizes import log_grid, real_log_grid


@pytest.mark.parametrize("decimals", [1, 2, 3, 4])
def test_a_grid_of_decimals_holds_the_doubles_written_so(decimals: int) -> None:
    steps = 10**decimals
    values = grid(1 / steps, (steps - 1) / steps, steps - 1)
    assert values == tuple(float(f"{i}e-{decimals}") for i in range(1, steps))


def test_a_grid_of_thirds_holds_the_doubles_nearest_to_thirds() -> None:
    assert grid(0, 1, 4) == (0.0, 1 / 3, 2 / 3, 1.0)


@given(st.floats(0, 1), st.floats(0, 1, exclude_min=True), st.integers(2, 50))
def test_every_value_of_a_grid_is_rounded_once(a: float, b: float, count: int) -> None:
    first, last = Fraction(repr(a)), Fraction(repr(b))
    exact = (first + (last - first) * i / (count - 1) for i in range(count))
    assert grid(a, b, count) == tuple(map(float, exact))


def test_the_papers_sizes_are_a_log_grid_rounded_half_up_and_merged() -> None:
    sizes = log_grid(1, 10_000, 21)
    assert sizes == (
        1, 2, 3, 4, 6, 10, 16, 25, 40, 63, 100, 158, 251, 398, 631, 1000, 1585, 2512, 3981,
        6310, 10_000,
    )  # fmt: skip
    assert log_grid(1, 4, 21) == (1, 2, 3, 4)


@given(st.integers(1, 10**9 - 1), st.integers(1, 10**9), st.integers(2, 200))
def test_a_log_grid_ascends_from_start_to_stop(start: int, more: int, count: int) -> None:
    stop = min(start + more, 10**9)
    sizes = log_grid(start, stop, count)
    assert sizes[0] == start
    assert sizes[-1] == stop
    assert len(sizes) <= count
    assert list(sizes) == sorted(set(sizes))


@pytest.mark.parametrize("power", [-100, -3, 0, 97])
def test_a_real_log_grid_of_decades_holds_the_doubles_written_so(power: int) -> None:
    decades = tuple(float(f"1e{power + i}") for i in range(4))
    assert real_log_grid(decades[0], decades[-1], 4) == decades


@given(st.floats(1e-100, 1e100), st.floats(1e-100, 1e100), st.integers(1, 20))
def test_the_middle_of_a_real_log_grid_is_the_nearest_double_to_the_geometric_mean(
    a: float, b: float, half: int
) -> None:
    middle = real_log_grid(a, b, 2 * half + 1)[half]
    # m is nearest to sqrt(ab) where ab lies between the squares of the points half-way to its
    # neighbours: held in whole numbers, no rounding enters.
    product = Fraction(repr(a)) * Fraction(repr(b))
    below, above = (math.nextafter(middle, end) for end in (0, math.inf))
    ends = [(Fraction(middle) + Fraction(neighbour)) / 2 for neighbour in (below, above)]
    assert ends[0] ** 2 <= product <= ends[1] ** 2


def test_a_real_log_grid_goes_from_start_to_stop_in_equal_ratios() -> None:
    values = real_log_grid(0.3, 700, 61)
    assert (values[0], values[-1]) == (0.3, 700.0)
    ratio = (700 / 0.3) ** (1 / 60)
    # The quotient of two doubles is off by no more than three roundings.
    assert all(abs(b / a / ratio - 1) < 4 * 2**-52 for a, b in pairwise(values))
