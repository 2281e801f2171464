"""Pairs: one table of n pairs.

The outcome is first_only·(n + 1) + second_only where the limits of all methods depend on the
discordant pairs and n alone, so that tables which differ in ``both`` only are one outcome.
Otherwise it is (first_only·(n + 1) + second_only)·(n + 1) + both. The draws of the discordant
pairs are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import PER_TRUTH, Design, Distributions, Outcomes, Scenario, grid
from harness.designs.engines.solver import Places, Solver, Truths
from harness.designs.engines.verification import Comparison, Published, Rows
from harness.designs.limits import Limits
from harness.designs.pairs import verification
from harness.designs.pairs.edges import worse_on_edges
from harness.designs.pairs.grids import corner_tables, random_tables, tables_with
from harness.designs.pairs.lines import worst_along_lines
from harness.designs.pairs.tables import (
    outcomes_count,
    outcomes_within,
    probabilities,
    windows_of,
)
from harness.designs.pairs.worst_case import search_worst_case
from harness.designs.results import WorstCase
from harness.distributions.paired_truths import (
    CELLS,
    TableTruth,
)
from harness.distributions.sampling import multinomial
from harness.families.combination import Span
from harness.families.paired import PAIRS

LARGEST_WITH_BOTH = 2_000_000
"""The largest n at which a table of four counts is one whole number of 63 bits."""
# How often the probability of an outcome is read or written for one of a net of truths.
_PASSES = 8.0


def _outcome_count(scenario: Scenario) -> float:
    pairs = float(scenario.trials_unit)
    return pairs * (scenario.size + 3.0) / 3.0 if scenario.with_both else pairs


def encode(scenario: Scenario, *counts: Integers) -> Integers:
    """Return the outcomes with four counts, broadcast."""
    both, first, second, _ = counts
    stride = scenario.size + 1
    outcomes = first * stride + second
    return np.asarray(outcomes * stride + both if scenario.with_both else outcomes + 0 * both)


def decode(scenario: Scenario, outcomes: Integers) -> tuple[Integers, ...]:
    """Return the four counts; where an outcome does not say both, half of the rest."""
    stride = scenario.size + 1
    first, second = np.divmod(outcomes // stride if scenario.with_both else outcomes, stride)
    rest = scenario.size - first - second
    both = outcomes % stride if scenario.with_both else rest // 2
    return both, first, second, rest - both


def draw(
    scenario: Scenario, cells: Sequence[Any], rng: np.random.Generator, count: int | None
) -> Integers:
    """Draw an outcome at each table, or ``count`` outcomes at one."""
    # What both is drawn from is no part of the stream of the discordant pairs.
    (apart,) = rng.spawn(1)
    first, second = multinomial.draw_discordant(cells, scenario.size, rng, count)
    rest = scenario.size - first - second
    both = multinomial.draw_both(cells, rest, apart) if scenario.with_both else np.zeros_like(rest)
    return scenario.outcomes(both, first, second, rest - both)


def distribution_weights(scenario: Scenario, outcomes: Integers) -> Floats:
    """Return the probabilities of the outcomes under the truth's Dirichlet, shape (m,)."""
    shapes, (both, first, second, _) = scenario.truth.shapes, scenario.counts(outcomes)
    weight = multinomial.mean_discordant(shapes, first, second, scenario.size)
    if scenario.with_both:
        weight = weight * multinomial.mean_both(shapes, both, scenario.size - first - second)
    return weight


def _implied_posterior(scenario: Scenario, outcomes: Integers) -> Any:
    """Return the posteriors of the parameter under the truth's own Dirichlet, given outcomes."""
    family, counts = scenario.family, scenario.counts(outcomes)
    data = family.columns([count.astype(np.float64) for count in counts], scenario.sizes)
    return family.posterior(data, scenario.truth.shapes)


def beside(scenario: Scenario, truths: Sequence[float], step: float) -> tuple[float, ...]:
    """Return a table at which the parameter is larger by about a step, or smaller by a negative."""
    both, first, second, neither = truths
    rises, step = step > 0, abs(step)
    more, less = (first, second) if rises else (second, first)
    # Probability moves to the discordant cell that the parameter rises with, from the other
    # one, or from the larger concordant one.
    if less >= step:
        less -= step
    elif neither >= both:
        neither -= step
    else:
        both -= step
    more += step
    return both, *((more, less) if rises else (less, more)), neither


def _refuse_too_large(scenario: Scenario) -> None:
    """Refuse a table of which one whole number of 63 bits does not say both.

    Raises:
        InputError: n is too large.
    """
    if scenario.with_both and scenario.size > LARGEST_WITH_BOTH:
        raise InputError(
            f"n = {scenario.size}: a method whose limits depend on both, beside the discordant "
            f"pairs, needs an n of at most {LARGEST_WITH_BOTH}"
        )


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
        for theta, cells in zip(parameter.tolist(), scenario.truth.rows, strict=True):
            outcomes = outcomes_within(scenario, windows_of(scenario, [(p, p) for p in cells]))
            yield theta, outcomes, probabilities(scenario, cells, outcomes)

    def _windows(self) -> list[tuple[tuple[int, int], ...]]:
        """Return the windows at each listed truth, or of the hull of all where these hold fewer."""
        scenario = self._pairs
        together = windows_of(scenario, scenario.truth.hull)
        if not scenario.truth.is_discrete or scenario.truth.count == 1:
            return [together]
        tables = set(scenario.truth.rows)
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
        tables = scenario.truth.rows
        weights = (probabilities(scenario, cells, outcomes) for cells in tables)
        return np.asarray(sum(weights)) / len(tables)

    def search(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase | None] | None:
        cases = worst_along_lines(self._pairs, limits, over)
        cases = cases or search_worst_case(self._pairs, limits, over)
        return cases and worse_on_edges(self._pairs, limits, over, cases)

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


PAIRED = Design(
    PAIRS,
    Outcomes(
        _outcome_count,
        draw,
        encode=encode,
        decode=decode,
        # The number of pairs of discordant counts.
        trials_unit=lambda scenario: int((scenario.size + 1) * (scenario.size + 2) // 2),
    ),
    distributions=Distributions(
        lambda scenario, trials, rng: scenario.truth.draw(trials, rng),
        distribution_weights,
        _implied_posterior,
    ),
    size_of=lambda sizes: int(sizes[0]),
    listed_truth=TableTruth,
    beside=beside,
    refuse=_refuse_too_large,
    exact=PairedSolver,
    examples={
        "counts": (
            (20,),
            {
                "first_only": grid(0.05, 0.4, 8),
                "second_only": {"values": [0.1]},
                "both": {"values": [0.4]},
            },
            PER_TRUTH,
        )
    },
)
