"""The posterior of a share that a judge reports, integrated over its two error rates.

The notation and the data are those of ``methods.judged``, with u = 1 − sp.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaln, xlogy

from harness.base.numerics.arrays import Floats, Positions, Rows
from harness.base.numerics.root_finding import bracketed_newton
from harness.distributions.truths import Prior
from harness.families.family import Data
from harness.methods.method import LOWER, TWO_SIDED, UPPER, LimitPair

JEFFREYS: Prior = (0.5, 0.5)

_AT_ONCE = 64
# What the logarithm of a density falls by where it is left out, and the least angle of such an end.
_FALL, _NEAR = 27.0, 0.02
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
    three between its ends is integrated over the other two, by Legendre's rule of their angles
    arcsin √p between the ends. The one is that which the share depends on most.

    The default prior is that of Jeffreys, s = t = ½. Limits are right to 1e-5 where s and t are at
    least ½, and mostly to 1e-8. The density of an angle is infinite at an end where they are less:
    there limits may be off by 5e-4.

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


@dataclass(frozen=True)
class _Angle(Rows):
    """A rate p = sin² φ of the law Beta(a, b) at m outcomes, and the range of φ to integrate."""

    a: Floats
    b: Floats
    mode: Floats
    low: Floats
    high: Floats

    def mirrored(self) -> _Angle:
        """Return the angle of 1 − p."""
        right = np.pi / 2
        return _Angle(self.b, self.a, right - self.mode, right - self.high, right - self.low)

    def weight(self, angle: Floats) -> Floats:
        """Return the density at angles of shape (m, …), divided by that at the mode."""
        shape = (-1,) + (1,) * (angle.ndim - 1)
        sines, cosines = 2.0 * self.a - 1.0, 2.0 * self.b - 1.0
        top = xlogy(sines, np.sin(self.mode)) + xlogy(cosines, np.cos(self.mode))
        logarithm = sines.reshape(shape) * np.log(np.sin(angle))
        logarithm += cosines.reshape(shape) * np.log(np.cos(angle))
        return np.exp(logarithm - top.reshape(shape))


_Rule = tuple[Floats, Floats]
"""Nodes in [0, 1] and their weights."""
_Rules = tuple[_Rule, _Rule, _Rule]
"""That of both panels of the outer angle, that of the inner angle, and that in ``_by_q``."""
Below = Callable[[Floats, Positions], tuple[Floats, Floats]]
"""The probability of a share in [0, t] before it is divided by that in [0, 1], and its derivative,
at one t for each of some outcomes."""


@dataclass(frozen=True)
class _Share(Rows):
    """The posterior of the share at m outcomes, from those of u, q and se."""

    u: _Angle
    q: _Angle
    se: _Angle

    @classmethod
    def of(cls, data: Data, prior: Prior) -> _Share:
        """Return the posterior given x, n, a, m₁, b and m₀."""
        x, n, positives_right, positives, negatives_right, negatives = data
        s, t = prior
        a = np.array([negatives - negatives_right + t, x + s, positives_right + s])
        b = np.array([negatives_right + s, n - x + t, positives - positives_right + t])
        yes, no = np.maximum(a - 0.5, 1e-3), np.maximum(b - 0.5, 1e-3)
        size = yes + no
        # The mode of the angles in the order u ≤ q ≤ se, by means over neighbours.
        mean = {
            (i, k): yes[i : k + 1].sum(axis=0) / size[i : k + 1].sum(axis=0)
            for i in range(3)
            for k in range(i, 3)
        }
        angles = []
        for j in range(3):
            least = [np.min([mean[i, k] for k in range(j, 3)], axis=0) for i in range(j + 1)]
            mode = np.max(least, axis=0)
            low, high = _least(mode, size[j]), np.pi / 2 - _least(1.0 - mode, size[j])
            angles.append(_Angle(a[j], b[j], _angle(mode), low, high))
        return cls(*angles)

    def mirrored(self) -> _Share:
        """Return the posterior of 1 − θ: yes and no change places, and so do se and sp."""
        return _Share(self.se.mirrored(), self.q.mirrored(), self.u.mirrored())

    def quantile(self, tail: float) -> Floats:
        """Return where the posterior has the probability below, shape (m,); 0 where none has it."""
        rates = (self.u, self.q, self.se)
        variances = [_moments(rate)[1] for rate in rates]
        low, middle, high = (np.sin(rate.mode) ** 2 for rate in rates)
        share = np.divide(middle - low, high - low, out=np.full_like(low, 0.5), where=high > low)
        parts = ((1.0 - share) ** 2 * variances[0], variances[1], share**2 * variances[2])
        widest = np.argmax(np.array(parts), axis=0)
        u, q, se = (rate.a + rate.b for rate in (self.u, self.q, self.se))
        is_mirrored = np.where(widest == 1, u > se, widest == 0)
        other = np.where(is_mirrored, se, u)
        form = np.where(widest == 1, 0, np.where(q < other, 1, 2))
        quantiles = np.zeros(share.size)
        for number, below_of in enumerate((_by_q, _by_se_over_u, _by_se_over_q)):
            for mirror in (False, True):
                rows = np.flatnonzero((form == number) & (is_mirrored == mirror))
                if rows.size:
                    part = self.at(rows)
                    near = np.clip(share[rows], _FIRST, 1.0)
                    # A rough limit leaves few steps to be made with every node.
                    for rules in (_ROUGH, _FINE):
                        below = below_of(part.mirrored() if mirror else part, rules)
                        below = _complement(below, rows.size) if mirror else below
                        near = _quantile(below, near, tail)
                    quantiles[rows] = near
        return quantiles


def _complement(below: Below, size: int) -> Below:
    """The probability of a share in [0, t] by that of the mirrored one in [0, 1 − t]."""
    whole, _ = below(np.ones(size), np.arange(size))

    def above(t: Floats, index: Positions) -> tuple[Floats, Floats]:
        mass, density = below(1.0 - t, index)
        return whole[index] - mass, density

    return above


def _quantile(below: Below, start: Floats, tail: float) -> Floats:
    """The root of log(tail) = log Pr(θ ≤ t) over log t, of which the latter is nearly linear."""
    every = np.arange(start.size)
    whole, _ = below(np.ones_like(start), every)
    # Data that contradict the labels this much leave nothing to integrate.
    possible = np.flatnonzero(whole > _SMALLEST)
    aim = np.log(tail * whole[possible])

    def left(log_share: Floats, index: Positions) -> tuple[Floats, Floats]:
        share = np.exp(log_share)
        # A derivative that is no number leaves the step to halving.
        with np.errstate(over="ignore", invalid="ignore"):
            mass, density = below(share, possible[index])
        mass = np.maximum(mass, _LEAST)
        return aim[index] - np.log(mass), -share * density / mass

    lowest, first = np.full(possible.size, _LOWEST), np.log(np.maximum(start[possible], _LEAST))
    roots, _ = bracketed_newton(left, lowest, np.zeros(possible.size), first, _RESIDUAL, _STEPS)
    quantiles = np.zeros_like(start)
    quantiles[possible] = np.exp(roots)
    return quantiles


def _by_q(share: _Share, rules: _Rules) -> Below:
    """E[F_q(u + t(se − u)) − F_q(u)] over se > u; by 1 − F_q where q is below u on average."""
    low, high = np.maximum(share.u.low, share.q.low), share.q.high[:, np.newaxis]
    outer, of_outer = _outer(share.se, low, low, rules[0])
    # F_q rises in a part of the range of u, if labels are few.
    inner, of_inner = _inner(share.u, np.zeros_like(outer), np.minimum(outer, high), rules[2])
    weight = of_outer[:, :, np.newaxis] * of_inner
    se, u = np.sin(outer)[:, :, np.newaxis] ** 2, np.sin(inner) ** 2
    a, b = (shape[:, np.newaxis, np.newaxis] for shape in (share.q.a, share.q.b))
    is_low = (_moments(share.q)[0] < _moments(share.u)[0])[:, np.newaxis, np.newaxis]
    first, second = np.where(is_low, b, a), np.where(is_low, a, b)
    start = betainc(first, second, np.where(is_low, 1.0 - u, u))

    def below(t: Floats, index: Positions) -> tuple[Floats, Floats]:
        gap = se[index] - u[index]
        end = np.clip(u[index] + t[:, np.newaxis, np.newaxis] * gap, 0.0, 1.0)
        reached = np.where(is_low[index], 1.0 - end, end)
        mass = np.abs(betainc(first[index], second[index], reached) - start[index])
        density = _density(a[index], b[index], end) * gap
        return (weight[index] * mass).sum(axis=(1, 2)), (weight[index] * density).sum(axis=(1, 2))

    return below


def _by_se_over_u(share: _Share, rules: _Rules) -> Below:
    """E[1 − F_se(u + (q − u)/t)] over q from u to u + t(1 − u), and then over u."""

    def below(t: Floats, index: Positions) -> tuple[Floats, Floats]:
        part = share.at(index)
        outer, of_outer = _outer(part.u, part.u.low, part.u.low, rules[0])
        u = np.sin(outer) ** 2
        inner, of_inner = _inner(part.q, outer, _angle(u + t[:, np.newaxis] * (1.0 - u)), rules[1])
        weight = of_outer[:, :, np.newaxis] * of_inner
        return _se_above(part.se, np.sin(inner) ** 2, u[:, :, np.newaxis], t, weight)

    return below


def _by_se_over_q(share: _Share, rules: _Rules) -> Below:
    """E[1 − F_se(u + (q − u)/t)] over u from (q − t)/(1 − t) to q, and then over q."""

    def below(t: Floats, index: Positions) -> tuple[Floats, Floats]:
        part, at = share.at(index), t[:, np.newaxis]
        # Near this q the least u comes to the mode of u.
        bend = _angle(t + (1.0 - t) * np.sin(part.u.mode) ** 2)
        outer, of_outer = _outer(part.q, part.u.low, bend, rules[0])
        q = np.sin(outer) ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            least = np.where(at < 1.0, np.maximum(q - at, 0.0) / (1.0 - at), 0.0)
        inner, of_inner = _inner(part.u, _angle(least), outer, rules[1])
        weight = of_outer[:, :, np.newaxis] * of_inner
        return _se_above(part.se, q[:, :, np.newaxis], np.sin(inner) ** 2, t, weight)

    return below


def _se_above(se: _Angle, q: Floats, u: Floats, t: Floats, weight: Floats) -> tuple[Floats, Floats]:
    a, b = (shape[:, np.newaxis, np.newaxis] for shape in (se.a, se.b))
    gap, at = q - u, t[:, np.newaxis, np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        start = np.clip(np.nan_to_num(u + gap / at, nan=1.0), 0.0, 1.0)
        steep = np.where((start < 1.0) & (at > 0), gap / at**2, 0.0)
    density = _density(a, b, start) * steep
    mass = betainc(b, a, 1.0 - start)
    return (weight * mass).sum(axis=(1, 2)), (weight * density).sum(axis=(1, 2))


def _moments(beta: _Angle) -> tuple[Floats, Floats]:
    mean = beta.a / (beta.a + beta.b)
    return mean, mean * (1.0 - mean) / (beta.a + beta.b + 1.0)


def _density(a: Floats, b: Floats, p: Floats) -> Floats:
    """The density for Newton's steps, which need few digits of it."""
    inside = np.clip(p, 1e-300, 1.0 - 2.0**-53)
    return np.exp((a - 1.0) * np.log(inside) + (b - 1.0) * np.log(1.0 - inside) - betaln(a, b))


def _angle(p: Floats) -> Floats:
    return np.asarray(np.arcsin(np.sqrt(np.clip(p, 0.0, 1.0))))


def _least(p: Floats, size: Floats) -> Floats:
    """The angle below that of p at which p^(Np) (1 − p)^(N − Np) has fallen enough, or 0.

    Newton's method comes from outside, as that logarithm is concave in the angle.
    """
    angle = np.maximum(_angle(p) - np.sqrt(_FALL / size), _NEAR)
    for _ in range(4):
        sine, cosine = np.sin(angle), np.cos(angle)
        fall = xlogy(p, p / sine**2) + xlogy(1.0 - p, (1.0 - p) / cosine**2)
        slope = 2.0 * (p - sine**2) / (sine * cosine)
        step = np.maximum(fall - _FALL / size, 0.0)
        angle = angle + np.divide(step, slope, out=np.zeros_like(p), where=slope > 0)
    return np.where(angle > _NEAR, angle, 0.0)


def _rules(panel: int, inner: int, of_q: int) -> _Rules:
    """Legendre's rules of v, in sin(πv/2) or sin²(πv/2): a root is smooth in v at 1 or at both."""
    angles, weights = [], []
    for nodes in (panel, inner, of_q):
        x, weight = np.polynomial.legendre.leggauss(nodes)
        angles.append(np.pi / 4 * (x + 1.0))
        weights.append(np.pi / 4 * weight)
    first = np.sin(angles[0]), weights[0] * np.cos(angles[0])
    second, third = (
        (np.sin(v) ** 2, weight * np.sin(2.0 * v))
        for v, weight in zip(angles[1:], weights[1:], strict=True)
    )
    return first, second, third


_ROUGH, _FINE = _rules(8, 12, 16), _rules(24, 36, 52)


def _outer(beta: _Angle, least: Floats, split: Floats, rule: _Rule) -> tuple[Floats, Floats]:
    """Return angles in the panels at both sides of a split and their weights, shape (m, nodes)."""
    low = np.minimum(np.maximum(beta.low, least), beta.high)
    inside = (split > low) & (split < beta.high)
    middle = np.where(inside, split, 0.5 * (low + beta.high))
    nodes, weights = rule
    below, above = middle - low, beta.high - middle
    angle = np.concatenate(
        [
            low[:, np.newaxis] + np.outer(below, nodes),
            beta.high[:, np.newaxis] - np.outer(above, nodes),
        ],
        axis=1,
    )
    weight = np.concatenate([np.outer(below, weights), np.outer(above, weights)], axis=1)
    return angle, weight * beta.weight(angle)


def _inner(beta: _Angle, low: Floats, high: Floats, rule: _Rule) -> tuple[Floats, Floats]:
    """Return angles between ends of shape (m, k) and their weights, shape (m, k, nodes) each."""
    nodes, weights = rule
    low = np.maximum(low, beta.low[:, np.newaxis])
    width = np.maximum(np.minimum(high, beta.high[:, np.newaxis]) - low, 0.0)[:, :, np.newaxis]
    angle = low[:, :, np.newaxis] + width * nodes
    # An empty range may lie outside of the quarter.
    return angle, width * weights * beta.weight(angle)
