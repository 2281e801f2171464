"""Methods under check: sources of limits, with what only a check asks of them.

A subject never raises what its method raises; that is a failure of its answers, or a finding.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from harness.base.errors import HarnessError, InputError
from harness.callers.call_checks import CallChecks, run_call_checks
from harness.callers.calls import Function, FunctionError, Raised, describe
from harness.callers.command import Command
from harness.callers.function import UserFunction
from harness.callers.loaded import LoadedFunction, pickling_error
from harness.callers.process import FunctionLocation
from harness.callers.program import CommandCaller
from harness.callers.source import Answers, CatalogueSource, LimitSource, Observed
from harness.callers.type_checks import TypeChecks
from harness.checks.findings import Places
from harness.checks.watch import refuse_late
from harness.families.catalogue import family_of
from harness.methods.declared_contract import declared_contract
from harness.methods.expected_failures import SIDE, ExpectedFailure, expected_failures
from harness.methods.method import TWO_SIDED, Contract, LimitPair, Method

# Unlike in another process, an interrupt at the keyboard is here meant for the harness.
_RAISED: Raised = (Exception, SystemExit)


class Subject(LimitSource, Protocol):
    """A method under check."""

    @property
    def family(self) -> str: ...

    @property
    def expected_failures(self) -> tuple[ExpectedFailure, ...]:
        """Failures of checks that the method declares."""
        ...

    @property
    def contract(self) -> Contract | None:
        """What the method promises; None where it does not say."""
        ...

    @property
    def largest_size(self) -> float | None:
        """The largest size of a sample that it takes; None where there is no such limit."""
        ...

    @property
    def has_uneven_tails(self) -> bool:
        """Whether one tail of an interval may by design have hardly any of alpha."""
        ...

    @property
    def takes_long(self) -> bool:
        """Whether a hundred outcomes take it a good part of a second."""
        ...

    def takes_arrays(self, observed: Observed, alpha: float) -> bool:
        """Whether it computes the limits of all of the outcomes in one call."""
        ...

    def call_checks(self, observed: Observed, alpha: float) -> CallChecks:
        """The violations of the call checks by their names; None where there is none."""
        ...

    def type_checks(self, observed: Observed, alpha: float) -> TypeChecks:
        """What is wrong with types of arguments; nothing for what is not called with them."""
        ...

    def reload(self) -> LimitSource | None:
        """The method as one that was asked nothing yet; None where it remembers nothing.

        Raises:
            InputError: it cannot be loaded once more.
        """
        ...

    def unpicklable(self) -> str | None:
        """Why the method cannot be pickled; None where it can be, or need not be."""
        ...


def side_of(subject: Subject) -> str:
    """The side of a subject's numbers: two-sided where it has that, or its last one.

    Of the two one-sided ones that is the upper limit, which is finite also for a rate.
    """
    return TWO_SIDED if TWO_SIDED in subject.sides else subject.sides[-1]


@dataclass(frozen=True)
class CatalogueSubject:
    """A method of the catalogue."""

    label: str
    family: str
    method: Method
    seed: int
    """What a stochastic method draws from, the same at every call."""

    @property
    def sides(self) -> tuple[str, ...]:
        return self.method.sides

    @property
    def deterministic(self) -> bool:
        return self.method.deterministic

    @property
    def expected_failures(self) -> tuple[ExpectedFailure, ...]:
        return expected_failures(self.method.exceptions)

    @property
    def contract(self) -> Contract:
        return declared_contract(self.method, self.family)

    @property
    def largest_size(self) -> float | None:
        return self.method.largest_size

    @property
    def has_uneven_tails(self) -> bool:
        return self.method.uneven_tails

    @property
    def takes_long(self) -> bool:
        """Whether it searches tables of outcomes, or integrates over posteriors of two samples."""
        if family_of(self.family).has_single_count:
            return False
        return self.method.largest_size is not None or self.method.takes_prior

    @property
    def _source(self) -> CatalogueSource:
        seed = None if self.deterministic else self.seed
        return CatalogueSource(self.label, self.method, seed=seed)

    def limits(self, observed: Observed, alpha: float, side: str) -> Answers:
        try:
            return self._source.limits(observed, alpha, side)
        except Exception:
            return self._one_by_one(observed, alpha, side)

    def _one_by_one(self, observed: Observed, alpha: float, side: str) -> Answers:
        """The limits of each outcome by itself, so that only those fail that have none."""
        lower, upper = np.full((2, observed.count), np.nan)
        failures = {}
        for place in range(observed.count):
            try:
                found = self._source.limits(observed.part(slice(place, place + 1)), alpha, side)
                lower[place], upper[place] = found.lower[0], found.upper[0]
            except HarnessError as error:
                failures[place] = str(error)
            except Exception as error:
                failures[place] = describe(error)
        return Answers(lower, upper, failures)

    def takes_arrays(self, observed: Observed, alpha: float) -> bool:
        return True

    def call_checks(self, observed: Observed, alpha: float) -> CallChecks:
        # Counts of the type that the formulas work on, so that a change in place is seen.
        arguments = {
            name: value.astype(np.float64) if np.ndim(value) else value
            for name, value in observed.arguments.items()
        }
        return run_call_checks(self._as_function, arguments, alpha, _RAISED, self.deterministic)

    def type_checks(self, observed: Observed, alpha: float) -> TypeChecks:
        """Nothing: a method of the catalogue is called with arrays of floats only."""
        return {}

    def reload(self) -> None:
        """None: a method of the catalogue remembers nothing."""

    def _as_function(self, *arguments: Any) -> tuple[Any, Any]:
        """The method as a user's function of the data and alpha."""
        *given, alpha = arguments
        if not family_of(self.family).has_outcomes:
            return self._on_lists(given, alpha)
        on_arrays = np.ndim(given[0]) > 0
        columns = [np.atleast_1d(np.asarray(each, np.float64)) for each in given]
        data = tuple(
            column if np.ndim(each) else np.full(columns[0].size, float(each))
            for column, each in zip(columns, given, strict=True)
        )
        rng = None if self.deterministic else np.random.default_rng(self.seed)
        limits: LimitPair = self.method.limits(data, alpha, self.sides[0], rng=rng)
        return limits if on_arrays else (limits[0][0], limits[1][0])

    def _on_lists(self, given: list[Any], alpha: float) -> tuple[Any, Any]:
        """The method at one data set, or at a row for each of several."""
        family = family_of(self.family)
        rows = [np.atleast_2d(np.asarray(each, np.float64)) for each in given]
        rng = None if self.deterministic else np.random.default_rng(self.seed)
        data = family.columns(rows, ())
        limits: LimitPair = self.method.limits(data, alpha, self.sides[0], rng=rng)
        return limits if np.ndim(given[0]) > 1 else (limits[0][0], limits[1][0])

    def unpicklable(self) -> str | None:
        return pickling_error(self.method)


@dataclass(frozen=True)
class FunctionSubject:
    """A user's function, called in this process or in another one."""

    family: str
    function: UserFunction

    @classmethod
    def of_callable(
        cls, label: str, family: str, function: Function, seed: int = 0
    ) -> FunctionSubject:
        """A Python callable f(x, n, alpha), or f(x, n, alpha, rng), called in this process.

        Args:
            label: what the method is called.
            family: what is estimated.
            function: the callable.
            seed: what a stochastic function draws from, the same at every call.

        Raises:
            InputError: what it declares is not what it should be.
        """
        try:
            loaded = LoadedFunction.of(function, _RAISED)
        except FunctionError as error:
            raise InputError(f"{label}: {error}") from None
        return cls(family, UserFunction(label, loaded, seed))

    @classmethod
    def of_location(
        cls, label: str, family: str, location: FunctionLocation, timeout: float, seed: int = 0
    ) -> FunctionSubject:
        """A function of a file or module, called in another process that is started here.

        Args:
            label: what the method is called.
            family: what is estimated.
            location: where the function is.
            timeout: seconds that a call of the function may take.
            seed: what a stochastic function draws from, the same at every call.

        Raises:
            InputError: the function cannot be loaded.
        """
        return cls(family, UserFunction.start(label, location, timeout, seed))

    @classmethod
    def of_command(cls, family: str, command: Command, timeout: float) -> FunctionSubject:
        """A program of any language, which is started here.

        Args:
            family: what is estimated.
            command: the program.
            timeout: seconds that an answer may take.

        Raises:
            InputError: it cannot be started.
        """
        return cls(family, UserFunction(command.name, CommandCaller(command, timeout)))

    @property
    def label(self) -> str:
        return self.function.label

    @property
    def sides(self) -> tuple[str, ...]:
        return self.function.sides

    @property
    def deterministic(self) -> bool:
        return self.function.deterministic

    @property
    def expected_failures(self) -> tuple[ExpectedFailure, ...]:
        return self.function.declared.expected_failures

    @property
    def contract(self) -> Contract | None:
        return self.function.declared.contract

    @property
    def largest_size(self) -> None:
        """None: what a function takes, it takes at any size."""

    @property
    def has_uneven_tails(self) -> bool:
        """False, as a function has no way to say so but its expected failures."""
        return False

    @property
    def takes_long(self) -> bool:
        """False, as what a function takes is not known before it is asked."""
        return False

    def limits(self, observed: Observed, alpha: float, side: str) -> Answers:
        return snapped_to_boundary(self.function.limits(observed, alpha, side), observed)

    def takes_arrays(self, observed: Observed, alpha: float) -> bool:
        return self.function.takes_arrays(observed, alpha)

    def call_checks(self, observed: Observed, alpha: float) -> CallChecks:
        return self.function.call_checks(observed, alpha)

    def type_checks(self, observed: Observed, alpha: float) -> TypeChecks:
        return self.function.type_checks(observed, alpha)

    def reload(self) -> LimitSource:
        self.function.reload()
        return self

    def unpicklable(self) -> str | None:
        return self.function.unpicklable()

    def close(self) -> None:
        """End the function's process."""
        self.function.close()


_ROUNDING = 1e-15
"""Of a sum of a few numbers up to 1, and below every limit that is meant to be off the boundary."""


def snapped_to_boundary(answers: Answers, observed: Observed) -> Answers:
    """The limits, those moved to the boundary that only rounding keeps from it.

    The exact worst case would else be only that a sum in double precision misses the boundary:
    the truths in between are always missed.
    """
    low, high = family_of(observed.family).support
    unit = _ROUNDING * max(1.0 / size if np.isinf(high) else 1.0 for size in observed.sizes)
    with np.errstate(invalid="ignore"):  # an infinite limit less an infinite boundary
        lower = np.where(np.abs(answers.lower - low) <= unit, low, answers.lower)
        upper = np.where(np.abs(answers.upper - high) <= unit, high, answers.upper)
    return Answers(lower, upper, answers.failures)


_Key = tuple[tuple[float, ...], tuple[bytes, ...], float, str]
"""Sizes, the bytes of the counts, alpha and side."""


class CachedSubject:
    """A subject that caches the limits of another subject.

    Where it has no two-sided limits it gives those of its one side in their place.
    """

    def __init__(self, subject: Subject, sides: tuple[str, ...] | None = None) -> None:
        """
        Args:
            subject: another one.
            sides: those of its sides that are checked; by default all.
        """
        self._subject = subject
        self._answers: dict[_Key, Answers] = {}
        self.label, self.family = subject.label, subject.family
        self.sides = subject.sides if sides is None else sides
        self.deterministic = subject.deterministic
        self.expected_failures = subject.expected_failures
        self.contract = subject.contract
        self.largest_size = subject.largest_size
        self.has_uneven_tails = subject.has_uneven_tails
        self.takes_long = subject.takes_long

    def limits(self, observed: Observed, alpha: float, side: str) -> Answers:
        if side == TWO_SIDED:
            side = side_of(self)
        counts = tuple(each.tobytes() for each in observed.counts)
        key = (observed.sizes, counts, alpha, side)
        if key not in self._answers:
            refuse_late()
            self._answers[key] = self._subject.limits(observed, alpha, side)
        return self._answers[key]

    def asked(self) -> Iterator[Places]:
        """The outcomes, sizes, alphas and sides that limits were asked for, in parts."""
        family = family_of(self.family)
        for sizes, counts, alpha, side in self._answers:
            columns = {
                name: np.frombuffer(each, np.float64)
                for name, each in zip(family.counts, counts, strict=True)
                if family.has_outcomes
            }
            shape = next((each.shape for each in columns.values()), (1,))
            sized = zip(family.sizes, sizes, strict=True)
            columns |= {name: np.full(shape, size) for name, size in sized}
            yield Places({**columns, "alpha": np.full(shape, alpha), SIDE: np.full(shape, side)})

    def takes_arrays(self, observed: Observed, alpha: float) -> bool:
        return self._subject.takes_arrays(observed, alpha)

    def call_checks(self, observed: Observed, alpha: float) -> CallChecks:
        refuse_late()
        return self._subject.call_checks(observed, alpha)

    def type_checks(self, observed: Observed, alpha: float) -> TypeChecks:
        return self._subject.type_checks(observed, alpha)

    def reload(self) -> LimitSource | None:
        return self._subject.reload()

    def unpicklable(self) -> str | None:
        return self._subject.unpicklable()
