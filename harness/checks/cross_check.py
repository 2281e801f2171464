"""Compare the exact numbers of a check with Monte Carlo, to find mistakes of the harness itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from harness.agreement import LEVEL, ComparedCells, holm, two_sided_p
from harness.base.errors import MethodError
from harness.base.numerics.arrays import Floats, Integers
from harness.checks.findings import (
    CROSS_CHECK,
    FAIL,
    INCONCLUSIVE,
    PASS,
    Cell,
    Finding,
    format_cell,
)
from harness.checks.plans import scenario_of
from harness.checks.scenarios import limits_table
from harness.checks.sizes import Size
from harness.checks.subject import Subject
from harness.checks.watch import steps
from harness.designs.design import Scenario
from harness.designs.engines.monte_carlo import shards, simulate
from harness.designs.engines.solver import solver_of
from harness.designs.limits import Limits
from harness.designs.miss_sets import AT, FROM_ABOVE, SIDES
from harness.designs.results import Counts, WorstCase

MONTE_CARLO_AGREES = "Monte Carlo agrees"
SIZES = (5.0, 20.0, 100.0)
"""Trials are made at the sizes of the check nearest to these; pairs count by their mean."""
TRIALS = 1 << 17
"""The number of trials at each size, and at each worst truth."""
APPROACH = 1e-12
"""How far the parameter is moved to the side from which it approaches the worst case.

This is more than the rounding of a sum of two truths, and changes a miss probability by at most
some 1e-10.
"""


def cross_check(
    subject: Subject, sizes: Sequence[Size], alphas: Sequence[float], seed: int
) -> Finding:
    """Test Monte Carlo misses, under uniform truths and at the worst truth, against exact ones.

    The tests are exact binomial ones per outcome, overall and at the worst truth, with Holm's
    correction: if the exact numbers are right, one seed in a thousand fails.

    Args:
        subject: a deterministic method.
        sizes: the sizes of the check.
        alphas: the alphas of the check.
        seed: of all draws.
    """
    chosen = sorted(
        {min(sizes, key=lambda size: abs(float(np.mean(size)) - mean)) for mean in SIZES}
    )
    tests = [test for size in steps(chosen) for test in _tests_at(subject, size, alphas, seed)]
    if not tests:
        reason = "no size has sound limits at every outcome"
        return Finding(MONTE_CARLO_AGREES, CROSS_CHECK, INCONCLUSIVE, reason, {})
    p_values = np.concatenate([of_test for _, of_test in tests])
    smallest = float(holm(p_values).min())
    numbers = {"tests": p_values.size, "p_value": smallest, "seed": seed}
    if smallest >= LEVEL:
        message = f"in {p_values.size} tests, with p = {smallest:.2g} at least after Holm"
        return Finding(MONTE_CARLO_AGREES, CROSS_CHECK, PASS, message, numbers)
    worst, _ = min(tests, key=lambda test: float(test[1].min()))
    return Finding(
        MONTE_CARLO_AGREES,
        CROSS_CHECK,
        FAIL,
        f"the harness is wrong here, not the method: drawn and exact misses differ at "
        f"{format_cell(worst)} (p = {smallest:.2g} after Holm)",
        {**numbers, **worst},
        1.0,
    )


def _tests_at(
    subject: Subject, size: Size, alphas: Sequence[float], seed: int
) -> Iterator[tuple[Cell, Floats]]:
    """The place and the p-values of the tests per outcome, overall and at the worst truth."""
    scenario = scenario_of(subject.family, size)
    for alpha in alphas:
        try:
            limits = limits_table(subject, scenario, [alpha])
        except MethodError:
            continue
        exact = solver_of(scenario).enumerate(limits)
        drawn, mean, worst = _simulated(scenario, limits, seed), exact.mean, exact.worst[0]
        assert mean is not None
        assert worst is not None
        below, above = drawn.below[0], drawn.above[0]
        at = exact.by_outcome.at(drawn.conditions)
        by_outcome = _cells(drawn.trials, below, above, at.below[0], at.above[0])
        n, low, high = (counts.sum(keepdims=True) for counts in (drawn.trials, below, above))
        overall = _cells(n, low, high, mean.below, mean.above)
        truths = worst.witness
        if worst.found_by is not None:
            # No truth reaches the worst alpha: it is approached from one side.
            towards = {"above": 1.0, "below": -1.0}.get(worst.side, 0.0)
            truths = scenario.design.beside(scenario, worst.truths, towards * APPROACH)
        p_values = [by_outcome.tests().ravel(), overall.tests().ravel()]
        if not _is_between_neighbours(worst, limits):
            at_worst = _simulated(scenario.with_truths(truths), limits, seed)
            missed = np.array([(at_worst.below + at_worst.above).sum()])
            trials = np.array([at_worst.trials.sum()])
            p_values.append(two_sided_p(missed, trials, np.array([worst.alpha])))
        for of_test in p_values:
            yield {**scenario.named_sizes, "alpha": alpha}, of_test


def _is_between_neighbours(worst: WorstCase, limits: Limits) -> bool:
    """Whether the worst case is one between limits that are equal but for rounding.

    No number of double precision lies between 0.6 + 0.1 and 0.8 − 0.1, so that none is drawn there:
    the next one towards the gap is the other limit.
    """
    if worst.side == SIDES[AT] or len(worst.witness) != 1:
        return False
    ends = limits.lower if worst.side == SIDES[FROM_ABOVE] else limits.upper
    return bool(np.isin(worst.witness[0], ends))


def _simulated(scenario: Scenario, limits: Limits, seed: int) -> Counts:
    (shard,) = shards(scenario, TRIALS, seed, None)
    return simulate(shard, limits).by_outcome


def _cells(
    trials: Integers, below: Integers, above: Integers, exact_below: Floats, exact_above: Floats
) -> ComparedCells:
    fixed, exact_missed = np.zeros_like(trials), np.minimum(exact_below + exact_above, 1.0)
    drawn, exact = (below, above, below + above), (exact_below, exact_above, exact_missed)
    return ComparedCells("", fixed, trials, *drawn, *exact, fixed)
