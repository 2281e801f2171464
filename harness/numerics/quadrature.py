"""Gauss quadrature: many smooth integrals at once, and rules for a Beta or a Gamma weight."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import betaln, gammaln, roots_legendre, roots_sh_jacobi, xlog1py, xlogy

from harness.numerics.arrays import Floats
from harness.numerics.deviance import log_binomial, log_poisson

# Fourteen nodes integrate exp(−s) over eight units, or a Gaussian over two standard deviations, to
# the last digit.
_PANEL_NODES = 14


def integral(height: Callable[[Floats], Floats], length: Floats, panels: int = 1) -> Floats:
    """∫ height(s) ds from 0 to ``length``, elementwise; shape (m,).

    Args:
        height: m functions, each at its own point; smooth on the scale of a panel.
        length: how far each is integrated, shape (m,).
        panels: into how many equal parts.
    """
    nodes, weights = roots_legendre(_PANEL_NODES)
    total = np.zeros(length.shape)
    for panel in range(panels):
        for node, weight in zip(nodes, weights, strict=True):
            part = (panel + 0.5 + 0.5 * float(node)) / panels
            total += weight * height(part * length)
    return np.asarray(total * length * (0.5 / panels))


# Nodes for panels up to each width, in units of the integrand's scale: a Gaussian of that scale
# is integrated to better than 1e-15.
_NODES = ((0.02, 3), (0.25, 6), (np.inf, 14))
# Towards a singular end panels shrink by this factor, which keeps the end at least a third of a
# panel away from every panel but the last.
_GRADING = 4.0
# A power of this order and more is as smooth at its zero as the rules above can tell.
_SMOOTH_POWER = 8.0
_SMALLEST_DISTANCE = 1e-300
_LARGE_EXPONENTS = 64.0


def beta_rule(breaks: Floats, s: float, t: float, scale: float) -> tuple[Floats, Floats]:
    """Ascending nodes and weights for ∫ g(p) p^{s−1}(1 − p)^{t−1}/B(s, t) dp.

    Args:
        breaks: ascending, within [0, 1], two at least: the range, and where g is not smooth. A
            range that leaves out an end where the weight is singular keeps well away from it.
        s, t: exponents of the weight, > 0; where it is singular at an end of [0, 1] the panel
            there has a Gauss-Jacobi rule.
        scale: how fast g changes, as a standard deviation in arcsin √p.
    """
    low, high = np.arcsin(np.sqrt(breaks[[0, -1]]))
    even = np.sin(_between(low, high, scale)) ** 2
    parts = [breaks, even]
    inner = breaks[(breaks > 0) & (breaks < 1)]
    reach = min(np.sin(scale) ** 2, 0.5)
    if _bends(s) and breaks[0] == 0:
        parts.append(_graded(reach, inner))
    if _bends(t) and breaks[-1] == 1:
        parts.append(1.0 - _graded(reach, 1.0 - inner))
    edges = np.unique(np.concatenate(parts))
    middle = int(np.searchsorted(edges, 0.5))
    rules = []
    if middle > 0:
        rules.append(_measured_from_end(edges[: middle + 1], _BetaWeight(s, t), scale))
    if middle < edges.size - 1:
        # Beyond the middle distances to 1 are exact, and so is the weight next to it.
        start = middle if middle > 0 else 0
        distance, weight = _measured_from_end((1.0 - edges[start:])[::-1], _BetaWeight(t, s), scale)
        rules.append((1.0 - distance, weight))
    return _ascending(rules)


def gamma_rule(breaks: Floats, s: float, t: float, scale: float) -> tuple[Floats, Floats]:
    """Ascending nodes and weights for ∫ g(r) t^s r^{s−1} e^{−tr}/Γ(s) dr; for t = 0, ∫ g(r) dr.

    Args:
        breaks: ascending, at least 0, two at least: the range, and where g is not smooth. A range
            that leaves out 0, where the weight may be singular, keeps well away from it.
        s, t: shape > 0 and rate of the weight; s = 1 with t = 0 is the constant weight 1.
        scale: how fast g changes, as a standard deviation in √r.
    """
    low, high = np.sqrt(breaks[[0, -1]])
    parts = [breaks, _between(low, high, scale) ** 2]
    if _bends(s) and breaks[0] == 0:
        parts.append(_graded(min(scale**2, float(breaks[-1])), breaks[breaks > 0]))
    edges = np.unique(np.concatenate(parts))
    return _ascending([_measured_from_end(edges, _GammaWeight(s, t), scale)])


def _ascending(rules: list[tuple[Floats, Floats]]) -> tuple[Floats, Floats]:
    node = np.concatenate([node for node, _ in rules])
    weight = np.concatenate([weight for _, weight in rules])
    order = np.argsort(node, kind="stable")
    return node[order], weight[order]


def _between(low: float, high: float, scale: float) -> Floats:
    """Points one scale apart, strictly between two."""
    count = max(int(np.ceil((high - low) / scale)), 1)
    return np.linspace(low, high, count + 1)[1:-1]


class _Weight(Protocol):
    """A density of the distance from an end, d^{inner − 1} times what is smooth there."""

    @property
    def inner(self) -> float: ...

    def place(self, distance: Floats) -> Floats:
        """The distance on the scale that panels are measured on."""
        ...

    def log_density(self, distance: Floats) -> Floats: ...

    def log_smooth(self, distance: Floats) -> Floats:
        """The logarithm of the density without d^{inner − 1}."""
        ...


@dataclass(frozen=True)
class _BetaWeight:
    """d^{inner − 1} (1 − d)^{outer − 1} / B(inner, outer)."""

    inner: float
    outer: float

    def place(self, distance: Floats) -> Floats:
        return np.asarray(np.arcsin(np.sqrt(distance)))

    def log_density(self, distance: Floats) -> Floats:
        inner, outer = self.inner, self.outer
        if inner + outer < _LARGE_EXPONENTS:
            power = xlogy(inner - 1, distance) + xlog1py(outer - 1, -distance)
            return np.asarray(power - betaln(inner, outer))
        # By the saddle-point form: the Beta function alone costs digits for large exponents.
        log_density = log_binomial(inner, outer, distance, 1.0 - distance)
        log_density += np.log(inner * (outer / (inner + outer)))
        return np.asarray(log_density - np.log(distance) - np.log1p(-distance))

    def log_smooth(self, distance: Floats) -> Floats:
        return np.asarray(xlog1py(self.outer - 1, -distance) - betaln(self.inner, self.outer))


@dataclass(frozen=True)
class _GammaWeight:
    """t^inner d^{inner − 1} e^{−td} / Γ(inner); 1 where t = 0."""

    inner: float
    t: float

    def place(self, distance: Floats) -> Floats:
        return np.sqrt(distance)

    def log_density(self, distance: Floats) -> Floats:
        if self.t == 0:
            return np.zeros_like(distance)
        # The saddle-point form once more: inner/d times a Poisson probability.
        return log_poisson(self.inner, self.t * distance) + np.log(self.inner / distance)

    def log_smooth(self, distance: Floats) -> Floats:
        return xlogy(self.inner, self.t) - self.t * distance - gammaln(self.inner)


def _measured_from_end(edges: Floats, weight: _Weight, scale: float) -> tuple[Floats, Floats]:
    """Distances from the end and weights, panel by panel."""
    left, right = edges[:-1], edges[1:]
    width = (weight.place(right) - weight.place(left)) / scale
    singular = (left == 0) & _bends(weight.inner)
    if _bends(weight.inner):
        with np.errstate(divide="ignore"):
            width = np.maximum(width, np.log(right / left))
    nodes, weights = [], []
    smallest = -1.0
    for largest, count in _NODES:
        panel = (width > smallest) & (width <= largest) & ~singular
        x, w = roots_legendre(count)
        length = (right - left)[panel, np.newaxis]
        distance = left[panel, np.newaxis] + length * (0.5 + 0.5 * x)
        nodes.append(distance.ravel())
        weights.append((np.exp(weight.log_density(distance)) * length * (0.5 * w)).ravel())
        smallest = largest
    if singular.any():
        distance, at_end = _end_rule(float(right[0]), weight)
        nodes.append(distance)
        weights.append(at_end)
    return np.concatenate(nodes), np.concatenate(weights)


def _bends(exponent: float) -> bool:
    """Whether p^{exponent − 1} is too rough at 0 for the Legendre rules."""
    return exponent != 1 and exponent < _SMOOTH_POWER


def _end_rule(length: float, weight: _Weight) -> tuple[Floats, Floats]:
    """Distances from a singular end and weights, for the panel of that length at the end."""
    # The weight of the shifted Jacobi polynomials G(a, a; x) on [0, 1] is x^{a−1}.
    x, w = roots_sh_jacobi(_NODES[-1][1], weight.inner, weight.inner)
    distance = length * x
    return distance, w * np.exp(xlogy(weight.inner, length) + weight.log_smooth(distance))


def _graded(reach: float, distances: Floats) -> Floats:
    """A geometric mesh from ``reach`` down to below the smallest distance of a break."""
    smallest = max(min(reach, distances.min(initial=reach)), _SMALLEST_DISTANCE)
    steps = int(np.ceil(np.log(reach / smallest) / np.log(_GRADING))) + 1
    return np.asarray(reach * _GRADING ** -np.arange(steps, dtype=np.float64))
