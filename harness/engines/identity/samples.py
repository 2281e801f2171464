"""One sample of a pair: some of its counts, and the truths that these can come from."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import roots_legendre

from harness.numerics.arrays import Floats, Integers
from harness.sampling.protocol import Sampling
from harness.scenario import SingleScenario
from harness.truths import BetaTruth, GammaTruth, UniformTruth, as_distribution

_NEGLIGIBLE = 1e-18
# How far truths are searched on the variance-stabilized scale: exp(−13²/4) is negligible.
_FARTHEST, _STEP = 13.0, 0.25
_NODES = 16
# A power of this order and more is as smooth at its zero as Gauss's rule can tell.
_SMOOTH_POWER = 8.0


@dataclass(frozen=True)
class Sample:
    """Consecutive counts, with the truth's density and the range where both are not negligible."""

    scenario: SingleScenario
    """Its truth is a distribution with a smooth density."""
    counts: Integers

    @property
    def _sampling(self) -> Sampling:
        return self.scenario.model.SAMPLING

    @property
    def _scale_size(self) -> float:
        """The size on whose variance-stabilized scale probability times density is smooth."""
        truth, size = self.scenario.truth, self.scenario.size
        if isinstance(truth, BetaTruth):
            return size + truth.s + truth.t
        return size + truth.t if isinstance(truth, GammaTruth) else size

    @property
    def degree(self) -> float:
        """Of chances times density as a polynomial in the truth; infinite where they are none."""
        truth, size = self.scenario.truth, self.scenario.size
        if self.scenario.model.SUPPORT[1] == np.inf:
            return np.inf
        if isinstance(truth, UniformTruth):
            return size
        assert isinstance(truth, BetaTruth)
        whole = truth.s == round(truth.s) and truth.t == round(truth.t)
        return size + truth.s + truth.t - 2.0 if whole else np.inf

    @cached_property
    def span(self) -> tuple[float, float]:
        """The truths for which any of the counts has a probability that matters."""
        size, sampling = self.scenario.size, self._sampling
        low, high = self.scenario.truth.effective_support
        ends = sampling.variance_stabilized(np.array([low, high]), size)
        likely = sampling.variance_stabilized(np.minimum(self.counts[[0, -1]] / size, high), size)
        steps = np.arange(likely[0] - _FARTHEST, likely[1] + _FARTHEST + _STEP, _STEP)
        inner = sampling.from_variance_stabilized(
            steps[(steps > ends[0]) & (steps < ends[1])], size
        )
        reached = [low] * bool(steps[0] <= ends[0]), [high] * bool(steps[-1] >= ends[1])
        truths = np.unique(np.clip(np.concatenate((*reached, inner)), low, high))
        probability = sampling.pmf(self.counts, truths[:, np.newaxis], size).max(axis=1)
        matter = np.flatnonzero(probability >= _NEGLIGIBLE)
        first, last = max(matter[0] - 1, 0), min(matter[-1] + 1, truths.size - 1)
        return float(truths[first]), float(truths[last])

    def cut_ends(self) -> list[float]:
        """The ends of the span where the range of the truth ends before the counts are unlikely."""
        return [
            end
            for end, last in zip(self.span, self.scenario.truth.effective_support, strict=True)
            if end == last
        ]

    @property
    def stabilized_span(self) -> Floats:
        """The ends of the span on the variance-stabilized scale."""
        return self._sampling.variance_stabilized(np.array(self.span), self._scale_size)

    def truths(self, places: Floats) -> Floats:
        return self._sampling.from_variance_stabilized(places, self._scale_size)

    def between(self, start: Floats, stop: Floats, panel: float) -> Floats:
        """Truths between two, evenly on the variance-stabilized scale and a panel apart at most."""
        low, high = self.stabilized_span
        count = int(np.ceil((high - low) / panel)) + 1
        ends = (np.clip(end, *self.span)[:, np.newaxis] for end in (start, stop))
        a, b = (self._sampling.variance_stabilized(end, self._scale_size) for end in ends)
        return self.truths(a + (b - a) * np.linspace(0.0, 1.0, count)[1:-1])

    def density(self, truths: Floats) -> Floats:
        """The density of the truth's distribution.

        Beta(s, t) as (s + t − 1)·b(s − 1; s + t − 2, p), Gamma(s, t) as t·Pr(s − 1 | Poisson(tr)).
        """
        truth, pmf = as_distribution(self.scenario.truth), self._sampling.pmf
        if isinstance(truth, BetaTruth):
            total = truth.s + truth.t
            return (total - 1.0) * pmf(truth.s - 1.0, truths, total - 2.0)
        if isinstance(truth, GammaTruth):
            return truth.t * pmf(truth.s - 1.0, truths, truth.t)
        low, high = truth.support
        return np.full(truths.shape, 1.0 / (high - low))

    def probabilities(self, truths: Floats) -> Floats:
        """The density of each truth times the probabilities of the counts; shape (…, m)."""
        at = truths[..., np.newaxis]
        probability = self._sampling.pmf(self.counts, at, self.scenario.size)
        return np.asarray(probability * self.density(at))

    def total_probabilities(self) -> Floats:
        """The same integrated over all truths, shape (m,)."""
        ends = np.array(self.span)
        edges = np.concatenate((ends[:1], self.between(ends[:1], ends[1:], 1.0)[0], ends[1:]))
        node, weight = roots_legendre(_NODES)
        half, middle = 0.5 * np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
        truths = (middle[:, np.newaxis] + half[:, np.newaxis] * node).ravel()
        weights = (half[:, np.newaxis] * weight).ravel()
        return np.asarray((self.probabilities(truths) * weights[:, np.newaxis]).sum(axis=0))


def has_smooth_density(scenario: SingleScenario) -> bool:
    """Whether the truth is a distribution whose density has no singular end."""
    truth = scenario.truth
    if isinstance(truth, BetaTruth):
        return _is_smooth(truth.s) and _is_smooth(truth.t)
    if isinstance(truth, GammaTruth):
        return _is_smooth(truth.s)
    return isinstance(truth, UniformTruth)


def _is_smooth(exponent: float) -> bool:
    return exponent >= _SMOOTH_POWER or exponent == round(exponent)
