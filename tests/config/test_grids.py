"""Evenly spaced truths and sizes."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.config.grids import grid, log_grid


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
