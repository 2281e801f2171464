"""Figures over the outcomes of a size."""

import math
from typing import Any

import numpy as np
import polars as pl
import pytest
from matplotlib.figure import Figure
from scipy import special

from harness.base.errors import InputError
from tests.figures.layout import all_named, draw, draw_one, heading, legend_names, named, stems
from tests.figures.tables import (
    clopper_pearson,
    log_outcomes,
    outcome_cells,
    rate_outcome_cells,
    surface_cells,
)

# What the lines over the outcome show is what the tables hold.


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


# What `outcome_tails` shows are the probabilities of the binomial.


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


# A hundred intervals beside the truth: those that miss are counted, and the seed decides them.


CELLS = outcome_cells(20, ["clopper_pearson"])


def title(**options: object) -> str:
    (axes,) = draw_one(CELLS, "intervals_drawn", truth=0.3, **options).axes
    return axes.get_title(loc="left")


def test_more_than_three_methods_fill_a_slide() -> None:
    cells = pl.concat([CELLS.with_columns(method=pl.lit(f"method {i}")) for i in range(8)])
    figure = draw_one(cells, "intervals_drawn", laid_out=True, truth=0.3, seed=5)
    width, height = figure.get_size_inches()
    assert width / height == pytest.approx(16 / 9)
    assert len({axes.get_position().x0.round(3) for axes in figure.axes}) == 3
    assert len({axes.get_position().width.round(3) for axes in figure.axes}) == 1


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
