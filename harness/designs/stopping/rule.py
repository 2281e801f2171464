"""Stopping rules: at which numbers of trials one looks, and at which successes one stops there.

A rule is made from plain data, as a config has it:

    {first: 20, every: 10, until: {half_width: 0.1, of: wilson}}
    {first: 20, every: 10, until: {excludes: 0.5, of: wilson, alpha: 0.01}}
    {first: 1, every: 1, until: {successes: 10}}
    {boundaries: [{n: 10, at_most: 1}, {n: 20, at_most: 4, at_least: 14}]}

or from a user's function ``stop(t, x)``:

    {first: 1, every: 1, until: {path: rules.py, function: stop}}
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, Protocol

import numpy as np

from harness.base.arguments import quoted, validate_whole
from harness.base.errors import InputError, MethodError, did_you_mean
from harness.base.numerics.arrays import Bools, Integers, Positions
from harness.base.text import enumerated
from harness.callers.calls import ANYTHING, FunctionError, describe
from harness.callers.location import FunctionLocation
from harness.families.catalogue import PROPORTION
from harness.families.stopped import FUNCTIONS
from harness.methods.catalogue import find
from harness.methods.method import TWO_SIDED, LimitPair, Method

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
        found = []
        for look, low, high in zip(self.looks, self.at_most, self.at_least, strict=True):
            ends = ([] if low is None else [f"≤ {low}"]) + ([] if high is None else [f"≥ {high}"])
            found.append(f"x {' or '.join(ends)} of {look}")
        more = f", … ({len(found)} looks)" if len(found) > 3 else ""
        return f"ends at {', '.join(found[:3])}{more}"


@dataclass(frozen=True)
class OfInterval(ABC):
    """One stops where the interval of a method of the catalogue says so."""

    bound: float
    """What the interval is compared with."""
    method: str
    alpha: float

    @property
    def _named(self) -> str:
        return f"{self.method} at alpha {self.alpha:g}"

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
        if not self._rises:
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

    @property
    def _rises(self) -> bool:
        is_usual = self.alpha >= _RISES_FROM
        return is_usual and "rises with x" not in find(PROPORTION, self.method).exceptions

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
        return find(PROPORTION, self.method).limits(data, self.alpha)


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
            found = self.function(t, x)
        except ANYTHING as fault:
            raise MethodError(
                f"the stopping rule failed at {t} trials with {x} successes: {describe(fault)}"
            ) from None
        if not isinstance(found, bool | np.bool_):
            raise InputError(
                f"a stopping rule should return True or False, found {quoted(found)} "
                f"at {t} trials with {x} successes"
            )
        return bool(found)


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
        few = [str(each) for each in self.looks[:3]]
        if len(self.looks) > 4:
            return f"{', '.join(few)}, …, {self.most}"
        return enumerated(str(each) for each in self.looks)

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


def stopping_rule(given: object, most: int, alpha: float) -> StoppingRule:
    """Return a stopping rule from plain data.

    >>> stopping_rule({"boundaries": [{"n": 10, "at_most": 1}]}, 29, 0.05).looks
    (10, 29)

    Args:
        given: a mapping with ``boundaries``, or with ``first``, ``every`` and ``until``.
        most: the most trials, at which they end in any case.
        alpha: of the method that the rule looks at, where the rule itself has none.

    Raises:
        InputError: it is no such mapping, or one that contradicts itself.
    """
    validate_whole("n", most, 1)
    if isinstance(given, Mapping) and "boundaries" in given:
        keys = _mapping("stopping", given, ("boundaries",))
        return _from_boundaries(keys["boundaries"], most)
    keys = _mapping("stopping", given, ("first", "every", "until"))
    looks = looks_every(keys["first"], keys["every"], most)
    return StoppingRule(looks, _until(keys["until"], looks, alpha))


def looks_every(first: Any, every: Any, most: int) -> tuple[int, ...]:
    """Return first, first + every, … and the most trials.

    Raises:
        InputError: they are no whole numbers, or the first is above the most.
    """
    validate_whole("first", first, 1)
    validate_whole("every", every, 1)
    if first > most:
        raise InputError(f"first should be at most n = {most}, found {first}")
    return (*range(first, most, every), most)


def _until(given: object, looks: tuple[int, ...], alpha: float) -> Condition:
    if isinstance(given, Mapping) and "function" in given:
        return ByFunction(_loaded(_mapping("until", given, ("function",), _PLACES)))
    kinds = ("half_width", "excludes", "successes")
    named = [kind for kind in kinds if isinstance(given, Mapping) and kind in given]
    if len(named) != 1:
        raise InputError(f"until should have one of {', '.join(kinds)}, found {quoted(given)}")
    if named == ["successes"]:
        successes = _mapping("until", given, ("successes",))["successes"]
        validate_whole("successes", successes, 1)
        inner = looks[:-1]
        return Boundaries(inner, (None,) * len(inner), (int(successes),) * len(inner))
    keys = _mapping("until", given, (*named, "of"), ("alpha",))
    alpha = _number("alpha", keys.get("alpha", alpha), 0.0, 1.0)
    method = _method(keys["of"], looks[-1])
    if named == ["half_width"]:
        width = _number("half_width", keys["half_width"], 0.0, 0.5)
        return HalfWidth(width, method.name, alpha)
    return Excludes(_number("excludes", keys["excludes"], 0.0, 1.0), method.name, alpha)


_PLACES = ("path", "module", "digest", "source")


def _loaded(until: Mapping[str, Any]) -> Callable[[int, int], object]:
    """Return the function of a file, of a module, or of this process."""
    name = until["function"]
    if "path" not in until and "module" not in until:
        if name not in FUNCTIONS:
            raise InputError(f"until should be the function {name} or have its path or module")
        return FUNCTIONS[name]
    try:
        location = FunctionLocation(name, until.get("path"), until.get("module"))
        found: Callable[[int, int], object] = location.load()
    except FunctionError as fault:
        raise InputError(f"the stopping rule cannot be used: {fault}") from None
    return found


def _method(name: Any, most: int) -> Method:
    """Return a method whose interval is known at every look."""
    method = find(PROPORTION, name)
    method.check(TWO_SIDED, None)
    method.refuse_finite_population("a stopping rule")
    method.validate_sizes({"n": most})
    if not method.deterministic:
        raise InputError(f"{method.name} draws random numbers, and no stopping rule can look at it")
    return method


def _from_boundaries(given: object, most: int) -> StoppingRule:
    if not isinstance(given, Sequence) or isinstance(given, str) or not given:
        raise InputError(f"boundaries should be a list with a look or more, found {quoted(given)}")
    looks: list[int] = []
    at_most: list[int | None] = []
    at_least: list[int | None] = []
    for each in given:
        keys = _mapping("a boundary", each, ("n",), ("at_most", "at_least"))
        look, low, high = keys["n"], keys.get("at_most"), keys.get("at_least")
        _check_boundary(look, low, high)
        if looks and look <= looks[-1]:
            raise InputError(
                f"boundaries should have n that rise, found n = {look} after n = {looks[-1]}"
            )
        looks.append(int(look))
        at_most.append(None if low is None else int(low))
        at_least.append(None if high is None else int(high))
    if looks[-1] > most:
        raise InputError(
            f"boundaries should have n up to the most trials, {most}, found n = {looks[-1]}"
        )
    # At the last look trials end in any case.
    count = len(looks) - (looks[-1] == most)
    before = tuple(looks[:count])
    return StoppingRule(
        (*before, most), Boundaries(before, tuple(at_most[:count]), tuple(at_least[:count]))
    )


def _check_boundary(look: Any, low: Any, high: Any) -> None:
    """Refuse a boundary that is none.

    Raises:
        InputError: its numbers are not whole, none is given, or one contradicts another.
    """
    validate_whole("n of a boundary", look, 1)
    if low is None and high is None:
        raise InputError(f"a boundary should have at_most or at_least, found none at n = {look}")
    for name, bound in (("at_most", low), ("at_least", high)):
        if bound is not None:
            validate_whole(name, bound, 0)
            if bound > look:
                raise InputError(f"{name} should be at most n = {look}, found {bound}")
    if low is not None and high is not None and low >= high:
        raise InputError(f"at_most should be below at_least, found {low} and {high} at n = {look}")


def _mapping(
    name: str, given: object, needed: Sequence[str], more: Sequence[str] = ()
) -> Mapping[str, Any]:
    """Return the mapping if it has all keys that are needed, and none but these and some more.

    Raises:
        InputError: it is no mapping, lacks a key, or has another one.
    """
    if not isinstance(given, Mapping):
        raise InputError(
            f"{name} should be a mapping with {', '.join(needed)}, found {quoted(given)}"
        )
    known: Collection[str] = (*needed, *more)
    for key in given:
        if key not in known:
            raise InputError(
                f"{name} has the keys {', '.join(known)}, found {quoted(key)}"
                f"{did_you_mean(key, known)}"
            )
    for key in needed:
        if key not in given:
            raise InputError(f"{name} needs {key}, found {quoted(given)}")
    return given


def _number(name: str, given: Any, low: float, high: float) -> float:
    """Return a number between two others.

    Raises:
        InputError: it is no number, or outside the range, whose ends do not belong to it.
    """
    is_number = isinstance(given, Real) and not isinstance(given, bool)
    if not is_number or not low < given < high:
        raise InputError(
            f"{name} should be a number above {low:g} and below {high:g}, found {quoted(given)}"
        )
    return float(given)
