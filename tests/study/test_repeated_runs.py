"""Runs of experiments on the mean of repeated runs: Monte Carlo beside the closed form."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import harness
from harness.distributions.run_truths import runs_truth
from harness.methods.catalogue.lists import MEAN as METHODS
from harness.screen.results import results_screen

NORMAL: dict[str, Any] = {
    "name": "runs",
    "figures": [],
    "title": "Runs",
    "family": "mean",
    "k": [2, 5, 30],
    "alpha": 0.05,
    "methods": list(METHODS),
    "truth": {"normal": {"mean": -3, "sd": 2}},
    "trials": {"per_size": 400},
    "seed": 1908,
}
CLOSED = ["z_population", "z_sample", "student_t"]


@pytest.fixture(scope="module")
def normal() -> harness.Results:
    return harness.run(NORMAL, out=None)


def by(results: harness.Results, engine: str) -> pl.DataFrame:
    return results.summary.filter(engine=engine)


def test_closed_forms_stand_beside_monte_carlo_where_runs_are_normal(normal):
    exact, simulated = by(normal, "closed_form"), by(normal, "monte_carlo")
    assert exact["method"].unique(maintain_order=True).to_list() == CLOSED
    assert simulated["method"].unique(maintain_order=True).to_list() == list(METHODS)
    assert normal.manifest["agreement"]["agrees"]
    assert normal.manifest["agreement"]["not_checked"] == list(METHODS)[3:]
    five = exact.filter(k=5)
    assert [round(100 * value, 1) for value in five["coverage"]] == [84.6, 87.8, 95.0]
    assert exact.filter(method="student_t")["actual_alpha"].to_list() == pytest.approx([0.05] * 3)


def test_a_run_says_that_exact_values_rest_on_normality(normal):
    (assumption,) = normal.manifest["assumptions"]
    assert assumption == {"assumes": "normal values of runs", "methods": CLOSED}
    printed = [line for line in results_screen(normal) if isinstance(line, str)]
    said = "The exact values of z_population, z_sample, student_t rest on normal values of runs."
    assert said in printed
    assert normal.summary["sampling"].unique().to_list() == ["normal runs, sd 2"]


@pytest.mark.parametrize(
    "truth",
    [
        {"gamma": {"mean": 0.75, "sd": 0.02, "skewness": -2}},
        {"beta": [57, 3]},
        {"mixture": {"normal": {"mean": 1, "sd": 1}, "failed": {"share": 0.1, "mean": 0, "sd": 0}}},
    ],
)
def test_other_laws_have_no_closed_form_and_are_named(truth):
    changed = {"truth": truth, "methods": ["student_t", "bootstrap_t"], "k": 4}
    results = harness.run(NORMAL | changed, out=None)
    assert results.summary["engine"].unique().to_list() == ["monte_carlo"]
    assert "assumptions" not in results.manifest
    ((name, settings),) = truth.items()
    assert results.summary["sampling"][0] == runs_truth(name, settings).title
    printed = " ".join(line for line in results_screen(results) if isinstance(line, str))
    assert "Student's interval is exact for normal values" in printed


def test_one_sided_intervals_are_of_infinite_length_in_both_engines():
    methods = [{"name": name, "side": side} for name in CLOSED for side in ("lower", "upper")]
    results = harness.run(NORMAL | {"methods": methods, "alpha": [0.05, 0.6]}, out=None)
    assert results.manifest["agreement"]["agrees"]
    assert results.summary["mean_length"].is_infinite().all()
    assert results.summary.filter(side="lower")["miss_above"].max() == 0
    assert results.summary.filter(side="upper")["miss_below"].max() == 0
