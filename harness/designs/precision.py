"""Fractions of trials that miss: their errors and intervals, and trials until these are narrow.

A count is told to miss without its interval: the minimal-length interval contains p if and only if
the posterior probability of lower densities than that of p is at least alpha. This costs a tenth
of the interval.

Trials that end by precision aim at a 95 % interval of the actual alpha of every column that reaches
at most ±h.

Where the alpha of every column is known exactly, the number of trials is fixed beforehand from it,
and intervals are those of any other run. Elsewhere looks are planned beforehand: after 2^14 trials
(2^10 where limits are drawn), then at each doubling, at last after the most trials allowed. Trials
stop at the first of the K looks at which every interval is narrow enough. The intervals are those
of Clopper and Pearson at 0.05/K at the look: at each of the K looks an interval misses its
probability with at most 0.05/K, so that the one at which the trials stop, whatever decides it,
misses with at most 0.05. In the same way a p-value times K keeps its level.

The estimate itself is biased by stopping, for an estimate of alpha < 1/2 that is too small by
chance stops earlier.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincc, ndtri

from harness.base.numerics.arrays import Bools, Floats, Integers, Positions, distinct_columns
from harness.base.numerics.points import UnitPoints
from harness.base.numerics.root_finding import SMALL_RESIDUAL, largest_true
from harness.designs.design import Scenario
from harness.designs.engines.monte_carlo import SHARD, Shard
from harness.distributions import criteria
from harness.distributions.posteriors.beta import Beta
from harness.families import proportion
from harness.methods.proportion import clopper_pearson

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


FIRST_LOOK, FIRST_LOOK_DRAWN = 1 << 14, 1 << 10
"""The trials of the first look, and where any method draws its limits."""

PROBABILITY = 0.999
"""The least probability with which a fixed number of trials is enough for a column."""


@dataclass(frozen=True)
class Aim:
    """A half-width that the intervals of a scenario are to reach, and how its trials end."""

    half_width: float
    most: int
    """The most trials of the scenario."""
    looks: tuple[int, ...]
    """The numbers of trials of the planned looks, ascending; none where the number of trials is
    fixed from exact alphas."""

    def reached(self, misses: Integers, trials: int) -> bool:
        """Whether the interval of every column is narrow enough.

        Args:
            misses: of each column, shape (k,).
            trials: of all of them.
        """
        widths = half_width(misses, np.full_like(misses, trials), len(self.looks))
        return bool((widths <= self.half_width).all())


def planned_looks(most: int, first: int) -> tuple[int, ...]:
    """Return the trials of the planned looks: ``first``, doubled again and again, and ``most``.

    Example:
        >>> planned_looks(10_000, 1024)
        (1024, 2048, 4096, 8192, 10000)
    """
    doubled = [first << i for i in range((max(most, 1) // first).bit_length())]
    return (*(trials for trials in doubled if trials < most), most)


def certain_look(aim: float, looks: Sequence[int]) -> int:
    """Return the number of looks up to the first one that is narrow enough for any count.

    At that look all trials end, so that later ones are planned but never made; all looks if even
    the last one may be too wide.
    """
    trials = np.array(looks, np.int64)
    narrow = half_width(trials // 2, trials, len(looks)) <= aim
    return int(np.argmax(narrow)) + 1 if narrow.any() else len(looks)


def shards_between_looks(
    scenario: Scenario, looks: Sequence[int], seed: int
) -> tuple[list[Shard], list[int]]:
    """Return the shards of a scenario, in order, and how many of them end at or before each look.

    They are as large as the gap to the next look, and at most 2^20 trials.
    """
    shards: list[Shard] = []
    ends = []
    start = 0
    for look in looks:
        while start < look:
            trials = min(SHARD, look - start)
            shards.append(Shard(scenario, len(shards), start, trials, seed, None))
            start += trials
        ends.append(len(shards))
    return shards, ends


def estimate_interval(misses: Integers, trials: Integers, looks: int) -> tuple[Floats, Floats]:
    """Return the 95 % interval of each fraction misses/trials, for trials ≥ 1.

    Args:
        misses: of any shape.
        trials: of the same shape.
        looks: the number of planned looks at which the trials might have stopped; 0 where their
            number was fixed.

    Returns:
        The lower and the upper limits: of Clopper and Pearson at 0.05/looks, or for a fixed number
        of trials those of ``fraction_interval``.
    """
    if not looks:
        return fraction_interval(misses, trials)
    pairs, back = distinct_columns(misses.ravel(), trials.ravel())
    x, n = pairs.astype(np.float64)
    lower, upper = clopper_pearson((x, n), 0.5 * INTERVAL_ALPHA / looks)
    return lower[back].reshape(misses.shape), upper[back].reshape(misses.shape)


def half_width(misses: Integers, trials: Integers, looks: int) -> Floats:
    """Return half the length of ``estimate_interval``, of the shape of the arguments."""
    lower, upper = estimate_interval(misses, trials, looks)
    return 0.5 * (upper - lower)


def fixed_trials(alpha: Floats, aim: float, most: int) -> Integers:
    """Return the numbers of trials that are enough where alpha is known, at most ``most``.

    It is the smallest N at which the interval of M/N, M ~ Binomial(N, alpha), has a half-width of
    at most ``aim`` with a probability of at least 0.999. For an alpha above 1/2, failures take the
    place of misses; near 1/2 counts above N/2, whose intervals are narrower again, do not count as
    narrow enough.

    Args:
        alpha: the exact alphas, shape (k,).
        aim: the half-width asked for.
        most: the largest number that is returned.

    Returns:
        The numbers, shape (k,).
    """
    p = np.minimum(alpha, 1.0 - alpha)
    # The half-width falls about as the square root of the number of trials.
    guess = np.ones_like(p)
    for _ in range(5):
        ratio = _widest(_likely(p, guess), guess) / aim
        guess = np.clip(np.ceil(guess * ratio * ratio), 1.0, most)
    trials = _smallest(lambda n, index: _widest(_likely(p[index], n), n) > aim, guess, most)
    # It rises with each step of the likely count, so that fewer trials may be enough too: the
    # smallest number for one of the counts just below.
    count = np.maximum(_likely(p, trials) - np.array([[1.0], [2.0]]), 0.0)
    fixed, probabilities = count.ravel(), np.tile(p, 2)
    tried = _smallest(lambda n, index: _widest(fixed[index], n) > aim, np.tile(trials, 2), most)
    tried = np.where(_likely(probabilities, tried) <= fixed, tried, most).reshape(count.shape)
    fewest: Integers = np.minimum(trials, tried.min(axis=0)).astype(np.int64)
    return fewest


def _smallest(too_few: Callable[[Floats, Positions], Bools], guess: Floats, most: int) -> Floats:
    """Return the smallest numbers of trials, from 1 on, that are not too few; at most ``most``."""
    largest = np.full(guess.shape, float(most))
    return largest_true(lambda k, index: too_few(k - 1.0, index), guess, largest)


def _likely(p: Floats, trials: Floats) -> Floats:
    """Return the smallest m with Pr(M ≤ m) ≥ 0.999 for M ~ Binomial(trials, p), p ≤ 1/2."""

    def is_below(k: Floats, index: Positions) -> Bools:
        """Whether m = k − 2 is too small."""
        n = trials[index]
        inside = k - 1.0 <= n - 1.0
        up_to = betaincc(
            np.where(inside, k - 1.0, 1.0), np.where(inside, n - k + 2.0, 1.0), p[index]
        )
        return inside & (up_to < PROBABILITY)

    start = 2.0 + trials * p + 3.0 * np.sqrt(trials * p)
    return largest_true(is_below, start, trials + 1.0) - 1.0


def _widest(count: Floats, trials: Floats) -> Floats:
    """Return the largest half-width of a fixed number of trials with at most ``count`` misses.

    The interval is longer the nearer the misses are to half of the trials.
    """
    m = np.minimum(count, trials // 2)
    return half_width(m.astype(np.int64), trials.astype(np.int64), looks=0)
