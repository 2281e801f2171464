"""Where the true parameter comes from: a list of values, or a distribution."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Protocol, Self, cast

import numpy as np

from harness.base.numerics.arrays import Floats, Integers, Positions

Prior = tuple[float, ...]
"""The parameters of a prior: two of a Beta or Gamma distribution, four of a Dirichlet one."""
Row = tuple[float, ...]
"""The numbers of one true value."""

# A continuous distribution has no mass at the boundary of the parameter's range, but a draw may
# round to it, and an interval of zero width there would cover that draw.
_OPEN_UNIT_INTERVAL = (5e-324, 1.0 - 2.0**-53)
_NEGLIGIBLE_TAIL = 1e-17


@dataclass(frozen=True)
class DiscreteTruth:
    """Finitely many true values with equal weights: a grid or a list.

    >>> truth = DiscreteTruth((0.1, 0.2, 0.5))
    >>> truth.count, truth.support
    (3, (0.1, 0.5))
    """

    values: tuple[float, ...]
    """Ascending and distinct."""
    is_discrete: ClassVar[Literal[True]] = True
    mass_left_out: ClassVar[float] = 0.0
    """The probability of a true value outside of the effective support: none."""

    @classmethod
    def listing(
        cls, truths: Sequence[Floats]
    ) -> Iterator[tuple[DiscreteTruth, Positions, Positions]]:
        """Yield a truth that lists all values, as ``Design.listed_truth`` says."""
        (values,) = truths
        distinct, index = np.unique(values, return_inverse=True)
        yield cls(tuple(distinct.tolist())), np.arange(values.size), index

    @property
    def count(self) -> int:
        """The number of true values."""
        return len(self.values)

    @property
    def support(self) -> tuple[float, float]:
        """The smallest and the largest true value."""
        return self.values[0], self.values[-1]

    @property
    def effective_support(self) -> tuple[float, float]:
        """The support."""
        return self.support

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        return {"values": list(self.values)}


class Distribution(ABC):
    """A distribution of the true value of one sample; what it does not say is as here."""

    name: ClassVar[str]
    """The name of the distribution, as a config has it."""
    is_discrete: ClassVar[Literal[False]] = False
    mass_left_out: ClassVar[float] = 0.0
    """The probability of a true value outside of the effective support."""

    @property
    @abstractmethod
    def support(self) -> tuple[float, float]:
        """The range of the true value."""

    @property
    def effective_support(self) -> tuple[float, float]:
        """The support, without a tail of probability ``mass_left_out`` where it has no end."""
        return self.support

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        return {self.name: [getattr(self, field.name) for field in fields(cast(Any, self))]}


@dataclass(frozen=True)
class UniformTruth(Distribution):
    """The uniform distribution on [lower, upper]."""

    lower: float
    upper: float
    name: ClassVar[str] = "uniform"
    conjugate_prior: ClassVar[None] = None
    """None, since the distribution is a part of a flat prior."""
    shapes: ClassVar[tuple[float, ...]] = ()
    """The exponents of the density at its zeros or singularities, plus 1: none."""

    @property
    def support(self) -> tuple[float, float]:
        return self.lower, self.upper

    @property
    def mean(self) -> float:
        """The mean of the true value."""
        return 0.5 * (self.lower + self.upper)

    @property
    def standard_deviation(self) -> float:
        """The standard deviation of the true value."""
        return (self.upper - self.lower) / math.sqrt(12.0)

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Return ``count`` independent draws, shape (count,)."""
        draws = rng.random(count)
        if self.support != (0.0, 1.0):
            draws *= self.upper - self.lower
            draws += self.lower
            smallest, largest = _OPEN_UNIT_INTERVAL
            np.clip(draws, smallest, self.upper if self.upper > 1 else largest, out=draws)
        return draws


@dataclass(frozen=True)
class _ConjugateTruth(Distribution):
    """A distribution that is a prior of the parameter, whose posterior is of its kind."""

    s: float
    t: float

    @property
    def conjugate_prior(self) -> Prior:
        """The parameters of the prior that is the truth's distribution."""
        return self.s, self.t


class BetaTruth(_ConjugateTruth):
    """The distribution Beta(s, t) on [0, 1], with s, t > 0.

    >>> BetaTruth(2.0, 8.0).mean
    0.2
    """

    name: ClassVar[str] = "beta"
    support: ClassVar[tuple[float, float]] = (0.0, 1.0)

    @property
    def shapes(self) -> tuple[float, ...]:
        """The exponents of the density at its zeros or singularities, plus 1: at 0 and at 1."""
        return self.s, self.t

    @property
    def mean(self) -> float:
        """The mean of the true value."""
        return self.s / (self.s + self.t)

    @property
    def standard_deviation(self) -> float:
        """The standard deviation of the true value."""
        mean = self.mean
        return math.sqrt(mean * (1.0 - mean) / (self.s + self.t + 1.0))

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Return ``count`` independent draws, shape (count,)."""
        return np.clip(rng.beta(self.s, self.t, count), *_OPEN_UNIT_INTERVAL)


class GammaTruth(_ConjugateTruth):
    """The Gamma distribution with shape s > 0 and rate t > 0, on (0, ∞)."""

    name: ClassVar[str] = "gamma"
    support: ClassVar[tuple[float, float]] = (0.0, math.inf)
    mass_left_out: ClassVar[float] = _NEGLIGIBLE_TAIL
    """The probability of a true value above the effective support: 1e-17."""

    @property
    def effective_support(self) -> tuple[float, float]:
        """The support without an upper tail of probability ``mass_left_out``."""
        # The process of a user's function imports this module: SciPy is two thirds of its start.
        from scipy.special import gammainccinv

        return 0.0, float(gammainccinv(self.s, _NEGLIGIBLE_TAIL)) / self.t

    @property
    def shapes(self) -> tuple[float, ...]:
        """The exponent of the density at its zero or singularity, plus 1: at 0."""
        return (self.s,)

    @property
    def mean(self) -> float:
        """The mean of the true value."""
        return self.s / self.t

    @property
    def standard_deviation(self) -> float:
        """The standard deviation of the true value."""
        return math.sqrt(self.s) / self.t

    def draw(self, count: int, rng: np.random.Generator) -> Floats:
        """Return ``count`` independent draws, shape (count,)."""
        return np.maximum(rng.gamma(self.s, 1.0 / self.t, count), _OPEN_UNIT_INTERVAL[0])


ContinuousTruth = UniformTruth | BetaTruth | GammaTruth
Truth = DiscreteTruth | ContinuousTruth


@dataclass(frozen=True)
class PairTruth:
    """Two independent truths, one for each sample: both discrete, or both continuous.

    Two discrete truths are crossed: every value of the first is paired with every value of the
    second, with equal weights. Pairs are ordered by the first value, then by the second one.

    >>> PairTruth(DiscreteTruth((0.1, 0.2)), DiscreteTruth((0.3, 0.4, 0.5))).count
    6
    """

    first: Truth
    second: Truth
    is_crossed: ClassVar[bool] = True

    @classmethod
    def listing(cls, truths: Sequence[Floats]) -> Iterator[tuple[PairTruth, Positions, Positions]]:
        """Yield truths that list all pairs, one for each first value, likewise."""
        first, second = truths
        for value in np.unique(first):
            rows = np.flatnonzero(first == value)
            distinct, index = np.unique(second[rows], return_inverse=True)
            values = DiscreteTruth((float(value),)), DiscreteTruth(tuple(distinct.tolist()))
            yield PairTruth(*values), rows, index

    @property
    def is_discrete(self) -> bool:
        """Whether there are finitely many pairs of true values."""
        return self.first.is_discrete

    @property
    def count(self) -> int:
        """The number of pairs of true values, of two discrete truths."""
        return self.values[0].size

    @property
    def values(self) -> tuple[Floats, Floats]:
        """The true values of each sample, of two discrete truths; two arrays of shape (count,)."""
        assert self.first.is_discrete
        assert self.second.is_discrete
        first, second = np.array(self.first.values), np.array(self.second.values)
        return np.repeat(first, second.size), np.tile(second, first.size)

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        return {"first": dict(self.first.content()), "second": dict(self.second.content())}


@dataclass(frozen=True)
class DifferenceTruth(PairTruth):
    """Pairs of true values with one difference: the i-th of the first with the i-th of the second.

    Worst cases are those over both ranges.

    >>> DifferenceTruth.of(0.1, DiscreteTruth((0.3, 0.4, 0.5))).first.values
    (0.4, 0.5, 0.6)
    """

    difference: float
    """First − second."""
    is_crossed: ClassVar[bool] = False

    @classmethod
    def of(cls, difference: float, second: DiscreteTruth) -> DifferenceTruth:
        """Return the truth with these values of the second sample."""
        # 0.1 + 0.2 is 0.3, as a person writes it.
        first = tuple(float(f"{value + difference:.15g}") for value in second.values)
        return cls(DiscreteTruth(first), second, difference)

    @property
    def values(self) -> tuple[Floats, Floats]:
        """The true values of each sample, two arrays of shape (count,)."""
        assert self.first.is_discrete
        assert self.second.is_discrete
        return np.array(self.first.values), np.array(self.second.values)

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        return {"difference": self.difference, "second": dict(self.second.content())}


@dataclass(frozen=True)
class RowsTruth:
    """Finitely many rows of numbers."""

    rows: tuple[Row, ...]
    """Ascending and distinct."""
    is_discrete: ClassVar[Literal[True]] = True

    @classmethod
    def of(cls, rows: Iterable[Row]) -> Self:
        """Return the truth of rows in any order."""
        return cls(tuple(sorted(set(rows))))

    @classmethod
    def listing(cls, truths: Sequence[Floats]) -> Iterator[tuple[Self, Positions, Positions]]:
        """Yield a truth that lists all rows, as ``Design.listed_truth`` says."""
        rows, index = np.unique(np.array(truths).T, axis=0, return_inverse=True)
        yield cls.of(map(tuple, rows.tolist())), np.arange(truths[0].size), index.ravel()

    @property
    def count(self) -> int:
        """The number of rows."""
        return len(self.rows)

    @property
    def values(self) -> tuple[Floats, ...]:
        """The columns, arrays of shape (count,)."""
        return tuple(np.array(self.rows).T)

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        return {"cells": [list(row) for row in self.rows]}


@dataclass(frozen=True)
class CrossedTruth:
    """Every value of each part with every value of the others; the last part varies fastest.

    A part is a field that is a tuple, ascending and distinct.
    """

    is_discrete: ClassVar[Literal[True]] = True

    @property
    def parts(self) -> dict[str, Row]:
        """The values of each part by its name."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return {name: part for name, part in values.items() if isinstance(part, tuple)}

    @property
    def count(self) -> int:
        """The number of true values."""
        return math.prod(map(len, self.parts.values()))

    @property
    def crossed(self) -> tuple[Floats, ...]:
        """The value of each part at each true value, arrays of shape (count,)."""
        grids = np.meshgrid(*map(np.array, self.parts.values()), indexing="ij")
        return tuple(grid.ravel() for grid in grids)

    @property
    def values(self) -> tuple[Floats, ...]:
        """The numbers of each true value, arrays of shape (count,)."""
        return self.crossed

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        return {name: {"values": list(part)} for name, part in self.parts.items()}


class ListedTruth(Protocol):
    """A truth of finitely many values."""

    @property
    def count(self) -> int:
        """The number of values."""


def trials_per_value(truth: ListedTruth, trials: int, rng: np.random.Generator) -> Integers:
    """Draw how many of the trials fall on each true value, or on each pair of them.

    Args:
        truth: discrete; its t values, or pairs of values, are equally likely.
        trials: the number of trials in all.
        rng: the source of randomness.

    Returns:
        The number of trials of each value, shape (t,); the sum is ``trials``.
    """
    return rng.multinomial(trials, np.full(truth.count, 1 / truth.count)).astype(np.int64)


def as_distribution(truth: Truth) -> ContinuousTruth:
    """The truth, which is a distribution and not a list of values."""
    assert not truth.is_discrete
    return truth
