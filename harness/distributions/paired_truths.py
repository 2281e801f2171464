"""Where the true probabilities of a table of four cells come from: a list, or a distribution.

Two systems judge the same case: both are right, the first only, the second only, or neither. The
four probabilities p₁₁, p₁₀, p₀₁ and p₀₀ of a pair are the cells of a table; their sum is 1. So are
those of a case that is right or wrong and of a judge's yes or no to it, which the share of right
cases, the judge's sensitivity (the probability of yes to a right case) and its specificity (of no
to a wrong one) give.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.base.text import enumerated
from harness.distributions.truths import CrossedTruth, RowsTruth

CELLS = ("both", "first_only", "second_only", "neither")
"""The cells of a table, in the order of the data."""

PARTS = ("first_only", "second_only", "both", "first", "second", "correlation")
"""The names of what a list of tables is made from: cells, or margins with a correlation."""

Cells = tuple[float, float, float, float]
"""The probabilities of both, first_only, second_only and neither."""

ROUNDING = 1e-12
"""Probabilities given as decimals may differ from a sum of 1 by this."""


class TableTruth(RowsTruth):
    """Finitely many tables, rows of the probabilities of the four cells.

    >>> truth = TableTruth.of([table_of_cells(0.1, 0.05), table_of_cells(0.1, 0.1)])
    >>> truth.count
    2
    """

    @property
    def hull(self) -> tuple[tuple[float, float], ...]:
        """The smallest and the largest probability of each cell."""
        return tuple((float(cell.min()), float(cell.max())) for cell in self.values)


@dataclass(frozen=True)
class DirichletTruth:
    """The distribution Dirichlet(a₁₁, a₁₀, a₀₁, a₀₀) of the four probabilities."""

    shapes: Cells
    """The shapes of both, first_only, second_only and neither, above 0."""
    is_discrete: ClassVar[Literal[False]] = False
    hull: ClassVar[tuple[tuple[float, float], ...]] = ((0.0, 1.0),) * len(CELLS)
    """The range of the probability of each cell."""

    def draw(self, count: int, rng: np.random.Generator) -> tuple[Floats, ...]:
        """Return the probabilities of each cell in ``count`` draws, four arrays of (count,)."""
        return tuple(np.ascontiguousarray(rng.dirichlet(self.shapes, count).T))

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        return {"dirichlet": list(self.shapes)}


class ConfusionTruth(TableTruth):
    """Finitely many confusion tables: the probabilities of tp, fp, fn and tn."""


PairedTruth = TableTruth | DirichletTruth
"""Where the true probabilities of a pair come from."""


def table_of_cells(first_only: float, second_only: float, both: float | None = None) -> Cells:
    """Return the table with the given probabilities of the discordant cells.

    Args:
        first_only: the probability that the first only is right.
        second_only: the probability that the second only is right.
        both: the probability that both are; left out, half of what the discordant cells leave.

    Raises:
        InputError: the sum of the probabilities is above 1.

    Example:
        >>> table_of_cells(0.1, 0.05)
        (0.425, 0.1, 0.05, 0.425)
    """
    cells = {"first_only": first_only, "second_only": second_only}
    if both is not None:
        cells["both"] = both
    left = math.fsum((1.0, *(-probability for probability in cells.values())))
    if left < -ROUNDING:
        words = enumerated(f"{name} {value:.6g}" for name, value in cells.items())
        raise InputError(f"expected probabilities with a sum of at most 1, found {words}")
    left = max(left, 0.0)
    if both is None:
        return 0.5 * left, first_only + 0.0, second_only + 0.0, 0.5 * left
    return both + 0.0, first_only + 0.0, second_only + 0.0, left


def table_of_margins(first: float, second: float, correlation: float) -> Cells:
    """Return the table with the given margins and correlation.

    With the correlation φ of the two results of a case (the phi coefficient)

        p₁₁ = p₁ p₂ + φ √(p₁ q₁ p₂ q₂).

    Args:
        first: the probability p₁ that the first is right.
        second: the probability p₂ that the second is right.
        correlation: φ; 0 where the results are independent.

    Raises:
        InputError: the margins allow no such correlation; the message names what they allow.

    Example:
        >>> table_of_margins(0.5, 0.5, 1.0)
        (0.5, 0.0, 0.0, 0.5)
    """
    scale = math.sqrt(first * (1.0 - first) * second * (1.0 - second))
    independent = first * second
    least, most = max(0.0, first + second - 1.0), min(first, second)
    both = independent + correlation * scale
    if not least - ROUNDING <= both <= most + ROUNDING:
        low, high = ((end - independent) / scale for end in (least, most))
        raise InputError(
            f"expected a correlation from {low:.6g} to {high:.6g}, which the margins {first:.6g} "
            f"and {second:.6g} allow, found {correlation:.6g}"
        )
    both = min(max(both, least), most)
    first_only, second_only = max(first - both, 0.0), max(second - both, 0.0)
    neither = max(math.fsum((1.0, -both, -first_only, -second_only)), 0.0)
    return both, first_only, second_only, neither


class JudgedTruth(RowsTruth):
    """Finitely many rows of a share, a sensitivity and a specificity.

    >>> JudgedTruth.of([(0.8, 0.9, 0.85), (0.5, 0.9, 0.85)]).values[0]
    array([0.5, 0.8])
    """


@dataclass(frozen=True)
class LabelledTruth(CrossedTruth):
    """Shares, sensitivities and specificities, crossed.

    >>> LabelledTruth((0.8,), (0.9,), (0.5, 0.85)).cells(1).round(3).tolist()
    [0.72, 0.08, 0.03, 0.17]
    """

    share: tuple[float, ...]
    """Shares of cases that are right, in [0, 1]."""
    sensitivity: tuple[float, ...]
    specificity: tuple[float, ...]

    def cells(self, number: int) -> Floats:
        """Return the probabilities of right and yes, right and no, wrong and yes, wrong and no."""
        share, sensitivity, specificity = (float(values[number]) for values in self.values)
        wrong = 1.0 - share
        return np.array(
            [
                share * sensitivity,
                share * (1.0 - sensitivity),
                wrong * (1.0 - specificity),
                wrong * specificity,
            ]
        )
