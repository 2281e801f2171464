"""One scenario: the misses counted in a shard of its trials, and what the exact engines compute.

The exact engines work on limits alone, so a scenario in which a method has no limits at some
outcomes is solved four times: with intervals that miss nothing in place of the missing ones, for
the misses of the other intervals; with intervals that miss everything in their place, for the
misses with a failure counted as one; and for the probabilities of a failure and of an answer, with
intervals that miss at those outcomes and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Bools, Integers
from harness.callers.source import Failures, add_failures
from harness.designs.design import Scenario
from harness.designs.engines import posterior
from harness.designs.engines.confirmation import confirmed
from harness.designs.engines.monte_carlo import Shard, simulate
from harness.designs.engines.posterior import Integrated
from harness.designs.engines.scores import Scores
from harness.designs.engines.solver import solver_of
from harness.designs.engines.stochastic import StochasticColumn, simulate_stochastic
from harness.designs.engines.verification import Comparison, Published
from harness.designs.limits import Column, Limits
from harness.designs.one_sample.verification import is_own_prior
from harness.designs.results import Enumerated, Tally
from harness.distributions.truths import Prior
from harness.families.catalogue import family_of
from harness.families.family import ENUMERATION, POSTERIOR
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.plan import ScenarioPlan, reports_truths_alone
from harness.kinds.coverage.scenario_result import Solution


@dataclass(frozen=True)
class Simulation:
    """The counts of one scenario, or of one of its shards."""

    tally: Tally
    """Of the columns whose limits are a function of the outcome."""
    stochastic: Tally | None
    """Of the columns whose limits are drawn anew in every trial; None where there are none."""
    failures: Mapping[int, Failures]
    """Why there are no limits in some trials, by the rows of the stochastic columns that failed."""

    @property
    def trials(self) -> int:
        """The number of trials."""
        return int(self.tally.by_outcome.trials.sum())

    def after(self, earlier: Simulation | None) -> Simulation:
        """These counts together with those of earlier shards, if there are any."""
        if earlier is None:
            return self
        stochastic = earlier.stochastic
        if stochastic is not None and self.stochastic is not None:
            stochastic = stochastic.plus(self.stochastic)
        failures = add_failures(dict(earlier.failures), self.failures)
        return Simulation(earlier.tally.plus(self.tally), stochastic, failures)


def simulate_shard(
    shard: Shard, limits: Limits, stochastic: Sequence[StochasticColumn]
) -> Simulation:
    """Count the misses in one shard; all columns see the same trials.

    Args:
        shard: some of the trials of a scenario.
        limits: of the deterministic columns, at least at the outcomes that occur in the shard.
        stochastic: the columns whose limits are drawn.
    """
    tally = simulate(shard, limits)
    if not stochastic:
        return Simulation(tally, None, {})
    return Simulation(tally, *simulate_stochastic(shard, stochastic))


_FAR = 1e100
"""Beyond every parameter, where its range is unbounded."""


def solve_with_failures(
    limits: Limits, support: tuple[float, float], solve: Callable[[Limits, bool], Solution]
) -> Solution:
    """Solve a scenario; a failure counts neither as a miss below nor as one above.

    The worst case and the root mean square alpha error count it as a miss, lengths are those of
    the intervals that exist, and there is neither an interval score nor an efficiency.

    Args:
        limits: not numbers where a method gave none.
        support: the range of the parameter.
        solve: solves for limits that are all numbers; its second argument says whether to seek
            the worst case.
    """
    (low, high), failed = _bounded(support), limits.failed
    beyond = 2.0 * high
    covering, missing = limits.filled(low, high), failures_as_misses(limits, support)
    failures, answers = (
        limits.with_ends(*(np.where(where, beyond, end) for end in (low, high)))
        for where in (failed, ~failed)
    )
    four = [solve(each, each is missing) for each in (covering, missing, failures, answers)]
    nothing, everything, *_ = four
    return Solution(
        shown=nothing.shown,
        comparisons=tuple(comparison for each in four for comparison in each.comparisons),
        enumerated=_combined_parts(
            [each.enumerated for each in four], "by_outcome", "by_truth", "mean"
        ),
        scores=_scores(everything.scores, failed),
        integrated=_combined_parts(
            [each.integrated for each in four], "by_outcome", "mean", "under_prior"
        ),
    )


def failures_as_misses(limits: Limits, support: tuple[float, float]) -> Limits:
    """Return the limits with intervals that miss everything in place of missing ones."""
    beyond = 2.0 * _bounded(support)[1]
    return limits.filled(beyond, beyond)


def _bounded(support: tuple[float, float]) -> tuple[float, float]:
    low, high = np.clip(support, -_FAR, _FAR).tolist()
    return low, high


def _combined_parts(four: Sequence[Any], *names: str) -> Any:
    """The record of everything missed, with these parts of it combined; None where there is none.

    The worst cases in it are those with a failure counted as a miss.
    """
    everything = four[1]
    if everything is None:
        return None
    parts = {name: _combined([getattr(each, name) for each in four]) for name in names}
    return replace(everything, **parts)


def _combined(four: Sequence[Any]) -> Any:
    """One record of the four solutions: nothing missed, everything missed, failures, answers.

    The length is the mean over the intervals that exist, as those that miss everything have none.
    """
    nothing, everything, failures, answers = four
    if nothing is None:
        return None
    failed = failures.below
    # Exactly 1 where nothing fails, so that no other method's numbers are rounded once more.
    succeeded = np.where(failed > 0, answers.below, 1.0)
    there = succeeded > 0
    length = np.where(there, everything.length, np.nan) / np.where(there, succeeded, 1.0)
    return replace(
        nothing,
        length=length,
        failed=failed,
        succeeded=succeeded,
        infinite=everything.infinite,
    )


def _scores(scores: Scores | None, failed: Bools) -> Scores | None:
    if scores is None:
        return None
    none, least = failed.any(axis=1), scores.least
    if least is not None:
        least = replace(
            least,
            efficiency_guaranteed=np.where(none, np.nan, least.efficiency_guaranteed),
            efficiency_on_average=np.where(none, np.nan, least.efficiency_on_average),
        )
    score = np.where(none, np.nan, scores.interval_score)
    return replace(scores, interval_score=score, least=least)


def solve_scenario(
    experiment: Experiment,
    plan: ScenarioPlan,
    columns: Sequence[Column],
    limits: Limits,
    tally: Tally | None,
) -> Solution:
    """Run the exact engines of an experiment in one scenario.

    Args:
        experiment: says which engines run.
        plan: says which outcomes they report.
        columns: the k deterministic columns.
        limits: of these columns, shape (k, m); not numbers where a method failed.
        tally: what was simulated, which the exact values are compared with; None if nothing was.
    """
    shown, enumerated = outcomes_solved(experiment, plan, limits, tally)
    solve = partial(_solve, experiment, plan, columns, shown, enumerated, tally is not None)
    if not limits.failed.any():
        return solve(limits, True)
    return solve_with_failures(limits, family_of(plan.scenario.family).support, solve)


def outcomes_solved(
    experiment: Experiment, plan: ScenarioPlan, limits: Limits, tally: Tally | None
) -> tuple[Integers, Integers]:
    """Return the outcomes that the exact engines show, and those that enumeration reports.

    These are the outcomes shown, and the outcomes drawn, whose counts are compared with exact
    values. Enumeration alone over a list of values has truths to report, and no outcomes.

    Args: as those of ``solve_scenario``.
    """
    shown = limits.outcomes if plan.shown is None else plan.shown
    nothing = np.empty(0, np.int64)
    if not plan.outcome_cells.present:
        return shown, nothing
    drawn = nothing if tally is None else tally.by_outcome.conditions.astype(np.int64)
    reported = nothing if reports_truths_alone(experiment) else shown
    return shown, np.union1d(reported, drawn).astype(np.int64)


def _solve(
    experiment: Experiment,
    plan: ScenarioPlan,
    columns: Sequence[Column],
    shown: Integers,
    outcomes: Integers,
    simulated: bool,
    limits: Limits,
    worst_case: bool,
) -> Solution:
    """Solve for limits that are all numbers; the worst case and the scores take longest."""
    scenario, engines = plan.scenario, experiment.engines
    worst_case = worst_case and ENUMERATION in engines
    enumerated = scored = integrated = None
    if (ENUMERATION in engines or simulated) and solver_of(scenario).has_exact_values:
        enumerated = solver_of(scenario).enumerate(limits, outcomes, worst=worst_case)
    confirmations: list[Comparison] = []
    if worst_case and enumerated is not None:
        enumerated, confirmations = confirmed(solver_of(scenario), limits, enumerated)
        scored = solver_of(scenario).scores(limits, enumerated, columns)
    if POSTERIOR in engines:
        integrated = _integrate(experiment, plan, limits.at(shown), enumerated)
    published = Published(enumerated, integrated, experiment.reference_prior)
    return Solution(
        shown=shown,
        comparisons=(*solver_of(scenario).verify(limits, published), *confirmations),
        enumerated=None if enumerated is None else replace(enumerated, nodes=None),
        scores=scored,
        integrated=integrated,
    )


def _integrate(
    experiment: Experiment, plan: ScenarioPlan, limits: Limits, enumerated: Enumerated | None
) -> Integrated:
    """Integrate the posterior, the reference prior's or the truth's, outside the limits."""
    scenario, prior = plan.scenario, experiment.reference_prior
    if enumerated is not None and _is_under_prior(enumerated, scenario, prior, limits):
        cells = enumerated.by_outcome
        by_prior = replace(cells, weight=np.ones(cells.weight.size))
    else:
        by_prior = posterior.integrate_under_prior(scenario, limits, prior)
    if not plan.whole:
        return Integrated(by_prior, mean=None, under_prior=None)
    by_prior = replace(by_prior, weight=solver_of(scenario).outcome_weights(limits.outcomes))
    if experiment.reference == "prior":
        return Integrated(by_prior, by_prior.mean(), under_prior=None)
    by_truth = posterior.integrate_under_truth(scenario, limits)
    return Integrated(by_truth, by_truth.mean(), by_prior.at(by_truth.conditions))


def _is_under_prior(
    enumerated: Enumerated, scenario: Scenario, prior: Prior, limits: Limits
) -> bool:
    """Whether enumeration has integrated the posterior under the reference prior already."""
    samples = scenario.samples() if scenario.law is None else ()
    return (
        enumerated.mean_from == POSTERIOR
        and len(samples) > 0
        and all(is_own_prior(each, prior) for each in samples)
        and np.array_equal(enumerated.by_outcome.conditions, limits.outcomes)
    )
