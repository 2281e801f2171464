"""Monte Carlo against the exact numbers: a mistake of the harness is not to pass as a method's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from harness.agreement import LEVEL, Cells, holm
from harness.checks.measures import limits_of, scenario_of
from harness.checks.records import CROSS_CHECK, FAIL, INCONCLUSIVE, PASS, Finding
from harness.checks.subject import Subject
from harness.engines.enumeration import Enumerated, enumerate_exactly, possible_outcomes
from harness.engines.monte_carlo import shards, simulate
from harness.engines.records import Counts, Exact
from harness.engines.worst_case import WorstCase
from harness.errors import MethodError
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Limits, Scenario
from harness.truths import DiscreteTruth

NAME = "Monte Carlo agrees"
SIZES = (5.0, 20.0, 100.0)
"""Those of the grid next to these are drawn at."""
TRIALS = 1 << 17
"""At each size, and at each worst truth."""


@dataclass(frozen=True)
class _Test:
    """Monte Carlo and exact misses of one size and alpha."""

    size: float
    alpha: float
    cells: Cells
    p_values: Floats


def cross_check(
    subject: Subject, sizes: Sequence[float], alphas: Sequence[float], seed: int
) -> Finding:
    """Misses drawn under a uniform truth and at the worst truth, held against the exact ones.

    Exact binomial tests per outcome, overall and at the worst truth, with Holm's correction: of
    exact numbers that are right this fails once in a thousand seeds.
    """
    chosen = sorted({min(sizes, key=lambda size: abs(size - near)) for near in SIZES})
    tests = [test for size in chosen for test in _tests(subject, size, alphas, seed)]
    if not tests:
        reason = "no size has sound limits at every outcome"
        return Finding(NAME, CROSS_CHECK, INCONCLUSIVE, reason, {})
    p_values = np.concatenate([test.p_values for test in tests])
    adjusted = holm(p_values)
    smallest = float(adjusted.min())
    numbers = {"tests": p_values.size, "p_value": smallest, "seed": seed}
    if smallest >= LEVEL:
        message = f"in {p_values.size} tests, with p = {smallest:.2g} at least after Holm"
        return Finding(NAME, CROSS_CHECK, PASS, message, numbers)
    worst = min(tests, key=lambda test: float(test.p_values.min()))
    return Finding(
        NAME,
        CROSS_CHECK,
        FAIL,
        f"the harness is wrong here, not the method: drawn and exact misses differ at "
        f"{subject_size(subject, worst.size)}, alpha = {worst.alpha:g} "
        f"(p = {smallest:.2g} after Holm)",
        {**numbers, "size": worst.size, "alpha": worst.alpha},
        1.0,
    )


def subject_size(subject: Subject, size: float) -> str:
    """A size in words."""
    return f"{scenario_of(subject.family, size).model.SIZE} = {size:g}"


def _tests(subject: Subject, size: float, alphas: Sequence[float], seed: int) -> Iterator[_Test]:
    scenario = scenario_of(subject.family, size)
    outcomes = possible_outcomes(scenario)
    for alpha in alphas:
        try:
            pair = limits_of(subject, scenario, outcomes, alpha)
        except MethodError:
            continue
        limits = Limits(outcomes, pair[0][np.newaxis], pair[1][np.newaxis])
        known = enumerate_exactly(scenario, limits)
        cells = _drawn(scenario, limits, known.by_outcome, seed)
        yield _Test(size, alpha, cells, cells.tests().ravel())
        overall = _overall(cells, known)
        yield _Test(size, alpha, overall, overall.tests().ravel())
        yield _at_worst(scenario, limits, known, alpha, seed)


def _drawn(scenario: Scenario, limits: Limits, exact: Exact, seed: int) -> Cells:
    """The misses of each outcome that was drawn."""
    counts = _simulated(scenario, limits, seed)
    given = exact.at(counts.conditions)
    return _cells(counts.trials, counts.below[0], counts.above[0], given.below[0], given.above[0])


def _simulated(scenario: Scenario, limits: Limits, seed: int) -> Counts:
    (shard,) = shards(scenario, TRIALS, seed, None)
    return simulate(shard, limits).by_outcome


def _overall(cells: Cells, known: Enumerated) -> Cells:
    """Over all outcomes."""
    assert known.mean is not None
    trials, below, above = (
        each.sum(keepdims=True) for each in (cells.trials, cells.below, cells.above)
    )
    return _cells(trials, below, above, known.mean.below, known.mean.above)


def _at_worst(
    scenario: Scenario, limits: Limits, known: Enumerated, alpha: float, seed: int
) -> _Test:
    """Both sides together at the truth where the method misses most."""
    worst = known.worst[0]
    assert isinstance(worst, WorstCase)
    there = Scenario(scenario.family, scenario.size, DiscreteTruth((worst.witness,)))
    counts = _simulated(there, limits, seed)
    trials, missed = counts.trials.sum(), (counts.below + counts.above).sum()
    none = np.zeros(1)
    cells = _cells(
        np.array([trials]), np.array([missed]), none.astype(np.int64), np.array([worst.alpha]), none
    )
    return _Test(scenario.size, alpha, cells, cells.tests()[2])


def _cells(trials: Integers, below: Integers, above: Integers, one: Floats, other: Floats) -> Cells:
    missed, exact = below + above, np.minimum(one + other, 1.0)
    return Cells("", np.zeros_like(trials), trials, below, above, missed, one, other, exact)
