"""The number of successes in n independent trials: X ~ Binomial(n, p)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt
from scipy.special import betainc, betaincc

from harness.base.numerics.arrays import Floats, Integers
from harness.base.numerics.special import log_binomial
from harness.distributions.sampling.law import NATS, bernstein_reach, bernstein_reaches
from harness.distributions.sampling.thinned_draws import thinned_binomial

thinned = thinned_binomial


def draw(
    p: npt.ArrayLike, n: float, rng: np.random.Generator, count: int | None = None
) -> Integers:
    """Draw one outcome for each p, or ``count`` outcomes for a single p; shape (t,) or (count,)."""
    return rng.binomial(int(n), np.asarray(p, np.float64), count)


def window(low: float, high: float, n: float, nats: float = NATS) -> tuple[int, int]:
    """The first and the last outcome with a non-negligible probability for a p in [low, high].

    Outcomes outside have a total probability below 2 exp(−nats).
    """
    first = n * low - bernstein_reach(n * low * (1.0 - low), nats)
    last = n * high + bernstein_reach(n * high * (1.0 - high), nats)
    return max(0, math.floor(first)), min(int(n), math.ceil(last))


def windows(p: Floats, n: float) -> tuple[Integers, Integers]:
    """The ends of the ``window`` of each p alone, shape (t,) each."""
    mean = n * p
    reach = bernstein_reaches(mean * (1.0 - p))
    first, last = np.floor(mean - reach), np.ceil(mean + reach)
    return np.maximum(first, 0).astype(np.int64), np.minimum(last, int(n)).astype(np.int64)


def mean(p: Floats, n: float) -> Floats:
    """Return n·p."""
    return n * p


def largest_outcome(n: float) -> float:
    """The largest possible outcome: n."""
    return n


def pmf(x: npt.ArrayLike, p: npt.ArrayLike, n: float | Floats) -> Floats:
    """Pr(X = x | p), broadcast over x and p.

    >>> pmf([0, 1, 2], 0.5, 2)
    array([0.25, 0.5 , 0.25])
    """
    x, p = np.asarray(x), np.asarray(p, dtype=np.float64)
    return np.exp(log_binomial(x, n - x, p, 1.0 - p))


def ratio(x: Integers, p: Floats, n: float) -> Floats:
    """Pr(X = x + 1 | p) / Pr(X = x | p) = (n − x)/(x + 1) · p/(1 − p) for p < 1, broadcast."""
    return np.asarray((n - x) / (x + 1.0) * (p / (1.0 - p)))


def cdf(x: Integers | Floats, p: Floats, n: float | Floats) -> Floats:
    """Pr(X ≤ x | p) for 0 ≤ x < n, broadcast."""
    return np.asarray(betaincc(x + 1.0, n - x.astype(np.float64), p))


def sf(x: Integers, p: Floats, n: float) -> Floats:
    """Pr(X > x | p) for 0 ≤ x < n, broadcast."""
    return np.asarray(betainc(x + 1.0, n - x.astype(np.float64), p))


def minus_cdf_derivative(x: Integers, p: Floats, n: float) -> Floats:
    """−d/dp Pr(X ≤ x | p) = n·b(x; n − 1, p), broadcast."""
    return n * pmf(x, p, n - 1)


def variance_stabilized(p: npt.ArrayLike, n: float) -> Floats:
    """2√n arcsin √p."""
    return np.asarray(2.0 * math.sqrt(n) * np.arcsin(np.sqrt(p)))


def from_variance_stabilized(value: npt.ArrayLike, n: float) -> Floats:
    """sin²(value / 2√n)."""
    return np.asarray(np.sin(np.asarray(value) / (2.0 * math.sqrt(n))) ** 2)
