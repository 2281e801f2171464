"""Every family through all three engines, from a config to tables that agree with each other."""

from __future__ import annotations

import numpy as np
import pytest

import harness
from harness.tables.manifest import agrees

ONE = {"alpha": [0.05, 0.2], "seed": 2003, "trials": {"per_size": 20_000}}
UNIFORM = {"first": {"uniform": [0, 1]}, "second": {"uniform": [0, 1]}}
RATES = {"first": {"uniform": [0, 3]}, "second": {"gamma": [2, 4]}}
LISTED = {"first": {"values": [0.1, 0.6]}, "second": {"values": [0.2, 0.3, 0.9]}}
CASES = {
    "rate": {"exposure": [0.5, 4], "methods": ["garwood", "wald"], "truth": {"uniform": [0, 10]}},
    "rate gamma": {
        "family": "rate",
        "exposure": 2,
        "methods": ["jeffreys", {"name": "one_sided", "side": "lower"}],
        "truth": {"gamma": [2, 0.5]},
    },
    "rate listed": {
        "family": "rate",
        "exposure": 1,
        "methods": ["minimal_length", "score"],
        "truth": {"values": [0.1, 3, 20]},
    },
    "proportion_difference": {
        "alpha": 0.05,
        "n1": [4, 3],
        "n2": [6, 3],
        "methods": ["newcombe", "minimal_length", {"name": "mee", "side": "upper"}],
        "truth": UNIFORM,
    },
    "proportion_difference in parts": {
        "family": "proportion_difference",
        "alpha": 0.05,
        "n1": 6,
        "n2": 5,
        "methods": ["balanced_tail", "wald"],
        "truth": {"first": {"uniform": [0.2, 0.7]}, "second": {"beta": [2, 3]}},
    },
    "rate_difference": {
        "alpha": 0.05,
        "exposure1": 0.5,
        "exposure2": 0.7,
        "methods": ["score", "balanced_tail"],
        "truth": RATES,
    },
    "balanced_accuracy": {
        "n1": 5,
        "n2": 8,
        "methods": ["exact_union", "balanced_width"],
        "truth": LISTED,
        "trials": {"per_truth": 4_000},
    },
}


@pytest.fixture(scope="module", params=CASES)
def found(request, tmp_path_factory):
    name = request.param
    config = {
        "name": "families/" + name.replace(" ", "_"),
        "figures": [],
        "family": name,
        **ONE,
        **CASES[name],
    }
    return harness.run(config, out=tmp_path_factory.mktemp("families"))


def test_the_engines_agree(found):
    assert agrees(found.manifest)
    assert found.manifest["agreement"]["checked"]
    assert found.manifest["identity"]["largest_discrepancy_below"] <= 1e-11


def test_what_is_read_is_what_was_written(found):
    again = harness.load(found.path)
    assert again.cells.equals(found.cells)
    assert again.summary.equals(found.summary)
    assert again.manifest == found.manifest


def test_every_engine_has_a_row_for_every_method_alpha_and_size(found):
    counted = found.summary.group_by("method", "alpha").len()
    sizes = len({tuple(row[4:6]) for row in found.summary.rows()})
    assert set(counted["len"]) <= {3 * sizes, 3, 6}
    assert set(found.summary["engine"]) == {"monte_carlo", "posterior", "enumeration"}


def test_cells_have_columns_for_the_outcomes_and_truths_of_each_sample(found):
    two = not {"n1", "exposure1"}.isdisjoint(found.manifest["experiment"])
    counts = ["x1", "x2"] if two else ["x"]
    outcomes = found.cells.filter(found.cells["given"] == "outcome")
    assert outcomes.select(counts).null_count().sum_horizontal()[0] == 0
    truths = found.cells.filter(found.cells["given"] == "truth")
    names = ["truth1", "truth2"] if two else ["truth"]
    assert truths.select(names).null_count().sum_horizontal().sum() == 0


def test_a_worst_case_is_no_better_than_the_mean_and_than_any_cell(found):
    exact = found.summary.filter(found.summary["engine"] == "enumeration")
    known = exact.filter(exact["worst_alpha"].is_not_null())
    assert known.height
    assert (known["worst_alpha"] >= known["actual_alpha"] - 1e-12).all()
    kind = found.manifest["worst_cases"][0]
    two = "truth1" in found.cells.columns
    assert ("found_by" in kind) == two
    over, truths = (kind["over"], kind["truth"]) if two else ([kind["over"]], [kind["truth"]])
    assert all(low <= truth <= high for (low, high), truth in zip(over, truths, strict=True))


def test_under_a_flat_truth_posterior_and_enumeration_have_one_mean():
    name = "proportion_difference"
    config = {"name": "families/flat", "figures": [], "family": name, **ONE, **CASES[name]}
    summary = harness.run(config, out=None).summary
    posterior, enumeration = (
        summary.filter(summary["engine"] == engine)["actual_alpha"].to_numpy()
        for engine in ("posterior", "enumeration")
    )
    np.testing.assert_allclose(posterior, enumeration, rtol=0, atol=1e-11)
