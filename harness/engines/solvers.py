"""Solvers: the exact engines for one scenario, with one class for each number of samples."""

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
from harness.engines.worst_case.two_samples import search_worst_case
from harness.errors import HarnessError
from harness.families.catalogue import family_of
from harness.families.family import ENUMERATION, POSTERIOR, Family, Span
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Column, Limits, PairScenario, Scenario, SingleScenario

LARGEST_WEIGHTED = 1 << 22
"""The largest size of one sample for which the sum of all outcome probabilities is checked."""

LARGEST_COMBINED = 1 << 16
"""The largest number of pairs of counts whose limits are all computed for the worst case."""


class Solver(Protocol):
    """The exact engines for one scenario."""

    def possible_outcomes(self) -> Integers:
        """Return the outcomes that can occur under the scenario's own truth, ascending."""
        ...

    def possible_count(self) -> float:
        """Return an upper bound of the number of possible outcomes, without listing them."""
        ...

    def hull(self) -> tuple[Span, ...]:
        """Return the range of each sample's truths over which the worst case is taken.

        It is the closed hull of the truth's support, or of an infinite one the effective support.
        """
        ...

    def whole_range(self) -> tuple[Span, ...]:
        """Return the range of each sample's parameter; of an unbounded one the hull."""
        ...

    def range_outcomes(self, over: Sequence[Span]) -> Integers:
        """Return the outcomes that can occur under a truth in a range, ascending."""
        ...

    def range_count(self, over: Sequence[Span]) -> float:
        """Return the number of ``range_outcomes``, without listing them."""
        ...

    def solves_range(self, over: Sequence[Span]) -> bool:
        """Whether the limits of all ``range_outcomes`` are computed for the worst case."""
        ...

    def covers_draws(self, outcomes: Integers, largest: float) -> bool:
        """Whether all outcomes that can be drawn are among ``outcomes``.

        Args:
            outcomes: ascending.
            largest: the largest number of possible outcomes that are compared; False beyond it.
        """
        ...

    def identity_outcomes(self) -> list[Integers]:
        """Return the outcomes that each check of the identity between the engines needs."""
        ...

    def outcome_weights(self, outcomes: Integers) -> Floats:
        """Return the probabilities of the outcomes under the scenario's truth, shape (m,)."""
        ...

    def enumerate(
        self, limits: Limits, reported: Integers | None = None, worst: bool = True
    ) -> Enumerated:
        """Return exact miss probabilities, as sums over outcomes.

        Args:
            limits: the limits of all outcomes that can occur under the truth.
            reported: the outcomes in the result; None for all that have limits.
            worst: whether to find the worst cases.
        """
        ...

    def worst_cases(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase | None]:
        """Return the worst case of each column over a closed range of truths of each sample."""
        ...

    def scores(self, limits: Limits, enumerated: Enumerated, columns: Sequence[Column]) -> Scores:
        """Return the root mean square alpha error and the interval score of each column."""
        ...

    def discrepancies(self, limits: Limits) -> list[Floats]:
        """Return the discrepancies between posterior and enumeration, shape (k,) each."""
        ...


def solver_of(scenario: Scenario) -> Solver:
    """Return the solver of a scenario.

    Raises:
        HarnessError: the family has no enumeration, or no solver exists for its number of samples.
    """
    family = family_of(scenario.family)
    solver = _SOLVERS.get(family.samples)
    if solver is None or ENUMERATION not in family.engines:
        raise HarnessError(f"the family {family.name} has no exact engines")
    found: Solver = solver(scenario)
    return found


@dataclass(frozen=True)
class OneSampleSolver:
    """Exact engines for one sample."""

    scenario: SingleScenario

    def possible_outcomes(self) -> Integers:
        return one_sample.possible_outcomes(self.scenario)

    def possible_count(self) -> float:
        return one_sample.possible_count(self.scenario)

    def hull(self) -> tuple[Span, ...]:
        return (self.scenario.truth.effective_support,)

    def whole_range(self) -> tuple[Span, ...]:
        return (one_sample.whole_range(self.scenario),)

    def range_outcomes(self, over: Sequence[Span]) -> Integers:
        first, last = self._range_window(over)
        return np.arange(first, last + 1, dtype=np.int64)

    def range_count(self, over: Sequence[Span]) -> float:
        first, last = self._range_window(over)
        return last + 1.0 - first

    def _range_window(self, over: Sequence[Span]) -> tuple[int, int]:
        return self.scenario.model.SAMPLING.window(*over[0], self.scenario.size)

    def solves_range(self, over: Sequence[Span]) -> bool:
        return True

    def covers_draws(self, outcomes: Integers, largest: float) -> bool:
        if self.scenario.model.IS_BOUNDED:
            return bool(outcomes.size == self.scenario.size + 1)
        return _covers_possible(self, outcomes, largest)

    def identity_outcomes(self) -> list[Integers]:
        checked = identity.scenarios_to_check(self.scenario)
        return [one_sample.possible_outcomes(scenario) for scenario in checked]

    def outcome_weights(self, outcomes: Integers) -> Floats:
        return one_sample.outcome_weights(self.scenario, outcomes)

    def enumerate(
        self, limits: Limits, reported: Integers | None = None, worst: bool = True
    ) -> Enumerated:
        return one_sample.enumerate_one_sample(self.scenario, limits, reported, worst)

    def worst_cases(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase | None]:
        return one_sample.worst_cases(self.scenario, limits, over[0])

    def scores(self, limits: Limits, enumerated: Enumerated, columns: Sequence[Column]) -> Scores:
        return scores.of_one_sample(self.scenario, limits, enumerated, columns)

    def discrepancies(self, limits: Limits) -> list[Floats]:
        checked = identity.scenarios_to_check(self.scenario)
        found = [identity.evaluate_identity(scenario, limits).discrepancy() for scenario in checked]
        if self.scenario.size < LARGEST_WEIGHTED and not self.scenario.truth.is_discrete:
            found.append(_for_each_column(identity.weight_discrepancy(self.scenario), limits))
        return found


@dataclass(frozen=True)
class TwoSampleSolver:
    """Exact engines for two samples, whose outcomes are pairs of counts."""

    scenario: PairScenario

    @property
    def _family(self) -> Family:
        return family_of(self.scenario.family)

    @property
    def _samples(self) -> tuple[OneSampleSolver, OneSampleSolver]:
        first, second = self.scenario.samples()
        return OneSampleSolver(first), OneSampleSolver(second)

    def possible_outcomes(self) -> Integers:
        return two_samples.possible_pairs(self.scenario)

    def possible_count(self) -> float:
        first, second = self._samples
        return first.possible_count() * second.possible_count()

    def hull(self) -> tuple[Span, ...]:
        return tuple(span for sample in self._samples for span in sample.hull())

    def whole_range(self) -> tuple[Span, ...]:
        return tuple(span for sample in self._samples for span in sample.whole_range())

    def range_outcomes(self, over: Sequence[Span]) -> Integers:
        first, second = (
            sample.range_outcomes([span]) for sample, span in zip(self._samples, over, strict=True)
        )
        return self.scenario.outcomes(first[:, np.newaxis], second[np.newaxis, :]).ravel()

    def range_count(self, over: Sequence[Span]) -> float:
        first, second = self._samples
        return first.range_count(over[:1]) * second.range_count(over[1:])

    def solves_range(self, over: Sequence[Span]) -> bool:
        return self._family.is_weighted_sum and self.range_count(over) <= LARGEST_COMBINED

    def covers_draws(self, outcomes: Integers, largest: float) -> bool:
        return _covers_possible(self, outcomes, largest)

    def identity_outcomes(self) -> list[Integers]:
        return [pair_identity.outcomes_to_check(scenario) for scenario in self._to_check()]

    def _to_check(self) -> list[PairScenario]:
        has_identity = self._family.is_weighted_sum and POSTERIOR in self._family.engines
        return pair_identity.scenarios_to_check(self.scenario) if has_identity else []

    def outcome_weights(self, outcomes: Integers) -> Floats:
        return two_samples.pair_weights(self.scenario, outcomes)

    def enumerate(
        self, limits: Limits, reported: Integers | None = None, worst: bool = True
    ) -> Enumerated:
        return two_samples.enumerate_two_samples(self.scenario, limits, reported, worst)

    def worst_cases(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase | None]:
        found = search_worst_case(self.scenario, limits, (over[0], over[1]))
        return (None,) * len(limits.lower) if found is None else found

    def scores(self, limits: Limits, enumerated: Enumerated, columns: Sequence[Column]) -> Scores:
        return scores.of_two_samples(self.scenario, limits, enumerated, columns)

    def discrepancies(self, limits: Limits) -> list[Floats]:
        found = [
            pair_identity.evaluate_identity(scenario, limits).discrepancy()
            for scenario in self._to_check()
        ]
        if not self.scenario.truth.is_discrete:
            discrepancy = pair_identity.weight_discrepancy(self.scenario)
            found.append(_for_each_column(discrepancy, limits))
        return found


_SOLVERS: dict[int, Any] = {1: OneSampleSolver, 2: TwoSampleSolver}
"""The solvers by the number of samples."""


def _covers_possible(solver: Solver, outcomes: Integers, largest: float) -> bool:
    return solver.possible_count() <= largest and bool(
        np.isin(solver.possible_outcomes(), outcomes).all()
    )


def _for_each_column(value: float, limits: Limits) -> Floats:
    return np.full(limits.lower.shape[0], value)
