"""Runs over strata: exact values beside Monte Carlo where all tables of counts are enumerated."""

import numpy as np
import polars as pl
import pytest

import harness
from harness.designs.lists import sums_at_truths
from harness.methods.stratified import sato

SMALL, LARGE = [3, 4], [40, 50]
CONFIG = {
    "name": "strata",
    "figures": [],
    "family": "stratified_difference",
    "n1": [SMALL, LARGE],
    "n2": [[4, 2], LARGE],
    "alpha": 0.1,
    "methods": ["sato", {"name": "sato", "side": "upper", "label": "upper"}, "newcombe"],
    "truth": {"second": [0.5, 0.25], "difference": {"values": [-0.25, 0.125]}},
    "trials": {"per_truth": 500},
    "engines": ["monte_carlo", "enumeration"],
    "seed": 14,
}


@pytest.fixture(scope="module")
def results():
    return harness.run(CONFIG, out=None)


def test_cells_have_the_exact_values_of_all_tables(results):
    cells = results.cells.filter(
        (pl.col("engine") == "enumeration") & (pl.col("method") == "sato")
    ).sort("truth")
    assert cells["n1"].to_list() == [7, 7]
    truths = ((0.25, 0.0, 0.5, 0.25), (0.625, 0.375, 0.5, 0.25))
    differences = np.array([-0.25, 0.125])
    expected = sums_at_truths(lambda data: sato(data, 0.05), (3, 4, 4, 2), truths, differences)
    found = (cells[name].to_numpy() for name in ("miss_below", "miss_above", "length"))
    for column, values in zip(found, expected, strict=True):
        np.testing.assert_allclose(column, values, rtol=1e-12, atol=1e-15)


def test_a_one_sided_interval_misses_on_one_side(results):
    exact = results.summary.filter(
        (pl.col("engine") == "enumeration") & (pl.col("method") == "upper")
    )
    assert exact["miss_below"].to_list() == [0.0]
    assert exact["miss_above"][0] > 0


def test_monte_carlo_is_compared_with_the_exact_values_that_there_are(results):
    by_engine = results.summary.filter(pl.col("method") == "newcombe")
    assert by_engine["n1"].to_list() == [7, 7, 90]
    assert by_engine["engine"].to_list() == ["monte_carlo", "enumeration", "monte_carlo"]
    agreement = results.manifest["agreement"]
    assert agreement["checked"]
    assert agreement["agrees"]


def test_a_size_with_too_many_tables_runs_without_exact_values():
    large = {**CONFIG, "n1": LARGE, "n2": LARGE, "trials": {"per_truth": 4}}
    found = harness.run(large, out=None)
    assert found.summary["engine"].unique().to_list() == ["monte_carlo"]
    assert not found.manifest["agreement"]["checked"]
