"""The equal-tailed exact interval for a proportion of a finite population."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.methods.finite_population.tails import TIE, log_odds
from harness.methods.method import LimitPair
from harness.numerics.arrays import Bools, Floats, Positions
from harness.numerics.root_finding import largest_true
from harness.posteriors.beta import Beta

_SECANT_STEPS = 8
_NEXT = 0.2
"""Steps of M below which the search goes on from whole number to whole number."""


def hypergeometric_exact(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """L = M_L/N, the smallest M with Pr(X ≥ x | M) > ``tail``; U = M_U/N, the largest M with
    Pr(X ≤ x | M) > ``tail``; x ≤ M ≤ N − n + x.

    X is the number of successes among n cases that are drawn without replacement from N, of which
    M are successes. The limits lie on the lattice M/N, and at n = N both are x/n. Never misses
    more often than nominal at any M/N, and mostly less often. In a large population the limits are
    Clopper-Pearson's. A tail that differs from ``tail`` by less than 1e-13 of itself counts as
    equal to it.

    Buonaccorsi (1987), Am. Stat. 41, 215–218; Konijn (1973), Statistical Theory of Sample Survey
    Design and Analysis.

    Args:
        data: x, n and N, shape (m,) each; N at most 10^15.
        tail: the probability of each tail, in (0, 1).
    """
    x, n, population = data
    mirrored = (np.concatenate((x, n - x)), np.tile(n, 2), np.tile(population, 2))
    rows, back = np.unique(np.stack(mirrored), axis=1, return_inverse=True)
    smallest = smallest_marked(rows[0], rows[1], rows[2], tail)[back]
    return smallest[: x.size] / population, (population - smallest[x.size :]) / population


def smallest_marked(x: Floats, n: Floats, population: Floats, tail: float) -> Floats:
    """Return the smallest M with Pr(X ≥ x | M) > ``tail``, shape (m,)."""
    found = np.zeros(x.size)
    some = np.flatnonzero(x > 0)
    x, n, population = x[some], n[some], population[some]
    goal = np.log(tail) - np.log1p(-tail) + TIE

    def is_below(k: Floats, index: Positions) -> Bools:
        marked = x[index] - 2.0 + k
        return np.asarray(log_odds(x[index], n[index], marked, population[index]) <= goal)

    # No outcome reaches x at M = x − 1, and each does at M = N − n + x.
    start = _continuous(x, n, population, tail, goal)
    last = largest_true(is_below, np.floor(start) - x + 2.0, population - n + 1.0)
    found[some] = x - 1.0 + last
    return found


def _continuous(x: Floats, n: Floats, population: Floats, tail: float, goal: float) -> Floats:
    """Return about the real M at which Pr(X ≥ x | M) is ``tail``, by the secant method.

    It begins at the limit of independent trials, drawn towards the estimate as the standard
    deviation is, and at the point that the normal law's slope leads to from there.
    """
    low, high = x - 1.0, population - n + x
    inner = 1e-3 * (high - low)
    drawn = (population - n) / np.maximum(population - 1.0, 1.0)
    limit = Beta(x, n - x + 1.0).ppf(tail).value
    guess = population * (x / n + (limit - x / n) * np.sqrt(drawn))
    before = np.clip(guess, low + inner, high - inner)
    value = log_odds(x, n, before, population) - goal
    z = float(ndtri(tail))
    spread = np.sqrt(before * (population - before) / n * np.maximum(drawn, 1.0 / population))
    moved = value * spread * tail * (1.0 - tail) * np.sqrt(2.0 * np.pi) * np.exp(0.5 * z * z)
    here: Floats = np.clip(before - moved, low + inner, high - inner)
    active = np.flatnonzero(np.abs(here - before) > _NEXT)
    for _ in range(_SECANT_STEPS):
        old, now = before[active], here[active]
        value_now = log_odds(x[active], n[active], now, population[active]) - goal
        with np.errstate(divide="ignore", invalid="ignore"):
            following = now - value_now * (now - old) / (value_now - value[active])
        usable = (following > low[active]) & (following < high[active])
        active, now, following = active[usable], now[usable], following[usable]
        before[active], here[active], value[active] = now, following, value_now[usable]
        active = active[np.abs(following - now) > _NEXT]
    return here
