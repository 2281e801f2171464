"""A design whose data are lists, which has trials and no exact values: scores of two groups."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from scipy.special import ndtri

import harness
from harness.catalogue import register
from harness.checks import plans
from harness.cli import main
from harness.designs.catalogue import DESIGNS
from harness.designs.design import Design, Lists
from harness.distributions.truths import DiscreteTruth
from harness.families import proportion
from harness.families.catalogue import FAMILIES
from harness.families.family import MONTE_CARLO, Family
from harness.families.model import model_like
from harness.methods.catalogue import CATALOGUE
from harness.methods.method import Method


def area(data):
    """The share of pairs in which the positive has the larger score."""
    positives, negatives = data
    return (positives[..., :, np.newaxis] > negatives[..., np.newaxis, :]).mean(axis=(-1, -2))


FAMILY = Family(
    "area",
    "an area under the ROC curve: scores of positives and of negatives",
    "AUC",
    model_like(proportion, NAME="scores", PRIOR_SYMBOLS=()),
    "scores of two groups",
    engines=(MONTE_CARLO,),
    data=("positives", "negatives"),
    sizes=("each",),
    own_columns={"each": "Number of positives, and of negatives."},
    truths=("truth",),
    symbols=("AUC",),
    support=(0.0, 1.0),
    validate_data=lambda given: tuple(np.asarray(given[name], float) for name in FAMILY.data),
    estimate=area,
    columns=lambda lists, sizes: tuple(lists),
    lists_are_counts=False,
)


def draw(scenario, number, trials, rng):
    """Binormal scores: positives exceed negatives by √2·z in the mean, where Φ(z) is the area."""
    shape = trials, int(scenario.size)
    apart = sqrt(2.0) * ndtri(scenario.truth.values[number])
    return rng.normal(apart, 1.0, shape), rng.normal(0.0, 1.0, shape)


SCORES = Design(
    FAMILY.design,
    outcomes=None,
    lists=Lists(
        draw,
        width=lambda scenario: int(scenario.size),
    ),
    values=lambda scenario: (np.array(scenario.truth.values),),
)


def hanley_mcneil(data, tail):
    """Hanley and McNeil (1982), Radiology 143, 29–36."""
    found, (m, n) = area(data), (each.shape[-1] for each in data)
    first, second = found / (2 - found), 2 * found**2 / (1 + found)
    spread = (m - 1) * (first - found**2) + (n - 1) * (second - found**2)
    half = -ndtri(tail) * np.sqrt((found * (1 - found) + spread) / (m * n))
    return np.maximum(found - half, 0.0), np.minimum(found + half, 1.0)


@pytest.fixture(scope="module", autouse=True)
def added():
    register(SCORES, {FAMILY: {"hanley_mcneil": Method("Hanley-McNeil", "", hanley_mcneil)}})
    lists = plans.CheckedLists(
        data_sets=(([3, 2, 9], [1, 0, 2.5]), ([3, 2, 9], [-1, 0, -2.5])),
        simulated=(("30 of each, AUC = 0.8", 30, DiscreteTruth((0.8,))),),
    )
    plans.register(SCORES, plans.CheckPlan(plans.LISTS_AT, lists=lists))
    yield
    del DESIGNS[SCORES.name], plans.PLANS[SCORES.name]
    for table in (FAMILIES, CATALOGUE):
        del table[FAMILY.name]


def test_trials_are_made_and_reported(tmp_path):
    config = {
        "name": "scores",
        "family": FAMILY.name,
        "each": [30],
        "methods": ["hanley_mcneil"],
        "truth": {"values": [0.7, 0.8]},
        "trials": {"per_truth": 2000},
        "seed": 5,
    }
    results = harness.run(config, out=tmp_path / "scores")
    # The standard error of an estimate is a little above that of the mean: alpha is near 0.05.
    assert results.cells["actual_alpha"].is_between(0.03, 0.09).all()
    assert results.cells["truth"].to_list() == [0.7, 0.8]
    assert main(["report", str(results.path)]) == 0


def test_a_check_finds_that_an_area_of_1_has_an_interval_of_no_width():
    checked = harness.check("hanley_mcneil", family=FAMILY.name, contract="approximate")
    failed = {finding.check for finding in checked.findings if finding.verdict == "fail"}
    assert "has width" in failed
    assert "is nested in alpha" not in failed
