"""Where a search for the worst pair of truths starts: the peaks of a grid over all of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.engines.worst_case.table import PairTable
from harness.numerics.arrays import Bools, Floats

# In standard deviations of the counts. The finest is used for which the grid costs no more cells
# of the table than this.
_SPACINGS = (0.5, 1.0, 2.0, 4.0)
_CELLS = 1e9
_FEWEST_STEPS = 4


@dataclass(frozen=True)
class Peaks:
    """The local maxima over a grid of truths, the highest first."""

    spacing: float
    """Of the grid, on the variance-stabilized scale."""
    heights: Floats
    first: Floats
    second: Floats


def highest_peaks(table: PairTable, count: int) -> Peaks:
    """The highest ones of the largest miss probability near each pair of grid truths."""
    spacing, axes, probabilities = _grid(table)
    reach = [table.unit(sample, axis) * 0.5 * spacing for sample, axis in enumerate(axes)]
    heights = np.zeros((axes[0].size, axes[1].size))
    for i, (rows, one) in enumerate(probabilities[0]):
        for j, (columns, other) in enumerate(probabilities[1]):
            theta = table.parameter(float(axes[0][i]), float(axes[1][j]))
            width = np.hypot(table.weights[0] * reach[0][i], table.weights[1] * reach[1][j])
            heights[i, j] = _height(
                table.lower[rows, columns] - theta,
                table.upper[rows, columns] - theta,
                one[0][:, np.newaxis] * other[0],
                float(width),
            )
    top = np.flatnonzero(_is_peak(heights).ravel())
    top = top[np.argsort(-heights.ravel()[top], kind="stable")][:count]
    at = np.unravel_index(top, heights.shape)
    return Peaks(spacing, heights[at], axes[0][at[0]], axes[1][at[1]])


def _grid(
    table: PairTable,
) -> tuple[float, list[Floats], list[list[tuple[slice, Floats]]]]:
    """The spacing, and the truths and the probabilities of their counts for each sample."""
    for spacing in _SPACINGS:
        axes = [table.axis(sample, spacing, _FEWEST_STEPS) for sample in (0, 1)]
        probabilities = [
            [table.probabilities(sample, truth[np.newaxis]) for truth in axis]
            for sample, axis in enumerate(axes)
        ]
        first, second = (float(sum(one.size for _, one in each)) for each in probabilities)
        if first * second <= _CELLS:
            break
    return spacing, axes, probabilities


def _height(lower: Floats, upper: Floats, probability: Floats, reach: float) -> float:
    """The largest probability of the missing set for any θ within reach of 0.

    It jumps down where θ rises past a lower limit and up where it rises past an upper one; the
    probabilities of the pairs of counts are kept.
    """
    start = probability[(lower >= -reach) | (upper < -reach)].sum()
    entered, left = np.abs(lower) <= reach, np.abs(upper) <= reach
    jumps = np.concatenate((-probability[entered], probability[left]))
    order = np.argsort(np.concatenate((lower[entered], upper[left])), kind="stable")
    return float(start + jumps[order].cumsum().max(initial=0.0))


def _is_peak(heights: Floats) -> Bools:
    """Where no neighbour on the grid is higher."""
    padded = np.pad(heights, 1, constant_values=-1.0)
    rows, columns = heights.shape
    around = [padded[i : i + rows, j : j + columns] for i in range(3) for j in range(3)]
    return np.asarray(heights >= np.max(around, axis=0))
