"""A user's function in the process that has loaded it: what it declares, and calls of it."""

from __future__ import annotations

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, fields, is_dataclass
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np

from harness.base.errors import InputError
from harness.base.text import enumerated, printable_line, shortened
from harness.callers.expected_failures import ExpectedFailure, expected_failures
from harness.families.data import is_masked
from harness.methods.method import ALL_SIDES, TWO_SIDED, Contract, LimitPair, validate_contract

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


@dataclass(frozen=True)
class Declared:
    """The declaration of a user function."""

    deterministic: bool
    """Whether its limits are a function of the outcome."""
    side: str
    """"two-sided"; or "lower" or "upper" of a function that gives that limit, while the other one
    is the end of the parameter's range, which may be infinite."""
    expected_failures: tuple[ExpectedFailure, ...] = ()
    """Failures of checks that are to be expected."""
    contract: Contract | None = None
    """What it promises; None where it does not say."""
    parameters: tuple[str, ...] = ()
    """The names of the parameters that it takes by position; none where it does not name them."""

    def refuse_other_than_alpha(self, data: Collection[str]) -> None:
        """Refuse a function whose parameter after the data is neither alpha nor 1 − alpha.

        Args:
            data: the names of the data, which it is given before alpha.

        Raises:
            InputError: the parameter is named something else.
        """
        name = parameter_of_alpha(self.parameters, len(data))
        if name is None or name in CONFIDENCES:
            return
        plain = name.lower().replace("_", "")
        if plain in _ALPHAS or "alpha" in plain or "α" in plain:
            return
        raise InputError(
            f"its parameter {name!r} is in the place of alpha, after {enumerated([*data], 'and')}, "
            f"and should be named alpha, or {enumerated(CONFIDENCES, 'or')}, which is given 1 − "
            "alpha"
        )


CONFIDENCES = ("confidence_level", "conf_level", "confidence")
"""The names of parameters that are given 1 − alpha."""
_ALPHAS = ("", "a", "al", "significance", "significancelevel", "sig", "siglevel", "errorrate")
"""What else than a name with alpha in it is given alpha, in small letters without underscores."""


def parameter_of_alpha(parameters: Sequence[str], data_count: int) -> str | None:
    """The name of the parameter that is given alpha; None where it has none."""
    return parameters[data_count] if data_count < len(parameters) else None


def declared(function: Function) -> Declared:
    """Return what a function declares.

    A function with an argument ``rng``, for a NumPy generator, is stochastic; side, contract and
    expected failures are its attributes ``side``, ``contract`` and ``expected_failures``.

    Raises:
        FunctionError: an attribute is not what it should be.
    """
    side = getattr(function, "side", TWO_SIDED)
    if side not in ALL_SIDES:
        raise FunctionError(f"side should be one of {', '.join(ALL_SIDES)}, found {side!r}")
    contract = getattr(function, "contract", None)
    by_position = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [
        name for name, parameter in _parameters(function).items() if parameter.kind in by_position
    ]
    try:
        return Declared(
            not draws(function),
            side,
            expected_failures(getattr(function, "expected_failures", {})),
            None if contract is None else validate_contract(contract),
            tuple(name for name in names if name != "rng"),
        )
    except InputError as error:
        raise FunctionError(str(error)) from None


def draws(function: Function) -> bool:
    """Whether a function takes a generator ``rng``, from which it draws its limits."""
    return "rng" in _parameters(function)


def _parameters(function: Function) -> Mapping[str, inspect.Parameter]:
    """The parameters of a function by name; none where they are not known."""
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):  # a function in C may have no signature
        return {}


Outcome = dict[str, Any]
"""The arguments of one outcome by name, but alpha."""
Pair = tuple[float, float] | None
"""The limits of one outcome; None where there are none."""


@dataclass(frozen=True)
class Asked:
    """A function, and the arguments that it is asked for."""

    function: Function
    """A function of the data and alpha."""
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


class CallFault(NamedTuple):
    """What is wrong with calls of a method."""

    message: str
    is_remark: bool = False


CallFaults = Mapping[str, CallFault | None]
"""What is wrong by the name of each check that was made; None where nothing is."""


class AskedByLines(Protocol):
    """A program that is asked for outcomes by lines of text."""

    def pairs(self, outcomes: Sequence[Outcome], alpha: float) -> list[Pair]:
        """The limits of outcomes, whose lines are written ahead of the answers."""

    def answer_count(self, outcomes: Sequence[Outcome], alpha: float) -> int:
        """The number of lines that a new process of the program answers before it ends."""


class Probe(ABC):
    """Calls a method in other ways than for its limits, to see what its calls do.

    It is pickled for the process that has loaded a user's function.
    """

    @abstractmethod
    def of_function(self, asked: Asked, deterministic: bool) -> CallFaults:
        """What is wrong with calls of a function."""

    @abstractmethod
    def of_program(
        self, program: AskedByLines, outcomes: Sequence[Outcome], alpha: float
    ) -> CallFaults:
        """What is wrong with the answers of a program."""

    @abstractmethod
    def most_calls(self, count: int) -> int:
        """The most calls that it makes of a function that is asked for so many outcomes."""


@dataclass(frozen=True)
class Call:
    """What a function is asked for."""

    task: str
    """ON_ARRAYS, for the limits of one call for all outcomes, or None where that does not work;
    ON_NUMBERS, for the limits of one outcome; or PROBE, for what a probe finds."""
    arguments: dict[str, Any]
    """The function's, by name."""
    alpha: float
    """The last of them."""
    seed: Sequence[int] | None
    """The seed of the generator of a stochastic function, else None."""
    probe: Probe | None = None

    @property
    def most(self) -> int:
        """The most calls of the function that the task makes."""
        return 1 if self.probe is None else self.probe.most_calls(outcome_count(self.arguments))


ON_ARRAYS, ON_NUMBERS, PROBE = "on_arrays", "on_numbers", "probe"


@dataclass(frozen=True)
class LoadedFunction:
    """A function of this process; each task is given arguments by name, alpha and a seed."""

    function: Function
    declared: Declared
    raised: Raised = ANYTHING
    """The exceptions that are the function's, and not meant for the harness."""

    @classmethod
    def of(cls, function: Function, raised: Raised = ANYTHING) -> LoadedFunction:
        """The function with what it declares.

        Raises:
            FunctionError: what it declares is not what it should be.
        """
        return cls(function, declared(function), raised)

    def answer(self, call: Call) -> Any:
        """The answer to a task.

        Raises:
            FunctionError: the function has no limits of one outcome.
        """
        name = parameter_of_alpha(self.declared.parameters, len(call.arguments))
        seed = call.seed

        def function(*arguments: Any) -> Any:
            """The function of the data and alpha, where each call of one that draws is the same."""
            *data, alpha = arguments
            last = 1.0 - alpha if name in CONFIDENCES else alpha
            if seed is None:
                return self.function(*data, last)
            return self.function(*data, last, rng=np.random.default_rng(seed))

        asked = Asked(function, call.arguments, call.alpha, self.raised)
        if call.probe is not None:
            return call.probe.of_function(asked, seed is None)
        if call.task == ON_NUMBERS:
            return call_on_numbers(function, call.arguments, call.alpha, self.raised)
        try:
            answer = function(*copies(call.arguments), call.alpha)
            # Draws for an array are not those for one outcome, which would tell rows from columns.
            if seed is not None and is_square(answer):
                return None
            limits = read_arrays(answer, asked.count)
        except self.raised:
            return None
        return limits if seed is not None or _same_alone(asked, limits) else None


def _same_alone(asked: Asked, limits: LimitPair) -> bool:
    """Whether the first, the middle and the last outcome have the same limits when asked alone."""
    count = limits[0].size
    for place in {0, count // 2, count - 1}:
        outcome = one_outcome(asked.data, place)
        try:
            pair = numbers_of(asked.function(*outcome.values(), asked.alpha))
        except asked.raised:
            continue
        if not same(pair, (limits[0][place], limits[1][place])):
            return False
    return True


def same(alone: tuple[float, float], from_array: tuple[float, float]) -> bool:
    """Whether limits are equal but for the rounding of a library that computes arrays otherwise."""
    return np.allclose(alone, from_array, rtol=1e-9, atol=1e-12, equal_nan=True)


def call_on_numbers(
    function: Function, outcome: Outcome, alpha: float, raised: Raised = ANYTHING
) -> tuple[float, float]:
    """Return both limits of one outcome.

    Raises:
        FunctionError: the function fails, or returns something else.
    """
    where = at_outcome(outcome, alpha)
    try:
        answer = function(*outcome.values(), alpha)
    except raised as error:
        raise FunctionError(f"failed {where}: {describe(error)}") from None
    try:
        return numbers_of(answer)
    except (TypeError, ValueError, OverflowError) as error:
        clause = found_in(error, answer)
        raise FunctionError(f"expected a lower and an upper limit {where}, {clause}") from None
    except raised as error:  # of an object of the user, which computes only now
        raise FunctionError(f"failed {where}: {describe(error)}") from None


def copies(arguments: dict[str, Any]) -> list[Any]:
    """The arguments, arrays copied so that the function may change them."""
    return [value.copy() if np.ndim(value) else value for value in arguments.values()]


def outcome_count(arguments: dict[str, Any]) -> int:
    """The number of outcomes in the arrays."""
    return next(len(value) for value in arguments.values() if np.ndim(value))


def one_outcome(arguments: Mapping[str, Any], place: int) -> Outcome:
    """The arguments of one outcome, from arrays of counts; a list is a row of its array."""
    outcome = {}
    for name, value in arguments.items():
        if np.ndim(value) == 1:
            outcome[name] = int(value[place])
        else:
            outcome[name] = value[place].copy() if np.ndim(value) else value
    return outcome


# Answers.


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
        clause = (found_instead or found_in)(error, answer)
        raise ValueError(f"expected two arrays{of_shape}, {clause}") from None
    if not limits[0].shape == limits[1].shape == (count,):
        shapes = f"{limits[0].shape} and {limits[1].shape}"
        raise ValueError(f"expected limits of shape ({count},){where}, found {shapes}")
    return limits


_NO_NUMBERS = {
    "c": "complex limits",
    "b": "limits that are true or false",
    "U": "limits as text",
    "S": "limits as text",
    "M": "limits that are dates",
    "m": "limits that are times",
}
"""What limits are in words, by the kind of their type in NumPy."""


_NAMES = (("lower", "upper"), ("low", "high"))
"""The names of both limits in an answer that has names."""


def _named(answer: Any) -> Mapping[Any, Any] | None:
    """The values of an answer by their names; None where they have none."""
    if isinstance(answer, Mapping):
        return answer
    if is_dataclass(answer) and not isinstance(answer, type):
        return {field.name: getattr(answer, field.name) for field in fields(answer)}
    if _is_table(answer):
        return {column: np.asarray(answer[column]) for column in answer.columns}
    as_mapping = getattr(answer, "_asdict", None)
    return as_mapping() if isinstance(answer, tuple) and as_mapping is not None else None


def _is_table(answer: Any) -> bool:
    return hasattr(answer, "columns") and hasattr(answer, "dtypes")


def _in_order(answer: Any) -> Any:
    """The lower and the upper limit of an answer that names them or has two columns.

    Any other answer is returned as it is, and so is an array of two rows.

    Raises:
        TypeError: there is a third value beside both limits.
    """
    if isinstance(answer, np.ndarray) and answer.ndim == 2:
        return tuple(answer.T) if answer.shape[0] != 2 == answer.shape[1] else answer
    values = _named(answer)
    if values is None:
        return answer
    for names in _NAMES:
        if values.keys() >= {*names}:
            for other in values:
                if other not in names:
                    raise TypeError(f"found the third value {other!r} beside {enumerated(names)}")
            return tuple(values[name] for name in names)
    if _is_table(answer) and len(values) == 2 and values.keys().isdisjoint(chain(*_NAMES)):
        return tuple(values.values())
    return answer


def is_square(answer: Any) -> bool:
    """Whether an answer is one array of two rows and columns: the limits may be either."""
    return isinstance(answer, np.ndarray) and answer.shape == (2, 2)


def numbers_of(answer: Any) -> tuple[float, float]:
    """Return the two limits of an answer to one outcome, numbers or arrays of one number.

    Raises:
        TypeError, ValueError: as of ``pair_of``; or a limit is no number.
    """
    lower, upper = (
        limit[0] if isinstance(limit, np.ndarray) and limit.shape == (1,) else limit
        for limit in pair_of(answer)
    )
    return float(lower), float(upper)


def pair_of(answer: Any) -> tuple[Any, Any]:
    """Return the two limits of an answer.

    They are two values, or the two columns of an array of other than two rows or of a data frame;
    or a mapping, dataclass, named tuple or data frame has them as lower and upper, or low and high.

    Raises:
        TypeError: the answer has a third value beside these names; is a text, or has no order or
            can be read only once; or a limit is a text, a complex number, a truth value, a date or
            masked, all of which NumPy takes for numbers. The message says what was found, in a
            clause.
        ValueError: they are not two.
    """
    if is_masked(answer):
        raise TypeError(_found("masked limits", answer))
    answer = _in_order(answer)
    if isinstance(answer, Mapping):
        keys = ", ".join(repr(key) for key in [*answer][:LISTED])
        raise TypeError(f"found a dictionary with the keys {keys}")
    if _is_table(answer):
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


def _kind_of_limit(limit: Any) -> str | None:
    """What a limit is in words where it is no number; None where it is one, or an array of them."""
    if limit.dtype.kind in "iuf":
        return None
    if limit.dtype.kind != "O":
        return _NO_NUMBERS.get(limit.dtype.kind, "limits that are no numbers")
    for number in limit.flat:
        if isinstance(number, str | bytes):
            return _NO_NUMBERS["U"]
        if isinstance(number, complex):
            return _NO_NUMBERS["c"]
    return None


def found_in(error: Exception, answer: Any) -> str:
    """What an answer is that is no pair of limits, in a clause; the error is that of reading it."""
    text = str(error)
    return text if text.startswith("found ") else _found("", answer)


def _found(kind: str, answer: Any) -> str:
    text = one_line(answer, repr)
    return f"found {kind}: {text}" if kind else f"found {text}"


# Words.


def format_arguments(arguments: Mapping[str, Any]) -> str:
    """Arguments in a message: ``x = 3, n = 10, alpha = 0.05``, and lists in brackets."""
    return ", ".join(f"{name} = {format_argument(value)}" for name, value in arguments.items())


def format_argument(value: Any) -> str:
    """One argument in a message; of a long list its beginning."""
    if np.ndim(value):
        few = ", ".join(f"{number:.6g}" for number in value[:LISTED])
        return f"[{few}{', …' if len(value) > LISTED else ''}]"
    return f"{value}" if isinstance(value, int) else f"{value:g}"


def at_outcome(outcome: Mapping[str, Any], alpha: float) -> str:
    """The place of a failure: ``at x = 3, n = 10, alpha = 0.05``."""
    return f"at {format_arguments({**outcome, 'alpha': alpha})}"


def describe(error: BaseException) -> str:
    """Return the exception on one line."""
    text = one_line(error, str)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def one_line(thing: object, text_of: Callable[[object], str]) -> str:
    """Return the text of a user's object as one line that any file and terminal can hold.

    Its address in memory, which differs from run to run, is left out.
    """
    if isinstance(thing, str | bytes):
        # What is left out would take a second for each 10^8 letters.
        thing = thing[: 4 * LONGEST]
    try:
        text = " ".join(text_of(thing)[: 100 * LONGEST].split())
    except ANYTHING:
        return type(thing).__name__
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", text)
    return shortened(printable_line(text), LONGEST)
