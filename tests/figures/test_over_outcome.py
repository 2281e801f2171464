"""What the lines over the outcome show is what the tables hold."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from harness.base.errors import InputError
from tests.figures.artists import draw, draw_one, heading, legend_names, named, stems
from tests.figures.tables import log_outcomes, outcome_cells, rate_outcome_cells, surface_cells

METHODS = ["wald", "garwood", "balanced_tail"]
ALPHA, LENGTH = "alpha_over_outcome", "length_over_outcome"


def posterior(**changes: object) -> pl.DataFrame:
    settings = {"x": log_outcomes(100), "engines": ["posterior"], **changes}
    return rate_outcome_cells(METHODS, **settings)


def test_lines_are_the_alpha_error_on_a_log_axis_without_the_outcome_0() -> None:
    cells = posterior()
    figure = draw_one(cells, ALPHA)
    (axes,) = figure.axes
    assert axes.get_xscale() == "log"
    for index, method in enumerate(METHODS):
        rows = cells.filter((pl.col("method") == method) & (pl.col("x") > 0))
        line = named(figure, f"line-{index}")
        assert list(line.get_xdata()) == rows["x"].to_list()
        assert list(line.get_ydata()) == rows["alpha_error"].to_list()
    assert axes.get_xlabel() == "outcome x (events in exposure 1)"
    assert axes.get_ylabel() == "α error (nominal − actual)"


def test_the_heading_says_what_stands_at_the_outcome_0() -> None:
    figure = draw_one(posterior(), ALPHA)
    assert heading(figure) == (
        "α error at exposure = 1, nominal α = 0.05 "
        "at x = 0: Wald −0.95, Garwood 0.025, Bayesian balanced tails 0"
    )
    without = draw_one(posterior(x=range(1, 9)), ALPHA)
    assert heading(without) == "α error at exposure = 1, nominal α = 0.05"


def test_errors_too_small_to_be_seen_are_named_in_the_legend() -> None:
    cells = posterior().with_columns(
        alpha_error=pl.when(pl.col("method") == "balanced_tail")
        .then(3e-13)
        .otherwise("alpha_error")
    )
    figure = draw_one(cells, ALPHA)
    assert legend_names(figure) == ["Wald", "Garwood", "Bayesian balanced tails (within 10⁻¹²)"]


def test_an_outcome_without_a_value_breaks_the_line() -> None:
    cells = posterior(x=range(1, 9)).with_columns(
        alpha_error=pl.when((pl.col("x") == 4) & (pl.col("method") == "wald"))
        .then(None)
        .otherwise("alpha_error")
    )
    absent = cells.filter((pl.col("x") != 6) | (pl.col("method") != "garwood"))
    figure = draw_one(absent, ALPHA)
    for index, x in ((0, 4), (1, 6)):
        line = named(figure, f"line-{index}")
        assert list(line.get_xdata()) == list(range(1, 9))
        assert np.flatnonzero(np.isnan(line.get_ydata())).tolist() == [x - 1]


def test_several_alphas_are_compared_as_per_cent_of_each() -> None:
    alphas = (0.1, 0.05, 0.01)
    cells = posterior(alphas=alphas)
    found = draw(cells, ALPHA, methods=["garwood"])
    assert [drawing.stem for drawing in found] == [
        "alpha_over_outcome-exposure1-alpha0.1",
        "alpha_over_outcome-exposure1-alpha0.05",
        "alpha_over_outcome-exposure1-alpha0.01",
        "alpha_over_outcome-exposure1-percent",
    ]
    panels = found[-1].figure.axes
    assert [axes.get_title(loc="left") for axes in panels] == [
        f"nominal α = {alpha:g}" for alpha in alphas
    ]
    assert len({axes.get_ylim() for axes in panels}) == 1
    for axes, alpha in zip(panels, alphas, strict=True):
        rows = cells.filter(
            (pl.col("alpha") == alpha) & (pl.col("method") == "garwood") & (pl.col("x") > 0)
        )
        (line,) = (line for line in axes.lines if line.get_gid() == "line-0")
        np.testing.assert_allclose(line.get_ydata(), rows["alpha_error"] / alpha * 100, rtol=1e-12)


def test_percentages_below_the_axis_are_named() -> None:
    cells = posterior(alphas=(0.1, 0.01))
    *_, last = draw(cells, ALPHA, lowest=-300.0)
    upper, lower = last.figure.axes
    assert upper.get_ylim()[0] == -300
    assert upper.get_title(loc="left") == "nominal α = 0.1"
    worst = cells.filter((pl.col("alpha") == 0.01) & (pl.col("x") > 0))["alpha_error"].min()
    assert lower.get_title(loc="left") == (
        f"nominal α = 0.01; Wald down to −{-100 * worst / 0.01:.0f} %"
    )


def test_one_alpha_is_one_drawing() -> None:
    found = stems(posterior(alphas=(0.1, 0.05)), ALPHA, alpha=0.1)
    assert found == ["alpha_over_outcome-exposure1-alpha0.1"]


def test_the_posterior_of_the_experiment_s_truth_is_named_as_such() -> None:
    figure = draw_one(posterior(x=range(20), largest=10, two_references=True), ALPHA)
    assert "posterior of the experiment's truth" in heading(figure)


def test_groups_stand_at_their_middle() -> None:
    figure = draw_one(posterior(x=range(60), largest=40, group=20), ALPHA)
    assert list(named(figure, "line-0").get_xdata()) == [9.5, 29.5, 49.5]


def test_alpha_over_outcome_wants_the_posterior_and_an_outcome_above_0() -> None:
    with pytest.raises(InputError, match="no cells per outcome by posterior"):
        draw(rate_outcome_cells(["wald"], x=range(5), engines=["enumeration"]), ALPHA)
    with pytest.raises(InputError, match="hold no outcome above 0"):
        draw(posterior(x=[0]), ALPHA)


@pytest.mark.parametrize(
    ("last", "ticks"),
    [(6, ["1", "2", "5"]), (1000, ["1", "10", "100", "1000"]),
     (20_000, ["1", "10", "100", "1000", "10⁴"])],
)  # fmt: skip
def test_ticks_are_plain_numbers(last: int, ticks: list[str]) -> None:
    figure = draw_one(posterior(x=[1, last]), ALPHA)
    labels = [tick.get_text() for tick in figure.axes[0].get_xticklabels()]
    assert labels == ticks


def test_lengths_are_the_percentage_of_the_tables() -> None:
    cells = posterior()
    figure = draw_one(cells, LENGTH, reference="balanced_tail")
    shown = {
        method: cells.filter((pl.col("method") == method) & (pl.col("x") > 0))["length"].to_numpy()
        for method in METHODS
    }
    base = shown["balanced_tail"]
    for index, method in enumerate(["wald", "garwood"]):
        percent = 100 * (shown[method] - base) / base
        line = named(figure, f"line-{index}")
        np.testing.assert_allclose(line.get_ydata(), percent, rtol=1e-9)
    assert legend_names(figure) == ["Wald", "Garwood"]
    assert figure.axes[0].get_ylabel() == "length (% over Bayesian\nbalanced tails)"
    assert stems(cells, LENGTH, reference="balanced_tail") == [
        "length_over_outcome-over-balanced_tail-exposure1"
    ]
    assert "at x = 0: Wald −100 %, Garwood 0.691 %" in heading(figure)


def test_length_is_broken_where_the_reference_has_none() -> None:
    figure = draw_one(posterior(x=[0, 1, 2]), LENGTH, reference="wald")
    assert "at x = 0" not in heading(figure)
    cells = posterior(x=[1, 2, 3]).with_columns(
        length=pl.when((pl.col("method") == "wald") & (pl.col("x") == 2))
        .then(0.0)
        .otherwise("length")
    )
    figure = draw_one(cells, LENGTH, reference="wald", methods=["garwood"])
    assert np.isnan(named(figure, "line-0").get_ydata()).tolist() == [False, True, False]


def test_lengths_are_compared_within_a_side_and_by_one_engine() -> None:
    cells = outcome_cells(20, ["wald", "balanced_tail"])
    upper = cells.filter(pl.col("method") == "wald").with_columns(
        method=pl.lit("bound"), side=pl.lit("upper")
    )
    figure = draw_one(pl.concat([cells, upper]), LENGTH, reference="balanced_tail")
    assert legend_names(figure) == ["Wald"]
    assert len(named(figure, "line-0").get_xdata()) == 20


def test_absent_levels_are_refused() -> None:
    cells = surface_cells((10, 20), ["wald"])
    with pytest.raises(InputError, match="say which n to draw, one of 10, 20"):
        draw(cells, ALPHA)
    with pytest.raises(InputError, match="no method minimal_length, only wald"):
        draw(cells, LENGTH, n=10)
    with pytest.raises(InputError, match="no two-sided method besides wald"):
        draw(cells, LENGTH, n=10, reference="wald")
    grouped = posterior(x=range(60), largest=40, group=20)
    with pytest.raises(InputError, match="wald has no length anywhere to compare with"):
        draw(grouped, LENGTH, reference="wald")
