"""Stopped trials without a harness around them: their law, exact, and runs drawn from it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import binom

from harness.base.numerics.arrays import Bools, Floats, Integers
from harness.designs.precision import estimate_interval, half_width


@dataclass(frozen=True)
class Stop:
    """The counts at one look with the probability to stop there with each of them."""

    trials: int
    misses: Integers
    probability: Floats
    lower: Floats
    upper: Floats


def stops(alpha: float, aim: float, looks: Sequence[int]) -> Iterator[Stop]:
    """Yield the law of the trials of one method, by a Markov chain over the looks.

    Counts with a probability of less than 1e-18 at a step are left out, and so are looks that are
    made with a probability of less than 1e-15.
    """
    state, before = np.ones(1), 0
    for look in looks:
        step, before = look - before, look
        most = int(min(step, binom.isf(1e-18, step, alpha) + 2)) if step * alpha > 0 else 0
        state = np.convolve(state, binom.pmf(np.arange(most + 1), step, alpha))
        misses = np.arange(state.size)
        lower, upper = estimate_interval(misses, np.full_like(misses, look), len(looks))
        ends = (0.5 * (upper - lower) <= aim) | (look == looks[-1])
        yield Stop(look, misses[ends], state[ends], lower[ends], upper[ends])
        state = np.where(ends, 0.0, state)
        if state.sum() < 1e-15:
            return


def coverage(alpha: float, found: Sequence[Stop]) -> float:
    """The probability that the interval at the stop has alpha."""
    covered = [each.probability[(each.lower <= alpha) & (alpha <= each.upper)] for each in found]
    return float(sum(part.sum() for part in covered))


def bias(alpha: float, found: Sequence[Stop]) -> float:
    """The bias of the estimate at the stop, relative to alpha."""
    mean = sum((each.probability * each.misses / each.trials).sum() for each in found)
    return float(mean / alpha - 1.0)


@dataclass(frozen=True)
class Runs:
    """Simulated runs: misses of each method in each run at its stop, shape (k, runs)."""

    trials: Integers
    """Of each run, shape (runs,)."""
    misses: Integers
    covered: Bools


def simulated(
    alphas: Sequence[float], aim: float, looks: Sequence[int], runs: int, seed: int
) -> Runs:
    """Draw runs of methods whose misses lie within each other, until all are narrow enough.

    Args:
        alphas: of the methods, ascending.
        aim: the half-width.
        looks: planned.
        runs: how many.
        seed: of the draws.
    """
    rng = np.random.default_rng(seed)
    parts = np.diff([0.0, *alphas, 1.0])
    misses = np.zeros((len(alphas), runs), np.int64)
    trials = np.zeros(runs, np.int64)
    going, before = np.arange(runs), 0
    for look in looks:
        drawn = rng.multinomial(look - before, parts, size=going.size)
        misses[:, going] += np.cumsum(drawn[:, :-1], axis=1).T
        trials[going], before = look, look
        widths = half_width(misses[:, going], np.full((len(alphas), going.size), look), len(looks))
        going = going[(widths > aim).any(axis=0)]
    lower, upper = estimate_interval(misses, np.broadcast_to(trials, misses.shape), len(looks))
    known = np.array(alphas)[:, np.newaxis]
    return Runs(trials, misses, (lower <= known) & (known <= upper))
