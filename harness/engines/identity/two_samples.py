"""The identity between the posterior and the enumeration engine, for two samples.

With the truths drawn from their distributions, the mean over truths of the miss probability
equals the mean over pairs of counts of the posterior mass outside the limits, weighted by the
probabilities of the counts; per side, and likewise for the length. It holds for any block of pairs
of counts alone. The first mean sums products of probabilities at each pair of truths and
integrates over the truths, the second one has the distribution of a sum of two posteriors.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from harness.engines import posterior
from harness.engines.exact.one_sample import possible_outcomes
from harness.engines.exact.two_samples import split_missed
from harness.engines.identity import one_sample as identity
from harness.engines.identity.lines import Lines
from harness.engines.identity.one_sample import Identity
from harness.engines.identity.samples import Sample, has_smooth_density
from harness.engines.results import Exact, Mean
from harness.families.catalogue import family_of
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Limits, PairScenario, SingleScenario
from harness.truths import ContinuousTruth, PairTruth, as_distribution

# All pairs of counts are checked up to this number of them, and beyond it a few blocks of _BLOCK
# counts of each sample.
_WHOLE_UP_TO = 200
_BLOCK = 4
_CELLS_AT_ONCE = 1 << 20
_COUNTED_UP_TO = 1 << 22

Counts = tuple[Integers, Integers]


def weight_discrepancy(scenario: PairScenario) -> float:
    """Return the larger weight discrepancy of the two samples.

    A sample that may have millions of counts is left out.
    """
    counted = [
        sample
        for sample in scenario.samples()
        if np.ptp(sample.model.SAMPLING.window(*sample.truth.effective_support, sample.size))
        < _COUNTED_UP_TO
    ]
    return max((identity.weight_discrepancy(sample) for sample in counted), default=0.0)


def scenarios_to_check(scenario: PairScenario) -> list[PairScenario]:
    """Return the scenario under the distributions for which the identity is checked.

    They are the truths' own, and a flat one for listed truths or a density that is not smooth.
    """
    first, second = (
        sample.truth if has_smooth_density(sample) else identity.flat_truth(sample)
        for sample in scenario.samples()
    )
    return [replace(scenario, truth=PairTruth(first, second))]


def outcomes_to_check(scenario: PairScenario) -> Integers:
    """Return the outcomes at which the identity is checked, ascending."""
    return np.unique(np.concatenate([_outcomes(scenario, block) for block in _blocks(scenario)]))


def evaluate_identity(scenario: PairScenario, limits: Limits) -> Identity:
    """Return the two means of the identity under the scenario's truths, smooth distributions.

    Each block of counts has equal weight, so that an error in any block shows.

    Args:
        scenario: one of ``scenarios_to_check``.
        limits: the limits of ``outcomes_to_check`` at least.
    """
    means = []
    for block in _blocks(scenario):
        part = limits.at(_outcomes(scenario, block))
        exact = _by_outcome(scenario, part)
        exact = replace(exact, length=_finite_lengths(exact.length))
        total = float(exact.weight.sum())
        means.append((_over_truths(scenario, block, part, total), exact.mean()))
    over_truths, over_outcomes = zip(*means, strict=True)
    return Identity(_average(over_truths), _average(over_outcomes))


def _blocks(scenario: PairScenario) -> list[Counts]:
    """Return one block of all counts where they are few, or three small blocks.

    These are at low counts of both samples, at the means of both, and at one of each.
    """
    samples = scenario.samples()
    windows = [
        sample.model.SAMPLING.window(*sample.truth.effective_support, sample.size)
        for sample in samples
    ]
    if np.prod([last + 1.0 - first for first, last in windows]) <= _WHOLE_UP_TO:
        first, second = (possible_outcomes(sample) for sample in samples)
        return [(first, second)]
    truths = [as_distribution(sample.truth) for sample in samples]
    middle = [
        _likeliest_counts(sample, truth.mean) for sample, truth in zip(samples, truths, strict=True)
    ]
    low = [
        _likeliest_counts(sample, _low_but_likely(truth))
        for sample, truth in zip(samples, truths, strict=True)
    ]
    return [(low[0], low[1]), (middle[0], middle[1]), (middle[0], low[1])]


def _low_but_likely(truth: ContinuousTruth) -> float:
    """Return the truth two standard deviations below the mean, or the lower boundary."""
    return max(truth.support[0], truth.mean - 2.0 * truth.standard_deviation)


def _likeliest_counts(sample: SingleScenario, truth: float) -> Integers:
    """Return a block of the counts that are likeliest at a truth, of those that can occur."""
    first, last = sample.model.SAMPLING.window(*sample.truth.effective_support, sample.size)
    mean = sample.model.SAMPLING.mean(np.array(truth), sample.size)
    start = round(float(mean)) - _BLOCK // 2
    start = max(first, min(start, last + 1 - _BLOCK))
    return np.arange(start, min(start + _BLOCK, last + 1))


def _outcomes(scenario: PairScenario, block: Counts) -> Integers:
    return scenario.outcomes(block[0][:, np.newaxis], block[1][np.newaxis, :]).ravel()


def _by_outcome(scenario: PairScenario, limits: Limits) -> Exact:
    """Return the posterior engine's mass outside the limits, and the weights of the outcomes."""
    first = as_distribution(scenario.truth.first)
    prior = first.conjugate_prior
    if prior is None or first != scenario.truth.second:
        return posterior.integrate_under_truth(scenario, limits)
    weight = np.ones(limits.outcomes.size)
    for sample, x in zip(scenario.samples(), scenario.counts(limits.outcomes), strict=True):
        weight = weight * sample.model.outcome_weights(first, x, sample.size)
    return replace(posterior.integrate_under_prior(scenario, limits, prior), weight=weight)


def _over_truths(scenario: PairScenario, block: Counts, limits: Limits, total: float) -> Mean:
    """Return the mean of the enumeration over the truths, as a share of the block's weight."""
    first, second = (
        Sample(sample, counts) for sample, counts in zip(scenario.samples(), block, strict=True)
    )
    first_weight, second_weight = family_of(scenario.family).weights
    lines = Lines((first, second), (first_weight, second_weight))
    rows = zip(limits.lower, limits.upper, strict=True)
    missed = np.array([_missed(lines, lower, upper) for lower, upper in rows])
    by_first, by_second = first.total_probabilities(), second.total_probabilities()
    probability = (by_first[:, np.newaxis] * by_second).ravel()
    length = np.array([(row * probability).sum() for row in _finite_lengths(limits.length)])
    below, above = missed.T
    return Mean(below / total, above / total, length / total)


def _missed(lines: Lines, lower: Floats, upper: Floats) -> tuple[float, float]:
    """Return the miss probabilities below and above, integrated over the truths."""
    theta, weight = lines.rule(np.concatenate((lower, upper)))
    below = above = 0.0
    step = max(1, _CELLS_AT_ONCE // (64 * lower.size))
    for start in range(0, theta.size, step):
        part = slice(start, start + step)
        probability = lines.probabilities(theta[part]).reshape(-1, lower.size)
        missed = split_missed(theta[part, np.newaxis], probability, lower, upper)
        below += float((missed[0].sum(axis=1) * weight[part]).sum())
        above += float((missed[1].sum(axis=1) * weight[part]).sum())
    return below, above


def _finite_lengths(length: Floats) -> Floats:
    """Return the lengths with 0 for infinite ones, which have no mean."""
    return np.where(np.isfinite(length), length, 0.0)


def _average(parts: Sequence[Mean]) -> Mean:
    below, above, length = (
        np.sum([getattr(part, name) for part in parts], axis=0) / len(parts)
        for name in ("below", "above", "length")
    )
    return Mean(below, above, length)
