"""Beta distributions in ball arithmetic: tails, densities, quantiles and shortest intervals.

Every tail and density is proven to a relative 2^-BITS. Quantiles and shortest intervals are solved
independently of what is tested: Newton's method on log F, and level sets of the density, each
until the mass is right to 2^-68.
"""

import math

from flint import arb, ctx

from tests.oracles.balls import EXACT, FIRST, TINY, Shape, complement, exact, sharp


def cdf(a: Shape, b: Shape, point: arb) -> arb:
    """Mass of Beta(a, b) below the point, to a relative 2^-BITS however small it is."""
    if point <= 0:
        return arb(0)
    if point >= 1:
        return arb(1)
    return sharp(lambda: point.beta_lower(arb(a), arb(b), regularized=True))


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

    return sharp(value, relative=False)


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


def quantile(a: Shape, b: Shape, mass: Shape, near: arb | None = None) -> arb:
    """The point with ``mass`` of Beta(a, b) below it; the mass is right to a relative 2^(2-BITS).

    Newton's method on log F over the logit y. The density of y is log-concave for every a and b,
    so log F is concave in y: after one step the iterates climb to the root and never pass it.
    It starts at the point ``near`` where one is given.
    """
    with ctx.workprec(2 * FIRST):
        goal = arb(mass).log()
        y = _logit(near) if near is not None else (arb(a) / arb(b)).log().mid()
        for _ in range(200):
            point = _expit(y)
            below = cdf(a, b, point)
            gap = goal - below.log()
            if abs(gap) < 4 * TINY:
                return point
            slope = (logpdf(a, b, point) + point.log() + complement(point).log()).exp() / below
            y = (y + gap / slope).mid()
    raise AssertionError(f"no quantile of Beta({a}, {b}) at {mass}")


def upper_quantile(a: Shape, b: Shape, mass: Shape, near: arb | None = None) -> arb:
    """The point with ``mass`` of Beta(a, b) above it."""
    return complement(quantile(b, a, mass, None if near is None else complement(near)))


def shortest(a: Shape, b: Shape, alpha: Shape) -> tuple[arb, arb]:
    """The shortest interval that leaves ``alpha`` of Beta(a, b) outside, by level sets.

    Where the density has no interior mode the interval lies at the end of the range. Otherwise it
    is {p : log f(p) >= log f(mode) - w^2/2} for some w, and Newton's method finds that w: the two
    points move by w / |(log f)'|, so the mass outside by -w f (1/|(log f)'(l)| + 1/|(log f)'(u)|).
    """
    if a <= 1:
        return arb(0), upper_quantile(a, b, alpha)
    if b <= 1:
        return quantile(a, b, alpha), arb(1)
    with ctx.workprec(2 * FIRST):
        goal = arb(alpha).log()
        w = arb(1)
        for _ in range(200):
            lower, upper = _level_point(a, b, w), complement(_level_point(b, a, w))
            mass = outside(a, b, lower, upper)
            gap = mass.log() - goal
            if abs(gap) < 4 * TINY:
                return lower, upper
            reach = pdf(a, b, lower) / log_slope(a, b, lower) - pdf(a, b, upper) / log_slope(
                a, b, upper
            )
            w = min(max((w + gap * mass / (w * reach)).mid(), w / 2), 2 * w)
    raise AssertionError(f"no shortest interval of Beta({a}, {b}) at {alpha}")


def _logit(point: arb) -> arb:
    """log(p/(1 - p)), without radius."""
    return (point / complement(point)).log().mid()


def _expit(y: arb) -> arb:
    """1/(1 + e^-y) rounded on its smaller side, without radius."""
    if y <= 0:
        return (1 / (1 + (-y).exp())).mid()
    return complement((1 / (1 + y.exp())).mid())


def _level_point(a: Shape, b: Shape, w: arb) -> arb:
    """The point below the mode of Beta(a, b), a, b > 1, where the log density is w^2/2 lower.

    Newton's method over the logit, in which the log density is concave: no iterate after the
    first lies above the root, and they climb to it.
    """
    s, t = arb(a) - 1, arb(b) - 1
    top = s * s.log() + t * t.log() - (s + t) * (s + t).log()
    y = ((s / t).log() - w * (1 / s + 1 / t).sqrt()).mid()
    for _ in range(500):
        point = _expit(y)
        rest = complement(point)
        gap = top - w * w / 2 - s * point.log() - t * rest.log()
        step = gap / (s * rest - t * point)
        if abs(step) < TINY**2:
            return point
        y = (y + step).mid()
    raise AssertionError(f"no point at level {w} of Beta({a}, {b})")
