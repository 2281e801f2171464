"""Quadrature of many integrals at once: Gauss's rules, and the trapezoidal rule.

Gauss's rules are for smooth integrands, and for a Beta or a Gamma weight.

The nodes of the trapezoidal rule are x = c + k y + l (1 − e^{−y}) + r (e^y − 1) at even steps of y,
each integral having as many as it needs. Near the centre c they are almost even in x, which is the
best rule there is for a bell; an exponential tail costs only the logarithm of its length, as in the
double exponential rules. For an integrand analytic about the axis the error falls exponentially
with the number of nodes (Trefethen and Weideman 2014, SIAM Review 56, 385).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, gammaln, roots_legendre, roots_sh_jacobi, xlog1py, xlogy

from harness.base.numerics.arrays import Floats, Index, Positions, Rows
from harness.base.numerics.points import RealPoints, UnitPoints
from harness.base.numerics.special import log_binomial, log_poisson

# Fourteen nodes integrate exp(−s) over eight units, or a Gaussian over two standard deviations, to
# double precision.
_PANEL_NODES = 14


def integral(height: Callable[[Floats], Floats], length: Floats, panels: int = 1) -> Floats:
    """Return ∫ height(s) ds from 0 to ``length`` for m functions, by Gauss's rule on equal panels.

    Args:
        height: m functions, each at its own point; smooth on the scale of a panel.
        length: the length of each range, shape (m,).
        panels: the number of panels of each range.

    Returns:
        The integrals, shape (m,).

    >>> integral(np.exp, np.array([1.0, 2.0])).round(6)
    array([1.718282, 6.389056])
    """
    nodes, weights = roots_legendre(_PANEL_NODES)
    total = np.zeros(length.shape)
    for panel in range(panels):
        for node, weight in zip(nodes, weights, strict=True):
            part = (panel + 0.5 + 0.5 * float(node)) / panels
            total += weight * height(part * length)
    return np.asarray(total * length * (0.5 / panels))


def gauss_panels(edges: Floats, count: int) -> tuple[Floats, Floats]:
    """Return the nodes and weights of Gauss's rule on the panels between edges.

    Args:
        edges: of the panels, ascending, shape (…, e).
        count: the number of nodes of each panel.

    Returns:
        Nodes and weights, shape (…, e − 1, count) each.

    >>> nodes, weights = gauss_panels(np.array([0.0, 1.0, 3.0]), 4)
    >>> round(float((nodes**2 * weights).sum()), 12)
    9.0
    """
    node, weight = roots_legendre(count)
    half, middle = 0.5 * np.diff(edges), 0.5 * (edges[..., 1:] + edges[..., :-1])
    return (
        middle[..., np.newaxis] + half[..., np.newaxis] * node,
        half[..., np.newaxis] * weight,
    )


# Pairs (width, number of nodes): panels up to that width, in units of the integrand's scale, have
# that many nodes. A Gaussian of that scale is integrated to better than 1e-15.
_NODES = ((0.02, 3), (0.25, 6), (np.inf, 14))
# Towards a singular end each panel is shorter by this factor, so that the end is at least a third
# of a panel away from every panel but the last.
_GRADING = 4.0
# A power of this order or more is smooth at its zero to the accuracy of the rules above.
_SMOOTH_POWER = 8.0
_SMALLEST_DISTANCE = 1e-300
_LARGE_EXPONENTS = 64.0
_LARGEST_LOG_DENSITY = 300.0
_NEARLY_ATOM = 0.05


def beta_rule(breaks: Floats, s: float, t: float, scale: float) -> tuple[UnitPoints, Floats]:
    """Return ascending nodes and weights for ∫ g(p) p^{s−1}(1 − p)^{t−1}/B(s, t) dp.

    Args:
        breaks: at least two points of [0, 1], ascending: the ends of the range, and the points at
            which g is not smooth. A range that excludes a singular end of the weight must be well
            away from it.
        s, t: exponents of the weight, > 0; the panel at a singular end has a Gauss-Jacobi rule.
        scale: the scale on which g changes, as a standard deviation in arcsin √p.
    """
    low, high = np.arcsin(np.sqrt(breaks[[0, -1]]))
    even = np.sin(_interior_points(low, high, scale)) ** 2
    parts = [breaks, even]
    inner = breaks[(breaks > 0) & (breaks < 1)]
    reach = min(np.sin(scale) ** 2, 0.5)
    if _is_singular(s) and breaks[0] == 0:
        parts.append(_geometric_mesh(reach, inner))
    if _is_singular(t) and breaks[-1] == 1:
        parts.append(1.0 - _geometric_mesh(reach, 1.0 - inner))
    edges = np.unique(np.concatenate(parts))
    middle = int(np.searchsorted(edges, 0.5))
    p, q, weights = [], [], []
    if middle > 0:
        near, weight = _panel_rules(edges[: middle + 1], _BetaWeight(s, t), scale)
        order = np.argsort(near, kind="stable")
        p, q, weights = [near[order]], [1.0 - near[order]], [weight[order]]
    if middle < edges.size - 1:
        # Above the middle distances to 1 are exact, and so is the weight next to 1.
        start = middle if middle > 0 else 0
        far, weight = _panel_rules((1.0 - edges[start:])[::-1], _BetaWeight(t, s), scale)
        order = np.argsort(-far, kind="stable")
        p, q, weights = [*p, 1.0 - far[order]], [*q, far[order]], [*weights, weight[order]]
    return UnitPoints(np.concatenate(p), np.concatenate(q)), np.concatenate(weights)


def gamma_rule(breaks: Floats, s: float, t: float, scale: float) -> tuple[RealPoints, Floats]:
    """Return ascending nodes and weights for ∫ g(r) t^s r^{s−1} e^{−tr}/Γ(s) dr.

    For t = 0 the weight is r^{s−1}, which has no finite integral over all r; where it exceeds e^300
    at the end of the range, it is divided by a constant so that it does not.

    Args:
        breaks: at least two points, ascending and ≥ 0: the ends of the range, and the points at
            which g is not smooth. A range that excludes 0, where the weight may be singular, must
            be well away from it.
        s, t: shape > 0 and rate ≥ 0 of the weight.
        scale: the scale on which g changes, as a standard deviation in √r.
    """
    low, high = np.sqrt(breaks[[0, -1]])
    parts = [breaks, _interior_points(low, high, scale) ** 2]
    if _is_singular(s) and breaks[0] == 0:
        parts.append(_geometric_mesh(min(scale**2, float(breaks[-1])), breaks[breaks > 0]))
    edges = np.unique(np.concatenate(parts))
    node, weight = _panel_rules(edges, _GammaWeight(s, t, float(breaks[-1])), scale)
    order = np.argsort(node, kind="stable")
    return RealPoints(node[order]), weight[order]


def _interior_points(low: float, high: float, scale: float) -> Floats:
    """Points strictly between two others, at most one scale apart."""
    count = max(int(np.ceil((high - low) / scale)), 1)
    return np.linspace(low, high, count + 1)[1:-1]


@dataclass(frozen=True)
class _BetaWeight:
    """d^{inner − 1} (1 − d)^{outer − 1} / B(inner, outer), of the distance d from an end.

    It is d^{inner − 1} times a function that is smooth at the end.
    """

    inner: float
    outer: float

    def panel_scale(self, distance: Floats) -> Floats:
        """The distance on the scale on which panels are measured."""
        return np.asarray(np.arcsin(np.sqrt(distance)))

    def log_density(self, distance: Floats) -> Floats:
        """The logarithm of the density."""
        inner, outer = self.inner, self.outer
        if inner + outer < _LARGE_EXPONENTS:
            power = xlogy(inner - 1, distance) + xlog1py(outer - 1, -distance)
            return np.asarray(power - betaln(inner, outer))
        # The saddle-point form: for large exponents ``betaln`` loses digits.
        log_density = log_binomial(inner, outer, distance, 1.0 - distance)
        log_density += np.log(inner * (outer / (inner + outer)))
        return np.asarray(log_density - np.log(distance) - np.log1p(-distance))

    def log_smooth(self, distance: Floats) -> Floats:
        """The logarithm of the density without d^{inner − 1}."""
        return np.asarray(xlog1py(self.outer - 1, -distance) - betaln(self.inner, self.outer))


@dataclass(frozen=True)
class _GammaWeight:
    """t^inner d^{inner − 1} e^{−td} / Γ(inner); d^{inner − 1} times a constant where t = 0."""

    inner: float
    t: float
    end: float
    """The end of the range."""

    def panel_scale(self, distance: Floats) -> Floats:
        return np.sqrt(distance)

    def log_density(self, distance: Floats) -> Floats:
        if self.t == 0:
            excess = (self.inner - 1.0) * np.log(self.end) - _LARGEST_LOG_DENSITY
            return np.asarray(xlogy(self.inner - 1.0, distance) - max(excess, 0.0))
        # The saddle-point form: inner/d times a Poisson probability.
        return log_poisson(self.inner, self.t * distance) + np.log(self.inner / distance)

    def log_smooth(self, distance: Floats) -> Floats:
        if self.t == 0:
            return np.zeros_like(distance)
        return xlogy(self.inner, self.t) - self.t * distance - gammaln(self.inner)


def _panel_rules(
    edges: Floats, weight: _BetaWeight | _GammaWeight, scale: float
) -> tuple[Floats, Floats]:
    """Nodes, as distances from the end, and weights, of all panels."""
    left, right = edges[:-1], edges[1:]
    width = (weight.panel_scale(right) - weight.panel_scale(left)) / scale
    singular = (left == 0) & _is_singular(weight.inner)
    if _is_singular(weight.inner):
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


def _is_singular(exponent: float) -> bool:
    """Whether p^{exponent − 1} is not smooth enough at 0 for a Legendre rule."""
    return exponent != 1 and exponent < _SMOOTH_POWER


def _end_rule(length: float, weight: _BetaWeight | _GammaWeight) -> tuple[Floats, Floats]:
    """Nodes, as distances from a singular end, and weights of the panel next to that end.

    They are those of ∫_0^1 g(x) x^{a − 1} dx for the exponent a of the weight. For an a near 0
    nearly all of the weight lies at 0, and an error in the place of a first node above 0 would
    count 1/a times. A first node at 0 is used then: g(0)/a + ∫ (g(x) − g(0))/x · x^a dx.
    """
    exponent, is_nearly_atom = weight.inner, weight.inner < _NEARLY_ATOM
    # The weight of the shifted Jacobi polynomials G(a, a; x) on [0, 1] is x^{a−1}.
    order = exponent + 1.0 if is_nearly_atom else exponent
    x, w = roots_sh_jacobi(_NODES[-1][1], order, order)
    if is_nearly_atom:
        first = 1.0 / exponent - (w / x).sum()
        x, w = np.concatenate(([0.0], x)), np.concatenate(([first], w / x))
    # A node is no end of the range: limits there cover it.
    distance = np.maximum(length * x, np.nextafter(0.0, 1.0))
    return distance, w * np.exp(xlogy(weight.inner, length) + weight.log_smooth(distance))


def _geometric_mesh(reach: float, distances: Floats) -> Floats:
    """A geometric mesh from ``reach`` down to below the smallest distance."""
    smallest = max(min(reach, distances.min(initial=reach)), _SMALLEST_DISTANCE)
    steps = int(np.ceil(np.log(reach / smallest) / np.log(_GRADING))) + 1
    return np.asarray(reach * _GRADING ** -np.arange(steps, dtype=np.float64))


_INVERSIONS = 5


@dataclass(frozen=True)
class Nodes(Rows):
    """The nodes and weights of m integrals in flat arrays, one integral after the other."""

    owner: Positions
    """The index of the integral that each node belongs to."""
    start: Positions
    """The position of the first node of each integral, shape (m,)."""
    x: Floats
    weight: Floats

    def at(self, index: Index | slice) -> Nodes:
        """Return the nodes and weights of the integrals ``index``."""
        count = np.diff(self.start, append=self.owner.size)[index]
        owner = np.repeat(np.arange(count.size), count)
        start = np.cumsum(count) - count
        kept = np.arange(owner.size) + (self.start[index] - start)[owner]
        return Nodes(owner, start, self.x[kept], self.weight[kept])

    def sums(self, values: Floats) -> Floats:
        """Return Σ weight · value of each integral, shape (m,)."""
        return np.add.reduceat(values * self.weight, self.start)


@dataclass(frozen=True)
class Axis:
    """x as a function of y, rising, with slope ``even + left + right`` at the centre."""

    centre: Floats
    even: Floats
    left: Floats
    right: Floats

    def nodes(self, low: Floats, high: Floats, step: Floats) -> Nodes:
        """Return nodes that cover about [low, high], ``step`` apart in x at the centre.

        All arguments have shape (m,).
        """
        unit = self.even + self.left + self.right
        first = -_inverse(self.centre - low, self.even, self.left, self.right)
        last = _inverse(high - self.centre, self.even, self.right, self.left)
        count = np.ceil((last - first) * unit / step).astype(np.intp) + 1
        distance = (last - first) / np.maximum(count - 1, 1)
        owner = np.repeat(np.arange(count.size), count)
        start = np.cumsum(count) - count
        y = first[owner] + distance[owner] * (np.arange(owner.size) - start[owner])
        up = np.exp(y)
        even, left, right = self.even[owner], self.left[owner], self.right[owner]
        x = self.centre[owner] + even * y + left * (1.0 - 1.0 / up) + right * (up - 1.0)
        return Nodes(owner, start, x, distance[owner] * (even + left / up + right * up))


def _inverse(reach: Floats, even: Floats, ahead: Floats, behind: Floats) -> Floats:
    """An approximate root y > 0 of even·y + ahead (e^y − 1) + behind (1 − e^{−y}) = reach."""
    with np.errstate(divide="ignore"):
        y = np.minimum(np.log1p(reach / ahead), reach / (even + ahead + behind))
    for _ in range(_INVERSIONS):
        up = np.exp(y)
        value = even * y + ahead * (up - 1.0) + behind * (1.0 - 1.0 / up)
        y = y - (value - reach) / (even + ahead * up + behind / up)
    return y
