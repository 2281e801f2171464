"""Where the true parameter comes from: a list of values, a uniform or a Beta distribution."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.numerics.arrays import Floats, Integers

# A distribution on [0, 1] has no mass at its ends, though a draw may round to one: an interval of
# no width there would hold it.
_INSIDE = (5e-324, 1.0 - 2.0**-53)


@dataclass(frozen=True)
class DiscreteTruth:
    """Finitely many true values of equal weight, ascending and distinct: a grid or a list."""

    values: tuple[float, ...]

    @property
    def support(self) -> tuple[float, float]:
        return self.values[0], self.values[-1]

    def draw(self, count: int, rng: np.random.Generator) -> Integers:
        """How many of ``count`` trials fall on each value, shape (t,)."""
        t = len(self.values)
        return rng.multinomial(count, np.full(t, 1 / t)).astype(np.int64)

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

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """``count`` independent draws, shape (count,)."""
        draws = rng.random(count)
        if self.support != (0.0, 1.0):
            draws *= self.upper - self.lower
            draws += self.lower
            np.clip(draws, *_INSIDE, out=draws)
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

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """``count`` independent draws, shape (count,)."""
        return np.clip(rng.beta(self.s, self.t, count), *_INSIDE)

    def content(self) -> Mapping[str, Any]:
        return {"beta": [self.s, self.t]}


ContinuousTruth = UniformTruth | BetaTruth
Truth = DiscreteTruth | ContinuousTruth
