"""Gamma distributions in ball arithmetic: tails and densities.

Every number returned is a ball that is proven to hold the true value, to a relative 2^-BITS. The
rate parameter of the distribution is one: a point of Gamma(a, b) is given as b·r.
"""

import math

from flint import acb, arb, ctx

from tests.oracles.balls import BITS, FIRST, TINY, Shape, exact, sharp

# Above this shape flint's own series are slow, and the tails are integrated instead.
INTEGRATED_FROM = 100
# The integrand is left out where it is below exp(-REACH) of its value at the end of the tail.
REACH = 80
SERIES_UP_TO = 0.125


def cdf(a: Shape, point: arb) -> arb:
    """Mass of Gamma(a, 1) below the point."""
    if point <= 0:
        return arb(0)
    shape = arb(a)
    if shape < INTEGRATED_FROM:
        return sharp(lambda: point.gamma_lower(shape, regularized=True))
    if point > shape:
        with ctx.workprec(2 * FIRST):
            return 1 - sf(a, point)
    return _integrated(shape, point, -1)


def sf(a: Shape, point: arb) -> arb:
    """Mass of Gamma(a, 1) above the point."""
    if point <= 0:
        return arb(1)
    shape = arb(a)
    if shape < INTEGRATED_FROM:
        return sharp(lambda: point.gamma_upper(shape, regularized=True))
    if point < shape - 1:
        with ctx.workprec(2 * FIRST):
            return 1 - cdf(a, point)
    return _integrated(shape, point, 1)


def outside(a: Shape, lower: arb, upper: arb) -> arb:
    """Mass of Gamma(a, 1) below ``lower`` plus that above ``upper``."""
    with ctx.workprec(FIRST):
        return cdf(a, lower) + sf(a, upper)


def logpdf(a: Shape, point: arb) -> arb:
    """log density of Gamma(a, 1) at a point above 0, to an absolute 2^-BITS."""

    def value() -> arb:
        shape = arb(a)
        return (shape - 1) * point.log() - point - shape.lgamma()

    return sharp(value, relative=False)


def pdf(a: Shape, point: arb) -> arb:
    """Density of Gamma(a, 1) at a point above 0."""
    with ctx.workprec(FIRST):
        return logpdf(a, point).exp()


def rounding_cost(a: Shape, b: float, limit: float) -> arb:
    """The most mass of Gamma(a, b) between a limit and the double it was rounded to.

    Half a unit in the last place times the density, taken where it is largest in that stretch (at
    one of its ends, but for a mode inside). A limit rounded to 0 costs its whole tail.
    """
    rate = exact(b)
    if limit <= 0:
        with ctx.workprec(FIRST):
            return cdf(a, rate * exact(math.ulp(0.0)))
    with ctx.workprec(4 * FIRST):
        here, half = exact(limit), exact(math.ulp(limit)) / 2
        return rate * half * max(pdf(a, rate * p) for p in (here - half, here, here + half))


def _integrated(shape: arb, end: arb, direction: int) -> arb:
    """The tail beyond ``end``, away from the mode: the density there times the integral of
    (u/end)^(a-1) exp(end - u) over u = end (1 + v), and a bound of what lies beyond the stretch
    integrated.
    """
    with ctx.workprec(FIRST):
        slope = shape - 1 - end
        stop = _where_negligible(shape, slope, direction)

        def integrand(v: acb, analytic: bool) -> acb:
            # Not analytic where the ball reaches the cut of the logarithm.
            if analytic and not v.real > -1:
                return acb("nan")
            return ((shape - 1) * _log1p_less(v) + slope * v).exp()

        low, high = (acb(0), acb(stop)) if direction > 0 else (acb(stop), acb(0))
        area = acb.integral(integrand, low, high).real
        # Beyond the stop the integrand falls geometrically (above) or is monotone (below).
        last = integrand(acb(stop), False).real
        point = 1 + stop
        rest = last * (point / (point * end - shape + 1) if direction > 0 else point)
        total = end * (area + rest.union(arb(0))) * pdf(shape, end)
    assert total.rel_accuracy_bits() >= BITS, (shape, end, total)
    return total


def _log1p_less(v: acb) -> acb:
    """log(1 + v) - v; by its series where v is small, so that wide balls stay narrow."""
    size = v.abs_upper()
    if not size < SERIES_UP_TO:
        return (1 + v).log() - v
    terms = 3 + int(ctx.prec / -math.log2(max(float(size), 2.0**-ctx.prec)))
    total = acb(0)
    for k in range(terms, 1, -1):
        total = (total + (-1) ** (k + 1) / arb(k)) * v
    rest = arb(0, size ** (terms + 1) / (1 - size))
    return total * v + acb(rest, rest)


def _where_negligible(shape: arb, slope: arb, direction: int) -> arb:
    """A relative distance from the end at which the integrand has fallen below exp(-REACH)."""
    distance = 1 / (8 * shape.sqrt())
    while True:
        v = (direction * distance).mid()
        if v <= -1:
            return (TINY**2 - 1).mid()
        if ((shape - 1) * _log1p_less(acb(v)) + slope * v).real < -REACH:
            return v
        distance *= 2
