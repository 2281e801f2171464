"""The posterior of a share that a judge reports, integrated over its two error rates.

The notation and the data are those of ``methods.judged``, with u = 1 − sp.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincc, betaln, xlog1py, xlogy

from harness.base.numerics.arrays import Floats, Positions
from harness.base.numerics.root_finding import bracketed_newton
from harness.distributions.truths import Prior
from harness.families.family import Data
from harness.families.judged import rogan_gladen
from harness.methods.method import LOWER, TWO_SIDED, UPPER, LimitPair

JEFFREYS: Prior = (0.5, 0.5)

_NODES = 16
_AT_ONCE = 256
# The residual of the last step, which squares it.
_RESIDUAL, _STEPS = 1e-5, 60
_SMALLEST = 1e-280
_LEAST = 1e-300
# The logarithms of shares, and the least share that a search begins at.
_LOWEST, _FIRST = -600.0, 0.01


def posterior(data: Data, alpha: float, side: str, prior: Prior) -> LimitPair:
    """Equal tails of the posterior of the share, with independent priors of q, se and sp.

        q ~ Beta(x + s, n − x + t),    se ~ Beta(a + s, m₁ − a + t),    sp ~ Beta(b + s, m₀ − b + t)

    given that 1 − sp < se and 1 − sp ≤ q ≤ se, so that the share θ = (q + sp − 1)/(se + sp − 1) is
    in [0, 1]. With u = 1 − sp, θ ≤ t is u ≤ q ≤ (1 − t) u + t se: the probability of one of the
    three between its ends is integrated over the other two by Gauss's rule of their
    Beta distributions. The one is that which the share depends on most.

    The default prior is that of Jeffreys, s = t = ½.

    Args:
        data: x, n, a, m₁, b, m₀, shape (m,) each.
        alpha: in (0, 1).
        side: two-sided, lower or upper.
        prior: s and t, above 0.
    """
    tail = alpha / 2 if side == TWO_SIDED else alpha
    lower, upper = np.zeros(data[0].size), np.ones(data[0].size)
    for start in range(0, data[0].size, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        share = _Share.of(tuple(column[part] for column in data), prior)
        if side != UPPER:
            lower[part] = share.quantile(tail)
        if side != LOWER:
            upper[part] = 1.0 - share.mirrored().quantile(tail)
    # Of a large alpha both are near the median, to the accuracy of the quadrature.
    return lower, np.maximum(lower, upper)


Shapes = tuple[Floats, Floats]
"""Both shapes of a Beta distribution for each outcome, shape (m,) each."""


@dataclass(frozen=True)
class _Share:
    """The posterior of the share at m outcomes, from those of q, se and u."""

    q: Shapes
    se: Shapes
    u: Shapes

    @classmethod
    def of(cls, data: Data, prior: Prior) -> _Share:
        """Return the posterior given x, n, a, m₁, b and m₀."""
        x, n, positives_right, positives, negatives_right, negatives = data
        s, t = prior
        return cls(
            (x + s, n - x + t),
            (positives_right + s, positives - positives_right + t),
            (negatives - negatives_right + t, negatives_right + s),
        )

    def mirrored(self) -> _Share:
        """Return the posterior of 1 − θ: yes and no change places, and so do se and sp."""
        return _Share(self.q[::-1], self.u[::-1], self.se[::-1])

    def quantile(self, tail: float) -> Floats:
        """Return where the posterior has the probability below, shape (m,); 0 where none has it."""
        means, variances = zip(*map(_moments, (self.q, self.se, self.u)), strict=True)
        share = np.clip(rogan_gladen(means[0], means[1], 1.0 - means[2])[0], 0.0, 1.0)
        parts = (variances[0], share**2 * variances[1], (1.0 - share) ** 2 * variances[2])
        widest = np.argmax(np.array(parts), axis=0)
        found = np.zeros(share.size)
        for number, below in enumerate((_by_q, _by_se, _by_u)):
            rows = np.flatnonzero(widest == number)
            if rows.size:
                at = _Share(*((a[rows], b[rows]) for a, b in (self.q, self.se, self.u)))
                found[rows] = _quantile(below(at), share[rows], tail)
        return found


Below = Callable[[Floats, Positions], tuple[Floats, Floats]]
"""The probability of a share in [0, t] before it is divided by that in [0, 1], and its derivative,
at one t for each of some outcomes."""


def _quantile(below: Below, start: Floats, tail: float) -> Floats:
    """The root of log(tail) = log Pr(θ ≤ t) over log t, of which the latter is nearly linear."""
    every = np.arange(start.size)
    whole, _ = below(np.ones_like(start), every)
    # Data that contradict the labels this much leave nothing to integrate.
    known = np.flatnonzero(whole > _SMALLEST)
    aim = np.log(tail * whole[known])

    def left(log_share: Floats, index: Positions) -> tuple[Floats, Floats]:
        share = np.exp(log_share)
        # A derivative that is no number leaves the step to halving.
        with np.errstate(over="ignore", invalid="ignore"):
            mass, density = below(share, known[index])
        mass = np.maximum(mass, _LEAST)
        return aim[index] - np.log(mass), -share * density / mass

    lowest, first = np.full(known.size, _LOWEST), np.log(np.clip(start[known], _FIRST, 1.0))
    roots, _ = bracketed_newton(left, lowest, np.zeros(known.size), first, _RESIDUAL, _STEPS)
    found = np.zeros_like(start)
    found[known] = np.exp(roots)
    return found


def _by_q(share: _Share) -> Below:
    """E[F_q(u + t(se − u)) − F_q(u)] over se > u; by 1 − F_q where q is below u on average."""
    (se, u), weight = _rule_of_two(share.se, share.u)
    a, b = (shape[:, np.newaxis] for shape in share.q)
    weight = np.where(se > u, weight, 0.0)
    is_low = (_moments(share.q)[0] < _moments(share.u)[0])[:, np.newaxis]
    first, second = np.where(is_low, b, a), np.where(is_low, a, b)
    start = betainc(first, second, np.where(is_low, 1.0 - u, u))

    def below(t: Floats, index: Positions) -> tuple[Floats, Floats]:
        gap = se[index] - u[index]
        end = np.clip(u[index] + t[:, np.newaxis] * gap, 0.0, 1.0)
        reached = np.where(is_low[index], 1.0 - end, end)
        mass = np.abs(betainc(first[index], second[index], reached) - start[index])
        density = _density(a[index], b[index], end) * gap
        return (weight[index] * mass).sum(axis=1), (weight[index] * density).sum(axis=1)

    return below


def _by_se(share: _Share) -> Below:
    """E[1 − F_se(u + (q − u)/t)] over u ≤ q."""
    (q, u), weight = _rule_of_two(share.q, share.u)
    a, b = (shape[:, np.newaxis] for shape in share.se)
    weight = np.where(q >= u, weight, 0.0)

    def below(t: Floats, index: Positions) -> tuple[Floats, Floats]:
        gap, at = q[index] - u[index], t[:, np.newaxis]
        with np.errstate(divide="ignore", invalid="ignore"):
            start = np.clip(np.nan_to_num(u[index] + gap / at, nan=1.0), 0.0, 1.0)
            steep = np.where((start < 1.0) & (at > 0), gap / at**2, 0.0)
        density = _density(a[index], b[index], start) * steep
        mass = betaincc(a[index], b[index], start)
        return (weight[index] * mass).sum(axis=1), (weight[index] * density).sum(axis=1)

    return below


def _by_u(share: _Share) -> Below:
    """E[F_u(q) − F_u((q − t se)/(1 − t))] over q ≤ se."""
    (q, se), weight = _rule_of_two(share.q, share.se)
    a, b = (shape[:, np.newaxis] for shape in share.u)
    weight = np.where(se >= q, weight, 0.0)
    end = betainc(a, b, q)

    def below(t: Floats, index: Positions) -> tuple[Floats, Floats]:
        gap, rest = se[index] - q[index], 1.0 - t[:, np.newaxis]
        with np.errstate(divide="ignore", invalid="ignore"):
            start = np.clip(np.nan_to_num(se[index] - gap / rest, nan=0.0), 0.0, 1.0)
            steep = np.where((start > 0) & (rest > 0), gap / rest**2, 0.0)
        density = _density(a[index], b[index], start) * steep
        mass = end[index] - betainc(a[index], b[index], start)
        return (weight[index] * mass).sum(axis=1), (weight[index] * density).sum(axis=1)

    return below


def _moments(shapes: Shapes) -> tuple[Floats, Floats]:
    a, b = shapes
    mean = a / (a + b)
    return mean, mean * (1.0 - mean) / (a + b + 1.0)


def _density(a: Floats, b: Floats, p: Floats) -> Floats:
    inside = np.clip(p, 1e-300, 1.0 - 2.0**-53)
    return np.exp(xlogy(a - 1.0, inside) + xlog1py(b - 1.0, -inside) - betaln(a, b))


def _rule_of_two(first: Shapes, second: Shapes) -> tuple[tuple[Floats, Floats], Floats]:
    """Return the nodes of two Beta distributions and their weights, shape (m, nodes²) each."""
    (x, of_x), (y, of_y) = _gauss_rules(first), _gauss_rules(second)
    shape = x.shape[0], -1
    grids = np.broadcast_arrays(x[:, :, np.newaxis], y[:, np.newaxis, :])
    weight = of_x[:, :, np.newaxis] * of_y[:, np.newaxis, :]
    return (grids[0].reshape(shape), grids[1].reshape(shape)), weight.reshape(shape)


def _gauss_rules(shapes: Shapes) -> tuple[Floats, Floats]:
    """Return Gauss's nodes of Beta distributions in (0, 1) and their weights, shape (m, nodes).

    They are eigenvalues of the Jacobi polynomials' recurrence, and squares of the first elements of
    its eigenvectors (Golub and Welsch 1969, Math. Comput. 23, 221–230).
    """
    pairs, place = np.unique(np.array(shapes).T, axis=0, return_inverse=True)
    a, b = (column[:, np.newaxis] for column in pairs.T)
    k = np.arange(1.0, _NODES)
    total = a + b - 2.0
    centers = np.concatenate(
        [
            a / (a + b),
            0.5 + 0.5 * (a - b) * total / ((2.0 * k + total) * (2.0 * k + total + 2.0)),
        ],
        axis=1,
    )
    # (k + total)/(2k + total − 1) is 1 at k = 1, whatever the shapes are.
    ratio = np.ones((a.size, k.size))
    ratio[:, 1:] = (k[1:] + total) / (2.0 * k[1:] + total - 1.0)
    squares = k * (k + a - 1.0) * (k + b - 1.0) * ratio
    squares /= (2.0 * k + total) ** 2 * (2.0 * k + total + 1.0)
    matrix = np.zeros((a.size, _NODES, _NODES))
    diagonal = np.arange(_NODES)
    matrix[:, diagonal, diagonal] = centers
    matrix[:, diagonal[1:], diagonal[:-1]] = np.sqrt(squares)
    nodes, vectors = np.linalg.eigh(matrix)
    return np.clip(nodes, 0.0, 1.0)[place.ravel()], (vectors[:, 0, :] ** 2)[place.ravel()]
