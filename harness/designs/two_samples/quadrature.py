"""Enumeration over distributions of the truths of two samples, by Gauss quadrature.

The truths of one parameter θ = w1·t1 + w2·t2 lie on a line, along which the set of the pairs of
counts whose interval misses θ is fixed, and the integrand is smooth: probabilities of counts times
densities of truths. There the probabilities of the pairs are integrated and summed over the set.
The sums are then integrated over θ, between the limits and the θ of the corners of the rectangle of
truths. No posterior takes part.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import roots_legendre

from harness.base.numerics.arrays import Floats, Integers
from harness.base.numerics.quadrature import gauss_panels
from harness.designs.design import Scenario
from harness.designs.engines.listed import probability_rows
from harness.designs.limits import Limits
from harness.designs.miss_sets import split_missed
from harness.designs.results import Exact
from harness.distributions.sampling.law import Sampling
from harness.distributions.truths import ContinuousTruth, as_distribution

_NEGLIGIBLE = 1e-18
# The search for truths goes so far on the variance-stabilized scale: exp(−13²/4) is negligible.
_FARTHEST, _STEP = 13.0, 0.25
_TRUTH_NODES = 16
# A power of this order and more is as smooth at its zero as Gauss's rule can tell.
_SMOOTH_POWER = 8.0


@dataclass(frozen=True)
class Sample:
    """Consecutive counts of one sample, and the truths under which they are not negligible."""

    scenario: Scenario
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

    def edges(self, panel: float) -> Floats:
        """Return the edges of panels of all truths, ascending; see ``between``."""
        span = np.array(self.span)
        return np.concatenate((span[:1], self.between(span[:1], span[1:], panel)[0], span[1:]))

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
        panels = gauss_panels(self.edges(1.0), _TRUTH_NODES)
        truths, weights = (part.ravel() for part in panels)
        return np.asarray((self.probabilities(truths) * weights[:, np.newaxis]).sum(axis=0))


def has_smooth_density(scenario: Scenario) -> bool:
    """Whether the truth is a distribution whose density is smooth at its boundary."""
    truth = scenario.truth
    return not truth.is_discrete and all(
        shape >= _SMOOTH_POWER or shape == round(shape) for shape in truth.shapes
    )


# Panel length on the variance-stabilized scale: sixteen nodes on it integrate a Gaussian of
# variance one to 1e-13.
_PANEL = 4.0
_LINE_NODES = 16
# Nodes for gaps up to each share of a panel.
_GAP_NODES = ((1e-6, 1), (0.02, 3), (0.2, 6), (np.inf, _LINE_NODES))
# Polynomials up to this degree have one panel of as many nodes as they need.
_LARGEST_DEGREE = 80


@dataclass(frozen=True)
class TruthLines:
    """The rectangle of the truths of two samples, and the parameter w1·t1 + w2·t2."""

    samples: tuple[Sample, Sample]
    weights: tuple[float, float]

    def rule(self, limits: Floats) -> tuple[Floats, Floats]:
        """Return ascending nodes and weights of an integral over θ, smooth between the limits."""
        panels = self._panels()
        inside = limits[(limits > panels[0]) & (limits < panels[-1])]
        edges = np.unique(np.concatenate((panels, inside)))
        middle = 0.5 * (edges[1:] + edges[:-1])
        panel = np.clip(np.searchsorted(panels, middle) - 1, 0, panels.size - 2)
        width = np.diff(edges)
        share = width / np.diff(panels)[panel]
        nodes, weights, narrower = [], [], 0.0
        for widest, count in _GAP_NODES:
            gaps = np.flatnonzero((share > narrower) & (share <= widest))
            node, weight = roots_legendre(count)
            nodes.append((middle[gaps, np.newaxis] + 0.5 * width[gaps, np.newaxis] * node).ravel())
            weights.append((0.5 * width[gaps, np.newaxis] * weight).ravel())
            narrower = widest
        node, weight = np.concatenate(nodes), np.concatenate(weights)
        order = np.argsort(node, kind="stable")
        return node[order], weight[order]

    def probabilities(self, theta: Floats) -> Floats:
        """Return the density of each θ times the probability of each pair of counts.

        It is the integral of the probabilities of the counts and the densities of the truths along
        the line; shape (t, m1, m2).
        """
        first_sample, second_sample = self.samples
        first, weight = self._line_rule(theta)
        second = (theta[:, np.newaxis] - self.weights[0] * first) / self.weights[1]
        second = np.clip(second, *second_sample.span)
        weight = weight / abs(self.weights[1])
        by_first = first_sample.probabilities(first) * weight[..., np.newaxis]
        by_second = second_sample.probabilities(second)
        return np.asarray(np.einsum("tla,tlb->tab", by_first, by_second))

    def missed(self, lower: Floats, upper: Floats) -> Floats:
        """Return the probability of each pair of counts with a miss below, and above; (2, m)."""
        theta, weight = self.rule(np.concatenate((lower, upper)))
        total = np.zeros((2, lower.size))
        step = max(1, _CELLS_AT_ONCE // (64 * lower.size))
        for start in range(0, theta.size, step):
            part = slice(start, start + step)
            probability = self.probabilities(theta[part]).reshape(-1, lower.size)
            missed = split_missed(theta[part, np.newaxis], probability, lower, upper)
            total += [np.einsum("i,ij->j", weight[part], side) for side in missed]
        return total

    def _panels(self) -> Floats:
        """Return the edges in θ of panels that are short on the scale of the integrand."""
        spans = [
            sample.stabilized_span if weight > 0 else sample.stabilized_span[::-1]
            for sample, weight in zip(self.samples, self.weights, strict=True)
        ]
        # Both truths move θ: by the sum of their standard deviations, at most √2 times that of θ.
        steps = np.sqrt(2.0) * max(abs(stop - start) for start, stop in spans) / _PANEL
        share = np.linspace(0.0, 1.0, int(np.ceil(steps)) + 1)
        first, second = (
            sample.from_stabilized(start + share * (stop - start))
            for sample, (start, stop) in zip(self.samples, spans, strict=True)
        )
        diagonal = self.weights[0] * first + self.weights[1] * second
        edges = [diagonal]
        # Along the sides of the rectangle at which the counts of one sample are still likely, edges
        # follow the scale of the sample that varies along the side.
        for fixed, varied in ((0, 1), (1, 0)):
            low, high = self.samples[varied].stabilized_span
            steps = int(np.ceil((high - low) / _PANEL))
            along = self.samples[varied].from_stabilized(np.linspace(low, high, steps + 1))
            support = self.samples[fixed].scenario.truth.effective_support
            for end, last in zip(self.samples[fixed].span, support, strict=True):
                if end == last:
                    edges.append(self.weights[fixed] * end + self.weights[varied] * along)
        distinct = np.unique(np.concatenate(edges))
        return np.asarray(distinct[(distinct >= diagonal[0]) & (distinct <= diagonal[-1])])

    def _line_rule(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return first truths and their weights for an integral along each line, shape (t, l)."""
        first, second = self.samples
        bounds = [(theta - self.weights[1] * bound) / self.weights[0] for bound in second.span]
        low = np.clip(np.minimum(*bounds), *first.span)
        high = np.clip(np.maximum(*bounds), low, first.span[1])
        edges, count = np.stack((low, high), axis=-1), _LINE_NODES
        degree = first.degree + second.degree
        if degree <= _LARGEST_DEGREE:
            count = int(degree) // 2 + 1
        else:
            start, stop = (
                (theta - self.weights[0] * bound) / self.weights[1] for bound in (low, high)
            )
            by_second = second.between(start, stop, _PANEL)
            from_second = (theta[:, np.newaxis] - self.weights[1] * by_second) / self.weights[0]
            inner = np.concatenate((first.between(low, high, _PANEL), from_second), axis=-1)
            inner = np.clip(inner, low[:, np.newaxis], high[:, np.newaxis])
            edges = np.sort(np.concatenate((edges, inner), axis=-1), axis=-1)
        first_truths, weights = gauss_panels(edges, count)
        return first_truths.reshape(theta.size, -1), weights.reshape(theta.size, -1)


LARGEST_TABLE = 1000
"""The most pairs of counts for which all pairs are integrated."""

_BLOCK = 4
_CELLS_AT_ONCE = 1 << 20

Block = tuple[Integers, Integers]
"""Consecutive counts of each sample; all pairs of them are a block."""


def integrate_pairs(scenario: Scenario, block: Block, limits: Limits) -> Exact:
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
    first_weight, second_weight = scenario.family.combination.weights
    lines = TruthLines((first, second), (first_weight, second_weight))
    by_first, by_second = first.total_probabilities(), second.total_probabilities()
    weight = (by_first[:, np.newaxis] * by_second).ravel()
    rows = zip(limits.lower, limits.upper, strict=True)
    below, above = np.array([lines.missed(lower, upper) for lower, upper in rows]).swapaxes(0, 1)
    # Rounding does not lift a probability above 1.
    below, above = np.minimum(below / weight, 1.0), np.minimum(above / weight, 1.0)
    return Exact(limits.outcomes, weight, below, above, limits.length)


def is_whole(scenario: Scenario) -> bool:
    """Whether the table of all pairs of counts is small enough to be one block."""
    windows = map(_window, scenario.samples())
    return bool(np.prod([last + 1.0 - first for first, last in windows]) <= LARGEST_TABLE)


def is_integrated(scenario: Scenario) -> bool:
    """Whether enumeration integrates over the distributions of the truths by quadrature.

    It does so for tables of at most ``LARGEST_TABLE`` pairs of counts, where the densities of the
    truths are smooth at the ends of their ranges. Elsewhere the engine ``posterior``'s integrals
    under the truths' distributions take their place.
    """
    return (
        not scenario.truth.is_discrete
        and not scenario.family.is_ratio
        and all(has_smooth_density(sample) for sample in scenario.samples())
        and is_whole(scenario)
    )


def blocks(scenario: Scenario) -> list[Block]:
    """Return one block of all counts of a weighted sum where they are few, or three small blocks.

    These are at low counts of both samples, at the means of both, and at one of each. Low counts
    are those at two standard deviations below the mean of the truths, or at the lowest listed one.
    """
    samples = scenario.samples()
    if not scenario.family.is_ratio and is_whole(scenario):
        first, second = (np.arange(a, b + 1) for a, b in map(_window, samples))
        return [(first, second)]
    middle, low = [], []
    for sample in samples:
        truth = sample.truth
        if truth.is_discrete:
            center, below = truth.values[len(truth.values) // 2], truth.values[0]
        else:
            center = truth.mean
            below = max(truth.support[0], truth.mean - 2.0 * truth.standard_deviation)
        middle.append(_likeliest_counts(sample, center))
        low.append(_likeliest_counts(sample, below))
    return [(low[0], low[1]), (middle[0], middle[1]), (middle[0], low[1])]


def _window(sample: Scenario) -> tuple[int, int]:
    """Return the first and the last count that can occur under the truths of a sample."""
    low, high = sample.truth.effective_support
    return sample.model.SAMPLING.window(low, high, sample.size)


def _likeliest_counts(sample: Scenario, truth: float) -> Integers:
    """Return a block of the counts that are likeliest at a truth, of those that can occur."""
    first, last = _window(sample)
    mean = sample.model.SAMPLING.mean(np.array(truth), sample.size)
    start = round(float(mean)) - _BLOCK // 2
    start = max(first, min(start, last + 1 - _BLOCK))
    return np.arange(start, min(start + _BLOCK, last + 1))
