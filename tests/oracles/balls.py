"""Ball arithmetic: exact points, and numbers to a stated accuracy.

Every number returned is a ball that is proven to hold the true value, computed again at a higher
precision until it is small enough. Points are exact: ``1 - q`` for a float ``q`` loses nothing.
"""

from collections.abc import Callable

from flint import arb, ctx, fmpq

# Bits that hold 1 - q exactly for every float q (the smallest is 2^-1074), with room to spare.
EXACT = 2400
# Accuracy of everything returned, in bits: 2^-70 is 1e-21, nothing beside the tolerances in use.
BITS = 70
TINY = arb(2) ** -BITS
# The first precision that is tried, and the last.
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


def point_of_pair(p: float, q: float) -> arb:
    """The exact point that a pair (p, 1 - p) of floats stands for, read from the smaller one."""
    return exact(p) if p <= q else complement(exact(q))


def sharp(value: Callable[[], arb], *, relative: bool = True) -> arb:
    """Return ``value()`` at the first precision that makes it accurate to BITS bits."""
    precision = FIRST
    while precision <= LAST:
        with ctx.workprec(precision):
            ball = value()
            if ball.rel_accuracy_bits() >= BITS or (not relative and ball.rad() < TINY):
                return ball
        precision *= 2
    raise AssertionError(f"no {BITS} bits within a precision of {LAST}")


def log_binomial(x: Shape, y: Shape, p: arb) -> arb:
    """log of Gamma(x+y+1)/(Gamma(x+1) Gamma(y+1)) p^x (1-p)^y, to an absolute 2^-BITS."""
    rest = complement(p)

    def value() -> arb:
        s, t = arb(x), arb(y)
        coefficient = (s + t + 1).lgamma() - (s + 1).lgamma() - (t + 1).lgamma()
        return s * p.log() + t * rest.log() + coefficient

    return sharp(value, relative=False)


def stirling_error(z: Shape) -> arb:
    """log Gamma(z+1) - [(z + 1/2) log z - z + log(2 pi)/2], to a relative 2^-BITS."""

    def value() -> arb:
        s = arb(z)
        return (s + 1).lgamma() - (s + arb(0.5)) * s.log() + s - (2 * arb.pi()).log() / 2

    return sharp(value)


def deviance(x: Shape, mean: Shape) -> arb:
    """x log(x/mean) + mean - x for x > 0, to a relative 2^-BITS."""
    return sharp(lambda: arb(x) * (arb(x) / arb(mean)).log() + arb(mean) - arb(x))
