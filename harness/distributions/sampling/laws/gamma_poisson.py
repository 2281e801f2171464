"""Events at a rate that varies: X | G ~ Poisson(G) with a gamma-distributed G."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Floats, Integers
from harness.distributions.sampling import poisson
from harness.distributions.sampling.law import Law
from harness.distributions.sampling.laws.products import probabilities, reach


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

    @property
    def title(self) -> str:
        """The law with its settings."""
        return f"gamma-Poisson, dispersion {self.dispersion:.6g}"

    def content(self) -> Mapping[str, Any]:
        """The law as plain data."""
        return {self.name: {"dispersion": self.dispersion}}

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
