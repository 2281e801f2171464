"""Tails of ratios of two independent proportions, as finite sums of balls."""

from math import comb

from flint import arb, ctx, fmpq_poly

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


# Ratios of two proportions or rates: score statistics by their definition, in ball arithmetic.


# Precision of the statistics, in bits, and the halvings of a search for a most likely p₂.
BITS, HALVINGS = 300, 280


def proportions_statistic(data, theta, with_factor, corrected):
    """T at a ratio θ, or Laud's root of T = z + (z² − 1)k, which is T at k = 0."""
    with ctx.workprec(BITS):
        x1, n1, x2, n2 = (arb(value) for value in data)
        p2 = _most_likely(x1, n1, x2, n2, theta)
        p1 = theta * p2
        spread = p1 * (1 - p1) / n1 + theta**2 * p2 * (1 - p2) / n2
        if with_factor:
            spread *= (n1 + n2) / (n1 + n2 - 1)
        third = p1 * (1 - p1) * (1 - 2 * p1) / n1**2
        third -= theta**3 * p2 * (1 - p2) * (1 - 2 * p2) / n2**2
        return _of_moments(x1 / n1 - theta * x2 / n2, spread, third, corrected)


def rates_statistic(data, theta, corrected):
    """The same for rates, of which the most likely ones add up to the events in both samples."""
    with ctx.workprec(BITS):
        x1, exposure1, x2, exposure2 = (arb(value) for value in data)
        r2 = (x1 + x2) / (theta * exposure1 + exposure2)
        r1 = theta * r2
        spread = r1 / exposure1 + theta**2 * r2 / exposure2
        third = r1 / exposure1**2 - theta**3 * r2 / exposure2**2
        score = x1 / exposure1 - theta * x2 / exposure2
        return _of_moments(score, spread, third, corrected)


def _of_moments(score, spread, third, corrected):
    t = score / spread.sqrt()
    if not corrected:
        return t
    k = third / (6 * spread * spread.sqrt())
    return 2 * (t + k) / (1 + (1 + 4 * k * (t + k)).sqrt())


def _most_likely(x1, n1, x2, n2, theta):
    """p₂, where the slope of the likelihood of θp₂ and p₂ changes its sign."""
    low, high = arb(0), min(arb(1), 1 / theta)
    rest1, rest2 = n1 - x1, n2 - x2
    for _ in range(HALVINGS):
        # Halved on a logarithmic scale as soon as both ends are above 0.
        middle = ((low * high).sqrt() if low > 0 else high / 2**16).mid()
        slope = (x1 + x2) / middle
        if rest1 != 0:
            slope -= rest1 * theta / (1 - theta * middle)
        if rest2 != 0:
            slope -= rest2 / (1 - middle)
        if slope > 0:
            low = middle
        else:
            high = middle
    return high
