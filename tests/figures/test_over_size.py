"""What the panels over the size show is what the tables hold."""

import numpy as np
import polars as pl
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import harness
from harness.base.errors import InputError
from harness.families.catalogue import FAMILIES
from harness.families.confusion import cells_of_rates
from harness.figures.catalogue import FIGURES
from harness.figures.look.axes import log_ticks, tick_text
from harness.figures.size_panels import (
    OverSizeOptions,
    SizePanels,
    _titles,
    size_panels,
    truth_symbols,
)
from tests.figures.cases import LOG_SIZES, many, over_sizes, pairs_over_sizes, rates_over_exposures
from tests.figures.layout import draw, draw_one, heading, legend_names, stems
from tests.figures.tables import FakeResults, outcome_cells, pair_truth_cells, truth_cells

METHODS = ["wald", "clopper_pearson"]
TITLES = ["Wald", "Clopper-Pearson"]
KINDS = ("coverage_over_size", "length_over_size")
BOTH = pytest.mark.parametrize("kind", KINDS)


@pytest.fixture(scope="module")
def cells() -> pl.DataFrame:
    return over_sizes(LOG_SIZES, METHODS, [0.05, 0.3])


@pytest.fixture(scope="module")
def coverage(cells: pl.DataFrame) -> Figure:
    return draw_one(cells, "coverage_over_size")


def panels(cells: pl.DataFrame, **options: object) -> SizePanels:
    """What a figure of coverage shows, before it is drawn."""
    asked = OverSizeOptions.model_validate(options)
    (found,) = size_panels(FakeResults(cells), "coverage_over_size", asked, "actual_alpha")
    return found


def titles(cells: pl.DataFrame, **options: object) -> list[str]:
    return [panel.title for panel in panels(cells, **options).panels]


def of(cells: pl.DataFrame, engine: str, **levels: object) -> pl.DataFrame:
    return cells.filter(engine=engine, **levels)


def points(axes: Axes, gid: str) -> tuple[list[float], list[float]]:
    (line,) = (line for line in axes.lines if line.get_gid() == gid)
    x, y = line.get_data()
    return list(x), list(y)


def names(axes: Axes) -> set[str]:
    return {str(line.get_gid()).split("-")[0] for line in axes.lines} - {"_None"}


def test_a_panel_per_truth_has_a_line_and_points_of_each_method(
    cells: pl.DataFrame, coverage: Figure
) -> None:
    figure = coverage
    assert len(figure.axes) == 2
    for axes, truth in zip(figure.axes, (0.05, 0.3), strict=True):
        for index, method in enumerate(METHODS):
            for gid, engine in (("exact", "enumeration"), ("simulated", "monte_carlo")):
                rows = of(cells, engine, method=method, truth=truth)
                sizes, coverage = points(axes, f"{gid}-{index}")
                assert sizes == list(LOG_SIZES) == rows["n"].to_list()
                assert coverage == pytest.approx((1 - rows["actual_alpha"]).to_list())
        assert points(axes, "nominal")[1] == [0.95, 0.95]
    assert legend_names(figure) == [*TITLES, "nominal 95 %"]
    assert heading(figure) == "coverage; lines: exact, points: Monte Carlo, 95 % intervals"
    assert figure.get_supxlabel() == "n (number of trials)"
    assert figure.get_supylabel() == "coverage, %,\nstretched near 100"


def test_error_bars_are_the_mirrored_intervals(cells: pl.DataFrame, coverage: Figure) -> None:
    axes = coverage.axes[1]
    rows = of(cells, "monte_carlo", method="clopper_pearson", truth=0.3)
    segments = axes.containers[1][2][0].get_segments()
    limits = rows.select("ci_lower", "ci_upper").rows()
    assert len(segments) == len(limits) == len(LOG_SIZES)
    for segment, (lower, upper) in zip(segments, limits, strict=True):
        assert (segment[0, 1], segment[1, 1]) == pytest.approx((1 - upper, 1 - lower))


def test_points_are_joined_only_where_no_exact_value_is(cells: pl.DataFrame) -> None:
    unknown = pl.col("method") == "wald", pl.col("engine") == "enumeration"
    figure = draw_one(cells.filter(~(unknown[0] & unknown[1])), "coverage_over_size")
    for axes in figure.axes:
        styles = {line.get_gid(): line.get_linestyle() for line in axes.lines}
        assert "exact-0" not in styles
        assert styles["simulated-0"] == "--"
        assert styles["simulated-1"] == "None"


def test_exact_values_are_marked_where_there_are_no_points(
    cells: pl.DataFrame, coverage: Figure
) -> None:
    exact = of(cells, "enumeration", truth=0.3)
    figure = draw_one(exact, "coverage_over_size", laid_out=True)
    (axes,) = figure.axes
    assert names(axes) == {"exact", "nominal"}
    assert [line.get_marker() for line in axes.lines[:2]] == ["s", "^"]
    assert axes.get_position().width > 0.8, "a panel alone is as wide as the column"
    both = coverage.axes[0].lines
    assert {line.get_marker() for line in both if line.get_gid() == "exact-0"} == {""}


def test_the_heading_says_what_is_exact(cells: pl.DataFrame) -> None:
    exact, simulated = of(cells, "enumeration"), of(cells, "monte_carlo")
    assert panels(exact).heading("coverage", "95 % intervals") == "coverage; exact"
    found = panels(simulated).heading("coverage", "95 % intervals")
    assert found == "coverage; Monte Carlo, 95 % intervals"
    some = pl.concat([exact.filter(method="wald"), simulated])
    assert panels(some).heading("length") == "length; thick lines: exact, points: Monte Carlo"


def test_sizes_over_a_decade_are_on_a_logarithmic_axis_with_plain_numbers(
    cells: pl.DataFrame, coverage: Figure
) -> None:
    axes = coverage.axes[0]
    assert axes.get_xscale() == "log"
    ticks = [tick.get_text() for tick in axes.get_xticklabels()]
    assert ticks == ["5", "10", "20", "50", "100", "200"]
    low, high = axes.get_xlim()
    assert 4 < low < 5
    assert 200 < high < 250
    near = cells.filter(pl.col("n").is_between(20, 113), truth=0.3)
    assert draw_one(near, "coverage_over_size").axes[0].get_xscale() == "linear"


def test_lengths_are_on_two_logarithmic_axes(cells: pl.DataFrame) -> None:
    figure = draw_one(of(cells, "enumeration"), "length_over_size")
    for axes, truth in zip(figure.axes, (0.05, 0.3), strict=True):
        assert (axes.get_xscale(), axes.get_yscale()) == ("log", "log")
        for index, method in enumerate(METHODS):
            rows = of(cells, "enumeration", method=method, truth=truth)
            assert points(axes, f"exact-{index}") == (list(LOG_SIZES), rows["length"].to_list())
    assert heading(figure) == "expected length at nominal α = 0.05; exact"
    assert figure.get_supylabel() == "expected interval length"


def test_a_length_of_0_is_off_the_logarithmic_axis_and_in_the_title(cells: pl.DataFrame) -> None:
    nothing = (pl.col("n") == 5) & (pl.col("method") == "wald")
    flat = cells.filter(truth=0.3).with_columns(
        length=pl.when(nothing).then(0.0).otherwise("length")
    )
    (axes,) = draw_one(flat, "length_over_size").axes
    assert axes.get_yscale() == "log"
    assert axes.get_title(loc="left") == "p = 0.3; Wald of length 0 at n = 5"
    assert np.isnan(points(axes, "exact-0")[1]).tolist() == [True] + [False] * 11
    zeros = cells.filter(truth=0.3).with_columns(length=pl.lit(0.0))
    (axes,) = draw_one(zeros, "length_over_size").axes
    assert axes.get_ylim() == (0, 1)


def test_rows_without_a_length_are_left_out(cells: pl.DataFrame) -> None:
    by_chance = pl.when(pl.col("engine") != "monte_carlo").then(pl.col("length"))
    figure = draw_one(cells.with_columns(length=by_chance), "length_over_size")
    assert names(figure.axes[0]) == {"exact"}
    nowhere = cells.with_columns(length=pl.lit(None, pl.Float64))
    with pytest.raises(InputError, match="length_over_size: the results hold no length"):
        draw(nowhere, "length_over_size")


def test_what_lies_below_the_axis_is_in_the_title(cells: pl.DataFrame, coverage: Figure) -> None:
    exact = of(cells, "enumeration", method="wald", truth=0.05)
    least = 1 - exact["actual_alpha"].max()  # type: ignore[operator]
    for axes in coverage.axes:
        assert axes.get_ylim()[0] < least, "without a lower end, no value is below the axis"
    found = [
        axes.get_title(loc="left")
        for axes in draw_one(cells, "coverage_over_size", lowest=0.8).axes
    ]
    assert found == [f"p = 0.05\nWald down to {100 * least:.3g} %", "p = 0.3"]
    two = many(cells.filter(method="wald", truth=0.05), 2)
    (axes,) = draw_one(two, "coverage_over_size", lowest=0.8).axes
    assert axes.get_title(loc="left") == f"p = 0.05; 2 methods down to {100 * least:.3g} %"
    (axes,) = draw_one(two, "coverage_over_size", lowest=0).axes
    assert axes.get_title(loc="left") == "p = 0.05"
    assert -0.05 < axes.get_ylim()[0] < 0


def test_truths_are_drawn_in_the_order_asked_for(cells: pl.DataFrame) -> None:
    assert titles(cells, truths=[0.3]) == ["p = 0.3"]
    grid = over_sizes([10, 40], ["wald"], [0.1 + 0.2, 0.05])
    assert titles(grid, truths=[0.3, 0.05]) == ["p = 0.3", "p = 0.05"]
    with pytest.raises(InputError, match=r"truths: .* a true value .* \(0\.05, 0\.3\), found 0\.4"):
        panels(cells, truths=[0.4])


def test_a_true_value_that_rounding_changes_with_the_size_has_one_panel() -> None:
    cells = over_sizes([10, 40], ["wald"], [0.3])
    for other in (0.1 + 0.2, 0.3):
        off = pl.when(pl.col("n") == 10).then(other).otherwise(pl.col("truth"))
        (panel,) = panels(cells.with_columns(truth=off)).panels
        assert panel.title == "p = 0.3"
        assert panel.rows("wald", ["enumeration"])["n"].to_list() == [10, 40]
    zeros = pl.when(pl.col("n") == 10).then(1e-17).otherwise(0.0)
    large = cells.with_columns(truth=pl.lit(0.5))
    assert titles(pl.concat([cells.with_columns(truth=zeros), large])) == ["p = 0", "p = 0.5"]


def test_true_values_that_lie_close_are_told_apart_where_every_size_has_them() -> None:
    cells = over_sizes([10, 40], ["wald"], [1e-14, 3e-14, 0.5])
    assert titles(cells) == ["p = 1e-14", "p = 3e-14", "p = 0.5"]


def test_equal_samples_share_a_panel_and_the_heading_says_so() -> None:
    cells = pairs_over_sizes((10, 10), (40, 40))
    figure = draw_one(cells, "coverage_over_size", truths=[[0.1, 0.9], [0.5, 0.1]])
    assert heading(figure).startswith("coverage, n2 = n1; lines")
    assert figure.get_supxlabel() == "n1 (number of trials)"
    rows = of(cells, "enumeration", method="exact_union", truth1=0.5, truth2=0.1)
    assert points(figure.axes[1], "exact-1") == ([10, 40], (1 - rows["actual_alpha"]).to_list())
    assert titles(cells, truths=[0.1]) == ["p1 = 0.1, p2 = 0.1", "p1 = 0.1, p2 = 0.9"]


@pytest.mark.parametrize(
    ("sizes", "words"),
    [
        ([(10, 20), (20, 40)], "n2 = 2 n1"),
        ([(10, 10), (20, 10)], "n2 = 10"),
        ([(10, 10), (20, 12)], "n2 = 10, 12"),
        ([(5, 9), (6, 8), (7, 4), (8, 5), (9, 6)], "n2 from 4 to 9"),
    ],
)
def test_a_second_size_that_follows_from_the_first_is_in_the_heading(
    sizes: list[tuple[int, int]], words: str
) -> None:
    one = np.array([0.5])
    cells = [pair_truth_cells(*pair, ["wald"], first=one, second=one) for pair in sizes]
    assert panels(pl.concat(cells)).setting == f", {words}"


def test_crossed_sizes_have_a_panel_each_or_are_chosen() -> None:
    cells = pairs_over_sizes((10, 10), (40, 10), (10, 30), (40, 30))
    first = ["p1 = 0.1, p2 = 0.1, n2 = 10", "p1 = 0.1, p2 = 0.1, n2 = 30"]
    assert titles(cells)[:2] == first
    assert len(titles(cells)) == 8
    assert panels(cells).setting == ""
    found = panels(cells, other_sizes=[30], truths=[[0.5, 0.9]])
    (panel,) = found.panels
    assert panel.title == "p1 = 0.5, p2 = 0.9"
    assert found.setting == ", n2 = 30"
    expected = cells.filter(truth1=0.5, truth2=0.9, n2=30)
    assert panel.cells.equals(expected.sort("n1", maintain_order=True))
    with pytest.raises(InputError, match=r"other_sizes: expected n2 .* \(10, 30\), found 20"):
        panels(cells, other_sizes=[20])


def test_the_sampling_is_in_the_heading(cells: pl.DataFrame) -> None:
    title = "beta-binomial, ρ = 0.1"
    found = panels(cells.with_columns(sampling=pl.lit(title)))
    assert found.heading("coverage").startswith(f"coverage, {title}; lines")


def test_exposures_are_sizes() -> None:
    figure = draw_one(rates_over_exposures(), "coverage_over_size", truths=[1])
    (axes,) = figure.axes
    assert axes.get_title(loc="left").startswith("rate = 1")
    assert figure.get_supxlabel() == "exposure (its own unit)"
    found = [tick.get_text() for tick in axes.get_xticklabels()]
    assert found == ["0.001", "0.01", "0.1", "1", "10", "100"]


def clustered(*sizes: tuple[int, int]) -> pl.DataFrame:
    """Monte Carlo cells of clusters, with two correlations."""
    tables: list[pl.DataFrame] = []
    for clusters, size in sizes:
        cells = of(truth_cells(clusters, METHODS, truths=[0.5, 0.8]), "monte_carlo")
        columns = {"family": pl.lit("clustered_proportion"), "size": pl.lit(size)}
        renamed = cells.rename({"n": "clusters"}).with_columns(**columns)
        tables += [renamed.with_columns(rho=pl.lit(rho)) for rho in (0.1, 0.0)]
    return pl.concat(tables)


def test_clusters_have_a_panel_for_each_proportion_and_correlation() -> None:
    cells = clustered((20, 10), (50, 10), (300, 10))
    assert titles(cells) == [f"p = {p}, ρ = {rho}" for p in (0.5, 0.8) for rho in (0, 0.1)]
    assert titles(cells, truths=[[0.8, 0.1], 0.5])[0] == "p = 0.8, ρ = 0.1"
    figure = draw_one(cells, "coverage_over_size", truths=[[0.8, 0.1]])
    (axes,) = figure.axes
    rows = cells.filter(method="wald", truth=0.8, rho=0.1)
    sizes, coverage = points(axes, "simulated-0")
    assert sizes == [20, 50, 300]
    assert coverage == (1 - rows["actual_alpha"]).to_list()
    assert heading(figure) == "coverage, size = 10; Monte Carlo, 95 % intervals"
    assert figure.get_supxlabel() == "number of clusters"


def test_six_methods_have_a_panel_each_with_a_line_for_each_true_value() -> None:
    cells = over_sizes((20, 50, 200), ["wald"], [0.1, 0.3])
    six = pl.concat([cells.with_columns(method=pl.lit(f"method {i}")) for i in range(6)])
    figure = draw_one(six, "coverage_over_size")
    assert [axes.get_title(loc="left") for axes in figure.axes] == [f"method {i}" for i in range(6)]
    rows = of(cells, "enumeration", truth=0.3)
    for axes in figure.axes:
        assert points(axes, "exact-1")[1] == (1 - rows["actual_alpha"]).to_list()


def test_six_methods_at_six_true_values_have_a_panel_of_their_own_each() -> None:
    cells = over_sizes((20, 50), ["wald"], np.linspace(0.1, 0.6, 6))
    six = pl.concat([cells.with_columns(method=pl.lit(f"method {i}")) for i in range(6)])
    figure = draw_one(six, "coverage_over_size")
    assert len(figure.axes) == 36
    sides = [axes.texts[0].get_text() for axes in figure.axes]
    assert [side for side in sides if side] == [f"method {i}" for i in range(6)] * 2
    for axes in figure.axes:
        assert sum(str(line.get_gid()).startswith("exact") for line in axes.lines) == 1


def test_tables_are_titled_by_the_rates_of_the_config() -> None:
    family = FAMILIES["f_score"]
    of_rates = [cells_of_rates(0.05, sensitivity, 0.9) for sensitivity in (0.6, 0.8)]
    symbols = truth_symbols(family)
    assert list(symbols) == list(family.truths)
    truths = [tuple(map(float, cells)) for cells in of_rates]
    written = {"prevalence": [0.05], "sensitivity": [0.6, 0.8], "specificity": [0.9]}
    shared, found = _titles(family, written, symbols, truths, truths)
    assert shared == ", prevalence = 0.05, specificity = 0.9"
    assert list(found.values()) == [["sensitivity = 0.6"], ["sensitivity = 0.8"]]


def test_sizes_of_clusters_have_a_panel_each_where_they_are_crossed() -> None:
    cells = clustered((20, 5), (50, 5), (20, 10), (50, 10))
    assert titles(cells, truths=[[0.5, 0]]) == [f"p = 0.5, ρ = 0, size = {n}" for n in (5, 10)]
    assert titles(cells, truths=[[0.5, 0]], other_sizes=[10]) == ["p = 0.5, ρ = 0"]


def test_closed_forms_are_exact() -> None:
    cells = over_sizes([2, 5], ["wald"], [0.75]).rename({"n": "k"})
    cells = cells.with_columns(
        family=pl.lit("mean"), engine=pl.col("engine").replace("enumeration", "closed_form")
    )
    figure = draw_one(cells, "coverage_over_size")
    (axes,) = figure.axes
    assert axes.get_title(loc="left") == "mean = 0.75"
    rows = of(cells, "closed_form")
    assert points(axes, "exact-0") == ([2, 5], (1 - rows["actual_alpha"]).to_list())
    assert heading(figure).startswith("coverage; lines: exact")
    assert figure.get_supxlabel() == "k (number of runs)"


def test_too_many_panels_are_refused_with_the_option_that_narrows_them() -> None:
    grid = over_sizes([10, 20], ["wald"], np.linspace(0.1, 0.9, 13))
    narrow = r"at most 12 panels, found 13: name fewer in the option truths$"
    with pytest.raises(InputError, match=narrow):
        panels(grid)
    assert len(panels(grid.filter(pl.col("truth") > 0.1)).panels) == 12
    crossed = pairs_over_sizes(*((n1, n2) for n1 in (3, 4) for n2 in (3, 4, 5, 6)))
    narrow = r"found 16: name fewer in the option truths or other_sizes$"
    with pytest.raises(InputError, match=narrow):
        panels(crossed)


def test_mean_lengths_are_asked_for_before_anything_runs() -> None:
    config = {
        "name": "lengths",
        "family": "proportion",
        "n": [5, 10],
        "methods": ["wald"],
        "truth": {"values": [0.5]},
        "trials": {"per_truth": 10},
        "seed": 1,
        "engines": ["monte_carlo"],
        "figures": [{"kind": "length_over_size"}],
    }
    with pytest.raises(InputError, match=r"enumeration computes .* found wald without enumeration"):
        harness.run(config, out=None)
    drawn = {**config, "methods": ["wald", "bootstrap_percentile"]}
    assert harness.run(drawn, out=None).cells.filter(given="truth")["length"].count() == 2


@BOTH
def test_every_family_has_it(kind: str) -> None:
    assert FIGURES[kind].families == tuple(FAMILIES)


@BOTH
def test_one_size_is_refused(kind: str) -> None:
    with pytest.raises(
        InputError, match=f"{kind}: kind: expected two values or more of n .* found 1"
    ):
        draw(truth_cells(20, ["wald"], truths=[0.5]), kind)


@BOTH
def test_absent_cells_and_methods_are_refused(kind: str) -> None:
    with pytest.raises(InputError, match=f"{kind}: the results hold no cells per truth"):
        draw(outcome_cells(10, ["wald"]), kind)
    with pytest.raises(InputError, match=f"{kind}: the results hold no method wilson, only wald"):
        draw(over_sizes([10, 20], ["wald"], [0.5]), kind, methods=["wilson"])


@BOTH
def test_one_drawing_per_alpha(kind: str) -> None:
    cells = over_sizes([10, 20], ["wald"], [0.5], alphas=(0.05, 0.1))
    assert stems(cells, kind) == [f"{kind}-alpha0.05", f"{kind}-alpha0.1"]
    assert stems(cells, kind, alpha=0.1) == [f"{kind}-alpha0.1"]


@pytest.mark.parametrize(
    ("low", "high", "ticks"),
    [
        (5, 200, "5 10 20 50 100 200"),
        (1, 2000, "1 10 100 1000"),
        (2, 1e9, "100 10⁴ 10⁶ 10⁸"),
        (1.9, 6, "2 3 4 5 6"),
        (1e-6, 1e-4, "10⁻⁶ 10⁻⁵ 10⁻⁴"),
        (0.012, 0.6, "0.03 0.1 0.3"),
    ],
)
def test_ticks_are_as_many_as_there_is_room_for(low: float, high: float, ticks: str) -> None:
    found = log_ticks(low, high, 33.0, across=True)
    assert " ".join(map(tick_text, found)) == ticks
