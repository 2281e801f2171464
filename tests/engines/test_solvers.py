"""Solvers: what the exact engines do for a family that leaves something out."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from harness.engines.solvers import solver_of
from harness.engines.verification.comparisons import TOLERANCE, Published
from harness.errors import HarnessError
from harness.families import proportion
from harness.families.catalogue import FAMILIES
from harness.families.combination import WeightedSum
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR, Family
from harness.scenario import Limits, PairScenario
from harness.truths import DiscreteTruth, PairTruth

TRUTH = PairTruth(DiscreteTruth((0.2, 0.5)), DiscreteTruth((0.25, 0.5)))


@dataclass(frozen=True)
class Ratio:
    """The ratio of the parameters of two samples, which is no weighted sum."""

    samples: int = 2
    weights: None = None
    directions: tuple[float, ...] = (1.0, -1.0)

    def parameter_at(self, truths):
        return truths[0] / truths[1]

    def support(self, of_sample):
        return 0.0, np.inf


@pytest.fixture
def ratio(monkeypatch):
    family = Family("ratio", "a ratio of two proportions", "p1/p2", proportion, Ratio())
    monkeypatch.setitem(FAMILIES, "ratio", family)
    return family


def test_a_family_without_closed_posterior_has_no_posterior_engine(ratio):
    assert ratio.engines == (MONTE_CARLO, ENUMERATION)
    with pytest.raises(HarnessError, match="ratio has no closed posterior"):
        ratio.posterior((np.ones(1), np.ones(1), np.ones(1), np.ones(1)), (1.0, 1.0))


def test_a_family_without_weights_is_enumerated_at_listed_truths_without_a_worst_case(ratio):
    scenario = PairScenario("ratio", (3, 2), TRUTH)
    solver = solver_of(scenario)
    outcomes = solver.possible_outcomes()
    x, _ = scenario.counts(outcomes)
    limits = Limits(outcomes, (x / 3)[np.newaxis], np.full((1, outcomes.size), np.inf))
    found = solver.enumerate(limits)
    assert found.worst == (None,)
    assert not solver.solves_range(solver.hull())
    assert solver.outcomes_to_verify(None).size == solver.outcomes_to_verify((1.0, 1.0)).size == 0
    compared = solver.verify(limits, Published(found, None, (1.0, 1.0)))
    assert {each.of for each in compared} >= {"means", "truths", "outcomes", "weights"}
    assert max(each.discrepancy.max() for each in compared) <= TOLERANCE
    for number, (p1, p2) in enumerate(zip(*TRUTH.values, strict=True)):
        below = sum(
            proportion.SAMPLING.pmf(count, p1, 3) for count in range(4) if count / 3 > p1 / p2
        )
        assert found.by_truth.below[0, number] == pytest.approx(float(below), abs=1e-15)


def test_a_family_of_three_samples_has_no_solver(monkeypatch):
    family = Family("three", "three", "p", proportion, WeightedSum((1.0, 1.0, 1.0)))
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
