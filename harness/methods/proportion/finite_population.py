"""Intervals for a proportion of a finite population, by hypergeometric probabilities."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats, Integers, Positions, distinct_columns
from harness.base.numerics.root_finding import largest_true
from harness.distributions.posteriors.beta import Beta
from harness.distributions.sampling.laws.hypergeometric import Hypergeometric
from harness.families.family import Data
from harness.methods.method import LimitPair

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


_SECANT_STEPS = 8
_NEXT = 0.2
"""Steps of M below which the search goes on from whole number to whole number."""


def hypergeometric_exact(data: Data, tail: float) -> LimitPair:
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
    both = np.concatenate((x, n - x))
    rows, back = distinct_columns(both, np.tile(n, 2), np.tile(population, 2))
    smallest = smallest_marked(rows[0], rows[1], rows[2], tail)[back]
    return smallest[: x.size] / population, (population - smallest[x.size :]) / population


def smallest_marked(x: Floats, n: Floats, population: Floats, tail: float) -> Floats:
    """Return the smallest M with Pr(X ≥ x | M) > ``tail``, shape (m,)."""
    smallest = np.zeros(x.size)
    some = np.flatnonzero(x > 0)
    x, n, population = x[some], n[some], population[some]
    goal = np.log(tail) - np.log1p(-tail) + TIE

    def is_below(k: Floats, index: Positions) -> Bools:
        marked = x[index] - 2.0 + k
        return np.asarray(log_odds(x[index], n[index], marked, population[index]) <= goal)

    # No outcome reaches x at M = x − 1, and each does at M = N − n + x.
    start = _continuous(x, n, population, tail, goal)
    last = largest_true(is_below, np.floor(start) - x + 2.0, population - n + 1.0)
    smallest[some] = x - 1.0 + last
    return smallest


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


LARGEST_POPULATION = 10**5
"""The largest N, since the coverage at every M is computed."""

_TABLES = 16
"""How many tables of limits are kept."""
_TABLES_AT_ONCE = 2**20
"""The largest number of probabilities that are in memory at once."""
_PASSED = 64
"""How many M a limit is moved over at first; then twice as many."""


def hypergeometric_wang(data: Data, alpha: float) -> LimitPair:
    """The equal-tailed interval, shrunk outcome by outcome while the coverage at every M allows it.

    X is the number of successes among n cases that are drawn without replacement from N, of which
    M are successes. The interval of x begins as the M from M_L to M_U of ``hypergeometric_exact``.
    From the middle outcomes n/2 to the outer ones 0 and n, the limits of x and, mirrored, those of
    n − x are moved inwards as long as the coverage Σ_x Pr(x | M) over the x whose interval holds M
    is at least 1 − alpha at every M.

    The interval is admissible among those that mirror, with M_U(x) = N − M_L(n − x): no such pair
    of limits can be moved further. It lies inside the equal-tailed interval, never misses more
    often than nominal at any M/N, and rises with x. It need not be nested in alpha, has no
    one-sided form, and need not hold x/n where nearly all cases are drawn or alpha is large. N is
    at most 10^5.

    Wang (2015), J. Am. Stat. Assoc. 110, 1491–1499; Wang (2014), Stat. Sinica 24, 1389–1410, for
    the construction of a binomial interval from the middle outwards. At N = 2000, n = 10 and alpha
    = 0.05 all limits are those of the author's R package ExactCIone. The lower limit of x ≤ n/2 is
    moved before that of n − x; up to an alpha of 0.5 the order of the two made no difference at N
    ≤ 40.

    Args:
        data: x, n and N, shape (m,) each.
        alpha: the probability of both tails together, in (0, 1).
    """
    x, n, population = data
    lower, upper = np.empty(x.size), np.empty(x.size)
    pairs, back = distinct_columns(n, population)
    for place, (cases, size) in enumerate(pairs.T):
        here = np.flatnonzero(back == place)
        table = smallest_marked_of_all(int(cases), int(size), alpha)
        count = x[here].astype(np.intp)
        lower[here] = table[count] / size
        upper[here] = (size - table[int(cases) - count]) / size
    return lower, upper


@lru_cache(maxsize=_TABLES)
def smallest_marked_of_all(n: int, population: int, alpha: float) -> Integers:
    """Return M_L of the outcomes 0 … n, shape (n + 1,); M_U(x) is N − M_L(n − x)."""
    table = _Table.equal_tails(n, population, alpha)
    for x in range(n // 2, -1, -1):
        table.shrink(x)
        if 2 * x != n:
            table.shrink(n - x)
    table.lowest.flags.writeable = False
    return table.lowest


def _reach(n: int, marked: int, population: int, negligible: float) -> int:
    """How far from the mean an outcome is at most, at this M and at twice it, but for a negligible
    probability.

    X is a sum of independent Bernoulli variables, since its generating function has real roots
    only, and Bernstein's inequality holds for it.
    """
    share = min(0.5, 2.0 * max(marked, population // n, 1) / population)
    variance = n * share * (1.0 - share) * (population - n) / max(population - 1, 1)
    log = math.log(2.0 / negligible)
    return math.ceil(log / 3.0 + math.sqrt(log * log / 9.0 + 2.0 * log * variance)) + 2


@dataclass
class _Table:
    """The lower limits of all outcomes while they are moved, with the miss probability at each M.

    Every move is mirrored: as M leaves the interval of x, N − M leaves that of n − x.
    """

    n: int
    population: int
    alpha: float
    lowest: Integers
    """M_L of each outcome, shape (n + 1,)."""
    missed: Floats
    """The probability of a miss at each M, shape (N + 1,)."""
    entering: Floats
    """Pr(X = x) at the M_L(x) of equal tails, shape (n + 1,)."""

    @classmethod
    def equal_tails(cls, n: int, population: int, alpha: float) -> _Table:
        """The equal-tailed limits of every outcome, and what they miss.

        Let a(M) be the largest x with Pr(X ≥ x | M) > alpha/2. It rises with M by one at most, so
        that M_L(x) is the first M with a(M) = x.
        """
        level = alpha / 2.0 * (1.0 + TIE)
        law = Hypergeometric(population)
        largest = np.empty(population + 1, np.int64)
        above, at_largest = np.empty(population + 1), np.empty(population + 1)
        start = 0
        while start <= population:
            reach = _reach(n, start, population, alpha * 2.0**-56)
            rows = max(1, min(_TABLES_AT_ONCE // (3 * reach), reach * population // n))
            marked = np.arange(start, min(start + rows, population + 1))
            first = max(0, n * start // population - reach)
            last = min(n, n * int(marked[-1]) // population + reach)
            mass = law.probabilities(marked / population, n, first, last)
            tails = np.cumsum(mass[:, ::-1], axis=1)[:, ::-1]
            place = np.count_nonzero(tails > level, axis=1) - 1
            here, row = slice(start, start + marked.size), np.arange(marked.size)
            largest[here] = first + place
            at_largest[here] = mass[row, place]
            beyond = np.minimum(place + 1, last - first)
            above[here] = np.where(beyond > place, tails[row, beyond], 0.0)
            start += marked.size
        lowest = np.searchsorted(largest, np.arange(n + 1)).astype(np.int64)
        missed, entering = above + above[::-1], at_largest[lowest]
        return cls(n, population, alpha * (1.0 + TIE), lowest, missed, entering)

    def shrink(self, x: int) -> None:
        """Move the lower limit of x upwards as far as the coverage at every M allows."""
        width, mass = _PASSED, float(self.entering[x])
        while True:
            count = min(width, self._free(x))
            if count < 1:
                return
            passed, mass = self._passed(x, count, mass)
            self.lowest[x] += passed
            if passed < count:
                return
            width *= 2

    def _free(self, x: int) -> int:
        """How many M can be tried at once: neither half of a mirrored pair twice, nor the last."""
        low, population = int(self.lowest[x]), self.population
        if 2 * x == self.n:
            return population // 2 - low
        inside = population - int(self.lowest[self.n - x]) - low
        if 2 * low < population:
            return min(inside, (population + 1) // 2 - low)
        return min(inside, 1) if 2 * low == population else inside

    def _passed(self, x: int, count: int, mass: float) -> tuple[int, float]:
        """Take the next M from the interval of x, up to ``count``; how many, and the next mass."""
        n, population = self.n, self.population
        low = int(self.lowest[x])
        marked = low + np.arange(count, dtype=np.float64)
        ratios = (marked + 1.0) * np.maximum(population - marked - n + x, 0.0)
        ratios /= (marked + 1.0 - x) * (population - marked)
        masses = mass * np.concatenate(([1.0], np.cumprod(ratios)))
        twice = 2.0 if 2 * low == population else 1.0
        here = slice(low, low + count)
        allowed = self.missed[here] + twice * masses[:-1] <= self.alpha
        passed = count if allowed.all() else int(np.argmin(allowed))
        gone = slice(low, low + passed)
        self.missed[gone] += twice * masses[:passed]
        if twice == 1.0:
            self.missed[::-1][gone] += masses[:passed]
        return passed, float(masses[passed])
