"""What a size is to reach, the sizes among which the answer is sought, and those tried so far.

A goal is the expectation of a function g of the limits: the width itself, or 1 where the outcome
has what is asked for. It is reached where the expectation is at most, or at least, a target.
Short intervals are such a goal, and a bound beyond a value.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import numpy as np

from harness.base.numerics.arrays import Bools, Floats, Integers
from harness.base.underway import underway
from harness.families.combination import Span
from harness.families.data import LARGEST_COUNT
from harness.families.family import Family
from harness.methods.method import LOWER, TWO_SIDED, UPPER

ROUNDING = 1e-12
"""Relative; a width that exceeds what is asked for by rounding alone does not exceed it."""

PROBABILITY = "probability"

Extremes = tuple[Floats, Floats]
"""The smallest and the largest value at each place."""


@dataclass(frozen=True)
class Width:
    """The expected half-width or length is at most a value.

    Limits are clipped to the range of the parameter. Lengths of ratios are of their logarithm.
    """

    family: Family
    target: float
    name: str
    """``half_width`` or ``length``."""
    at_most: bool = True
    side: str = TWO_SIDED

    @property
    def amount(self) -> float:
        """What is asked for, in the unit of the parameter."""
        return self.target

    @property
    def share(self) -> float:
        """The part of an interval's length that is meant: half of it, or all."""
        return 0.5 if self.name == "half_width" else 1.0

    @property
    def bound_in_words(self) -> str:
        """The width that is asked for, in words."""
        return f"{self.name.replace('_', '-')} of at most {self.target:.15g}"

    @property
    def words(self) -> str:
        """The goal in words."""
        return f"an expected {self.bound_in_words}"

    def values(self, lower: Floats, upper: Floats) -> Floats:
        """Return g at each outcome."""
        low, high = (np.clip(limit, *self.family.support) for limit in (lower, upper))
        return np.asarray(self.share * self.family.scale.length(low, high))

    def between(self, lower: Extremes, upper: Extremes) -> Extremes:
        """Return the smallest and the largest g where both limits lie in a range.

        Args:
            lower: the smallest and the largest lower limit.
            upper: the smallest and the largest upper limit.
        """
        least = self.values(np.minimum(lower[1], upper[0]), upper[0])
        return least, self.values(lower[0], upper[1])


@dataclass(frozen=True)
class AssuredWidth:
    """The half-width or length is at most a value with a given probability."""

    width: Width
    target: float
    """The probability."""
    at_most: bool = False
    side: str = TWO_SIDED
    name: str = PROBABILITY

    @property
    def amount(self) -> float:
        return self.width.target

    @property
    def words(self) -> str:
        return f"a {self.width.bound_in_words} with a probability of {self.target:.15g}"

    def values(self, lower: Floats, upper: Floats) -> Floats:
        return self._is_narrow(self.width.values(lower, upper))

    def between(self, lower: Extremes, upper: Extremes) -> Extremes:
        least, most = self.width.between(lower, upper)
        return self._is_narrow(most), self._is_narrow(least)

    def _is_narrow(self, width: Floats) -> Floats:
        return (width <= self.width.target * (1.0 + ROUNDING)).astype(np.float64)


@dataclass(frozen=True)
class Bound:
    """A one-sided limit is above, or below, a value with a given probability."""

    value: float
    is_above: bool
    target: float
    """The probability."""
    at_most: bool = False
    name: str = PROBABILITY

    @property
    def side(self) -> str:
        return LOWER if self.is_above else UPPER

    @property
    def amount(self) -> float:
        return abs(self.value)

    @property
    def words(self) -> str:
        limit = "a lower limit above" if self.is_above else "an upper limit below"
        return f"{limit} {self.value:.15g} with a probability of {self.target:.15g}"

    def values(self, lower: Floats, upper: Floats) -> Floats:
        is_beyond = lower > self.value if self.is_above else upper < self.value
        return is_beyond.astype(np.float64)

    def between(self, lower: Extremes, upper: Extremes) -> Extremes:
        least, most = (self.values(low, high) for low, high in zip(lower, upper, strict=True))
        return (least, most) if self.is_above else (most, least)


Goal = Width | AssuredWidth | Bound
"""A function g of the limits (``values``), and the ``target`` that its expectation is to have at
most or at least.

``name`` is that of the expectation, ``side`` that of the interval, ``amount`` the width or the
value that is asked for.
"""


def is_reached(goal: Goal, expectation: Floats) -> Bools:
    """Whether the goal is reached with these expectations of g."""
    room = ROUNDING * abs(goal.target)
    if goal.at_most:
        return np.asarray(expectation <= goal.target + room)
    return np.asarray(expectation >= goal.target - room)


_FINER = 10
"""Exposures of four digits that are checked for each one of three digits that may be an answer."""
_PER_DECADE = 9000
"""Exposures of four digits between two powers of ten."""
_FIRST = 1000
"""The four digits of a power of ten, as a whole number."""
_SMALLEST = 0.05
"""The smallest exposure, times the largest of what decides it: the true rates, and the width or
value that is asked for."""


@dataclass(frozen=True)
class WholeNumbers:
    """Every whole number."""

    last: int = LARGEST_COUNT

    def sizes(self, numbers: Integers) -> Floats:
        """Return the sizes with these numbers, shape of the numbers."""
        return numbers.astype(np.float64)

    def number_from(self, size: float) -> int:
        """Return the number of the smallest size of at least ``size``."""
        return max(1, math.ceil(size))

    def answers(self, numbers: Integers) -> Integers:
        """Return those of the numbers whose sizes may be an answer."""
        return numbers

    def answer_from(self, number: int) -> int:
        """Return the smallest number from ``number`` on whose size may be an answer."""
        return number


@dataclass(frozen=True)
class Exposures:
    """Every exposure of four significant digits; answers have three."""

    decade: int
    """The power of ten of the first exposure."""
    last: int

    @classmethod
    def of_scale(cls, scale: float, most: float) -> Exposures:
        """Return the exposures for expected counts and limits of a scale.

        Args:
            scale: the largest of the true rates and of the width or value that is asked for.
            most: the largest exposure.
        """
        decade = math.floor(math.log10(_SMALLEST / scale))
        least = cls(decade, 1)
        return cls(decade, least.number_from(most))

    def sizes(self, numbers: Integers) -> Floats:
        decades, place = np.divmod(numbers - 1, _PER_DECADE)
        power = decades + self.decade - 3
        # One rounding: the digits and these powers of ten are exact.
        digits = (place + _FIRST).astype(np.float64)
        return np.asarray(
            np.where(power < 0, digits / 10.0 ** np.abs(power), digits * 10.0 ** np.abs(power))
        )

    def number_from(self, size: float) -> int:
        decade = math.floor(math.log10(size))
        digits = math.ceil(size * 10.0 ** (3 - decade) * (1.0 - 1e-12))
        return max(1, 1 + (decade - self.decade) * _PER_DECADE + digits - _FIRST)

    def answers(self, numbers: Integers) -> Integers:
        return np.asarray(numbers[(numbers - 1) % _FINER == 0])

    def answer_from(self, number: int) -> int:
        return number + (1 - number) % _FINER


Ladder = WholeNumbers | Exposures
"""The sizes of the first sample, ascending, by number from 1 to ``last``."""


_CURVE = 240
"""The most sizes of the curve of a figure."""


def ladder_of(family: Family, goal: Goal, ranges: Sequence[Span], ratio: float) -> Ladder:
    """Return the sizes of the first sample that may be an answer.

    Args:
        family: the family.
        goal: what a size is to reach.
        ranges: the range of each sample's true value.
        ratio: the size of the second sample over that of the first.
    """
    if family.model.SIZE_IS_COUNT:
        return WholeNumbers(int(LARGEST_COUNT / max(1.0, ratio)))
    rates = [high for _, high in ranges]
    largest = max(rate * times for rate, times in zip(rates, (1.0, ratio), strict=False))
    most = LARGEST_COUNT / max(largest, goal.amount)
    return Exposures.of_scale(max(*rates, goal.amount), most)


def second_sizes(family: Family, first: Floats, ratio: float) -> Floats:
    """Return the sizes of the second sample: ratio · first, of trials rounded up."""
    second = ratio * first
    if not family.model.SIZE_IS_COUNT:
        return second
    # A product that only rounding keeps from a whole number.
    return np.maximum(np.ceil(second * (1.0 - 1e-12)), 1.0)


@dataclass(frozen=True)
class LadderQuestion(ABC):
    """Which sizes of a ladder reach a goal?"""

    family: Family
    goal: Goal
    ladder: Ladder
    ratio: float
    """The size of the second sample over that of the first."""

    @property
    def target(self) -> float:
        """The width or the probability that is asked for."""
        return self.goal.target

    @abstractmethod
    def reached(self, numbers: Integers) -> Floats:
        """Return what each size reaches, shape (N,)."""

    def sizes(self, numbers: Integers) -> Floats:
        """Return the sizes of each sample, shape (N, samples)."""
        first = self.ladder.sizes(numbers)
        if self.family.samples == 1:
            return first[:, np.newaxis]
        return np.stack([first, second_sizes(self.family, first, self.ratio)], axis=1)

    def curve(self, first: float) -> tuple[Floats, Floats]:
        """Return sizes that are evenly spread up to twice an answer, and what each reaches."""
        sizes = np.linspace(0.0, 2.0 * first, _CURVE + 1)[1:]
        numbers = np.unique([self.ladder.number_from(size) for size in sizes.tolist()])
        return self.ladder.sizes(numbers), self.reached(numbers)


def curve_about(answer: float, reached: Callable[[int], float]) -> tuple[Floats, Floats]:
    """Return whole numbers up to twice an answer, and what each of them reaches."""
    numbers = np.unique(np.geomspace(2, 2 * answer, 40).round()).astype(np.int64)
    return numbers.astype(np.float64), np.array([reached(number) for number in numbers.tolist()])


@dataclass(frozen=True)
class SufficientSize:
    """The answer to a question."""

    number: int
    """The number of the smallest size from which on all up to ``checked_to`` reach the goal."""
    checked_to: int
    """The largest number that was checked."""
    by_luck: tuple[int, ...]
    """Smaller numbers whose sizes reach the goal although a larger one does not."""
    checked: str = ""
    """Which sizes were checked how, and why no other size matters; empty where all of them up to
    ``checked_to`` were."""


@dataclass
class Tried:
    """What a search knows of the sizes of the first sample.

    The answer is above the largest size that fails. A larger one that reaches the goal bounds it
    only as far as no size above that one fails.
    """

    goal: str = ""
    """What the sizes are to reach, in words."""
    count: int = 0
    failing: float = 0.0
    """The largest size that fails; 0 where none does."""
    above: Floats = field(default_factory=lambda: np.empty((2, 0)))
    """The larger sizes, which all reach the goal, and what each of them reaches, shape (2, m); not
    a number where that is not known."""

    def add(self, goal: str, sizes: Floats, reached: Bools, values: Floats | None = None) -> None:
        """Add sizes that were tried; those of another goal are forgotten.

        Args:
            goal: what they are to reach, in words.
            sizes: of the first sample, shape (N,).
            reached: whether each of them reaches it, shape (N,).
            values: what they reach, shape (N,), where that is known.
        """
        if goal != self.goal:
            self.goal, self.count, self.failing = goal, 0, 0.0
            self.above = np.empty((2, 0))
        self.count += sizes.size
        self.failing = float(max(self.failing, sizes[~reached].max(initial=0.0)))
        curve_values = np.full(sizes.size, np.nan) if values is None else values
        above = np.concatenate([self.above, np.stack([sizes, curve_values])[:, reached]], axis=1)
        self.above = above[:, above[0] > self.failing]

    def doing(self, name: str) -> str:
        """Say what is being searched, for a name of the size."""
        low, least = self.failing, self.above[0].min(initial=np.inf)
        if np.isinf(least):
            where = f", above {low:.6g}" if low else ""
        else:
            where = f", between {low:.6g} and {least:.6g}" if low else f", up to {least:.6g}"
        return f"searching {name}: {self.count:,} tried{where}"

    def found(self, name: str) -> str:
        """Say what is known of the answer, for a name of the size."""
        if not self.above.size:
            if not self.failing:
                return f"no {name} was tried yet"
            return f"so far no {name} that was tried, up to {self.failing:.15g}, has {self.goal}"
        size, value = self.above[:, np.argmin(self.above[0])].tolist()
        number = "" if np.isnan(value) else f" ({value:.6g})"
        reaches = f"so far {name} = {size:.15g} has {self.goal}{number}"
        if not self.failing:
            return f"{reaches}; smaller ones are not excluded"
        return f"{reaches}, and {name} = {self.failing:.15g} has not; none between is excluded"


@contextmanager
def searching(name: str, tried: Tried) -> Iterator[None]:
    """Say which sizes were tried while the block searches for one."""
    with underway(lambda: tried.doing(name), lambda: tried.found(name)):
        yield
