"""A user's function under check, in a process of its own."""

from __future__ import annotations

from typing import Any

from harness.checks.conformance.grid import Outcomes
from harness.checks.subjects.subject import at_ends
from harness.families.catalogue import family_of
from harness.methods.user.call_checks import CallChecks
from harness.methods.user.function import Answers, arguments_of
from harness.methods.user.process import Source, UserFunction


class ProcessSubject:
    """A function of a file or module."""

    def __init__(
        self, label: str, family: str, source: Source, timeout: float, seed: int = 0
    ) -> None:
        """Start the process.

        Args:
            label: what the method is called.
            family: what is estimated.
            source: where the function is.
            timeout: seconds that a call of the function may take.
            seed: of a stochastic function, which draws the same at every call.

        Raises:
            InputError: the function cannot be loaded.
        """
        self.label, self.family = label, family
        self._own = UserFunction(label, source, timeout)
        declared = self._own.declared
        self.sides, self.deterministic = (declared.side,), declared.deterministic
        self.expected_failures = declared.expected_failures
        self._seed = None if self.deterministic else (seed,)

    def answers(self, outcomes: Outcomes, alpha: float, side: str) -> Answers:
        return at_ends(self._own.answers(self._arguments(outcomes), alpha, self._seed), outcomes)

    def call_checks(self, outcomes: Outcomes, alpha: float) -> CallChecks:
        return self._own.call_checks(self._arguments(outcomes), alpha, self._seed)

    def _arguments(self, outcomes: Outcomes) -> dict[str, Any]:
        names = family_of(self.family).data
        return arguments_of(names, outcomes.flat(), outcomes.sizes)

    def unpicklable(self) -> str | None:
        """It is never sent: its file is loaded where it is called."""
        return None

    def close(self) -> None:
        """End the process."""
        self._own.close()
