"""Designs of a judge: labels of other cases, or of some of the cases, say how often it is right.

Labels of other cases: how many of n cases the judge says yes to, and how many labels of both kinds
it gets right. The three counts are independent and binomial. An outcome is the whole number
(x·(m₁ + 1) + a)·(m₀ + 1) + b of the counts x of n, a of m₁ positives and b of m₀ negatives.

Labels of some of the cases: a table of four counts, which are multinomial, and the number of the
judge's yes among the other cases, which is binomial. Where few outcomes can occur, exact values at
the truths are sums over all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammaln, xlogy

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.callers.source import Observed
from harness.designs.design import PER_TRUTH, Design, Lists, Outcomes, Scenario
from harness.designs.engines.monte_carlo import StochasticColumn
from harness.designs.engines.solver import Solver
from harness.designs.one_sample.design import SamplesSolver
from harness.distributions.paired_truths import JudgedTruth, LabelledTruth
from harness.distributions.sampling import binomial
from harness.families.combination import Span
from harness.families.judged import JUDGE, SOME_LABELLED, probabilities_of_yes

MOST_ENUMERATED = 100_000
"""The most outcomes that are enumerated."""
_MOST_OUTCOMES = 2.0**62


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
    yes = probabilities_of_yes([np.asarray(truth) for truth in truths])
    sizes = map(int, scenario.size)
    return _encode(
        scenario, *(rng.binomial(size, p, count) for size, p in zip(sizes, yes, strict=True))
    )


def _probabilities(scenario: Scenario, truths: Sequence[float], outcomes: Integers) -> Floats:
    yes = probabilities_of_yes([np.asarray(truth) for truth in truths])
    probabilities = np.ones(outcomes.size)
    for count, p, size in zip(_decode(scenario, outcomes), yes, scenario.sizes, strict=True):
        probabilities *= binomial.pmf(np.arange(size + 1), p, size)[count]
    return probabilities


def _refuse(scenario: Scenario) -> None:
    if scenario.outcome_count > _MOST_OUTCOMES:
        raise InputError(
            f"{scenario.family.size_text(scenario.sizes)}: expected at most 4e18 outcomes, (n + 1) "
            "(positives + 1) (negatives + 1), as each is a whole number of 63 bits"
        )


@dataclass(frozen=True)
class JudgedSolver(SamplesSolver):
    """Sums over the outcomes that can occur at a listed truth, but for 2e-17 of each count's."""

    def windows(self, over: Sequence[Span]) -> list[tuple[int, int]]:
        # The probability of each count is largest and least at corners of the range.
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
            outcomes = self.range_outcomes([(value, value) for value in row])
            yield row[0], outcomes, _probabilities(self.scenario, row, outcomes)

    def possible_outcomes(self) -> Integers:
        return self.range_outcomes(self.hull())

    def possible_count(self) -> float:
        return self.range_count(self.hull())

    def whole_range(self) -> tuple[Span, ...]:
        return ((0.0, 1.0),) * len(self.scenario.sizes)

    # The truths are rows of a table, no samples with supports of their own.
    hull = Solver.hull


JUDGED = Design(
    JUDGE,
    Outcomes(
        lambda scenario: math.prod(size + 1.0 for size in scenario.sizes),
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


MOST_OUTCOMES = 2**17
"""The most outcomes that are enumerated, as a posterior takes some tenths of a millisecond each."""
# Outcomes whose limits are computed together.
_BLOCK = 2**15


def _draw_labelled(
    scenario: Scenario, number: int, trials: int, rng: np.random.Generator
) -> tuple[Floats, ...]:
    labelled, unlabelled = map(int, scenario.size)
    cells = scenario.truth.cells(number)
    table = rng.multinomial(labelled, cells, trials)
    yes = rng.binomial(unlabelled, _share_of_yes(cells), trials)
    verdicts = np.stack((yes, unlabelled - yes), axis=1)
    return table.astype(np.float64), verdicts.astype(np.float64)


def _share_of_yes(cells: Floats) -> float:
    return min(float(cells[0] + cells[2]), 1.0)


def values_of_labelled(
    scenario: Scenario, column: StochasticColumn
) -> tuple[Floats, Floats, Floats] | None:
    """Return the miss probabilities and the expected length of a column at each truth, (t,) each.

    The probability of an outcome is that of its table times that of its number of yes:

        n!/∏ xᵢ! ∏ pᵢ^xᵢ · C(N, y) q^y (1 − q)^(N − y),  q = p₁ + p₃.

    Args:
        scenario: sizes n and N, and t truths.
        column: the method.

    Returns:
        None where limits are drawn, and where more than 2^17 outcomes can occur.
    """
    cells = [scenario.truth.cells(number) for number in range(scenario.truth.count)]
    labelled, unlabelled = scenario.sizes
    sizes = (labelled, labelled, labelled, unlabelled)
    # The first and the last count of three cells and of yes that any truth has, but 1e-15.
    counted = zip(*((*p[:3], _share_of_yes(p)) for p in cells), strict=True)
    windows = [
        binomial.window(float(min(p)), float(max(p)), size)
        for p, size in zip(counted, sizes, strict=True)
    ]
    count = np.prod([last - first + 1.0 for first, last in windows])
    if not column.source.deterministic or count > MOST_OUTCOMES:
        return None
    _, parameter = scenario.listed_truths()
    below, above, length = np.zeros((3, len(cells)))
    for table, yes in _outcomes(scenario, windows):
        verdicts = np.stack((yes, unlabelled - yes), axis=1)
        observed = Observed(scenario.family, scenario.sizes, (table, verdicts))
        answers = column.intervals(observed)
        for place, (p, theta) in enumerate(zip(cells, parameter, strict=True)):
            weight = table_probabilities(table, p)
            weight *= binomial.pmf(yes, np.array(_share_of_yes(p)), unlabelled)
            lower, upper = answers.lower, answers.upper
            below[place] += (weight * np.where(np.isnan(lower), np.nan, theta < lower)).sum()
            above[place] += (weight * np.where(np.isnan(upper), np.nan, theta > upper)).sum()
            length[place] += weight @ (upper - lower)
    return below, above, length


def table_probabilities(table: Floats, cells: Floats) -> Floats:
    """Return the multinomial probabilities of tables of four counts, shape (m,)."""
    logs = gammaln(table.sum(axis=1) + 1.0) - gammaln(table + 1.0).sum(axis=1)
    return np.asarray(np.exp(logs + xlogy(table, cells).sum(axis=1)))


def _outcomes(
    scenario: Scenario, windows: Sequence[tuple[int, int]]
) -> Iterator[tuple[Floats, Floats]]:
    """Yield the tables and the numbers of yes of outcomes that can occur, in blocks."""
    shape = tuple(last - first + 1 for first, last in windows)
    for start in range(0, int(np.prod(shape)), _BLOCK):
        numbers = np.arange(start, min(start + _BLOCK, int(np.prod(shape))))
        places = np.unravel_index(numbers, shape)
        counts = [place + first for place, (first, _) in zip(places, windows, strict=True)]
        left = np.asarray(int(scenario.sizes[0]) - sum(counts[:3]))
        inside = np.asarray(left >= 0)
        if inside.any():
            table = np.stack((*counts[:3], left), axis=1)[inside]
            yield table.astype(np.float64), counts[3][inside].astype(np.float64)


PARTLY_LABELLED = Design(
    SOME_LABELLED,
    outcomes=None,
    lists=Lists(
        _draw_labelled,
        width=lambda scenario: 6,
        at_truths=values_of_labelled,
        words={"share": None, "sensitivity": None, "specificity": None},
        truth_at=lambda share, sensitivity, specificity: LabelledTruth(
            (share,), (sensitivity,), (specificity,)
        ),
    ),
    listed_truth=LabelledTruth,
    sizes=lambda size: (float(size[0]), float(size[1])),
    examples={
        "counts": (
            ([50, 100], [1000, 1000]),
            {
                "share": {"values": [0.5, 0.8]},
                "sensitivity": {"values": [0.9]},
                "specificity": {"values": [0.85]},
            },
            PER_TRUTH,
        )
    },
    plans_labels=True,
    size_needs=("share", "sensitivity", "specificity", "unlabelled"),
)
"""Labelled cases by label and verdict, and verdicts on other cases, all independent."""
