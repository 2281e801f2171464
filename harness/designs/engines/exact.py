"""The exact engines of one scenario, enumeration and posterior: what they compute from its limits.

The engines work on limits that are all numbers. Where a method has none at some outcomes, a
scenario is solved for each of four tables with intervals in their places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from harness.base.numerics.arrays import Bools, Floats, Integers
from harness.designs.design import Scenario
from harness.designs.engines import posterior
from harness.designs.engines.confirmation import confirmed
from harness.designs.engines.posterior import Integrated
from harness.designs.engines.solver import Scores, Solver, solver_of
from harness.designs.engines.verification import Comparison, Published
from harness.designs.limits import Column, Limits
from harness.designs.results import Enumerated, Exact, Group, Mean, pooled_exact
from harness.distributions.truths import Prior
from harness.families.combination import Span
from harness.families.family import ENUMERATION, POSTERIOR


@dataclass(frozen=True)
class Request:
    """Which exact engines run in a scenario, and which outcomes they report."""

    engines: tuple[str, ...]
    """The names of the engines that run."""
    shown: Integers
    """The outcomes that the posterior is integrated for, ascending."""
    enumerated: Integers
    """The outcomes that enumeration reports, ascending."""
    simulated: bool
    """Whether trials are compared with exact values, which enumeration then has in any case."""
    prior: Prior
    """The reference prior."""
    by_prior: bool
    """Whether the posterior is that of the reference prior, and not that of the truth."""
    whole: bool
    """Whether ``shown`` is every outcome that can occur, so that there is an overall mean."""
    worst: bool = True
    """Whether worst cases are searched, and scores computed; they take longest."""


@dataclass(frozen=True)
class Solution:
    """The results of the exact engines for k columns in one scenario."""

    shown: Integers
    """The outcomes that they cover, whatever is drawn."""
    comparisons: tuple[Comparison, ...]
    """How far the numbers are from a second computation of them."""
    enumerated: Enumerated | None
    """None unless the engine ``enumeration`` runs, or Monte Carlo needs values to compare with."""
    scores: Scores | None
    """None unless the engine ``enumeration`` runs."""
    integrated: Integrated | None
    """None unless the engine ``posterior`` runs."""

    def pooled(self, group: Group) -> Solution:
        """Return the same with the outcomes of each group pooled."""
        enumerated, integrated = self.enumerated, self.integrated
        if enumerated is not None:
            by_outcome = pooled_exact(enumerated.by_outcome, group)
            enumerated = replace(enumerated, by_outcome=by_outcome)
        if integrated is not None:
            prior = integrated.under_prior
            # The mean is over all outcomes.
            integrated = replace(
                integrated,
                by_outcome=pooled_exact(integrated.by_outcome, group),
                under_prior=None if prior is None else pooled_exact(prior, group),
            )
        shown = group.first(self.shown)
        return replace(self, shown=shown, enumerated=enumerated, integrated=integrated)


def solve(
    scenario: Scenario, limits: Limits, columns: Sequence[Column], request: Request
) -> Solution:
    """Run the exact engines in one scenario.

    A failure counts neither as a miss below nor as one above. The worst case and the root mean
    square alpha error count it as a miss, lengths are those of the intervals that exist, and there
    is neither an interval score nor an efficiency.

    Args:
        scenario: size and truth.
        limits: of k columns at all outcomes that are needed; not numbers where a method failed.
        columns: the method and alpha of each row of the limits.
        request: which engines run, and what they report.
    """
    solver, failed = solver_of(scenario), limits.failed
    if not failed.any():
        return _solve(solver, limits, columns, request, worst=True)
    covering, missing, failures, answers = _filled(limits, scenario.family.support)
    # The worst cases and the scores count a failure as a miss.
    of_missing = _solve(solver, missing, columns, request, worst=True)
    solved = [
        _solve(solver, covering, columns, request, worst=False),
        of_missing,
        _solve(solver, failures, columns, request, worst=False),
        _solve(solver, answers, columns, request, worst=False),
    ]
    return Solution(
        shown=request.shown,
        comparisons=tuple(comparison for solution in solved for comparison in solution.comparisons),
        enumerated=_enumerated([solution.enumerated for solution in solved]),
        scores=_scores(of_missing.scores, failed),
        integrated=_integrated([solution.integrated for solution in solved]),
    )


def exact_alphas(scenario: Scenario, limits: Limits) -> Floats | None:
    """Return the overall actual alpha of each column, shape (k,); None where it is not known.

    Args:
        scenario: size and truth.
        limits: at the planned outcomes; a missing one counts as a miss.
    """
    solver, nothing = solver_of(scenario), np.empty(0, np.int64)
    if not solver.has_exact_values:
        return None
    if limits.failed.any():
        _, missing, _, _ = _filled(limits, scenario.family.support)
        limits = missing
    if scenario.truth.is_discrete:
        mean = solver.enumerate(limits, nothing, worst=False).mean
    else:
        # The same alpha as that of enumeration, in a small part of its time.
        mean = posterior.enumerate_by_posterior(scenario, limits, nothing).mean
    return None if mean is None else mean.missed


def _solve(
    solver: Solver, limits: Limits, columns: Sequence[Column], request: Request, worst: bool
) -> Solution:
    """Solve for limits that are all numbers; the worst case and the scores take longest."""
    worst = worst and request.worst and ENUMERATION in request.engines
    enumerated = scores = integrated = None
    confirmations: list[Comparison] = []
    if (ENUMERATION in request.engines or request.simulated) and solver.has_exact_values:
        enumerated = solver.enumerate(limits, request.enumerated, worst=worst)
        if worst:
            enumerated, confirmations = confirmed(solver, limits, enumerated)
            scores = solver.scores(limits, enumerated, columns)
    if POSTERIOR in request.engines:
        integrated = _integrate(solver, limits.at(request.shown), request, enumerated)
    published = Published(enumerated, integrated, request.prior)
    return Solution(
        shown=request.shown,
        comparisons=(*solver.verify(limits, published), *confirmations),
        enumerated=None if enumerated is None else replace(enumerated, nodes=None),
        scores=scores,
        integrated=integrated,
    )


def _integrate(
    solver: Solver, limits: Limits, request: Request, enumerated: Enumerated | None
) -> Integrated:
    """Integrate the posterior, the reference prior's or the truth's, outside the limits."""
    scenario, prior = solver.scenario, request.prior
    if (
        enumerated is not None
        and enumerated.mean_from == POSTERIOR
        and posterior.is_under_prior(scenario, prior)
        and np.array_equal(enumerated.by_outcome.conditions, limits.outcomes)
    ):
        # Enumeration has integrated this very posterior.
        cells = enumerated.by_outcome
        by_prior = replace(cells, weight=np.ones(cells.weight.size))
    else:
        by_prior = posterior.integrate_under_prior(scenario, limits, prior)
    if not request.whole:
        return Integrated(by_prior, mean=None, under_prior=None)
    by_prior = replace(by_prior, weight=solver.outcome_weights(limits.outcomes))
    if request.by_prior:
        return Integrated(by_prior, by_prior.mean(), under_prior=None)
    by_truth = posterior.integrate_under_truth(scenario, limits)
    return Integrated(by_truth, by_truth.mean(), by_prior.at(by_truth.conditions))


_FAR = 1e100
"""Beyond every parameter, where its range is unbounded."""

Probabilities = TypeVar("Probabilities", Exact, Mean)


def _filled(limits: Limits, support: Span) -> tuple[Limits, Limits, Limits, Limits]:
    """Return four tables of limits, with intervals in place of missing ones.

    Args:
        limits: not numbers where a method gave none.
        support: the range of the parameter.

    Returns:
        Covering: failed intervals hold every parameter, so that the misses are those of the others.
        Missing: failed intervals hold no parameter, so that a failure counts as a miss.
        Failures: failed intervals hold none and all others every one: the misses are the failures.
        Answers: failed intervals hold every one and all others none: the misses are the answers.
    """
    low, high = np.clip(support, -_FAR, _FAR).tolist()
    failed, beyond = limits.failed, 2.0 * high

    def missed(where: Bools) -> Limits:
        """Return a table that misses everything at some places, and nothing elsewhere."""
        lower, upper = np.where(where, beyond, low), np.where(where, beyond, high)
        return replace(limits, lower=lower, upper=upper)

    return limits.filled(low, high), limits.filled(beyond, beyond), missed(failed), missed(~failed)


def _enumerated(tables: Sequence[Enumerated | None]) -> Enumerated | None:
    """Return the results of enumeration; None where the four tables have none."""
    computed = [table for table in tables if table is not None]
    if not computed:
        return None
    _, missing, _, _ = computed
    return replace(
        missing,
        by_outcome=_with_failures([table.by_outcome for table in computed]),
        by_truth=_if_known([table.by_truth for table in computed]),
        mean=_if_known([table.mean for table in computed]),
    )


def _integrated(tables: Sequence[Integrated | None]) -> Integrated | None:
    """Return the results of integration; None where the four tables have none."""
    computed = [table for table in tables if table is not None]
    if not computed:
        return None
    return Integrated(
        by_outcome=_with_failures([table.by_outcome for table in computed]),
        mean=_if_known([table.mean for table in computed]),
        under_prior=_if_known([table.under_prior for table in computed]),
    )


def _if_known(tables: Sequence[Probabilities | None]) -> Probabilities | None:
    """Return the probabilities with failures; None where the tables have none."""
    probabilities = [table for table in tables if table is not None]
    return _with_failures(probabilities) if probabilities else None


def _with_failures(tables: Sequence[Probabilities]) -> Probabilities:
    """Return the probabilities of the intervals that exist, and that a method fails.

    The length is the mean over these intervals, as those that miss everything have none.

    Args:
        tables: the probabilities of each of the four tables.
    """
    covering, missing, failures, answers = tables
    failed = failures.below
    # Exactly 1 where nothing fails, so that no other method's numbers are rounded once more.
    succeeded = np.where(failed > 0, answers.below, 1.0)
    there = succeeded > 0
    length = np.where(there, missing.length, np.nan) / np.where(there, succeeded, 1.0)
    return replace(
        covering, length=length, failed=failed, succeeded=succeeded, infinite=missing.infinite
    )


def _scores(scores: Scores | None, failed: Bools) -> Scores | None:
    """Return the scores, without those that a column has none of that fails somewhere."""
    if scores is None:
        return None
    fails, least = failed.any(axis=1), scores.least
    if least is not None:
        least = replace(
            least,
            efficiency_guaranteed=np.where(fails, np.nan, least.efficiency_guaranteed),
            efficiency_on_average=np.where(fails, np.nan, least.efficiency_on_average),
        )
    score = np.where(fails, np.nan, scores.interval_score)
    return replace(scores, interval_score=score, least=least)
