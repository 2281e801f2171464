"""Solvers: what the exact engines do for a family that leaves something out."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from harness.base.errors import HarnessError
from harness.designs.design import Scenario
from harness.designs.limits import Limits
from harness.designs.solvers import solver_of
from harness.designs.verification import TOLERANCE, Published
from harness.distributions.truths import DiscreteTruth, PairTruth
from harness.families import proportion
from harness.families.catalogue import FAMILIES
from harness.families.combination import Ratio, WeightedSum
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR, TWO_SAMPLES, Family

TRUTH = PairTruth(DiscreteTruth((0.2, 0.5)), DiscreteTruth((0.25, 0.5)))


@pytest.fixture
def ratio(monkeypatch):
    family = Family(
        "ratio", "a ratio of two proportions", "p1/p2", proportion, Ratio(), design=TWO_SAMPLES
    )
    monkeypatch.setitem(FAMILIES, "ratio", family)
    return family


def test_a_family_without_closed_posterior_has_no_posterior_engine(ratio):
    assert ratio.engines == (MONTE_CARLO, ENUMERATION)
    with pytest.raises(HarnessError, match="ratio has no closed posterior"):
        ratio.posterior((np.ones(1), np.ones(1), np.ones(1), np.ones(1)), (1.0, 1.0))


def test_a_ratio_is_enumerated_at_listed_truths(ratio):
    scenario = Scenario("ratio", (3, 2), TRUTH)
    solver = solver_of(scenario)
    outcomes = solver.possible_outcomes()
    x, _ = scenario.counts(outcomes)
    upper = np.full((1, outcomes.size), np.inf)
    limits = Limits.of(scenario, outcomes, (x / 3)[np.newaxis], upper)
    found = solver.enumerate(limits)
    assert solver.outcomes_to_verify(None).size == solver.outcomes_to_verify((1.0, 1.0)).size == 0
    compared = solver.verify(limits, Published(found, None, (1.0, 1.0)))
    assert {each.of for each in compared} >= {"means", "truths", "outcomes", "weights"}
    assert max(each.discrepancy.max() for each in compared) <= TOLERANCE
    for number, (p1, p2) in enumerate(zip(*TRUTH.values, strict=True)):
        below = sum(
            proportion.SAMPLING.pmf(count, p1, 3) for count in range(4) if count / 3 > p1 / p2
        )
        assert found.by_truth.below[0, number] == pytest.approx(float(below), abs=1e-15)
    np.testing.assert_allclose(found.mean.infinite, 1.0, rtol=1e-14)
    np.testing.assert_array_equal(found.mean.length, 0.0)


def test_the_worst_case_of_a_ratio_is_as_bad_as_the_worst_of_a_grid(ratio):
    whole = DiscreteTruth((0.02, 0.98))
    scenario = Scenario("ratio", (6, 5), PairTruth(whole, whole))
    solver = solver_of(scenario)
    outcomes = solver.range_outcomes(solver.hull())
    x, y = scenario.counts(outcomes)
    lower, upper = x / 9 / ((y + 2) / 7), (x + 1) / 6 / (y / 8 + 1e-3)
    limits = Limits.of(scenario, outcomes, lower[np.newaxis], upper[np.newaxis])
    (found,) = solver.worst_cases(limits, solver.hull())

    def chance(p1, p2):
        return proportion.SAMPLING.pmf(x, p1, 6) * proportion.SAMPLING.pmf(y, p2, 5)

    axis = np.linspace(0.02, 0.98, 97)[:, np.newaxis]
    p1, p2 = axis[:, np.newaxis], axis[np.newaxis]
    theta = p1 / p2
    missed = (chance(p1, p2) * ((theta < lower) | (theta > upper))).sum(axis=-1)
    assert missed.max() > 0.1
    assert found.alpha >= missed.max()
    theta, slack = found.truths[0] / found.truths[1], 1e-9
    near = (theta * (1 - slack) < lower) | (theta * (1 + slack) > upper)
    assert found.alpha <= (chance(*found.truths) * near).sum() + 1e-9


def test_a_family_of_three_samples_has_no_solver(monkeypatch):
    family = Family("three", "three", "p", proportion, WeightedSum((1.0, 1.0, 1.0)), design="three")
    monkeypatch.setitem(FAMILIES, "three", family)
    scenario = SimpleNamespace(family="three")
    with pytest.raises(HarnessError, match="the family three has no exact engines"):
        solver_of(scenario)


def test_a_family_without_outcome_probabilities_has_no_solver(monkeypatch):
    sampling = SimpleNamespace(draw=proportion.SAMPLING.draw)
    model = SimpleNamespace(**{**vars(proportion), "SAMPLING": sampling})
    family = Family("mean", "a mean", "mean", model)
    monkeypatch.setitem(FAMILIES, "mean", family)
    assert family.engines == (MONTE_CARLO, POSTERIOR)
    with pytest.raises(HarnessError, match="the family mean has no exact engines"):
        solver_of(SimpleNamespace(family="mean"))
