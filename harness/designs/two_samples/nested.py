"""Integrals over pairs of truths, first over those of one sample and then over those of the other.

Given the second truth t₂, the parameter is below a limit L where the first truth is below h(L, t₂).
So the misses below given a pair of counts are ∫ p(x₂, t₂) P(x₁, h(L, t₂)) dt₂ over the probability
of the pair, with p the probability of a count times the density of its truth, and P the integral of
p over the first truths up to a point. No posterior takes part, and any parameter will do that rises
or falls with each truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import roots_legendre

from harness.base.numerics.arrays import Floats, Integers
from harness.base.numerics.quadrature import gauss_panels
from harness.designs.design import Scenario
from harness.designs.limits import Limits
from harness.designs.results import Exact
from harness.designs.two_samples.quadrature import Block, Sample
from harness.families.combination import Combination

_NODES, _PANEL = 16, 2.0
_NODE, _WEIGHT = roots_legendre(_NODES)
_LIMITS_AT_ONCE = 64


def integrate_block(scenario: Scenario, block: Block, limits: Limits) -> Exact:
    """Return the integrals given each pair of counts of a block.

    Args:
        scenario: its truths are distributions with smooth densities.
        block: the counts.
        limits: of the pairs of counts of the block.
    """
    first, second = (
        Sample(sample, counts) for sample, counts in zip(scenario.samples(), block, strict=True)
    )
    pairs = _TwoSamples(first, second, scenario.family.combination)
    weight = pairs.weight.ravel()
    index = np.indices((block[0].size, block[1].size)).reshape(2, -1)
    below = np.array([pairs.missed(index, lower, side=0) for lower in limits.lower])
    above = np.array([pairs.missed(index, upper, side=1) for upper in limits.upper])
    below, above = np.minimum(below / weight, 1.0), np.minimum(above / weight, 1.0)
    return Exact(limits.outcomes, weight, below, above, limits.length, infinite=limits.infinite)


@dataclass(frozen=True)
class _Cumulative:
    """Integrals of probability times density of one sample, up to a truth and from it on."""

    sample: Sample

    @cached_property
    def edges(self) -> Floats:
        """The edges of panels that are short on the scale of the integrand, ascending."""
        return self.sample.edges(_PANEL)

    @cached_property
    def _by_panel(self) -> tuple[Floats, Floats]:
        """The integrals over all panels before each edge, and over all from it on; (e, m)."""
        truths, weights = gauss_panels(self.edges, _NODES)
        panels = np.einsum("ij,ijm->im", weights, self.sample.probabilities(truths))
        nothing = np.zeros((1, panels.shape[1]))
        before = np.concatenate((nothing, np.cumsum(panels, axis=0)))
        after = np.concatenate((np.cumsum(panels[::-1], axis=0)[::-1], nothing))
        return before, after

    def beyond(self, truths: Floats, count: Integers, upwards: bool) -> Floats:
        """Return the integral over the truths below, or above, each truth.

        Args:
            truths: shape (q, t).
            count: the index of the count of each row, shape (q,).
            upwards: whether the integral is over the truths above.
        """
        truths = np.clip(truths, *self.sample.span)
        panel = np.clip(np.searchsorted(self.edges, truths) - 1, 0, self.edges.size - 2)
        edge = self.edges[panel + upwards]
        half = 0.5 * (truths - edge)
        nodes = (edge + half)[..., np.newaxis] + half[..., np.newaxis] * _NODE
        scenario = self.sample.scenario
        counts = self.sample.counts[count][:, np.newaxis, np.newaxis]
        probability = scenario.model.SAMPLING.pmf(counts, nodes, scenario.size)
        probability = probability * self.sample.density(nodes)
        partial = (probability * _WEIGHT).sum(axis=-1) * np.abs(half)
        whole = self._by_panel[upwards][panel + upwards, count[:, np.newaxis]]
        return np.asarray(whole + partial)


@dataclass(frozen=True)
class _TwoSamples:
    """Two samples, and the parameter of both."""

    first: Sample
    second: Sample
    combination: Combination

    def missed(self, index: Integers, limits: Floats, side: int) -> Floats:
        """Return the probability of each pair of counts with a parameter beyond its limit, (m,).

        Args:
            index: of both counts of each pair, shape (2, m).
            limits: shape (m,).
            side: 0 for parameters below the limits, 1 for those above.
        """
        scaled = self.combination.scale.of(limits)
        total = np.zeros(limits.size)
        everything = np.isinf(scaled) & ((scaled > 0) == (side == 0))
        total[everything] = self.weight[tuple(index[:, everything])]
        finite = np.flatnonzero(np.isfinite(scaled))
        for start in range(0, finite.size, _LIMITS_AT_ONCE):
            part = finite[start : start + _LIMITS_AT_ONCE]
            total[part] = self._integrated(index[:, part], scaled[part, np.newaxis], side)
        return total

    @cached_property
    def weight(self) -> Floats:
        """The probability of each pair of counts, shape (m1, m2)."""
        return np.outer(self.first.total_probabilities(), self.second.total_probabilities())

    @cached_property
    def _cumulative(self) -> _Cumulative:
        return _Cumulative(self.first)

    @cached_property
    def _own_edges(self) -> Floats:
        """The edges of panels that are short on the scale of the second sample."""
        return self.second.edges(_PANEL)

    def _integrated(self, index: Integers, scaled: Floats, side: int) -> Floats:
        """The same for finite limits on the scale of the combination, shape (q, 1)."""
        cumulative, scenario = self._cumulative, self.second.scenario
        # The inner integral is smooth between the truths at which h meets an edge of its panels.
        meeting = self._partner(1, scaled, cumulative.edges)
        low, high = self.second.span
        own = np.tile(self._own_edges, (scaled.size, 1))
        edges = np.sort(np.clip(np.concatenate((own, meeting), axis=1), low, high), axis=1)
        truths, weight = (part.reshape(scaled.size, -1) for part in gauss_panels(edges, _NODES))
        counts = self.second.counts[index[1]][:, np.newaxis]
        outer = scenario.model.SAMPLING.pmf(counts, truths, scenario.size)
        outer = outer * self.second.density(truths)
        rises = self.combination.directions[0] > 0
        inner = cumulative.beyond(
            self._partner(0, scaled, truths), index[0], upwards=(side == 1) == rises
        )
        return np.asarray((outer * inner * weight).sum(axis=1))

    def _partner(self, sample: int, scaled: Floats, other: Floats) -> Floats:
        """The truths of a sample at the limit and the other sample's truth."""
        weights = self.combination.weights
        with np.errstate(divide="ignore", over="ignore"):
            rest = scaled - weights[1 - sample] * self.combination.coordinate(other)
            return self.combination.from_coordinate(rest / weights[sample])
