"""Integrals over pairs of truths, first along the lines of one parameter, then across the lines.

On the line of the truths with w1·t1 + w2·t2 = θ the missing set is fixed, and the integrand is
smooth: probabilities of counts times densities of truths. Across the lines the integral is smooth
between the limits and the θ of the corners of the rectangle of truths.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import roots_legendre

from harness.base.numerics.arrays import Floats
from harness.designs.quadrature.samples import Sample

# Panel length on the variance-stabilized scale: sixteen nodes on it integrate a Gaussian of
# variance one to 1e-13.
_PANEL = 4.0
_NODES = 16
# Nodes for gaps up to each share of a panel.
_GAP_NODES = ((1e-6, 1), (0.02, 3), (0.2, 6), (np.inf, _NODES))
# Polynomials up to this degree have one panel of as many nodes as they need.
_LARGEST_DEGREE = 80


@dataclass(frozen=True)
class Lines:
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
        edges = np.unique(np.concatenate([diagonal, *self._edges_along_sides()]))
        return np.asarray(edges[(edges >= diagonal[0]) & (edges <= diagonal[-1])])

    def _edges_along_sides(self) -> list[Floats]:
        """Return edges along the sides of the rectangle at which one sample is cut off.

        They follow the scale of the sample that varies along the side.
        """
        edges = []
        for fixed, varied in ((0, 1), (1, 0)):
            low, high = self.samples[varied].stabilized_span
            steps = int(np.ceil((high - low) / _PANEL))
            along = self.samples[varied].from_stabilized(np.linspace(low, high, steps + 1))
            edges += [
                self.weights[fixed] * boundary + self.weights[varied] * along
                for boundary in self.samples[fixed].cut_boundaries()
            ]
        return edges

    def _line_rule(self, theta: Floats) -> tuple[Floats, Floats]:
        """Return first truths and their weights for an integral along each line, shape (t, l)."""
        first, second = self.samples
        bounds = [(theta - self.weights[1] * bound) / self.weights[0] for bound in second.span]
        low = np.clip(np.minimum(*bounds), *first.span)
        high = np.clip(np.maximum(*bounds), low, first.span[1])
        edges, count = np.stack((low, high), axis=-1), _NODES
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
        node, weight = roots_legendre(count)
        half = 0.5 * np.diff(edges)[..., np.newaxis]
        middle = 0.5 * (edges[:, 1:] + edges[:, :-1])[..., np.newaxis]
        return (
            (middle + half * node).reshape(theta.size, -1),
            (half * weight).reshape(theta.size, -1),
        )
