"""Odds ratios: score statistics by their definition, and probabilities given the margins."""

from collections.abc import Iterator
from fractions import Fraction
from math import comb

from flint import arb, ctx

# Precision of the score statistics and of the tails, in bits.
BITS = 400
# A step of log θ for derivatives, in which neither rounding nor curvature counts.
STEP = arb(2) ** -80
# Probabilities beside the largest one that are left out of a sum.
LEFT_OUT = arb(2) ** -150


def most_likely(data, theta) -> tuple[arb, arb]:
    """The most likely proportions with the odds ratio theta."""
    x1, n1, x2, n2 = (arb(int(v)) for v in data)
    successes, less = x1 + x2, arb(theta) - 1
    middle = n1 * theta + n2 - successes * less
    p2 = 2 * successes / (middle + (middle**2 + 4 * n2 * less * successes).sqrt())
    return p2 * theta / (1 + p2 * less), p2


def score(data, theta, *, factor: bool, skewness: bool) -> arb:
    """Laud's z, or T itself; positive below the estimate."""
    x1, n1, x2, n2 = (arb(int(v)) for v in data)
    p1, p2 = most_likely(data, theta)
    v1, v2 = n1 * p1 * (1 - p1), n2 * p2 * (1 - p2)
    total = n1 + n2
    variance = (1 / v1 + 1 / v2) * (total / (total - 1) if factor else 1)
    numerator = (x1 / n1 - p1) * n1 / v1 - (x2 / n2 - p2) * n2 / v2
    if not skewness:
        return numerator / variance.sqrt()
    t = (numerator - (p1 - p2) / (v1 + v2)) / variance.sqrt()
    third = (1 - 2 * p1) / v1**2 - (1 - 2 * p2) / v2**2
    k = third / (6 * variance * variance.sqrt())
    return 2 * (t + k) / (1 + (1 + 4 * k * (t + k)).sqrt())


def relative_error(value, target, theta) -> float:
    """How far from theta, relatively, the root of value = target lies, by a step of Newton's."""
    with ctx.workprec(BITS):
        here = value(arb(theta))
        slope = (value(arb(theta) * (1 + STEP)) - here) / STEP
        return float(abs((here - target) / slope))


def weights(data, theta) -> list[tuple[int, arb]]:
    """Counts x of the first sample with the same sum, and what their probabilities are to x1's.

    Counts whose probability does not matter are left out.
    """
    x1, n1, x2, n2 = (int(v) for v in data)
    total = x1 + x2
    found = [(x1, arb(1))]
    for step in (1, -1):
        x, weight, largest = x1, arb(1), arb(1)
        while max(0, total - n2) <= x + step <= min(n1, total):
            # From the smaller of the two counts to the larger one
            low = min(x, x + step)
            ratio = theta * arb((n1 - low) * (total - low)) / ((low + 1) * (n2 - total + low + 1))
            x, weight = x + step, weight * ratio if step > 0 else weight / ratio
            largest = max(largest, weight)
            found.append((x, weight))
            if weight < largest * LEFT_OUT:
                break
    return found


def near_tail(data, theta, *, below: bool, half: bool) -> arb:
    """The probability of x1 and of what lies below or above, with x1 whole or half."""
    law = weights(data, theta)
    x1 = int(data[0])
    inside = sum((w for x, w in law if (x < x1 if below else x > x1)), arb(0))
    return (inside + (arb(1) / 2 if half else 1)) / sum((w for _, w in law), arb(0))


def tables(most: int) -> Iterator[tuple[int, int, int, int]]:
    """Every outcome of two samples of at most so many, that is not fixed by its margins."""
    for n1 in range(1, most + 1):
        for n2 in range(1, most + 1):
            for x1 in range(n1 + 1):
                for x2 in range(n2 + 1):
                    total = x1 + x2
                    if max(0, total - n2) < min(n1, total):
                        yield x1, n1, x2, n2


def exact_law(data, theta: Fraction) -> dict[int, Fraction]:
    """The probabilities of the counts of the first sample given the sum of both."""
    x1, n1, x2, n2 = data
    total = x1 + x2
    range_ = range(max(0, total - n2), min(n1, total) + 1)
    mass = {x: comb(n1, x) * comb(n2, total - x) * theta**x for x in range_}
    whole = sum(mass.values())
    return {x: each / whole for x, each in mass.items()}


def p_value(data, theta: Fraction, *, half: bool = False) -> Fraction:
    """The sum of the probabilities that are at most that of x1, with that one whole or half."""
    law = exact_law(data, theta)
    here = law[data[0]]
    return sum((p for p in law.values() if p <= here), Fraction(0)) - (here / 2 if half else 0)
