"""Calls of a user's function, in the process that has loaded it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.base.text import printable_line, shortened
from harness.families.data import is_masked
from harness.methods.method import LimitPair

Function = Callable[..., Any]
Raised = tuple[type[BaseException], ...]

# What a user's function may raise. To leave the process or to interrupt it is not up to it.
ANYTHING: Raised = (Exception, SystemExit, KeyboardInterrupt, GeneratorExit)
# Unlike in another process, an interrupt at the keyboard is here meant for the harness.
RAISED_HERE: Raised = (Exception, SystemExit)

LISTED = 8
"""The most numbers of a list that a message shows."""

LONGEST = 300
"""The most characters of an exception or a value that a message quotes."""


class FunctionError(Exception):
    """A failure of a user function; the message is one sentence."""


def one_outcome(arguments: Mapping[str, Any], place: int) -> dict[str, Any]:
    """The arguments of one outcome, from arrays of counts; a list is a row of its array."""
    return {name: _at(value, place) for name, value in arguments.items()}


def _at(value: Any, place: int) -> Any:
    if np.ndim(value) == 0:
        return value
    return int(value[place]) if np.ndim(value) == 1 else value[place].copy()


def format_arguments(arguments: Mapping[str, Any]) -> str:
    """Arguments in a message: ``x = 3, n = 10, alpha = 0.05``, and lists in brackets."""
    return ", ".join(f"{name} = {format_argument(value)}" for name, value in arguments.items())


def format_argument(value: Any) -> str:
    """One argument in a message; of a long list its beginning."""
    if np.ndim(value):
        few = ", ".join(f"{each:.6g}" for each in value[:LISTED])
        return f"[{few}{', …' if len(value) > LISTED else ''}]"
    return f"{value}" if isinstance(value, int) else f"{value:g}"


def seeded(function: Function, seed: Sequence[int]) -> Function:
    """Return a stochastic function as one of its data alone: each call draws the same."""

    def called(*arguments: Any) -> Any:
        return function(*arguments, rng=np.random.default_rng(seed))

    return called


@dataclass(frozen=True)
class Asked:
    """A function, and the arguments that it is asked for."""

    function: Function
    """Of the data and alpha."""
    data: dict[str, Any]
    """Its arguments by name, arrays of counts beside numbers; or lists, rows of arrays."""
    alpha: float
    """Its last argument."""
    raised: Raised = ANYTHING
    """The exceptions that are the function's."""

    @property
    def count(self) -> int:
        """The number of outcomes."""
        return outcome_count(self.data)

    def outcome(self, place: int) -> dict[str, Any]:
        """The arguments of one outcome, but alpha."""
        return one_outcome(self.data, place)

    def words_at(self, place: int) -> str:
        """The arguments of one outcome in a message."""
        return format_arguments({**self.outcome(place), "alpha": self.alpha})

    def each_alone(self) -> list[Pair]:
        """Limits outcome by outcome; None where there are none."""
        pairs: list[Pair] = []
        for place in range(self.count):
            try:
                outcome = self.outcome(place)
                pairs.append(call_on_numbers(self.function, outcome, self.alpha, self.raised))
            except FunctionError:
                pairs.append(None)
        return pairs

    def in_words(self, of_array: Callable[[Any], str]) -> str:
        """The arguments in a message, arrays as given."""
        return ", ".join(
            f"{name} = {of_array(value)}" if np.ndim(value) else format_arguments({name: value})
            for name, value in {**self.data, "alpha": self.alpha}.items()
        )


def call_consistently(asked: Asked) -> LimitPair | None:
    """Return the limits of one call on arrays, if the function gives the same for numbers.

    The limits of arrays are used only where those of the first, the middle and the last outcome
    alone are the same; else, or if the function takes no arrays, there are none.
    """
    found = call_on_arrays(asked)
    if found is None or not _same_alone(asked, found):
        return None
    return found


def outcome_count(arguments: dict[str, Any]) -> int:
    """The number of outcomes in the arrays."""
    return next(len(value) for value in arguments.values() if np.ndim(value))


def call_on_arrays(asked: Asked) -> LimitPair | None:
    """Return the limits of one call on arrays; None if it fails or gives another shape."""
    try:
        return read_arrays(asked.function(*copies(asked.data), asked.alpha), asked.count)
    except asked.raised:
        return None


def read_arrays(
    answer: Any,
    count: int,
    where: str = "",
    found_instead: Callable[[Exception, Any], str] | None = None,
) -> LimitPair:
    """Return the limits of an answer to arrays, of shape (count,) each.

    Args:
        answer: what the function has returned.
        count: the number of outcomes that it was asked for.
        where: " at …" and its arguments, for the message.
        found_instead: what an answer is that is no pair of arrays, in a clause; see `found_in`.

    Raises:
        ValueError: the answer is something else; the message says what was expected and found.
    """
    try:
        lower, upper = pair_of(answer)
        limits = np.asarray(lower, np.float64), np.asarray(upper, np.float64)
    except (TypeError, ValueError) as error:
        of_shape = f" of shape ({count},){where}" if where else ""
        found = (found_instead or found_in)(error, answer)
        raise ValueError(f"expected two arrays{of_shape}, {found}") from None
    if not limits[0].shape == limits[1].shape == (count,):
        shapes = f"{limits[0].shape} and {limits[1].shape}"
        raise ValueError(f"expected limits of shape ({count},){where}, found {shapes}")
    return limits


def pair_of(answer: Any) -> tuple[Any, Any]:
    """Return the two limits of an answer.

    Raises:
        TypeError: the answer is a text, or has no order or can be read only once; or a limit is a
            text, a complex number, a truth value, a date or masked, all of which NumPy takes for
            numbers. The message says what was found, in a clause.
        ValueError: they are not two.
    """
    if is_masked(answer):
        raise TypeError(_found("masked limits", answer))
    if isinstance(answer, Mapping):
        keys = ", ".join(repr(key) for key in [*answer][:LISTED])
        raise TypeError(f"found a dictionary with the keys {keys}")
    if hasattr(answer, "columns") and hasattr(answer, "dtypes"):
        columns = ", ".join(str(column) for column in [*answer.columns][:LISTED])
        raise TypeError(f"found a table with the columns {columns}")
    if isinstance(answer, str | bytes | Set | Iterator):
        raise TypeError(_found("", answer))
    lower, upper = answer
    for limit in (lower, upper):
        if is_masked(limit):
            raise TypeError(_found("masked limits", answer))
        kind = _kind_of_limit(np.asarray(limit))
        if kind is not None:
            raise TypeError(_found(kind, answer))
    return lower, upper


_KINDS = {"c": "complex limits", "b": "limits that are true or false", "U": "limits as text"}
_KINDS |= {"S": _KINDS["U"], "M": "limits that are dates", "m": "limits that are times"}


def _kind_of_limit(limit: Any) -> str | None:
    """What a limit is in words where it is no number; None where it is one, or an array of them."""
    if limit.dtype.kind in "iuf":
        return None
    if limit.dtype.kind != "O":
        return _KINDS.get(limit.dtype.kind, "limits that are no numbers")
    for each in limit.flat:
        if isinstance(each, str | bytes):
            return _KINDS["U"]
        if isinstance(each, complex):
            return _KINDS["c"]
    return None


def _found(kind: str, answer: Any) -> str:
    text = one_line(answer, repr)
    return f"found {kind}: {text}" if kind else f"found {text}"


def copies(arguments: dict[str, Any]) -> list[Any]:
    """The arguments, arrays copied so that the function may change them."""
    return [value.copy() if np.ndim(value) else value for value in arguments.values()]


def _same_alone(asked: Asked, limits: LimitPair) -> bool:
    count = limits[0].size
    for place in {0, count // 2, count - 1}:
        try:
            lower, upper = pair_of(asked.function(*asked.outcome(place).values(), asked.alpha))
            pair = float(lower), float(upper)
        except asked.raised:
            continue
        if not same(pair, (limits[0][place], limits[1][place])):
            return False
    return True


def same(alone: tuple[float, float], from_array: tuple[float, float]) -> bool:
    """Whether limits are equal but for the rounding of a library that computes arrays otherwise."""
    return np.allclose(alone, from_array, rtol=1e-9, atol=1e-12, equal_nan=True)


def call_on_numbers(
    function: Function, outcome: dict[str, Any], alpha: float, raised: Raised = ANYTHING
) -> tuple[float, float]:
    """Return both limits of one outcome.

    Raises:
        FunctionError: the function fails, or returns something else.
    """
    where = f"at {format_arguments({**outcome, 'alpha': alpha})}"
    try:
        answer = function(*outcome.values(), alpha)
    except raised as error:
        raise FunctionError(f"failed {where}: {describe(error)}") from None
    try:
        lower, upper = pair_of(answer)
        return float(lower), float(upper)
    except (TypeError, ValueError, OverflowError) as error:
        found = found_in(error, answer)
        raise FunctionError(f"expected a lower and an upper limit {where}, {found}") from None
    except raised as error:  # of an object of the user, which computes only now
        raise FunctionError(f"failed {where}: {describe(error)}") from None


def found_in(error: Exception, answer: Any) -> str:
    """What an answer is that is no pair of limits, in a clause; the error is that of reading it."""
    text = str(error)
    return text if text.startswith("found ") else _found("", answer)


def describe(error: BaseException) -> str:
    """Return the exception on one line."""
    text = one_line(error, str)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def one_line(thing: object, text_of: Callable[[object], str]) -> str:
    """Return the text of a user's object as one line that any file and terminal can hold.

    Its address in memory, which differs from run to run, is left out.
    """
    try:
        text = " ".join(text_of(thing).split())
    except ANYTHING:
        return type(thing).__name__
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", text)
    return shortened(printable_line(text), LONGEST)


Pair = tuple[float, float] | None
"""The limits of one outcome; None where there are none."""


def pairs_of(limits: LimitPair) -> list[tuple[float, float]]:
    """The limits of each outcome, from arrays."""
    return [*zip(limits[0].tolist(), limits[1].tolist(), strict=True)]


def pair_in_words(pair: Pair) -> str:
    """The limits of one outcome in a message."""
    return "no limits" if pair is None else f"{pair[0]:.15g} … {pair[1]:.15g}"
