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
    numbers = np.full((len(FIELDS), count), np.nan)
    if type(found) is tuple and len(found) == 2 and type(found[0]) is type(found[1]) is np.ndarray:
        lower, upper = found
        are_floats = lower.dtype == upper.dtype == np.float64
        if are_floats and lower.shape == upper.shape == (count,) and np.all(lower <= upper):
            numbers[2], numbers[3] = lower, upper
            return numbers, np.ones(count, np.bool_), None
    given = _given(found)
    converged = given.pop(CONVERGED, True)
    lacks: list[tuple[str, Bools]] = []
    if converged is not True:
        lacks.append(("converged is false", column(CONVERGED, converged, count) == 0))
    lacks += lacking.items()
    columns = {name: column(name, value, count) for name, value in given.items()}
    for name, values in columns.items():
        numbers[FIELDS.index(name)] = values
        lacks.append((f"{name} is nan", np.isnan(values)))
    for name, (wrong, words) in _OUT_OF_RANGE.items():
        if name in columns:
            lacks.append((f"{name} {words}", wrong(columns[name])))
    if "lower" in columns:
        lacks.append(("lower is above upper", columns["lower"] > columns["upper"]))
    lacks = [(why, lost) for why, lost in lacks if np.count_nonzero(lost)]
    if not lacks:
        return numbers, np.ones(count, np.bool_), None
    answered = ~np.any([lost for _, lost in lacks], axis=0)
    place = int(np.argmin(answered))
    numbers[:, ~answered] = np.nan
    return numbers, answered, (place, next(why for why, lost in lacks if lost[place]))


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
    array = array.astype(np.float64, copy=False)
    return array if array.ndim else np.full(count, array)


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
