"""What `alpha_by_outcome` shows is what the tables hold."""

import numpy as np
import polars as pl
import pytest

from harness.base.errors import InputError
from tests.figures.layout import all_named, draw, draw_one, heading, legend_names, named, stems
from tests.figures.tables import outcome_cells, rate_outcome_cells

KIND = "alpha_by_outcome"


def missed(cells: pl.DataFrame) -> list[int]:
    """Outcomes whose Monte Carlo interval does not hold the exact value, row by row."""
    exact = {
        row["x"]: row["actual_alpha"]
        for row in cells.filter(pl.col("engine") == "enumeration").iter_rows(named=True)
    }
    return [
        row["x"]
        for row in cells.filter(pl.col("engine") == "monte_carlo").iter_rows(named=True)
        if not row["ci_lower"] <= exact[row["x"]] <= row["ci_upper"]
    ]


@pytest.mark.parametrize("method", ["wald", "clopper_pearson", "balanced_tail"])
def test_marked_cells_are_those_whose_interval_misses(method: str) -> None:
    cells = outcome_cells(100, [method])
    figure = draw_one(cells, KIND)
    expected = missed(cells)
    assert expected, "a case without a miss would not test the marks"
    marks, dots = named(figure, "missed"), named(figure, "held")
    assert list(marks.get_xdata()) == expected
    assert sorted([*marks.get_xdata(), *dots.get_xdata()]) == list(range(101))
    assert marks.get_marker() != dots.get_marker()
    assert marks.get_color() != dots.get_color()
    assert f"{len(expected)} of 101 intervals miss exact α" in legend_names(figure)


def test_an_interval_that_ends_at_the_exact_value_holds_it() -> None:
    cells = outcome_cells(20, ["wald"])
    exact = cells.filter(pl.col("engine") == "enumeration")["actual_alpha"]
    touching = cells.filter(pl.col("engine") == "monte_carlo").with_columns(
        actual_alpha=exact + 0.01, ci_lower=exact, ci_upper=exact + 0.02
    )
    both = pl.concat([cells.filter(pl.col("engine") == "enumeration"), touching])
    figure = draw_one(both, KIND)
    assert "0 of 21 intervals miss exact α" in legend_names(figure)


def test_lines_are_the_exact_and_the_nominal_alpha() -> None:
    cells = outcome_cells(50, ["clopper_pearson"])
    figure = draw_one(cells, KIND)
    exact = cells.filter(pl.col("engine") == "enumeration")
    assert list(named(figure, "exact").get_ydata()) == exact["actual_alpha"].to_list()
    assert set(named(figure, "nominal").get_ydata()) == {0.05}
    assert {"exact α (enumeration)", "nominal α = 0.05"} <= set(legend_names(figure))


def test_error_bars_are_the_intervals_of_the_table() -> None:
    cells = outcome_cells(50, ["balanced_tail"])
    figure = draw_one(cells, KIND)
    ends = {
        round(segment[0, 0]): (segment[0, 1], segment[1, 1])
        for container in figure.axes[0].containers
        for segment in container[2][0].get_segments()
    }
    rows = cells.filter(pl.col("engine") == "monte_carlo")
    for x, lower, upper in rows.select("x", "ci_lower", "ci_upper").iter_rows():
        assert ends[x] == pytest.approx((lower, upper), rel=1e-12)


def test_axes_hold_all_and_say_what_they_show() -> None:
    cells = outcome_cells(100, ["wald"])
    figure = draw_one(cells, KIND)
    (axes,) = figure.axes
    left, right = axes.get_xlim()
    bottom, top = axes.get_ylim()
    assert left < 0 < 100 < right
    # Wald's intervals at 0 and 100 miss always: the axis is stretched, so that all is seen.
    assert -0.01 < bottom < 0
    assert top >= cells["ci_upper"].max()
    places = axes.transData.transform([(0, alpha) for alpha in (0, 0.05, 0.1, 0.2, 1)])[:, 1]
    assert (np.diff(places) > 0.12 * (places[-1] - places[0])).all()
    assert axes.get_xlabel() == "outcome x (successes of n = 100)"
    assert axes.get_ylabel() == "α (share of trials that miss),\nstretched near 0"
    assert heading(figure) == "Wald, n = 100"


def test_an_axis_of_alphas_near_the_nominal_one_is_even() -> None:
    (axes,) = draw_one(outcome_cells(100, ["clopper_pearson"]), KIND).axes
    assert axes.get_yscale() == "linear"
    assert axes.get_ylim()[0] == 0
    assert axes.get_ylabel() == "α (share of trials that miss)"


def test_without_enumeration_the_posterior_is_the_exact_value() -> None:
    cells = outcome_cells(20, ["wald"]).with_columns(
        engine=pl.col("engine").replace("enumeration", "posterior")
    )
    figure = draw_one(cells, KIND)
    assert "exact α (posterior)" in legend_names(figure)


def test_without_an_exact_value_nothing_is_marked() -> None:
    cells = outcome_cells(20, ["wald"]).filter(pl.col("engine") == "monte_carlo")
    figure = draw_one(cells, KIND)
    assert all_named(figure, "missed") == []
    assert legend_names(figure) == ["nominal α = 0.05", "Monte Carlo, 95 % interval"]


def test_outcomes_that_never_came_up_have_no_point() -> None:
    cells = outcome_cells(20, ["balanced_tail"]).filter(
        (pl.col("engine") == "enumeration") | (pl.col("x") != 7)
    )
    figure = draw_one(cells, KIND)
    points = np.concatenate([named(figure, g).get_xdata() for g in ("held", "missed")])
    assert sorted(points) == [x for x in range(21) if x != 7]
    assert any("of 20 intervals" in name for name in legend_names(figure))


def test_one_drawing_per_method_and_alpha() -> None:
    cells = outcome_cells(10, ["wald", "balanced_tail"], alphas=(0.05, 0.1))
    assert stems(cells, KIND) == [
        "alpha_by_outcome-wald-n10-alpha0.05",
        "alpha_by_outcome-wald-n10-alpha0.1",
        "alpha_by_outcome-balanced_tail-n10-alpha0.05",
        "alpha_by_outcome-balanced_tail-n10-alpha0.1",
    ]
    found = stems(cells, KIND, method="wald", alpha=0.1)
    assert found == ["alpha_by_outcome-wald-n10-alpha0.1"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "say which n to draw, one of 5, 10"),
        ({"n": 7}, "the results hold no n 7, only 5, 10"),
        ({"n": 5, "method": "wilson"}, "the results hold no method wilson, only wald"),
        ({"n": 5, "alpha": 0.01}, "the results hold no alpha 0.01, only 0.05"),
    ],
)
def test_absent_levels_are_refused(options: dict[str, object], message: str) -> None:
    cells = pl.concat([outcome_cells(n, ["wald"]) for n in (5, 10)])
    with pytest.raises(InputError, match=message):
        draw(cells, KIND, **options)


def test_results_without_monte_carlo_are_refused() -> None:
    cells = outcome_cells(5, ["wald"]).filter(pl.col("engine") == "enumeration")
    with pytest.raises(InputError, match="no cells per outcome by monte_carlo"):
        draw(cells, KIND)


# Rates: groups, an open end, and two exact lines.


def grouped() -> pl.DataFrame:
    return rate_outcome_cells(["balanced_tail"], x=range(60), largest=30, group=10)


def test_groups_stand_at_their_middle() -> None:
    figure = draw_one(grouped(), KIND)
    points = [x for gid in ("held", "missed") for x in named(figure, gid).get_xdata()]
    assert sorted(points) == [4.5, 14.5, 24.5, 34.5, 44.5, 54.5]
    assert list(named(figure, "exact").get_xdata()) == sorted(points)


def test_a_group_without_an_end_is_labelled_so() -> None:
    (axes,) = draw_one(grouped(), KIND).axes
    names = [tick.get_text() for tick in axes.get_xticklabels()]
    labels = dict(zip(names, axes.get_xticks(), strict=True))
    assert labels["≥ 50"] == 54.5
    assert all(at < 50 for name, at in labels.items() if name != "≥ 50")
    low, high = axes.get_xlim()
    assert low < 4.5
    assert high > 54.5


def test_groups_that_all_end_have_plain_ticks() -> None:
    cells = grouped().with_columns(pl.col("x_last").fill_null(59))
    (axes,) = draw_one(cells, KIND).axes
    assert not any("≥" in tick.get_text() for tick in axes.get_xticklabels())


@pytest.mark.parametrize("two_references", [False, True])
def test_the_alpha_of_the_prior_stands_beside_that_of_the_truth(two_references: bool) -> None:
    """Given as a column of its own, or by the posterior beside enumeration."""
    cells = rate_outcome_cells(["wald"], x=range(60), largest=30, two_references=two_references)
    figure = draw_one(cells, KIND)
    rows = cells.filter(pl.col("engine") == "enumeration")["actual_alpha"]
    prior = cells.filter(pl.col("engine") == "posterior")
    column = "prior_alpha" if two_references else "actual_alpha"
    assert list(named(figure, "exact").get_ydata()) == rows.to_list()
    assert list(named(figure, "prior").get_ydata()) == prior[column].to_list()
    assert {"exact α, experiment's truth", "exact α, reference prior"} <= set(legend_names(figure))


def test_marks_compare_with_the_alpha_under_the_truth_of_the_experiment() -> None:
    cells = rate_outcome_cells(["balanced_tail"], x=range(45), largest=30, trials=4000)
    under_truth, under_prior = (
        cells.filter(pl.col("engine") == engine)["actual_alpha"].to_numpy()
        for engine in ("enumeration", "posterior")
    )
    rows = cells.filter(pl.col("engine") == "monte_carlo")
    low, high = rows["ci_lower"].to_numpy(), rows["ci_upper"].to_numpy()
    missed = [
        int((exact < low).sum() + (exact > high).sum()) for exact in (under_truth, under_prior)
    ]
    assert missed[0] != missed[1]
    assert f"{missed[0]} of 45 intervals miss exact α" in legend_names(draw_one(cells, KIND))


def test_alphas_that_differ_by_rounding_alone_are_one_line() -> None:
    cells = rate_outcome_cells(["wald"], x=range(10))
    nearly = pl.when(pl.col("engine") == "posterior").then(5e-7).otherwise(0.0)
    figure = draw_one(cells.with_columns(actual_alpha=pl.col("actual_alpha") + nearly), KIND)
    assert all_named(figure, "prior") == []
    assert "exact α (enumeration)" in legend_names(figure)


def test_a_posterior_alone_is_parted_by_its_two_columns() -> None:
    cells = rate_outcome_cells(
        ["wald"],
        x=range(60),
        largest=30,
        two_references=True,
        engines=("monte_carlo", "posterior"),
    )
    figure = draw_one(cells, KIND)
    rows = cells.filter(pl.col("engine") == "posterior")
    assert list(named(figure, "exact").get_ydata()) == rows["actual_alpha"].to_list()
    assert list(named(figure, "prior").get_ydata()) == rows["prior_alpha"].to_list()


def test_two_lines_of_a_proportion_part_too() -> None:
    cells = outcome_cells(20, ["wald"])
    posterior = cells.filter(pl.col("engine") == "enumeration").with_columns(
        engine=pl.lit("posterior"), actual_alpha=pl.col("actual_alpha") * 0.9
    )
    figure = draw_one(pl.concat([cells, posterior]), KIND)
    assert list(named(figure, "prior").get_ydata()) == posterior["actual_alpha"].to_list()


def test_axes_speak_of_events_and_exposure() -> None:
    figure = draw_one(rate_outcome_cells(["wald"], x=range(10), exposure=2.5), KIND)
    (axes,) = figure.axes
    assert axes.get_xlabel() == "outcome x (events in exposure 2.5)"
    assert heading(figure) == "Wald, exposure = 2.5"
    low, high = axes.get_xlim()
    assert low < 0 < 9 < high


def test_what_lies_above_the_axis_is_counted() -> None:
    cells = rate_outcome_cells(["wald"], x=range(30), largest=30)
    figure = draw_one(cells, KIND, highest=0.1)
    simulated = cells.filter(pl.col("engine") == "monte_carlo")["actual_alpha"]
    above = int((simulated > 0.1).sum())
    assert above
    assert figure.axes[0].get_ylim() == (0, 0.1)
    assert heading(figure) == f"Wald, exposure = 1: {above} of 30 above 0.1, up to 1"


def test_the_exposure_is_asked_for_by_n() -> None:
    cells = pl.concat(
        [rate_outcome_cells(["wald"], x=range(5), exposure=exposure) for exposure in (0.5, 2.0)]
    )
    assert stems(cells, KIND, n=2) == ["alpha_by_outcome-wald-exposure2"]
    with pytest.raises(InputError, match=r"say which n to draw, one of 0\.5, 2"):
        draw_one(cells, KIND)
    with pytest.raises(InputError, match=r"hold no n 1, only 0\.5, 2"):
        draw_one(cells, KIND, n=1)


def test_error_bars_of_groups_are_the_intervals_of_the_table() -> None:
    cells = grouped()
    rows = cells.filter(pl.col("engine") == "monte_carlo")
    ends = {
        float(segment[0, 0]): (segment[0, 1], segment[1, 1])
        for container in draw_one(cells, KIND).axes[0].containers
        for segment in container[2][0].get_segments()
    }
    for x, lower, upper in rows.select("x", "ci_lower", "ci_upper").iter_rows():
        np.testing.assert_allclose(ends[x + 4.5], (lower, upper), rtol=1e-12)
