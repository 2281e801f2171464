"""The trapezoidal rule for many integrals at once, each with as many nodes as it needs.

The nodes are x = c + k y + l (1 − e^{−y}) + r (e^y − 1) at even steps of y. Near the centre c they
are almost even in x, which is the best rule there is for a bell; an exponential tail costs only
the logarithm of its length, as in the double exponential rules. For an integrand analytic about
the axis the error falls exponentially with the number of nodes (Trefethen and Weideman 2014,
SIAM Review 56, 385).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Floats, Positions

_INVERSIONS = 5


@dataclass(frozen=True)
class Nodes:
    """The nodes and weights of m integrals in flat arrays, one integral after the other."""

    owner: Positions
    """The index of the integral that each node belongs to."""
    start: Positions
    """The position of the first node of each integral, shape (m,)."""
    x: Floats
    weight: Floats

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
