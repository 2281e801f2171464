"""What the exact engines make of one scenario."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from harness.config.experiment import Experiment
from harness.engines import posterior
from harness.engines.identity.one_sample import enumeration_discrepancies
from harness.engines.results import Enumerated, Tally
from harness.engines.solvers import solver_of
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Limits, Scenario
from harness.study.failures import solved_with_failures
from harness.study.plan import ScenarioPlan
from harness.tables.scenario_result import ScenarioResult


def solve_exactly(
    experiment: Experiment, each: ScenarioPlan, found: ScenarioResult
) -> ScenarioResult:
    """With what the exact engines find, which the counts are held against."""
    if not found.limits.failed.any():
        return _solve(experiment, each, found, True)
    return solved_with_failures(found, partial(_solve, experiment, each))


def _solve(
    experiment: Experiment, each: ScenarioPlan, found: ScenarioResult, worst: bool
) -> ScenarioResult:
    """``worst``: with the worst case and the scores, which take longest."""
    scenario, limits, engines = found.scenario, found.limits, experiment.engines
    enumerated = scored = None
    if ENUMERATION in engines or found.tally is not None:
        reported = _reported(experiment, each, found.shown, found.tally)
        sought = worst and ENUMERATION in engines
        enumerated = solver_of(scenario).enumerate(limits, reported, worst=sought)
    if worst and ENUMERATION in engines and enumerated is not None:
        scored = solver_of(scenario).scores(limits, enumerated, found.columns)
    found = replace(
        found,
        enumerated=enumerated,
        discrepancy=_discrepancy(scenario, limits, enumerated),
        scores=scored,
    )
    return _integrated(experiment, each, found) if POSTERIOR in engines else found


def _integrated(
    experiment: Experiment, each: ScenarioPlan, found: ScenarioResult
) -> ScenarioResult:
    """With what the posterior engine finds: under the reference prior, or the truth's posterior."""
    scenario, part = found.scenario, found.limits.at(found.shown)
    by_prior = posterior.integrate_under_prior(scenario, part, experiment.reference_prior)
    if not each.whole:
        return replace(found, posterior=by_prior)
    by_prior = replace(by_prior, weight=solver_of(scenario).outcome_weights(found.shown))
    if experiment.reference == "prior":
        return replace(found, posterior=by_prior, posterior_mean=by_prior.mean())
    by_truth = posterior.integrate_under_truth(scenario, part)
    return replace(
        found,
        posterior=by_truth,
        posterior_mean=by_truth.mean(),
        under_prior=by_prior.at(by_truth.conditions),
    )


def _reported(
    experiment: Experiment, each: ScenarioPlan, shown: Integers, tally: Tally | None
) -> Integers:
    """The outcomes to enumerate: those shown, and those that counts are held against.

    Enumeration alone over a list of values has truths to report, and no outcomes.
    """
    drawn = np.empty(0, np.int64) if tally is None else tally.by_outcome.conditions
    if not each.per_outcome:
        return np.empty(0, np.int64)
    values_alone = experiment.truth.is_discrete and not (
        {POSTERIOR, MONTE_CARLO} & set(experiment.engines)
    )
    return np.union1d(np.empty(0, np.int64) if values_alone else shown, drawn).astype(np.int64)


def _discrepancy(scenario: Scenario, limits: Limits, known: Enumerated | None) -> Floats:
    """The largest discrepancy between what is computed in two ways, for each column."""
    found = [] if known is None else enumeration_discrepancies(known)
    found += solver_of(scenario).discrepancies(limits)
    return np.asarray(np.max(found, axis=0))
