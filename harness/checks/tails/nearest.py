"""The truths nearest to the data among those where the parameter has a given value.

They are the most likely ones: of two samples the pair on the line θ(θ₁, θ₂) = L, of pairs the
table of probabilities with θ = L, at which the probability of the observed counts is largest.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.families.combination import Combination
from harness.families.family import PAIRS, Family
from harness.families.paired import PairedFamily

Truths = tuple[Floats, ...]
"""The truth of each sample, or the probability of each cell of pairs; shape (m,) each."""

_HALVINGS = 40
"""Halvings of the bracket of the most likely truth: it need not be as exact as a limit is, since a
tail changes slowly along the line."""
_NO_PAIR = 1e-6
"""Stands for a count of 0 in a table, whose most likely probability may still be above 0."""


def nearest_truths(
    family: Family, counts: Truths, sizes: tuple[float, ...], parameter: Floats
) -> Truths:
    """Return the most likely truths with these values of the parameter.

    Args:
        family: of two samples or of pairs.
        counts: the counts of each sample, or of each cell, shape (m,) each.
        sizes: the size of each sample.
        parameter: inside the range of the family's parameter, shape (m,).
    """
    if family.design == PAIRS:
        return _nearest_tables(cast(PairedFamily, family), counts, parameter)
    return _nearest_pairs(family, counts, sizes, parameter)


def _nearest_pairs(
    family: Family, counts: Truths, sizes: tuple[float, ...], parameter: Floats
) -> Truths:
    """The pair (θ₁, θ₂) with w₁g(θ₁) + w₂g(θ₂) = h(L).

    The log likelihood of each sample is concave in its coordinate g, so that its derivative along
    the line falls, and the root lies between the points where one of the samples fits best.
    """
    combination = family.combination
    first_weight, second_weight = combination.weights
    height = combination.scale(parameter)
    spans = [combination.inside(family.model.SUPPORT, size) for size in sizes]
    best = [
        combination.coordinate(np.clip(x / size, *span))
        for x, size, span in zip(counts, sizes, spans, strict=True)
    ]
    ends = [combination.coordinate(np.array(span, np.float64)) for span in spans]
    others = [(height - second_weight * end) / first_weight for end in (best[1], *ends[1])]
    low = np.maximum(ends[0][0], np.minimum(others[1], others[2]))
    high = np.minimum(ends[0][1], np.maximum(others[1], others[2]))
    left = np.clip(np.minimum(best[0], others[0]), low, high)
    right = np.clip(np.maximum(best[0], others[0]), low, high)
    for _ in range(_HALVINGS):
        middle = 0.5 * (left + right)
        truths = _on_line(combination, height, middle, spans)
        with np.errstate(divide="ignore", invalid="ignore"):
            first, second = (
                _slope(family, x, size, truth) / combination.slope(truth)
                for x, size, truth in zip(counts, sizes, truths, strict=True)
            )
            rises = first - second * first_weight / second_weight > 0
        left, right = np.where(rises, middle, left), np.where(rises, right, middle)
    return _on_line(combination, height, 0.5 * (left + right), spans)


def _on_line(
    combination: Combination, height: Floats, first: Floats, spans: list[tuple[float, float]]
) -> Truths:
    """The truths of both samples where the first one has this coordinate."""
    first_weight, second_weight = combination.weights
    second = (height - first_weight * first) / second_weight
    return tuple(
        np.clip(combination.from_coordinate(each), *span)
        for each, span in zip((first, second), spans, strict=True)
    )


def _slope(family: Family, x: Floats, size: float, truth: Floats) -> Floats:
    """The derivative of the log likelihood of a count in the parameter of its sample."""
    failures = (size - x) / (1.0 - truth) if family.is_bounded else size
    return np.asarray(x / truth - failures)


def _nearest_tables(family: PairedFamily, counts: Truths, parameter: Floats) -> Truths:
    """The table pᵢ = nᵢ/(n(1 + λaᵢ)) with Σ aᵢpᵢ = 0, where Σ aᵢpᵢ falls with λ.

    It is the most likely one under the linear constraint that the parameter is.
    """
    weights = np.array(family.constraint(parameter))
    filled = np.maximum(np.array(counts), _NO_PAIR)
    left, right = -1.0 / weights.max(axis=0), -1.0 / weights.min(axis=0)
    for _ in range(_HALVINGS):
        middle = 0.5 * (left + right)
        is_left = (filled * weights / (1.0 + middle * weights)).sum(axis=0) > 0
        left, right = np.where(is_left, middle, left), np.where(is_left, right, middle)
    cells = filled / (1.0 + 0.5 * (left + right) * weights)
    return tuple(cells / cells.sum(axis=0))
