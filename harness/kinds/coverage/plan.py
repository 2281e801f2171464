"""Plan the scenarios of an experiment: their trials, and the outcomes that need limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import pairwise

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Integers
from harness.catalogue import scenario_for
from harness.config.models.trials import MOST_TRIALS
from harness.config.values import MethodSpec, Precision, Size
from harness.designs.design import Scenario
from harness.designs.engines.monte_carlo import SHARD, Shard, shards
from harness.designs.engines.solver import solver_of
from harness.designs.limits import outcomes_at_fractions
from harness.designs.precision import (
    FIRST_LOOK,
    FIRST_LOOK_DRAWN,
    Aim,
    certain_look,
    planned_looks,
    shards_between_looks,
)
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.figures.requirements import LARGEST_BESIDE_TRUTHS
from harness.kinds.coverage.columns import Sources, refuse_undrawn, stochastic_columns
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.scenario_result import OutcomeCells
from harness.methods.catalogue import find

LARGEST_TABLE = 1 << 22
"""The most outcomes of one scenario that limits are computed for."""

_FIRST_LOOKS = (FIRST_LOOK, FIRST_LOOK_DRAWN)


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
    looks: tuple[int, ...]
    """The numbers of shards after which it is decided whether more are simulated, ascending.

    The last one is the number of all shards; it is the only one where trials are fixed.
    """
    aim: Aim | None
    """The precision that the trials are to reach; None where their number is given."""


@dataclass(frozen=True)
class OutcomeSet:
    """Outcomes of a scenario that are counted before they are listed."""

    count: float
    """An upper bound of their number."""
    listed: Callable[[], Integers]
    """Returns them, ascending."""


@dataclass(frozen=True)
class ScenarioCounts:
    """The size of the work of one scenario, known without listing an outcome; upper bounds."""

    scenario: Scenario
    trials: int
    tasks: int
    """The number of shards of the trials."""
    truths: int
    """The number of listed truths; 0 where truths come from a distribution."""
    drawn: float
    """The number of distinct outcomes that are drawn."""
    outcomes: float
    """The number of outcomes that limits are computed for."""
    shown: float
    """The number of outcomes that the exact engines report."""
    drawn_first: bool
    """Whether trials are drawn once more beforehand, since not every outcome is planned."""
    outcome_cells: OutcomeCells


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
    first = _FIRST_LOOKS[bool(stochastic_columns(experiment, sources))]
    return [_plan_scenario(experiment, size, first) for size in experiment.sizes]


def count_scenarios(experiment: Experiment) -> Iterator[ScenarioCounts]:
    """Yield the size of the work of each scenario, by ascending size; no outcomes are listed.

    Raises:
        InputError: as ``plan_scenarios`` for a size that needs too much.
    """
    for size in experiment.sizes:
        scenario = _scenario(experiment, size)
        trials, tasks = 0, 0
        if MONTE_CARLO in experiment.engines:
            trials = _trials(experiment, scenario)
            tasks = _tasks(experiment, trials)
        possible = solver_of(scenario).possible_count()
        shown = _shown(experiment, scenario)
        needed = [part.count for part in _outcomes(experiment, scenario, shown)]
        # Ranges of outcomes lie within each other; only listed outcomes may lie outside of them.
        listed = 0.0 if shown is None or experiment.outcomes is None else shown.count
        planned = max(needed) + listed
        drawn = min(float(trials), possible)
        drawn_first = trials > 0 and planned < possible
        largest = scenario.outcome_count
        outcomes = min(planned + (drawn if drawn_first else 0.0), largest)
        reported = outcomes if shown is None else min(shown.count, largest)
        if reports_truths_alone(experiment):
            reported = 0.0
        yield ScenarioCounts(
            scenario,
            trials,
            tasks,
            scenario.truth.count if scenario.truth.is_discrete else 0,
            drawn,
            outcomes,
            reported,
            drawn_first,
            _outcome_cells(experiment, scenario),
        )


def _plan_scenario(experiment: Experiment, size: Size, first_look: int) -> ScenarioPlan:
    scenario = _scenario(experiment, size)
    drawn, looks, aim = _shards(experiment, scenario, first_look)
    shown = _shown(experiment, scenario)
    needed = _union([part.listed() for part in _outcomes(experiment, scenario, shown)])
    complete = solver_of(scenario).covers_draws(needed, LARGEST_TABLE)
    return ScenarioPlan(
        scenario,
        drawn,
        needed,
        None if shown is None else shown.listed(),
        whole=experiment.outcomes is None,
        complete=complete,
        outcome_cells=_outcome_cells(experiment, scenario),
        looks=looks,
        aim=aim,
    )


def _outcome_cells(experiment: Experiment, scenario: Scenario) -> OutcomeCells:
    large = _is_one_bounded_sample(scenario) and scenario.sizes[0] >= LARGEST_BESIDE_TRUTHS
    trials = experiment.trials
    return OutcomeCells(
        present=scenario.family.has_outcomes and not (large and scenario.truth.is_discrete),
        binomial=trials is None or trials.kind != "per_truth",
        group=experiment.group,
    )


def _scenario(experiment: Experiment, size: Size) -> Scenario:
    return scenario_for(
        experiment.family,
        size,
        experiment.truth,
        draws=experiment.draws,
        law=experiment.sampling,
        with_both=any(_uses_both(experiment, spec) for spec in experiment.methods),
    )


def _uses_both(experiment: Experiment, spec: MethodSpec) -> bool:
    """Whether limits may depend on more than the discordant pairs and n; of a user's they may."""
    return spec.name is None or find(experiment.family, spec.name).uses_both


def _is_one_bounded_sample(scenario: Scenario) -> bool:
    family = scenario.family
    return family.has_single_count and family.is_bounded


def _trials(experiment: Experiment, scenario: Scenario) -> int:
    """The number of trials of a scenario; the most that it may have where a precision is asked."""
    assert experiment.trials is not None
    if isinstance(experiment.trials, Precision):
        # Which of the first looks it is depends on the methods.
        return max(_looks(experiment.trials, first)[1][-1] for first in _FIRST_LOOKS)
    kind, count = experiment.trials.kind, experiment.trials.count
    asked = f"trials: {{{kind}: {count}}}"
    if kind == "per_outcome":
        count *= scenario.trials_unit
    elif kind == "per_truth":
        assert scenario.truth.is_discrete
        count *= scenario.truth.count
    if count > MOST_TRIALS:
        raise InputError(
            f"{_size_text(scenario)}: {asked} would be {count:,} trials, more than {MOST_TRIALS:,}"
        )
    return count


def _shards(
    experiment: Experiment, scenario: Scenario, first_look: int
) -> tuple[tuple[Shard, ...], tuple[int, ...], Aim | None]:
    """The shards of a scenario, after which of them it is looked at, and the precision asked for.

    Where a precision is asked for they are those of a scenario whose alphas are not known. No
    trials come after the look at which any count is narrow enough.
    """
    trials, seed = experiment.trials, experiment.seed
    if MONTE_CARLO not in experiment.engines or trials is None:
        return (), (0,), None
    if isinstance(trials, Precision):
        planned, made = _looks(trials, first_look)
        drawn, ends = shards_between_looks(scenario, made, seed)
        return tuple(drawn), tuple(ends), Aim(trials.half_width, trials.most, planned)
    drawn = shards(scenario, _trials(experiment, scenario), seed, trials.per_truth)
    return tuple(drawn), (len(drawn),), None


def _tasks(experiment: Experiment, trials: int) -> int:
    """The number of shards of a scenario, at most."""
    if not isinstance(experiment.trials, Precision):
        return -(-trials // SHARD)
    # No shard reaches beyond a look.
    looks = planned_looks(trials, FIRST_LOOK_DRAWN)
    return sum(-(-(b - a) // SHARD) for a, b in pairwise((0, *looks)))


@cache
def _looks(asked: Precision, first: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The trials of the planned looks, and of those that may be made."""
    planned = planned_looks(asked.most, first)
    return planned, planned[: certain_look(asked.half_width, planned)]


def _shown(experiment: Experiment, scenario: Scenario) -> OutcomeSet | None:
    """The outcomes that the exact engines report; None for all that have limits."""
    asked = experiment.outcomes
    if isinstance(asked, tuple):
        return OutcomeSet(len(asked), lambda: np.array(asked, np.int64))
    if asked is not None:
        n = int(scenario.sizes[0])
        return OutcomeSet(min(asked, n + 1), lambda: outcomes_at_fractions(n, asked))
    if _is_one_bounded_sample(scenario):
        return None
    if experiment.engines == (MONTE_CARLO,) or not _is_enumerated(experiment, scenario):
        return OutcomeSet(0, lambda: np.empty(0, np.int64))
    if POSTERIOR in experiment.engines:
        return _every_outcome(scenario)
    return _possible_outcomes(scenario)


def _outcomes(
    experiment: Experiment, scenario: Scenario, shown: OutcomeSet | None
) -> list[OutcomeSet]:
    """The outcomes that the exact engines and their verification need limits for."""
    prior = experiment.reference_prior if POSTERIOR in experiment.engines else None
    # These are at most a few thousand, whatever the size.
    to_verify = solver_of(scenario).outcomes_to_verify(prior)
    parts = [OutcomeSet(to_verify.size, lambda: to_verify)]
    if shown is not None:
        parts.append(shown)
    if not _is_enumerated(experiment, scenario):
        return parts
    if POSTERIOR in experiment.engines and shown is None:
        instead = "outcomes: {fractions: 21}"
        _refuse_large(scenario, scenario.sizes[0] + 1, "outcomes: all", instead)
        parts.append(_every_outcome(scenario))
    if ENUMERATION in experiment.engines:
        parts.append(_enumerated_outcomes(scenario))
    elif MONTE_CARLO in experiment.engines and scenario.truth.is_discrete:
        # At a list of values counts are compared with exact values.
        parts.append(_possible_outcomes(scenario))
    return parts


def reports_truths_alone(experiment: Experiment) -> bool:
    """Whether no outcomes are reported: of enumeration alone over a list of true values."""
    draws_or_integrates = {POSTERIOR, MONTE_CARLO} & set(experiment.engines)
    return bool(experiment.truth.is_discrete and not draws_or_integrates)


def _is_enumerated(experiment: Experiment, scenario: Scenario) -> bool:
    """Whether there are few enough outcomes to enumerate them; otherwise there are trials alone.

    Raises:
        InputError: there are not, and the experiment has no trials.
    """
    count, most = solver_of(scenario).possible_count(), scenario.design.most_enumerated
    if count > most and MONTE_CARLO not in experiment.engines:
        _refuse_large(scenario, count, "enumeration", "trials", most)
    return count <= most


def _union(parts: Sequence[Integers]) -> Integers:
    """The distinct outcomes of ascending parts, ascending.

    Merging sorted runs is several times faster than hashing them, as ``np.unique`` may do.
    """
    outcomes = np.concatenate(parts).astype(np.int64)
    outcomes.sort(kind="stable")
    new = np.ones(outcomes.size, bool)
    np.not_equal(outcomes[1:], outcomes[:-1], out=new[1:])
    return outcomes[new]


def _enumerated_outcomes(scenario: Scenario) -> OutcomeSet:
    """The outcomes that can occur for any value of the parameter, which the worst case needs.

    If these are too many, those that can occur for a truth in the hull; if these are too many too,
    those that can occur under the truths, which all are enumerated.
    """
    solver = solver_of(scenario)
    for over in (solver.whole_range(), solver.hull()):
        if solver.solves_range(over) and solver.range_count(over) <= LARGEST_TABLE:
            return OutcomeSet(solver.range_count(over), partial(solver.range_outcomes, over))
    return _possible_outcomes(scenario)


def _possible_outcomes(scenario: Scenario) -> OutcomeSet:
    """The outcomes that can occur under the truths."""
    solver = solver_of(scenario)
    instead = "a truth of fewer or closer values"
    count = solver.possible_count()
    _refuse_large(scenario, count, "enumeration", instead)
    return OutcomeSet(count, solver.possible_outcomes)


def _every_outcome(scenario: Scenario) -> OutcomeSet:
    """The outcomes that can occur for any value of the parameter.

    If these are too many to solve in seconds, only those that can occur under the truths.
    """
    solver = solver_of(scenario)
    whole = solver.whole_range()
    if not solver.solves_range(whole):
        count = solver.possible_count()
        _refuse_large(scenario, count, "this", "closer truths")
        return OutcomeSet(count, solver.possible_outcomes)
    count = solver.range_count(whole)
    _refuse_large(scenario, count, "outcomes: all", "a list of outcomes")
    return OutcomeSet(count, partial(solver.range_outcomes, whole))


def _refuse_large(
    scenario: Scenario, count: float, what: str, instead: str, most: float = LARGEST_TABLE
) -> None:
    if count > most:
        raise InputError(
            f"{_size_text(scenario)}: {what} would need {count:,.0f} intervals of each method, "
            f"more than {most:,.0f}; use {instead}, or a smaller "
            f"{scenario.family.model.SIZE}"
        )


def _size_text(scenario: Scenario) -> str:
    return scenario.family.size_text(scenario.sizes)
