"""A user's function as a source of limits, wherever it is called: here or in another process."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from harness.base.errors import InputError, MethodError
from harness.callers.call_checks import CallChecks
from harness.callers.calls import FunctionError, format_arguments, one_outcome, outcome_count
from harness.callers.declared import Declared, Ends
from harness.callers.process import TIMEOUT, FunctionLocation, UserProcess
from harness.callers.source import NOT_CALLED, Answers, FunctionText, Observed
from harness.callers.type_checks import TypeChecks
from harness.methods.method import LimitPair

_TRIALS_AT_ONCE = 1 << 12
"""Trials of one call, as a function may need memory for thousands of draws for each of them."""


class Caller(Protocol):
    """A way to call a user function with arguments by name, alpha and, if stochastic, a seed."""

    @property
    def name(self) -> str:
        """The function's name in its file or module."""
        ...

    @property
    def declared(self) -> Declared: ...

    @property
    def has_process(self) -> bool:
        """Whether it has started a process for the function."""
        ...

    @property
    def computes_one_by_one(self) -> bool:
        """Whether each outcome is computed by itself, also where one call asks for many."""
        ...

    def on_arrays(
        self, arguments: dict[str, Any], alpha: float, seed: Sequence[int] | None
    ) -> LimitPair | None:
        """The limits of one call for all outcomes; None where that does not work."""
        ...

    def on_numbers(
        self, outcome: dict[str, Any], alpha: float, seed: Sequence[int] | None
    ) -> tuple[float, float]:
        """The limits of one outcome.

        Raises:
            FunctionError: the function has none.
        """
        ...

    def call_checks(
        self, arguments: dict[str, Any], alpha: float, seed: Sequence[int] | None
    ) -> CallChecks:
        """The violations of the call checks; none for a function that has ended its process."""
        ...

    def type_checks(
        self, arguments: dict[str, Any], alpha: float, seed: Sequence[int] | None
    ) -> TypeChecks:
        """What is wrong with types; nothing for what has ended its process, or has no types."""
        ...

    def reload(self) -> None:
        """Let the function forget what it was asked before, where that is possible.

        Raises:
            InputError: it cannot be loaded once more.
        """
        ...

    def afresh(self) -> Caller | None:
        """Another caller of the function, which was asked nothing yet; None where there is none.

        Raises:
            InputError: the function cannot be loaded once more.
        """
        ...

    def text(self) -> FunctionText | None:
        """The text from which another machine can start the process, as of a `RunSource`."""
        ...

    def unpicklable(self) -> str | None:
        """Why the function cannot be pickled; None where it can be, or need not be."""
        ...

    def close(self) -> None:
        """Give up what the calls need."""
        ...


class UserFunction:
    """A user's function: whatever it does wrong is a failure of its answers and is not raised."""

    def __init__(self, label: str, caller: Caller, seed: int | None = None) -> None:
        """
        Args:
            label: what the method is called.
            caller: calls the function.
            seed: what a stochastic function draws from where it is given no stream.
        """
        self.label = label
        self._caller = caller
        self._seed = None if seed is None or self.deterministic else (seed,)
        self._one_at_a_time = threading.Lock()

    @classmethod
    def start(
        cls,
        label: str,
        location: FunctionLocation,
        timeout: float = TIMEOUT,
        seed: int | None = None,
    ) -> UserFunction:
        """Start the process of a function in a file or module.

        Args:
            label: what the method is called.
            location: where the function is.
            timeout: seconds that a call of the function may take.
            seed: what a stochastic function draws from where it is given no stream.

        Raises:
            InputError: the function cannot be loaded.
        """
        return cls(label, FunctionInProcess(label, location, timeout), seed)

    @property
    def declared(self) -> Declared:
        """The declaration of the function."""
        return self._caller.declared

    @property
    def sides(self) -> tuple[str, ...]:
        return (self.declared.side,)

    @property
    def deterministic(self) -> bool:
        return self.declared.deterministic

    @property
    def has_process(self) -> bool:
        return self._caller.has_process

    @property
    def exceptions(self) -> Mapping[str, str]:
        return {each.check: each.reason for each in self.declared.expected_failures}

    @property
    def standard_errors(self) -> None:
        """None: what a function computes is not known."""
        return None

    def afresh(self) -> UserFunction | None:
        caller = self._caller.afresh()
        return None if caller is None else UserFunction(self.label, caller)

    def text(self) -> FunctionText | None:
        return self._caller.text()

    def content(self, alpha: float, side: str) -> Mapping[str, Any]:
        return {"function": self._caller.name, "side": side, "alpha": alpha}

    def limits(self, observed: Observed, alpha: float, side: str) -> Answers:
        return self._limits(observed, alpha, self._seed)

    def draw(
        self, observed: Observed, alpha: float, side: str, stream: np.random.Generator
    ) -> Answers:
        # A function of lists is asked for every trial, whether or not it draws.
        first, second = (0, 0) if self.deterministic else stream.integers(2**63, size=2)
        lower, upper = np.empty((2, observed.count))
        failures: dict[int, str] = {}
        for start in range(0, observed.count, _TRIALS_AT_ONCE):
            part = slice(start, start + _TRIALS_AT_ONCE)
            seed = None if self.deterministic else (int(first), int(second), start)
            found = self._limits(observed.part(part), alpha, seed)
            lower[part], upper[part] = found.lower, found.upper
            failures |= {start + place: failure for place, failure in found.failures.items()}
        return Answers(lower, upper, failures)

    def _limits(self, observed: Observed, alpha: float, seed: Sequence[int] | None) -> Answers:
        """The limits of one call for all outcomes where that works; else of each by itself."""
        arguments = observed.arguments
        with self._one_at_a_time:
            limits = self._caller.on_arrays(arguments, alpha, seed)
            if limits is not None:
                return Answers(*limits)
            lower, upper = np.full((2, observed.count), np.nan)
            failures = {}
            for place in range(observed.count):
                outcome = one_outcome(arguments, place)
                try:
                    lower[place], upper[place] = self._caller.on_numbers(
                        outcome, alpha, None if seed is None else (*seed, place)
                    )
                except FunctionError as error:
                    failures[place] = str(error)
            return Answers(lower, upper, failures)

    def takes_arrays(self, observed: Observed, alpha: float) -> bool:
        """Whether the limits of all of the outcomes are computed in one call."""
        if self._caller.computes_one_by_one:
            return False
        with self._one_at_a_time:
            return self._caller.on_arrays(observed.arguments, alpha, self._seed) is not None

    def call_checks(self, observed: Observed, alpha: float) -> CallChecks:
        """The violations of the call checks; none for a function that has ended its process."""
        return self._caller.call_checks(observed.arguments, alpha, self._seed)

    def type_checks(self, observed: Observed, alpha: float) -> TypeChecks:
        """What is wrong with types; nothing for what has ended its process, or has no types."""
        return self._caller.type_checks(observed.arguments, alpha, self._seed)

    def reload(self) -> None:
        """Let the function forget what it was asked before, where that is possible.

        Raises:
            InputError: it cannot be loaded once more.
        """
        self._caller.reload()

    def unpicklable(self) -> str | None:
        """Why the function cannot be pickled; None where it can be, or need not be."""
        return self._caller.unpicklable()

    def close(self) -> None:
        """End the function's process."""
        self._caller.close()


class FunctionInProcess:
    """A function that is called in a process which is started anew when a call has ended it."""

    computes_one_by_one = False

    def __init__(self, label: str, location: FunctionLocation, timeout: float) -> None:
        """Start the process.

        Raises:
            InputError: the function cannot be loaded.
        """
        self._label, self._location, self._timeout = label, location, timeout
        self._process = self._started()
        self._ends = Ends()
        self._closed = False
        self._takes_arrays = True
        self._refused: str | None = None
        """Why no answer is used any more, in a clause."""

    def _started(self) -> UserProcess:
        return UserProcess(self._label, self._location, self._timeout)

    @property
    def has_process(self) -> bool:
        return True

    @property
    def name(self) -> str:
        return self._location.function

    @property
    def declared(self) -> Declared:
        return self._process.declared

    def on_arrays(
        self, arguments: dict[str, Any], alpha: float, seed: Sequence[int] | None
    ) -> LimitPair | None:
        self._ends.here = 0
        if self._refused or self._ends.enough or not self._takes_arrays:
            return None
        try:
            limits: LimitPair | None = self._ask("on_arrays", arguments, alpha, seed)
        except FunctionError:
            # An outcome has ended the process, or all together take too long.
            self._takes_arrays = False
            return None
        return limits

    def on_numbers(
        self, outcome: dict[str, Any], alpha: float, seed: Sequence[int] | None
    ) -> tuple[float, float]:
        if self._refused or self._ends.enough:
            where = format_arguments({**outcome, "alpha": alpha})
            reason = self._refused or f"its process ended {self._ends.number} times"
            raise FunctionError(f"{NOT_CALLED} at {where}: {reason}")
        try:
            lower, upper = self._ask("on_numbers", outcome, alpha, seed)
        except FunctionError:
            if self._process.ended:
                self._ends.add(self._process.hung)
            raise
        return lower, upper

    def call_checks(
        self, arguments: dict[str, Any], alpha: float, seed: Sequence[int] | None
    ) -> CallChecks:
        if self._refused or self._ends.all:
            return {}
        calls = 2 * outcome_count(arguments) + 6
        try:
            found: CallChecks = self._ask("call_checks", arguments, alpha, seed, calls)
        except FunctionError:
            return {}
        return found

    def type_checks(
        self, arguments: dict[str, Any], alpha: float, seed: Sequence[int] | None
    ) -> TypeChecks:
        if self._refused or self._ends.all:
            return {}
        calls = 8 * outcome_count(arguments) + 10
        try:
            found: TypeChecks = self._ask("type_checks", arguments, alpha, seed, calls)
        except FunctionError:
            return {}
        return found

    def reload(self) -> None:
        if not self._process.ended:
            self._process.load()

    def _ask(
        self,
        task: str,
        arguments: dict[str, Any],
        alpha: float,
        seed: Sequence[int] | None,
        calls: int = 1,
    ) -> Any:
        """The answer of the process, which is started anew where it has ended.

        Raises:
            FunctionError: the function fails, or the process ends.
        """
        try:
            if self._process.ended and not self._closed:
                self._process = self._started()
                if self._closed:
                    self._process.close()
            return self._process.ask(task, arguments, alpha, seed, calls)
        except (MethodError, InputError) as error:
            if self._process.ended:
                self._refused = self._refused or self._process.refused
                self._process.close()
            raise FunctionError(str(error).removeprefix(f"{self._label}: ")) from None

    def afresh(self) -> FunctionInProcess:
        return FunctionInProcess(self._label, self._location, self._timeout)

    def text(self) -> FunctionText | None:
        # A module may consist of several files.
        place = self._location.path
        undisturbed = self._takes_arrays and not self._ends.all and self._refused is None
        if place is None or not undisturbed:
            return None
        path = Path(place)
        try:
            content = path.read_bytes()
        except OSError:
            return None
        return FunctionText(self._label, self.name, path.name, content, self._timeout)

    def unpicklable(self) -> str | None:
        """None: the function is never pickled, as its file is loaded where it is called."""
        return None

    def close(self) -> None:
        """End the process, for good: a thread that still asks is to start no other."""
        self._closed = True
        self._process.close()
