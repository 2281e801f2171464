"""Calling a user's function: on arrays where it takes them, else for one outcome at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from harness.methods.outcomes import one_outcome, told
from harness.numerics.arrays import Floats

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
    where = f"at {told({**outcome, 'alpha': alpha})}"
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
