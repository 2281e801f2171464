"""Monte Carlo against the exact numbers: a mistake of the harness is not to pass as a method's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.agreement import LEVEL, ComparedCells, holm, two_sided_p
from harness.checks.conformance.runner import where
from harness.checks.measures import limits_at
from harness.checks.report import CROSS_CHECK, FAIL, INCONCLUSIVE, PASS, Finding
from harness.checks.scenarios import Size, enumerated, outcomes_of, scenario_of
from harness.checks.subjects.subject import Subject
from harness.engines.monte_carlo import shards, simulate
from harness.engines.results import Counts, Enumerated, Exact, WorstCase
from harness.errors import MethodError
from harness.families.catalogue import family_of
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Limits, Scenario, sizes_by_name

NAME = "Monte Carlo agrees"
SIZES = (5.0, 20.0, 100.0)
"""Those of the grid next to these are drawn at; of two samples by the mean of the sizes."""
TRIALS = 1 << 17
"""At each size, and at each worst truth."""
BESIDE = 1e-12
"""How far the parameter is moved to the side from which the worst case of two samples is met.

Above the rounding of a sum of two truths; nothing else changes by more than some 1e-10.
"""


@dataclass(frozen=True)
class _Test:
    """Monte Carlo and exact misses of one size and alpha."""

    sizes: Mapping[str, float]
    alpha: float
    p_values: Floats


def cross_check(
    subject: Subject, sizes: Sequence[Size], alphas: Sequence[float], seed: int
) -> Finding:
    """Misses drawn under uniform truths and at the worst truth, held against the exact ones.

    Exact binomial tests per outcome, overall and at the worst truth, with Holm's correction: of
    exact numbers that are right this fails once in a thousand seeds.
    """
    chosen = sorted({_nearest(sizes, mean) for mean in SIZES})
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
        f"{where({**worst.sizes, 'alpha': worst.alpha})} (p = {smallest:.2g} after Holm)",
        {**numbers, **worst.sizes, "alpha": worst.alpha},
        1.0,
    )


def _nearest(sizes: Sequence[Size], mean: float) -> Size:
    return min(sizes, key=lambda size: abs(float(np.mean(size)) - mean))


def _tests(subject: Subject, size: Size, alphas: Sequence[float], seed: int) -> Iterator[_Test]:
    scenario = scenario_of(subject.family, size)
    outcomes, sizes = outcomes_of(scenario), sizes_by_name(scenario)
    for alpha in alphas:
        try:
            limits = limits_at(subject, scenario, outcomes, [alpha])
        except MethodError:
            continue
        known = enumerated(scenario, limits)
        cells = _drawn(scenario, limits, known.by_outcome, seed)
        for tests in (cells.tests(), _overall(cells, known).tests()):
            yield _Test(sizes, alpha, tests.ravel())
        yield _Test(sizes, alpha, _at_worst(scenario, limits, known, seed))


def _drawn(scenario: Scenario, limits: Limits, exact: Exact, seed: int) -> ComparedCells:
    """The misses of each outcome that was drawn."""
    counts = _simulated(scenario, limits, seed)
    given = exact.at(counts.conditions)
    return _cells(counts.trials, counts.below[0], counts.above[0], given.below[0], given.above[0])


def _simulated(scenario: Scenario, limits: Limits, seed: int) -> Counts:
    (shard,) = shards(scenario, TRIALS, seed, None)
    return simulate(shard, limits).by_outcome


def _overall(cells: ComparedCells, known: Enumerated) -> ComparedCells:
    """Over all outcomes."""
    assert known.mean is not None
    trials, below, above = (
        each.sum(keepdims=True) for each in (cells.trials, cells.below, cells.above)
    )
    return _cells(trials, below, above, known.mean.below, known.mean.above)


def _at_worst(scenario: Scenario, limits: Limits, known: Enumerated, seed: int) -> Floats:
    """The p-value of both sides together at the truth where the method misses most."""
    worst = known.worst[0]
    assert worst is not None
    counts = _simulated(_there(scenario, worst), limits, seed)
    trials, missed = counts.trials.sum(), (counts.below + counts.above).sum()
    return two_sided_p(np.array([missed]), np.array([trials]), np.array([worst.alpha]))


def _there(scenario: Scenario, worst: WorstCase) -> Scenario:
    """The scenario with a truth at which the worst case is met."""
    return scenario.at(worst.witness if worst.found_by is None else _beside(scenario, worst))


def _beside(scenario: Scenario, worst: WorstCase) -> tuple[float, ...]:
    """The truths, one of them moved so that the parameter lies on the side it is approached from.

    The first one that has room to move.
    """
    towards = {"above": 1.0, "below": -1.0}.get(worst.side, 0.0)
    truths = list(worst.truths)
    for sample, weight in enumerate(family_of(scenario.family).weights):
        low, high = scenario.samples()[sample].truth.effective_support
        moved = truths[sample] + towards * BESIDE * max(high, 1.0) / weight
        if low <= moved <= high:
            truths[sample] = moved
            break
    return tuple(truths)


def _cells(
    trials: Integers, below: Integers, above: Integers, one: Floats, other: Floats
) -> ComparedCells:
    missed, exact = below + above, np.minimum(one + other, 1.0)
    return ComparedCells("", np.zeros_like(trials), trials, below, above, missed, one, other, exact)
