"""The exact behaviour of a method, and its comparison with Monte Carlo.

Miss probabilities and lengths are computed at each size and alpha; simulated misses are compared
with them to find mistakes of the harness itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from harness.agreement import LEVEL, ComparedCells, holm, two_sided_p
from harness.base.errors import InputError, MethodError
from harness.base.numerics.arrays import Floats, Integers
from harness.checks.findings import (
    BEHAVIOUR,
    CROSS_CHECK,
    FAIL,
    INCONCLUSIVE,
    PASS,
    Cell,
    Finding,
    and_more,
    format_cell,
)
from harness.checks.plans import scenario_of
from harness.checks.scenarios import limits_at, limits_table, truths_inside
from harness.checks.sizes import Size
from harness.checks.subject import Subject
from harness.checks.watch import steps
from harness.designs.design import Scenario, data_of
from harness.designs.engines.monte_carlo import shards, simulate
from harness.designs.engines.posterior import integrate_under_prior, integrate_under_truth
from harness.designs.engines.solver import solver_of
from harness.designs.limits import Limits
from harness.designs.miss_sets import AT, FROM_ABOVE, SIDES
from harness.designs.results import Counts, Enumerated, WorstCase
from harness.families.family import POSTERIOR as ENGINE_POSTERIOR
from harness.families.family import Family
from harness.kinds.coverage.tables import mean_length
from harness.methods.catalogue import find, methods_of
from harness.methods.method import TWO_SIDED
from harness.tables.answers import YARDSTICK

WORST, MEAN, LENGTH = "worst_alpha", "mean_alpha_error", "mean_length"
WORST_INSIDE = "worst_alpha_inside"
"""The worst alpha over truths that are not near the boundary."""
RELATIVE = "relative_length"
"""The mean length relative to that of ``minimal_length``."""
POSTERIOR = "largest_posterior_error"
"""The largest alpha − posterior probability outside of all outcomes, under a flat prior."""
MEAN_POSTERIOR = "mean_posterior_error"
"""The mean alpha − posterior probability outside, under a flat prior.

For a proportion it is the mean alpha error. For a rate it does not depend on the largest rate at
which the mean alpha error stops.
"""
FAULT = "fault"
"""Why there are no numbers."""

EXACT_NUMBERS = "has exact numbers"
MOST_LIMITS = 10**7
"""The most limits of one size for exact numbers: at each outcome and alpha they take some 150 bytes
and, of a formula, 50 µs."""


def measures(subject: Subject, sizes: Sequence[Size], alphas: Sequence[float]) -> pl.DataFrame:
    """The numbers by which methods are compared: worst alpha, mean alpha error and mean length.

    The worst alpha is the supremum over all truths of the scenario; for two samples it is the
    largest value that a search finds. The means are over uniform truths, and the mean alpha error
    is alpha minus the mean miss probability.

    Args:
        subject: a deterministic method.
        sizes: n or exposures; pairs of them for two samples.
        alphas: the alphas at each size.

    Returns:
        A row for each size and alpha, in this order.

    Raises:
        MethodError: the method has no limits at an outcome.
    """
    rows = []
    for size in steps(sizes):
        scenario = scenario_of(subject.family, size)
        limits = limits_table(subject, scenario, alphas)
        numbers = _compared(scenario, solver_of(scenario).enumerate(limits), alphas)
        rows += [
            {**_sizes(scenario), "alpha": alpha, **of_alpha}
            for alpha, of_alpha in zip(alphas, numbers, strict=True)
        ]
    return pl.DataFrame(rows)


def key_columns(table: pl.DataFrame) -> tuple[str, ...]:
    """The columns that identify a row, which come first: the sizes and alpha."""
    return tuple(table.columns[: table.columns.index("alpha") + 1])


def refuse_too_many(family: Family, sizes: Sequence[Size], alphas: Sequence[float]) -> None:
    """Refuse exact numbers that need more limits than fit into the memory of most machines.

    Raises:
        InputError: a size has too many outcomes.
    """
    for size in sizes:
        scenario = scenario_of(family, size)
        outcomes = solver_of(scenario).possible_count()
        if outcomes * len(alphas) > MOST_LIMITS:
            raise InputError(
                f"exact numbers at {family.size_text(scenario.sizes)} need limits at "
                f"{outcomes:,.0f} outcomes for each alpha, and a check computes at most "
                f"{MOST_LIMITS:,} in all; give a smaller size or fewer alphas"
            )


def behaviour(subject: Subject, sizes: Sequence[Size], alphas: Sequence[float]) -> pl.DataFrame:
    """All exact numbers of a method, those of ``measures`` included.

    Args:
        subject: a deterministic method.
        sizes: n or exposures; pairs of them for two samples.
        alphas: the alphas at each size.

    Returns:
        A row for each size and alpha, in this order. Where a limit is unsound, the row has a fault
        in the place of numbers.
    """
    has_yardstick = TWO_SIDED in subject.sides and YARDSTICK in methods_of(subject.family)
    unit = [
        _minimal_lengths(subject.family, tuple(sizes), alpha) if has_yardstick else None
        for alpha in alphas
    ]
    rows = []
    for place, size in enumerate(steps(sizes)):
        scenario = scenario_of(subject.family, size)
        outcomes = solver_of(scenario).possible_outcomes()
        numbers: dict[float, dict[str, Any]] = {}
        pairs = {}
        for alpha in alphas:
            try:
                pairs[alpha] = limits_at(subject, scenario, outcomes, alpha)
            except MethodError as fault:
                numbers[alpha] = {FAULT: str(fault).removeprefix(f"{subject.label}: ")}
        if pairs:
            sides = (np.array(side) for side in zip(*pairs.values(), strict=True))
            limits = Limits.of(scenario, outcomes, *sides)
            numbers |= zip(pairs, _exact_numbers(scenario, limits, list(pairs)), strict=True)
        for alpha, lengths in zip(alphas, unit, strict=True):
            row = numbers[alpha]
            if lengths is not None and LENGTH in row:
                row[RELATIVE] = row[LENGTH] / lengths[place]
            rows.append({**_sizes(scenario), "alpha": alpha, **row})
    family = subject.family
    worst = (WORST, *family.numbered("worst_truth"), WORST_INSIDE)
    means = (MEAN, MEAN_POSTERIOR, "miss_below", "miss_above", LENGTH, RELATIVE, POSTERIOR)
    schema: dict[str, Any] = {
        **dict.fromkeys((*family.sizes, "alpha", *worst, *means), pl.Float64),
        **dict.fromkeys(family.numbered("largest_at"), pl.Int64),
        FAULT: pl.String,
    }
    return pl.DataFrame(rows, schema=schema)


def check_exact_numbers(exact: pl.DataFrame, family: Family) -> Finding:
    """Whether a table of ``behaviour`` has numbers at every size and alpha."""
    bad = exact.filter(pl.col(FAULT).is_not_null())
    if bad.is_empty():
        message = f"sound limits at all outcomes of {exact.height} sizes and alphas"
        return Finding(EXACT_NUMBERS, BEHAVIOUR, PASS, message, {})
    row = bad.row(0, named=True)
    cell = {key: row[key] for key in (*family.sizes, "alpha")}
    message = row[FAULT] + and_more(bad.height, " sizes and alphas")
    return Finding(EXACT_NUMBERS, BEHAVIOUR, FAIL, message, cell, 1.0)


def _sizes(scenario: Scenario) -> dict[str, float]:
    return {name: float(size) for name, size in scenario.named_sizes.items()}


def _exact_numbers(
    scenario: Scenario, limits: Limits, alphas: Sequence[float]
) -> list[dict[str, Any]]:
    """The numbers of each row of the limits."""
    exact = solver_of(scenario).enumerate(limits)
    mean = exact.mean
    assert mean is not None
    spans = truths_inside(scenario)
    inside: list[float | None] = [None] * len(alphas)
    if all(low < high for low, high in spans):
        cases = solver_of(scenario).worst_cases(limits, spans)
        inside = [None if case is None else case.alpha for case in cases]
    posterior = None
    if ENGINE_POSTERIOR in scenario.family.engines:
        posterior = integrate_under_prior(scenario, limits, scenario.model.FLAT_PRIOR)
    rows = []
    for row, compared in enumerate(_compared(scenario, exact, alphas)):
        numbers = {
            **compared,
            WORST_INSIDE: inside[row],
            # Without a posterior the mean over listed tables takes its place.
            MEAN_POSTERIOR: compared[MEAN],
            "miss_below": float(mean.below[row]),
            "miss_above": float(mean.above[row]),
        }
        if posterior is not None:
            errors = alphas[row] - (posterior.below[row] + posterior.above[row])
            largest = int(np.argmax(np.abs(errors)))
            counts = (int(count[0]) for count in scenario.counts(limits.outcomes[[largest]]))
            names = scenario.family.numbered("largest_at")
            # The mean over outcomes is weighted by their probabilities.
            at = errors[np.searchsorted(limits.outcomes, exact.by_outcome.conditions)]
            weights = exact.by_outcome.weight
            numbers[MEAN_POSTERIOR] = float((weights * at).sum() / weights.sum())
            numbers[POSTERIOR] = float(abs(errors[largest]))
            numbers |= zip(names, counts, strict=False)
        rows.append(numbers)
    return rows


def _compared(
    scenario: Scenario, exact: Enumerated, alphas: Sequence[float]
) -> list[dict[str, float]]:
    """The numbers of ``measures`` for each row of the limits."""
    mean = exact.mean
    assert mean is not None
    names = scenario.family.numbered("worst_truth")
    rows = []
    for row, (alpha, worst) in enumerate(zip(alphas, exact.worst, strict=True)):
        assert worst is not None
        numbers = {
            WORST: worst.alpha,
            **dict(zip(names, worst.truths, strict=True)),
            MEAN: float(alpha - (mean.below[row] + mean.above[row])),
            LENGTH: float(mean_length(mean.as_exact(), row)[0][0]),
        }
        rows.append(numbers)
    return rows


@lru_cache(maxsize=1024)
def _minimal_lengths(family: Family, sizes: tuple[Size, ...], alpha: float) -> tuple[float, ...]:
    """The mean length of the minimal-length interval of the posterior at each size.

    The outcomes of all sizes are solved together, in a fifth of the time.
    """
    scenarios = [scenario_of(family, size) for size in sizes]
    outcomes = [solver_of(scenario).possible_outcomes() for scenario in scenarios]
    data = [data_of(*of_size) for of_size in zip(scenarios, outcomes, strict=True)]
    columns = tuple(np.concatenate(parts) for parts in zip(*data, strict=True))
    ends = np.cumsum([of_size.size for of_size in outcomes])[:-1]
    lower, upper = find(family, YARDSTICK).limits(columns, alpha)
    parts = (scenarios, outcomes, np.split(lower, ends), np.split(upper, ends))
    return tuple(mean_length_of(*of_size) for of_size in zip(*parts, strict=True))


def mean_length_of(scenario: Scenario, outcomes: Integers, lower: Floats, upper: Floats) -> float:
    """The mean length of limits at all outcomes, shape (m,) each, under the scenario's truth."""
    limits = Limits.of(scenario, outcomes, lower[np.newaxis], upper[np.newaxis])
    mean = integrate_under_truth(scenario, limits).mean()
    return float(mean_length(mean.as_exact(), 0)[0][0])


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
