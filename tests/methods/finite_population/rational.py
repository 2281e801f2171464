"""The hypergeometric law and both intervals in whole numbers: the second implementation."""

from fractions import Fraction
from functools import cache
from math import comb

import numpy as np

SMALL_POPULATIONS = [(22, 0.05), *((40, alpha) for alpha in (0.01, 0.05, 0.1, 0.3))]
"""The largest population and alpha of a test that looks at every M; those to 40 take long."""


def up_to(population):
    """Every n of every population up to this one."""
    return [(n, each) for each in range(1, population + 1) for n in range(1, each + 1)]


@cache
def ways(n, population):
    """By M the number of samples with x marked cases, x = 0 … n; all of them are comb(N, n)."""
    return [
        [comb(marked, x) * comb(population - marked, n - x) for x in range(n + 1)]
        for marked in range(population + 1)
    ]


@cache
def law(n, population):
    """Pr(X = x | M), shape (N + 1, n + 1), each rounded once."""
    total = comb(population, n)
    return np.array([[w / total for w in row] for row in ways(n, population)])


def equal_tails(n, population, tail):
    """M_L of every outcome, by trying all M; the tail is the decimal number that is written."""
    limit = Fraction(str(tail)) * comb(population, n)
    table = ways(n, population)
    return [
        min(m for m in range(population + 1) if sum(table[m][x:]) > limit) for x in range(n + 1)
    ]


def misses(n, population, lower, upper):
    """The probability of a miss at every M, shape (N + 1,), of limits that are counts."""
    marked = np.arange(population + 1)[:, None]
    return (law(n, population) * ((marked < lower) | (marked > upper))).sum(axis=1)


def shrunk(n, population, alpha, lower_first=True):
    """M_L of every outcome of the admissible interval: one M at a time, from the middle outwards.

    Args:
        lower_first: whether the lower limit of x ≤ n/2 is moved before that of n − x.
    """
    total, table = comb(population, n), ways(n, population)
    least = (1 - Fraction(str(alpha))) * total
    lower = equal_tails(n, population, Fraction(str(alpha)) / 2)
    upper = [population - lower[n - x] for x in range(n + 1)]

    def is_covered():
        return all(
            sum(w for x, w in enumerate(row) if lower[x] <= marked <= upper[x]) >= least
            for marked, row in enumerate(table)
        )

    def move(x, step):
        lower[x] += step
        upper[n - x] -= step

    for middle in range(n // 2, -1, -1):
        for x in (middle, n - middle) if lower_first else (n - middle, middle):
            while True:
                move(x, 1)
                if lower[x] > upper[x] or not is_covered():
                    move(x, -1)
                    break
    return lower
