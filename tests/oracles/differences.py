"""Differences of two proportions or rates: posterior tails, and score statistics.

The tails are finite sums of rationals or proven balls, for whole shapes. The score statistics
follow their definition, in ball arithmetic.
"""

from flint import arb, ctx, fmpq, fmpq_poly

from tests.oracles.balls import EXACT, exact

# Precision of the score statistics, in bits.
SCORE_BITS = 200
# Halvings of the range in which the root of the likelihood's slope is searched.
HALVINGS = 150


def proportions_above(a1: int, b1: int, a2: float, b2: float, delta: float) -> arb:
    """Pr(p1 - p2 > delta) for a whole a1 and b1, any a2 and b2, and delta in [0, 1).

    The upper tail of p1 at p2 + delta is a polynomial in p2. The integral of each of its powers is
    an incomplete beta function.
    """
    with ctx.workprec(EXACT):
        d = fmpq(*map(int, delta.as_integer_ratio()))
        x = fmpq_poly([0, 1])
        below = (x ** (a1 - 1) * (1 - x) ** (b1 - 1)).integral()
        above = (below(1) - below)(x + d) / below(1)
        shape, other, end = arb(a2), arb(b2), arb(1 - d)
        total = sum(
            (arb(c) * end.beta_lower(shape + k, other) for k, c in enumerate(above.coeffs())),
            arb(0),
        )
        return total / arb(1).beta_lower(shape, other)


def whole_proportions_above(a1: int, b1: int, a2: int, b2: int, delta: float) -> fmpq:
    """Pr(p1 - p2 > delta) for whole shapes and any delta, by rational polynomials."""
    with ctx.workprec(EXACT):
        d = fmpq(*map(int, delta.as_integer_ratio()))
    x = fmpq_poly([0, 1])
    density1 = (x ** (a1 - 1) * (1 - x) ** (b1 - 1)).integral()
    upper1 = density1(1) - density1  # the tail above x, times a factor
    density2 = x ** (a2 - 1) * (1 - x) ** (b2 - 1)
    scale = density1(1) * density2.integral()(1)
    low, high = max(fmpq(0), -d), min(fmpq(1), 1 - d)
    product = (density2 * upper1(x + d)).integral()
    total = product(high) - product(low)
    if d < 0:  # every p2 below -delta counts
        total += density1(1) * density2.integral()(low)
    return total / scale


def whole_rates_above(a1: int, b1: float, a2: int, b2: float, delta: float) -> arb:
    """Pr(r1 - r2 > delta) for Gamma(a1, b1), Gamma(a2, b2), whole shapes, delta >= 0.

    The upper tail of r1 is a Poisson sum. Its integral over r2 is the probability that the sum of a
    negative binomial and a Poisson count is below a1.
    """
    with ctx.workprec(2 * EXACT // 5):
        s, t, d = exact(b1), exact(b2), exact(delta)
        q = s / (s + t)
        mean = s * d
        poisson = [(-mean).exp()]
        negative = [(1 - q) ** a2]
        for k in range(1, a1):
            poisson.append(poisson[-1] * mean / k)
            negative.append(negative[-1] * q * (k + a2 - 1) / k)
        below = [arb(0)]
        for term in poisson:
            below.append(below[-1] + term)
        return sum((negative[j] * below[a1 - j] for j in range(a1)), arb(0))


def proportions_score(data, delta, corrected=False):
    """(d − δ)²/V at δ = ``delta``, V from the most likely p₁ and p₂ = p₁ − δ."""
    with ctx.workprec(SCORE_BITS):
        x1, n1, x2, n2 = (arb(value) for value in data)
        delta = arb(delta)

        def slope(p1):
            p2 = p1 - delta
            return (
                (x1 / p1 if x1 != 0 else arb(0))
                - ((n1 - x1) / (1 - p1) if x1 != n1 else arb(0))
                + (x2 / p2 if x2 != 0 else arb(0))
                - ((n2 - x2) / (1 - p2) if x2 != n2 else arb(0))
            )

        low, high = (delta, arb(1)) if delta > 0 else (arb(0), 1 + delta)
        p1 = _root_of_decreasing(slope, low, high)
        p2 = p1 - delta
        variance = p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2
        if corrected:
            variance *= (n1 + n2) / (n1 + n2 - 1)
        return (x1 / n1 - x2 / n2 - delta) ** 2 / variance


def rates_score(data, delta):
    """(d − δ)²/V at δ = ``delta``, V from the most likely r₁ and r₂ = r₁ − δ."""
    with ctx.workprec(SCORE_BITS):
        x1, exposure1, x2, exposure2 = (arb(value) for value in data)
        delta = arb(delta)

        def slope(r1):
            r2 = r1 - delta
            return (
                (x1 / r1 if x1 != 0 else arb(0))
                + (x2 / r2 if x2 != 0 else arb(0))
                - (exposure1 + exposure2)
            )

        low = delta if delta > 0 else arb(0)
        # No most likely rate is above both estimates.
        most = x1 / exposure1 + x2 / exposure2 + abs(delta)
        r1 = _root_of_decreasing(slope, low, low + most)
        r2 = r1 - delta
        return (x1 / exposure1 - x2 / exposure2 - delta) ** 2 / (r1 / exposure1 + r2 / exposure2)


def _root_of_decreasing(slope, low, high):
    for _ in range(HALVINGS):
        middle = ((low + high) / 2).mid()
        if slope(middle) > 0:
            low = middle
        else:
            high = middle
    return ((low + high) / 2).mid()


def corrected_score(data, delta, z, corrected=True):
    """T − (z² − 1) k − z at δ = ``delta``, T the score and k its skewness over 6.

    V has the factor N/(N − 1) where it is ``corrected``.
    """
    with ctx.workprec(SCORE_BITS):
        x1, n1, x2, n2 = (arb(value) for value in data)
        d = arb(delta)

        p2 = most_likely_second((x1, n1, x2, n2), d)
        p1 = p2 + d
        q1, q2 = 1 - p1, 1 - p2
        factor = (n1 + n2) / (n1 + n2 - 1) if corrected else arb(1)
        variance = factor * (p1 * q1 / n1 + p2 * q2 / n2)
        third = p1 * q1 * (q1 - p1) / n1**2 - p2 * q2 * (q2 - p2) / n2**2
        k = third / (6 * variance * variance.sqrt())
        level = arb(z)
        score = (x1 / n1 - x2 / n2 - d) / variance.sqrt() - (level * level - 1) * k - level
        return float(score.mid())


def most_likely_second(data, d):
    """The most likely p₂ of two samples with p₁ − p₂ = ``d``; all values are balls."""
    x1, n1, x2, n2 = data

    def slope(p2):
        terms = [
            (x / p if x != 0 else arb(0)) - ((n - x) / (1 - p) if x != n else arb(0))
            for x, n, p in ((x1, n1, p2 + d), (x2, n2, p2))
        ]
        return terms[0] + terms[1]

    return _root_of_decreasing(slope, max(arb(0), -d), min(arb(1), 1 - d))
