"""A hundred intervals beside the truth: those that miss are counted, and the seed decides them."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import special

from harness.base.errors import InputError
from tests.figures.artists import all_named, draw_one
from tests.figures.tables import clopper_pearson, outcome_cells

CELLS = outcome_cells(20, ["clopper_pearson"])


def title(**options: object) -> str:
    (axes,) = draw_one(CELLS, "intervals_drawn", truth=0.3, **options).axes
    return axes.get_title(loc="left")


def test_what_misses_is_what_the_title_counts() -> None:
    figure = draw_one(CELLS, "intervals_drawn", truth=0.3, seed=5, count=400, alpha=0.05)
    (axes,) = figure.axes
    missed = sum(len(each.get_xdata()) for each in axes.lines if each.get_gid() == "misses")
    held = sum(len(each.get_xdata()) for each in axes.lines if each.get_gid() == "holds")
    assert missed + held == 400
    x = np.arange(21.0)
    lower, upper = clopper_pearson(x, 20, 0.05)
    weight = special.binom(20, x) * 0.3**x * 0.7 ** (20 - x)
    expected = 400 * weight[(lower > 0.3) | (upper < 0.3)].sum()
    words = f"Clopper-Pearson: {missed} of 400 miss, {expected:.3g} expected"
    assert axes.get_title(loc="left").replace("\n", " ") == words
    # Of 400 trials the count lies within five standard deviations of what is expected.
    assert abs(missed - expected) < 5 * expected**0.5
    for lines in all_named(figure, "misses"):
        for segment in getattr(lines, "get_segments", list)():
            assert not segment[0][1] <= 0.3 <= segment[1][1]


def test_the_seed_decides_the_samples() -> None:
    def marks(seed: int) -> list[float]:
        figure = draw_one(CELLS, "intervals_drawn", truth=0.3, seed=seed)
        (line,) = (each for each in figure.axes[0].lines if each.get_gid() == "holds")
        return list(line.get_ydata())

    assert marks(1) == marks(1)
    assert marks(1) != marks(2)


def test_a_miss_has_another_mark_and_another_width() -> None:
    figure = draw_one(CELLS, "intervals_drawn", truth=0.3, seed=5, count=400)
    by_name = {each.get_gid(): each for each in figure.axes[0].lines}
    assert by_name["misses"].get_marker() != by_name["holds"].get_marker()
    assert by_name["misses"].get_markersize() > 2 * by_name["holds"].get_markersize()


def test_what_is_missing_is_asked_for() -> None:
    with pytest.raises(InputError, match="say a seed"):
        title()
    with pytest.raises(InputError, match="say the true value, with the option truth"):
        draw_one(CELLS.drop("truth", strict=False), "intervals_drawn", seed=1)
    with pytest.raises(InputError, match="expected a true p from 0 to 1, found 2"):
        draw_one(CELLS, "intervals_drawn", truth=2, seed=1)
    some = CELLS.filter(pl.col("x") < 20)
    with pytest.raises(InputError, match="do not hold the limits of clopper_pearson"):
        draw_one(some, "intervals_drawn", truth=0.3, seed=1)
