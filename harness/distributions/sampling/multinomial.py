"""The cells of a table of n pairs: (both, first only, second only, neither) ~ Multinomial(n, p).

A table is drawn and its probability computed cell by cell: first_only ~ Bin(n, p₁₀), given it
second_only ~ Bin(n − first_only, p₀₁/(1 − p₁₀)), and given these both ~ Bin(the rest, p₁₁/(p₁₁ +
p₀₀)). So the discordant cells do not depend on whether the concordant ones are asked for.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Floats, Integers
from harness.base.numerics.points import UnitPoints
from harness.base.numerics.special import log_binomial
from harness.distributions.posteriors.beta import Beta


def draw_discordant(
    cells: Sequence[npt.ArrayLike], n: int, rng: np.random.Generator, count: int | None = None
) -> tuple[Integers, Integers]:
    """Draw first_only and second_only for each table, or ``count`` of them for a single table.

    Args:
        cells: the probabilities of both, first_only, second_only and neither, shape (t,) each.
        n: the number of pairs.
        rng: the source of randomness.
        count: the number of draws at a single table.

    Returns:
        Two arrays of shape (t,) or (count,).
    """
    both, first, second, neither = (np.asarray(cell, np.float64) for cell in cells)
    x = rng.binomial(n, np.minimum(first, 1.0), count)
    y = rng.binomial(n - x, _share(second, both + neither))
    return np.asarray(x, np.int64), np.asarray(y, np.int64)


def draw_both(
    cells: Sequence[npt.ArrayLike], concordant: Integers, rng: np.random.Generator
) -> Integers:
    """Draw the number of pairs right in both, given the number of concordant pairs; its shape."""
    both, _, _, neither = (np.asarray(cell, np.float64) for cell in cells)
    return np.asarray(rng.binomial(concordant, _share(both, neither)), np.int64)


def log_discordant(cells: Sequence[float], first: Integers, second: Integers, n: float) -> Floats:
    """Return log Pr(first_only, second_only) at one table of probabilities, broadcast.

    Args:
        cells: the probabilities of both, first_only, second_only and neither.
        first: counts of first_only.
        second: counts of second_only; both together are at most n.
        n: the number of pairs.
    """
    both, p, other, neither = cells
    rest = n - first
    # Complements are sums of positive probabilities, which keep their digits.
    q = other + (both + neither)
    share, left = float(_share(other, both + neither)), float(_share(both + neither, other))
    return np.asarray(
        log_binomial(first, rest, p, q) + log_binomial(second, rest - second, share, left)
    )


def log_both(cells: Sequence[float], both: Integers, concordant: Integers) -> Floats:
    """Return log Pr(both | the number of concordant pairs) at one table of probabilities."""
    p, _, _, neither = cells
    share, left = float(_share(p, neither)), float(_share(neither, p))
    return log_binomial(both, concordant - both, share, left)


def mean_discordant(shapes: Sequence[float], first: Integers, second: Integers, n: float) -> Floats:
    """Return Pr(first_only, second_only) with the probabilities drawn from a Dirichlet, (m,).

    It is the product of two beta-binomial probabilities.

    Args:
        shapes: of the distribution: both, first_only, second_only and neither.
        first, second: the counts, shape (m,).
        n: the number of pairs.
    """
    both, a, b, neither = shapes
    of_first = beta_binomial(first, np.full(first.size, float(n)), a, b + both + neither)
    return of_first * beta_binomial(second, n - first.astype(np.float64), b, both + neither)


def mean_both(shapes: Sequence[float], both: Integers, concordant: Integers) -> Floats:
    """Return Pr(both | the number of concordant pairs) under a Dirichlet, shape (m,)."""
    return beta_binomial(both, concordant.astype(np.float64), shapes[0], shapes[3])


def beta_binomial(x: Integers, n: Floats, a: float, b: float) -> Floats:
    """Return Pr(X = x) of Bin(n, p) with p ~ Beta(a, b), shape (m,).

    It is b(x; n, p) f(p; a, b) / f(p; a + x, b + n − x) at the posterior mean p: the quotient is
    the same at every p, and no log-gamma difference is taken there.
    """
    counts = x.astype(np.float64)
    before = Beta(np.full(x.size, a), np.full(x.size, b))
    after = Beta(counts + a, (n - counts) + b)
    total = after.a + after.b
    mean = UnitPoints(after.a / total, after.b / total)
    log_pmf = log_binomial(counts, n - counts, mean.p, mean.q)
    return np.exp(log_pmf + before.logpdf(mean) - after.logpdf(mean))


def _share(part: npt.ArrayLike, rest: npt.ArrayLike) -> Floats:
    """Return part/(part + rest), and 0 where both are 0 and nothing is left to share."""
    part, rest = np.asarray(part, np.float64), np.asarray(rest, np.float64)
    whole = part + rest
    return np.asarray(part / np.where(whole > 0, whole, 1.0))
