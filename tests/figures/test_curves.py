"""What the curves over the true value show is what the tables hold."""

import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from harness.base.errors import InputError
from harness.figures.kinds.coverage_map import shades
from tests.figures.layout import (
    all_named,
    draw,
    draw_one,
    heading,
    legend_names,
    named,
    stems,
)
from tests.figures.tables import outcome_cells, pair_truth_cells, rate_truth_cells, truth_cells

TITLES = {
    "wald": "Wald",
    "clopper_pearson": "Clopper-Pearson",
    "balanced_tail": "Bayesian balanced tails",
}
METHODS = list(TITLES)


def line_of(axes: Axes, gid: str) -> list[float]:
    (line,) = (line for line in axes.lines if line.get_gid() == gid)
    return [float(value) for value in line.get_ydata()]


def test_a_panel_per_method_with_exact_line_and_points() -> None:
    cells = truth_cells(50, METHODS)
    figure = draw_one(cells, "coverage_curve", points=100)
    assert len(figure.axes) == 3
    for axes, method in zip(figure.axes, METHODS, strict=True):
        assert axes.get_title(loc="left").startswith(TITLES[method])
        for gid, engine in (("exact", "enumeration"), ("simulated", "monte_carlo")):
            rows = cells.filter((pl.col("method") == method) & (pl.col("engine") == engine))
            assert line_of(axes, gid) == pytest.approx((1 - rows["actual_alpha"]).to_list())
        assert line_of(axes, "nominal") == [0.95, 0.95]
    assert legend_names(figure) == [
        "exact, at listed values",
        "nominal 95 %",
        "Monte Carlo, 95 % interval",
    ]


def test_coverage_error_bars_are_the_mirrored_intervals() -> None:
    cells = truth_cells(20, ["balanced_tail"], count=9)
    (axes,) = draw_one(cells, "coverage_curve").axes
    rows = cells.filter(pl.col("engine") == "monte_carlo")
    segments = axes.containers[0][2][0].get_segments()
    for segment, (lower, upper) in zip(
        segments, rows.select("ci_lower", "ci_upper").iter_rows(), strict=True
    ):
        assert (segment[0, 1], segment[1, 1]) == pytest.approx((1 - upper, 1 - lower))


def test_panels_share_axes_that_say_what_they_show() -> None:
    figure = draw_one(truth_cells(50, METHODS), "coverage_curve", lowest=0)
    assert {axes.get_xlim() for axes in figure.axes} == {(0, 1)}
    assert len({axes.get_ylim() for axes in figure.axes}) == 1
    assert figure.get_supxlabel() == "true proportion p"
    assert figure.get_supylabel() == "coverage, %"
    assert heading(figure) == "coverage of 95 % intervals at n = 50"


def test_the_axis_holds_all_curves_and_is_stretched_where_one_breaks_down() -> None:
    cells = truth_cells(50, METHODS)
    figure = draw_one(cells, "coverage_curve")
    axes = figure.axes[0]
    lowest, highest = axes.get_ylim()
    assert lowest < 1 - cells["actual_alpha"].max() < 0.8 < 1 <= highest
    assert figure.get_supylabel() == "coverage, %,\nstretched near 100"
    at = [axes.transData.transform((0, y))[1] for y in (0.60, 0.65, 0.90, 0.95)]
    assert at[3] - at[2] > 2 * (at[1] - at[0])
    assert axes.get_title(loc="left") == "Wald"


def test_all_methods_stand_in_one_panel_where_that_is_asked_for() -> None:
    cells = truth_cells(50, METHODS)
    figure = draw_one(cells, "coverage_curve", together=True)
    (axes,) = figure.axes
    for method in METHODS:
        rows = cells.filter(method=method, engine="enumeration")
        assert line_of(axes, f"coverage-{method}") == (1 - rows["actual_alpha"]).to_list()
    assert legend_names(figure) == [*TITLES.values(), "nominal 95 %"]


def test_what_lies_below_the_axis_is_named() -> None:
    cells = truth_cells(50, METHODS)
    figure = draw_one(cells, "coverage_curve", lowest=0.875)
    assert figure.axes[0].get_ylim()[0] == pytest.approx(0.875)
    exact = cells.filter((pl.col("method") == "wald") & (pl.col("engine") == "enumeration"))
    coverage = 1 - exact["actual_alpha"]
    expected = f"Wald: down to {100 * coverage.min():.3g} %, off the axis"
    assert figure.axes[0].get_title(loc="left").replace("\n", " ") == expected
    assert figure.axes[1].get_title(loc="left") == "Clopper-Pearson"


def test_lowest_coverage_can_be_asked_for() -> None:
    figure = draw_one(truth_cells(50, METHODS), "coverage_curve", lowest=0)
    bottom, top = figure.axes[0].get_ylim()
    assert -0.05 < bottom < 0 < 1 < top < 1.05
    assert figure.axes[0].get_title(loc="left") == "Wald"


def test_axis_starts_higher_where_no_coverage_is_low() -> None:
    cells = truth_cells(50, ["clopper_pearson"])
    bottom, _ = draw_one(cells, "coverage_curve").axes[0].get_ylim()
    assert 0.8 < bottom < 1 - cells["ci_upper"].drop_nulls().max()


def test_methods_are_drawn_in_the_order_asked_for() -> None:
    cells = truth_cells(20, METHODS, count=9)
    figure = draw_one(cells, "coverage_curve", methods=["balanced_tail", "wald"])
    assert [axes.get_title(loc="left").split(":")[0] for axes in figure.axes] == [
        "Bayesian balanced tails",
        "Wald",
    ]


def test_a_run_without_monte_carlo_has_a_line_and_no_points() -> None:
    cells = truth_cells(20, ["wald"], count=9).filter(pl.col("engine") == "enumeration")
    figure = draw_one(cells, "coverage_curve")
    assert all_named(figure, "simulated") == []
    assert legend_names(figure) == ["exact, at listed values", "nominal 95 %"]


def test_a_run_without_enumeration_has_points_and_no_line() -> None:
    cells = truth_cells(20, ["wald"], count=9).filter(pl.col("engine") == "monte_carlo")
    figure = draw_one(cells, "coverage_curve")
    assert all_named(figure, "exact") == []
    assert legend_names(figure) == ["nominal 95 %", "Monte Carlo, 95 % interval"]


def test_length_curve_is_the_exact_expected_length() -> None:
    cells = truth_cells(50, METHODS)
    figure = draw_one(cells, "length_curve", absolute=True)
    for method in METHODS:
        rows = cells.filter((pl.col("method") == method) & (pl.col("engine") == "enumeration"))
        line = named(figure, f"length-{method}")
        assert list(line.get_ydata()) == rows["length"].to_list()
        assert list(line.get_xdata()) == rows["truth"].to_list()
    assert legend_names(figure) == list(TITLES.values())
    (axes,) = figure.axes
    assert axes.get_xlabel() == "true proportion p"
    assert axes.get_ylabel() == "expected interval length"
    assert axes.get_xlim() == (0, 1)
    assert axes.get_ylim()[0] == 0


def test_length_curve_wants_enumeration() -> None:
    cells = truth_cells(20, ["wald"], count=9).filter(pl.col("engine") == "monte_carlo")
    with pytest.raises(InputError, match="no cells per truth by enumeration"):
        draw_one(cells, "length_curve")


def test_points_thin_the_simulated_truths_evenly_and_leave_the_exact_line_whole() -> None:
    cells = truth_cells(20, ["wald"], count=99)
    figure = draw_one(cells, "coverage_curve", points=33)
    rows = cells.filter(pl.col("engine") == "monte_carlo")[1::3]
    assert line_of(figure.axes[0], "simulated") == pytest.approx(
        (1 - rows["actual_alpha"]).to_list()
    )
    assert len(line_of(figure.axes[0], "exact")) == 99
    assert "Monte Carlo, 95 % interval (1 in 3)" in legend_names(figure)


def test_lengths_are_relative_to_a_reference_unless_plain_ones_are_asked_for() -> None:
    cells = truth_cells(50, METHODS).filter(pl.col("engine") == "enumeration")
    figure = draw_one(cells, "length_curve", reference="balanced_tail")
    unit = cells.filter(method="balanced_tail")["length"].to_numpy()
    for method in METHODS[:2]:
        length = cells.filter(method=method)["length"].to_numpy()
        line = np.asarray(named(figure, f"length-{method}").get_ydata())
        np.testing.assert_allclose(line, 100 * (length / unit - 1), atol=1e-9)
    assert all_named(figure, "length-balanced_tail") == []
    label = figure.axes[0].get_ylabel().replace("\n", " ")
    assert label.endswith("% longer than Bayesian balanced tails")
    # Without a name the first method is the reference, where the run has no minimal_length.
    assert all_named(draw_one(cells, "length_curve"), "length-wald") == []
    with pytest.raises(InputError, match="hold no method wilson"):
        draw_one(cells, "length_curve", reference="wilson")


def test_one_drawing_per_alpha() -> None:
    cells = truth_cells(20, ["wald"], alphas=(0.05, 0.1), count=5)
    for kind in ("coverage_curve", "length_curve"):
        assert stems(cells, kind) == [f"{kind}-n20-alpha0.05", f"{kind}-n20-alpha0.1"]


@pytest.mark.parametrize("kind", ["coverage_curve", "length_curve"])
def test_absent_cells_and_methods_are_refused(kind: str) -> None:
    with pytest.raises(InputError, match=f"{kind}: the results hold no cells per truth"):
        draw(outcome_cells(10, ["wald"]), kind)
    with pytest.raises(InputError, match=f"{kind}: the results hold no method wilson, only wald"):
        draw(truth_cells(10, ["wald"], count=5), kind, methods=["wald", "wilson"])


def test_the_axis_is_the_range_of_the_truth() -> None:
    cells = truth_cells(20, ["wald"], truths=np.linspace(0.85, 0.99, 29).tolist())
    assert draw_one(cells, "length_curve").axes[0].get_xlim() == (0.85, 0.99)


def test_points_at_the_ends_of_the_truth_are_drawn_whole() -> None:
    cells = truth_cells(20, ["wald"], truths=np.linspace(0.85, 0.99, 29).tolist())
    figure = draw_one(cells, "coverage_curve")
    assert figure.axes[0].get_xlim() == pytest.approx((0.8472, 0.9928))
    figure = draw_one(cells, "coverage_curve", xlim=[0.85, 0.99])
    assert figure.axes[0].get_xlim() == (0.85, 0.99)


# Rates and two samples.

FIRST, SECOND = np.array([0.1, 0.5, 0.7]), np.array([0.2, 0.1 + 0.2])
"""The second value of SECOND is not the number 0.3."""


def pairs(*sizes: tuple[int, int], second: np.ndarray = SECOND) -> pl.DataFrame:
    return pl.concat(
        pair_truth_cells(n1, n2, ["exact_union"], first=FIRST, second=second) for n1, n2 in sizes
    )


def stem_and_figure(cells: pl.DataFrame, kind: str, **options: object) -> tuple[str, Figure]:
    (drawing,) = draw(cells, kind, **options)
    return drawing.stem, drawing.figure


def test_the_axis_of_rates_reaches_over_the_data() -> None:
    cells = rate_truth_cells(["garwood"], rates=np.linspace(0.5, 8, 16), exposure=2.0)
    stem, figure = stem_and_figure(cells, "coverage_curve")
    assert stem == "coverage_curve-exposure2"
    low, high = figure.axes[0].get_xlim()
    assert 0.3 < low < 0.5 < 8 < high < 8.2
    assert figure.get_supxlabel() == "true rate (events per unit of exposure)"
    assert heading(figure) == "coverage of 95 % intervals at exposure = 2"
    rows = cells.filter(pl.col("engine") == "enumeration")
    exact = named(figure, "exact")
    assert list(exact.get_xdata()) == rows["truth"].to_list()
    np.testing.assert_allclose(exact.get_ydata(), 1 - rows["actual_alpha"], rtol=1e-12)
    _, lengths = stem_and_figure(cells, "length_curve")
    assert lengths.axes[0].get_xlim() == (0.5, 8)
    assert lengths.axes[0].get_xlabel() == "true rate (events per unit of exposure)"


def test_a_single_rate_has_an_axis_around_it() -> None:
    cells = rate_truth_cells(["garwood"], rates=np.array([3.0]))
    low, high = stem_and_figure(cells, "coverage_curve")[1].axes[0].get_xlim()
    assert low < 3 < high


@pytest.mark.parametrize(("asked", "held"), [(0.2, SECOND[0]), (0.3, SECOND[1])])
def test_two_samples_are_drawn_over_the_first_truth_with_the_second_held(
    asked: float, held: float
) -> None:
    cells = pairs((8, 6))
    rows = cells.filter((pl.col("truth2") == held) & (pl.col("engine") == "enumeration"))
    stem, figure = stem_and_figure(cells, "coverage_curve", second=asked)
    assert stem == f"coverage_curve-n1_8-n2_6-second{asked:g}"
    exact = named(figure, "exact")
    assert list(exact.get_xdata()) == FIRST.tolist() == rows["truth1"].to_list()
    np.testing.assert_allclose(exact.get_ydata(), 1 - rows["actual_alpha"], rtol=1e-12)
    assert figure.get_supxlabel() == "true proportion p1"
    assert heading(figure) == f"coverage of 95 % intervals at n1 = 8, n2 = 6, p2 = {asked:g}"
    _, lengths = stem_and_figure(cells, "length_curve", second=asked)
    assert list(named(lengths, "length-exact_union").get_ydata()) == rows["length"].to_list()


def test_pairs_with_one_difference_are_drawn_over_the_second_truth() -> None:
    cells = pairs((8, 6), second=FIRST - 0.1).filter(
        (pl.col("truth1") - pl.col("truth2") - 0.1).abs() < 1e-9
    )
    for kind in ("coverage_curve", "length_curve"):
        figure = draw_one(cells, kind)
        assert "p1 − p2 = 0.1" in heading(figure).replace("\xa0", " ")
        axes = figure.axes[0]
        assert "p2" in (axes.get_xlabel() or figure.get_supxlabel())
    exact = named(draw_one(cells, "coverage_curve"), "exact")
    assert list(exact.get_xdata()) == (FIRST - 0.1).tolist()


def test_a_map_has_the_coverage_at_each_pair_of_truths() -> None:
    second = np.array([0.2, 0.6])
    cells = pairs((8, 6), second=second)
    colours = named(draw_one(cells, "coverage_map"), "map-exact_union")
    rows = cells.filter(engine="enumeration").sort("truth2", "truth1")
    missed = rows["actual_alpha"].to_numpy()
    most = max(missed.max(), 0.1)
    np.testing.assert_allclose(
        np.ravel(colours.get_array()), shades(missed, 0.05, most), rtol=1e-12
    )
    assert shades(np.array([0.0, 0.05, 0.4]), 0.05, 0.4).tolist() == [1, 0.5, 0]
    with pytest.raises(InputError, match="no grid of true values"):
        draw(cells.filter((pl.col("truth1") < 0.3) | (pl.col("truth2") < 0.3)), "coverage_map")


def test_the_only_second_truth_need_not_be_named() -> None:
    stem, figure = stem_and_figure(pairs((8, 6), second=SECOND[:1]), "length_curve")
    assert stem == "length_curve-n1_8-n2_6"
    assert "p2 = 0.2" in heading(figure)


def test_sizes_of_two_samples_are_asked_for_as_a_pair() -> None:
    cells = pairs((8, 6), (6, 8))
    stem, _ = stem_and_figure(cells, "coverage_curve", n=[6, 8], second=0.2)
    assert stem == "coverage_curve-n1_6-n2_8-second0.2"
    with pytest.raises(InputError, match=r"say which n to draw, one of \[8, 6\], \[6, 8\]"):
        stem_and_figure(cells, "coverage_curve", second=0.2)
    for n, written in (([8, 8], r"\[8, 8\]"), (8, "8")):
        with pytest.raises(InputError, match=rf"hold no n {written}, only \[8, 6\], \[6, 8\]"):
            stem_and_figure(cells, "coverage_curve", n=n, second=0.2)


def test_a_second_truth_that_is_not_clear_is_asked_for() -> None:
    with pytest.raises(InputError, match=r"say which true value of the second sample, one of 0\.2"):
        stem_and_figure(pairs((8, 6)), "coverage_curve")
    with pytest.raises(InputError, match=r"no second true value 0\.25, only 0\.2, 0\.3"):
        stem_and_figure(pairs((8, 6)), "coverage_curve", second=0.25)


def test_two_exposures_are_named_too() -> None:
    cells = pairs((8, 6), second=SECOND[:1]).rename({"n1": "exposure1", "n2": "exposure2"})
    cells = cells.with_columns(
        pl.col("exposure1", "exposure2").cast(pl.Float64), family=pl.lit("rate_difference")
    )
    stem, figure = stem_and_figure(cells, "coverage_curve")
    assert stem == "coverage_curve-exposure1_8-exposure2_6"
    assert figure.get_supxlabel() == "true rate1 (events per unit of exposure)"
    assert (
        heading(figure) == "coverage of 95 % intervals at exposure1 = 8, exposure2 = 6, rate2 = 0.2"
    )


@pytest.mark.parametrize("kind", ["coverage_curve", "length_curve"])
def test_the_heading_names_the_sampling_where_it_is_not_the_familys_own(kind: str) -> None:
    title = "clusters of 10, ρ = 0.1"
    cells = truth_cells(50, METHODS)
    assert title not in heading(draw_one(cells, kind))
    clustered = cells.with_columns(sampling=pl.lit(title))
    assert f"at n = 50, {title}" in heading(draw_one(clustered, kind))


@pytest.mark.parametrize("kind", ["coverage_curve", "length_curve"])
def test_several_sizes_are_columns_of_one_figure(kind: str) -> None:
    cells = pl.concat([truth_cells(n, METHODS, count=9) for n in (10, 50, 200)])
    (drawing,) = draw(cells, kind, laid_out=True, n=[10, 200], width=120)
    assert drawing.stem == f"{kind}-n10-n200"
    figure = drawing.figure
    titles = [axes.get_title(loc="left").split("\n")[0] for axes in figure.axes]
    assert titles[:2] == ["n = 10", "n = 200"]
    assert len(figure.axes) == (6 if kind == "coverage_curve" else 2)
    lefts = {round(axes.get_position().x0, 6) for axes in figure.axes}
    assert len(lefts) == 2
    rows = cells.filter(method="wald", n=200, engine="enumeration")
    if kind == "coverage_curve":
        assert line_of(figure.axes[1], "exact") == (1 - rows["actual_alpha"]).to_list()
        assert figure.axes[2].get_title(loc="left").startswith("Clopper-Pearson")
    assert "n = " not in heading(figure)
    with pytest.raises(InputError, match="no n 11, only 10, 50, 200"):
        draw(cells, kind, n=[10, 11])


def test_two_numbers_are_one_size_of_two_samples() -> None:
    first, second = np.linspace(0.1, 0.9, 5), np.array([0.5])
    cells = pl.concat(
        [pair_truth_cells(*size, ["wald"], first=first, second=second) for size in ((9, 4), (7, 4))]
    )
    assert stems(cells, "coverage_curve", n=[9, 4]) == ["coverage_curve-n1_9-n2_4"]
    both = stems(cells, "coverage_curve", n=[[9, 4], [7, 4]])
    assert both == ["coverage_curve-n1_9-n2_4-n1_7-n2_4"]
