"""Beta and binomial probabilities in ball arithmetic: what the tests measure accuracy against.

Every number returned is a ball that is proven to hold the true value, computed again at a higher
precision until it is small enough. Points are exact: ``1 - q`` for a float ``q`` loses nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from flint import arb, ctx, fmpq

# Bits that hold 1 - q exactly for every float q (the smallest is 2^-1074), with room to spare.
EXACT = 2400
# Accuracy of everything returned, in bits: 2^-70 is 1e-21, nothing beside the tolerances in use.
BITS = 70
TINY = arb(2) ** -BITS
# Precision to begin with, and the one at which to give up.
FIRST, LAST = 128, 1 << 14

Shape = float | arb


def exact(number: float) -> arb:
    """The float itself (or any dyadic rational), as a point without radius."""
    with ctx.workprec(EXACT):
        point = arb(fmpq(*map(int, number.as_integer_ratio())))
    assert point.is_exact()
    return point


def complement(point: arb) -> arb:
    """1 - point, without radius."""
    with ctx.workprec(EXACT):
        rest = 1 - point
    assert rest.is_exact()
    return rest


def carried(p: float, q: float) -> arb:
    """The point that a pair (p, 1 - p) stands for: the smaller of the two says where it is."""
    return exact(p) if p <= q else complement(exact(q))


def cdf(a: Shape, b: Shape, point: arb) -> arb:
    """Mass of Beta(a, b) below the point, to a relative 2^-BITS however small it is."""
    if point <= 0:
        return arb(0)
    if point >= 1:
        return arb(1)
    return _sharp(lambda: point.beta_lower(arb(a), arb(b), regularized=True))


def sf(a: Shape, b: Shape, point: arb) -> arb:
    """Mass of Beta(a, b) above the point, to a relative 2^-BITS however small it is."""
    return cdf(b, a, complement(point))


def outside(a: Shape, b: Shape, lower: arb, upper: arb) -> arb:
    """Mass of Beta(a, b) below ``lower`` plus that above ``upper``."""
    with ctx.workprec(FIRST):
        return cdf(a, b, lower) + sf(a, b, upper)


def logpdf(a: Shape, b: Shape, point: arb) -> arb:
    """log density of Beta(a, b) inside (0, 1), to an absolute 2^-BITS."""
    rest = complement(point)

    def value() -> arb:
        s, t = arb(a), arb(b)
        log_beta = s.lgamma() + t.lgamma() - (s + t).lgamma()
        return (s - 1) * point.log() + (t - 1) * rest.log() - log_beta

    return _sharp(value, relative=False)


def pdf(a: Shape, b: Shape, point: arb) -> arb:
    """Density of Beta(a, b) inside (0, 1)."""
    with ctx.workprec(FIRST):
        return logpdf(a, b, point).exp()


def log_slope(a: Shape, b: Shape, point: arb) -> arb:
    """d/dp of the log density: (a - 1)/p - (b - 1)/(1 - p)."""
    with ctx.workprec(FIRST):
        return (arb(a) - 1) / point - (arb(b) - 1) / complement(point)


def rounding_cost(a: Shape, b: Shape, limit: float) -> arb:
    """The most mass of Beta(a, b) between a limit and the double it was rounded to.

    Half a unit in the last place times the density, taken where it is largest in that stretch (at
    one of its ends, but for a mode inside). A limit rounded to 0 or 1 costs its whole tail.
    """
    if limit <= 0:
        return cdf(a, b, exact(math.ulp(0.0)))
    if limit >= 1:
        return sf(a, b, complement(exact(2.0**-54)))
    with ctx.workprec(EXACT):
        here, half = exact(limit), exact(math.ulp(limit)) / 2
        stretch = [here - half, here, here + half]
    return half * max(pdf(a, b, point) for point in stretch)


def log_binomial(x: Shape, y: Shape, p: arb) -> arb:
    """log of Gamma(x+y+1)/(Gamma(x+1) Gamma(y+1)) p^x (1-p)^y, to an absolute 2^-BITS."""
    rest = complement(p)

    def value() -> arb:
        s, t = arb(x), arb(y)
        coefficient = (s + t + 1).lgamma() - (s + 1).lgamma() - (t + 1).lgamma()
        return s * p.log() + t * rest.log() + coefficient

    return _sharp(value, relative=False)


def stirling_error(z: Shape) -> arb:
    """log Gamma(z+1) - [(z + 1/2) log z - z + log(2 pi)/2], to a relative 2^-BITS."""

    def value() -> arb:
        s = arb(z)
        return (s + 1).lgamma() - (s + arb(0.5)) * s.log() + s - (2 * arb.pi()).log() / 2

    return _sharp(value)


def deviance(x: Shape, mean: Shape) -> arb:
    """x log(x/mean) + mean - x for x > 0, to a relative 2^-BITS."""
    return _sharp(lambda: arb(x) * (arb(x) / arb(mean)).log() + arb(mean) - arb(x))


def _sharp(value: Callable[[], arb], *, relative: bool = True) -> arb:
    """``value()`` at the first precision that leaves it accurate to BITS bits."""
    precision = FIRST
    while precision <= LAST:
        with ctx.workprec(precision):
            ball = value()
            if ball.rel_accuracy_bits() >= BITS or (not relative and ball.rad() < TINY):
                return ball
        precision *= 2
    raise AssertionError(f"no {BITS} bits within a precision of {LAST}")
