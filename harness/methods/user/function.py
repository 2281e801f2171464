"""Outcomes as the arguments of a user's function, and as they are told."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from harness.methods.method import are_intervals
from harness.numerics.arrays import Floats


def arguments_of(
    names: tuple[str, ...], counts: tuple[Floats, ...], sizes: tuple[float, ...]
) -> dict[str, Any]:
    """By name, the counts of each sample as an array, followed by its size as a number.

    Args:
        names: of the family's columns.
        counts: of each sample, shape (m,) each.
        sizes: of each sample.
    """
    arguments: dict[str, Any] = {}
    for number, name in enumerate(names):
        if number % 2 == 0:
            arguments[name] = counts[number // 2].astype(np.int64)
        else:
            size = float(sizes[number // 2])
            arguments[name] = int(size) if name.startswith("n") else size
    return arguments


def one_outcome(arguments: dict[str, Any], place: int) -> dict[str, Any]:
    """The arguments of one outcome, out of arrays of counts."""
    return {
        name: value if np.ndim(value) == 0 else int(value[place])
        for name, value in arguments.items()
    }


def format_arguments(arguments: dict[str, Any]) -> str:
    return ", ".join(
        f"{name} = {value}" if isinstance(value, int) else f"{name} = {value:g}"
        for name, value in arguments.items()
    )


Function = Callable[..., Any]
Raised = tuple[type[BaseException], ...]

# What a user's function may raise; to leave the process or to be interrupted is not for it to say.
ANYTHING: Raised = (Exception, SystemExit, KeyboardInterrupt, GeneratorExit)

LONGEST = 300
"""Characters that a fault may say for itself."""


class FunctionError(Exception):
    """What is wrong with the user's function, in one sentence."""


def seeded(function: Function, seed: Sequence[int]) -> Function:
    """A stochastic function as one of its data alone: each call draws from the start again."""

    def called(*arguments: Any) -> Any:
        return function(*arguments, rng=np.random.default_rng(seed))

    return called


def together(
    function: Function, data: dict[str, Any], alpha: float, raised: Raised = ANYTHING
) -> tuple[Floats, Floats] | None:
    """Limits from one call on arrays; None of a function that takes numbers only.

    One that takes arrays is believed only where it gives the same limits for the first, the
    middle and the last outcome alone.
    """
    found = at_once(function, data, alpha, raised)
    if found is None or not _same_alone(function, data, alpha, found, raised):
        return None
    return found


def outcome_count(data: dict[str, Any]) -> int:
    """How many outcomes the arrays hold."""
    return int(next(value.size for value in data.values() if np.ndim(value)))


def at_once(
    function: Function, data: dict[str, Any], alpha: float, raised: Raised = ANYTHING
) -> tuple[Floats, Floats] | None:
    """The limits of one call on arrays; None where that fails or gives another shape."""
    count = outcome_count(data)
    try:
        lower, upper = function(*copies(data), alpha)
        limits = np.asarray(lower, np.float64), np.asarray(upper, np.float64)
    except raised:
        return None
    return limits if limits[0].shape == limits[1].shape == (count,) else None


def copies(data: dict[str, Any]) -> list[Any]:
    """The arguments, arrays of them for the function to do with what it likes."""
    return [value.copy() if np.ndim(value) else value for value in data.values()]


def _same_alone(
    function: Function,
    data: dict[str, Any],
    alpha: float,
    limits: tuple[Floats, Floats],
    raised: Raised,
) -> bool:
    count = limits[0].size
    for place in {0, count // 2, count - 1}:
        try:
            lower, upper = function(*one_outcome(data, place).values(), alpha)
            pair = float(lower), float(upper)
        except raised:
            continue
        if not same(pair, (limits[0][place], limits[1][place])):
            return False
    return True


def same(alone: tuple[float, float], from_array: tuple[float, float]) -> bool:
    """Equal but for the rounding of a library that computes arrays in another way."""
    return np.allclose(alone, from_array, rtol=1e-9, atol=1e-12, equal_nan=True)


def alone(
    function: Function, outcome: dict[str, Any], alpha: float, raised: Raised = ANYTHING
) -> tuple[float, float]:
    """Both limits of one outcome.

    Raises:
        FunctionError: the function fails, or gives something else.
    """
    where = f"at {format_arguments({**outcome, 'alpha': alpha})}"
    try:
        answer = function(*outcome.values(), alpha)
    except raised as fault:
        raise FunctionError(f"failed {where}: {describe(fault)}") from None
    try:
        lower, upper = answer
        return float(lower), float(upper)
    except (TypeError, ValueError, OverflowError):
        found = one_line(answer, repr)
        raise FunctionError(f"expected a lower and an upper limit {where}, found {found}") from None
    except raised as fault:  # of a generator, which is run only now
        raise FunctionError(f"failed {where}: {describe(fault)}") from None


def describe(fault: BaseException) -> str:
    """The exception on one line."""
    text = one_line(fault, str)
    return f"{type(fault).__name__}: {text}" if text else type(fault).__name__


def one_line(thing: object, text_of: Callable[[object], str]) -> str:
    """What a user's object says of itself, so that any file and terminal can hold it.

    Where it lives in memory would differ from run to run.
    """
    try:
        text = " ".join(text_of(thing).split())
    except ANYTHING:
        return type(thing).__name__
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", text)
    text = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


NOT_CALLED = "not called any more"
"""How the fault of an outcome begins that is another one's."""


@dataclass(frozen=True)
class Answers:
    """Limits at outcomes of shape (m,)."""

    lower: Floats
    upper: Floats
    failures: Mapping[int, str] = field(default_factory=dict)
    """Why there are no limits at a place, in a clause; the limits there are not numbers."""


@dataclass(frozen=True)
class Failures:
    """What is told of the outcomes without limits."""

    first: str
    """Why there are none at the first of them, in a clause."""
    not_called: int
    """At how many the function was not called, as its process had ended too often."""

    def plus(self, later: Failures) -> Failures:
        """With those of later outcomes."""
        return Failures(self.first, self.not_called + later.not_called)


def failures_of(answers: Answers) -> Failures | None:
    """None where there are limits everywhere."""
    if not answers.failures:
        return None
    not_called = sum(fault.startswith(NOT_CALLED) for fault in answers.failures.values())
    return Failures(answers.failures[min(answers.failures)], not_called)


def one_by_one(
    arguments: dict[str, Any], one: Callable[[dict[str, Any], int], tuple[float, float]]
) -> Answers:
    """Limits of each outcome by itself, not numbers where it fails.

    Args:
        arguments: of all outcomes.
        one: gives the limits of one outcome, which it is given with its place.
    """
    lower, upper = np.full((2, outcome_count(arguments)), np.nan)
    failures = {}
    for place in range(lower.size):
        try:
            lower[place], upper[place] = one(one_outcome(arguments, place), place)
        except FunctionError as fault:
            failures[place] = str(fault)
    return Answers(lower, upper, failures)


def no_interval(lower: float, upper: float, outcome: dict[str, Any]) -> str:
    """What is wrong with limits that are not finite, or reversed."""
    found = f"{lower:g} and {upper:g} at {format_arguments(outcome)}"
    return f"expected finite limits with lower ≤ upper, found {found}"


def sound(answers: Answers, arguments: dict[str, Any], alpha: float, side: str) -> Answers:
    """Those that are an interval; what is none is a fault, and its limits are not numbers."""
    lower, upper = answers.lower, answers.upper
    is_sound = are_intervals(lower, upper, side)
    failures = dict(answers.failures)
    for place in np.flatnonzero(~is_sound).tolist():
        outcome = {**one_outcome(arguments, place), "alpha": alpha}
        failures.setdefault(place, no_interval(lower[place], upper[place], outcome))
    low, high = np.where(is_sound, (lower, upper), np.nan)
    return Answers(low, high, failures)
