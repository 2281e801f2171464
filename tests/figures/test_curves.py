"""What the curves over p show is what the tables hold."""

from __future__ import annotations

import math

import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from harness.errors import InputError
from harness.figures import style
from harness.figures.draw import drawings
from tests.figures.artists import all_named, legend_names, named
from tests.figures.tables import FakeResults, Spec, outcome_cells, truth_cells

METHODS = ["wald", "clopper_pearson", "balanced_tail"]


def only(cells: pl.DataFrame, kind: str, **options: object) -> Figure:
    (drawing,) = drawings(FakeResults(cells), [Spec(kind, options)])
    return drawing.figure


def line_of(axes: Axes, gid: str) -> list[float]:
    (line,) = (line for line in axes.lines if line.get_gid() == gid)
    return [float(value) for value in line.get_ydata()]


def test_a_panel_per_method_with_exact_line_and_points() -> None:
    cells = truth_cells(50, METHODS)
    figure = only(cells, "coverage_curve")
    assert len(figure.axes) == 3
    for axes, method in zip(figure.axes, METHODS, strict=True):
        assert axes.get_title(loc="left").startswith(method)
        for gid, engine in (("exact", "enumeration"), ("simulated", "monte_carlo")):
            rows = cells.filter((pl.col("method") == method) & (pl.col("engine") == engine))
            assert line_of(axes, gid) == pytest.approx((1 - rows["actual_alpha"]).to_list())
        assert line_of(axes, "nominal") == [0.95, 0.95]
    assert legend_names(figure) == ["exact", "nominal 0.95", "Monte Carlo, 95 % interval"]


def test_coverage_error_bars_are_the_mirrored_intervals() -> None:
    cells = truth_cells(20, ["balanced_tail"], count=9)
    (axes,) = only(cells, "coverage_curve").axes
    rows = cells.filter(pl.col("engine") == "monte_carlo")
    segments = axes.containers[0][2][0].get_segments()
    for segment, (lower, upper) in zip(
        segments, rows.select("ci_lower", "ci_upper").iter_rows(), strict=True
    ):
        assert (segment[0, 1], segment[1, 1]) == pytest.approx((1 - upper, 1 - lower))


def test_panels_share_axes_that_say_what_they_show() -> None:
    figure = only(truth_cells(50, METHODS), "coverage_curve")
    assert {axes.get_xlim() for axes in figure.axes} == {(0, 1)}
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    assert figure.get_supxlabel() == "true proportion p"
    assert figure.get_supylabel() == "coverage (1 − actual α)"
    assert figure.legends[0].get_title().get_text() == "coverage at n = 50"


def test_what_lies_below_the_axis_is_counted() -> None:
    cells = truth_cells(50, METHODS)
    figure = only(cells, "coverage_curve")
    assert figure.axes[0].get_ylim()[0] == pytest.approx(0.8)
    exact = cells.filter((pl.col("method") == "wald") & (pl.col("engine") == "enumeration"))
    coverage = 1 - exact["actual_alpha"]
    expected = f"wald: {(coverage < 0.8).sum()} of 99 below 0.8, down to {coverage.min():.3g}"
    assert figure.axes[0].get_title(loc="left").replace("\n", " ") == expected
    assert figure.axes[1].get_title(loc="left") == "clopper_pearson"


def test_lowest_coverage_can_be_asked_for() -> None:
    figure = only(truth_cells(50, METHODS), "coverage_curve", lowest=0)
    bottom, top = figure.axes[0].get_ylim()
    assert -0.05 < bottom < 0 < 1 < top < 1.05
    assert figure.axes[0].get_title(loc="left") == "wald"


def test_axis_starts_higher_where_no_coverage_is_low() -> None:
    cells = truth_cells(50, ["clopper_pearson"])
    bottom, _ = only(cells, "coverage_curve").axes[0].get_ylim()
    assert 0.8 < bottom < 1 - cells["ci_upper"].drop_nulls().max()


def test_methods_are_drawn_in_the_order_asked_for() -> None:
    cells = truth_cells(20, METHODS, count=9)
    figure = only(cells, "coverage_curve", methods=["balanced_tail", "wald"])
    assert [axes.get_title(loc="left").split(":")[0] for axes in figure.axes] == [
        "balanced_tail",
        "wald",
    ]


def test_a_run_without_monte_carlo_has_a_line_and_no_points() -> None:
    cells = truth_cells(20, ["wald"], count=9).filter(pl.col("engine") == "enumeration")
    figure = only(cells, "coverage_curve")
    assert all_named(figure, "simulated") == []
    assert legend_names(figure) == ["exact", "nominal 0.95"]


def test_a_run_without_enumeration_has_points_and_no_line() -> None:
    cells = truth_cells(20, ["wald"], count=9).filter(pl.col("engine") == "monte_carlo")
    figure = only(cells, "coverage_curve")
    assert all_named(figure, "exact") == []
    assert legend_names(figure) == ["nominal 0.95", "Monte Carlo, 95 % interval"]


def test_length_curve_is_the_exact_expected_length() -> None:
    cells = truth_cells(50, METHODS)
    figure = only(cells, "length_curve")
    for index, method in enumerate(METHODS):
        rows = cells.filter((pl.col("method") == method) & (pl.col("engine") == "enumeration"))
        line = named(figure, f"length-{index}")
        assert list(line.get_ydata()) == rows["length"].to_list()
        assert list(line.get_xdata()) == rows["truth"].to_list()
    assert legend_names(figure) == METHODS
    (axes,) = figure.axes
    assert axes.get_xlabel() == "true proportion p"
    assert axes.get_ylabel() == "expected interval length"
    assert axes.get_xlim() == (0, 1)
    assert axes.get_ylim()[0] == 0


def test_length_curve_wants_enumeration() -> None:
    cells = truth_cells(20, ["wald"], count=9).filter(pl.col("engine") == "monte_carlo")
    with pytest.raises(InputError, match="no cells per truth by enumeration"):
        only(cells, "length_curve")


def test_points_thin_the_simulated_truths_evenly_and_leave_the_exact_line_whole() -> None:
    cells = truth_cells(20, ["wald"], count=99)
    figure = only(cells, "coverage_curve", points=33)
    rows = cells.filter(pl.col("engine") == "monte_carlo")[1::3]
    assert line_of(figure.axes[0], "simulated") == pytest.approx(
        (1 - rows["actual_alpha"]).to_list()
    )
    assert len(line_of(figure.axes[0], "exact")) == 99
    assert "Monte Carlo, 95 % interval (1 in 3)" in legend_names(figure)


def test_curves_differ_in_colour_and_in_line_style() -> None:
    cells = truth_cells(20, ["wald"], count=5)
    labels = [f"m{i}" for i in range(8)]
    many = pl.concat([cells.with_columns(method=pl.lit(label)) for label in labels])
    lines = only(many, "length_curve").axes[0].lines
    assert len({line.get_color() for line in lines[:7]}) == 7
    assert lines[7].get_color() == lines[0].get_color()
    assert lines[7].is_dashed()
    assert not lines[0].is_dashed()
    assert math.gcd(len(style.CURVE_COLOURS), len(style.CURVE_DASHES)) == 1


def test_one_drawing_per_alpha() -> None:
    cells = truth_cells(20, ["wald"], alphas=(0.05, 0.1), count=5)
    drawn = drawings(FakeResults(cells), [Spec("coverage_curve"), Spec("length_curve")])
    assert [drawing.stem for drawing in drawn] == [
        "coverage_curve-n20-alpha0.05",
        "coverage_curve-n20-alpha0.1",
        "length_curve-n20-alpha0.05",
        "length_curve-n20-alpha0.1",
    ]


@pytest.mark.parametrize("kind", ["coverage_curve", "length_curve"])
def test_what_is_absent_is_said(kind: str) -> None:
    by_outcome = FakeResults(outcome_cells(10, ["wald"]))
    with pytest.raises(InputError, match=f"{kind}: the results hold no cells per truth"):
        drawings(by_outcome, [Spec(kind)])
    cells = FakeResults(truth_cells(10, ["wald"], count=5))
    with pytest.raises(InputError, match=f"{kind}: the results hold no method wilson, only wald"):
        drawings(cells, [Spec(kind, {"methods": ["wald", "wilson"]})])
