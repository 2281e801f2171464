"""Fractions of trials that miss: their standard error, their interval, and how often that misses.

A count is told to miss without its interval: the minimal-length interval contains p if and only if
the posterior probability of lower densities than that of p is at least alpha. This costs a tenth
of the interval.
"""

from __future__ import annotations

import numpy as np
from scipy.special import betainc, betaincc, ndtri

from harness.base.numerics.arrays import Floats, Integers, Positions, distinct_columns
from harness.base.numerics.points import UnitPoints
from harness.base.numerics.root_finding import SMALL_RESIDUAL, largest_true
from harness.distributions import criteria
from harness.distributions.posteriors.beta import Beta
from harness.families import proportion

INTERVAL_ALPHA = 0.05
"""The alpha of the intervals of Monte Carlo fractions."""

_INTERVALS_AT_ONCE = 1 << 16
_NEWTON_STEPS = 60
# Closer to alpha, in relative terms, the probability of lower densities does not decide.
_TOO_CLOSE = 1e-7


def standard_error(misses: Integers, trials: Integers) -> Floats:
    """Return √(m(N − m)/N)/N, the standard error of the fraction m/N.

    It is not a number where no trial or every trial missed: the formula gives 0 there, though the
    probability is no better known than ``fraction_interval`` says.
    """
    m, total = misses.astype(np.float64), trials.astype(np.float64)
    error = np.sqrt(m * (total - m) / total) / total
    return np.where((m > 0) & (m < total), error, np.nan)


def fraction_interval(
    misses: Integers, trials: Integers, alpha: float = INTERVAL_ALPHA
) -> tuple[Floats, Floats]:
    """Return the minimal-length interval of each fraction misses/trials, for trials ≥ 1.

    This is method 2 of Ross (2003), section 5.2.1, there at a confidence level of 0.95. Equal
    fractions are solved once. A call costs a millisecond, and an interval among many 25 µs.

    Returns:
        The lower and the upper limits, of the shape of the arguments.
    """
    pairs, position = distinct_columns(misses.ravel(), trials.ravel())
    count, size = pairs.astype(np.float64)
    lower, upper = np.empty((2, count.size))
    for start in range(0, count.size, _INTERVALS_AT_ONCE):
        some = slice(start, start + _INTERVALS_AT_ONCE)
        posterior = proportion.posterior(count[some], size[some], proportion.FLAT_PRIOR)
        low, high = criteria.minimal_length(posterior, alpha)
        lower[some], upper[some] = low.p, high.p
    return lower[position].reshape(misses.shape), upper[position].reshape(misses.shape)


def probability_of_missing(
    trials: Integers, exact: Floats, alpha: float = INTERVAL_ALPHA
) -> Floats:
    """Pr(the interval of M/trials misses ``exact``) with M ~ Binomial(trials, exact).

    The interval's own error rate is not alpha, since M is discrete. Its limits rise with M, so
    that the counts that miss are a head and a tail.

    Args:
        trials: the numbers of trials, shape (c,).
        exact: the probability that each fraction estimates, shape (c,).
        alpha: the alpha of the intervals.

    Returns:
        The probability of each, shape (c,).
    """
    n = trials.astype(np.float64)
    z = -ndtri(alpha / 2)
    # The counts at which a limit is p, but for a few tenths: normal with a term for the skewness.
    centre, reach = n * exact + (1 - 2 * exact) * z * z / 6, z * np.sqrt(n * exact * (1 - exact))

    def side(count: Floats, index: Positions) -> Floats:
        """1 where the interval of count/n lies above p, −1 where below, 0 where it has p."""
        total, p = n[index], exact[index]
        misses = np.minimum(count, total)
        posterior = proportion.posterior(misses, total, proportion.FLAT_PRIOR)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            distance = np.log(_probability_of_lower_density(posterior, UnitPoints.of(p)) / alpha)
        above = np.where(distance < 0, np.sign(misses - total * p), 0.0)
        unclear = np.flatnonzero(~(np.abs(distance) > _TOO_CLOSE))
        if unclear.size:
            counts = misses[unclear].astype(np.int64), total[unclear].astype(np.int64)
            lower, upper = fraction_interval(*counts, alpha)
            above[unclear] = (lower > p[unclear]).astype(np.float64) - (upper < p[unclear])
        return np.where(count > total, 1.0, above)

    # The search is over 2 + M, so that 1 stands for M = −1, at which every interval lies below.
    last_below = largest_true(lambda k, i: side(k - 2, i) < 0, np.ceil(centre - reach) + 1, n + 2)
    last_not_above = largest_true(
        lambda k, i: side(k - 2, i) <= 0, np.floor(centre + reach) + 2, n + 2
    )
    from_below, from_above = last_below - 1, last_not_above - 1
    head = np.where(
        from_below > 0, betaincc(np.maximum(from_below, 1.0), n - from_below + 1.0, exact), 0.0
    )
    tail = np.where(
        from_above <= n,
        betainc(np.maximum(from_above, 1.0), np.maximum(n - from_above, 0.0) + 1.0, exact),
        0.0,
    )
    return head + tail


def _probability_of_lower_density(posterior: Beta, point: UnitPoints) -> Floats:
    """The posterior probability of densities below that of the point; NaN where not found.

    The point of equal density on the other side of the mode is found by Newton's method on the
    logarithm of the density, which is concave in the logit for a, b > 1.
    """
    mode = posterior.mode
    above = posterior.coordinate_difference(mode, point) > 0
    outside = np.where(above, posterior.sf(point), posterior.cdf(point))
    active = np.flatnonzero((mode.p > 0) & (mode.q > 0) & (point.p > 0) & (point.q > 0))
    here, level, peak = posterior.at(active), point.at(active), mode.at(active)
    other = here.shift(peak, here.coordinate_difference(level, peak))
    unsolved = np.ones(active.size, dtype=bool)
    for _ in range(_NEWTON_STEPS):
        if not unsolved.any():
            break
        residual = here.log_density_ratio(level, other)
        step = -residual / here.log_density_slope(other)
        other = other.where(~unsolved, here.shift(other, np.where(unsolved, step, 0.0)))
        unsolved &= ~(np.abs(residual) < SMALL_RESIDUAL)
    beyond = np.where(above[active], here.cdf(other), here.sf(other))
    outside[active] += np.where(unsolved, np.nan, beyond)
    return outside
