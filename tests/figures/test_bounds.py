"""What `bounds` shows is what the tables hold."""

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

from harness.base.errors import InputError
from tests.figures.cases import CASES
from tests.figures.layout import all_named, draw, draw_one, heading, legend_names, named
from tests.figures.tables import (
    outcome_cells,
    pair_outcome_cells,
    rate_outcome_cells,
)

KIND = "bounds"


def bars(figure: Figure) -> list[tuple[float, float]]:
    """Left and right end of each bar, from the top down."""
    found = sorted(all_named(figure, "bar"), key=lambda bar: bar.get_y())
    return [(bar.get_x(), bar.get_x() + bar.get_width()) for bar in found]


def test_bars_are_the_limits_of_the_methods_in_the_order_asked_for() -> None:
    cells = outcome_cells(50, ["wald", "clopper_pearson", "balanced_tail"])
    methods = ["balanced_tail", "wald"]
    figure = draw_one(cells, KIND, x=[40, 10], methods=methods)
    wanted = [
        cells.filter((pl.col("x") == x) & (pl.col("method") == method))
        .select("lower", "upper")
        .row(0)
        for x in (40, 10)
        for method in methods
    ]
    np.testing.assert_allclose(bars(figure), wanted, rtol=1e-12)
    labels = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert labels == ["Bayesian balanced tails", "Wald"] * 2
    assert [text.get_text() for text in figure.axes[0].texts] == [
        "x = 40: estimate 0.8",
        "x = 10: estimate 0.2",
    ]
    assert heading(figure) == "limits at n = 50, nominal α = 0.05"


def test_the_estimate_crosses_the_bars() -> None:
    figure = draw_one(outcome_cells(50, ["wald", "clopper_pearson"]), KIND, x=[40])
    (line,) = named(figure, "estimate").get_segments()
    assert line[:, 0].tolist() == [0.8, 0.8]
    assert sorted(line[:, 1]) == pytest.approx([0.6, 2.4])


def test_one_sided_bounds_go_on_to_the_edge_and_differ_without_colours_too() -> None:
    results, spec = CASES["one-sided bounds"]()
    figure = draw_one(results.cells, KIND, **spec.options)
    rows = results.cells.filter((pl.col("x") == 80) & (pl.col("engine") == "enumeration"))
    (low, high), (lower, end), (start, upper) = bars(figure)
    left, right = figure.axes[0].get_xlim()
    assert (lower, upper) == pytest.approx((rows["lower"][1], rows["upper"][2]))
    assert (start, end) == pytest.approx((left, right))
    assert low < lower < upper < high
    assert len({bar.get_edgecolor() for bar in all_named(figure, "bar")}) == 3
    assert len({bar.get_hatch() for bar in all_named(figure, "bar")}) == 3
    assert set(legend_names(figure)) == {"interval", "lower bound", "upper bound", "estimate"}
    (numbers,) = (axis for axis in figure.axes[0].child_axes)
    assert [tick.get_text() for tick in numbers.get_yticklabels()] == [
        "0.708 … 0.873",
        "≥ 0.723",
        "≤ 0.863",
    ]


def test_a_bound_without_an_end_is_drawn_as_far_as_the_axis() -> None:
    results, spec = CASES["bounds without an end"]()
    figure = draw_one(results.cells, KIND, **spec.options)
    _, right = figure.axes[0].get_xlim()
    assert np.isfinite(right)
    ends = [end for _, end in bars(figure)]
    assert ends[2] == ends[5] == pytest.approx(right)
    assert figure.axes[0].get_xlabel() == "rate (events per unit of exposure)"


def test_outcomes_of_two_samples_are_pairs() -> None:
    cells = pair_outcome_cells(30, 20, ["exact_union"])
    figure = draw_one(cells, KIND, x=[[25, 18]])
    row = cells.filter((pl.col("x1") == 25) & (pl.col("x2") == 18))
    np.testing.assert_allclose(bars(figure), row.select("lower", "upper").rows(), rtol=1e-12)
    (line,) = named(figure, "estimate").get_segments()
    assert line[0, 0] == pytest.approx((25 / 30 + 18 / 20) / 2)
    assert figure.axes[0].get_xlabel() == "balanced accuracy (p1 + p2)/2"
    assert figure.axes[0].texts[0].get_text() == "x1 = 25, x2 = 18: estimate 0.867"


def test_the_axis_of_a_ratio_has_plain_numbers_between_powers_of_ten() -> None:
    cells = pair_outcome_cells(10, 10, ["katz"], family="risk_ratio")
    figure = draw_one(cells, KIND, x=[[6, 3]])
    figure.draw_without_rendering()
    names = [tick.get_text() for tick in figure.axes[0].get_xticklabels()]
    assert names == ["0.5", "1", "2", "5"]


def test_left_to_itself_it_draws_the_middle_outcome_once_per_alpha() -> None:
    cells = outcome_cells(20, ["wald"], alphas=(0.05, 0.1))
    found = draw(cells, KIND)
    assert [drawing.stem for drawing in found] == ["bounds-n20-alpha0.05", "bounds-n20-alpha0.1"]
    assert {d.figure.axes[0].texts[0].get_text() for d in found} == {"x = 10: estimate 0.5"}


def test_absent_outcomes_are_refused() -> None:
    cells = outcome_cells(20, ["wald"])
    with pytest.raises(InputError, match="no outcome 21, only 21 from 0 to 20"):
        draw_one(cells, KIND, x=[3, 21])
    with pytest.raises(InputError, match=r"no outcome \[3, 4\], only 21 from 0 to 20"):
        draw_one(cells, KIND, x=[[3, 4]])
    grouped = rate_outcome_cells(["wald"], x=range(60), largest=40, group=20)
    with pytest.raises(InputError, match="bounds: the results hold no limits"):
        draw_one(grouped, KIND)
