"""What `alpha_by_outcome` shows of rates: groups, an open end, and two exact lines."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from harness.errors import InputError
from harness.figures.draw import drawings
from tests.figures.artists import all_named, legend_names, named
from tests.figures.rate_tables import rate_outcome_cells
from tests.figures.tables import FakeResults, Spec, outcome_cells

KIND = "alpha_by_outcome"


def one(cells: pl.DataFrame, **options: object):
    (drawing,) = drawings(FakeResults(cells), [Spec(KIND, options)])
    return drawing.figure


def grouped() -> pl.DataFrame:
    return rate_outcome_cells(["balanced_tail"], x=range(60), largest=30, group=10)


def test_groups_stand_at_their_middle() -> None:
    figure = one(grouped())
    points = [x for gid in ("held", "missed") for x in named(figure, gid).get_xdata()]
    assert sorted(points) == [4.5, 14.5, 24.5, 34.5, 44.5, 54.5]
    assert list(named(figure, "exact").get_xdata()) == sorted(points)


def test_a_group_without_an_end_is_labelled_so() -> None:
    (axes,) = one(grouped()).axes
    names = [tick.get_text() for tick in axes.get_xticklabels()]
    labels = dict(zip(names, axes.get_xticks(), strict=True))
    assert labels["≥ 50"] == 54.5
    assert all(at < 50 for name, at in labels.items() if name != "≥ 50")
    low, high = axes.get_xlim()
    assert low < 4.5
    assert high > 54.5


def test_groups_that_all_end_have_plain_ticks() -> None:
    cells = grouped().with_columns(pl.col("x_last").fill_null(59))
    (axes,) = one(cells).axes
    assert not any("≥" in tick.get_text() for tick in axes.get_xticklabels())


@pytest.mark.parametrize("two_references", [False, True])
def test_the_alpha_of_the_prior_stands_beside_that_of_the_truth(two_references: bool) -> None:
    """Given as a column of its own, or by the posterior beside enumeration."""
    cells = rate_outcome_cells(["wald"], x=range(60), largest=30, two_references=two_references)
    figure = one(cells)
    rows = cells.filter(pl.col("engine") == "enumeration")["actual_alpha"]
    prior = cells.filter(pl.col("engine") == "posterior")
    column = "prior_alpha" if two_references else "actual_alpha"
    assert list(named(figure, "exact").get_ydata()) == rows.to_list()
    assert list(named(figure, "prior").get_ydata()) == prior[column].to_list()
    assert {"exact α, experiment's truth", "exact α, reference prior"} <= set(legend_names(figure))


def test_marks_are_judged_by_the_experiment_s_own_truth() -> None:
    cells = rate_outcome_cells(["balanced_tail"], x=range(45), largest=30, trials=4000)
    own, prior = (
        cells.filter(pl.col("engine") == engine)["actual_alpha"].to_numpy()
        for engine in ("enumeration", "posterior")
    )
    rows = cells.filter(pl.col("engine") == "monte_carlo")
    low, high = rows["ci_lower"].to_numpy(), rows["ci_upper"].to_numpy()
    missed = [int((exact < low).sum() + (exact > high).sum()) for exact in (own, prior)]
    assert missed[0] != missed[1]
    assert f"{missed[0]} of 45 intervals miss exact α" in legend_names(one(cells))


def test_alphas_that_differ_by_rounding_alone_are_one_line() -> None:
    cells = rate_outcome_cells(["wald"], x=range(10))
    nearly = pl.when(pl.col("engine") == "posterior").then(5e-7).otherwise(0.0)
    figure = one(cells.with_columns(actual_alpha=pl.col("actual_alpha") + nearly))
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
    figure = one(cells)
    rows = cells.filter(pl.col("engine") == "posterior")
    assert list(named(figure, "exact").get_ydata()) == rows["actual_alpha"].to_list()
    assert list(named(figure, "prior").get_ydata()) == rows["prior_alpha"].to_list()


def test_two_lines_of_a_proportion_part_too() -> None:
    cells = outcome_cells(20, ["wald"])
    posterior = cells.filter(pl.col("engine") == "enumeration").with_columns(
        engine=pl.lit("posterior"), actual_alpha=pl.col("actual_alpha") * 0.9
    )
    figure = one(pl.concat([cells, posterior]))
    assert list(named(figure, "prior").get_ydata()) == posterior["actual_alpha"].to_list()


def test_axes_speak_of_events_and_exposure() -> None:
    figure = one(rate_outcome_cells(["wald"], x=range(10), exposure=2.5))
    (axes,) = figure.axes
    assert axes.get_xlabel() == "outcome x (events in exposure 2.5)"
    assert figure.legends[0].get_title().get_text() == "wald, exposure = 2.5"
    low, high = axes.get_xlim()
    assert low < 0 < 9 < high


def test_what_lies_above_the_axis_is_counted() -> None:
    cells = rate_outcome_cells(["wald"], x=range(30), largest=30)
    figure = one(cells, highest=0.1)
    simulated = cells.filter(pl.col("engine") == "monte_carlo")["actual_alpha"]
    above = int((simulated > 0.1).sum())
    assert above
    assert figure.axes[0].get_ylim() == (0, 0.1)
    title = figure.legends[0].get_title().get_text().replace("\n", " ")
    assert title == f"wald, exposure = 1: {above} of 30 above 0.1, up to 1"


def test_the_exposure_is_asked_for_by_n() -> None:
    cells = pl.concat(
        [rate_outcome_cells(["wald"], x=range(5), exposure=exposure) for exposure in (0.5, 2.0)]
    )
    (drawing,) = drawings(FakeResults(cells), [Spec(KIND, {"n": 2})])
    assert drawing.stem == "alpha_by_outcome-wald-exposure2"
    with pytest.raises(InputError, match=r"say which n to draw, one of 0\.5, 2"):
        one(cells)
    with pytest.raises(InputError, match=r"hold no n 1, only 0\.5, 2"):
        one(cells, n=1)


def test_error_bars_of_groups_are_the_intervals_of_the_table() -> None:
    cells = grouped()
    rows = cells.filter(pl.col("engine") == "monte_carlo")
    ends = {
        float(segment[0, 0]): (segment[0, 1], segment[1, 1])
        for container in one(cells).axes[0].containers
        for segment in container[2][0].get_segments()
    }
    for x, lower, upper in rows.select("x", "ci_lower", "ci_upper").iter_rows():
        np.testing.assert_allclose(ends[x + 4.5], (lower, upper), rtol=1e-12)
