"""Stopping rules: at which numbers of trials one looks, and at which successes one stops there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from harness.base.arguments import quoted
from harness.base.errors import InputError, MethodError
from harness.base.numerics.arrays import Bools, Integers, Positions
from harness.base.text import enumerated
from harness.callers.calls import ANYTHING, describe
from harness.methods.method import LimitPair, Method

_RISES_FROM = 0.02
"""The alpha below which the limits of some methods fall where x rises."""


class Condition(Protocol):
    """When one stops at a look before the last."""

    def holds(self, trials: Integers, successes: Integers) -> Bools:
        """Whether one stops, at looks after so many trials with so many successes; (m,) each."""
        ...

    @property
    def words(self) -> str:
        """The condition in words, as in ``until wald excludes 0.5``."""
        ...


@dataclass(frozen=True)
class Boundaries:
    """One stops where the successes are at most a lower boundary, or at least an upper one."""

    looks: tuple[int, ...]
    at_most: tuple[int | None, ...]
    """The lower boundary of each look; None where there is none."""
    at_least: tuple[int | None, ...]

    def low(self, trials: Integers, successes: Integers) -> Bools:
        """Whether one stops at a lower boundary, shape (m,)."""
        return np.asarray(successes <= self._bounds(self.at_most, trials, -1))

    def high(self, trials: Integers, successes: Integers) -> Bools:
        """Whether one stops at an upper boundary, shape (m,)."""
        far = np.iinfo(np.int64).max
        return np.asarray(successes >= self._bounds(self.at_least, trials, far))

    def _bounds(self, given: Sequence[int | None], trials: Integers, none: int) -> Integers:
        """Return the boundary after so many trials, or a number that no count reaches; (m,)."""
        bounds = np.full(max(self.looks, default=0) + 2, none)
        for look, bound in zip(self.looks, given, strict=True):
            bounds[look] = none if bound is None else bound
        return bounds[np.minimum(trials, bounds.size - 1)]

    def holds(self, trials: Integers, successes: Integers) -> Bools:
        return self.low(trials, successes) | self.high(trials, successes)

    @property
    def words(self) -> str:
        if len(set(self.at_least)) == 1 and set(self.at_most) == {None}:
            return f"until {self.at_least[0]} successes"
        texts = []
        for look, low, high in zip(self.looks, self.at_most, self.at_least, strict=True):
            ends = ([] if low is None else [f"≤ {low}"]) + ([] if high is None else [f"≥ {high}"])
            texts.append(f"x {' or '.join(ends)} of {look}")
        more = f", … ({len(texts)} looks)" if len(texts) > 3 else ""
        return f"ends at {', '.join(texts[:3])}{more}"


@dataclass(frozen=True)
class OfInterval(ABC):
    """One stops where the interval of a method of the catalogue says so."""

    bound: float
    """What the interval is compared with."""
    method: Method
    alpha: float

    @property
    def _named(self) -> str:
        return f"{self.method.name} at alpha {self.alpha:g}"

    @abstractmethod
    def decides(self, first: LimitPair, last: LimitPair) -> tuple[Bools, Bools]:
        """Whether one stops at all outcomes of a run, and whether one stops at none of them.

        Args:
            first, last: the limits at the ends of each run, between which limits do not fall.
        """

    def holds(self, trials: Integers, successes: Integers) -> Bools:
        """Whether one stops, shape (m,).

        Where limits rise with x, those at the ends of a run of x decide on the run, or on its
        halves. Else the limits of all outcomes are computed.
        """
        rises = self.alpha >= _RISES_FROM and "rises with x" not in self.method.exceptions
        if not rises:
            limits = self._limits(trials, successes)
            return self.decides(limits, limits)[0]
        is_start = np.append(True, (np.diff(trials) != 0) | (np.diff(successes) != 1))
        start = np.flatnonzero(is_start)
        stop = np.append(start[1:], trials.size) - 1
        low, high = self._limits_at(trials, successes, start, stop)
        # Each run is counted from its first outcome to its last.
        counted = np.zeros(trials.size + 1, dtype=np.int64)
        while start.size:
            every, none = self.decides(low, high)
            np.add.at(counted, start[every], 1)
            np.add.at(counted, stop[every] + 1, -1)
            open_runs = np.flatnonzero(~(every | none))
            start, stop = start[open_runs], stop[open_runs]
            low, high = _at(low, open_runs), _at(high, open_runs)
            half = (start + stop) // 2
            before, after = self._limits_at(trials, successes, half, half + 1)
            low, high = _joined(low, after), _joined(before, high)
            start, stop = np.append(start, half + 1), np.append(half, stop)
        return np.asarray(np.cumsum(counted[:-1]) > 0)

    def _limits_at(
        self, trials: Integers, successes: Integers, *places: Positions
    ) -> Iterator[LimitPair]:
        """Yield the limits at some of the outcomes, and at as many others."""
        index = np.concatenate(places)
        lower, upper = self._limits(trials[index], successes[index])
        return zip(np.split(lower, len(places)), np.split(upper, len(places)), strict=True)

    def _limits(self, trials: Integers, successes: Integers) -> LimitPair:
        if not trials.size:
            return np.empty(0), np.empty(0)
        data = successes.astype(np.float64), trials.astype(np.float64)
        return self.method.limits(data, self.alpha)


def _at(limits: LimitPair, index: Positions) -> LimitPair:
    return limits[0][index], limits[1][index]


def _joined(limits: LimitPair, others: LimitPair) -> LimitPair:
    return np.append(limits[0], others[0]), np.append(limits[1], others[1])


class HalfWidth(OfInterval):
    """One stops where half the width of a method's interval is at most ``bound``."""

    @property
    def words(self) -> str:
        return f"until the half-width of {self._named} is at most {self.bound:g}"

    def decides(self, first: LimitPair, last: LimitPair) -> tuple[Bools, Bools]:
        return (last[1] - first[0]) / 2 <= self.bound, (first[1] - last[0]) / 2 > self.bound


class Excludes(OfInterval):
    """One stops where a method's interval does not contain ``bound``."""

    @property
    def words(self) -> str:
        return f"until {self._named} excludes {self.bound:g}"

    def decides(self, first: LimitPair, last: LimitPair) -> tuple[Bools, Bools]:
        outside = (self.bound < first[0]) | (self.bound > last[1])
        return outside, (self.bound >= last[0]) & (self.bound <= first[1])


@dataclass(frozen=True)
class ByFunction:
    """One stops where a user's function of t and x says so."""

    function: Callable[[int, int], object]
    words: ClassVar[str] = "until a function says so"

    def holds(self, trials: Integers, successes: Integers) -> Bools:
        pairs = zip(trials.tolist(), successes.tolist(), strict=True)
        return np.array([self._asked(t, x) for t, x in pairs], dtype=bool)

    def _asked(self, t: int, x: int) -> bool:
        try:
            answer = self.function(t, x)
        except ANYTHING as fault:
            raise MethodError(
                f"the stopping rule failed at {t} trials with {x} successes: {describe(fault)}"
            ) from None
        if not isinstance(answer, bool | np.bool_):
            raise InputError(
                f"a stopping rule should return True or False, found {quoted(answer)} "
                f"at {t} trials with {x} successes"
            )
        return bool(answer)


@dataclass(frozen=True)
class StoppingRule:
    """When trials end: at a look where a condition holds, and at the last look in any case."""

    looks: tuple[int, ...]
    """The numbers of trials after which one looks, ascending; the last is the most trials."""
    condition: Condition

    @property
    def most(self) -> int:
        """The most trials."""
        return self.looks[-1]

    @property
    def looks_text(self) -> str:
        """The looks in words, some of them where they are many."""
        few = [str(look) for look in self.looks[:3]]
        if len(self.looks) > 4:
            return f"{', '.join(few)}, …, {self.most}"
        return enumerated(str(look) for look in self.looks)

    @property
    def title(self) -> str:
        """The rule in words."""
        return f"looks at {self.looks_text}, {self.condition.words}"

    @property
    def boundaries(self) -> Boundaries | None:
        """The boundaries; None where the rule is not made of boundaries."""
        return self.condition if isinstance(self.condition, Boundaries) else None

    def stops(self, trials: Integers, successes: Integers) -> Bools:
        """Whether trials end at looks after so many trials with so many successes; (m,) each."""
        ended: Bools = trials == self.most
        before = np.flatnonzero(~ended)
        if before.size:
            ended[before] = self.condition.holds(trials[before], successes[before])
        return ended
