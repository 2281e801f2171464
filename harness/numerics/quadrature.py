"""Gauss quadrature against a Beta weight, over panels short on the integrand's own scale."""

from __future__ import annotations

import numpy as np
from scipy.special import betaln, roots_legendre, roots_sh_jacobi, xlog1py, xlogy

from harness.numerics.arrays import Floats
from harness.numerics.deviance import log_binomial

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
    edges = np.unique(np.concatenate((breaks, _mesh(breaks, s, t, scale))))
    middle = int(np.searchsorted(edges, 0.5))
    parts = []
    if middle > 0:
        parts.append(_measured_from_end(edges[: middle + 1], s, t, scale))
    if middle < edges.size - 1:
        # Beyond the middle distances to 1 are exact, and so is the weight next to it.
        start = middle if middle > 0 else 0
        distance, weight = _measured_from_end((1.0 - edges[start:])[::-1], t, s, scale)
        parts.append((1.0 - distance, weight))
    node = np.concatenate([node for node, _ in parts])
    weight = np.concatenate([weight for _, weight in parts])
    order = np.argsort(node, kind="stable")
    return node[order], weight[order]


def _measured_from_end(
    edges: Floats, inner: float, outer: float, scale: float
) -> tuple[Floats, Floats]:
    """Distances from the end with the exponent ``inner``, and weights, panel by panel."""
    left, right = edges[:-1], edges[1:]
    width = (np.arcsin(np.sqrt(right)) - np.arcsin(np.sqrt(left))) / scale
    singular = (left == 0) & _bends(inner)
    if _bends(inner):
        with np.errstate(divide="ignore"):
            width = np.maximum(width, np.log(right / left))
    nodes, weights = [], []
    smallest = -1.0
    for largest, count in _NODES:
        panel = (width > smallest) & (width <= largest) & ~singular
        x, w = roots_legendre(count)
        length = (right - left)[panel, np.newaxis]
        distance = left[panel, np.newaxis] + length * (0.5 + 0.5 * x)
        log_density = _log_density(distance, inner, outer)
        nodes.append(distance.ravel())
        weights.append((np.exp(log_density) * length * (0.5 * w)).ravel())
        smallest = largest
    if singular.any():
        distance, weight = _end_rule(float(right[0]), inner, outer)
        nodes.append(distance)
        weights.append(weight)
    return np.concatenate(nodes), np.concatenate(weights)


def _log_density(distance: Floats, inner: float, outer: float) -> Floats:
    """log[d^{inner − 1} (1 − d)^{outer − 1} / B(inner, outer)]."""
    if inner + outer < _LARGE_EXPONENTS:
        power = xlogy(inner - 1, distance) + xlog1py(outer - 1, -distance)
        return np.asarray(power - betaln(inner, outer))
    # By the saddle-point form: the Beta function alone costs digits for large exponents.
    log_density = log_binomial(inner, outer, distance, 1.0 - distance)
    log_density += np.log(inner * (outer / (inner + outer)))
    return np.asarray(log_density - np.log(distance) - np.log1p(-distance))


def _bends(exponent: float) -> bool:
    """Whether p^{exponent − 1} is too rough at 0 for the Legendre rules."""
    return exponent != 1 and exponent < _SMOOTH_POWER


def _end_rule(length: float, inner: float, outer: float) -> tuple[Floats, Floats]:
    """Distances from a singular end and weights, for the panel of that length at the end."""
    # The weight of the shifted Jacobi polynomials G(a, a; x) on [0, 1] is x^{a−1}.
    x, w = roots_sh_jacobi(_NODES[-1][1], inner, inner)
    distance = length * x
    log_scale = xlogy(inner, length) + xlog1py(outer - 1, -distance) - betaln(inner, outer)
    return distance, w * np.exp(log_scale)


def _mesh(breaks: Floats, s: float, t: float, scale: float) -> Floats:
    """Points one scale apart in arcsin √p, and graded towards the ends where the weight bends."""
    low, high = np.arcsin(np.sqrt(breaks[[0, -1]]))
    count = max(int(np.ceil((high - low) / scale)), 1)
    even = np.sin(np.linspace(low, high, count + 1)[1:-1]) ** 2
    parts = [even]
    inner = breaks[(breaks > 0) & (breaks < 1)]
    reach = min(np.sin(scale) ** 2, 0.5)
    if _bends(s) and breaks[0] == 0:
        parts.append(_graded(reach, inner))
    if _bends(t) and breaks[-1] == 1:
        parts.append(1.0 - _graded(reach, 1.0 - inner))
    return np.concatenate(parts)


def _graded(reach: float, distances: Floats) -> Floats:
    """A geometric mesh from ``reach`` down to below the smallest distance of a break."""
    smallest = max(min(reach, distances.min(initial=reach)), _SMALLEST_DISTANCE)
    steps = int(np.ceil(np.log(reach / smallest) / np.log(_GRADING))) + 1
    return np.asarray(reach * _GRADING ** -np.arange(steps, dtype=np.float64))
