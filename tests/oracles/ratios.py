"""Tails of ratios of two independent proportions, as finite sums of balls."""

from __future__ import annotations

from math import comb

from flint import arb, fmpq_poly

from tests.oracles.balls import sharp


def risk_ratio_above(a1: int, b1: int, a2: float, b2: float, theta: float) -> arb:
    """Pr(p1/p2 > theta) for a whole a1 and b1, any a2 and b2, and theta in (0, 1].

    The upper tail of p1 at theta p2 is a polynomial in p2, whose moments are quotients of rising
    factorials.
    """
    x = fmpq_poly([0, 1])
    below = (x ** (a1 - 1) * (1 - x) ** (b1 - 1)).integral()
    return _mean((below(1) - below) / below(1), a2, b2, theta)


def risk_ratio_below(a1: int, b1: int, a2: float, b2: float, theta: float) -> arb:
    """Pr(p1/p2 < theta), likewise."""
    x = fmpq_poly([0, 1])
    below = (x ** (a1 - 1) * (1 - x) ** (b1 - 1)).integral()
    return _mean(below / below(1), a2, b2, theta)


def _mean(tail: fmpq_poly, a2: float, b2: float, theta: float) -> arb:
    """The mean of a polynomial at theta p2."""

    def value() -> arb:
        shape, both = arb(a2), arb(a2) + arb(b2)
        moment, total = arb(1), arb(0)
        for k, coefficient in enumerate(tail.coeffs()):
            total += arb(coefficient) * moment
            moment *= arb(theta) * (shape + k) / (both + k)
        return total

    return sharp(value)


def odds_ratio_above(a1: int, b1: int, a2: float, b2: float, theta: float) -> arb:
    """Pr(p1 q2/(p2 q1) > theta) for a whole a1 and b1, any a2 and b2, and theta > 0.

    With n = a1 + b1 - 1 the upper tail of p1 at w = theta p2/(q2 + theta p2) is the sum over j < a1
    of C(n, j) w^j (1 - w)^(n - j), and the mean of each term is a hypergeometric function.
    """
    n = a1 + b1 - 1

    def value() -> arb:
        a, b, odds = arb(a2), arb(b2), arb(theta)
        total = arb(0)
        for j in range(a1):
            weight = arb(1).beta_lower(a + j, b + (n - j)) / arb(1).beta_lower(a, b)
            mean = (1 - odds).hypgeom_2f1(arb(n), a + j, a + b + n)
            total += comb(n, j) * odds**j * weight * mean
        return total

    return sharp(value)
