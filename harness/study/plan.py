"""Plan the scenarios of an experiment: their trials, and the outcomes that need limits."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.config.experiment import Experiment, Size
from harness.engines.monte_carlo import Shard, shards
from harness.engines.solvers import solver_of
from harness.errors import InputError
from harness.families.catalogue import family_of
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.figures.requirements import LARGEST_BESIDE_TRUTHS
from harness.numerics.arrays import Integers
from harness.scenario import PairScenario, Scenario, SingleScenario, outcomes_at_fractions
from harness.study.columns import Sources, refuse_undrawn
from harness.tables.scenario_result import OutcomeCells
from harness.truths import PairTruth

LARGEST_TABLE = 1 << 22
"""The most outcomes of one scenario that limits are computed for."""

MOST_TRIALS = 10**11
"""The most trials of one scenario: hours on any machine."""


@dataclass(frozen=True)
class ScenarioPlan:
    """One scenario with its trials, and the outcomes known to be needed before any trial."""

    scenario: Scenario
    shards: tuple[Shard, ...]
    outcomes: Integers
    """The outcomes that limits are computed for, ascending; those drawn are added if missing."""
    shown: Integers | None
    """The outcomes that the exact engines report; None for all that there are limits for."""
    whole: bool
    """Whether the exact engines report every outcome that can occur."""
    complete: bool
    """Whether every outcome that can be drawn is among ``outcomes``."""
    outcome_cells: OutcomeCells
    """How the tables show the cells given an outcome."""


def plan_scenarios(experiment: Experiment, sources: Sources) -> list[ScenarioPlan]:
    """Plan the scenarios of an experiment, by ascending size.

    Args:
        experiment: what to compute.
        sources: the sources of its methods, without user functions that are not loaded yet.

    Raises:
        InputError: a size needs more intervals than fit; the message says how to need fewer. Or
            a method draws its limits, and the experiment has no trials.
    """
    refuse_undrawn(experiment, sources)
    return [_plan_scenario(experiment, size) for size in experiment.sizes]


def _plan_scenario(experiment: Experiment, size: Size) -> ScenarioPlan:
    scenario = _scenario(experiment, size)
    drawn = _shards(experiment, scenario) if MONTE_CARLO in experiment.engines else ()
    shown = _shown(experiment, scenario)
    needed = _outcomes(experiment, scenario, shown)
    complete = solver_of(scenario).covers_draws(needed, LARGEST_TABLE)
    return ScenarioPlan(
        scenario,
        drawn,
        needed,
        shown,
        whole=experiment.outcomes is None,
        complete=complete,
        outcome_cells=_outcome_cells(experiment, scenario),
    )


def _outcome_cells(experiment: Experiment, scenario: Scenario) -> OutcomeCells:
    large = _is_one_bounded_sample(scenario) and scenario.sizes[0] >= LARGEST_BESIDE_TRUTHS
    trials = experiment.trials
    return OutcomeCells(
        present=not (large and scenario.truth.is_discrete),
        binomial=trials is None or trials.kind != "per_truth",
        group=experiment.group,
    )


def _scenario(experiment: Experiment, size: Size) -> Scenario:
    if isinstance(size, tuple):
        assert isinstance(experiment.truth, PairTruth)
        return PairScenario(experiment.family, size, experiment.truth)
    assert not isinstance(experiment.truth, PairTruth)
    return SingleScenario(experiment.family, size, experiment.truth)


def _is_one_bounded_sample(scenario: Scenario) -> bool:
    family = family_of(scenario.family)
    return family.samples == 1 and family.is_bounded


def _shards(experiment: Experiment, scenario: Scenario) -> tuple[Shard, ...]:
    assert experiment.trials is not None
    kind, count = experiment.trials.kind, experiment.trials.count
    asked = f"trials: {{{kind}: {count}}}"
    per_truth = count if kind == "per_truth" else None
    if kind == "per_outcome":
        for size in scenario.sizes:
            count *= int(size) + 1
    elif per_truth is not None:
        assert scenario.truth.is_discrete
        count *= scenario.truth.count
    if count > MOST_TRIALS:
        raise InputError(
            f"{_size_text(scenario)}: {asked} would be {count:,} trials, more than {MOST_TRIALS:,}"
        )
    return tuple(shards(scenario, count, experiment.seed, per_truth))


def _shown(experiment: Experiment, scenario: Scenario) -> Integers | None:
    """The outcomes that the exact engines report; None for all that have limits."""
    asked = experiment.outcomes
    if isinstance(asked, tuple):
        return np.array(asked, np.int64)
    if asked is not None:
        return outcomes_at_fractions(int(scenario.sizes[0]), asked)
    if _is_one_bounded_sample(scenario):
        return None
    if experiment.engines == (MONTE_CARLO,):
        return np.empty(0, np.int64)
    if POSTERIOR in experiment.engines:
        return _every_outcome(scenario)
    return solver_of(scenario).possible_outcomes()


def _outcomes(experiment: Experiment, scenario: Scenario, shown: Integers | None) -> Integers:
    """The outcomes that the exact engines and their verification need limits for."""
    prior = experiment.reference_prior if POSTERIOR in experiment.engines else None
    parts = [solver_of(scenario).outcomes_to_verify(prior)]
    if shown is not None:
        parts.append(shown)
    if POSTERIOR in experiment.engines and shown is None:
        instead = "outcomes: {fractions: 21}"
        _refuse_large(scenario, scenario.sizes[0] + 1, "outcomes: all", instead)
        parts.append(_every_outcome(scenario))
    if ENUMERATION in experiment.engines:
        parts.append(_enumerated_outcomes(scenario))
    elif MONTE_CARLO in experiment.engines and scenario.truth.is_discrete:
        # At a list of values counts are compared with exact values.
        parts.append(_possible_outcomes(scenario))
    return np.unique(np.concatenate(parts)).astype(np.int64)


def _enumerated_outcomes(scenario: Scenario) -> Integers:
    """The outcomes that can occur for any value of the parameter, which the worst case needs.

    If these are too many, those that can occur for a truth in the hull; if these are too many too,
    those that can occur under the truths, which all are enumerated.
    """
    solver = solver_of(scenario)
    for over in (solver.whole_range(), solver.hull()):
        if solver.solves_range(over) and solver.range_count(over) <= LARGEST_TABLE:
            return solver.range_outcomes(over)
    return _possible_outcomes(scenario)


def _possible_outcomes(scenario: Scenario) -> Integers:
    """The outcomes that can occur under the truths."""
    solver = solver_of(scenario)
    instead = "a truth of fewer or closer values"
    _refuse_large(scenario, solver.possible_count(), "enumeration", instead)
    return solver.possible_outcomes()


def _every_outcome(scenario: Scenario) -> Integers:
    """The outcomes that can occur for any value of the parameter.

    If these are too many to solve in seconds, only those that can occur under the truths.
    """
    solver = solver_of(scenario)
    whole = solver.whole_range()
    if not solver.solves_range(whole):
        _refuse_large(scenario, solver.possible_count(), "this", "closer truths")
        return solver.possible_outcomes()
    _refuse_large(scenario, solver.range_count(whole), "outcomes: all", "a list of outcomes")
    return solver.range_outcomes(whole)


def _refuse_large(scenario: Scenario, count: float, what: str, instead: str) -> None:
    if count > LARGEST_TABLE:
        raise InputError(
            f"{_size_text(scenario)}: {what} would need {count:,.0f} intervals of each method, "
            f"more than {LARGEST_TABLE:,}; use {instead}, or a smaller "
            f"{family_of(scenario.family).model.SIZE}"
        )


def _size_text(scenario: Scenario) -> str:
    return family_of(scenario.family).size_text(scenario.sizes)
