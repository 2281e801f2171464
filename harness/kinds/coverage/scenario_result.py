"""What engines found in each scenario of a run, and how Monte Carlo agrees with the exact ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import itemgetter

import numpy as np

from harness.agreement import (
    ComparedCells,
    DrawnOutcomes,
    DrawsAgreement,
    MethodAgreement,
    compare_cells,
    compare_draws,
)
from harness.base.numerics.arrays import Floats, Integers
from harness.callers.source import Failures
from harness.designs.design import Scenario, data_of
from harness.designs.engines.exact import Solution
from harness.designs.engines.posterior import NOTHING_LEFT_OUT, Integrated
from harness.designs.limits import Column, Limits
from harness.designs.precision import Aim
from harness.designs.results import Counts, Enumerated, Exact, Group, Tally, pooled_counts
from harness.methods.remarks import Remark


@dataclass(frozen=True)
class OutcomeCells:
    """How the tables show the cells given an outcome."""

    present: bool
    """Whether the tables have such cells."""
    binomial: bool
    """Whether each trial draws its truth, so that counts given an outcome are binomial. If the
    trials at each true value are fixed instead, they vary less and are not compared with exact
    values."""
    group: Group | None
    """How outcomes are pooled."""


@dataclass(frozen=True)
class ScenarioResult:
    """The limits of k columns in one scenario, and what each engine found for them."""

    scenario: Scenario
    columns: tuple[Column, ...]
    limits: Limits
    """Empty, shape (0, m), of columns whose limits are drawn anew in every trial."""
    tally: Tally | None
    """The counts of the trials; None where nothing was simulated."""
    solution: Solution | None
    """The exact values; None where there are no columns, and of stochastic columns, which no exact
    engine covers."""
    failures: Mapping[int, Failures]
    """Why there are no limits somewhere, by the rows of the columns that failed."""
    outcome_cells: OutcomeCells
    """How the tables show the cells given an outcome."""
    remarks: tuple[Remark, ...]
    """About limits that are intervals, of all columns; none in ``stochastic``."""
    stochastic: ScenarioResult | None
    """The result for the columns whose limits are drawn; ``columns`` lacks them."""
    aim: Aim | None
    """The precision that the trials were to reach; None where their number was given."""

    @cached_property
    def looks(self) -> int:
        """The number of planned looks at which the trials might have stopped; 0 where the number
        of trials was fixed."""
        return 0 if self.aim is None else len(self.aim.looks)

    @cached_property
    def enumerated(self) -> Enumerated | None:
        return None if self.solution is None else self.solution.enumerated

    @cached_property
    def integrated(self) -> Integrated | None:
        return None if self.solution is None else self.solution.integrated

    def pooled(self) -> ScenarioResult:
        """The same with the outcomes of each group pooled, as the tables show them."""
        group, tally, solution = self.outcome_cells.group, self.tally, self.solution
        if group is None:
            return self
        if tally is not None:
            tally = replace(tally, by_outcome=pooled_counts(tally.by_outcome, group))
        if solution is not None:
            solution = solution.pooled(group)
        stochastic = None if self.stochastic is None else self.stochastic.pooled()
        return replace(self, tally=tally, solution=solution, stochastic=stochastic)


def by_column(results: Sequence[ScenarioResult]) -> list[list[tuple[ScenarioResult, int]]]:
    """For each column of the experiment, in order: every scenario's result with the column's row.

    Stochastic columns stand among the others, in the order of the config.
    """
    stochastic = [result.stochastic for result in results if result.stochastic is not None]
    rows = [
        (column.position, [(result, row) for result in kind])
        for kind in (results, stochastic)
        if kind
        for row, column in enumerate(kind[0].columns)
    ]
    return [of_column for _, of_column in sorted(rows, key=itemgetter(0))]


_COMPARED = ("below", "above", "missed")
"""The counts that are compared with exact values."""

Pair = tuple[Counts, Exact]
"""Counts of all columns, and the exact values under the same conditions."""


@dataclass(frozen=True)
class EngineAgreement:
    """How Monte Carlo agrees with the exact engines in a run."""

    methods: list[MethodAgreement]
    """The agreement of each method; empty where nothing was compared."""
    draws: DrawsAgreement | None
    """The agreement of the outcomes drawn; None where not all probabilities are known."""


def engine_agreement(results: Sequence[ScenarioResult]) -> EngineAgreement:
    """Compare Monte Carlo cells with exact values under the same truth, for each method.

    Args:
        results: of every scenario; those without trials or exact values are left out.
    """
    compared = []
    for result in results:
        drawn = result.stochastic
        if result.tally is not None and result.enumerated is not None:
            compared.append(result)
        elif (
            drawn is not None
            and drawn.tally is not None
            and drawn.solution is not None
            and drawn.enumerated is not None
        ):
            # Some of its columns have exact values.
            rows = drawn.enumerated.known
            enumerated = drawn.enumerated.at_truths(rows)
            compared.append(
                replace(
                    drawn,
                    columns=tuple(drawn.columns[row] for row in rows),
                    tally=drawn.tally.rows(rows),
                    solution=replace(drawn.solution, enumerated=enumerated),
                )
            )
    if not compared:
        return EngineAgreement([], None)
    fixed = [result for result in compared if not result.looks]
    labels = list(dict.fromkeys(column.method for column in compared[0].columns))
    methods = compare_cells(
        [_cells(label, compared, _conditional) for label in labels],
        [_cells(label, compared, _overall) for label in labels],
        [_totals(label, fixed) for label in labels] if fixed else None,
    )
    outcomes = (_drawn(number, result) for number, result in enumerate(compared))
    return EngineAgreement(
        methods, compare_draws([counts for counts in outcomes if counts is not None])
    )


def _drawn(number: int, result: ScenarioResult) -> DrawnOutcomes | None:
    """The outcomes drawn; None unless the probabilities of all possible outcomes are known."""
    assert result.tally is not None
    assert result.enumerated is not None
    counts, exact = result.tally.by_outcome, result.enumerated.by_outcome
    if abs(exact.weight.sum() - 1.0) > NOTHING_LEFT_OUT:
        return None
    trials = np.zeros(exact.conditions.size, np.int64)
    trials[np.searchsorted(exact.conditions, counts.conditions)] = counts.trials
    data = data_of(result.scenario, exact.conditions.astype(np.int64))
    family = result.scenario.family
    value = family.scale.in_order(family.estimate(data))
    probability = exact.weight / exact.weight.sum()
    return DrawnOutcomes(number, trials, probability, value, result.looks)


def _totals(label: str, results: Sequence[ScenarioResult]) -> ComparedCells:
    """The misses of one method over all scenarios with fixed trials, for each alpha.

    Unlike trials of several scenarios vary less than a binomial of their mean probability, which
    errs on the safe side as in ``_mean_given``.
    """
    rows = [row for row, column in enumerate(results[0].columns) if column.method == label]
    cells = [pair for result in results for pair in _overall(result)]
    trials = np.array([counts.trials[0] for counts, _ in cells])
    share = trials / trials.sum()

    def counted(name: str) -> Integers:
        values = [[getattr(counts, name)[row, 0] for row in rows] for counts, _ in cells]
        return np.asarray(np.array(values, np.int64).sum(axis=0))

    def exact(name: str) -> Floats:
        values = np.array([[getattr(mean, name)[row, 0] for row in rows] for _, mean in cells])
        return np.asarray((values * share[:, np.newaxis]).sum(axis=0))

    return ComparedCells(
        method=label,
        scenario=np.full(len(rows), -1),
        trials=np.full(len(rows), trials.sum()),
        below=counted("below"),
        above=counted("above"),
        missed=counted("missed"),
        exact_below=exact("below"),
        exact_above=exact("above"),
        exact_missed=exact("missed"),
        looks=np.zeros(len(rows), np.int64),
    )


def _conditional(result: ScenarioResult) -> list[Pair]:
    """Counts and exact values given the outcome, and given the truth if it is a list.

    Only counts that are binomial are compared.
    """
    pooled = result.pooled()
    assert pooled.tally is not None
    assert pooled.enumerated is not None
    tally, enumerated = pooled.tally, pooled.enumerated
    by_outcome = result.outcome_cells.present and result.outcome_cells.binomial
    pairs = [(tally.by_outcome, enumerated.by_outcome)] if by_outcome else []
    if tally.by_truth is not None and enumerated.by_truth is not None:
        pairs.append((tally.by_truth, enumerated.by_truth))
    return [(counts, exact.at(counts.conditions)) for counts, exact in pairs]


def _overall(result: ScenarioResult) -> list[Pair]:
    """Counts and exact values over all conditions."""
    assert result.tally is not None
    assert result.enumerated is not None
    counts, mean = result.tally.by_outcome, result.enumerated.mean
    if mean is None:
        # It is not known where outcomes are left out. The mean over the outcomes drawn replaces it:
        # given these, the misses are a sum of unlike trials, narrower than a binomial of the mean
        # probability (Hoeffding 1956, Ann. Math. Stat. 27, 713–721), so that the test errs on the
        # safe side.
        exact = result.enumerated.by_outcome.at(counts.conditions)
        mean = replace(exact, weight=counts.trials.astype(np.float64)).mean()
    return [(counts.total(), mean.as_exact())]


def _cells(
    label: str, results: Sequence[ScenarioResult], pairs: Callable[[ScenarioResult], list[Pair]]
) -> ComparedCells:
    """The pairs of all scenarios for one method, end to end."""
    parts = [
        (
            np.full(counts.trials.size, number),
            counts.trials,
            *(getattr(counts, name)[row] for name in _COMPARED),
            *(getattr(exact, name)[row] for name in _COMPARED),
            np.full(counts.trials.size, result.looks),
        )
        for number, result in enumerate(results)
        for counts, exact in pairs(result)
        for row, column in enumerate(result.columns)
        if column.method == label
    ]
    whole, real = np.empty(0, np.int64), np.empty(0)
    nothing = [*[whole] * 5, *[real] * 3, whole]
    return ComparedCells(
        label, *(np.concatenate(arrays) for arrays in zip(nothing, *parts, strict=True))
    )
