"""Where the true parameter comes from: a list of values, or a distribution."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import gammainccinv

from harness.numerics.arrays import Floats, Integers

# A distribution has no mass at the ends of the parameter's range, though a draw may round to one:
# an interval of no width there would hold it.
_INSIDE = (5e-324, 1.0 - 2.0**-53)
_TAIL_LEFT_OUT = 1e-17


@dataclass(frozen=True)
class DiscreteTruth:
    """Finitely many true values of equal weight, ascending and distinct: a grid or a list."""

    values: tuple[float, ...]

    @property
    def support(self) -> tuple[float, float]:
        return self.values[0], self.values[-1]

    @property
    def bulk(self) -> tuple[float, float]:
        return self.support

    def content(self) -> Mapping[str, Any]:
        return {"values": list(self.values)}


@dataclass(frozen=True)
class UniformTruth:
    """Uniform on [lower, upper]."""

    lower: float
    upper: float

    @property
    def support(self) -> tuple[float, float]:
        return self.lower, self.upper

    @property
    def bulk(self) -> tuple[float, float]:
        return self.support

    @property
    def mean(self) -> float:
        return 0.5 * (self.lower + self.upper)

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """``count`` independent draws, shape (count,)."""
        draws = rng.random(count)
        if self.support != (0.0, 1.0):
            draws *= self.upper - self.lower
            draws += self.lower
            np.clip(draws, _INSIDE[0], self.upper if self.upper > 1 else _INSIDE[1], out=draws)
        return draws

    def content(self) -> Mapping[str, Any]:
        return {"uniform": [self.lower, self.upper]}


@dataclass(frozen=True)
class BetaTruth:
    """Beta(s, t) on [0, 1], with s, t > 0."""

    s: float
    t: float

    @property
    def support(self) -> tuple[float, float]:
        return 0.0, 1.0

    @property
    def bulk(self) -> tuple[float, float]:
        return self.support

    @property
    def mean(self) -> float:
        return self.s / (self.s + self.t)

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """``count`` independent draws, shape (count,)."""
        return np.clip(rng.beta(self.s, self.t, count), *_INSIDE)

    def content(self) -> Mapping[str, Any]:
        return {"beta": [self.s, self.t]}


@dataclass(frozen=True)
class GammaTruth:
    """Gamma with shape s > 0 and rate t > 0, on (0, ∞)."""

    s: float
    t: float

    @property
    def support(self) -> tuple[float, float]:
        return 0.0, math.inf

    @property
    def bulk(self) -> tuple[float, float]:
        """The support but for an upper tail of 1e-17."""
        return 0.0, float(gammainccinv(self.s, _TAIL_LEFT_OUT)) / self.t

    @property
    def mean(self) -> float:
        return self.s / self.t

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """``count`` independent draws, shape (count,)."""
        return np.maximum(rng.gamma(self.s, 1.0 / self.t, count), _INSIDE[0])

    def content(self) -> Mapping[str, Any]:
        return {"gamma": [self.s, self.t]}


ContinuousTruth = UniformTruth | BetaTruth | GammaTruth
Truth = DiscreteTruth | ContinuousTruth


@dataclass(frozen=True)
class PairTruth:
    """Two independent truths, one for each sample: both lists, or both distributions.

    Of two lists every value of the one goes with every value of the other, with equal weights;
    pairs are numbered first by the one, then by the other.
    """

    first: Truth
    second: Truth

    @property
    def values(self) -> tuple[Floats, Floats]:
        """The true values of both samples for each pair, of two lists."""
        assert isinstance(self.first, DiscreteTruth)
        assert isinstance(self.second, DiscreteTruth)
        one, other = np.array(self.first.values), np.array(self.second.values)
        return np.repeat(one, other.size), np.tile(other, one.size)

    def content(self) -> Mapping[str, Any]:
        return {"first": dict(self.first.content()), "second": dict(self.second.content())}


def is_listed(truth: Truth | PairTruth) -> bool:
    """Whether there are finitely many true values."""
    return isinstance(truth.first if isinstance(truth, PairTruth) else truth, DiscreteTruth)


def count_values(truth: Truth | PairTruth) -> int:
    """How many true values, or pairs of them, a list has."""
    if isinstance(truth, PairTruth):
        return count_values(truth.first) * count_values(truth.second)
    assert isinstance(truth, DiscreteTruth)
    return len(truth.values)


def trials_by_value(truth: Truth | PairTruth, count: int, rng: np.random.Generator) -> Integers:
    """How many of ``count`` trials fall on each of the listed values, shape (t,)."""
    t = count_values(truth)
    return rng.multinomial(count, np.full(t, 1 / t)).astype(np.int64)
