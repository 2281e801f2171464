"""Enumeration over distributions of the truths of two samples, by Gauss quadrature.

The truths of one parameter θ lie on a line, along which the set of the pairs of counts whose
interval misses θ is fixed: there the probabilities of the pairs are integrated and summed over the
set. The sums are then integrated over θ, between the limits. No posterior takes part.
"""

from __future__ import annotations

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.exact.miss_sets import split_missed
from harness.designs.quadrature.lines import Lines
from harness.designs.quadrature.samples import Sample
from harness.designs.results import Exact
from harness.designs.scenario import Limits, PairScenario, SingleScenario
from harness.distributions.truths import Truth
from harness.families.catalogue import family_of

LARGEST_TABLE = 1000
"""The most pairs of counts for which all pairs are integrated."""

_BLOCK = 4
_CELLS_AT_ONCE = 1 << 20

Counts = tuple[Integers, Integers]
"""Consecutive counts of each sample; all pairs of them are a block."""


def integrate_pairs(scenario: PairScenario, block: Counts, limits: Limits) -> Exact:
    """Return the integrals given each pair of counts of a block, of a weighted sum.

    With P(θ, x) the integral of Pr(X1 = x1, X2 = x2) times the densities of the truths along the
    line of θ, the misses below given a pair of counts are ∫ [θ < L(x)] P(θ, x) dθ over the
    probability of the pair, which is a product of two integrals.

    Args:
        scenario: its truths are distributions with smooth densities.
        block: the counts.
        limits: of the pairs of counts of the block.
    """
    first, second = (
        Sample(sample, counts) for sample, counts in zip(scenario.samples(), block, strict=True)
    )
    first_weight, second_weight = family_of(scenario.family).combination.weights
    lines = Lines((first, second), (first_weight, second_weight))
    by_first, by_second = first.total_probabilities(), second.total_probabilities()
    weight = (by_first[:, np.newaxis] * by_second).ravel()
    rows = zip(limits.lower, limits.upper, strict=True)
    below, above = np.array([_missed(lines, lower, upper) for lower, upper in rows]).swapaxes(0, 1)
    # Rounding does not lift a probability above 1.
    below, above = np.minimum(below / weight, 1.0), np.minimum(above / weight, 1.0)
    return Exact(limits.outcomes, weight, below, above, limits.length)


def _missed(lines: Lines, lower: Floats, upper: Floats) -> Floats:
    """Return the probability of each pair of counts together with a miss below, above; (2, m)."""
    theta, weight = lines.rule(np.concatenate((lower, upper)))
    total = np.zeros((2, lower.size))
    step = max(1, _CELLS_AT_ONCE // (64 * lower.size))
    for start in range(0, theta.size, step):
        part = slice(start, start + step)
        probability = lines.probabilities(theta[part]).reshape(-1, lower.size)
        missed = split_missed(theta[part, np.newaxis], probability, lower, upper)
        total += [np.einsum("i,ij->j", weight[part], side) for side in missed]
    return total


def is_whole(scenario: PairScenario) -> bool:
    """Whether the table of all pairs of counts is small enough to be one block."""
    windows = map(_window, scenario.samples())
    return bool(np.prod([last + 1.0 - first for first, last in windows]) <= LARGEST_TABLE)


def blocks(scenario: PairScenario) -> list[Counts]:
    """Return one block of all counts of a weighted sum where they are few, or three small blocks.

    These are at low counts of both samples, at the means of both, and at one of each.
    """
    samples = scenario.samples()
    if family_of(scenario.family).is_weighted_sum and is_whole(scenario):
        first, second = (np.arange(a, b + 1) for a, b in map(_window, samples))
        return [(first, second)]
    middle = [_likeliest_counts(sample, _middle(sample.truth)) for sample in samples]
    low = [_likeliest_counts(sample, _low_but_likely(sample.truth)) for sample in samples]
    return [(low[0], low[1]), (middle[0], middle[1]), (middle[0], low[1])]


def block_outcomes(scenario: PairScenario, block: Counts) -> Integers:
    """Return the outcomes of all pairs of counts of a block, ascending."""
    return scenario.outcomes(block[0][:, np.newaxis], block[1][np.newaxis, :]).ravel()


def _window(sample: SingleScenario) -> tuple[int, int]:
    """Return the first and the last count that can occur under the truths of a sample."""
    return sample.model.SAMPLING.window(*sample.truth.effective_support, sample.size)


def _middle(truth: Truth) -> float:
    """Return the mean of the truths, or the listed one in the middle."""
    return truth.values[len(truth.values) // 2] if truth.is_discrete else truth.mean


def _low_but_likely(truth: Truth) -> float:
    """Return the truth two standard deviations below the mean, or the lowest one."""
    if truth.is_discrete:
        return truth.values[0]
    return max(truth.support[0], truth.mean - 2.0 * truth.standard_deviation)


def _likeliest_counts(sample: SingleScenario, truth: float) -> Integers:
    """Return a block of the counts that are likeliest at a truth, of those that can occur."""
    first, last = _window(sample)
    mean = sample.model.SAMPLING.mean(np.array(truth), sample.size)
    start = round(float(mean)) - _BLOCK // 2
    start = max(first, min(start, last + 1 - _BLOCK))
    return np.arange(start, min(start + _BLOCK, last + 1))
