"""The search for the level of a factor at which a measure reaches a value.

Each scenario of the other factors has a search of its own, for all methods: the trials at a level
are those of all of them. Which level is tried next depends on the answers of the trials alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.designs.crossing import Crossing, Measured, crossing, trials_to_add
from harness.kinds.simulation.experiment import ALL, Level, Simulation, Solve
from harness.kinds.simulation.measures import JOINT_COVERAGE, RELATIVE_PRECISION, Measure

MOST_ROUNDS = 64
"""The most rounds of trials of a search."""
ANSWERED, IMPRECISE, OUTSIDE, UNKNOWN = "answered", "imprecise", "outside", "unknown"
"""What a search may find; ``columns.csv`` says what they mean."""

Factors = Mapping[str, Level]
MeasuresByMethod = Mapping[str, Mapping[str, Measure]]


def searched_scenarios(solve: Solve, scenarios: Sequence[Factors]) -> list[dict[str, Level]]:
    """The scenarios of the other factors, each once, in the order of the config."""
    searches: list[dict[str, Level]] = []
    for row in scenarios:
        others = {name: level for name, level in row.items() if name != solve.factor}
        if others not in searches:
            searches.append(others)
    return searches


@dataclass
class LevelSearch:
    """The searches of a study while it runs."""

    experiment: Simulation
    solve: Solve
    shard: int
    """The number of trials of a shard."""
    scenarios: list[Factors] = field(default_factory=list)
    """The scenarios that were tried, in the order in which they first were."""
    trials: list[int] = field(default_factory=list)
    """The trials of each of them."""
    measures: dict[tuple[int, str], Measure] = field(default_factory=dict)
    """The measure by the index of a tried scenario and the label of a method."""
    found: dict[tuple[int, str], tuple[Crossing | None, str]] = field(default_factory=dict)
    """Where a method has the value, and what is found, by the number of the search."""
    rounds: int = 0

    def __post_init__(self) -> None:
        self.searches = searched_scenarios(self.solve, self.experiment.scenarios)
        # The numbers of the scenarios by level, of each search.
        self.tried: list[dict[float, int]] = [{} for _ in self.searches]
        self.methods = [method.label for method in self.experiment.methods]
        if self.solve.measure == RELATIVE_PRECISION:
            self.methods.remove(self.experiment.reference)

    def first(self) -> dict[int, int]:
        """The trials to make at first: a shard at each level of the config and at both ends."""
        goal, added = self.solve.goal, {}
        for number, others in enumerate(self.searches):
            levels = {goal.low, goal.high}
            for row in self.experiment.scenarios:
                if {**row, **others} == row:
                    levels.add(float(row[self.solve.factor]))
            for level in sorted(levels):
                added[self._scenario(number, level)] = self.shard
        return added

    def further(self, measured: Mapping[int, MeasuresByMethod]) -> dict[int, int]:
        """The trials to add, by the index of their scenario; none where all searches have ended.

        Args:
            measured: the measures of the methods in the scenarios that have new trials.

        Raises:
            InputError: no method has the measure.
        """
        for scenario, by_method in measured.items():
            for label in self.methods:
                self.trials[scenario] = by_method[label]["failures"].trials
                if self.solve.measure in by_method[label]:
                    self.measures[scenario, label] = by_method[label][self.solve.measure]
        if not self.measures:
            raise InputError(
                f"{self.experiment.name}: solve asks for {self.solve.measure}, which no method has"
            )
        self.rounds += 1
        added: dict[int, int] = {}
        for number, tried in enumerate(self.tried):
            left = self.solve.most - sum(self.trials[scenario] for scenario in tried.values())
            for label in self.methods:
                solution, status, excess = self._answer(number, label)
                self.found[number, label] = solution, status
                if solution is None or solution.is_outside:
                    continue
                if status == ANSWERED or self.rounds == MOST_ROUNDS:
                    continue
                more = trials_to_add(solution, excess, left, self.shard)
                for level in solution.next_levels if more else ():
                    scenario = self._scenario(number, level)
                    left -= max(0, more - added.get(scenario, 0))
                    added[scenario] = max(more, added.get(scenario, 0))
        return added

    def rows(self) -> Iterator[dict[str, Any]]:
        """The rows of the table of the search."""
        solve, whole = self.solve, self.solve.goal.is_whole
        first = next(iter(self.experiment.estimands))
        for (number, label), (solution, status) in self.found.items():
            tried = self.tried[number]
            at, answer = solution if status in (ANSWERED, IMPRECISE) else None, None
            if at is not None:
                answer = solve.goal.answer(at.level)
            yield {
                **self.searches[number],
                solve.factor: int(answer) if whole and answer is not None else answer,
                "method": label,
                "estimand": ALL if solve.measure == JOINT_COVERAGE else first,
                "measure": solve.measure,
                "equals": solve.goal.equals,
                "status": status,
                "crossing": at and at.level,
                "crossing_lower": at and at.lower,
                "crossing_upper": at and at.upper,
                "crossing_slope": at and at.slope,
                "estimate": at and at.estimate,
                "mcse": at and at.error,
                "trials": sum(self.trials[scenario] for scenario in tried.values()),
                "tried": len(tried),
            }

    def _scenario(self, number: int, level: float) -> int:
        """The index of the scenario of a search with a level, which is added where it is new."""
        tried = self.tried[number]
        if level not in tried:
            tried[level] = len(self.scenarios)
            value = int(level) if self.solve.goal.is_whole else level
            others, name = self.searches[number], self.solve.factor
            names = self.experiment.scenarios[0]
            self.scenarios.append(
                {factor: value if factor == name else others[factor] for factor in names}
            )
            self.trials.append(0)
        return tried[level]

    def _answer(self, number: int, label: str) -> tuple[Crossing | None, str, float]:
        """Where a method has the value, what that is, and its half-width over the largest one."""
        levels, rows = [], []
        for level, scenario in sorted(self.tried[number].items()):
            measure = self.measures.get((scenario, label))
            if measure is not None and math.isfinite(measure.estimate):
                levels.append(level)
                rows.append((measure.estimate, measure.mcse, float(measure.trials)))
        if len(levels) < 2:
            return None, UNKNOWN, math.inf
        estimates, errors, trials = np.array(rows, np.float64).T
        solution = crossing(self.solve.goal, Measured(np.array(levels), estimates, errors, trials))
        excess = self.solve.error.excess(solution)
        if solution.is_outside:
            # Where a method has no measure at an end, the value may be reached beside it.
            ends_are_known = {self.solve.goal.low, self.solve.goal.high} <= {*levels}
            return solution, OUTSIDE if ends_are_known else UNKNOWN, excess
        status = ANSWERED if excess <= 1.0 else IMPRECISE
        return solution, status if solution.is_known else UNKNOWN, excess
