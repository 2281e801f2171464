"""Draws without replacement from a finite population: X ~ Hypergeometric(N, M, n)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.base.numerics.special import log_binomial
from harness.distributions.sampling import binomial
from harness.distributions.sampling.law import Law, Setting
from harness.distributions.sampling.laws.mixtures import probabilities

LARGEST_OF_NUMPY = 10**6
"""The largest population of NumPy's generator: it takes differences of log-gammas of N, of which
10^6 leaves nine digits, and refuses 10^9."""
CLOSE = 2.0**-50
"""The largest relative distance of a truth from M/N, the rounding of a few operations; of one below
1/4, as 1 − 0.999, relative to 1/4."""


@dataclass(frozen=True)
class Hypergeometric(Law):
    """n draws without replacement from a population of N, of which M = pN are successes.

    The mean of X is np and its variance np(1 − p)(N − n)/(N − 1). Parameters are M/N with whole
    numbers M, and every function takes the nearest M to pN.

        Pr(X = x + 1)/Pr(X = x) = (M − x)(n − x)/((x + 1)(N − M − n + x + 1)).

    It is unimodal: Pr(X ≤ x) falls by n/N·Pr(X' = x) as M rises by 1, where X' are n − 1 draws from
    N − 1 with M successes; the ratio of such terms at b and at a − 1 rises with M.
    """

    population: int
    """The size N of the population, at most 10^15."""
    name: ClassVar[str] = "hypergeometric"
    model: ClassVar[str] = "proportion"
    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("population", 1, 10**15, "the size of the population", is_whole=True),
    )
    summary: ClassVar[str] = "trials are drawn without replacement from a finite population"

    @property
    def title(self) -> str:
        return f"of a population of {self.population}"

    @property
    def lattice(self) -> int | None:
        """N, of which parameters are M/N."""
        return self.population

    def validate_size(self, size: float) -> None:
        """Refuse a sample larger than the population.

        Raises:
            InputError: it is larger.
        """
        if size > self.population:
            raise InputError(
                f"n should be at most the population, {self.population}, found {size:.16g}"
            )

    def validate_truth(self, value: float) -> None:
        """Refuse a proportion that the population cannot have.

        Raises:
            InputError: it is not M/N up to its rounding; the message names the
                nearest proportions.
        """
        successes = value * self.population
        nearest = round(successes)
        rounding = CLOSE * max(successes, 0.25 * self.population) if nearest else 0.0
        if abs(successes - nearest) > rounding:
            below = math.floor(successes)
            near = " or ".join(f"{m / self.population:.16g}" for m in (below, below + 1))
            raise InputError(
                f"p should be M/{self.population} with a whole number M, such as {near}, "
                f"found {value:.16g}"
            )

    def _successes(self, parameter: npt.ArrayLike) -> Integers:
        whole = np.rint(np.asarray(parameter, np.float64) * self.population)
        return np.asarray(np.clip(whole, 0, self.population), np.int64)

    def draw(
        self,
        parameter: npt.ArrayLike,
        size: float,
        rng: np.random.Generator,
        count: int | None = None,
    ) -> Integers:
        """Draw an outcome for each p, or ``count`` outcomes for a single p."""
        successes, n = self._successes(parameter), int(size)
        if self.population <= LARGEST_OF_NUMPY:
            drawn = rng.hypergeometric(successes, self.population - successes, n, count)
            return np.asarray(drawn, np.int64)
        shape = successes.shape if count is None else (count,)
        flat = np.broadcast_to(successes, shape).reshape(-1)
        # The draws that are not drawn have the same law.
        if 2 * n > self.population:
            return (flat - _accepted(self.population, flat, self.population - n, rng)).reshape(
                shape
            )
        return _accepted(self.population, flat, n, rng).reshape(shape)

    def mean(self, parameter: Floats, size: float) -> Floats:
        """Return n·M/N."""
        return size * (self._successes(parameter) / self.population)

    def variance(self, parameter: Floats, size: float) -> Floats:
        """Return n·M/N·(1 − M/N)·(N − n)/(N − 1)."""
        m, total = self._successes(parameter), self.population
        left = (total - size) / max(total - 1, 1)
        return np.asarray(size * left * (m / total) * ((total - m) / total))

    def window(self, low: float, high: float, size: float) -> tuple[int, int]:
        """The outcomes that count at any p in [low, high].

        The binomial window holds, because E f(X) of a convex f is no larger than under the binomial
        law (Hoeffding 1963, J. Am. Stat. Assoc. 58, 13–30, theorem 4). So does the window of what
        is left in the population, M − X, which is narrower where more than half are drawn.
        """
        n, total = int(size), self.population
        fewest, most = (int(successes) for successes in self._successes([low, high]))
        first, last = binomial.window(fewest / total, most / total, n)
        most_left = binomial.window(fewest / total, fewest / total, total - n)[1]
        least_left = binomial.window(most / total, most / total, total - n)[0]
        first = max(first, fewest - most_left, n - (total - fewest))
        return first, min(last, most - least_left, most)

    def probabilities(self, parameter: Floats, size: float, first: int, last: int) -> Floats:
        """Pr(X = x) at each p for x = first, …, last; shape (t, last − first + 1)."""
        n, total, successes = int(size), self.population, self._successes(parameter)
        near_mean = np.floor(n * (successes / total)).astype(np.int64)
        least = np.maximum(0, n - (total - successes))

        def up(m: Floats, x: Floats) -> Floats:
            return np.asarray(
                np.maximum(m - x, 0.0) * (n - x) / ((x + 1.0) * (total - n - m + x + 1.0))
            )

        def down(m: Floats, x: Floats) -> Floats:
            others = np.maximum(total - n - m + x, 0.0)
            return np.asarray(x * others / ((m - x + 1.0) * (n - x + 1.0)))

        return probabilities(
            successes.astype(np.float64),
            np.clip(near_mean, least, np.minimum(n, successes)),
            up,
            down,
            self.window(successes.min() / total, successes.max() / total, size),
            first,
            last,
        )


def _accepted(total: int, successes: Integers, n: int, rng: np.random.Generator) -> Integers:
    """Draw by rejection from Binomial(n, M/N), shape (t,); n is at most N/2.

    The ratio of the probabilities to the binomial ones is largest next to (n − 1)M/N, and at least
    one draw in √2 is accepted on average.
    """
    values, which = np.unique(successes, return_inverse=True)
    center = np.floor((n - 1.0) * (values / total))
    least, most = np.maximum(0, n - (total - values)), np.minimum(n, values)
    ends = [np.clip(center + step, least, most) for step in (0.0, 1.0)]
    largest = np.maximum(*(_log_ratio(total, values, n, end) for end in ends))
    drawn = np.empty(successes.size, np.int64)
    pending = np.arange(successes.size)
    while pending.size:
        x = rng.binomial(n, (values / total)[which[pending]])
        # Few pairs of M and x are drawn, each many times.
        pairs, back = np.unique(which[pending] * (n + 1) + x, return_inverse=True)
        value, outcome = np.divmod(pairs, n + 1)
        log_chance = _log_ratio(total, values[value], n, outcome) - largest[value]
        accepted = log_chance[back] >= -rng.standard_exponential(pending.size)
        drawn[pending[accepted]] = x[accepted]
        pending = pending[~accepted]
    return drawn


def _log_ratio(total: int, m: Integers, n: int, x: Integers | Floats) -> Floats:
    """The logarithm of the hypergeometric probability over the binomial one; −inf of none.

    The hypergeometric one is b(x; M, n/N) b(n − x; N − M, n/N) / b(n; N, n/N): Loader (2000).
    """
    chance, rest = n / total, (total - n) / total
    possible = (x <= m) & (n - x <= total - m)
    x = np.where(possible, x, 0)
    inside = log_binomial(x, m - x, chance, rest)
    outside = log_binomial(n - x, (total - m) - (n - x), chance, rest)
    whole = log_binomial(n, total - n, chance, rest)
    bare = log_binomial(x, n - x, m / total, (total - m) / total)
    return np.where(possible, inside + outside - whole - bare, -np.inf)
