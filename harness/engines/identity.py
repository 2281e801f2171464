"""The identity in which the posterior and the enumeration engine meet.

With the truth drawn from a distribution, the mean over p of the exact miss probability equals the
mean over x of the posterior mass outside the limits, under that same distribution and weighted by
the outcomes' probabilities; per side, and likewise for the length. One side sums binomial
probabilities, the other one integrates a Beta distribution: no error in one alone survives.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from harness.engines import posterior
from harness.engines.enumeration import Enumerated, given_outcomes, probability_blocks
from harness.engines.records import Mean
from harness.engines.runs import miss_probabilities
from harness.families import proportion
from harness.numerics.arrays import Floats
from harness.numerics.quadrature import beta_rule
from harness.sampling import binomial
from harness.scenario import Limits, Scenario
from harness.truths import BetaTruth, ContinuousTruth, DiscreteTruth, Truth, UniformTruth

# Both sides are sums of thousands of terms, each good to about 1e-13.
TOLERANCE = 1e-9

_FLAT = UniformTruth(0.0, 1.0)
_SMALL = 1e-3
_WHOLE_RANGE_UP_TO = 2000
# Beyond this the outcomes possible at one half are too many too.
_STRIPS_UP_TO = 1_000_000
# The expected counts that each strip spans.
_STRIP = 1000.0


@dataclass(frozen=True)
class Identity:
    """Both sides of the identity for k columns."""

    over_truths: Mean
    """Mean of the enumeration over p."""
    over_outcomes: Mean
    """Weighted mean of the posterior mass over x."""

    def discrepancy(self) -> Floats:
        """The largest discrepancy of below, above and length for each column, shape (k,)."""
        return mean_discrepancy(self.over_truths, self.over_outcomes)


def mean_discrepancy(a: Mean, b: Mean) -> Floats:
    """By how much two means differ: relative where a miss probability is not tiny, shape (k,).

    A miss probability below 1e-3 is judged absolutely on the scale of 1e-3, a length on that of 1.
    """
    below, above = (
        np.abs(one - other) / np.maximum(np.maximum(one, other), _SMALL)
        for one, other in ((a.below, b.below), (a.above, b.above))
    )
    return np.maximum(np.maximum(below, above), np.abs(a.length - b.length))


def weight_discrepancy(n: int, truth: ContinuousTruth) -> float:
    """By how much the outcome probabilities fail to sum to 1, or to have the truth's mean."""
    first, last = binomial.window(*truth.support, n)
    x = np.arange(first, last + 1)
    weight = proportion.outcome_weights(truth, x, n)
    low, high = truth.support
    mean = truth.s / (truth.s + truth.t) if isinstance(truth, BetaTruth) else 0.5 * (low + high)
    return max(abs(float(weight.sum()) - 1), abs(float((weight * (x / n)).sum()) / mean - 1))


def enumeration_discrepancies(known: Enumerated) -> list[Floats]:
    """What must hold within one enumeration, each of shape (k,).

    The mean over a list of truths is the mean over all outcomes; and no truth, nor their mean, is
    missed more often than the worst one.
    """
    found = []
    by_outcome, by_truth = known.by_outcome, known.by_truth
    if by_truth is not None and by_outcome.weight.sum() > 1.0 - TOLERANCE:
        found.append(mean_discrepancy(by_truth.mean(), by_outcome.mean()))
    if known.mean is not None and all(case is not None for case in known.worst):
        worst = np.array([case.alpha for case in known.worst if case is not None])
        missed = known.mean.below + known.mean.above
        if by_truth is not None:
            missed = np.maximum(missed, (by_truth.below + by_truth.above).max(axis=1))
        found.append(np.maximum(missed - worst, 0.0))
    return found


def truths_to_check(n: int, truth: Truth) -> list[ContinuousTruth]:
    """The distributions under which the identity is checked at this size.

    The truth's own; a flat one for a list of values; and for a large n, where all gaps between
    limits would take longer than all the rest, two strips of [0, 1] that hold thousands of them.
    """
    if n > _WHOLE_RANGE_UP_TO:
        width = _STRIP / n
        rare = UniformTruth(0.0, width)
        return [rare] if n > _STRIPS_UP_TO else [rare, UniformTruth(0.5, 0.5 + width)]
    return [_FLAT] if isinstance(truth, DiscreteTruth) else [truth]


def both_sides(n: int, distribution: ContinuousTruth, limits: Limits) -> Identity:
    """The two sides of the identity; ``limits`` hold every outcome that can occur."""
    first, last = binomial.window(*distribution.support, n)
    limits = limits.at(np.arange(first, last + 1))
    over_outcomes = _over_outcomes(n, distribution, limits)
    sides = [
        _mean_over_truths(n, distribution, int(limits.outcomes[0]), lower, upper)
        for lower, upper in zip(limits.lower, limits.upper, strict=True)
    ]
    below, above = np.array(sides).T
    return Identity(Mean(below, above, _mean_length(n, distribution, limits)), over_outcomes)


def _over_outcomes(n: int, distribution: ContinuousTruth, limits: Limits) -> Mean:
    """Mass outside the limits by the posterior engine, weighted by the outcomes' probabilities."""
    scenario = Scenario(proportion.NAME, n, distribution)
    weight = proportion.outcome_weights(distribution, limits.outcomes, n)
    if isinstance(distribution, BetaTruth):
        integrated = posterior.integrate(scenario, limits, (distribution.s, distribution.t))
        return replace(integrated, weight=weight).mean()
    low, high = distribution.support
    if (n + 1) * (high - low) < 1.0:
        # So short a range leaves no digits of a difference of tails: the engine's own way.
        return given_outcomes(n, distribution, limits).mean()
    # On [a, b] the mass below is F(L) − F(a), the one above S(U) − S(b), over (n + 1)(b − a).
    inside = Limits(
        limits.outcomes, np.clip(limits.lower, low, high), np.clip(limits.upper, low, high)
    )
    ends = Limits(
        limits.outcomes, np.full_like(limits.lower, low), np.full_like(limits.upper, high)
    )
    missed, beyond = (
        posterior.integrate(scenario, part, proportion.FLAT_PRIOR) for part in (inside, ends)
    )
    total = (n + 1) * (high - low)
    return Mean(
        (missed.below - beyond.below).sum(axis=1) / total,
        (missed.above - beyond.above).sum(axis=1) / total,
        (limits.length * weight).sum(axis=1) / weight.sum(),
    )


def _mean_over_truths(
    n: int, truth: ContinuousTruth, first: int, lower: Floats, upper: Floats
) -> tuple[float, float]:
    """The exact miss probabilities below and above, integrated over the truth gap by gap."""
    low, high = truth.support
    inside = np.concatenate((lower, upper))
    inside = inside[(inside > low) & (inside < high)]
    nodes, weights = _rule(n, truth, np.unique(np.concatenate(([low, high], inside))))
    below, above = miss_probabilities(n, first, lower, upper, nodes)
    return float((below * weights).sum()), float((above * weights).sum())


def _mean_length(n: int, truth: ContinuousTruth, limits: Limits) -> Floats:
    """The expected length at p, integrated over the truth."""
    nodes, weights = _rule(n, truth, np.array(truth.support))
    total = np.zeros(limits.lower.shape[0])
    for nodes_at, outcomes_at, probability in probability_blocks(n, nodes, limits.outcomes):
        weight = (probability * weights[nodes_at, np.newaxis]).sum(axis=0)
        total += (limits.length[:, outcomes_at] * weight).sum(axis=1)
    return total


def _rule(n: int, truth: ContinuousTruth, breaks: Floats) -> tuple[Floats, Floats]:
    """Nodes and weights of the truth's distribution.

    In arcsin √p a binomial probability varies on the scale 1/(2√n), and times a Beta(s, t)
    density on 1/(2√(n + s + t)).
    """
    s, t = (truth.s, truth.t) if isinstance(truth, BetaTruth) else (1.0, 1.0)
    nodes, weights = beta_rule(breaks, s, t, 0.5 / np.sqrt(n + s + t))
    low, high = truth.support
    return nodes, weights / (high - low)
