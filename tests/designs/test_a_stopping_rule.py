"""A design whose outcome is two numbers, and whose methods are those of a proportion."""

from __future__ import annotations

from dataclasses import replace
from math import comb

import numpy as np
import pytest

import harness
from harness.catalogue import register
from harness.checks import plans
from harness.cli import main
from harness.designs.catalogue import DESIGNS
from harness.designs.design import Design, Outcomes
from harness.designs.engines.solver import Solver
from harness.designs.one_sample.design import ONE_SAMPLE
from harness.distributions.truths import DiscreteTruth
from harness.families import proportion
from harness.families.catalogue import FAMILIES
from harness.families.family import ENUMERATION, MONTE_CARLO, Family
from harness.families.model import model_like
from harness.methods.catalogue import CATALOGUE

FAILURES = 3
"""Trials stop at so many failures, or where as many were made as are planned."""

FAMILY = Family(
    "curtailed_proportion",
    "a proportion where trials stop at the third failure: x of the n that were made",
    "p",
    model_like(proportion, SIZE="planned"),
    "stopped trials",
    engines=(MONTE_CARLO, ENUMERATION),
    data=("x", "n"),
    counts=("x", "n"),
    sizes=("planned",),
    own_columns={"planned": "Number of trials that are planned."},
    truths=("truth",),
    symbols=("p",),
    support=(0.0, 1.0),
    validate_data=lambda given: proportion.validate_data(given["x"], given["n"]),
    estimate=lambda data: data[0] / data[1],
    columns=lambda counts, sizes: tuple(counts),
)


def possible(scenario):
    """The x and the n of every outcome: of those that stop early, then of those that do not."""
    planned = int(scenario.size)
    x = np.arange(planned - FAILURES + 1)
    last = planned - np.arange(FAILURES)
    return np.append(x, last), np.append(x + FAILURES, np.full(FAILURES, planned))


def draw(scenario, truths, rng, count):
    p = np.broadcast_to(truths[0], (count or np.size(truths[0]),))
    failed = rng.random((p.size, int(scenario.size))) >= p[:, np.newaxis]
    stops = np.cumsum(failed, axis=1) == FAILURES
    x = np.where(stops.any(axis=1), stops.argmax(axis=1) + 1 - FAILURES, 0)
    failures = failed.sum(axis=1)
    late = int(scenario.size) - FAILURES + 1 + failures
    return np.where(failures >= FAILURES, x, late)


def probabilities(scenario, truths, outcomes):
    (x, n), p = scenario.counts(outcomes), truths[0]
    ways = [comb(n - (n - x == FAILURES), x) for x, n in zip(x.tolist(), n.tolist(), strict=True)]
    return np.array(ways) * p**x * (1 - p) ** (n - x)


STOPPED = Design(
    FAMILY.design,
    Outcomes(
        count=lambda scenario: float(possible(scenario)[0].size),
        draw=draw,
        probabilities=probabilities,
        decode=lambda scenario, outcomes: tuple(each[outcomes] for each in possible(scenario)),
    ),
    exact=Solver,
    values=ONE_SAMPLE.values,
    keyed_by_value=True,
)


@pytest.fixture(scope="module", autouse=True)
def added():
    names = "wilson", "clopper_pearson"
    register(STOPPED, {FAMILY: {name: CATALOGUE["proportion"][name] for name in names}})
    usual = plans.checked_at(FAMILIES["proportion"])
    at = {
        True: replace(usual, exact=(5, 10), properties=(3, 5, 10), trials=(10,), rungs=3, spread=9)
    }
    truth = DiscreteTruth((0.1, 0.3, 0.5, 0.9))
    plans.register(STOPPED, plans.CheckPlan(at, truth=lambda family: truth))
    yield
    del DESIGNS[STOPPED.name], plans.PLANS[STOPPED.name]
    for table in (FAMILIES, CATALOGUE):
        del table[FAMILY.name]


def test_trials_agree_with_probabilities_and_a_report_shows_them(tmp_path):
    config = {
        "name": "stopped",
        "family": FAMILY.name,
        "planned": [5, 10],
        "methods": ["wilson", "clopper_pearson"],
        "truth": {"values": [0.1, 0.3, 0.8]},
        "trials": {"per_truth": 4000},
        "seed": 5,
    }
    results = harness.run(config, out=tmp_path / "stopped")
    rows = results.summary.sort("engine", "method", "planned")
    drawn, exact = (rows.filter(engine=engine) for engine in (MONTE_CARLO, ENUMERATION))
    # All four together are off by so much at most once in 10^5 seeds.
    apart = drawn["actual_alpha"] - exact["actual_alpha"]
    assert (apart.abs() < 5 * drawn["std_error"]).all()
    assert main(["report", str(results.path)]) == 0


def test_a_check_of_an_exact_method_passes():
    checked = harness.check("clopper_pearson", family=FAMILY.name)
    assert {finding.verdict for finding in checked.findings} == {"pass"}
    assert checked.keeps.startswith("keeps: at-least")
