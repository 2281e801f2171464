"""The start of a search for the worst pair of truths: the peaks over a grid of all pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Bools, Floats
from harness.designs.worst_case.table import PairTable

# Spacings in standard deviations of the counts. The finest one is used for which the grid takes at
# most _CELLS cells of the table.
_SPACINGS = (0.5, 1.0, 2.0, 4.0)
_CELLS = 1e9
_FEWEST_STEPS = 4


@dataclass(frozen=True)
class Peaks:
    """The local maxima over a grid of truths, the highest first."""

    spacing: float
    """The spacing of the grid on the variance-stabilized scale."""
    heights: Floats
    """The largest miss probability near each peak, descending, shape (c,)."""
    first: Floats
    """The truth of the first sample, shape (c,)."""
    second: Floats


def highest_peaks(table: PairTable, count: int) -> Peaks:
    """Return the ``count`` highest peaks of the largest miss probability near each grid point."""
    spacing, axes, probabilities = _grid(table)
    reach = [table.unit(sample, axis) * 0.5 * spacing for sample, axis in enumerate(axes)]
    moves = [table.move(sample, axis, reach[sample]) for sample, axis in enumerate(axes)]
    heights = np.zeros((axes[0].size, axes[1].size))
    for i, (rows, by_first) in enumerate(probabilities[0]):
        for j, (columns, by_second) in enumerate(probabilities[1]):
            theta = table.parameter(float(axes[0][i]), float(axes[1][j]))
            width = np.hypot(moves[0][i], moves[1][j])
            heights[i, j] = _height(
                table.lower[rows, columns] - theta,
                table.upper[rows, columns] - theta,
                by_first[0][:, np.newaxis] * by_second[0],
                float(width),
            )
    top = np.flatnonzero(_is_peak(heights).ravel())
    top = top[np.argsort(-heights.ravel()[top], kind="stable")][:count]
    first, second = np.unravel_index(top, heights.shape)
    return Peaks(spacing, heights[first, second], axes[0][first], axes[1][second])


def _grid(
    table: PairTable,
) -> tuple[float, list[Floats], list[list[tuple[slice, Floats]]]]:
    """Return the spacing, and the truths and the probabilities of their counts by sample."""
    for spacing in _SPACINGS:
        axes = [table.axis(sample, spacing, _FEWEST_STEPS) for sample in (0, 1)]
        probabilities = [
            [table.probabilities(sample, truth[np.newaxis]) for truth in axis]
            for sample, axis in enumerate(axes)
        ]
        first, second = (float(sum(p.size for _, p in axis)) for axis in probabilities)
        if first * second <= _CELLS:
            break
    return spacing, axes, probabilities


def _height(lower: Floats, upper: Floats, probability: Floats, reach: float) -> float:
    """Return the largest probability of the missing set for any θ within reach of 0.

    The probabilities of the pairs of counts are fixed. So the one of the missing set drops where θ
    rises above a lower limit, and jumps where θ rises above an upper one.
    """
    start = probability[(lower >= -reach) | (upper < -reach)].sum()
    entered, left = np.abs(lower) <= reach, np.abs(upper) <= reach
    jumps = np.concatenate((-probability[entered], probability[left]))
    order = np.argsort(np.concatenate((lower[entered], upper[left])), kind="stable")
    return float(start + jumps[order].cumsum().max(initial=0.0))


def _is_peak(heights: Floats) -> Bools:
    """Whether no neighbour on the grid is higher, of the shape of the heights."""
    padded = np.pad(heights, 1, constant_values=-1.0)
    rows, columns = heights.shape
    neighbours = [padded[i : i + rows, j : j + columns] for i in range(3) for j in range(3)]
    return np.asarray(heights >= np.max(neighbours, axis=0))
