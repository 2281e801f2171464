"""What the curves over the size show is what the tables hold."""

from __future__ import annotations

import polars as pl
import pytest

from harness.errors import InputError
from tests.figures.artists import all_named, draw, draw_one, heading, legend_names, named, stems
from tests.figures.tables import outcome_cells, truth_cells

METHODS = ["wald", "clopper_pearson"]
SIZES = [2, 5, 10, 30]


def cells(sizes: list[int], truths: int = 1, alphas: tuple[float, ...] = (0.05,)) -> pl.DataFrame:
    tables = [truth_cells(n, METHODS, count=truths, alphas=alphas) for n in reversed(sizes)]
    return pl.concat(tables)


def rows(table: pl.DataFrame, method: str, engine: str) -> pl.DataFrame:
    return table.filter(method=method, engine=engine).sort("n")


def test_a_line_for_each_method_and_points_with_their_intervals() -> None:
    table = cells(SIZES)
    figure = draw_one(table, "coverage_over_size")
    for index, method in enumerate(METHODS):
        exact, simulated = (rows(table, method, e) for e in ("enumeration", "monte_carlo"))
        line, points = named(figure, f"line-{index}"), named(figure, f"simulated-{index}")
        assert list(line.get_xdata()) == SIZES
        assert list(line.get_ydata()) == pytest.approx((1 - exact["actual_alpha"]).to_list())
        assert list(points.get_ydata()) == pytest.approx((1 - simulated["actual_alpha"]).to_list())
    assert list(named(figure, "nominal").get_ydata()) == [0.95, 0.95]
    assert legend_names(figure) == METHODS
    (axes,) = figure.axes
    bars = axes.containers[0][2][0].get_segments()
    bounds = rows(table, "wald", "monte_carlo").select("ci_lower", "ci_upper").iter_rows()
    for bar, (lower, upper) in zip(bars, bounds, strict=True):
        assert (bar[0, 1], bar[1, 1]) == pytest.approx((1 - upper, 1 - lower))
    assert [tick.get_text() for tick in axes.get_xticklabels()] == ["30", "10", "5", "2"]
    assert figure.get_supxlabel() == "n (number of trials)"
    assert heading(figure).startswith("coverage at p = 0.5, nominal 0.95; points: Monte Carlo")


def test_a_method_without_exact_values_has_a_line_through_its_points() -> None:
    table = cells(SIZES).filter((pl.col("method") == "wald") | (pl.col("engine") == "monte_carlo"))
    figure = draw_one(table, "coverage_over_size")
    found = list(named(figure, "line-1").get_ydata())
    assert found == list(named(figure, "simulated-1").get_ydata())
    assert found == (1 - rows(table, METHODS[1], "monte_carlo")["actual_alpha"]).to_list()
    only = table.filter(engine="monte_carlo")
    assert "exact" not in heading(draw_one(only, "coverage_over_size"))


def test_what_lies_below_the_axis_is_named() -> None:
    figure = draw_one(cells(SIZES), "coverage_over_size", lowest=0.8)
    assert figure.axes[0].get_ylim()[0] == pytest.approx(0.8)
    lowest = 1 - rows(cells(SIZES), "wald", "enumeration")["actual_alpha"].max()
    assert "below the axis: wald down to" in heading(figure)
    assert lowest == pytest.approx(float(heading(figure).split()[-1]), abs=0.03)
    assert "below the axis" not in heading(draw_one(cells(SIZES), "coverage_over_size", lowest=0))


def test_lengths_are_the_exact_ones_where_there_are_some() -> None:
    table = cells(SIZES).filter((pl.col("method") == "wald") | (pl.col("engine") == "monte_carlo"))
    figure = draw_one(table, "length_over_size")
    for index, engine in enumerate(("enumeration", "monte_carlo")):
        expected = rows(table, METHODS[index], engine)["length"].to_list()
        assert list(named(figure, f"length-{index}").get_ydata()) == expected
    assert figure.get_supylabel() == "expected interval length"
    assert {axes.get_yscale() for axes in figure.axes} == {"log"}


def test_lengths_off_the_axis_are_named() -> None:
    table = cells(SIZES)
    none = table.with_columns(length=pl.when(pl.col("n") == 2).then(0.0).otherwise("length"))
    figure = draw_one(none, "length_over_size", longest=0.6)
    assert list(named(figure, "length-0").get_xdata()) == SIZES[1:]
    assert "wald of length 0" in heading(figure)
    assert "clopper_pearson up to" in heading(figure)


@pytest.mark.parametrize("kind", ["coverage_over_size", "length_over_size"])
def test_each_true_value_has_a_panel_and_one_can_be_asked_for(kind: str) -> None:
    table = cells([5, 10], truths=3)
    figure = draw_one(table, kind)
    titles = [axes.get_title(loc="left") for axes in figure.axes]
    assert titles == ["p = 0.25", "p = 0.5", "p = 0.75"]
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    assert stems(table, kind, truth=0.5) == [f"{kind}-truth0.5"]
    assert len(draw_one(table, kind, truth=0.5).axes) == 1
    with pytest.raises(InputError, match=r"no true value 0.4, only 0.25, 0.5, 0.75"):
        draw(table, kind, truth=0.4)
    with pytest.raises(InputError, match=r"say which true value .* at most 12 .* found 20"):
        draw(cells([5], truths=20), kind)


@pytest.mark.parametrize("kind", ["coverage_over_size", "length_over_size"])
def test_one_drawing_per_alpha_and_nothing_without_cells_per_truth(kind: str) -> None:
    table = cells([5, 10], alphas=(0.05, 0.1))
    assert stems(table, kind) == [f"{kind}-alpha0.05", f"{kind}-alpha0.1"]
    assert all_named(draw_one(table, kind, alpha=0.1), "no such name") == []
    with pytest.raises(InputError, match=f"{kind}: the results hold no cells per truth"):
        draw(outcome_cells(10, ["wald"]), kind)
