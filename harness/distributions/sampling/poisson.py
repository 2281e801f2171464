"""The number of events at a constant rate: X ~ Poisson(rate · exposure)."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Floats, Integers
from harness.base.numerics.special import log_poisson
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.sampling.law import NATS, bernstein_reach, bernstein_reaches
from harness.distributions.sampling.thinned_draws import thinned_poisson

thinned = thinned_poisson


def draw(
    rate: npt.ArrayLike, exposure: float, rng: np.random.Generator, count: int | None = None
) -> Integers:
    """Draw one outcome for each rate, or ``count`` for a single rate; shape (t,) or (count,)."""
    return rng.poisson(np.asarray(rate, np.float64) * exposure, count)


def window(low: float, high: float, exposure: float, nats: float = NATS) -> tuple[int, int]:
    """The first and the last outcome with a non-negligible probability for a rate in [low, high].

    Outcomes outside have a total probability below 2 exp(−nats).
    """
    first, last = low * exposure, high * exposure
    first, last = first - bernstein_reach(first, nats), last + bernstein_reach(last, nats)
    return max(0, math.floor(first)), math.ceil(last)


def windows(rate: Floats, exposure: float) -> tuple[Integers, Integers]:
    """The ends of the ``window`` of each rate alone, shape (t,) each."""
    mean = rate * exposure
    reach = bernstein_reaches(mean)
    first, last = np.floor(mean - reach), np.ceil(mean + reach)
    return np.maximum(first, 0).astype(np.int64), last.astype(np.int64)


def mean(rate: Floats, exposure: float) -> Floats:
    """Return the mean exposure·rate."""
    return exposure * rate


def largest_outcome(exposure: float) -> float:
    """inf: outcomes are unbounded."""
    return math.inf


def pmf(x: npt.ArrayLike, rate: npt.ArrayLike, exposure: float | Floats) -> Floats:
    """Pr(X = x | rate), broadcast over x and the rate."""
    return np.exp(log_poisson(x, np.asarray(rate, np.float64) * exposure))


def ratio(x: Integers, rate: Floats, exposure: float) -> Floats:
    """Pr(X = x + 1 | rate) / Pr(X = x | rate) = exposure·rate/(x + 1), broadcast."""
    return np.asarray(exposure * rate / (x + 1.0))


def cdf(x: Integers | Floats, rate: Floats, exposure: float | Floats) -> Floats:
    """Pr(X ≤ x | rate) for x ≥ 0: the upper tail of Gamma(x + 1, exposure); one shape."""
    return _waiting_time(x, exposure).sf(rate)


def sf(x: Integers, rate: Floats, exposure: float) -> Floats:
    """Pr(X > x | rate) for x ≥ 0: the lower tail of Gamma(x + 1, exposure); one shape."""
    return _waiting_time(x, exposure).cdf(rate)


def _waiting_time(x: Integers | Floats, exposure: float | Floats) -> Gamma:
    """The waiting time for event x + 1, whose tails are right where ``gammainc`` alone is not.

    ``gammainc`` is wrong in the far tails of a large shape.
    """
    return Gamma(x.astype(np.float64) + 1.0, np.full(x.shape, exposure))


def minus_cdf_derivative(x: Integers, rate: Floats, exposure: float) -> Floats:
    """−d/dr Pr(X ≤ x | r) = exposure · Pr(X = x | r), broadcast."""
    return exposure * pmf(x, rate, exposure)


def variance_stabilized(rate: npt.ArrayLike, exposure: float) -> Floats:
    """2√(rate · exposure)."""
    return np.asarray(2.0 * np.sqrt(np.asarray(rate, np.float64) * exposure))


def from_variance_stabilized(value: npt.ArrayLike, exposure: float) -> Floats:
    """(value/2)² / exposure."""
    return np.asarray((np.asarray(value) / 2.0) ** 2 / exposure)
