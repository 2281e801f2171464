"""Packed lines: what is stored comes back to its last bit, and what is left out is not seen."""

import numpy as np
import pytest

from harness.base.numerics.arrays import Floats
from harness.report.packing import packed, packed_smooth, thinned
from tests.report.some_runs import restored

X = np.linspace(0, 1, 400)
ROWS = {
    "smooth": np.stack([np.sin(3 * X), 1 / (1 + X)]),
    "jumping": np.where(X < 0.3, np.exp(X), -np.exp(-X))[np.newaxis],
    "missing": np.where(X < 0.5, np.nan, X)[np.newaxis],
    "infinite": np.where(X < 0.1, np.inf, X**2)[np.newaxis],
    "random": np.random.default_rng(1).normal(size=(3, 50)),
    "short": np.array([[0.1, 0.2]]),
    "one": np.array([[0.3], [-0.0]]),
}


@pytest.mark.parametrize("name", ROWS)
def test_numbers_come_back_to_their_last_bit(name: str) -> None:
    found = restored(packed_smooth(ROWS[name]))
    same = found.view(np.uint64) == ROWS[name].view(np.uint64)
    assert (same | np.isnan(ROWS[name]) & np.isnan(found)).all()


def test_smooth_rows_need_far_fewer_bytes() -> None:
    usual = packed(ROWS["smooth"])["packed"]
    assert len(packed_smooth(ROWS["smooth"])["bits"]["packed"]) < 0.6 * len(usual)


def test_no_numbers_need_more_bytes_than_before() -> None:
    for rows in ROWS.values():
        assert len(packed_smooth(rows)["bits"]["packed"]) <= len(packed(rows)["packed"])


COLUMNS = 100


def teeth(count: int) -> tuple[Floats, Floats]:
    """A line with jumps at ``count`` places, drawn by both ends of each, and rounding between."""
    where = np.sort(np.random.default_rng(3).uniform(0, 1, count))
    x = np.concatenate(([0.0], np.repeat(where, 2), [1.0]))
    y = np.where(np.arange(x.size) % 2 == 0, 0.95, 0.9) + 0.02 * np.sin(9 * x)
    return x, y


def columns_of(x: Floats) -> Floats:
    return np.minimum(np.floor(x * COLUMNS), COLUMNS - 1)


@pytest.mark.parametrize("count", [0, 1, 7, 150, 5000])
def test_each_column_keeps_its_lowest_and_its_highest_point(count: int) -> None:
    x, y = teeth(count)
    place = thinned(x, y, 0.0, COLUMNS)
    for column in np.unique(columns_of(x)):
        inside, kept = y[columns_of(x) == column], y[place][columns_of(x[place]) == column]
        assert (inside.min(), inside.max()) == (kept.min(), kept.max())


@pytest.mark.parametrize("count", [1, 7, 20])
def test_points_that_are_left_out_lie_within_the_tolerance_of_the_line(count: int) -> None:
    grid = np.linspace(0.0005, 0.9995, 90)
    x, y = teeth(count)
    x = np.concatenate((x, grid))
    y = np.concatenate((y, 0.9 + 0.04 * np.sin(6 * grid)))
    order = np.argsort(x, kind="stable")
    smooth = grid, 0.9 + 0.04 * np.sin(6 * grid)
    place = thinned(*smooth, 0.001, 10**6)
    assert 4 < place.size < 30
    line = np.interp(grid, grid[place], smooth[1][place])
    assert np.abs(line - smooth[1]).max() <= 0.001 * (1 + 1e-9)
    # Ends of jumps remain whatever the tolerance, where it is smaller than the jumps.
    jumping = thinned(x[order], y[order], 0.001, 10**6)
    assert np.isin(
        np.repeat(x[order][np.flatnonzero(np.diff(x[order]) == 0)], 1), x[order][jumping]
    ).all()


def test_the_first_and_the_last_point_remain() -> None:
    x = np.linspace(2, 3, 50)
    assert thinned(x, np.ones(50), 0.1).tolist() == [0, 49]
    assert thinned(x[:1], x[:1], 0.1).tolist() == [0]
    assert thinned(x[:2], x[:2], 0.1).tolist() == [0, 1]
