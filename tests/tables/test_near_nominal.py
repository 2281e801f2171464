"""From which size on coverage is near nominal, of cells made by hand."""

from __future__ import annotations

import polars as pl
import pytest
from rich.console import Console

from harness.screen.comparisons import near_nominal_screen
from harness.tables.answers import near_nominal
from tests.study.experiments import DRAWN, in_memory

SIZES = (20, 50, 100)


def cells(*columns, sizes=SIZES, alpha=0.05, family="clustered_proportion"):
    """Cells at given truths, of (method, rho, actual alphas) over the sizes."""
    rows = [
        {
            "family": family,
            "method": method,
            "side": "two-sided",
            "alpha": alpha,
            "clusters": clusters,
            "size": 10,
            "engine": "monte_carlo",
            "given": "truth",
            "truth": 0.8,
            "rho": rho,
            "actual_alpha": actual,
            "std_error": clusters / 1e5,
        }
        for method, rho, actuals in columns
        for clusters, actual in zip(sizes, actuals, strict=True)
    ]
    return pl.DataFrame(rows)


def near_from(*actuals, **settings):
    (found,) = near_nominal(cells(("wilson", 0.1, actuals), **settings))["near_from"]
    return found


@pytest.mark.parametrize(
    ("actuals", "expected"),
    [
        ((0.05, 0.05, 0.05), 20),
        ((0.061, 0.05, 0.05), 50),
        ((0.061, 0.06, 0.04), 50),
        ((0.05, 0.05, 0.0601), None),
        # Near by chance at the smallest, and from the largest on.
        ((0.05, 0.03, 0.055), 100),
        ((0.05, None, 0.055), 100),
    ],
)
def test_it_is_the_size_from_which_on_all_are_within_a_fifth_of_alpha(actuals, expected):
    assert near_from(*actuals) == expected


def test_the_part_is_of_alpha():
    assert near_from(0.13, 0.12, 0.08, alpha=0.1) == 50


def test_sizes_in_any_order_are_ordered():
    table = cells(("wilson", 0.1, (0.07, 0.05, 0.05)))
    assert near_nominal(table.reverse())["near_from"].to_list() == [50]


def test_a_row_has_the_coverage_there_and_at_the_largest_size():
    never = "scas", 0.1, (0.0, 0.0, 0.0)
    table = near_nominal(cells(("wilson", 0.1, (0.07, 0.045, 0.052)), never))
    assert table.height == 2
    first, second = table.rows(named=True)
    assert first["within"] == pytest.approx(0.01)
    assert (first["near_from"], first["largest"]) == (50, 100)
    assert first["coverage"] == pytest.approx(0.955)
    assert first["std_error"] == 50 / 1e5
    assert first["largest_coverage"] == pytest.approx(0.948)
    assert first["largest_std_error"] == 100 / 1e5
    assert [second[name] for name in ("near_from", "coverage", "std_error")] == [None] * 3
    assert second["largest_coverage"] == 1.0


def test_each_true_value_and_second_size_has_a_row():
    table = pl.concat(
        [
            cells(("wilson", 0.0, (0.05, 0.05, 0.05)), ("wilson", 0.5, (0.3, 0.3, 0.3))),
            cells(("wilson", 0.0, (0.07, 0.05, 0.05))).with_columns(size=pl.lit(5, pl.Int64)),
        ]
    )
    found = near_nominal(table).select("size", "rho", "near_from")
    assert found.rows() == [(10, 0.0, 20), (10, 0.5, None), (5, 0.0, 50)]


def test_it_is_none_for_one_size_and_for_numbered_outcomes():
    assert near_nominal(cells(("wilson", 0.1, (0.05,)), sizes=(20,))) is None
    assert in_memory(DRAWN, methods=["wald", "wilson"]).near_nominal is None


def test_the_screen_has_a_column_for_each_true_value():
    table = near_nominal(
        cells(("wilson", 0.0, (0.05, 0.05, 0.05)), ("wilson", 0.5, (0.3, 0.3, 0.3)))
    )
    console = Console(width=120, no_color=True)
    with console.capture() as printed:
        console.print(near_nominal_screen(table))
    lines = printed.get().splitlines()
    text = " ".join(printed.get().split())
    assert text.startswith("The clusters from which on coverage is within alpha/5 of nominal")
    assert any(line.split() == ["method", "rho", "=", "0", "rho", "=", "0.5"] for line in lines)
    assert any(line.split() == ["wilson", "20", "–"] for line in lines)
