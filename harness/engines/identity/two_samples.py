"""The identity in which the posterior and the enumeration engine meet, for two samples.

With the truths drawn from their distributions, the mean over truths of the miss probability
equals the mean over pairs of counts of the posterior mass outside the limits, weighted by the
probabilities of the counts; per side, and likewise for the length. It holds for the part of any
pairs of counts by itself. One side sums products of probabilities at each pair of truths and
integrates over these, the other one has the distribution of a sum of two posteriors.
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
from harness.truths import BetaTruth, GammaTruth, PairTruth, UniformTruth, as_distribution

# All pairs of counts are checked where there are no more than these.
_WHOLE_UP_TO = 200
# Otherwise blocks of so many counts of each sample.
_BLOCK = 4
_CELLS_AT_ONCE = 1 << 20
_COUNTED_UP_TO = 1 << 22

Counts = tuple[Integers, Integers]


def weight_discrepancy(scenario: PairScenario) -> float:
    """By how much the weights of either sample's counts fail to sum to 1, or to have its mean.

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
    """The scenario under the distributions that the identity is checked with.

    The truths' own; a flat one for a list of values, or a density that is singular at an end.
    """
    first, second = (
        sample.truth if has_smooth_density(sample) else _flat(sample)
        for sample in scenario.samples()
    )
    return [replace(scenario, truth=PairTruth(first, second))]


def outcomes_to_check(scenario: PairScenario) -> Integers:
    """The outcomes that the identity is checked at, ascending."""
    return np.unique(np.concatenate([_outcomes(scenario, block) for block in _blocks(scenario)]))


def evaluate_identity(scenario: PairScenario, limits: Limits) -> Identity:
    """The two sides of the identity under the scenario's truths, smooth distributions.

    Each block of counts has equal weight, so that an error in any one of them counts.

    Args:
        scenario: one of ``scenarios_to_check``.
        limits: of ``outcomes_to_check`` at least.
    """
    sides = []
    for block in _blocks(scenario):
        part = limits.at(_outcomes(scenario, block))
        exact = _given_outcomes(scenario, part)
        total = float(exact.weight.sum())
        sides.append((_over_truths(scenario, block, part, total), _finite(exact).mean()))
    over_truths, over_outcomes = zip(*sides, strict=True)
    return Identity(_average(over_truths), _average(over_outcomes))


def _flat(sample: SingleScenario) -> UniformTruth:
    if sample.model.SUPPORT[1] < np.inf:
        return UniformTruth(*sample.model.SUPPORT)
    return UniformTruth(0.0, max(sample.truth.effective_support[1], 1.0 / sample.size))


def _blocks(scenario: PairScenario) -> list[Counts]:
    """All counts, where these are few; or some at the lower ends, in the middle and across."""
    samples = scenario.samples()
    windows = [
        sample.model.SAMPLING.window(*sample.truth.effective_support, sample.size)
        for sample in samples
    ]
    if np.prod([last + 1.0 - first for first, last in windows]) <= _WHOLE_UP_TO:
        first, second = (possible_outcomes(sample) for sample in samples)
        return [(first, second)]
    means = [as_distribution(sample.truth).mean for sample in samples]
    middle = [_around(sample, mean) for sample, mean in zip(samples, means, strict=True)]
    low = [_around(sample, _low(sample)) for sample in samples]
    return [(low[0], low[1]), (middle[0], middle[1]), (middle[0], low[1])]


def _low(sample: SingleScenario) -> float:
    """A truth near the lower end, but no unlikely one: two standard deviations below the mean."""
    truth = as_distribution(sample.truth)
    mean, spread = truth.mean, truth.support[1] - truth.support[0]
    if isinstance(truth, BetaTruth):
        spread = np.sqrt(mean * (1.0 - mean) / (truth.s + truth.t + 1.0))
    elif isinstance(truth, GammaTruth):
        spread = np.sqrt(truth.s) / truth.t
    return max(truth.support[0], float(mean - 2.0 * spread))


def _around(sample: SingleScenario, truth: float) -> Integers:
    """The counts likeliest at a truth, of those that can occur."""
    first, last = sample.model.SAMPLING.window(*sample.truth.effective_support, sample.size)
    start = round(truth * sample.size) - _BLOCK // 2
    start = max(first, min(start, last + 1 - _BLOCK))
    return np.arange(start, min(start + _BLOCK, last + 1))


def _outcomes(scenario: PairScenario, block: Counts) -> Integers:
    return scenario.outcomes(block[0][:, np.newaxis], block[1][np.newaxis, :]).ravel()


def _given_outcomes(scenario: PairScenario, limits: Limits) -> Exact:
    """The posterior engine's mass outside the limits, and the weights of the outcomes."""
    first, second = scenario.truth.first, scenario.truth.second
    if not isinstance(first, BetaTruth | GammaTruth) or first != second:
        return posterior.integrate_under_truth(scenario, limits)
    weight = np.ones(limits.outcomes.size)
    for sample, x in zip(scenario.samples(), scenario.counts(limits.outcomes), strict=True):
        weight = weight * sample.model.outcome_weights(first, x, sample.size)
    return replace(
        posterior.integrate_under_prior(scenario, limits, (first.s, first.t)), weight=weight
    )


def _over_truths(scenario: PairScenario, block: Counts, limits: Limits, total: float) -> Mean:
    """The enumeration over the truths, as a share of the weight of the block."""
    one, other = (
        Sample(sample, counts) for sample, counts in zip(scenario.samples(), block, strict=True)
    )
    lines = Lines((one, other), _two(family_of(scenario.family).weights))
    missed = np.array(
        [
            _missed(lines, lower, upper)
            for lower, upper in zip(limits.lower, limits.upper, strict=True)
        ]
    )
    probability = (one.total_probabilities()[:, np.newaxis] * other.total_probabilities()).ravel()
    length = np.array([(row * probability).sum() for row in _finite_lengths(limits.length)])
    below, above = missed.T
    return Mean(below / total, above / total, length / total)


def _missed(lines: Lines, lower: Floats, upper: Floats) -> tuple[float, float]:
    """The probabilities below and above, integrated over the truths."""
    theta, weight = lines.rule(np.concatenate((lower, upper)))
    below = above = 0.0
    step = max(1, _CELLS_AT_ONCE // (64 * lower.size))
    for start in range(0, theta.size, step):
        at = slice(start, start + step)
        probability = lines.probabilities(theta[at]).reshape(-1, lower.size)
        missed_below, missed_above = split_missed(theta[at, np.newaxis], probability, lower, upper)
        below += float((missed_below.sum(axis=1) * weight[at]).sum())
        above += float((missed_above.sum(axis=1) * weight[at]).sum())
    return below, above


def _finite(exact: Exact) -> Exact:
    return replace(exact, length=_finite_lengths(exact.length))


def _finite_lengths(length: Floats) -> Floats:
    """Lengths of intervals without an end have no mean: they count as 0 on both sides."""
    return np.where(np.isfinite(length), length, 0.0)


def _average(parts: Sequence[Mean]) -> Mean:
    below, above, length = (
        np.sum([getattr(part, name) for part in parts], axis=0) / len(parts)
        for name in ("below", "above", "length")
    )
    return Mean(below, above, length)


def _two(weights: tuple[float, ...]) -> tuple[float, float]:
    first, second = weights
    return first, second
