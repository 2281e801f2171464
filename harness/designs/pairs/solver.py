"""The solver of pairs, whose outcomes are tables of counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import Scenario
from harness.designs.engines.solver import Places, Solver, Truths
from harness.designs.engines.verification import Comparison, Published, Rows
from harness.designs.limits import Limits
from harness.designs.pairs import verification
from harness.designs.pairs.tables import (
    outcomes_count,
    outcomes_within,
    probabilities,
    windows_of,
)
from harness.designs.pairs.worst_case import (
    corner_tables,
    random_tables,
    search_worst_case,
    tables_with,
)
from harness.designs.results import WorstCase
from harness.distributions.paired_truths import CELLS
from harness.families.combination import Span

# How often the probability of an outcome is read or written for one of a net of truths.
_PASSES = 8.0


@dataclass(frozen=True)
class PairedSolver(Solver):
    """Exact engines for pairs, whose outcomes are tables of counts.

    An outcome is a table of four counts, or only its discordant pairs where the limits of all
    methods depend on these and n alone: then there are (n + 1)(n + 2)/2 outcomes instead of
    (n + 1)(n + 2)(n + 3)/6.
    """

    @property
    def _pairs(self) -> Scenario:
        """The scenario of pairs, which a solver of other tables has beside its own."""
        return self.scenario

    def listed(self) -> Iterator[tuple[float, Integers, Floats]]:
        scenario = self._pairs
        _, parameter = scenario.listed_truths()
        for theta, cells in zip(parameter.tolist(), scenario.truth.tables, strict=True):
            outcomes = outcomes_within(scenario, windows_of(scenario, [(p, p) for p in cells]))
            yield theta, outcomes, probabilities(scenario, cells, outcomes)

    def _windows(self) -> list[tuple[tuple[int, int], ...]]:
        """Return the windows at each listed truth, or of the hull of all where these hold fewer."""
        scenario = self._pairs
        together = windows_of(scenario, scenario.truth.hull)
        if not scenario.truth.is_discrete or scenario.truth.count == 1:
            return [together]
        tables = set(scenario.truth.tables)
        apart = [windows_of(scenario, [(p, p) for p in cells]) for cells in tables]
        count = sum(outcomes_count(scenario, windows) for windows in apart)
        return apart if count < outcomes_count(scenario, together) else [together]

    def possible_outcomes(self) -> Integers:
        parts = [outcomes_within(self._pairs, windows) for windows in self._windows()]
        return parts[0] if len(parts) == 1 else np.unique(np.concatenate(parts))

    def possible_count(self) -> float:
        counts = sum(outcomes_count(self._pairs, windows) for windows in self._windows())
        return min(counts, self.scenario.outcome_count)

    def spread_outcomes(self, count: int) -> Integers:
        scenario, n = self._pairs, self.scenario.size
        windows = windows_of(scenario, scenario.truth.hull)
        first, second = (np.linspace(*window, count).astype(np.int64) for window in windows[1:3])
        second = np.minimum(second, n - first)
        both = (n - first - second) // 2
        return np.unique(scenario.outcomes(both, first, second, n - first - second - both))

    def hull(self) -> tuple[Span, ...]:
        hull: tuple[Span, ...] = self.scenario.truth.hull
        return hull

    def whole_range(self) -> tuple[Span, ...]:
        return (self.scenario.model.SUPPORT,) * len(CELLS)

    def range_outcomes(self, over: Sequence[Span]) -> Integers:
        return outcomes_within(self._pairs, windows_of(self._pairs, over))

    def range_count(self, over: Sequence[Span]) -> float:
        return outcomes_count(self._pairs, windows_of(self._pairs, over))

    def outcome_weights(self, outcomes: Integers) -> Floats:
        scenario = self._pairs
        if not scenario.truth.is_discrete:
            return scenario.distribution_weights(outcomes)
        tables = scenario.truth.tables
        weights = (probabilities(scenario, cells, outcomes) for cells in tables)
        return np.asarray(sum(weights)) / len(tables)

    @property
    def is_searched(self) -> bool:
        return True

    def search(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase] | None:
        return search_worst_case(self._pairs, limits, over)

    def rows_again(self, limits: Limits, truths: Sequence[Floats]) -> Iterator[Rows] | None:
        return verification.rows_of_pairs(self._pairs, limits, truths)

    def places(self, over: Sequence[Span]) -> Places | None:
        scenario = self._pairs
        theta = scenario.family.parameter_at(tuple(corner_tables(scenario, over)))
        theta = theta[np.isfinite(theta)]

        def between(count: int, rng: np.random.Generator) -> Truths:
            return tuple(random_tables(scenario, over, count, rng))

        def beside(theta: Floats, rng: np.random.Generator) -> Truths:
            return tables_with(scenario, over, theta, rng)

        return Places(between, beside, (float(theta.min()), float(theta.max())))

    def cost_of_truth(self, over: Sequence[Span]) -> float:
        middle = [0.5 * (low + high) for low, high in over]
        total = sum(middle)
        return _PASSES * self.range_count([(p / total, p / total) for p in middle])

    def verify(self, limits: Limits, published: Published) -> list[Comparison]:
        return verification.verify(self._pairs, limits, published)
