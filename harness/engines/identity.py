"""The identity in which the posterior and the enumeration engine meet.

With the truth drawn from a distribution, the mean over p of the exact miss probability equals the
mean over x of the posterior mass outside the limits, under that same distribution and weighted by
the outcomes' probabilities; per side, and likewise for the length. One side sums binomial
probabilities, the other one integrates a Beta distribution: no error in one alone survives.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.engines.enumeration import given_outcomes, probability_blocks
from harness.engines.records import Mean
from harness.engines.runs import miss_probabilities
from harness.numerics.arrays import Floats
from harness.numerics.quadrature import beta_rule
from harness.sampling import binomial
from harness.scenario import Limits
from harness.truths import BetaTruth, ContinuousTruth, DiscreteTruth, Truth, UniformTruth

# Both sides are sums of up to 1e6 terms, each good to about 1e-13.
TOLERANCE = 1e-9

_FLAT = UniformTruth(0.0, 1.0)
_WHOLE_RANGE_UP_TO = 2000
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
        """The largest difference of below, above and length for each column, shape (k,)."""
        a, b = self.over_truths, self.over_outcomes
        differences = np.stack([a.below - b.below, a.above - b.above, a.length - b.length])
        return np.asarray(np.abs(differences).max(axis=0))


def truths_to_check(n: int, truth: Truth) -> list[ContinuousTruth]:
    """The distributions under which the identity is checked at this size.

    The truth's own; a flat one for a list of values; and for a large n, where all gaps between
    limits would take longer than all the rest, two strips of [0, 1] that hold thousands of them.
    """
    if n > _WHOLE_RANGE_UP_TO:
        width = _STRIP / n
        return [UniformTruth(0.0, width), UniformTruth(0.5, 0.5 + width)]
    return [_FLAT] if isinstance(truth, DiscreteTruth) else [truth]


def both_sides(n: int, distribution: ContinuousTruth, limits: Limits) -> Identity:
    """The two sides of the identity; ``limits`` hold every outcome that can occur."""
    first, last = binomial.window(*distribution.support, n)
    limits = limits.at(np.arange(first, last + 1))
    over_outcomes = given_outcomes(n, distribution, limits).mean()
    sides = [
        _mean_over_truths(n, distribution, int(limits.outcomes[0]), lower, upper)
        for lower, upper in zip(limits.lower, limits.upper, strict=True)
    ]
    below, above = np.array(sides).T
    return Identity(Mean(below, above, _mean_length(n, distribution, limits)), over_outcomes)


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
