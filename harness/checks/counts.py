"""The counts of samples at which methods are checked: cases that are right, and events."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import Scenario
from harness.families.combination import Span

EVERY_OUTCOME_UP_TO = 60
EVENTS = (*range(31), 99, 100, 101, 999, 1000, 1001, 10**6 - 1, 10**6, 10**6 + 1)

COUNTS_OF_TWO: dict[tuple[int, ...], tuple[Sequence[int], Sequence[int]]] = {
    (1, 1): (range(2), range(2)),
    (3, 40): (range(4), (0, 1, 2, 20, 38, 39, 40)),
    (5, 200): ((0, 1, 4, 5), (0, 1, 4, 5, 100, 195, 196, 199, 200)),
    (1000, 50): ((0, 1, 500, 999, 1000), (0, 1, 25, 49, 50)),
    (1, 10**6): (range(2), (0, 1, 500_000, 999_999, 10**6)),
}
"""Counts of two proportions, by their sizes."""
EVERY_COUNT_UP_TO = 12
"""The largest size of two proportions, beside those, with all counts; a larger one has those next
to 0, the quarters, the half and n."""
EVENTS_OF_TWO = (0, 1, 2, 10, 1000)

KEPT_EVENTS, KEPT_EVENTS_OF_TWO = 51, 11
"""Events from 0 on that a baseline has, of one rate and of each of two."""
MOST_KEPT, MOST_KEPT_OF_TWO = 1001, 41
"""The most counts of a sample that a baseline has; of a larger one those near 0 and n and some
between."""

INSIDE = (0.1, 0.9)
"""True proportions that are not near the boundary."""
FEWEST_EVENTS = 1.0
"""Expected events at the smallest true rate that is not near the boundary."""


class SampleCounts(ABC):
    """Which counts of one sample, or of each of two, are checked at a size."""

    @abstractmethod
    def of_properties(self, sizes: Sequence[float]) -> Sequence[Iterable[int]]:
        """Return the counts of each sample at which limits should have every property."""

    @abstractmethod
    def kept(self, sizes: Sequence[float]) -> list[Floats]:
        """Return the counts of each sample that a baseline has, ascending, in an order that stays:
        all of a small size, some of a large one."""

    @abstractmethod
    def inside(self, scenario: Scenario) -> tuple[Span, ...]:
        """Return the range of the truth of each sample that is not near the boundary."""

    @abstractmethod
    def flat_parameter(
        self, scenario: Scenario, drawn: Floats, outcomes: Integers, seed: int
    ) -> Floats:
        """Return the parameter of each trial under the flat prior of each sample, shape (trials,).

        Args:
            scenario: of the trials.
            drawn: the parameter that a uniform truth had, shape (trials,).
            outcomes: of the trials, shape (trials,).
            seed: of all draws of the check.
        """


class CaseCounts(SampleCounts):
    """Counts of n cases, which have a largest one."""

    def of_properties(self, sizes: Sequence[float]) -> Sequence[Iterable[int]]:
        whole = tuple(map(int, sizes))
        if len(whole) > 1:
            return COUNTS_OF_TWO.get(whole) or [
                range(n + 1)
                if n <= EVERY_COUNT_UP_TO
                else [0, 1, n // 4, n // 2, n - n // 2, n - n // 4, n - 1, n]
                for n in whole
            ]
        (n,) = whole
        if n <= EVERY_OUTCOME_UP_TO:
            return [range(n + 1)]
        low = [*range(11), n // 20, n // 8, n // 4, n // 2 - 1]
        return [[*low, *(n - x for x in low), n // 2, n - n // 2]]

    def kept(self, sizes: Sequence[float]) -> list[Floats]:
        most = MOST_KEPT if len(sizes) == 1 else MOST_KEPT_OF_TWO
        return [spread_counts(int(n), most) for n in sizes]

    def inside(self, scenario: Scenario) -> tuple[Span, ...]:
        return (INSIDE,) * len(scenario.sizes)

    def flat_parameter(
        self, scenario: Scenario, drawn: Floats, outcomes: Integers, seed: int
    ) -> Floats:
        # The uniform truth of a proportion is its flat prior.
        return drawn


class EventCounts(SampleCounts):
    """Counts of events in an exposure, which have no largest one."""

    def of_properties(self, sizes: Sequence[float]) -> Sequence[Iterable[int]]:
        return [EVENTS] if len(sizes) == 1 else [EVENTS_OF_TWO] * len(sizes)

    def kept(self, sizes: Sequence[float]) -> list[Floats]:
        number = KEPT_EVENTS if len(sizes) == 1 else KEPT_EVENTS_OF_TWO
        return [np.arange(float(number))] * len(sizes)

    def inside(self, scenario: Scenario) -> tuple[Span, ...]:
        spans = []
        for sample in scenario.samples():
            largest = sample.truth.effective_support[1]
            spans.append((min(FEWEST_EVENTS / sample.size, largest), largest))
        return tuple(spans)

    def flat_parameter(
        self, scenario: Scenario, drawn: Floats, outcomes: Integers, seed: int
    ) -> Floats:
        # The flat prior of a rate is improper, and a mean over a bounded part of it is not the mean
        # under the prior: each rate is drawn from its posterior given the outcome.
        rng = scenario.stream(seed, 0).spawn(1)[0]
        counts = zip(scenario.counts(outcomes), scenario.sizes, strict=True)
        truths = tuple(rng.gamma(count + 1.0, 1.0 / size) for count, size in counts)
        return scenario.family.parameter_at(truths)


CASES, ANY_EVENTS = CaseCounts(), EventCounts()


def spread_counts(n: int, most: int) -> Floats:
    """Return counts from 0 to n; of more than ``most`` a third near each end, and some between."""
    if n < most:
        return np.arange(n + 1.0)
    few = most // 3
    between = np.round(np.linspace(0, n, few))
    return np.unique(np.concatenate([np.arange(few), n - np.arange(few), between]).astype(float))
