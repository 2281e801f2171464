"""The exact engines' work on one scenario, whatever its number of samples: one solver for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from harness.engines import scores
from harness.engines.exact import one_sample, two_samples
from harness.engines.identity import one_sample as identity
from harness.engines.identity import two_samples as pair_identity
from harness.engines.results import Enumerated, WorstCase
from harness.engines.scores import Scores
from harness.engines.worst_case.two_samples import search_worst_case, worst_case_ranges
from harness.families.family import Span
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Column, Limits, PairScenario, Scenario, SingleScenario

LARGEST_WEIGHTED = 1 << 22
"""The largest size of one sample whose outcome probabilities are all summed as a check."""

LARGEST_COMBINED = 1 << 16
"""The most pairs of outcomes that are all solved for the worst case, possible or not."""


class Solver(Protocol):
    """The exact engines for one scenario."""

    def possible_outcomes(self) -> Integers:
        """The outcomes that can occur under the scenario's own truth, ascending."""
        ...

    def possible_count(self) -> float:
        """An upper bound of their number, without listing them."""
        ...

    def worst_case_range(self) -> tuple[Span, ...]:
        """The truths of each sample over which the worst case is sought."""
        ...

    def range_outcomes(self) -> Integers:
        """The outcomes that can occur for any truth in the range of the worst case, ascending."""
        ...

    def range_count(self) -> float:
        """Their number, without listing them."""
        ...

    def solves_range(self) -> bool:
        """Whether limits are computed for the whole range of the worst case."""
        ...

    def covers_draws(self, outcomes: Integers, most: float) -> bool:
        """Whether every outcome that can be drawn is among the given ones.

        Args:
            outcomes: ascending.
            most: False is returned where more outcomes than this can occur.
        """
        ...

    def identity_outcomes(self) -> list[Integers]:
        """The outcomes that the identity between the engines needs limits for."""
        ...

    def outcome_weights(self, outcomes: Integers) -> Floats:
        """The probabilities of the outcomes under the scenario's truth, shape (m,)."""
        ...

    def enumerate(
        self, limits: Limits, reported: Integers | None = None, worst: bool = True
    ) -> Enumerated:
        """Exact miss probabilities by summing over outcomes.

        Args:
            limits: the limits of all outcomes that can occur under the truth.
            reported: the outcomes that values are wanted for; None for all that have limits.
            worst: whether the worst case is sought.
        """
        ...

    def worst_cases(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase | None]:
        """The worst case of each column over a range of truths of each sample."""
        ...

    def scores(self, limits: Limits, known: Enumerated, columns: Sequence[Column]) -> Scores:
        """The root mean square alpha error and the interval score of each column."""
        ...

    def discrepancies(self, limits: Limits) -> list[Floats]:
        """How far posterior and enumeration fail to meet, each of shape (k,)."""
        ...


def solver_of(scenario: Scenario) -> Solver:
    """The solver for the scenario's number of samples."""
    solver: Solver = _SOLVERS[len(scenario.sizes)](scenario)
    return solver


@dataclass(frozen=True)
class OneSampleSolver:
    """Exact engines for one sample."""

    scenario: SingleScenario

    def possible_outcomes(self) -> Integers:
        return one_sample.possible_outcomes(self.scenario)

    def possible_count(self) -> float:
        return one_sample.possible_count(self.scenario)

    def worst_case_range(self) -> tuple[Span, ...]:
        return (one_sample.worst_case_range(self.scenario),)

    def range_outcomes(self) -> Integers:
        first, last = self._range_window()
        return np.arange(first, last + 1, dtype=np.int64)

    def range_count(self) -> float:
        first, last = self._range_window()
        return last + 1.0 - first

    def _range_window(self) -> tuple[int, int]:
        scenario = self.scenario
        (over,) = self.worst_case_range()
        return scenario.model.SAMPLING.window(*over, scenario.size)

    def solves_range(self) -> bool:
        return True

    def covers_draws(self, outcomes: Integers, most: float) -> bool:
        if np.isfinite(self.scenario.model.SUPPORT[1]):
            return bool(outcomes.size == self.scenario.size + 1)
        return _covers_possible(self, outcomes, most)

    def identity_outcomes(self) -> list[Integers]:
        checked = identity.scenarios_to_check(self.scenario)
        return [one_sample.possible_outcomes(each) for each in checked]

    def outcome_weights(self, outcomes: Integers) -> Floats:
        return one_sample.outcome_weights(self.scenario, outcomes)

    def enumerate(
        self, limits: Limits, reported: Integers | None = None, worst: bool = True
    ) -> Enumerated:
        return one_sample.enumerate_one_sample(self.scenario, limits, reported, worst)

    def worst_cases(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase | None]:
        return one_sample.worst_cases(self.scenario, limits, over[0])

    def scores(self, limits: Limits, known: Enumerated, columns: Sequence[Column]) -> Scores:
        return scores.of_one_sample(self.scenario, limits, known, columns)

    def discrepancies(self, limits: Limits) -> list[Floats]:
        checked = identity.scenarios_to_check(self.scenario)
        found = [identity.evaluate_identity(each, limits).discrepancy() for each in checked]
        if self.scenario.size < LARGEST_WEIGHTED and not self.scenario.truth.is_discrete:
            found.append(_for_each_column(identity.weight_discrepancy(self.scenario), limits))
        return found


@dataclass(frozen=True)
class TwoSampleSolver:
    """Exact engines for two samples, whose outcomes are pairs of counts."""

    scenario: PairScenario

    @property
    def _samples(self) -> tuple[OneSampleSolver, OneSampleSolver]:
        first, second = self.scenario.samples()
        return OneSampleSolver(first), OneSampleSolver(second)

    def possible_outcomes(self) -> Integers:
        return two_samples.possible_pairs(self.scenario)

    def possible_count(self) -> float:
        first, second = self._samples
        return first.possible_count() * second.possible_count()

    def worst_case_range(self) -> tuple[Span, ...]:
        return worst_case_ranges(self.scenario)

    def range_outcomes(self) -> Integers:
        first, second = (sample.range_outcomes() for sample in self._samples)
        return self.scenario.outcomes(first[:, np.newaxis], second[np.newaxis, :]).ravel()

    def range_count(self) -> float:
        first, second = self._samples
        return first.range_count() * second.range_count()

    def solves_range(self) -> bool:
        return self.range_count() <= LARGEST_COMBINED

    def covers_draws(self, outcomes: Integers, most: float) -> bool:
        return _covers_possible(self, outcomes, most)

    def identity_outcomes(self) -> list[Integers]:
        checked = pair_identity.scenarios_to_check(self.scenario)
        return [pair_identity.outcomes_to_check(each) for each in checked]

    def outcome_weights(self, outcomes: Integers) -> Floats:
        return two_samples.pair_weights(self.scenario, outcomes)

    def enumerate(
        self, limits: Limits, reported: Integers | None = None, worst: bool = True
    ) -> Enumerated:
        return two_samples.enumerate_two_samples(self.scenario, limits, reported, worst)

    def worst_cases(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase | None]:
        found = search_worst_case(self.scenario, limits, (over[0], over[1]))
        return (None,) * len(limits.lower) if found is None else found

    def scores(self, limits: Limits, known: Enumerated, columns: Sequence[Column]) -> Scores:
        return scores.of_two_samples(self.scenario, limits, known, columns)

    def discrepancies(self, limits: Limits) -> list[Floats]:
        checked = pair_identity.scenarios_to_check(self.scenario)
        found = [pair_identity.evaluate_identity(each, limits).discrepancy() for each in checked]
        if not self.scenario.truth.is_discrete:
            off = pair_identity.weight_discrepancy(self.scenario)
            found.append(_for_each_column(off, limits))
        return found


_SOLVERS: dict[int, Any] = {1: OneSampleSolver, 2: TwoSampleSolver}
"""By the number of samples."""


def _covers_possible(solver: Solver, outcomes: Integers, most: float) -> bool:
    return solver.possible_count() <= most and bool(
        np.isin(solver.possible_outcomes(), outcomes).all()
    )


def _for_each_column(value: float, limits: Limits) -> Floats:
    return np.full(limits.lower.shape[0], value)
