"""What a method of a simulation answered: an estimate, limits and more, read with checks."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from contextlib import suppress
from types import MappingProxyType
from typing import Any

import numpy as np

from harness.base.errors import did_you_mean
from harness.base.numerics.arrays import Bools, Floats
from harness.callers.calls import describe, one_line

FIELDS = ("estimate", "se", "lower", "upper", "p_value", "df")
"""What a method may give of each trial, beside ``converged``."""
AGAINST_TRUTH = ("covered", "set_size", "rank", "draws")
"""What is recorded of sets and of draws, against a truth that the model draws."""
_TUPLES = {2: ("lower", "upper"), 3: ("estimate", "lower", "upper")}
_FORMS = (
    "(lower, upper), (estimate, lower, upper) or a dictionary with some of estimate, se, lower, "
    "upper, p_value, df and converged"
)
CONVERGED = "converged"
"""Whether a method says that it has reached its answer."""
_OUT_OF_RANGE: Mapping[str, tuple[Callable[[Any], Any], str]] = {
    "se": (lambda number: number < 0, "is below 0"),
    "p_value": (lambda number: (number < 0) | (number > 1), "is not from 0 to 1"),
    "df": (lambda number: number <= 0, "is not above 0"),
}
"""Which numbers no method can give, and what is wrong with them."""


def read_answer(answer: Any) -> list[float]:
    """The numbers of one answer in the order of ``FIELDS``, NaN where they are not given.

    Raises:
        ValueError: it is no answer; the message is a clause.
    """
    if type(answer) is tuple and len(answer) == 2 and type(answer[0]) is type(answer[1]) is float:
        numbers = [np.nan, np.nan, *answer, np.nan, np.nan]
        if answer[0] <= answer[1]:
            return numbers
        _refuse({"lower": answer[0], "upper": answer[1]})
    given = _given(answer)
    if not given.pop(CONVERGED, True):
        raise ValueError("converged is false")
    read: dict[str, float] = {}
    for name, value in given.items():
        if type(value) is float:
            read[name] = value
            continue
        is_number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
        array = np.asarray(value)
        if is_number or (array.size == 1 and array.dtype.kind in "iuf"):
            with suppress(TypeError, ValueError, OverflowError):
                read[name] = float(array.item())
        if name not in read:
            raise ValueError(f"expected a number as {name}, found {one_line(value, repr)}")
    _refuse(read)
    return [read.get(name, np.nan) for name in FIELDS]


Answers = tuple[Floats, Bools, tuple[int, str] | None]
"""The numbers of trials, shape (numbers, trials); which trials have an answer, shape (trials,); and
the place of the first one without, with the reason."""


def read_answers(
    found: Any, count: int, lacking: Mapping[str, Bools] = MappingProxyType({})
) -> Answers:
    """The numbers of an answer to a batch of trials.

    Args:
        found: the answer, with arrays whose first axis is the trial.
        count: the number of trials.
        lacking: trials without an answer for reasons that are known, shape (count,).

    Returns:
        The numbers, shape (6, count); which trials have an answer, shape (count,); and the place
        of the first trial without one, with the reason.

    Raises:
        ValueError: it is no answer; the message is a clause.
    """
    given = _given(found)
    numbers = np.full((len(FIELDS), count), np.nan)
    converged = column(CONVERGED, given.pop(CONVERGED, True), count)
    lacks = {"converged is false": converged == 0, **lacking}
    for name, value in given.items():
        values = column(name, value, count)
        numbers[FIELDS.index(name)] = values
        lacks[f"{name} is nan"] = np.isnan(values)
    for name, (wrong, words) in _OUT_OF_RANGE.items():
        lacks[f"{name} {words}"] = wrong(numbers[FIELDS.index(name)])
    lower, upper = numbers[2], numbers[3]
    lacks["lower is above upper"] = lower > upper
    answered = ~np.any([*lacks.values()], axis=0)
    first = None
    if not answered.all():
        place = int(np.argmin(answered))
        first = place, next(why for why, lacking in lacks.items() if lacking[place])
    numbers[:, ~answered] = np.nan
    return numbers, answered, first


def _given(found: Any) -> dict[str, Any]:
    """What an answer gives by name.

    Raises:
        ValueError: it has another form, or gives nothing.
    """
    if isinstance(found, Mapping):
        for key in found:
            if key not in (*FIELDS, CONVERGED):
                guess = did_you_mean(key, FIELDS)
                raise ValueError(f"expected {_FORMS}, found the key {one_line(key, repr)}{guess}")
        given = {str(name): value for name, value in found.items() if value is not None}
    elif isinstance(found, str | bytes | Set) or not np.iterable(found):
        raise ValueError(f"expected {_FORMS}, found {one_line(found, repr)}")
    elif len(values := list(found)) not in _TUPLES:
        raise ValueError(f"expected {_FORMS}, found {len(values)} values")
    else:
        given = dict(zip(_TUPLES[len(values)], values, strict=True))
    if ("lower" in given) != ("upper" in given):
        raise ValueError("expected both lower and upper, found one of them")
    if not set(given) - {CONVERGED, "df"} and given.get(CONVERGED, True) is not False:
        raise ValueError(f"expected {_FORMS}, found {one_line(found, repr)}")
    return given


def column(name: str, value: Any, count: int) -> Floats:
    """The numbers of each trial; one number is that of all.

    Raises:
        ValueError: they are none, or have another shape; the message is a clause.
    """
    array = np.asarray(value)
    kinds = "b" if name == CONVERGED else "iuf"
    if array.dtype.kind not in kinds:
        raise ValueError(f"expected numbers as {name}, found {one_line(value, repr)}")
    if array.shape not in ((), (count,)):
        raise ValueError(f"expected {name} of shape ({count},), found shape {array.shape}")
    return np.broadcast_to(array, (count,)).astype(np.float64)


def _refuse(numbers: Mapping[str, float]) -> None:
    for name, number in numbers.items():
        if number != number:
            raise ValueError(f"{name} is nan")
        wrong, words = _OUT_OF_RANGE.get(name, (None, ""))
        if wrong is not None and wrong(number):
            raise ValueError(f"{name} {words}, found {number:.6g}")
    lower, upper = numbers.get("lower"), numbers.get("upper")
    if lower is not None and upper is not None and lower > upper:
        raise ValueError(f"expected lower ≤ upper, found {lower:.6g} and {upper:.6g}")


def failure(error: BaseException) -> str:
    """What a function raised, in a clause."""
    return f"raised {describe(error)}"
