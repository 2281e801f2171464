"""Trials until an interval is narrow enough: how many, and what is published then.

The aim is that the 95 % interval of the actual alpha of every column reaches at most ±h.

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
from scipy.special import betaincc

from harness.base.numerics.arrays import Bools, Floats, Integers, Positions, distinct_columns
from harness.base.numerics.root_finding import largest_true
from harness.designs.design import Scenario
from harness.designs.engines.monte_carlo import SHARD, Shard
from harness.designs.fractions import INTERVAL_ALPHA, fraction_interval
from harness.methods.proportion import clopper_pearson

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
    found: list[Shard] = []
    ends = []
    start = 0
    for look in looks:
        while start < look:
            trials = min(SHARD, look - start)
            found.append(Shard(scenario, len(found), start, trials, seed, None))
            start += trials
        ends.append(len(found))
    return found, ends


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
    found = _smallest(lambda n, index: _widest(_likely(p[index], n), n) > aim, guess, most)
    # It rises with each step of the likely count, so that fewer trials may be enough too: the
    # smallest number for one of the counts just below.
    count = np.maximum(_likely(p, found) - np.array([[1.0], [2.0]]), 0.0)
    fixed, each = count.ravel(), np.tile(p, 2)
    tried = _smallest(lambda n, index: _widest(fixed[index], n) > aim, np.tile(found, 2), most)
    tried = np.where(_likely(each, tried) <= fixed, tried, most).reshape(count.shape)
    fewest: Integers = np.minimum(found, tried.min(axis=0)).astype(np.int64)
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
