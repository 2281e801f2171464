"""The figures of simulation studies."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure

import harness
from harness.base.errors import InputError
from harness.figures.catalogue import FIGURES
from harness.figures.draw import draw_figures, drawings
from harness.figures.kinds.simulation.measures import MEASURES, nested_order
from harness.figures.kinds.simulation.trials import MOST_INTERVALS, Intervals
from harness.figures.look import style
from harness.tables.results import Results
from tests.figures.layout import all_named, heading, legend_names, named, outside, overlapping
from tests.figures.layout import printed as printed_texts
from tests.figures.tables import FakeResults, Spec, truth_cells
from tests.simulation.results import ALPHA, METHODS, TRUTH, crossed, study

ROOT = Path(harness.__file__).parents[1]
STUDY = study(failed=4)
KINDS = ("zip_plot", "lollipop", "nested_loop", "estimates")
ALL = pytest.mark.parametrize("kind", KINDS)
OF_MEASURES = pytest.mark.parametrize("kind", ["lollipop", "nested_loop"])
OF_REPLICATES = pytest.mark.parametrize("kind", ["zip_plot", "estimates"])


def figures_of(results: Results, kind: str, **options: Any) -> list[Figure]:
    return [drawing.figure for drawing in drawings(results, [Spec(kind, options)])]


def one(results: Results, kind: str, **options: Any) -> Figure:
    (figure,) = figures_of(results, kind, **options)
    return figure


def refusal(results: Any, kind: str, **options: Any) -> str:
    with pytest.raises(InputError) as refused:
        drawings(results, [Spec(kind, options)])
    return str(refused.value)


def count_lines(figure: Figure, gid: str) -> int:
    return sum(len(lines.get_segments()) for lines in all_named(figure, gid))


# What all kinds have in common.


@ALL
def test_the_same_results_give_the_same_bytes(kind: str, tmp_path: Path) -> None:
    first, second = (draw_figures(STUDY, [Spec(kind)], tmp_path / name) for name in "ab")
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in second]


@ALL
def test_methods_are_drawn_in_the_order_asked_for(kind: str) -> None:
    figure = one(STUDY, kind, methods=["bootstrap", "model-based"])
    if kind == "zip_plot":
        found = [axes.get_title(loc="left").split("\n")[0] for axes in figure.axes]
    elif kind == "estimates":
        found = [each.get_text().split("\n")[0] for each in figure.axes[0].get_yticklabels()]
    else:
        found = legend_names(figure)[:2]
    assert found == ["bootstrap", "model-based"]


@ALL
def test_a_method_that_is_not_in_the_study_is_refused_with_those_that_are(kind: str) -> None:
    message = refusal(STUDY, kind, methods=["jackknife"])
    assert message == f"{kind}: the results hold no method jackknife, only {', '.join(METHODS)}"


@ALL
def test_they_are_drawn_from_simulation_studies_only(kind: str) -> None:
    coverage = FakeResults(truth_cells(10, ["wald"]))
    wanted = f"{kind} is drawn from a simulation experiment, not coverage"
    assert refusal(coverage, kind) == wanted
    assert FIGURES[kind].families == ()


def test_figures_of_coverage_are_not_drawn_from_a_study() -> None:
    assert (
        refusal(STUDY, "ranking") == "ranking is drawn from a coverage experiment, not simulation"
    )


@ALL
@pytest.mark.parametrize("width", [86.0, 180.0])
@pytest.mark.parametrize("font_size", [7.0, 9.0])
def test_texts_are_apart_and_on_the_page_in_other_sizes(
    kind: str, width: float, font_size: float
) -> None:
    figure = one(STUDY, kind, width=width, font_size=font_size, title="A study")
    texts = printed_texts(figure)
    assert overlapping(texts) == []
    assert outside(figure, texts) == []


def test_ticks_of_long_numbers_are_apart() -> None:
    """Biases from −0.015 to 0, which had a tick at every 0.002."""
    stored = harness.load(ROOT / "results/simulations/macro_f1")
    assert overlapping(printed_texts(one(stored, "lollipop", measure="bias"))) == []


def test_a_method_has_the_look_of_its_place_in_the_config() -> None:
    alone = one(STUDY, "lollipop", methods=["robust sandwich"])
    dots = all_named(alone, "dot-robust sandwich")
    assert {dot.get_color() for dot in dots} == {style.CURVE_COLOURS[1]}
    assert {dot.get_marker() for dot in dots} == {style.MARKS[1]}


def test_factors_may_be_called_as_columns_of_other_experiments_are() -> None:
    rows = crossed({"family": ["normal", "gamma"], "bin": [1, 2]})
    for kind in KINDS:
        assert one(study(rows, trials=20), kind).axes


# Figures of replicates.


@OF_REPLICATES
def test_replicates_are_needed(kind: str) -> None:
    message = refusal(study(keep=False), kind)
    assert message == f"{kind} needs `keep: replicates` in the config of the study"


@OF_REPLICATES
def test_a_scenario_that_is_not_in_the_study_is_refused(kind: str) -> None:
    message = refusal(STUDY, kind, scenario=19)
    assert message == f"{kind}: the results hold no scenario 19, only 1 to 18"


def rows_of(results: Results, method: str, scenario: int = 1) -> pl.DataFrame:
    return results.cells.filter(scenario=scenario, method=method)


def test_every_interval_is_drawn_where_they_are_few_and_misses_are_told_apart() -> None:
    figure = one(STUDY, "zip_plot")
    for axes, method in zip(figure.axes, METHODS, strict=True):
        rows = rows_of(STUDY, method).filter("answered")
        held = rows.filter(pl.col("lower") <= TRUTH, pl.col("upper") >= TRUTH)
        drawn = {lines.get_gid(): lines for lines in axes.collections}
        assert len(drawn["holds"].get_segments()) == held.height
        misses = drawn["misses"].get_segments()
        assert len(misses) == rows.height - held.height > 0
        assert all(not low <= TRUTH <= high for low, high in (each[:, 0] for each in misses))
        assert drawn["misses"].get_linewidth()[0] > 2 * drawn["holds"].get_linewidth()[0]
        assert drawn["misses"].get_color().tolist() != drawn["holds"].get_color().tolist()
    assert "200 trials" in heading(figure)


def test_centiles_go_from_the_nearest_interval_to_those_without_limits() -> None:
    figure = one(STUDY, "zip_plot", methods=["bootstrap"])
    (axes,) = figure.axes
    assert axes.get_ylim() == (0, 100)
    heights = [each[0, 1] for lines in axes.collections for each in lines.get_segments()]
    # The last 4 of 200 trials have no interval.
    assert max(heights) == pytest.approx(100 * 195.5 / 200)
    assert min(heights) == pytest.approx(100 * 0.5 / 200)
    assert axes.get_title(loc="left").endswith("4 without an interval")
    assert figure.get_supylabel() == "fractional centile of the distance from the truth, %"
    assert figure.get_supxlabel() == "95 % intervals of effect"


def test_coverage_stands_with_its_interval_in_words_and_as_lines() -> None:
    figure = one(STUDY, "zip_plot", methods=["model-based"])
    summary = STUDY.summary.filter(scenario=1, method="model-based", measure="coverage")
    row = summary.row(0, named=True)
    low, value, high = (100 * row[name] for name in ("ci_lower", "estimate", "ci_upper"))
    title = figure.axes[0].get_title(loc="left")
    assert title == f"model-based\ncovers {value:.1f} % ({low:.1f}–{high:.1f})"
    assert named(figure, "low").get_ydata()[0] == pytest.approx(low)
    assert named(figure, "high").get_ydata()[0] == pytest.approx(high)
    assert named(figure, "nominal").get_ydata()[0] == pytest.approx(100 * (1 - ALPHA))


def test_of_many_trials_an_even_part_is_drawn_and_the_heading_says_so() -> None:
    many = study(crossed({"n": [20]}), METHODS[:1], 3000)
    figure = one(many, "zip_plot")
    assert count_lines(figure, "holds") + count_lines(figure, "misses") == MOST_INTERVALS
    words = f"3,000 trials, {MOST_INTERVALS} drawn, evenly spread over the centiles"
    assert words in heading(figure)
    upper = one(many, "zip_plot", ylim=[95, 100])
    assert count_lines(upper, "misses") > 3 * count_lines(figure, "misses")


def test_distances_are_in_standard_errors_where_all_methods_have_them() -> None:
    assert heading(one(STUDY, "zip_plot")).endswith("ordered by |estimate − truth| / SE")
    without = one(study(has_errors=False), "zip_plot")
    assert heading(without).endswith(
        "by |estimate − truth| / its distance to the limit on that side"
    )


NAN, INF = float("nan"), float("inf")


def intervals(*rows: tuple[float, float, float]) -> Intervals:
    """Intervals of the truth 0 without standard errors, from estimates and limits."""
    estimate, lower, upper = np.array(rows, np.float64).T
    return Intervals(0.0, estimate, np.full(estimate.size, NAN), lower, upper)


def test_by_limits_the_intervals_that_miss_are_the_farthest() -> None:
    found = intervals(
        (2.0, 1.0, 9.0),  # misses: 2 from the truth, 1 from its lower limit
        (NAN, NAN, NAN),
        (3.0, -1.0, 4.0),  # at 3/4 of the way to its lower limit
        (-1.0, -INF, 4.0),  # at 1/5 of the way to its upper limit
        (3.0, -INF, INF),
        (NAN, -2.0, 4.0),  # at 1/3, from its middle
        (0.0, 0.0, 0.0),
        (0.5, 0.5, 0.5),  # misses by more than its length
    )
    order = np.argsort(found.centiles(by_errors=False)).tolist()
    assert order == [4, 6, 3, 5, 2, 0, 7, 1]
    assert found.missed.tolist() == [True, True, False, False, False, False, False, True]
    assert not found.has_errors


def test_a_method_without_intervals_is_refused() -> None:
    nothing = pl.when(pl.col("method") != "bootstrap")
    cells = STUDY.cells.with_columns(nothing.then(pl.col("lower", "upper")))
    message = refusal(replace(STUDY, cells=cells), "zip_plot")
    assert message == "zip_plot: bootstrap has no intervals in scenario 1"


def test_estimates_stand_with_their_mean_and_the_truth() -> None:
    figure = one(STUDY, "estimates", scenario=2)
    (axes,) = figure.axes
    assert axes.get_xlabel() == "estimate of effect"
    assert named(figure, "truth").get_xdata()[0] == TRUTH
    for place, method in enumerate(METHODS):
        values = rows_of(STUDY, method, 2).filter("answered")["estimate"]
        drawn = named(figure, f"estimates-{place}")
        assert sorted(values) == pytest.approx(drawn.get_xdata())
        assert abs(drawn.get_ydata() - place).max() <= 0.3 + 1e-12
        assert named(figure, f"mean-{place}").get_xdata()[0] == pytest.approx(values.mean())
    texts = [each.get_text().split("\n") for each in axes.get_yticklabels()]
    assert texts[2][-1] == "4 without an estimate"
    assert heading(figure) == "scenario 2: n = 20, rho = 0, model = logistic; 200 trials"


def test_outlying_estimates_are_beyond_the_axis_and_counted() -> None:
    far = pl.when(pl.col("trial") == 1).then(1e6).otherwise("estimate").alias("estimate")
    figure = one(
        replace(STUDY, cells=STUDY.cells.with_columns(far)), "estimates", methods=METHODS[:1]
    )
    (axes,) = figure.axes
    assert axes.get_xlim()[1] < 10
    assert axes.get_yticklabels()[0].get_text().endswith("1 beyond the axis")


# Figures of measures.


@OF_MEASURES
def test_a_measure_that_is_unknown_or_absent_is_refused_with_those_that_there_are(
    kind: str,
) -> None:
    there = "bias, empirical_se, coverage, failures"
    for measure in ("covrage", "rejection_rate"):
        message = refusal(STUDY, kind, measure=measure)
        assert message == f"{kind}: the results hold no measure {measure}, only {there}"


@OF_MEASURES
@pytest.mark.parametrize("measure", ["bias", "empirical_se", "coverage", "failures"])
def test_the_axis_of_a_measure_has_its_words(kind: str, measure: str) -> None:
    axes = one(STUDY, kind, measure=measure).axes[0]
    label = axes.get_xlabel() if kind == "lollipop" else axes.get_ylabel()
    assert label.replace("\n", " ") == MEASURES[measure].words
    assert label.endswith("%") == (measure in ("coverage", "failures"))


def test_stems_go_from_the_nominal_coverage_to_the_dots_with_their_intervals() -> None:
    figure = one(STUDY, "lollipop")
    assert count_lines(figure, "stem") == count_lines(figure, "interval") == 18 * 3
    rows = STUDY.summary.filter(measure="coverage", method="bootstrap")
    dots = [dot.get_xdata()[0] for dot in all_named(figure, "dot-bootstrap")]
    assert dots == rows["estimate"].to_list()
    starts = {each[0, 0] for line in all_named(figure, "stem") for each in line.get_segments()}
    assert starts == {1 - ALPHA}
    assert legend_names(figure)[-1] == "stems from 95 %"
    ends = [tuple(line.get_segments()[0][:, 0]) for line in all_named(figure, "interval")]
    assert ends[2::3] == list(zip(rows["ci_lower"], rows["ci_upper"], strict=True))


def test_intervals_of_other_measures_are_from_their_standard_errors() -> None:
    figure = one(STUDY, "lollipop", measure="bias", methods=["model-based"])
    rows = STUDY.summary.filter(measure="bias", method="model-based")
    row = rows.row(0, named=True)
    low, high = all_named(figure, "interval")[0].get_segments()[0][:, 0]
    assert (high - low) / 2 == pytest.approx(1.96 * row["mcse"], rel=1e-4)
    assert (high + low) / 2 == pytest.approx(row["estimate"])


def test_rows_are_labelled_with_the_factors_that_differ() -> None:
    rows = [{"n": 20, "sd": 1}, {"n": 50, "sd": 1}]
    (axes,) = one(study(rows, trials=20), "lollipop").axes
    assert [label.get_text() for label in axes.get_yticklabels()] == [" n", "20", "50"]


def test_many_scenarios_go_on_several_pages_with_the_same_axis() -> None:
    many = study(crossed({"n": range(20, 80)}), METHODS, 20)
    found = drawings(many, [Spec("lollipop")])
    assert [each.stem for each in found] == ["lollipop-coverage-page1", "lollipop-coverage-page2"]
    assert len({each.figure.axes[0].get_xlim() for each in found}) == 1
    assert sum(count_lines(each.figure, "stem") for each in found) == 60 * 3


def test_values_that_are_not_finite_are_written() -> None:
    value = pl.when(scenario=1, measure="bias").then(INF).otherwise("estimate").alias("estimate")
    results = replace(STUDY, summary=STUDY.summary.with_columns(value))
    (axes,) = one(results, "lollipop", measure="bias").axes
    assert [text.get_text() for text in axes.texts].count(" ∞") == 3
    drawn = named(one(results, "nested_loop", measure="bias"), "steps-bootstrap")
    assert np.isnan(drawn.get_data().values[0])


def test_scenarios_are_nested_in_the_order_in_which_levels_appear() -> None:
    rows = [{"a": a, "b": b} for b in ("y", "x") for a in (2, 1, 3)]
    nested = [rows[i] for i in nested_order(rows)]
    assert nested == [{"a": a, "b": b} for a in (2, 1, 3) for b in ("y", "x")]


def test_steps_of_methods_stand_above_those_of_factors() -> None:
    figure = one(STUDY, "nested_loop")
    rows = STUDY.summary.filter(measure="coverage", method="bootstrap")
    assert named(figure, "steps-bootstrap").get_data().values == pytest.approx(rows["estimate"])
    below = figure.axes[1:]
    assert [axes.texts[0].get_text() for axes in below] == ["n", "rho", "model"]
    texts = [[each.get_text() for each in axes.get_yticklabels()] for axes in below]
    assert texts == [["20", "50", "200"], ["0", "0.5"], ["linear", "logistic", "skewed"]]
    values = named(figure, "factor-rho").get_data().values
    assert list(values) == ([0] * 3 + [1] * 3) * 3
    assert below[-1].get_xlabel() == "scenario, in the nested order of the factors"
    assert named(figure, "reference").get_ydata()[0] == 1 - ALPHA


def test_a_method_without_the_measure_is_left_out() -> None:
    summary = STUDY.summary.filter(
        ~((pl.col("method") == METHODS[0]) & (pl.col("measure") == "bias"))
    )
    results = replace(STUDY, summary=summary)
    assert legend_names(one(results, "lollipop", measure="bias"))[:-1] == list(METHODS[1:])
    assert legend_names(one(results, "nested_loop", measure="bias"))[:-1] == list(METHODS[1:])
