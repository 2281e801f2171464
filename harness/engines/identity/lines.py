"""Integrals over pairs of truths, taken first along the lines of one parameter, then across them.

On the line of the truths with w1·t1 + w2·t2 = θ the missing set is fixed, and what remains to be
integrated is smooth: probabilities of counts times densities of truths. Across the lines the
integral is smooth between the limits and the θ of the corners of the rectangle of truths.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import roots_legendre

from harness.engines.identity.samples import Sample
from harness.numerics.arrays import Floats

# Panel length on the variance-stabilized scale: sixteen nodes on it integrate a Gaussian of
# variance one to 1e-13.
_PANEL = 4.0
_NODES = 16
# Nodes for gaps up to each share of a panel.
_GAP_NODES = ((1e-6, 1), (0.02, 3), (0.2, 6), (np.inf, _NODES))
# Beside each limit a gap of so much of the whole range, where a parameter that is compared with
# a slightly wrong limit is taken for missed, or for covered.
_BESIDE = 1e-7
# Polynomials up to this degree have one panel of as many nodes as they need.
_LARGEST_DEGREE = 80


@dataclass(frozen=True)
class Lines:
    """The rectangle of the truths of two samples, and the parameter w1·t1 + w2·t2."""

    samples: tuple[Sample, Sample]
    weights: tuple[float, float]

    def rule(self, limits: Floats) -> tuple[Floats, Floats]:
        """Ascending nodes and weights for an integral over θ that is smooth between the limits."""
        panels = self._panels()
        inside = limits[(limits > panels[0]) & (limits < panels[-1])]
        beside = _BESIDE * (panels[-1] - panels[0])
        edges = np.concatenate((panels, inside, inside - beside, inside + beside))
        edges = np.unique(np.clip(edges, panels[0], panels[-1]))
        middle = 0.5 * (edges[1:] + edges[:-1])
        panel = np.clip(np.searchsorted(panels, middle) - 1, 0, panels.size - 2)
        width = np.diff(edges)
        share = width / np.diff(panels)[panel]
        nodes, weights, narrower = [], [], 0.0
        for widest, count in _GAP_NODES:
            here = np.flatnonzero((share > narrower) & (share <= widest))
            node, weight = roots_legendre(count)
            nodes.append((middle[here, np.newaxis] + 0.5 * width[here, np.newaxis] * node).ravel())
            weights.append((0.5 * width[here, np.newaxis] * weight).ravel())
            narrower = widest
        node, weight = np.concatenate(nodes), np.concatenate(weights)
        order = np.argsort(node, kind="stable")
        return node[order], weight[order]

    def probabilities(self, theta: Floats) -> Floats:
        """The density of each θ times the probability of each pair of counts, shape (t, m1, m2).

        The integral along the line of the probabilities of the counts and the truths' densities.
        """
        one, other = self.samples
        first, weight = self._line_rule(theta)
        second = (theta[:, np.newaxis] - self.weights[0] * first) / self.weights[1]
        second = np.clip(second, *other.span)
        weight = weight / abs(self.weights[1])
        probability = one.probabilities(first) * weight[..., np.newaxis]
        beside = other.probabilities(second)
        joint = [(probability[..., [i]] * beside).sum(axis=1) for i in range(one.counts.size)]
        return np.stack(joint, axis=1)

    def _panels(self) -> Floats:
        """Edges in θ of panels short on the scale of what is integrated."""
        ends = [
            sample.stabilized_span if weight > 0 else sample.stabilized_span[::-1]
            for sample, weight in zip(self.samples, self.weights, strict=True)
        ]
        steps = max(abs(end - start) for start, end in ends) / _PANEL
        share = np.linspace(0.0, 1.0, int(np.ceil(steps)) + 1)
        first, second = (
            sample.truths(start + share * (end - start))
            for sample, (start, end) in zip(self.samples, ends, strict=True)
        )
        edges = self.weights[0] * first + self.weights[1] * second
        every = np.unique(np.concatenate([edges, *self._along_sides()]))
        return np.asarray(every[(every >= edges[0]) & (every <= edges[-1])])

    def _along_sides(self) -> list[Floats]:
        """Edges along the sides of the rectangle that cut off one sample, on the other's scale."""
        found = []
        for this, other in ((0, 1), (1, 0)):
            low, high = self.samples[other].stabilized_span
            steps = int(np.ceil((high - low) / _PANEL))
            along = self.samples[other].truths(np.linspace(low, high, steps + 1))
            ends = self.samples[this].cut_ends()
            found += [self.weights[this] * end + self.weights[other] * along for end in ends]
        return found

    def _line_rule(self, theta: Floats) -> tuple[Floats, Floats]:
        """First truths and their weights for an integral along each line, shape (t, l)."""
        one, other = self.samples
        ends = [(theta - self.weights[1] * end) / self.weights[0] for end in other.span]
        low = np.clip(np.minimum(*ends), *one.span)
        high = np.clip(np.maximum(*ends), low, one.span[1])
        edges, count = np.stack((low, high), axis=-1), _NODES
        degree = one.degree + other.degree
        if degree <= _LARGEST_DEGREE:
            count = int(degree) // 2 + 1
        else:
            ends = [(theta - self.weights[0] * end) / self.weights[1] for end in (low, high)]
            by_second = other.between(ends[0], ends[1], _PANEL)
            from_second = (theta[:, np.newaxis] - self.weights[1] * by_second) / self.weights[0]
            inner = np.concatenate((one.between(low, high, _PANEL), from_second), axis=-1)
            inner = np.clip(inner, low[:, np.newaxis], high[:, np.newaxis])
            edges = np.sort(np.concatenate((edges, inner), axis=-1), axis=-1)
        node, weight = roots_legendre(count)
        half = 0.5 * np.diff(edges)[..., np.newaxis]
        middle = 0.5 * (edges[:, 1:] + edges[:, :-1])[..., np.newaxis]
        return (
            (middle + half * node).reshape(theta.size, -1),
            (half * weight).reshape(theta.size, -1),
        )
