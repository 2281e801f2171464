"""Plan the scenarios of an experiment: their trials, and the outcomes that need limits."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, partial
from itertools import pairwise

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Integers
from harness.config.models.trials import MOST_TRIALS
from harness.config.values import Precision
from harness.designs.design import Scenario
from harness.designs.engines.monte_carlo import SHARD, Shard, shards
from harness.designs.engines.solver import Solver, solver_of
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
from harness.kinds.coverage.columns import RunColumns, refuse_undrawn
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.scenario_result import OutcomeCells
from harness.runner.workload import memory_for

LARGEST_TABLE = 1 << 22
"""The most outcomes of one scenario that limits are computed for."""


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
    outcome_cells: OutcomeCells


@memory_for("the outcomes of all sizes")
def plan_scenarios(experiment: Experiment, columns: RunColumns) -> list[ScenarioPlan]:
    """Plan the scenarios of an experiment, by ascending size.

    Args:
        experiment: what to compute.
        columns: its columns.

    Raises:
        InputError: a size needs more intervals than fit; the message says how to need fewer. Or
            a method draws its limits, and the experiment has no trials.
    """
    refuse_undrawn(experiment, columns)
    first_look = FIRST_LOOK_DRAWN if columns.stochastic else FIRST_LOOK
    return [_Planner(experiment, scenario).plan(first_look) for scenario in experiment.scenarios]


def count_scenarios(experiment: Experiment) -> Iterator[ScenarioCounts]:
    """Yield the size of the work of each scenario, by ascending size; no outcomes are listed.

    Raises:
        InputError: as ``plan_scenarios`` for a size that needs too much.
    """
    for scenario in experiment.scenarios:
        yield _Planner(experiment, scenario).counts()


def reports_truths_alone(experiment: Experiment) -> bool:
    """Whether no outcomes are reported: of enumeration alone over a list of true values."""
    draws_or_integrates = {POSTERIOR, MONTE_CARLO} & set(experiment.engines)
    return bool(experiment.truth.is_discrete and not draws_or_integrates)


@dataclass(frozen=True)
class _OutcomeSet:
    """Outcomes of a scenario that are counted before they are listed."""

    count: float
    """An upper bound of their number."""
    listed: Callable[[], Integers]
    """Returns them, ascending."""


@dataclass(frozen=True)
class _Planner:
    """Plans one scenario of an experiment."""

    experiment: Experiment
    scenario: Scenario

    @cached_property
    def solver(self) -> Solver:
        """The exact engines of the scenario."""
        return solver_of(self.scenario)

    def plan(self, first_look: int) -> ScenarioPlan:
        """List the shards and the outcomes.

        Args:
            first_look: the trials of the first look, where a precision is asked for.
        """
        drawn, looks, aim = self._shards(first_look)
        shown = self._shown()
        # The distinct ones of ascending parts: merging sorted runs is several times faster than
        # hashing them, as ``np.unique`` may do.
        parts = [part.listed() for part in self._needed(shown)]
        outcomes = np.concatenate(parts).astype(np.int64)
        outcomes.sort(kind="stable")
        is_new = np.ones(outcomes.size, bool)
        np.not_equal(outcomes[1:], outcomes[:-1], out=is_new[1:])
        needed = outcomes[is_new]
        return ScenarioPlan(
            self.scenario,
            drawn,
            needed,
            None if shown is None else shown.listed(),
            whole=self.experiment.outcomes is None,
            complete=self.solver.covers_draws(needed, LARGEST_TABLE),
            outcome_cells=self._outcome_cells(),
            looks=looks,
            aim=aim,
        )

    def counts(self) -> ScenarioCounts:
        """Count the shards and the outcomes."""
        experiment, scenario = self.experiment, self.scenario
        trials, tasks = 0, 0
        if MONTE_CARLO in experiment.engines:
            trials = self._trials()
            has_looks = isinstance(experiment.trials, Precision)
            looks = planned_looks(trials, FIRST_LOOK_DRAWN) if has_looks else (trials,)
            # No shard reaches beyond a look.
            tasks = sum(-(-(b - a) // SHARD) for a, b in pairwise((0, *looks)))
        shown = self._shown()
        needed = max(part.count for part in self._needed(shown))
        # Ranges of outcomes lie within each other; only listed outcomes may lie outside of them.
        if shown is not None and experiment.outcomes is not None:
            needed += shown.count
        possible = self.solver.possible_count()
        drawn = min(float(trials), possible)
        largest = scenario.outcome_count
        outcomes = min(needed + (drawn if needed < possible else 0.0), largest)
        reported = outcomes if shown is None else min(shown.count, largest)
        return ScenarioCounts(
            scenario,
            trials,
            tasks,
            scenario.truth.count if scenario.truth.is_discrete else 0,
            drawn,
            outcomes,
            0.0 if reports_truths_alone(experiment) else reported,
            self._outcome_cells(),
        )

    # Trials.

    def _trials(self) -> int:
        """The number of trials; the most that there may be where a precision is asked for."""
        trials, scenario = self.experiment.trials, self.scenario
        assert trials is not None
        if isinstance(trials, Precision):
            # Which of the first looks it is depends on the methods.
            firsts = (FIRST_LOOK, FIRST_LOOK_DRAWN)
            return max(_looks(trials, first)[1][-1] for first in firsts)
        count = trials.count
        if trials.kind == "per_outcome":
            count *= scenario.trials_unit
        elif trials.kind == "per_truth":
            assert scenario.truth.is_discrete
            count *= scenario.truth.count
        if count > MOST_TRIALS:
            raise InputError(
                f"{scenario.family.size_text(scenario.sizes)}: trials: "
                f"{{{trials.kind}: {trials.count}}} would be {count:,} trials, more than "
                f"{MOST_TRIALS:,}"
            )
        return count

    def _shards(self, first_look: int) -> tuple[tuple[Shard, ...], tuple[int, ...], Aim | None]:
        """The shards, after which of them it is looked at, and the precision asked for.

        Where a precision is asked for they are those of a scenario whose alphas are not known. No
        trials come after the look at which any count is narrow enough.
        """
        trials, seed = self.experiment.trials, self.experiment.seed
        if MONTE_CARLO not in self.experiment.engines or trials is None:
            return (), (0,), None
        if isinstance(trials, Precision):
            planned, made = _looks(trials, first_look)
            drawn, ends = shards_between_looks(self.scenario, made, seed)
            return tuple(drawn), tuple(ends), Aim(trials.half_width, trials.most, planned)
        drawn = shards(self.scenario, self._trials(), seed, trials.per_truth)
        return tuple(drawn), (len(drawn),), None

    # Outcomes.

    def _outcome_cells(self) -> OutcomeCells:
        scenario, trials = self.scenario, self.experiment.trials
        large = scenario.family.has_fractions and scenario.sizes[0] >= LARGEST_BESIDE_TRUTHS
        return OutcomeCells(
            present=scenario.family.has_outcomes and not (large and scenario.truth.is_discrete),
            binomial=trials is None or trials.kind != "per_truth",
            group=self.experiment.group,
        )

    def _shown(self) -> _OutcomeSet | None:
        """The outcomes that the exact engines report; None for all that have limits."""
        engines, asked = self.experiment.engines, self.experiment.outcomes
        if isinstance(asked, tuple):
            return _OutcomeSet(len(asked), lambda: np.array(asked, np.int64))
        if asked is not None:
            n = int(self.scenario.sizes[0])
            return _OutcomeSet(min(asked, n + 1), lambda: outcomes_at_fractions(n, asked))
        if self.scenario.family.has_fractions:
            return None
        if engines == (MONTE_CARLO,) or not self._is_enumerated():
            return _OutcomeSet(0, lambda: np.empty(0, np.int64))
        return self._every_outcome() if POSTERIOR in engines else self._possible_outcomes()

    def _needed(self, shown: _OutcomeSet | None) -> list[_OutcomeSet]:
        """The outcomes that the exact engines and their verification need limits for."""
        engines = self.experiment.engines
        prior = self.experiment.reference_prior if POSTERIOR in engines else None
        # These are at most a few thousand, whatever the size.
        to_verify = self.solver.outcomes_to_verify(prior)
        parts = [_OutcomeSet(to_verify.size, lambda: to_verify)]
        if shown is not None:
            parts.append(shown)
        if not self._is_enumerated():
            return parts
        if POSTERIOR in engines and shown is None:
            count = self.scenario.sizes[0] + 1
            self._refuse_large(count, "outcomes: all", "outcomes: {fractions: 21}")
            parts.append(self._every_outcome())
        if ENUMERATION in engines:
            parts.append(self._enumerated_outcomes())
        elif MONTE_CARLO in engines and self.scenario.truth.is_discrete:
            # At a list of values counts are compared with exact values.
            parts.append(self._possible_outcomes())
        return parts

    def _is_enumerated(self) -> bool:
        """Whether there are few enough outcomes to enumerate; otherwise there are trials alone.

        Raises:
            InputError: there are not, and the experiment has no trials.
        """
        count, most = self.solver.possible_count(), self.scenario.design.most_enumerated
        if MONTE_CARLO not in self.experiment.engines:
            self._refuse_large(count, "enumeration", "trials", most)
        return count <= most

    def _enumerated_outcomes(self) -> _OutcomeSet:
        """The outcomes that can occur for any value of the parameter, as the worst case needs.

        If these are too many, those that can occur for a truth in the hull; if these are too many
        too, those that can occur under the truths, which all are enumerated.
        """
        solver = self.solver
        for over in (solver.whole_range(), solver.hull()):
            count = solver.range_count(over)
            if count <= min(solver.largest_solved, LARGEST_TABLE):
                return _OutcomeSet(count, partial(solver.range_outcomes, over))
        return self._possible_outcomes()

    def _possible_outcomes(
        self, what: str = "enumeration", instead: str = "a truth of fewer or closer values"
    ) -> _OutcomeSet:
        """The outcomes that can occur under the truths."""
        count = self.solver.possible_count()
        self._refuse_large(count, what, instead)
        return _OutcomeSet(count, self.solver.possible_outcomes)

    def _every_outcome(self) -> _OutcomeSet:
        """The outcomes that can occur for any value of the parameter.

        If these are too many to solve in seconds, only those that can occur under the truths.
        """
        solver = self.solver
        whole = solver.whole_range()
        count = solver.range_count(whole)
        if count > solver.largest_solved:
            return self._possible_outcomes("this", "closer truths")
        self._refuse_large(count, "outcomes: all", "a list of outcomes")
        return _OutcomeSet(count, partial(solver.range_outcomes, whole))

    def _refuse_large(
        self, count: float, what: str, instead: str, most: float = LARGEST_TABLE
    ) -> None:
        if count > most:
            family = self.scenario.family
            raise InputError(
                f"{family.size_text(self.scenario.sizes)}: {what} would need {count:,.0f} "
                f"intervals of each method, more than {most:,.0f}; use {instead}, or a smaller "
                f"{family.model.SIZE}"
            )


@cache
def _looks(asked: Precision, first: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The trials of the planned looks, and of those that may be made."""
    planned = planned_looks(asked.most, first)
    return planned, planned[: certain_look(asked.half_width, planned)]
