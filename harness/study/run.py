"""One experiment, from plan to results."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path
from typing import Protocol

import numpy as np

from harness.config.experiment import Experiment
from harness.engines import identity, pair_identity, posterior
from harness.engines.enumeration import Enumerated, enumerate_exactly, outcome_weights
from harness.engines.monte_carlo import Shard, simulate
from harness.engines.pair_enumeration import enumerate_pairs, pair_weights
from harness.engines.records import Tally
from harness.engines.scores import scores
from harness.numerics.arrays import Floats, Integers
from harness.scenario import AnyScenario, Limits, PairScenario
from harness.study.limits import all_limits
from harness.study.parallel import run_tasks
from harness.study.plan import LARGEST_TABLE, ScenarioPlan, columns, plan
from harness.tables.assemble import cells_table, summary_table
from harness.tables.findings import Findings
from harness.tables.manifest import manifest
from harness.tables.results import Results
from harness.tables.schema import ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.tables.verdict import agreement
from harness.truths import is_listed


class Progress(Protocol):
    """What a study tells while it runs."""

    def expect(self, trials: int) -> None:
        """So many more trials are to come."""
        ...

    def advance(self, trials: int) -> None:
        """So many trials more are done."""
        ...


class Silent:
    """Progress that nobody looks at."""

    def expect(self, trials: int) -> None: ...

    def advance(self, trials: int) -> None: ...


def compute(experiment: Experiment, progress: Progress) -> Results:
    """Run the engines of an experiment, hold them against each other, assemble the tables.

    Raises:
        InputError: a size needs more intervals than fit.
        MethodError: a user's method failed.
    """
    plans, sources = plan(experiment), _sources(experiment)
    progress.expect(sum(shard.trials for each in plans for shard in each.shards))
    limits = all_limits(experiment, plans)
    tallies = _simulated(experiment, plans, limits, progress)
    findings = _solved(experiment, plans, limits, tallies)
    lines = agreement(findings)
    return Results(
        cells_table(findings, experiment.engines),
        summary_table(findings, experiment.engines),
        manifest(experiment.document, sources, findings, lines),
    )


def _sources(experiment: Experiment) -> dict[str, str]:
    """A digest of every file that holds a user's method."""
    return {
        spec.label: hashlib.sha256(Path(spec.path).read_bytes()).hexdigest()
        for spec in experiment.methods
        if spec.path is not None
    }


def _simulated(
    experiment: Experiment, plans: list[ScenarioPlan], limits: list[Limits], progress: Progress
) -> list[Tally | None]:
    """The merged tally of each scenario: a round of shards, merged in their order."""
    tasks = [
        (number, shard, table)
        for number, (each, table) in enumerate(zip(plans, limits, strict=True))
        for shard in each.shards
    ]
    tallies: list[Tally | None] = [None] * len(plans)
    execution = experiment.execution
    for number, tally in run_tasks(_simulate, tasks, execution.jobs, execution.backend):
        before = tallies[number]
        tallies[number] = tally if before is None else before.plus(tally)
        progress.advance(int(tally.by_outcome.trials.sum()))
    return tallies


def _simulate(number: int, shard: Shard, limits: Limits) -> tuple[int, Tally]:
    return number, simulate(shard, limits)


def _solved(
    experiment: Experiment,
    plans: list[ScenarioPlan],
    limits: list[Limits],
    tallies: list[Tally | None],
) -> list[Findings]:
    """What the exact engines find in each scenario; the largest sizes are started first."""
    tasks = [
        (experiment, each, table, tally)
        for each, table, tally in zip(plans, limits, tallies, strict=True)
    ]
    execution = experiment.execution
    found = list(run_tasks(_solve, tasks[::-1], execution.jobs, execution.backend))
    return found[::-1]


def _solve(
    experiment: Experiment, each: ScenarioPlan, limits: Limits, tally: Tally | None
) -> Findings:
    scenario, engines = each.scenario, experiment.engines
    shown = limits.outcomes if each.shown is None else each.shown
    enumerated = scored = None
    if ENUMERATION in engines or tally is not None:
        reported = _reported(experiment, each, shown, tally)
        enumerated = _enumerate(scenario, limits, reported, worst=ENUMERATION in engines)
    if ENUMERATION in engines and enumerated is not None:
        scored = scores(scenario, limits, enumerated, columns(experiment))
    found = Findings(
        scenario=scenario,
        columns=columns(experiment),
        limits=limits,
        tally=tally,
        per_outcome=each.per_outcome,
        truths_drawn=experiment.trials is None or experiment.trials.kind != "per_truth",
        shown=shown,
        enumerated=enumerated,
        discrepancy=_discrepancy(scenario, limits, enumerated),
        scores=scored,
        group=experiment.group,
    )
    return _integrated(experiment, each, found) if POSTERIOR in engines else found


def _enumerate(
    scenario: AnyScenario, limits: Limits, reported: Integers, worst: bool
) -> Enumerated:
    if isinstance(scenario, PairScenario):
        return enumerate_pairs(scenario, limits, reported, worst)
    return enumerate_exactly(scenario, limits, reported, worst)


def _integrated(experiment: Experiment, each: ScenarioPlan, found: Findings) -> Findings:
    """With what the posterior engine finds: under the reference prior, or the truth's posterior."""
    scenario, part = found.scenario, found.limits.at(found.shown)
    by_prior = posterior.integrate(scenario, part, experiment.reference_prior)
    if not each.whole:
        return replace(found, posterior=by_prior)
    by_prior = replace(by_prior, weight=_weights(scenario, found.shown))
    if experiment.reference == "prior":
        return replace(found, posterior=by_prior, posterior_mean=by_prior.mean())
    by_truth = posterior.integrate_truth(scenario, part)
    return replace(
        found,
        posterior=by_truth,
        posterior_mean=by_truth.mean(),
        under_prior=by_prior.at(by_truth.conditions),
    )


def _weights(scenario: AnyScenario, outcomes: Integers) -> Floats:
    """Outcome probabilities under the scenario's truth."""
    if isinstance(scenario, PairScenario):
        return pair_weights(scenario, outcomes)
    return outcome_weights(scenario, outcomes)


def _reported(
    experiment: Experiment, each: ScenarioPlan, shown: Integers, tally: Tally | None
) -> Integers:
    """The outcomes to enumerate: those shown, and those that counts are held against.

    Enumeration alone over a list of values has truths to report, and no outcomes.
    """
    drawn = np.empty(0, np.int64) if tally is None else tally.by_outcome.conditions
    if not each.per_outcome:
        return np.empty(0, np.int64)
    values_alone = is_listed(experiment.truth) and not (
        {POSTERIOR, MONTE_CARLO} & set(experiment.engines)
    )
    return np.union1d(np.empty(0, np.int64) if values_alone else shown, drawn).astype(np.int64)


def _discrepancy(scenario: AnyScenario, limits: Limits, known: Enumerated | None) -> Floats:
    """The largest discrepancy between what is computed in two ways, for each column."""
    found = [] if known is None else identity.enumeration_discrepancies(known)
    if isinstance(scenario, PairScenario):
        checked = pair_identity.scenarios_to_check(scenario)
        found += [pair_identity.both_sides(each, limits).discrepancy() for each in checked]
        off = 0.0 if is_listed(scenario.truth) else pair_identity.weight_discrepancy(scenario)
    else:
        alone = identity.scenarios_to_check(scenario)
        found += [identity.both_sides(each, limits).discrepancy() for each in alone]
        small = scenario.size < LARGEST_TABLE and not is_listed(scenario.truth)
        off = identity.weight_discrepancy(scenario) if small else 0.0
    return np.asarray(np.max([*found, np.full(limits.lower.shape[0], off)], axis=0))
