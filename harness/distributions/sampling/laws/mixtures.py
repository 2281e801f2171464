"""Counts whose chance varies: trials with one random proportion, and events at a random rate.

Their probabilities are products of the ratios of neighbours, from near the mean outward. A ratio
Pr(X = x + 1)/Pr(X = x) is right to its last bits, so that a product of k ratios is off by about √k
units in the last place. A difference of log-gammas loses as many digits as the log-gammas have
before the point.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Floats, Integers
from harness.distributions.sampling import binomial, poisson
from harness.distributions.sampling.law import RHO, Law, Setting

NEGLIGIBLE = 1e-17
"""The largest part of the probability beyond either end of a window."""
BLOCK = 2**18
"""The number of probabilities computed at once."""
FIRST = 256.0
"""The number of steps taken at first in search of the end of a window."""

Ratio = Callable[[Floats, Floats], Floats]
"""Ratios at parameters, shape (t, 1), and outcomes, shape (t, k) or (k,); broadcast."""
Steps = Callable[[Floats], Floats]
"""A number for each number of steps away from the mean, shape (k,)."""


def probabilities(
    parameter: Floats,
    near_mean: Integers,
    up: Ratio,
    down: Ratio,
    window: tuple[int, int],
    first: int,
    last: int,
) -> Floats:
    """Return Pr(X = x) at each parameter for x = first, …, last.

    Args:
        parameter: shape (t,).
        near_mean: a possible outcome near the mean at each parameter, shape (t,).
        up: Pr(X = x + 1)/Pr(X = x) for x from ``near_mean`` on; elsewhere anything.
        down: Pr(X = x − 1)/Pr(X = x) for x down from ``near_mean``; elsewhere anything.
        window: the first and the last outcome that count, at any of the parameters.
        first: the first outcome asked for.
        last: the last one.

    Returns:
        Probabilities, shape (t, last − first + 1). They are right to about 1e-16·√k for outcomes k
        steps from the mean, down to where they underflow to 0.
    """
    start = min(first, window[0], int(near_mean.min()))
    end = max(last, window[1], int(near_mean.max()))
    x = np.arange(start, end + 1, dtype=np.float64)
    masses = np.empty((parameter.size, last - first + 1))
    rows = max(1, BLOCK // x.size)
    for row in range(0, parameter.size, rows):
        part = slice(row, row + rows)
        at, center = parameter[part, np.newaxis], near_mean[part, np.newaxis]
        relative = np.ones((at.size, x.size))
        below = np.ones((at.size, x.size))
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            np.copyto(relative[:, 1:], up(at, x[:-1]), where=x[:-1] >= center)
            np.copyto(below[:, :-1], down(at, x[1:]), where=x[1:] <= center)
        np.cumprod(relative, axis=1, out=relative)
        relative *= np.cumprod(below[:, ::-1], axis=1)[:, ::-1]
        total = relative.sum(axis=1, keepdims=True)
        masses[part] = relative[:, first - start : last - start + 1] / total
    return masses


def reach(ratio: Steps, bound: Steps, most: float) -> int:
    """The number of steps from an outcome beyond which the probability is negligible.

    The probability beyond k steps is at most Pr(k)·B/(1 − B), where B < 1 is a bound of all ratios
    from k on. Where no bound is below 1, as where the law has a mode at its end, all outcomes
    count.

    Args:
        ratio: the probability k + 1 steps away over that k steps away.
        bound: a bound of the ratio at k and at all numbers above, for k below ``most``.
        most: the number of steps to the last outcome; inf where a bound is below 1 at last.

    Returns:
        The number of steps; the total probability further away is below 1e-17.
    """
    done, mass, last = 0.0, 1.0, 1.0
    if 0.0 < most < np.inf and bound(np.array([most - 1.0]))[0] >= 1.0:
        return int(most)
    while done < most:
        steps = np.arange(done + 1.0, min(2.0 * done + FIRST, done + BLOCK, most) + 1.0)
        relative = last * np.cumprod(ratio(steps - 1.0))
        masses = mass + np.cumsum(relative)
        bounds = bound(steps[steps < most])
        bounded, limit = relative[: bounds.size], NEGLIGIBLE * masses[: bounds.size]
        # Pr(k)·B/(1 − B) ≤ limit, without a division by 0 where B = 1.
        negligible = np.flatnonzero(bounded * bounds <= limit * (1.0 - bounds))
        if negligible.size:
            return int(steps[negligible[0]])
        done, mass, last = float(steps[-1]), float(masses[-1]), float(relative[-1])
    return int(most)


SMALLEST_SHAPE, SMALLEST_CORRELATION = 5e-324, 1e-300
"""What a generator takes as a shape of a Beta distribution."""


@dataclass(frozen=True)
class BetaBinomial(Law):
    """n trials with one proportion P ~ Beta(p(1 − ρ)/ρ, q(1 − ρ)/ρ), where q = 1 − p.

    The mean of X is np and its variance npq(1 + (n − 1)ρ): any two trials have the correlation ρ.
    At ρ = 0 the law is the binomial one. With θ = ρ/(1 − ρ),

        Pr(X = x + 1)/Pr(X = x) = (n − x)/(x + 1) · (p + xθ)/(q + (n − x − 1)θ).

    It is unimodal: Pr(X = x) is a factor of x times one of p times ∫ w^x w^{ps} dν(w), where
    w = u/(1 − u) and s = (1 − ρ)/ρ. That is totally positive in x and p (Karlin 1968, Total
    Positivity).

    Skellam (1948), J. R. Stat. Soc. B 10, 257–261.
    """

    rho: float
    """The correlation ρ of two trials, 0 ≤ ρ < 1."""
    name: ClassVar[str] = "beta_binomial"
    model: ClassVar[str] = "proportion"
    settings: ClassVar[tuple[Setting, ...]] = (RHO,)
    summary: ClassVar[str] = "all trials share one proportion, drawn from a Beta distribution"

    @property
    def title(self) -> str:
        return f"beta-binomial, ρ = {self.rho:.6g}"

    def draw(
        self,
        parameter: npt.ArrayLike,
        size: float,
        rng: np.random.Generator,
        count: int | None = None,
    ) -> Integers:
        """Draw a proportion and an outcome for each p, or ``count`` for a single p."""
        if self.rho == 0.0:
            return binomial.draw(parameter, size, rng, count)
        proportion = draw_proportions(np.asarray(parameter, np.float64), self.rho, rng, count)
        return np.asarray(rng.binomial(int(size), proportion), np.int64)

    def variance(self, parameter: Floats, size: float) -> Floats:
        """Return npq(1 + (n − 1)ρ)."""
        return size * parameter * (1.0 - parameter) * (1.0 + (size - 1.0) * self.rho)

    def window(self, low: float, high: float, size: float) -> tuple[int, int]:
        """The outcomes that count at any p in [low, high]: X increases stochastically with p."""
        if self.rho == 0.0:
            return binomial.window(low, high, size)
        n = int(size)
        return n - self._upper_end(1.0 - low, low, n), self._upper_end(high, 1.0 - high, n)

    def _upper_end(self, p: float, q: float, n: int) -> int:
        """The last outcome that counts at p."""
        theta, start = self.rho / (1.0 - self.rho), min(n, math.floor(n * p))

        def ratio(steps: Floats) -> Floats:
            return _success_ratio(p, q, n, theta, start + steps)

        def bound(steps: Floats) -> Floats:
            # Each of the two factors is monotone in x, so that it is largest here or at its end.
            x = start + steps
            rising = np.maximum((p + x * theta) / (x + 1.0), theta)
            return rising * np.maximum((n - x) / (q + (n - x - 1.0) * theta), 1.0 / q)

        return start + reach(ratio, bound, n - start)

    def probabilities(self, parameter: Floats, size: float, first: int, last: int) -> Floats:
        """Pr(X = x) at each p for x = first, …, last; shape (t, last − first + 1)."""
        p = np.asarray(parameter, np.float64)
        if self.rho == 0.0:
            return binomial.pmf(np.arange(first, last + 1), p[:, np.newaxis], size)
        n, theta = int(size), self.rho / (1.0 - self.rho)
        return probabilities(
            p,
            np.minimum(np.floor(n * p), n).astype(np.int64),
            lambda p, x: _success_ratio(p, 1.0 - p, n, theta, x),
            lambda p, x: _success_ratio(1.0 - p, p, n, theta, n - x),
            self.window(float(p.min()), float(p.max()), size),
            first,
            last,
        )


def _success_ratio(p: float | Floats, q: float | Floats, n: int, theta: float, x: Floats) -> Floats:
    """Pr(X = x + 1)/Pr(X = x); with p and q swapped it is Pr(X = n − x − 1)/Pr(X = n − x).

    Ratios near 1 are 1 plus what exceeds it: the quotient of two nearly equal numbers is rounded
    alike for many x in a row, and a product of 10^5 of them would be off by 3e-12.
    """
    below = (x + 1.0) * (q + (n - x - 1.0) * theta)
    binomial_part = np.where(p <= q, (n * p - q) - x, (n - x) - (n + 1.0) * q)
    near = 1.0 + (binomial_part + theta * (2.0 * x + 1.0 - n)) / below
    return np.where(near > 0.5, near, (n - x) * (p + x * theta) / below)


def draw_proportions(
    p: Floats,
    rho: float | Floats,
    rng: np.random.Generator,
    shape: int | tuple[int, ...] | None = None,
) -> Floats:
    """Draw from Beta(p(1 − ρ)/ρ, q(1 − ρ)/ρ); p itself where it is 0 or 1, or where ρ is 0.

    Args:
        p: the means of the distributions.
        rho: the correlation of two trials, 0 ≤ ρ < 1; of the shape of ``p``, or one for all.
        rng: the source of randomness.
        shape: the shape of the result where it is not that of ``p``, which broadcasts to it.
    """
    concentration = (1.0 - rho) / np.maximum(rho, SMALLEST_CORRELATION)
    a = np.maximum(p * concentration, SMALLEST_SHAPE)
    b = np.maximum((1.0 - p) * concentration, SMALLEST_SHAPE)
    drawn = np.asarray(rng.beta(a, b, shape))
    fixed = (p <= 0.0) | (p >= 1.0) | (np.asarray(rho) <= 0.0)
    return np.where(fixed, p, drawn) if np.any(fixed) else drawn


@dataclass(frozen=True)
class GammaPoisson(Law):
    """X | G ~ Poisson(G) with G ~ Gamma of mean μ = rate · exposure and scale d − 1.

    It is the negative binomial law. The mean of X is μ and its variance dμ; at d = 1 the law is
    Poisson's.

        Pr(X = x + 1)/Pr(X = x) = (μ + x(d − 1))/((x + 1)d).

    It is unimodal: Γ(x + r) = ∫ t^x t^r e^{−t}/t dt with r = μ/(d − 1) is totally positive in x
    and r.

    Greenwood and Yule (1920), J. R. Stat. Soc. 83, 255–279.
    """

    dispersion: float
    """The variance over the mean, d ≥ 1."""
    name: ClassVar[str] = "gamma_poisson"
    model: ClassVar[str] = "rate"
    settings: ClassVar[tuple[Setting, ...]] = (
        Setting("dispersion", 1.0, 1e6, "the variance over the mean"),
    )
    summary: ClassVar[str] = "the mean of the Poisson count is drawn from a gamma distribution"

    @property
    def title(self) -> str:
        return f"gamma-Poisson, dispersion {self.dispersion:.6g}"

    def draw(
        self,
        parameter: npt.ArrayLike,
        size: float,
        rng: np.random.Generator,
        count: int | None = None,
    ) -> Integers:
        """Draw G and an outcome for each rate, or ``count`` for a single rate."""
        if self.dispersion == 1.0:
            return poisson.draw(parameter, size, rng, count)
        mean, scale = np.asarray(parameter, np.float64) * size, self.dispersion - 1.0
        return np.asarray(rng.poisson(rng.gamma(mean / scale, scale, count)), np.int64)

    def variance(self, parameter: Floats, size: float) -> Floats:
        """Return dispersion · exposure · rate."""
        return self.dispersion * (size * parameter)

    def largest_outcome(self, size: float) -> float:
        """inf: outcomes are unbounded."""
        return math.inf

    def window(self, low: float, high: float, size: float) -> tuple[int, int]:
        """The outcomes that count at any rate in [low, high].

        X increases stochastically with the rate: the lower end is that of the lowest rate.
        """
        if self.dispersion == 1.0:
            return poisson.window(low, high, size)
        return self._lower_end(low * size), self._upper_end(high * size)

    def _lower_end(self, mean: float) -> int:
        d, start = self.dispersion, math.floor(mean)
        # Ratios down to 1 lie between the one here and the one from 1 to 0.
        return start - reach(
            lambda steps: _down(mean, d, start - steps),
            lambda steps: np.maximum(_down(mean, d, start - steps), _down(mean, d, 1.0)),
            start,
        )

    def _upper_end(self, mean: float) -> int:
        d, start = self.dispersion, math.floor(mean)
        # Ratios from here on lie between the one here and their limit.
        return start + reach(
            lambda steps: _up(mean, d, start + steps),
            lambda steps: np.maximum(_up(mean, d, start + steps), (d - 1.0) / d),
            math.inf,
        )

    def probabilities(self, parameter: Floats, size: float, first: int, last: int) -> Floats:
        """Pr(X = x) at each rate for x = first, …, last; shape (t, last − first + 1)."""
        rate, d = np.asarray(parameter, np.float64), self.dispersion
        if d == 1.0:
            return poisson.pmf(np.arange(first, last + 1), rate[:, np.newaxis], size)
        return probabilities(
            rate * size,
            np.floor(rate * size).astype(np.int64),
            lambda mean, x: _up(mean, d, x),
            lambda mean, x: _down(mean, d, x),
            self.window(float(rate.min()), float(rate.max()), size),
            first,
            last,
        )


def _up(mean: float | Floats, d: float, x: float | Floats) -> Floats:
    """Pr(X = x + 1)/Pr(X = x)."""
    return np.asarray((mean + x * (d - 1.0)) / ((x + 1.0) * d))


def _down(mean: float | Floats, d: float, x: float | Floats) -> Floats:
    """Pr(X = x − 1)/Pr(X = x)."""
    return np.asarray(x * d / (mean + (x - 1.0) * (d - 1.0)))
