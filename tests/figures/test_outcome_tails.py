"""What `outcome_tails` shows are the probabilities of the binomial."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure
from scipy import special

from tests.figures.artists import all_named, draw_one, legend_names

TIGHT = 1e-12
"""Two computations of a binomial probability in double precision."""


def drawn(**options: object) -> Figure:
    return draw_one(pl.DataFrame(), "outcome_tails", **options)


def heights(filled: Any) -> dict[int, float]:
    """The height over each outcome, which has a corner on either side."""
    (path,) = filled.get_paths()
    top = [(float(x), float(y)) for x, y in path.vertices if y > 0]
    return {round((x + end) / 2): y for (x, y), (end, _) in zip(top[::2], top[1::2], strict=True)}


def test_the_printed_tails_are_those_of_the_article() -> None:
    """Groundlight, figures 3 to 5: 54 %, 24.8 % and 5 % at 80 of 100."""
    titles = [axes.get_title(loc="left") for axes in drawn().axes[:3]]
    assert titles == [
        "p = 0.8\nPr(X ≤ 80) = 0.54",
        "p = 0.83\nPr(X ≤ 80) = 0.248",
        "p = 0.863\nPr(X ≤ 80) = 0.0511",
    ]


def test_the_shaded_part_and_the_rest_are_the_probabilities() -> None:
    figure = drawn(n=20, x=12, truths=[0.5, 0.8])
    for index, p in enumerate((0.5, 0.8)):
        tail, rest = all_named(figure, "tail")[index], all_named(figure, "rest")[index]
        below, above = heights(tail), heights(rest)
        assert (max(below), min(above)) == (12, 13)
        for k, height in (below | above).items():
            assert height == pytest.approx(math.comb(20, k) * p**k * (1 - p) ** (20 - k), rel=TIGHT)
        assert sum((below | above).values()) > 1 - 1e-4


def test_the_cumulative_line_passes_through_the_tail() -> None:
    figure = drawn(n=20, x=12, truths=[0.5, 0.8])
    lines, points = all_named(figure, "cumulative"), all_named(figure, "observed")
    for p, line, point in zip((0.5, 0.8), lines, points, strict=True):
        k = np.asarray(line.get_xdata())
        np.testing.assert_allclose(line.get_ydata(), special.bdtr(k, 20, p), rtol=TIGHT)
        (at,) = point.get_xydata()
        assert at.tolist() == pytest.approx([12, special.bdtr(12, 20, p)], rel=TIGHT)


def test_everything_lies_at_or_below_n() -> None:
    figure = drawn(n=10, x=10, truths=[0.9])
    assert figure.axes[0].get_title(loc="left") == "p = 0.9\nPr(X ≤ 10) = 1"
    assert all_named(figure, "cumulative")[0].get_ydata()[-1] == 1


def test_columns_share_their_axes_which_say_what_they_show() -> None:
    figure = drawn()
    upper, lower = figure.axes[:3], figure.axes[3:]
    assert len({axes.get_xlim() for axes in figure.axes}) == 1
    for row, name in ((upper, "Pr(X = k)"), (lower, "Pr(X ≤ k)")):
        assert len({axes.get_ylim() for axes in row}) == 1
        assert row[0].get_ylabel() == name
    assert figure.get_supxlabel() == "outcome k (successes of n = 100)"
    assert legend_names(figure)[0] == "outcomes up to the observed x = 80"
    marks = [line.get_xdata()[0] for line in all_named(figure, "expected")]
    assert marks == pytest.approx([80, 83, 86.3] * 2)


def test_an_outcome_far_off_is_on_the_axis() -> None:
    low, high = drawn(n=1000, x=10, truths=[0.9]).axes[0].get_xlim()
    assert low < 10 < 900 < high
