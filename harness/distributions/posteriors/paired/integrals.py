"""Tails and density of d = p₁₀ − p₀₁, where (p₁₀, p₀₁, ρ) are Dirichlet(u, v, r), by quadrature.

The cells are the probabilities of first only, second only, and of both or neither. Given one of the
three, the share of the others is an independent Beta. The difference exceeds t ≥ 0 where

    p₁₀/(1 − p₀₁) > (p₀₁ + t)/(1 − p₀₁)              share Beta(u, r), given p₀₁ < (1 − t)/2
    p₀₁/(1 − p₁₀) < (p₁₀ − t)/(1 − p₁₀)              share Beta(v, r), given t < p₁₀ < (1 + t)/2
    p₀₁/(1 − ρ) < (1 − ρ − t)/(2 (1 − ρ))            share Beta(v, u), given t < 1 − ρ.

The given one is a linear function of p in (0, 1). All distances from the ends of the ranges are
products and quotients of p, q = 1 − p and of two linear functions F and G of p that are above 0.

Nothing in the integrands is negative, so that each result has the relative accuracy of the rule and
of the incomplete beta function however small it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

import numpy as np
from scipy.special import betainc, expit

from harness.base.numerics.arrays import Bools, Floats
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.difference.density import (
    BetaDensity,
    Integrand,
    IntegrandPoints,
)
from harness.distributions.posteriors.difference.integrals import (
    Factor,
    Integrals,
    OneSignBlock,
    Window,
    positions_in_blocks,
)

Pair = tuple[Floats, Floats]
Powers = tuple[Floats, Floats, Floats]

# Neither exp(−500) nor the smallest gap times it underflows.
_EXACT = 500.0
# A power of 0.01 is exp(−60) here.
_FARTHEST = 6000.0
# The first guess of a peak keeps this part of the range, or of a deviation, from its ends.
_INSIDE = 1e-3


class Given(Enum):
    """The cell that the integral is over."""

    SECOND_ONLY = 0
    FIRST_ONLY = 1
    SAME = 2


@dataclass(frozen=True)
class Conditional(Integrand):
    """The integral over one cell for each of m outcomes, at differences t > 0.

    The weight is the given cell, and the factor the share of the others. The variable of
    integration is x = logit p.
    """

    given: Given
    powers: Powers
    """(u, v, r), shape (m,) each."""
    t: Floats
    gap: Floats
    """1 − t."""
    weight: BetaDensity
    factor: BetaDensity
    farthest = _FARTHEST

    @classmethod
    def of(cls, given: Given, powers: Powers, t: Floats, gap: Floats) -> Conditional:
        """Return the integral over a cell."""
        u, v, r = powers
        if given is Given.SECOND_ONLY:
            weight, share = Beta(v, u + r), Beta(u, r)
        elif given is Given.FIRST_ONLY:
            weight, share = Beta(u, v + r), Beta(v, r)
        else:
            weight, share = Beta(u + v, r), Beta(v, u)
        return cls(given, powers, t, gap, BetaDensity(weight, None), BetaDensity(share, None))

    @property
    def span(self) -> Floats:
        """The length of the range of the weight."""
        return self.gap if self.given is Given.SAME else 0.5 * self.gap

    @property
    def least(self) -> Floats:
        """The lower end of the range of the weight."""
        return np.zeros_like(self.t) if self.given is Given.SECOND_ONLY else self.t

    @property
    def linear(self) -> tuple[Pair, Pair]:
        """The values of F and of G at p = 0 and at p = 1."""
        half, one = 0.5 * self.gap, np.ones_like(self.t)
        if self.given is Given.SECOND_ONLY:
            return (self.t, 0.5 * (1.0 + self.t)), (one, 0.5 * (1.0 + self.t))
        if self.given is Given.FIRST_ONLY:
            return (self.t, 0.5 * (1.0 + self.t)), (self.gap, half)
        return (self.t, one), (2.0 * self.t, 1.0 + self.t)

    def points_at(self, x: Floats) -> IntegrandPoints:
        """The points at x = logit p."""
        p, q = expit(x), expit(-x)
        (f0, f1), (g0, g1) = self.linear
        f, g = f0 * q + f1 * p, g0 * q + g1 * p
        u, rest = self.span * p, self.span * q
        if self.given is Given.SECOND_ONLY:
            weight, share = (u, g), (f / g, self.gap * q / g)
        elif self.given is Given.FIRST_ONLY:
            weight, share = (f, g), (u / g, self.gap * q / g)
        else:
            weight, share = (f, self.gap * q), (0.5 * self.gap * p / f, 0.5 * g / f)
        return IntegrandPoints(weight, share, u * q, u, rest)

    def weight_exponents(self) -> tuple[Floats, ...]:
        """The exponents of p, q, F and G in the density of the weight times du/dx."""
        u, v, r = self.powers
        zero, one = np.zeros_like(u), np.ones_like(u)
        if self.given is Given.SECOND_ONLY:
            return v, one, zero, u + r - 1.0
        if self.given is Given.FIRST_ONLY:
            return one, one, u - 1.0, v + r - 1.0
        return one, r, u + v - 1.0, zero

    def share_exponents(self) -> tuple[Floats, ...]:
        """The exponents of p, q, F and G in s^a (1 − s)^b of a share s that is Beta(a, b)."""
        u, v, r = self.powers
        if self.given is Given.SECOND_ONLY:
            return np.zeros_like(u), r, u, -(u + r)
        if self.given is Given.FIRST_ONLY:
            return v, r, np.zeros_like(u), -(v + r)
        return v, np.zeros_like(u), -(u + v), u

    def singular_points(self) -> list[Floats]:
        """Real parts, in x = logit p, of the zeros and poles of p, q, F and G off the axis."""
        with np.errstate(divide="ignore"):
            zeros = [np.log(low) - np.log(high) for low, high in self.linear]
        return [*zeros, np.zeros_like(self.t)]

    def tail(self, *, upper: bool) -> Floats:
        """A tail of d at t."""
        # Given p₀₁, the difference is above t where the share is above its point.
        above = (self.given is Given.SECOND_ONLY) == upper
        excess = self.excess()[0]
        peak = self.peak_if_normal(np.maximum(excess, 0.0) if upper else np.minimum(excess, 0.0))
        inner = ConditionalWindow.of(self, Factor.tail(upper=above), peak).integrals()
        return np.minimum(inner + self._closed_part(upper=upper), 1.0)

    def _closed_part(self, *, upper: bool) -> Floats:
        """The probability of the weight outside its range, where the difference is on this side."""
        t, gap, weight = self.t, self.gap, self.weight
        if self.given is Given.SECOND_ONLY:
            if upper:
                return np.zeros_like(t)
            return weight.tail(0.5 * gap, 0.5 * (1.0 + t), upper=True)
        if not upper:
            return weight.tail(t, gap, upper=False)
        if self.given is Given.FIRST_ONLY:
            return weight.tail(0.5 * (1.0 + t), 0.5 * gap, upper=True)
        return np.zeros_like(t)

    def log_density(self) -> tuple[Floats, Floats]:
        """log f(t) and its derivative for t > 0, by the integral over p₀₁.

        The derivative is that of the sum over the nodes, at which p stays the same.
        """
        peak = self.peak_if_normal(self.excess()[0])
        log_density, change = ConditionalWindow.of(self, Factor.DENSITY, peak).log_density()
        u, v, r = self.powers
        return log_density, (u - 1.0) * change - (v + r - 1.0) / self.gap

    def excess(self) -> tuple[Floats, Floats]:
        """t less the mean of d, and the variance of d times the total of the powers plus 1."""
        u, v, r = self.powers
        total = u + v + r
        mean = (u - v) / total
        return self.t - mean, (u + v) / total - mean * mean

    def peak_if_normal(self, excess: Floats) -> Floats:
        """The peak in x that the integrand would have at an excess if the cells were normal."""
        u, v, r = self.powers
        total = u + v + r
        mean, (_, spread) = (u - v) / total, self.excess()
        if self.given is Given.SECOND_ONLY:
            centre, variance, shared = v / total, v * (u + r) / total**2, -v / total * (1.0 + mean)
        elif self.given is Given.FIRST_ONLY:
            centre, variance, shared = u / total, u * (v + r) / total**2, u / total * (1.0 - mean)
        else:
            centre, variance, shared = (u + v) / total, r * (u + v) / total**2, mean * r / total
        inside = centre + shared / spread * excess - self.least
        deviation = np.sqrt(variance / (total + 1.0))
        least = _INSIDE * np.minimum(deviation, self.span)
        inside = np.clip(inside, least, self.span - least)
        return np.asarray(np.log(inside) - np.log(self.span - inside))


@dataclass(frozen=True)
class ConditionalWindow(Window[Conditional]):
    """The density of the weight times a function of the share, over x = logit p.

    Next to an end of its range a tail of the share changes like s^a (1 − s)^b. Beyond its mean it
    is taken to be constant.
    """

    @classmethod
    def of(cls, conditional: Conditional, function: Factor, start: Floats) -> ConditionalWindow:
        """Return the integrand with that function of the share."""
        mean = conditional.factor.mean
        flat = conditional.factor.log_shape(mean, 1.0 - mean, function.power)
        return cls(conditional, function, flat, start)

    def within(self, x: Floats) -> tuple[Floats, Floats]:
        """x clipped to where neither p nor q underflows, and the change of log integrand beyond.

        Beyond, the integrand is a power of p or of q.
        """
        inner = np.clip(x, -_EXACT, _EXACT)
        if (inner == x).all():
            return x, np.zeros_like(x)
        return inner, self.slope_and_curvature(inner)[0] * (x - inner)

    def _log_weight(self, points: IntegrandPoints) -> Floats:
        log_weight = super()._log_weight(points)
        if self.function is not Factor.DENSITY:
            return log_weight
        # The derivative of the share of p₁₀ by t at a given p₀₁ is 1/(1 − p₀₁).
        return log_weight - np.log(points.v[1])

    def _log_rate(self, points: IntegrandPoints) -> Floats:
        return super()._log_rate(points) - np.log(points.v[1])

    def _change_by_t(self, points: IntegrandPoints) -> Floats:
        """The change of log (p₀₁ + t) = log F, whose derivative by t is 1 − p/2 at p = p₀₁/span."""
        return (1.0 - 0.5 * points.v[0] / self.integrand.span) / (points.w[0] * points.v[1])

    def slope_and_curvature(self, x: Floats) -> tuple[Floats, Floats]:
        flat = self.is_flat(self.integrand.points_at(x))
        return self._derivatives(x, np.where(flat, 0.0, 1.0), 1.0)

    def _omitted_curvature(self, x: Floats) -> Floats:
        flat = self.is_flat(self.integrand.points_at(x))
        _, curvature = self._derivatives(x, np.where(flat, 1.0, 0.0), 0.0)
        return np.maximum(curvature, 0.0)

    def _derivatives(
        self, x: Floats, with_share: Floats, with_weight: float
    ) -> tuple[Floats, Floats]:
        """The slope and minus the second derivative, of the share's and of the weight's part."""
        p, q = expit(x), expit(-x)
        exponents = [
            with_weight * weight + with_share * share
            for weight, share in zip(
                self.integrand.weight_exponents(),
                self._share_exponents(),
                strict=True,
            )
        ]
        slope = exponents[0] * q - exponents[1] * p
        curvature = (exponents[0] + exponents[1]) * p * q
        for exponent, (low, high) in zip(exponents[2:], self.integrand.linear, strict=True):
            change = (high - low) * p * q / (low * q + high * p)
            slope = slope + exponent * change
            curvature = curvature - exponent * change * ((q - p) - change)
        return slope, curvature

    def _share_exponents(self) -> tuple[Floats, ...]:
        exponents = self.integrand.share_exponents()
        if self.function is not Factor.DENSITY:
            return exponents
        # The density s^{a−1} (1 − s)^{b−1} of a share of p₁₀ and ρ, given p₀₁, and ds/dt = 1/G.
        of_p, of_q, of_f, of_g = exponents
        return of_p, of_q - 1.0, of_f - 1.0, of_g + 1.0


@dataclass(frozen=True)
class PairedBlock(OneSignBlock):
    """Outcomes with the powers of p₁₀, p₀₁ and ρ, or of p₀₁, p₁₀ and ρ where d is negative."""

    powers: Powers
    rest: Floats
    """The gap, or the least one that integrals are computed at."""

    def tail(self, *, upper: bool) -> Floats:
        """A tail of the difference at t, by integrals over the cell of the smallest variance."""
        u, v, r = self.powers
        narrowest = np.argmin(np.stack((v * (u + r), u * (v + r), r * (u + v))), axis=0)
        tail = np.empty(self.t.size)
        for given in Given:
            here = np.flatnonzero(narrowest == given.value)
            if here.size:
                conditional = Conditional.of(given, self.powers, self.t, self.rest)
                tail[here] = conditional.at(here).tail(upper=upper)
        if upper:
            tail *= (self.gap / self.rest) ** (v + r)
        return tail

    def log_density(self) -> tuple[Floats, Floats]:
        _, v, r = self.powers
        conditional = Conditional.of(Given.SECOND_ONLY, self.powers, self.t, self.rest)
        height, slope = conditional.log_density()
        return height + (v + r - 1.0) * np.log(self.gap / self.rest), slope


# A magnitude below this is taken for this one. At a gap below this, a tail and the density are
# powers of the gap.
_SMALLEST, _LEAST_GAP = 1e-200, 1e-80


@dataclass(frozen=True)
class PairedIntegrals(Integrals):
    """Tails and density of d at points given by |d|, 1 − |d| and whether d is negative."""

    first: Floats
    """The power u of p₁₀, shape (m,)."""
    second: Floats
    """The power v of p₀₁, shape (m,)."""
    same: Floats
    """The power r of ρ = 1 − p₁₀ − p₀₁, shape (m,)."""
    block: type[PairedBlock] = PairedBlock
    """How tails and densities are computed."""

    def tail(self, magnitude: Floats, gap: Floats, negative: Bools, *, upper: bool) -> Floats:
        tail = super().tail(magnitude, gap, negative, upper=upper)
        # Where the density has a pole at 0, the smallest magnitude has mass below it.
        pole = np.flatnonzero((magnitude == 0.0) & (self.first + self.second < 1.0))
        if pole.size:
            u, v = self.first[pole], self.second[pole]
            tail[pole] = betainc(v, u, 0.5) if upper else betainc(u, v, 0.5)
        return tail

    def _blocks(self, magnitude: Floats, gap: Floats, negative: Bools) -> Iterator[OneSignBlock]:
        for mirrored in (False, True):
            for part in positions_in_blocks((gap > 0.0) & (negative == mirrored)):
                u, v, r = self.first[part], self.second[part], self.same[part]
                powers = (v, u, r) if mirrored else (u, v, r)
                t, rest = np.maximum(magnitude[part], _SMALLEST), np.maximum(gap[part], _LEAST_GAP)
                yield self.block(part, mirrored, t, gap[part], powers, rest)
