"""What `alpha_by_outcome` shows is what the tables hold."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from harness.errors import InputError
from harness.figures.draw import drawings
from tests.figures.artists import all_named, legend_names, named
from tests.figures.tables import FakeResults, Spec, outcome_cells

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
    (drawing,) = drawings(FakeResults(cells), [Spec(KIND)])
    expected = missed(cells)
    assert expected, "a case without a miss would not test the marks"
    marks, dots = named(drawing.figure, "missed"), named(drawing.figure, "held")
    assert list(marks.get_xdata()) == expected
    assert sorted([*marks.get_xdata(), *dots.get_xdata()]) == list(range(101))
    assert marks.get_marker() != dots.get_marker()
    assert marks.get_color() != dots.get_color()
    assert f"{len(expected)} of 101 intervals miss exact α" in legend_names(drawing.figure)


def test_an_interval_that_ends_at_the_exact_value_holds_it() -> None:
    cells = outcome_cells(20, ["wald"])
    exact = cells.filter(pl.col("engine") == "enumeration")["actual_alpha"]
    touching = cells.filter(pl.col("engine") == "monte_carlo").with_columns(
        actual_alpha=exact + 0.01, ci_lower=exact, ci_upper=exact + 0.02
    )
    both = pl.concat([cells.filter(pl.col("engine") == "enumeration"), touching])
    (drawing,) = drawings(FakeResults(both), [Spec(KIND)])
    assert "0 of 21 intervals miss exact α" in legend_names(drawing.figure)


def test_lines_are_the_exact_and_the_nominal_alpha() -> None:
    cells = outcome_cells(50, ["clopper_pearson"])
    (drawing,) = drawings(FakeResults(cells), [Spec(KIND)])
    exact = cells.filter(pl.col("engine") == "enumeration")
    assert list(named(drawing.figure, "exact").get_ydata()) == exact["actual_alpha"].to_list()
    assert set(named(drawing.figure, "nominal").get_ydata()) == {0.05}
    assert {"exact α (enumeration)", "nominal α = 0.05"} <= set(legend_names(drawing.figure))


def test_error_bars_are_the_intervals_of_the_table() -> None:
    cells = outcome_cells(50, ["balanced_tail"])
    (drawing,) = drawings(FakeResults(cells), [Spec(KIND)])
    ends = {
        round(segment[0, 0]): (segment[0, 1], segment[1, 1])
        for container in drawing.figure.axes[0].containers
        for segment in container[2][0].get_segments()
    }
    rows = cells.filter(pl.col("engine") == "monte_carlo")
    for x, lower, upper in rows.select("x", "ci_lower", "ci_upper").iter_rows():
        assert ends[x] == pytest.approx((lower, upper), rel=1e-12)


def test_axes_hold_all_and_say_what_they_show() -> None:
    cells = outcome_cells(100, ["wald"])
    (drawing,) = drawings(FakeResults(cells), [Spec(KIND)])
    (axes,) = drawing.figure.axes
    left, right = axes.get_xlim()
    bottom, top = axes.get_ylim()
    assert left < 0 < 100 < right
    assert bottom == 0
    assert top >= cells["ci_upper"].max()
    assert axes.get_xlabel() == "outcome x (successes of n = 100)"
    assert axes.get_ylabel() == "α (share of trials that miss)"
    assert drawing.figure.legends[0].get_title().get_text() == "wald, n = 100"


def test_without_enumeration_the_posterior_is_the_exact_value() -> None:
    cells = outcome_cells(20, ["wald"]).with_columns(
        engine=pl.col("engine").replace("enumeration", "posterior")
    )
    (drawing,) = drawings(FakeResults(cells), [Spec(KIND)])
    assert "exact α (posterior)" in legend_names(drawing.figure)


def test_without_an_exact_value_nothing_is_marked() -> None:
    cells = outcome_cells(20, ["wald"]).filter(pl.col("engine") == "monte_carlo")
    (drawing,) = drawings(FakeResults(cells), [Spec(KIND)])
    assert all_named(drawing.figure, "missed") == []
    assert legend_names(drawing.figure) == ["nominal α = 0.05", "Monte Carlo, 95 % interval"]


def test_outcomes_that_never_came_up_have_no_point() -> None:
    cells = outcome_cells(20, ["balanced_tail"]).filter(
        (pl.col("engine") == "enumeration") | (pl.col("x") != 7)
    )
    (drawing,) = drawings(FakeResults(cells), [Spec(KIND)])
    points = np.concatenate([named(drawing.figure, g).get_xdata() for g in ("held", "missed")])
    assert sorted(points) == [x for x in range(21) if x != 7]
    assert any("of 20 intervals" in name for name in legend_names(drawing.figure))


def test_one_drawing_per_method_and_alpha() -> None:
    cells = outcome_cells(10, ["wald", "balanced_tail"], alphas=(0.05, 0.1))
    found = [drawing.stem for drawing in drawings(FakeResults(cells), [Spec(KIND)])]
    assert found == [
        "alpha_by_outcome-wald-n10-alpha0.05",
        "alpha_by_outcome-wald-n10-alpha0.1",
        "alpha_by_outcome-balanced_tail-n10-alpha0.05",
        "alpha_by_outcome-balanced_tail-n10-alpha0.1",
    ]
    (one,) = drawings(FakeResults(cells), [Spec(KIND, {"method": "wald", "alpha": 0.1})])
    assert one.stem == "alpha_by_outcome-wald-n10-alpha0.1"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "say which n to draw, one of 5, 10"),
        ({"n": 7}, "the results hold no n 7, only 5, 10"),
        ({"n": 5, "method": "wilson"}, "the results hold no method wilson, only wald"),
        ({"n": 5, "alpha": 0.01}, "the results hold no alpha 0.01, only 0.05"),
    ],
)
def test_what_is_absent_is_said(options: dict[str, object], message: str) -> None:
    cells = pl.concat([outcome_cells(n, ["wald"]) for n in (5, 10)])
    with pytest.raises(InputError, match=message):
        drawings(FakeResults(cells), [Spec(KIND, options)])


def test_results_without_monte_carlo_are_refused() -> None:
    cells = outcome_cells(5, ["wald"]).filter(pl.col("engine") == "enumeration")
    with pytest.raises(InputError, match="no cells per outcome by monte_carlo"):
        drawings(FakeResults(cells), [Spec(KIND)])
