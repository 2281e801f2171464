"""A method under check: it is called with care, and whatever goes wrong is told, not raised."""

from __future__ import annotations

import pickle
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from harness.checks.conformance.grid import Outcomes
from harness.errors import HarnessError, InputError
from harness.families.catalogue import family_of
from harness.methods.method import TWO_SIDED, Method
from harness.methods.user.call_checks import CallChecks, run_call_checks
from harness.methods.user.declared import Declared, declared
from harness.methods.user.function import (
    Answers,
    Function,
    FunctionError,
    Raised,
    alone,
    arguments_of,
    at_once,
    describe,
    one_by_one,
    seeded,
    together,
)
from harness.numerics.arrays import Floats

# Unlike in a process of its own, an interrupt at the keyboard is here meant for the harness.
_RAISED: Raised = (Exception, SystemExit)


class Subject(Protocol):
    """What can be checked."""

    @property
    def label(self) -> str: ...

    @property
    def family(self) -> str: ...

    @property
    def sides(self) -> tuple[str, ...]: ...

    @property
    def deterministic(self) -> bool: ...

    @property
    def expected_failures(self) -> Mapping[str, str]:
        """Checks that need not pass, each with the reason."""
        ...

    def answers(self, outcomes: Outcomes, alpha: float, side: str) -> Answers:
        """Limits at all outcomes; raises nothing that the method raises."""
        ...

    def call_checks(self, outcomes: Outcomes, alpha: float) -> CallChecks:
        """What the call checks find, by their names; None where nothing is wrong."""
        ...

    def unpicklable(self) -> str | None:
        """Why it cannot be sent to another process; None where it can, or need not."""
        ...


def side_of(subject: Subject) -> str:
    """The side that a subject's numbers are of: both where it has them, or its last one.

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
    """Of a stochastic method, which draws the same at every call."""

    @property
    def sides(self) -> tuple[str, ...]:
        return self.method.sides

    @property
    def deterministic(self) -> bool:
        return self.method.deterministic

    @property
    def expected_failures(self) -> Mapping[str, str]:
        return self.method.exceptions

    def answers(self, outcomes: Outcomes, alpha: float, side: str) -> Answers:
        data = outcomes.data()
        try:
            lower, upper = self._limits(data, alpha, side)
        except Exception:
            return self._one_at_a_time(data, alpha, side)
        return Answers(lower, upper)

    def _one_at_a_time(self, data: tuple[Floats, ...], alpha: float, side: str) -> Answers:
        lower, upper = np.full((2, data[0].size), np.nan)
        failures = {}
        for place in range(data[0].size):
            try:
                one = tuple(column[[place]] for column in data)
                low, high = self._limits(one, alpha, side)
                lower[place], upper[place] = low[0], high[0]
            except HarnessError as fault:
                failures[place] = str(fault)
            except Exception as fault:
                failures[place] = describe(fault)
        return Answers(lower, upper, failures)

    def _limits(self, data: tuple[Floats, ...], alpha: float, side: str) -> tuple[Floats, Floats]:
        rng = None if self.deterministic else np.random.default_rng(self.seed)
        return self.method.limits(data, alpha, side, rng=rng)

    def call_checks(self, outcomes: Outcomes, alpha: float) -> CallChecks:
        names = family_of(self.family).data
        arguments = arguments_of(names, outcomes.flat(), outcomes.sizes)
        # Of the type that the formulas work on, so that a change in place would be seen.
        data = {
            name: value.astype(np.float64) if np.ndim(value) else value
            for name, value in arguments.items()
        }
        return run_call_checks(self._as_function, data, alpha, _RAISED, self.deterministic)

    def _as_function(self, *arguments: Any) -> tuple[Any, Any]:
        *given, alpha = arguments
        shape = np.shape(given[0])
        columns = [np.atleast_1d(np.asarray(each, np.float64)) for each in given]
        data = tuple(
            column if np.ndim(each) else np.full(columns[0].size, float(each))
            for column, each in zip(columns, given, strict=True)
        )
        lower, upper = self._limits(data, alpha, self.sides[0])
        return (lower, upper) if shape else (lower[0], upper[0])

    def unpicklable(self) -> str | None:
        return _unpicklable(self.method)


@dataclass(frozen=True)
class CallableSubject:
    """A Python callable f(x, n, alpha), or f(x, n, alpha, rng), called in this process."""

    label: str
    family: str
    function: Function
    seed: int = 0
    """Of a stochastic one, which draws the same at every call."""

    @cached_property
    def _declared(self) -> Declared:
        try:
            return declared(self.function)
        except FunctionError as fault:
            raise InputError(f"{self.label}: {fault}") from None

    @property
    def sides(self) -> tuple[str, ...]:
        return (self._declared.side,)

    @property
    def deterministic(self) -> bool:
        return self._declared.deterministic

    @property
    def expected_failures(self) -> Mapping[str, str]:
        """Those of its attribute ``expected_failures``.

        Raises:
            InputError: what it declares is not what it should be.
        """
        return self._declared.expected_failures

    def answers(self, outcomes: Outcomes, alpha: float, side: str) -> Answers:
        arguments = self._arguments(outcomes)
        on_arrays = together if self.deterministic else at_once
        limits = on_arrays(self._function(), arguments, alpha, _RAISED)
        if limits is not None:
            return at_ends(Answers(*limits), outcomes)

        def one(outcome: dict[str, Any], place: int) -> tuple[float, float]:
            return alone(self._function(place), outcome, alpha, _RAISED)

        return at_ends(one_by_one(arguments, one), outcomes)

    def call_checks(self, outcomes: Outcomes, alpha: float) -> CallChecks:
        given = self._arguments(outcomes)
        return run_call_checks(self._function(), given, alpha, _RAISED, self.deterministic)

    def _function(self, *place: int) -> Function:
        """The function of data and alpha alone."""
        return self.function if self.deterministic else seeded(self.function, (self.seed, *place))

    def _arguments(self, outcomes: Outcomes) -> dict[str, Any]:
        names = family_of(self.family).data
        return arguments_of(names, outcomes.flat(), outcomes.sizes)

    def unpicklable(self) -> str | None:
        return _unpicklable(self.function)


def _unpicklable(thing: object) -> str | None:
    try:
        pickle.loads(pickle.dumps(thing))
    except Exception as fault:
        return describe(fault)
    return None


_ROUNDING = 1e-15
"""Of a sum of a few numbers up to 1, and below every limit that is meant to be off the end."""


def at_ends(answers: Answers, outcomes: Outcomes) -> Answers:
    """The limits with those that rounding keeps from an end of the range at that end.

    What a sum in double precision misses the end by would else be all that the exact worst case
    tells: the truths in between are always missed.
    """
    low, high = family_of(outcomes.family).support
    unit = _ROUNDING * max(1.0 / size if np.isinf(high) else 1.0 for size in outcomes.sizes)
    with np.errstate(invalid="ignore"):  # an infinite limit less an infinite end
        lower = np.where(np.abs(answers.lower - low) <= unit, low, answers.lower)
        upper = np.where(np.abs(answers.upper - high) <= unit, high, answers.upper)
    return Answers(lower, upper, answers.failures)
