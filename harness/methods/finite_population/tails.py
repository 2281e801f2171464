"""Tails of the hypergeometric law, by products of the ratios of neighbours.

X is the number of marked cases among n drawn without replacement from N, of which M are marked.
Neighbouring outcomes have the ratio

    Pr(X = k + 1)/Pr(X = k) = (M − k)(n − k)/((k + 1)(N − M − n + k + 1)).

Whole numbers up to 2^53 are exact, so that a ratio is right to three roundings whatever N is; a
difference of log-gamma values would lose all digits at N = 10^15.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from harness.numerics.arrays import Floats, Positions

TIE = 2.0**-43
"""Probabilities that differ by less than this part of themselves count as equal.

In a small population a tail may be alpha/2 exactly, and which side rounding puts it on is chance.
"""

_NEGLIGIBLE = 2.0**-56
_BLOCK = 2**20
"""The largest number of ratios that are in memory at once."""

Ratio = Callable[[Floats, Positions], Floats]


def log_odds(x: Floats, n: Floats, marked: Floats, population: Floats) -> Floats:
    """Return log[Pr(X ≥ x)/Pr(X < x)], shape (m,); −∞ or ∞ where one tail is below 1e-300.

    Both tails are sums of products that begin at x, and neither is 1 less the other.

    Args:
        x: whole numbers from 1 to n, shape (m,).
        n: the number of cases drawn.
        marked: M, between x − 1 and N − n + x, the ends excluded; real numbers between the whole
            ones are a smooth continuation.
        population: N, at most 2^53.
    """
    unmarked = population - marked - n

    def up(step: Floats, row: Positions) -> Floats:
        k = x[row, None] + step
        above = np.maximum(marked[row, None] - k, 0.0) * np.maximum(n[row, None] - k, 0.0)
        return np.asarray(above / ((k + 1.0) * (unmarked[row, None] + k + 1.0)))

    def down(step: Floats, row: Positions) -> Floats:
        k = x[row, None] - step
        above = np.maximum(k, 0.0) * np.maximum(unmarked[row, None] + k, 0.0)
        return np.asarray(above / ((marked[row, None] - k + 1.0) * (n[row, None] - k + 1.0)))

    from_x, below_x = 1.0 + _sum_of_products(up, x.size), _sum_of_products(down, x.size)
    with np.errstate(divide="ignore"):
        return np.asarray(np.log(from_x) - np.log(below_x))


def _sum_of_products(ratio: Ratio, size: int) -> Floats:
    """Return Σ_j ratio(0)·…·ratio(j) for each row; ∞ where it overflows.

    Args:
        ratio: ``(steps, rows) -> ratios`` of shape (rows, steps), which fall with the step.
        size: the number of rows.
    """
    total, last, rows, start = np.zeros(size), np.ones(size), np.arange(size), 0
    width = 64
    while rows.size:
        width = min(2 * width, max(64, _BLOCK // rows.size))
        parts = np.array_split(rows, -(-rows.size * width // (2 * _BLOCK)))
        ratios = np.empty(size)
        for part in parts:
            factors = ratio(np.arange(start, start + width, dtype=np.float64), part)
            with np.errstate(over="ignore", invalid="ignore"):
                products = last[part, None] * np.cumprod(factors, axis=1)
                total[part] += products.sum(axis=1)
            last[part], ratios[part] = products[:, -1], factors[:, -1]
        # A product that overflows and then meets a ratio of 0 is not a number.
        total[np.isnan(total)] = np.inf
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            rest = last[rows] * ratios[rows] / (1.0 - ratios[rows])
        done = (ratios[rows] < 1.0) & (rest <= _NEGLIGIBLE * total[rows])
        rows, start = rows[~(done | np.isinf(total[rows]))], start + width
    return total
