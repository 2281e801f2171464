"""A user's function under check in a process of its own, which may hang or die and begin anew."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.checks.answers import NOT_CALLED, Answers, at_ends, one_by_one
from harness.checks.grid import Outcomes
from harness.errors import InputError, MethodError
from harness.families.catalogue import family_of
from harness.methods.calling import FunctionError
from harness.methods.conduct import Conduct
from harness.methods.method import TWO_SIDED
from harness.methods.outcomes import arguments_of, told
from harness.methods.plugin import PluginProcess, Source

ENOUGH = 3
"""After so many ends of its process at single outcomes a function is not called any more."""


class ProcessSubject:
    """A function of a file or module."""

    sides = (TWO_SIDED,)
    deterministic = True

    def __init__(self, label: str, family: str, source: Source, timeout: float) -> None:
        """Start the process.

        Args:
            label: what the method is called.
            family: what is estimated.
            source: where the function is.
            timeout: seconds that a call of the function may take.

        Raises:
            InputError: the function cannot be loaded.
        """
        self.label, self.family = label, family
        self._source, self._timeout = source, timeout
        self._process = self._started()
        self._ends = 0
        self._takes_arrays = True

    @property
    def expected_failures(self) -> Mapping[str, str]:
        return self._process.expected_failures

    def answers(self, outcomes: Outcomes, alpha: float, side: str) -> Answers:
        """One call for all where that works; else each outcome by itself."""
        arguments, count = self._arguments(outcomes), outcomes.flat()[0].size
        if self._takes_arrays and self._ends < ENOUGH:
            try:
                at_once = self._ask("together", arguments, alpha)
            except FunctionError:
                # An outcome among them has ended the process, or all together take too long.
                at_once, self._takes_arrays = None, False
            if at_once is not None:
                return at_ends(Answers(*at_once), outcomes)

        def one(outcome: dict[str, Any]) -> tuple[float, float]:
            return self._alone(outcome, alpha)

        return at_ends(one_by_one(arguments, count, one), outcomes)

    def _alone(self, outcome: dict[str, Any], alpha: float) -> tuple[float, float]:
        where = f"at {told({**outcome, 'alpha': alpha})}"
        if self._ends >= ENOUGH:
            raise FunctionError(f"{NOT_CALLED} {where}: its process ended {ENOUGH} times")
        lower, upper = self._ask("alone", outcome, alpha)
        return lower, upper

    def conduct(self, outcomes: Outcomes, alpha: float) -> Conduct:
        """Of a function that has ended its process, nothing."""
        if self._ends:
            return {}
        calls = 2 * outcomes.flat()[0].size + 2
        try:
            found: Conduct = self._ask("conduct", self._arguments(outcomes), alpha, calls)
        except FunctionError:
            return {}
        return found

    def _ask(self, task: str, arguments: dict[str, Any], alpha: float, calls: int = 1) -> Any:
        """The answer of the process, which is started anew where it has ended.

        Raises:
            FunctionError: the function fails, or the process ends.
        """
        try:
            if self._process.ended:
                self._process = self._started()
            return self._process.ask(task, arguments, alpha, calls)
        except (MethodError, InputError) as fault:
            if self._process.ended:
                self._ends += task == "alone"
                self._process.close()
            raise FunctionError(str(fault).removeprefix(f"{self.label}: ")) from None

    def _started(self) -> PluginProcess:
        return PluginProcess(self.label, self._source, self._timeout)

    def _arguments(self, outcomes: Outcomes) -> dict[str, Any]:
        names = family_of(self.family).data
        return arguments_of(names, outcomes.flat(), outcomes.sizes)

    def unpicklable(self) -> str | None:
        """It is never sent: its file is loaded where it is called."""
        return None

    def close(self) -> None:
        """End the process."""
        self._process.close()
