"""Trials until intervals are narrow enough: fixed where alphas are known, decided at looks else."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from harness.config.experiment import Experiment
from harness.designs.exact.one_sample import enumerate_by_posterior
from harness.designs.monte_carlo import shards
from harness.designs.precision import Aim, fixed_trials
from harness.designs.scenario import Limits, Scenario, scenario_words
from harness.designs.solvers import solver_of
from harness.families.catalogue import family_of
from harness.study.columns import Sources
from harness.study.failures import failures_as_misses
from harness.study.journal.database import Journal
from harness.study.journal.trials import Span
from harness.study.limits import ScenarioLimits, compute_limits
from harness.study.parallel import driver_backend, run_tasks
from harness.study.plan import ScenarioPlan
from harness.study.simulate import Simulation
from harness.study.trials import outcomes_needed


def with_exact_trials(
    experiment: Experiment, plans: Sequence[ScenarioPlan], limits: Sequence[ScenarioLimits]
) -> list[ScenarioPlan]:
    """Return the plans with a fixed number of trials where the exact alphas are known.

    Plans without a precision asked for, and those whose exact alphas are not known, stay.

    Args:
        experiment: none of its methods draws its limits.
        plans: its scenarios.
        limits: of each scenario, at the planned outcomes.
    """
    aimed = [number for number, plan in enumerate(plans) if plan.aim is not None and plan.shards]
    if not aimed:
        return list(plans)
    tasks = [(plans[number].scenario, limits[number].limits) for number in aimed]
    execution = experiment.execution
    hardest = list(
        run_tasks(_hardest_alpha, tasks, execution.jobs, driver_backend(execution), _name)
    )
    known = [(number, p) for number, p in zip(aimed, hardest, strict=True) if p is not None]
    if not known:
        return list(plans)
    found = list(plans)
    (aim,) = {plans[number].aim for number, _ in known}
    assert aim is not None
    trials = fixed_trials(np.array([p for _, p in known]), aim.half_width, aim.most)
    for (number, _), count in zip(known, trials.tolist(), strict=True):
        drawn = shards(plans[number].scenario, count, experiment.seed, None)
        fixed = Aim(aim.half_width, aim.most, ())
        found[number] = replace(plans[number], shards=tuple(drawn), looks=(len(drawn),), aim=fixed)
    return found


def _name(scenario: Scenario, limits: Limits) -> str:
    return f"the exact alphas for {scenario_words(scenario)}"


def _hardest_alpha(scenario: Scenario, limits: Limits) -> float | None:
    """The exact alpha nearest to 1/2, which takes the most trials; None if one is not known.

    Args:
        scenario: size and truth.
        limits: of all columns, at the planned outcomes; a missing one counts as a miss.
    """
    if limits.failed.any():
        limits = failures_as_misses(limits, family_of(scenario.family).support)
    nothing = np.empty(0, np.int64)
    if not solver_of(scenario).has_exact_values:
        return None
    if scenario.truth.is_discrete:
        mean = solver_of(scenario).enumerate(limits, nothing, worst=False).mean
    else:
        # The same alpha as that of enumeration, in a small part of its time.
        mean = enumerate_by_posterior(scenario, limits, nothing).mean
    if mean is None:
        return None
    alphas = mean.missed
    return float(alphas[np.argmin(np.abs(alphas - 0.5))])


def extend_limits(
    experiment: Experiment,
    plans: Sequence[ScenarioPlan],
    limits: list[ScenarioLimits],
    sources: Sources,
    journal: Journal | None,
    rounds: Mapping[int, Sequence[Span]],
) -> None:
    """Compute the limits at the outcomes that are drawn in a round and have none yet.

    Args:
        experiment: what to compute.
        plans: its scenarios; those whose number of trials was given have all limits.
        limits: of each scenario, replaced where there are more.
        sources: of all methods.
        journal: knows what finished shards drew; None where nothing is recorded.
        rounds: the spans of shards of the round, by the numbers of their scenarios.
    """
    nothing = np.empty(0, np.int64)
    extended = {
        number: replace(plans[number], outcomes=nothing)
        for number in rounds
        if plans[number].aim is not None and not plans[number].complete
    }
    if not extended:
        return
    asked, spans = list(extended.values()), [rounds[number] for number in extended]
    drawn = outcomes_needed(asked, spans, experiment.execution.jobs, journal)
    new = [
        np.setdiff1d(each, limits[number].limits.outcomes)
        for number, each in zip(extended, drawn, strict=True)
    ]
    for number, added in zip(
        extended, compute_limits(experiment, asked, new, sources), strict=True
    ):
        limits[number] = limits[number].plus(added)


def narrow_enough(plans: Sequence[ScenarioPlan], number: int, simulation: Simulation) -> bool:
    """Whether a scenario has the precision asked for; always where its trials are fixed.

    Args:
        plans: of all scenarios.
        number: the number of the scenario.
        simulation: all trials of the scenario up to a look.
    """
    aim = plans[number].aim
    if aim is None or not aim.looks:
        return True
    tallies = [simulation.tally, simulation.stochastic]
    counts = [tally.by_outcome for tally in tallies if tally is not None]
    misses = np.concatenate([each.missed.sum(axis=1) for each in counts])
    return aim.reached(misses, simulation.trials)
