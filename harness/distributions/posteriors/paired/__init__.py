"""The posterior of p₁ − p₂ = p₁₀ − p₀₁ from paired data under a Dirichlet prior.

The outcomes of the two binary responses of a case are both, first only, second only and neither.
With a Dirichlet(a₁₁, a₁₀, a₀₁, a₀₀) prior and the counts b of first only and c of second only among
n cases, the cells (p₁₀, p₀₁, 1 − p₁₀ − p₀₁) are Dirichlet(u, v, r) with u = b + a₁₀, v = c + a₀₁
and r = n − b − c + a₁₁ + a₀₀. With independent S ~ Beta(u + v, r) and B ~ Beta(u, v) the difference
is S(2B − 1).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import betainc, betaln

from harness.base.numerics.arrays import Bools, Floats, Index, Positions
from harness.base.numerics.points import SignedLogitPoints, UnitPoints
from harness.base.numerics.root_finding import approximate_roots
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.difference import ProportionDifference
from harness.distributions.posteriors.difference.posterior import find_mode
from harness.distributions.posteriors.paired.integrals import PairedBlock, PairedIntegrals
from harness.distributions.posteriors.paired.saddle_point import SaddlePointBlock
from harness.distributions.truths import Prior

FLAT_PRIOR: Prior = (1.0, 1.0, 1.0, 1.0)

# Quantiles of the cells bound those of the difference; rounding may move them by less.
_OUTWARD = 1e-9
_FARTHEST = 690.0
# Where a standard deviation is a smaller part of the distance to the boundary, no limit is next to
# the boundary, and a half-width keeps more digits than a distance to the boundary.
_NARROW = 0.05
# The step from the mode of a saddle point, in deviations, in which the sign of the slope changes.
_FROM_MODE = 0.02
# Below it a saddle point is a poor start.
_LEAST_POWER = 0.5


def paired_difference_posterior(data: tuple[Floats, ...], prior: Prior) -> PairedDifference:
    """Return the posterior of p₁ − p₂ for each outcome.

    At 0 of 30 discordant pairs the equal tails of 0.05 end at ± 0.087 under the flat prior
    (1, 1, 1, 1), and at ± 0.067 under (½, ½, ½, ½).

    Args:
        data: the counts (both, first_only, second_only, neither), shape (m,) each, of at least one
            case.
        prior: (a₁₁, a₁₀, a₀₁, a₀₀), in the order of the data, each at least 0.01.

    >>> counts = tuple(np.array([count]) for count in (12.0, 0.0, 0.0, 18.0))
    >>> paired_difference_posterior(counts, FLAT_PRIOR).isf(0.025).value.round(3)
    array([0.087])
    >>> paired_difference_posterior(counts, (0.5, 0.5, 0.5, 0.5)).isf(0.025).value.round(3)
    array([0.067])
    """
    both, first_only, second_only, neither = data
    a11, a10, a01, a00 = prior
    u, v, r = first_only + a10, second_only + a01, (both + neither) + (a11 + a00)
    others1, others2 = both + second_only + neither, both + first_only + neither
    n = first_only + others1
    return PairedDifference(
        Beta(u, v + r, UnitPoints(first_only / n, others1 / n)),
        Beta(v, u + r, UnitPoints(second_only / n, others2 / n)),
        is_mean=False,
        same=r,
    )


@dataclass(frozen=True, kw_only=True)
class PairedDifference(ProportionDifference):
    """The distribution of p₁₀ − p₀₁, where (p₁₀, p₀₁, 1 − p₁₀ − p₀₁) are Dirichlet(u, v, r).

    ``first`` and ``second`` are the distributions of p₁₀ and p₀₁, which are not independent. The
    coordinate is log((1 + d)/(1 − d)).

    With one case or more the density has a single peak, which may be a kink (u = v = 1), a cusp
    (1 < u + v < 2) or a pole (u + v ≤ 1) at 0, or a pole at an end of the range (v + r < 1 or
    u + r < 1). Next to 0 it changes like |d|^{u + v − 1}, next to 1 like (1 − d)^{v + r − 1}.
    """

    same: Floats
    """The power r, shape (m,)."""
    is_approximate: bool = False
    """Whether tails and densities are those of a saddle point, not of the quadrature."""

    def at(self, index: Index | slice) -> Self:
        return replace(super().at(index), same=self.same[index])

    @property
    def _powers(self) -> tuple[Floats, Floats, Floats]:
        first, second = self._betas()
        return first.a, second.a, self.same

    @property
    def _difference(self) -> PairedIntegrals:
        block = SaddlePointBlock if self.is_approximate else PairedBlock
        return PairedIntegrals(*self._powers, block)

    def approximation(self) -> Self | None:
        return None if self.is_approximate else replace(self, is_approximate=True)

    def widest_half_width(self, alpha: float) -> Floats:
        """The half-width by Chebyshev's inequality, at most the distance to a boundary."""
        first, second = self._betas()
        high, low, variance = self._moments()
        bias = (high - low) - (first.centre().p - second.centre().p)
        farthest = np.maximum(*self._estimate_to_boundary())
        widest = np.hypot(2.0 * np.sqrt(variance), bias) / np.sqrt(alpha)
        return np.asarray(np.minimum(widest, farthest))

    @property
    def distance_to_boundary(self) -> tuple[Floats, Floats]:
        """The distances of the estimate, or infinity where an interval is given by its width."""
        below, above = self._estimate_to_boundary()
        narrow = self._is_narrow()
        return np.where(narrow, np.inf, below), np.where(narrow, np.inf, above)

    def centred_interval(self, margin: Floats) -> tuple[SignedLogitPoints, SignedLogitPoints]:
        """The interval about the estimate; of half-width −``margin`` where that is accurate."""
        first, second = self._betas()
        below, above = self._estimate_to_boundary()
        narrow = self._is_narrow()
        room = np.minimum(below, above)
        lower, upper = super().centred_interval(np.where(narrow, 0.5 * room, margin))
        centre = first.centre().p - second.centre().p
        narrow_lower = SignedLogitPoints.of(centre + np.where(narrow, margin, 0.0))
        narrow_upper = SignedLogitPoints.of(centre - np.where(narrow, margin, 0.0))
        return narrow_lower.where(narrow, lower), narrow_upper.where(narrow, upper)

    def _is_narrow(self) -> Bools:
        u, v, _ = self._powers
        below, above = self._estimate_to_boundary()
        deviation = 2.0 * np.sqrt(self._moments()[2])
        return (u + v < 1.0) | (deviation < _NARROW * np.minimum(below, above))

    def lower_limit_at_boundary(self, upper: SignedLogitPoints) -> Bools:
        u, v, r = self._powers
        return self._is_higher_at_end(upper, u + r, -u * np.log(2.0) - betaln(v, u + r))

    def upper_limit_at_boundary(self, lower: SignedLogitPoints) -> Bools:
        u, v, r = self._powers
        return self._is_higher_at_end(lower, v + r, -v * np.log(2.0) - betaln(u, v + r))

    def _brackets(self, prob: Floats, *, upper: bool) -> tuple[Floats, Floats]:
        """Neither cell is negative: −p₀₁ ≤ p₁₀ − p₀₁ ≤ p₁₀; the quantile is on one side of 0."""
        first, second = self._betas()
        u, v, _ = self._powers
        if upper:
            low, high, positive = second.ppf(prob), first.isf(prob), prob < betainc(v, u, 0.5)
        else:
            low, high, positive = second.isf(prob), first.ppf(prob), prob > betainc(u, v, 0.5)
        least, largest = -_outward(low), _outward(high)
        return np.where(positive, 0.0, least), np.where(positive, largest, 0.0)

    def _moments(self) -> tuple[Floats, Floats, Floats]:
        """The mean of (1 + d)/2, 1 less that mean, and the variance."""
        u, v, r = self._powers
        total = u + v + r
        low, high = (v + 0.5 * r) / total, (u + 0.5 * r) / total
        return (
            high,
            low,
            (0.25 * (r / total) * ((u + v) / total) + u * v / total**2) / (total + 1.0),
        )

    def _cumulants(self) -> tuple[Floats, Floats]:
        """The third and the fourth cumulant of (1 + d)/2.

        With Δ the values 1, 0 and ½ of the cells less the mean, the central moments of a weighted
        sum of Dirichlet(N π) are 2 Σ π Δ³/((N + 1)(N + 2)) and
        (6 Σ π Δ⁴ + 3 N (Σ π Δ²)²)/((N + 1)(N + 2)(N + 3)).
        """
        u, v, r = self._powers
        total = u + v + r
        mean, rest, variance = self._moments()
        cells = ((u, rest), (v, -mean), (r, 0.5 - mean))
        third, fourth = (sum(p / total * away**k for p, away in cells) for k in (3, 4))
        spread = variance * (total + 1.0)
        scale = (total + 1.0) * (total + 2.0)
        excess = 6.0 * fourth / scale - 3.0 * spread**2 * (4.0 * total + 6.0) / scale / (
            total + 1.0
        )
        return 2.0 * third / scale, excess / (total + 3.0)

    def _approximate_quantile(self, prob: Floats, *, upper: bool) -> Floats:
        start = super()._approximate_quantile(prob, upper=upper)
        approximation = self.approximation()
        if approximation is None:
            return start
        residual = approximation._quantile_residual(prob, upper=upper)
        far = np.full(self.size, self.farthest)
        return approximate_roots(residual, -far, far, start)

    def _is_poorly_approximated(self) -> Bools:
        if self.is_approximate:
            return np.zeros(self.size, dtype=bool)
        u, v, _ = self._powers
        return np.minimum(u, v) < _LEAST_POWER

    def _find_mode(self) -> Floats:
        """The side of 0 of the mode is that of u − v, unless the density has its peak at 0."""
        u, v, _ = self._powers
        aside = np.flatnonzero(((u > 1.0) | (v > 1.0)) & (u != v))
        start, width = self._approximate_mode()
        approximation = self.approximation()
        if approximation is not None:
            start, width = approximation._find_mode(), _FROM_MODE * width
        mode = np.zeros(self.size)

        def slope(coordinate: Floats, index: Positions) -> Floats:
            part = self.at(aside[index])
            return part.log_density_slope(part.point_type(coordinate))

        mode[aside] = find_mode(slope, start[aside], width[aside])
        return mode


def _outward(points: UnitPoints) -> Floats:
    """log((1 + p)/(1 − p)) of a point a little above p."""
    with np.errstate(divide="ignore"):
        coordinate = np.log1p(points.p) - np.log(points.q)
    return np.asarray(np.minimum(coordinate * (1.0 + _OUTWARD) + 1e-300, _FARTHEST))
