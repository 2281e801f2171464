"""A user's own function, in a process that may hang or die and begin anew."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from harness.errors import InputError, MethodError
from harness.methods.answers import NOT_CALLED, Answers, one_by_one
from harness.methods.calling import FunctionError, outcome_count
from harness.methods.conduct import Conduct
from harness.methods.declared import Declared
from harness.methods.outcomes import told
from harness.methods.plugin import PluginProcess, Source

ENOUGH = 3
"""After so many ends of its process a function is not called at the other outcomes of a size and
alpha; and nowhere any more, where it did not answer in time so often."""

MOST = 8 * ENOUGH
"""After so many ends a function is not called any more at all: each costs a part of a second."""

TIMEOUT = 10.0
"""Seconds that a call may take where nothing else is said."""


@dataclass
class _Ends:
    """How often the process has ended at single outcomes."""

    here: int = 0
    """At those that are being asked for."""
    all: int = 0
    hangs: int = 0
    """For want of an answer in time."""

    def add(self, hung: bool) -> None:
        self.here += 1
        self.all += 1
        self.hangs += hung

    @property
    def enough(self) -> bool:
        return self.here >= ENOUGH or self.hangs >= ENOUGH or self.all >= MOST

    @property
    def told(self) -> int:
        return self.here if self.here >= ENOUGH else self.all


class OwnFunction:
    """A function of a file or module: whatever it does is told, not raised."""

    def __init__(self, label: str, source: Source, timeout: float = TIMEOUT) -> None:
        """Start the process.

        Args:
            label: what the method is called.
            source: where the function is.
            timeout: seconds that a call of the function may take.

        Raises:
            InputError: the function cannot be loaded.
        """
        self.label = label
        self._source, self._timeout = source, timeout
        self._process = self._started()
        self._ends = _Ends()
        self._closed = False
        self._takes_arrays = True
        self._one_at_a_time = threading.Lock()

    @property
    def name(self) -> str:
        """What it is called where it stands."""
        return self._source.function

    @property
    def declared(self) -> Declared:
        """What it says of itself."""
        return self._process.declared

    @property
    def deterministic(self) -> bool:
        """Whether the limits are a function of the outcome."""
        return self.declared.deterministic

    def answers(
        self, arguments: dict[str, Any], alpha: float, seed: Sequence[int] | None = None
    ) -> Answers:
        """Limits of one call for all outcomes where that works; else of each by itself.

        Args:
            arguments: by name, arrays of counts beside numbers.
            alpha: the level.
            seed: of a stochastic function's generator.
        """
        with self._one_at_a_time:
            self._ends.here = 0
            if self._takes_arrays and not self._ends.enough:
                try:
                    at_once = self._ask("together", arguments, alpha, seed)
                except FunctionError:
                    # An outcome has ended the process, or all together take too long.
                    at_once, self._takes_arrays = None, False
                if at_once is not None:
                    return Answers(*at_once)

            def one(outcome: dict[str, Any], place: int) -> tuple[float, float]:
                return self._alone(outcome, alpha, None if seed is None else (*seed, place))

            return one_by_one(arguments, one)

    def _alone(
        self, outcome: dict[str, Any], alpha: float, seed: Sequence[int] | None
    ) -> tuple[float, float]:
        if self._ends.enough:
            where = told({**outcome, "alpha": alpha})
            count = self._ends.told
            raise FunctionError(f"{NOT_CALLED} at {where}: its process ended {count} times")
        lower, upper = self._ask("alone", outcome, alpha, seed)
        return lower, upper

    def conduct(
        self, arguments: dict[str, Any], alpha: float, seed: Sequence[int] | None = None
    ) -> Conduct:
        """How the function conducts itself; nothing of one that has ended its process."""
        if self._ends.all:
            return {}
        calls = 2 * outcome_count(arguments) + 2
        try:
            found: Conduct = self._ask("conduct", arguments, alpha, seed, calls)
        except FunctionError:
            return {}
        return found

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
        except (MethodError, InputError) as fault:
            if self._process.ended:
                if task == "alone":
                    self._ends.add(self._process.hung)
                self._process.close()
            raise FunctionError(str(fault).removeprefix(f"{self.label}: ")) from None

    def _started(self) -> PluginProcess:
        return PluginProcess(self.label, self._source, self._timeout)

    def close(self) -> None:
        """End the process, for good: a thread that still asks is to start no other."""
        self._closed = True
        self._process.close()
