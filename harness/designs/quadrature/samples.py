"""One sample of a pair: a block of its counts, and the truths under which they can occur."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import roots_legendre

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.exact.probabilities import probability_rows
from harness.designs.scenario import SingleScenario
from harness.distributions.sampling.protocol import Sampling
from harness.distributions.truths import ContinuousTruth, as_distribution

_NEGLIGIBLE = 1e-18
# The search for truths goes so far on the variance-stabilized scale: exp(−13²/4) is negligible.
_FARTHEST, _STEP = 13.0, 0.25
_NODES = 16
# A power of this order and more is as smooth at its zero as Gauss's rule can tell.
_SMOOTH_POWER = 8.0


@dataclass(frozen=True)
class Sample:
    """Consecutive counts of one sample, and the truths under which they are not negligible."""

    scenario: SingleScenario
    """Its truth is a distribution with a smooth density."""
    counts: Integers

    @property
    def _sampling(self) -> Sampling:
        return self.scenario.model.SAMPLING

    @property
    def _truth(self) -> ContinuousTruth:
        return as_distribution(self.scenario.truth)

    @property
    def _scale_size(self) -> float:
        """The size on whose variance-stabilized scale probability times density is smooth."""
        model, size, prior = self.scenario.model, self.scenario.size, self._truth.conjugate_prior
        return size if prior is None else model.effective_size(size, prior)

    @property
    def degree(self) -> float:
        """The degree of probability times density as a polynomial in the truth.

        It is infinite where the product is no polynomial.
        """
        model, size = self.scenario.model, self.scenario.size
        s, t = self._truth.conjugate_prior or model.FLAT_PRIOR
        is_polynomial = model.IS_BOUNDED and s == round(s) and t == round(t)
        return size + s + t - 2.0 if is_polynomial else np.inf

    @cached_property
    def span(self) -> tuple[float, float]:
        """The range of truths for which any of the counts has a probability that matters."""
        size, sampling = self.scenario.size, self._sampling
        low, high = self.scenario.truth.effective_support
        boundary = sampling.variance_stabilized(np.array([low, high]), size)
        counts = self.counts[[0, -1]].astype(np.float64)
        estimates = self.scenario.model.estimate(counts, np.full(2, float(size)))
        likely = sampling.variance_stabilized(np.minimum(estimates, high), size)
        steps = np.arange(likely[0] - _FARTHEST, likely[1] + _FARTHEST + _STEP, _STEP)
        inner = sampling.from_variance_stabilized(
            steps[(steps > boundary[0]) & (steps < boundary[1])], size
        )
        reached = [low] * bool(steps[0] <= boundary[0]), [high] * bool(steps[-1] >= boundary[1])
        truths = np.unique(np.clip(np.concatenate((*reached, inner)), low, high))
        probability = sampling.pmf(self.counts, truths[:, np.newaxis], size).max(axis=1)
        relevant = np.flatnonzero(probability >= _NEGLIGIBLE)
        first, last = max(relevant[0] - 1, 0), min(relevant[-1] + 1, truths.size - 1)
        return float(truths[first]), float(truths[last])

    def cut_boundaries(self) -> list[float]:
        """Return the boundaries of the truth's range at which the counts are still likely."""
        support = self.scenario.truth.effective_support
        return [edge for edge, last in zip(self.span, support, strict=True) if edge == last]

    @property
    def stabilized_span(self) -> Floats:
        """The span on the variance-stabilized scale."""
        return self._sampling.variance_stabilized(np.array(self.span), self._scale_size)

    def from_stabilized(self, values: Floats) -> Floats:
        """Return the truths with these values on the variance-stabilized scale."""
        return self._sampling.from_variance_stabilized(values, self._scale_size)

    def between(self, start: Floats, stop: Floats, panel: float) -> Floats:
        """Return truths between each start and stop, shape (t, …).

        They are equally spaced on the variance-stabilized scale, at most a panel apart.
        """
        low, high = self.stabilized_span
        count = int(np.ceil((high - low) / panel)) + 1
        bounds = (np.clip(bound, *self.span)[:, np.newaxis] for bound in (start, stop))
        a, b = (self._sampling.variance_stabilized(bound, self._scale_size) for bound in bounds)
        return self.from_stabilized(a + (b - a) * np.linspace(0.0, 1.0, count)[1:-1])

    def density(self, truths: Floats) -> Floats:
        """Return the density of the truth's distribution, of the shape of the truths."""
        prior = self._truth.conjugate_prior
        if prior is not None:
            return self.scenario.model.prior_density(prior, truths)
        low, high = self._truth.support
        return np.full(truths.shape, 1.0 / (high - low))

    def probabilities(self, truths: Floats) -> Floats:
        """Return the density of each truth times the probability of each count, shape (…, m)."""
        first, last = int(self.counts[0]), int(self.counts[-1])
        top = np.nextafter(self.scenario.model.SUPPORT[1], 0.0)
        inside = np.clip(truths.ravel(), np.finfo(np.float64).tiny, top)
        start = (first, (first + last) // 2, last)
        probability = probability_rows(self._sampling, start, inside, self.scenario.size)
        probability = probability.reshape(*truths.shape, self.counts.size)
        return np.asarray(probability * self.density(truths)[..., np.newaxis])

    def total_probabilities(self) -> Floats:
        """Return ``probabilities`` integrated over all truths, shape (m,)."""
        span = np.array(self.span)
        edges = np.concatenate((span[:1], self.between(span[:1], span[1:], 1.0)[0], span[1:]))
        node, weight = roots_legendre(_NODES)
        half, middle = 0.5 * np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
        truths = (middle[:, np.newaxis] + half[:, np.newaxis] * node).ravel()
        weights = (half[:, np.newaxis] * weight).ravel()
        return np.asarray((self.probabilities(truths) * weights[:, np.newaxis]).sum(axis=0))


def has_smooth_density(scenario: SingleScenario) -> bool:
    """Whether the truth is a distribution whose density is smooth at its boundary."""
    truth = scenario.truth
    return not truth.is_discrete and all(
        shape >= _SMOOTH_POWER or shape == round(shape) for shape in truth.shapes
    )
