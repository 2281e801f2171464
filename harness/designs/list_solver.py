"""The solver of a scenario whose data are lists, of which no outcomes are numbered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from harness.base.errors import HarnessError
from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import Scenario
from harness.designs.limits import Column, Limits
from harness.designs.results import Enumerated, Exact, WorstCase
from harness.designs.scores import Scores
from harness.designs.verification import Comparison, Published
from harness.distributions.truths import Prior
from harness.families.combination import Span


@dataclass(frozen=True)
class ListSolver:
    """One outcome, 0, stands for all data, as limits are computed for the data of every trial.

    Exact values at the truths are those of ``engines.exact.lists``.
    """

    scenario: Scenario

    @property
    def has_exact_values(self) -> bool:
        return False

    def possible_outcomes(self) -> Integers:
        return np.zeros(1, np.int64)

    def possible_count(self) -> float:
        return 1.0

    def spread_outcomes(self, count: int) -> Integers:
        return np.zeros(1, np.int64)

    def hull(self) -> tuple[Span, ...]:
        return ()

    def whole_range(self) -> tuple[Span, ...]:
        return ()

    def range_outcomes(self, over: Sequence[Span]) -> Integers:
        return np.zeros(1, np.int64)

    def range_count(self, over: Sequence[Span]) -> float:
        return 1.0

    def solves_range(self, over: Sequence[Span]) -> bool:
        return True

    def covers_draws(self, outcomes: Integers, largest: float) -> bool:
        return True

    def outcomes_to_verify(self, prior: Prior | None) -> Integers:
        return np.zeros(1, np.int64)

    def outcome_weights(self, outcomes: Integers) -> Floats:
        return np.empty(0)

    def verify(self, limits: Limits, published: Published) -> list[Comparison]:
        return []

    def enumerate(
        self, limits: Limits, reported: Integers | None = None, worst: bool = True
    ) -> Enumerated:
        self._refuse()

    def at_truths(self, limits: Limits) -> Exact:
        self._refuse()

    def worst_cases(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase | None]:
        return (None,) * len(limits.lower)

    def miss_curve(self, limits: Limits) -> None:
        return None

    def scores(self, limits: Limits, enumerated: Enumerated, columns: Sequence[Column]) -> Scores:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise HarnessError(f"{self.scenario.family} has no table of limits to enumerate")
