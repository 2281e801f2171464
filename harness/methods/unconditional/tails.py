"""The largest probability of a set of outcomes over the nuisance parameter.

Proportions and counts are those seen from an end of the range of the difference δ. From −1, u is p₁
and w is 1 − p₂, i is x₁ and j is n₂ − x₂; from 1, u is 1 − p₁, w is p₂, i is n₁ − x₁ and j is x₂.
So i and j are binomial with the proportions u and w, which add up to the distance ε of δ from
that end.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import gammaln

from harness.base.numerics.arrays import Bools, Floats, Integers, Rows

# No supremum is as large as this multiple of the largest value at the nodes.
_GAIN = 1.25
# Nodes of the grid, and per root of n₁ + n₂.
_NODES, _NODES_PER_ROOT = 24, 8
# Candidates that are refined, and Newton steps for each.
_CANDIDATES, _STEPS = 3, 7
# Numbers of an array at once.
_BLOCK = 1 << 20
# How many sizes' binomial coefficients are kept.
_COEFFICIENTS = 512
# Stands for log 0, and times a count is finite.
_LOG_ZERO = -1e5
# The step, relative to ε, at which a maximum is good to the third power of it.
_CLOSE = 1e-5


@dataclass(frozen=True)
class OutcomeSets(Rows):
    """m sets of outcomes (i, j), each of at most two parts, with the distances ε of two δ.

    The large part holds the i from ``large`` on, which may have any u ≤ ε, and the small part the i
    up to ``small``, with u − ``width`` in the place of u, but not below 0. ``width`` is 0 where the
    two have one δ.
    """

    n1: int
    n2: int
    distance: Floats
    """ε, shape (m,)."""
    width: Floats
    """Shape (m,)."""
    large: Integers | None
    """The first i of the large part at each j, n₁ + 1 where there is none; shape (m, n₂ + 1)."""
    small: Integers | None
    """The last i of the small part at each j, −1 where there is none; shape (m, n₂ + 1)."""

    def is_at_most(self, level: float) -> Bools:
        """Whether the largest probability is at most ``level``, shape (m,).

        A maximum is refined only where the nodes leave the answer open.
        """
        answer = np.zeros(self.distance.size, dtype=bool)
        for part in self._blocks():
            here = self.at(part)
            nodes, values = here._grid()
            largest = values.max(axis=1)
            is_low = largest <= level
            is_open = np.flatnonzero(is_low & (largest * _GAIN > level))
            if is_open.size:
                suprema, _ = here.at(is_open)._refined(nodes[is_open], values[is_open])
                is_low[is_open] = suprema <= level
            answer[part] = is_low
        return answer

    def supremum(self) -> tuple[Floats, Floats]:
        """The largest probability and its derivative in ε, shape (m,) each.

        Where ε changes, w or u may stay, so that the derivative is the larger one of the two
        partial derivatives; inside the range they are equal.
        """
        value, slope = np.empty((2, self.distance.size))
        for part in self._blocks():
            here = self.at(part)
            nodes, values = here._grid()
            value[part], slope[part] = here._refined(nodes, values)
        return value, slope

    def _blocks(self) -> list[slice]:
        size = max(1, _BLOCK // (nodes_of(self.n1, self.n2) * (max(self.n1, self.n2) + 1)))
        return [slice(k, k + size) for k in range(0, self.distance.size, size)]

    def _grid(self) -> tuple[Floats, Floats]:
        """Values of u and the probabilities there, shape (m, g) each.

        The nodes are those of Chebyshev, (1 − cos)/2 of equal steps: in that angle the standard
        deviation of a proportion is 1/(2√n) everywhere, next to the ends of the range too.
        """
        angles = np.linspace(0.0, np.pi, nodes_of(self.n1, self.n2))
        share = np.sin(0.5 * angles) ** 2
        # Below u = width the small part does not change with u any more.
        start = np.where(self.width < self.distance, self.width, 0.0)[:, np.newaxis]
        nodes = start + (self.distance[:, np.newaxis] - start) * share
        if self.width.any():
            few = start * (np.arange(4) / 4.0)
            nodes = np.concatenate([few, nodes], axis=1)
        return nodes, self.probability(nodes)

    def probability(self, u: Floats) -> Floats:
        """The probability of each set at values of u, shape (m, g)."""
        w = np.maximum(self.distance[:, np.newaxis] - u, 0.0)
        weights = _pmf(self.n2, w)
        total = np.zeros_like(u)
        if self.large is not None:
            total += _sum(weights, _pick(_upper(_pmf(self.n1, u)), self.large))
        if self.small is not None:
            low = np.maximum(u - self.width[:, np.newaxis], 0.0)
            total += _sum(weights, _pick(_lower(_pmf(self.n1, low)), self.small + 1))
        return total

    def _refined(self, nodes: Floats, values: Floats) -> tuple[Floats, Floats]:
        """The largest maximum and its derivative in ε: Newton's method from the best nodes.

        A step outside the neighbours of the node, or towards a minimum, is replaced by a halving
        of the bracket, which shrinks by the sign of the derivative.
        """
        beside = np.full((len(values), values.shape[1] + 2), -1.0)
        beside[:, 1:-1] = values
        is_peak = (values >= beside[:, :-2]) & (values >= beside[:, 2:])
        ranked = np.where(is_peak, values, -1.0)
        chosen = np.argpartition(-ranked, _CANDIDATES - 1, axis=1)[:, :_CANDIDATES]
        last = nodes.shape[1] - 1
        low = np.take_along_axis(nodes, np.maximum(chosen - 1, 0), axis=1)
        high = np.take_along_axis(nodes, np.minimum(chosen + 1, last), axis=1)
        u = np.take_along_axis(nodes, chosen, axis=1)
        best, slope = values.max(axis=1), np.zeros(len(values))
        for _ in range(_STEPS):
            value, first, second, outward = self._derivatives(u)
            low, high = np.where(first > 0, u, low), np.where(first < 0, u, high)
            with np.errstate(divide="ignore", invalid="ignore"):
                proposed = np.where(second < 0, u - first / second, np.inf)
            # A maximum may be an end of the range: a step beyond it stops there.
            inside = (proposed >= low) & (proposed <= high)
            following = np.where(first == 0, u, np.where(inside, proposed, 0.5 * (low + high)))
            near = np.abs(following - u) <= _CLOSE * self.distance[:, np.newaxis]
            # What a last step gains is known without the value there.
            value += np.where(near & inside, 0.5 * first * (following - u), 0.0)
            place = value.argmax(axis=1)[:, np.newaxis]
            top = np.take_along_axis(value, place, axis=1)[:, 0]
            is_best = top >= best
            best = np.where(is_best, top, best)
            slope = np.where(is_best, np.take_along_axis(outward, place, axis=1)[:, 0], slope)
            u = following
            if near.all():
                break
        return best, slope

    def _derivatives(self, u: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """The probability, its first two derivatives in u, and the larger one in ε."""
        w = np.maximum(self.distance[:, np.newaxis] - u, 0.0)
        weight, weight_1, weight_2 = _pmf_derivatives(self.n2, w)
        value, first, second, by_u, by_w = (np.zeros_like(u) for _ in range(5))
        parts = []
        if self.large is not None:
            parts.append((u, np.ones_like(u), self.large, _upper))
        if self.small is not None:
            low = u - self.width[:, np.newaxis]
            moves = np.where((low > 0) | (self.width == 0)[:, np.newaxis], 1.0, 0.0)
            parts.append((np.maximum(low, 0.0), moves, self.small + 1, _lower))
        for point, moves, index, tail in parts:
            tail_0, tail_1, tail_2 = (
                _pick(tail(derivative), index) for derivative in _pmf_derivatives(self.n1, point)
            )
            value += _sum(weight, tail_0)
            along, across = moves * _sum(weight, tail_1), _sum(weight_1, tail_0)
            by_u, by_w = by_u + along, by_w + across
            first += along - across
            second += _sum(weight_2, tail_0) + moves * (
                _sum(weight, tail_2) - 2.0 * _sum(weight_1, tail_1)
            )
        return value, first, second, np.maximum(by_u, by_w)


def nodes_of(n1: int, n2: int) -> int:
    """The number of nodes: their distance is 0.4 standard deviations or less."""
    return _NODES + int(_NODES_PER_ROOT * np.sqrt(n1 + n2))


def _pmf(n: int, p: Floats) -> Floats:
    """Binomial probabilities of 0 … n, along a new last axis."""
    k, log_coefficients = _coefficients(n)
    with np.errstate(divide="ignore"):
        log_p, log_q = np.maximum(np.log(p), _LOG_ZERO), np.maximum(np.log1p(-p), _LOG_ZERO)
    exponent = k * (log_p - log_q)[..., np.newaxis]
    exponent += log_coefficients
    exponent += (n * log_q)[..., np.newaxis]
    return np.asarray(np.exp(exponent, out=exponent))


@lru_cache(_COEFFICIENTS)
def _coefficients(n: int) -> tuple[Floats, Floats]:
    """0 … n, and the logarithms of the binomial coefficients."""
    k = np.arange(n + 1.0)
    return k, gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)


def _pmf_derivatives(n: int, p: Floats) -> tuple[Floats, Floats, Floats]:
    """Binomial probabilities with their first and second derivatives in p."""
    once = _differences(_pmf(n - 1, p))
    twice = _differences(_differences(_pmf(n - 2, p))) if n > 1 else np.zeros_like(once)
    return _pmf(n, p), n * once, n * (n - 1) * twice


def _differences(pmf: Floats) -> Floats:
    """b(k − 1) − b(k), where nothing is beyond either end."""
    change = np.zeros((*pmf.shape[:-1], pmf.shape[-1] + 1))
    change[..., 1:] = pmf
    change[..., :-1] -= pmf
    return change


def _upper(pmf: Floats) -> Floats:
    """Sums from k on, for k = 0 … n + 1."""
    sums = np.zeros((*pmf.shape[:-1], pmf.shape[-1] + 1))
    np.cumsum(pmf[..., ::-1], axis=-1, out=sums[..., -2::-1])
    return sums


def _lower(pmf: Floats) -> Floats:
    """Sums below k, for k = 0 … n + 1."""
    sums = np.zeros((*pmf.shape[:-1], pmf.shape[-1] + 1))
    np.cumsum(pmf, axis=-1, out=sums[..., 1:])
    return sums


def _pick(tails: Floats, index: Integers) -> Floats:
    """The tails at an index for each set and j: shape (m, g, n₂ + 1)."""
    sets, points, count = tails.shape
    start = np.arange(0, sets * points * count, count).reshape(sets, points, 1)
    return tails.ravel()[start + index[:, np.newaxis, :]]


def _sum(weights: Floats, tails: Floats) -> Floats:
    return np.asarray(np.einsum("mgj,mgj->mg", weights, tails))
