"""Tails and density of d = p₁₀ − p₀₁, where (p₁₀, p₀₁, ρ) are Dirichlet(u, v, r), by quadrature.

Nothing in the integrands is negative, so that each result has the relative accuracy of the rule and
of the incomplete beta function however small it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc

from harness.base.numerics.arrays import Bools, Floats, Positions
from harness.distributions.posteriors.paired.conditional import (
    Conditional,
    ConditionalWindow,
    Factor,
    Given,
)

# Few enough that the nodes of a block stay in the processor's cache.
_BLOCK = 1024
# A magnitude below this is taken for this one. At a gap below this, a tail and the density are
# powers of the gap.
_SMALLEST, _LEAST_GAP = 1e-200, 1e-80
# The first guess of a peak keeps this part of the range, or of a deviation, from its ends.
_INSIDE = 1e-3


@dataclass(frozen=True)
class PairedIntegrals:
    """Tails and density of d at points given by |d|, 1 − |d| and whether d is negative."""

    first: Floats
    """The power u of p₁₀, shape (m,)."""
    second: Floats
    """The power v of p₀₁, shape (m,)."""
    same: Floats
    """The power r of ρ = 1 − p₁₀ − p₀₁, shape (m,)."""

    def upper_tail(self, magnitude: Floats, gap: Floats, negative: Bools) -> Floats:
        """Pr(d > point)."""
        return self._tail(magnitude, gap, negative, upper=True)

    def lower_tail(self, magnitude: Floats, gap: Floats, negative: Bools) -> Floats:
        """Pr(d < point)."""
        return self._tail(magnitude, gap, negative, upper=False)

    def _tail(self, magnitude: Floats, gap: Floats, negative: Bools, *, upper: bool) -> Floats:
        # At the boundary one tail is 0 and the other one is 1.
        tail = np.where(negative == upper, 1.0, 0.0)
        for index, powers, mirrored in self._groups(gap, negative):
            t, rest = np.maximum(magnitude[index], _SMALLEST), np.maximum(gap[index], _LEAST_GAP)
            narrowest = _narrowest(powers)
            found = np.empty(index.size)
            for given in Given:
                here = np.flatnonzero(narrowest == given.value)
                if here.size:
                    whole = Conditional(given, powers, t, rest)
                    found[here] = _tail(whole.at(here), upper=upper != mirrored)
            if upper != mirrored:
                found *= (gap[index] / rest) ** (powers[1] + powers[2])
            tail[index] = found
        # Where the density has a pole at 0, the smallest magnitude has mass below it.
        pole = np.flatnonzero((magnitude == 0.0) & (self.first + self.second < 1.0))
        if pole.size:
            u, v = self.first[pole], self.second[pole]
            tail[pole] = betainc(v, u, 0.5) if upper else betainc(u, v, 0.5)
        return tail

    def log_density(self, magnitude: Floats, gap: Floats, negative: Bools) -> tuple[Floats, Floats]:
        """The logarithm of the density at d, and its derivative with respect to d.

        At 0 the derivative is the one from above.
        """
        density, slope = np.full(magnitude.shape, -np.inf), np.full(magnitude.shape, np.nan)
        for index, powers, mirrored in self._groups(gap, negative):
            t, rest = np.maximum(magnitude[index], _SMALLEST), np.maximum(gap[index], _LEAST_GAP)
            found, rise = _log_density(Conditional(Given.SECOND_ONLY, powers, t, rest))
            density[index] = found + (powers[1] + powers[2] - 1.0) * np.log(gap[index] / rest)
            slope[index] = -rise if mirrored else rise
        return density, slope

    def _groups(
        self, gap: Floats, negative: Bools
    ) -> Iterator[tuple[Positions, tuple[Floats, Floats, Floats], bool]]:
        """Yield blocks of outcomes inside the range with one sign of d: (index, powers, d < 0)."""
        for mirrored in (False, True):
            index = np.flatnonzero((gap > 0.0) & (negative == mirrored))
            for start in range(0, index.size, _BLOCK):
                part = index[start : start + _BLOCK]
                u, v, r = self.first[part], self.second[part], self.same[part]
                yield part, (v, u, r) if mirrored else (u, v, r), mirrored


def _narrowest(powers: tuple[Floats, Floats, Floats]) -> Positions:
    """The cell of the smallest variance, as the value of a `Given`."""
    u, v, r = powers
    return np.asarray(np.argmin(np.stack((v * (u + r), u * (v + r), r * (u + v))), axis=0))


def _tail(conditional: Conditional, *, upper: bool) -> Floats:
    """A tail of d at t > 0."""
    above = conditional.share_is_above == upper
    window = ConditionalWindow(
        conditional, Factor.SF if above else Factor.CDF, _start(conditional, upper=upper)
    )
    nodes = window.nodes()
    here = conditional.at(nodes.owner)
    x, beyond = window.at(nodes.owner).within(nodes.x)
    points = here.points_at(x)
    log_weight = here.weight.log_kernel(*points.weight) + beyond
    log_weight += conditional.weight.log_constant()[nodes.owner]
    values = np.exp(log_weight) * points.dw_dx * here.share.tail(*points.share, upper=above)
    return np.minimum(nodes.sums(values) + _closed_part(conditional, upper=upper), 1.0)


def _closed_part(conditional: Conditional, *, upper: bool) -> Floats:
    """The probability of the weight outside its range, where the difference is on this side."""
    t, gap, weight = conditional.t, conditional.gap, conditional.weight
    if conditional.given is Given.SECOND_ONLY:
        return np.zeros_like(t) if upper else weight.tail(0.5 * gap, 0.5 * (1.0 + t), upper=True)
    if not upper:
        return weight.tail(t, gap, upper=False)
    if conditional.given is Given.FIRST_ONLY:
        return weight.tail(0.5 * (1.0 + t), 0.5 * gap, upper=True)
    return np.zeros_like(t)


def _start(conditional: Conditional, *, upper: bool) -> Floats:
    """The peak in x that a tail's integrand would have if the cells were normal."""
    excess, _ = _excess(conditional)
    return _peak_if_normal(
        conditional, np.maximum(excess, 0.0) if upper else np.minimum(excess, 0.0)
    )


def _excess(conditional: Conditional) -> tuple[Floats, Floats]:
    """t less the mean of d, and the variance of d times the total of the powers plus 1."""
    u, v, r = conditional.powers
    total = u + v + r
    mean = (u - v) / total
    return conditional.t - mean, (u + v) / total - mean * mean


def _peak_if_normal(conditional: Conditional, excess: Floats) -> Floats:
    u, v, r = conditional.powers
    total = u + v + r
    mean, (_, spread) = (u - v) / total, _excess(conditional)
    if conditional.given is Given.SECOND_ONLY:
        centre, variance, shared = v / total, v * (u + r) / total**2, -v / total * (1.0 + mean)
    elif conditional.given is Given.FIRST_ONLY:
        centre, variance, shared = u / total, u * (v + r) / total**2, u / total * (1.0 - mean)
    else:
        centre, variance, shared = (u + v) / total, r * (u + v) / total**2, mean * r / total
    inside = centre + shared / spread * excess - conditional.least
    deviation = np.sqrt(variance / (total + 1.0))
    least = _INSIDE * np.minimum(deviation, conditional.span)
    inside = np.clip(inside, least, conditional.span - least)
    return np.asarray(np.log(inside) - np.log(conditional.span - inside))


def _log_density(conditional: Conditional) -> tuple[Floats, Floats]:
    """log f(t) and its derivative for t > 0, by the integral over p₀₁.

    The derivative is that of the sum over the nodes, at which p stays the same.
    """
    excess, _ = _excess(conditional)
    window = ConditionalWindow(conditional, Factor.DENSITY, _peak_if_normal(conditional, excess))
    nodes = window.nodes()
    here = conditional.at(nodes.owner)
    x, beyond = window.at(nodes.owner).within(nodes.x)
    points = here.points_at(x)
    log_values = here.weight.log_kernel(*points.weight) + here.share.log_kernel(*points.share)
    log_values += np.log(points.dw_dx) - np.log(points.weight[1]) + beyond
    largest = np.maximum.reduceat(log_values, nodes.start)
    values = np.exp(log_values - largest[nodes.owner])
    total = nodes.sums(values)
    # p₀₁ + t = F and its derivative 1 − p/2 at p = p₀₁/span
    rate = (1.0 - 0.5 * points.weight[0] / here.span) / (points.share[0] * points.weight[1])
    u, v, r = conditional.powers
    slope = (u - 1.0) * (nodes.sums(values * rate) / total) - (v + r - 1.0) / conditional.gap
    constant = conditional.weight.log_constant() + conditional.share.log_constant()
    return np.log(total) + largest + constant, slope
