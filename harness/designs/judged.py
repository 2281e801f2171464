"""A judge: how many of n cases it says yes to, and how many labels of both kinds it gets right.

The three counts are independent and binomial. An outcome is the whole number
(x·(m₁ + 1) + a)·(m₀ + 1) + b of the counts x of n, a of m₁ positives and b of m₀ negatives.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import PER_TRUTH, Design, Outcomes, Scenario
from harness.designs.engines.solver import Solver
from harness.distributions.paired_truths import JudgedTruth
from harness.distributions.sampling import binomial
from harness.families.combination import Span
from harness.families.judged import JUDGE, probabilities_of_yes

MOST_ENUMERATED = 100_000
"""The most outcomes that are enumerated."""
_MOST_OUTCOMES = 2.0**62

Windows = list[tuple[int, int]]
"""The first and the last value of each count."""


def _outcome_count(scenario: Scenario) -> float:
    return math.prod(size + 1.0 for size in scenario.sizes)


def _encode(scenario: Scenario, *counts: Integers) -> Integers:
    x, positives_right, negatives_right = counts
    _, positives, negatives = map(int, scenario.size)
    return (x * (positives + 1) + positives_right) * (negatives + 1) + negatives_right


def _decode(scenario: Scenario, outcomes: Integers) -> tuple[Integers, ...]:
    _, positives, negatives = map(int, scenario.size)
    rest, negatives_right = np.divmod(outcomes, negatives + 1)
    x, positives_right = np.divmod(rest, positives + 1)
    return x, positives_right, negatives_right


def _draw(
    scenario: Scenario, truths: Sequence[Any], rng: np.random.Generator, count: int | None
) -> Integers:
    yes = probabilities_of_yes([np.asarray(each) for each in truths])
    sizes = map(int, scenario.size)
    return _encode(
        scenario, *(rng.binomial(size, p, count) for size, p in zip(sizes, yes, strict=True))
    )


def _probabilities(scenario: Scenario, truths: Sequence[float], outcomes: Integers) -> Floats:
    yes = probabilities_of_yes([np.asarray(each) for each in truths])
    found = np.ones(outcomes.size)
    for count, p, size in zip(_decode(scenario, outcomes), yes, scenario.sizes, strict=True):
        found *= binomial.pmf(np.arange(size + 1), p, size)[count]
    return found


def _refuse(scenario: Scenario) -> None:
    if _outcome_count(scenario) > _MOST_OUTCOMES:
        raise InputError(
            f"{scenario.family.size_text(scenario.sizes)}: expected at most 4e18 outcomes, (n + 1) "
            "(positives + 1) (negatives + 1), as each is a whole number of 63 bits"
        )


@dataclass(frozen=True)
class JudgedSolver(Solver):
    """Sums over the outcomes that can occur at a listed truth, but for 2e-17 of each count's."""

    def _windows(self, over: Sequence[Span]) -> Windows:
        """Return the first and the last value of each count; q is largest and least at corners."""
        share, se, sp = (np.array(span) for span in over)
        corners = np.meshgrid(share, se, sp)
        spans = [(p.min(), p.max()) for p in probabilities_of_yes([c.ravel() for c in corners])]
        return [
            binomial.window(float(low), float(high), size)
            for (low, high), size in zip(spans, self.scenario.sizes, strict=True)
        ]

    @property
    def has_exact_values(self) -> bool:
        return self.possible_count() <= self.scenario.design.most_enumerated

    def listed(self) -> Iterator[tuple[float, Integers, Floats]]:
        for row in self.scenario.truth.rows:
            outcomes = self._outcomes_in(self._windows([(value, value) for value in row]))
            yield row[0], outcomes, _probabilities(self.scenario, row, outcomes)

    def _outcomes_in(self, windows: Windows) -> Integers:
        counts = np.meshgrid(*(np.arange(a, b + 1) for a, b in windows), indexing="ij")
        return _encode(self.scenario, *(count.ravel() for count in counts))

    def possible_outcomes(self) -> Integers:
        return self.range_outcomes(self.hull())

    def possible_count(self) -> float:
        return self.range_count(self.hull())

    def range_outcomes(self, over: Sequence[Span]) -> Integers:
        return self._outcomes_in(self._windows(over))

    def range_count(self, over: Sequence[Span]) -> float:
        return math.prod(last - first + 1.0 for first, last in self._windows(over))

    def whole_range(self) -> tuple[Span, ...]:
        return ((0.0, 1.0),) * len(self.scenario.sizes)

    def spread_outcomes(self, count: int) -> Integers:
        windows = self._windows(self.hull())
        columns = (np.linspace(first, last, count).astype(np.int64) for first, last in windows)
        return np.unique(_encode(self.scenario, *columns))


JUDGED = Design(
    JUDGE,
    Outcomes(
        _outcome_count,
        _draw,
        _probabilities,
        _encode,
        _decode,
        at_once=1 << 12,
    ),
    sizes=lambda size: tuple(map(float, size)),
    size_of=lambda sizes: tuple(map(int, sizes)),
    size_key="sizes",
    listed_truth=JudgedTruth,
    refuse=_refuse,
    exact=JudgedSolver,
    plans_labels=True,
    most_enumerated=MOST_ENUMERATED,
    most_summed=MOST_ENUMERATED,
    examples={
        "counts": (
            ([50, 200], [20, 50], [20, 50]),
            {
                "share": {"values": [0.2, 0.5, 0.8]},
                "sensitivity": {"values": [0.9]},
                "specificity": {"values": [0.85]},
            },
            PER_TRUTH,
        )
    },
)
"""A judge whose error rates are known from labels of other cases."""
