"""The statistics and formulas for paired proportions, as printed, in ball arithmetic.

A table is (both, first_only, second_only, neither). The precision is the caller's: ``BITS`` is
enough for counts to 10^9 next to the ends of the range.
"""

from flint import arb

BITS = 400
SMALL_THIRD_MOMENT, SMALL_SKEWNESS = 1e-10, 1e-3


def root(square):
    """The square root of a number that is not negative, though its ball may be."""
    return square.nonnegative_part().sqrt()


def difference_score(table, delta, subtracted):
    """T of Tango (1998), its variance times n/(n − subtracted), and a sixth of its skewness."""
    _, b, c, _ = map(arb, table)
    n, delta = arb(sum(table)), arb(delta)
    middle = (2 * n - b + c) * delta - b - c
    p21 = (root(middle**2 + 8 * n * c * delta * (1 - delta)) - middle) / (4 * n)
    p12 = p21 + delta
    variance = (p12 + p21 - delta**2) / n * (n / (n - subtracted))
    third = p12 * (1 - delta) ** 3 + p21 * (-1 - delta) ** 3 - (1 - p12 - p21) * delta**3
    return score(((b - c) / n - delta), variance, third / n**2)


def ratio_score(table, phi, subtracted):
    """T of Tang, Tang and Chan (2003), likewise; μ₃ in the units of the larger proportion."""
    a, b, c, _ = map(arb, table)
    n, phi = arb(sum(table)), arb(phi)
    middle = (a + c) * phi**2 - (a + b + 2 * c)
    spread = root(middle**2 - 4 * n * (1 + phi) * c * (1 - phi) * (a + b + c) / n)
    p21 = (spread - middle) / (2 * n * (1 + phi))
    p11 = ((a + b + c) / n - (1 + phi) * p21) / phi
    p12 = phi * (p11 + p21) - p11
    variance = (p12 + phi**2 * p21 + (1 - phi) ** 2 * p11) / n * (n / (n - subtracted))
    third = p12 - phi**3 * p21 + (1 - phi) ** 3 * p11
    return score((a + b - phi * (a + c)) / n, variance, third / n**2, (phi if phi < 1 else 1) ** 3)


def score(numerator, variance, third, unit=1):
    """T and k."""
    k = third / (6 * variance * root(variance))
    if abs(third) < SMALL_THIRD_MOMENT * unit and abs(k) < SMALL_SKEWNESS:
        k = arb(0)
    return numerator / root(variance), k


def wilson(x, n, z):
    """Wilson limits of x of n."""
    x, n = arb(x), arb(n)
    spread = z * root(z**2 + 4 * x * (n - x) / n)
    return (2 * x + z**2 - spread) / (2 * (n + z**2)), (2 * x + z**2 + spread) / (2 * (n + z**2))


def correlation(table, is_corrected):
    """φ of Newcombe (1998)."""
    a, b, c, d = map(arb, table)
    product = (a + b) * (c + d) * (a + c) * (b + d)
    numerator = a * d - b * c
    if is_corrected and numerator > 0:
        numerator = (numerator - arb(sum(table)) / 2).nonnegative_part()
    return numerator / root(product) if product > 0 else arb(0)


def mover_difference(table, first, second, phi):
    """Square-and-add limits from the limits of each proportion."""
    a, b, c, _ = map(arb, table)
    n = arb(sum(table))
    (l1, u1), (l2, u2), p1, p2 = first, second, (a + b) / n, (a + c) / n

    def width(low, high):
        return root(low**2 - 2 * phi * low * high + high**2)

    return p1 - p2 - width(p1 - l1, u2 - p2), p1 - p2 + width(u1 - p1, p2 - l2)


def mover_ratio(table, first, second, phi):
    """Limits of Tang, Li and Tang (2012); of tables with x₁, x₂ > 0 and no limit u₂ = 2p̂₂."""
    a, b, c, _ = map(arb, table)
    n = arb(sum(table))
    (l1, u1), (l2, u2), p1, p2 = first, second, (a + b) / n, (a + c) / n
    low, high = p1 * p2 - phi * (p1 - l1) * (u2 - p2), p1 * p2 - phi * (u1 - p1) * (p2 - l2)
    below, above = l1 * (2 * p1 - l1), l2 * (2 * p2 - l2)
    beside, over = u2 * (2 * p2 - u2), u1 * (2 * p1 - u1)
    return (
        (low - root(low**2 - below * beside)) / beside,
        (high + root(high**2 - over * above)) / above,
    )
