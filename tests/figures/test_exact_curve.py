"""A line that is called exact reaches the depth that the tables have, between their truths too."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import special

import harness
from harness.figures.draw import drawings
from harness.tables.results import Results
from tests.figures.artists import all_named, legend_names, named
from tests.figures.tables import Spec

ROUNDING = 1e-12
"""The table and the line sum the same probabilities."""


def run(**changes: Any) -> Results:
    config = {
        "name": "curves",
        "family": "proportion",
        "n": 200,
        "methods": ["wilson", "blaker"],
        "truth": {"grid": {"start": 0.001, "stop": 0.999, "count": 9}},
        "engines": ["enumeration"],
    }
    return harness.run(config | changes, out=None)


def lines(results: Results, **options: Any) -> list[tuple[np.ndarray, np.ndarray]]:
    """The exact lines of all panels."""
    (drawing,) = drawings(results, [Spec("coverage_curve", options)])
    found = all_named(drawing.figure, "exact")
    return [(np.asarray(line.get_xdata()), np.asarray(line.get_ydata())) for line in found]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"n": 20, "methods": ["wald", "arcsine", "clopper_pearson"]},
        {"n": 30, "sampling": {"beta_binomial": {"rho": 0.1}}},
        {"family": "rate", "n": None, "exposure": 4, "methods": ["garwood"]},
    ],
    ids=["deep teeth", "small", "law", "rate"],
)
def test_the_lowest_point_of_the_line_is_the_worst_case_of_the_table(
    changes: dict[str, Any],
) -> None:
    given = {key: value for key, value in changes.items() if value is not None}
    if "exposure" in given:
        given["truth"] = {"grid": {"start": 0.5, "stop": 5.0, "count": 7}}
        config = {"name": "curves", "engines": ["enumeration"], **given}
        results = harness.run(config, out=None)
    else:
        results = run(**given)
    for (_, coverage), worst in zip(lines(results), results.summary["worst_alpha"], strict=True):
        assert coverage.min() == pytest.approx(1 - worst, abs=ROUNDING)


def test_wilson_at_200_reaches_below_what_its_listed_truths_show() -> None:
    results = run()
    wilson = results.summary.filter(method="wilson")["worst_alpha"].item()
    listed = results.cells.filter(method="wilson")["actual_alpha"].max()
    (_, coverage), _ = lines(results)
    assert coverage.min() == pytest.approx(1 - wilson, abs=ROUNDING)
    assert coverage.min() < 1 - listed - 0.03


def test_the_line_stands_upright_where_it_jumps() -> None:
    """The number of jumps is that of the limits inside the range, and each has two values."""
    (truths, coverage), _ = lines(run(n=10))
    wilson = harness.interval("proportion", "wilson", x=np.arange(11), n=10)
    limits = np.concatenate((wilson.lower, wilson.upper))
    inside = np.unique(limits[(limits > 0.001) & (limits < 0.999)])
    upright = np.flatnonzero(np.diff(truths) == 0)
    np.testing.assert_array_equal(truths[upright], inside)
    assert (np.abs(np.diff(coverage)[upright]) > 1e-9).all()


def test_limits_of_a_users_method_are_read_from_the_tables() -> None:
    """Without Monte Carlo and posterior they are not there, and the listed truths are points."""
    engines = ["posterior", "enumeration"]
    stored = run(n=20, methods=["wilson"], engines=engines)
    bare = Results(stored.cells, stored.summary, {})
    np.testing.assert_array_equal(lines(stored), lines(bare))
    without = Results(stored.cells.filter(given="truth"), stored.summary, {})
    (drawing,) = drawings(without, [Spec("coverage_curve")])
    assert named(drawing.figure, "exact").get_linestyle() == "None"
    assert "exact, at listed values" in legend_names(drawing.figure)


def test_two_samples_agree_with_enumeration_at_every_listed_truth() -> None:
    truths = {"first": {"grid": {"start": 0.05, "stop": 0.95, "count": 19}}}
    results = harness.run(
        {
            "name": "two",
            "family": "proportion_difference",
            "n1": 12,
            "n2": 9,
            "methods": ["newcombe"],
            "truth": {**truths, "second": {"values": [0.3]}},
            "engines": ["enumeration"],
        },
        out=None,
    )
    ((first, coverage),) = lines(results)
    exact = results.cells.filter(pl.col("given") == "truth")
    assert exact.height == 19
    for truth, alpha in exact.select("truth1", "actual_alpha").iter_rows():
        beside = np.searchsorted(first, truth)
        around = coverage[max(beside - 1, 0) : beside + 2]
        assert around.min() - 0.01 <= 1 - alpha <= around.max() + 0.01
    assert (np.diff(first) == 0).sum() > 100
    assert coverage.min() < 1 - exact["actual_alpha"].max()


def test_a_finite_population_has_points_at_its_truths() -> None:
    results = run(
        n=10,
        methods=["wilson"],
        sampling={"hypergeometric": {"population": 40}},
        truth={"values": [0.1, 0.25, 0.5]},
    )
    (drawing,) = drawings(results, [Spec("coverage_curve")])
    assert named(drawing.figure, "exact").get_linestyle() == "None"


def test_the_line_runs_over_the_range_that_is_asked_for() -> None:
    results = run(n=20, methods=["wilson"])
    ((truths, coverage),) = lines(results, xlim=[0.9, 1.0])
    assert (truths[0], truths[-1]) == (0.9, 1.0)
    wilson = harness.interval("proportion", "wilson", x=np.arange(21), n=20)
    assert coverage.min() == pytest.approx(_lowest(wilson.lower, wilson.upper), abs=ROUNDING)


def _lowest(lower: np.ndarray, upper: np.ndarray) -> float:
    """The lowest coverage of a truth from 0.9 to 1 that lies just beside a limit, by summing."""
    x, least = np.arange(21), 1.0
    for limit in np.concatenate((lower, upper)):
        for truth in (np.nextafter(limit, 0), np.nextafter(limit, 1)):
            if 0.9 < truth < 1:
                weight = special.binom(20, x) * truth**x * (1 - truth) ** (20 - x)
                least = min(least, weight[(lower <= truth) & (truth <= upper)].sum())
    return least
