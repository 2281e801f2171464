"""Cases of which some are labelled: a table of four counts, and verdicts on the other cases.

The four counts are multinomial, and the number of the judge's yes among the other cases is
binomial. Where few outcomes can occur, exact values at the truths are sums over all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from scipy.special import gammaln, xlogy

from harness.base.numerics.arrays import Floats
from harness.callers.source import Observed
from harness.designs.design import PER_TRUTH, Design, Lists, Scenario
from harness.designs.engines.monte_carlo import StochasticColumn
from harness.distributions.judge_truths import LabelledTruth
from harness.distributions.sampling import binomial
from harness.families.labelled import SOME_LABELLED

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
    alpha, side = column.column.alpha, column.column.side
    _, parameter = scenario.listed_truths()
    below, above, length = np.zeros((3, len(cells)))
    for table, yes in _outcomes(scenario, windows):
        verdicts = np.stack((yes, unlabelled - yes), axis=1)
        observed = Observed(scenario.family, scenario.sizes, (table, verdicts))
        answers = column.source.limits(observed, alpha, side).intervals(observed, alpha, side)
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


Window = tuple[int, int]


def _outcomes(scenario: Scenario, windows: Sequence[Window]) -> Iterator[tuple[Floats, Floats]]:
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
