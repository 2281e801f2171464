"""Whether a function gives the same limits for all the types in which callers have their counts.

A wrong number for a type is a failure: a product of 32-bit counts that overflows, as x·(n − x) does
from n = 92 682 on; a division that is one of whole numbers; a float array that is overwritten. So
is the refusal of a type that NumPy makes of counts: arrays of int32 or int64, one that cannot be
written to, and a whole number of NumPy in the place of a Python one. A remark is

- the refusal of a list or of sizes as an array, since a function may be documented for numbers and
  arrays, and for one size at a time;
- the refusal of x = 3.0 or of an array of such numbers, as by SciPy's ``binomtest``: counts are
  whole numbers;
- a wrong number where n is of 32 bits as well and above 10 000: few callers have it so, and n² is
  computed without a conversion by textbooks and packages;
- limits that are arrays of objects, or of pandas, though NumPy makes numbers of them.

A function that raises on all arrays takes numbers only, and is asked for these only.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.callers.calls import (
    Asked,
    AskedByLines,
    CallFault,
    CallFaults,
    Outcome,
    Pair,
    Probe,
    at_outcome,
    describe,
    numbers_of,
    one_outcome,
    outcome_count,
    pair_of,
    read_arrays,
    same,
)
from harness.checks.conformance.call_checks import (
    ARGUMENTS,
    each_alone,
    pair_in_words,
    pairs_of,
    unchanged_random_states,
)

TYPES = "takes every type"

LARGE = 10_000
"""Above this count, what is wrong with 32 bits is that a product overflows."""

_OVERFLOWS = "; a product of 32-bit counts overflows where they are not made floats first"


class TypeChecks(Probe):
    """The checks of the types of arguments."""

    def of_function(self, asked: Asked, deterministic: bool = True) -> CallFaults:
        """Call the function with its arguments in each type, and compare with Python numbers.

        Args:
            asked: the function, with arrays of counts beside numbers, or lists, rows of arrays.
            deterministic: whether its limits are a function of the outcome.

        Returns:
            What is wrong, by the name of the check: of types, and of arguments changed in place.
        """
        with unchanged_random_states(), warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            expected = each_alone(asked)
            if not any(expected):
                return {}
            calls = _Calls(asked, expected)
            if any(np.ndim(value) > 1 for value in asked.data.values()):
                calls.compare_lists()
            else:
                calls.compare_counts(deterministic)
        return calls.found()

    def of_program(
        self, program: AskedByLines, outcomes: Sequence[Outcome], alpha: float
    ) -> CallFaults:
        """No fault, as a line of text has no types that could be checked."""
        return {}

    def most_calls(self, count: int) -> int:
        return 8 * count + 10


def _read_only(values: Any) -> Any:
    array = np.array(values)
    array.flags.writeable = False
    return array


@dataclass(frozen=True)
class _NumberForm:
    """A type of counts, and whether it may be refused."""

    words: str
    of_count: Callable[[Any], Any]
    is_of_sizes: bool = False
    """Whether sizes that are whole numbers are of the type too; exposures stay as they are."""
    may_refuse: bool = False
    is_32_bit: bool = False
    is_writable: bool = True


_NUMBERS = (
    _NumberForm("numpy.int64", np.int64, is_of_sizes=True),
    _NumberForm("numpy.int32", np.int32, is_32_bit=True),
    _NumberForm("counts and sizes as numpy.int32", np.int32, is_of_sizes=True, is_32_bit=True),
)
_FLOATS = (
    _NumberForm("a Python float", float, may_refuse=True),
    _NumberForm("numpy.float64", np.float64, may_refuse=True),
)
_ARRAYS = (
    _NumberForm("an int64 array", np.array),
    _NumberForm("a float64 array", lambda values: np.array(values, np.float64), may_refuse=True),
    _NumberForm("an int32 array", lambda values: np.array(values, np.int32), is_32_bit=True),
    _NumberForm("a read-only int64 array", _read_only, is_writable=False),
    _NumberForm(
        "a read-only float64 array",
        lambda values: _read_only(np.array(values, np.float64)),
        is_writable=False,
    ),
    _NumberForm("a list", lambda values: values.tolist(), may_refuse=True),
)


class _ProblemError(Exception):
    """What a call in one type did wrong, in a clause."""

    def __init__(
        self, message: str, refused: bool = False, outcome: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(message)
        self.refused, self.outcome = refused, outcome
        """The outcome is where a limit is wrong; None where there are none."""


class _Calls:
    """The calls of a function in all types, and what they did wrong."""

    def __init__(self, asked: Asked, expected: list[Pair]) -> None:
        self._function, self._raised = asked.function, asked.raised
        self._data, self._alpha = asked.data, asked.alpha
        self._expected = expected
        self._failures: list[str] = []
        self._remarks: list[str] = []
        self._changed: str | None = None
        self._takes_no_floats = False
        self._counts = [name for name, value in asked.data.items() if np.ndim(value)]

    def found(self) -> CallFaults:
        """What is wrong: the first failure, or without one the first remark."""
        call_faults: dict[str, CallFault | None] = {TYPES: None}
        faults = self._failures or self._remarks
        if faults:
            first, *others = faults
            more = f" (and {len(others)} more of its types)" if others else ""
            call_faults[TYPES] = CallFault(first + more, is_remark=not self._failures)
        if self._changed is not None:
            call_faults[ARGUMENTS] = CallFault(self._changed)
        return call_faults

    def compare_counts(self, deterministic: bool) -> None:
        """Numbers one outcome at a time, and then arrays where the function takes some."""
        taken = self._taken()
        for form in (*_NUMBERS, *_FLOATS):
            with self._noting(form):
                self._one_by_one(form, self._alpha)
        alpha = _NumberForm("alpha as numpy.float64", lambda count: count)
        with self._noting(alpha):
            self._one_by_one(alpha, np.float64(self._alpha))
        if taken is None:
            return
        expected = self._expected if deterministic else taken
        if any(
            one is not None and other is not None and not same(one, other)
            for one, other in zip(expected, taken, strict=True)
        ):
            return  # "arrays equal scalars" has said so
        for form in _ARRAYS:
            # Arguments that are changed in place are named once, and so is the refusal of floats.
            is_excused = self._changed is not None or (
                "float" in form.words and self._takes_no_floats
            )
            if form.is_writable or not is_excused:
                with self._noting(form):
                    self._at_once(self._converted(form), self._data, expected)
        if deterministic:
            self._compare_sizes()

    def compare_lists(self) -> None:
        """Each data set with its lists in every type."""
        whole = all(self._data[name].dtype.kind == "i" for name in self._counts)
        for form in _ARRAYS:
            if whole or "int" not in form.words:
                with self._noting(form):
                    self._one_by_one(form, self._alpha)

    def _taken(self) -> list[Pair] | None:
        """The limits of the first type of arrays that the function takes; None without one."""
        for form in _ARRAYS[:3]:
            with suppress(_ProblemError):
                return self._call(self._converted(form))
        return None

    def _compare_sizes(self) -> None:
        """Each outcome with a size of its own."""
        sizes = [name for name in self._data if name not in self._counts]
        if not sizes:
            return
        step = np.arange(outcome_count(self._data))
        data = dict(self._data)
        for name in sizes:
            size = data[name]
            data[name] = size + step if isinstance(size, int) else size * (1.0 + 0.5 * step)
        expected: list[Pair] = []
        for place in step.tolist():
            outcome = {name: value[place].item() for name, value in data.items()}
            expected.append(None)
            with suppress(_ProblemError):
                expected[place] = self._call_on_numbers(outcome, self._alpha)
        with self._noting(_NumberForm(f"{_joined(sizes)} as an array", np.array, may_refuse=True)):
            self._at_once(data, data, expected)

    @contextmanager
    def _noting(self, form: _NumberForm) -> Iterator[None]:
        """Keep what a type does wrong as a failure or a remark."""
        try:
            yield
        except _ProblemError as problem:
            names = _joined(self._counts) if len(self._counts) <= 2 else "counts"
            words = form.words if " as " in form.words else f"{names} as {form.words}"
            is_mild = problem.refused and form.may_refuse
            self._takes_no_floats |= is_mild and "float" in form.words
            outcome = problem.outcome or self._data
            largest = max(float(np.max(value)) for value in outcome.values())
            overflows = form.is_32_bit and largest > LARGE
            is_mild |= overflows and form.is_of_sizes
            cause = _OVERFLOWS if overflows else ""
            (self._remarks if is_mild else self._failures).append(f"{words}: {problem}{cause}")

    def _converted(self, form: _NumberForm) -> dict[str, Any]:
        """The arguments with their arrays in a type."""
        return {
            name: form.of_count(value) if name in self._counts else value
            for name, value in self._data.items()
        }

    def _at_once(self, given: dict[str, Any], data: dict[str, Any], expected: list[Pair]) -> None:
        """Compare the limits of one call with those expected of its outcomes.

        Raises:
            _ProblemError: they differ, or there are none.
        """
        with self._watching(given):
            pairs = self._call(given)
        for place, (limits, wanted) in enumerate(zip(pairs, expected, strict=True)):
            if limits is not None and wanted is not None and not same(wanted, limits):
                outcome = {
                    name: value[place].item() if np.ndim(value) else value
                    for name, value in data.items()
                }
                raise self._differing(limits, wanted, outcome)

    def _one_by_one(self, form: _NumberForm, alpha: Any) -> None:
        """Compare the limits of one outcome at a time, each argument in a type.

        Those of the first and the last outcome are left out, which often are of a convention.

        Raises:
            _ProblemError: they differ, or there are none.
        """
        count = outcome_count(self._data)
        for place in range(count)[1:-1] or range(count):
            wanted, outcome = self._expected[place], one_outcome(self._data, place)
            if wanted is None:
                continue
            given = dict(outcome)
            for name, value in outcome.items():
                if name in self._counts or (form.is_of_sizes and isinstance(value, int)):
                    given[name] = form.of_count(value)
            with self._watching(given):
                limits = self._call_on_numbers(given, alpha)
            if not same(wanted, limits):
                raise self._differing(limits, wanted, outcome)

    def _differing(
        self, found: tuple[float, float], wanted: tuple[float, float], outcome: Mapping[str, Any]
    ) -> _ProblemError:
        where = at_outcome(outcome, self._alpha)
        right = f"{pair_in_words(wanted)} as Python numbers"
        message = f"limits {pair_in_words(found)} {where}, {right}"
        return _ProblemError(message, outcome=outcome)

    def _call(self, given: dict[str, Any]) -> list[Pair]:
        """The limits of one call on arrays.

        Raises:
            _ProblemError: there are none.
        """
        try:
            answer = self._function(*given.values(), self._alpha)
        except self._raised as error:
            raise _ProblemError(f"refused with {describe(error)}", refused=True) from None
        try:
            limits = read_arrays(answer, outcome_count(self._data))
        except ValueError as error:
            raise _ProblemError(str(error), refused=True) from None
        # Limits that are no arrays of numbers but can be read as such are remarked on.
        for limit in pair_of(answer):
            kind = type(limit)
            remark = None
            if kind.__module__.partition(".")[0] == "pandas":
                remark = f"the limits of arrays are a pandas {kind.__name__}, not a NumPy array"
            elif np.asarray(limit).dtype == object:
                remark = "the limits of arrays are arrays of objects, not of numbers"
            if remark is not None and remark not in self._remarks:
                self._remarks.append(remark)
        return [*pairs_of(limits)]

    def _call_on_numbers(self, given: dict[str, Any], alpha: Any) -> tuple[float, float]:
        """The limits of one outcome.

        Raises:
            _ProblemError: there are none.
        """
        where = at_outcome(given, alpha)
        try:
            return numbers_of(self._function(*given.values(), alpha))
        except self._raised as error:
            raise _ProblemError(f"refused {where} with {describe(error)}", refused=True) from None

    @contextmanager
    def _watching(self, given: dict[str, Any]) -> Iterator[None]:
        """Note arguments that a call changes in place."""
        before = {name: np.array(value) for name, value in given.items()}
        try:
            yield
        finally:
            for name, old in before.items():
                new = given[name]
                if np.ndim(new) and not np.array_equal(old, np.asarray(new)):
                    kind = "list" if isinstance(new, list) else f"{new.dtype} array"
                    where = f"{name} = {old.ravel()[0]} … {old.ravel()[-1]}"
                    self._changed = self._changed or (
                        f"the {kind} that it was given as {name} was changed in place at {where}"
                    )


def _joined(names: Sequence[str]) -> str:
    return " and ".join(names)
