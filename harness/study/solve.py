"""Solve one scenario: what the exact engines compute for the limits of its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from harness.base.numerics.arrays import Integers
from harness.config.experiment import Experiment
from harness.designs import posterior
from harness.designs.posterior import Integrated
from harness.designs.results import Tally
from harness.designs.scenario import Column, Limits
from harness.designs.solvers import solver_of
from harness.designs.verification.comparisons import Published
from harness.families.catalogue import family_of
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.study.failures import solve_with_failures
from harness.study.plan import ScenarioPlan
from harness.tables.scenario_result import Solution


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

    Args: as those of ``solve_scenario``.
    """
    shown = limits.outcomes if plan.shown is None else plan.shown
    drawn = None if tally is None else tally.by_outcome.conditions.astype(np.int64)
    return shown, _outcomes_to_enumerate(experiment, plan, shown, drawn)


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
    if worst_case and enumerated is not None:
        scored = solver_of(scenario).scores(limits, enumerated, columns)
    if POSTERIOR in engines:
        integrated = _integrate(experiment, plan, limits.at(shown))
    published = Published(enumerated, integrated, experiment.reference_prior)
    return Solution(
        shown=shown,
        comparisons=tuple(solver_of(scenario).verify(limits, published)),
        enumerated=None if enumerated is None else replace(enumerated, nodes=None),
        scores=scored,
        integrated=integrated,
    )


def _integrate(experiment: Experiment, plan: ScenarioPlan, limits: Limits) -> Integrated:
    """Integrate the posterior, the reference prior's or the truth's, outside the limits."""
    scenario = plan.scenario
    by_prior = posterior.integrate_under_prior(scenario, limits, experiment.reference_prior)
    if not plan.whole:
        return Integrated(by_prior, mean=None, under_prior=None)
    by_prior = replace(by_prior, weight=solver_of(scenario).outcome_weights(limits.outcomes))
    if experiment.reference == "prior":
        return Integrated(by_prior, by_prior.mean(), under_prior=None)
    by_truth = posterior.integrate_under_truth(scenario, limits)
    return Integrated(by_truth, by_truth.mean(), by_prior.at(by_truth.conditions))


def _outcomes_to_enumerate(
    experiment: Experiment, plan: ScenarioPlan, shown: Integers, drawn: Integers | None
) -> Integers:
    """The outcomes shown, and the outcomes drawn, whose counts are compared with exact values.

    Enumeration alone over a list of values has truths to report, and no outcomes.
    """
    nothing = np.empty(0, np.int64)
    if not plan.outcome_cells.present:
        return nothing
    values_alone = experiment.truth.is_discrete and not (
        {POSTERIOR, MONTE_CARLO} & set(experiment.engines)
    )
    parts = nothing if values_alone else shown, nothing if drawn is None else drawn
    return np.union1d(*parts).astype(np.int64)
