"""A subject that is asked once for the same limits."""

from __future__ import annotations

from collections.abc import Mapping

from harness.checks.conformance.grid import Outcomes
from harness.checks.subjects.subject import Subject, side_of
from harness.methods.method import TWO_SIDED
from harness.methods.user.call_checks import CallChecks
from harness.methods.user.function import Answers


class CachedSubject:
    """Another subject and what it has answered; what has no two sides answers for the one."""

    def __init__(self, subject: Subject, sides: tuple[str, ...] | None = None) -> None:
        """
        Args:
            subject: another one.
            sides: those of its sides that it is looked at for; by default all.
        """
        self._subject = subject
        self._answers: dict[tuple[object, ...], Answers] = {}
        self.label, self.family = subject.label, subject.family
        self.sides = subject.sides if sides is None else sides
        self.deterministic = subject.deterministic
        self.expected_failures: Mapping[str, str] = subject.expected_failures

    def answers(self, outcomes: Outcomes, alpha: float, side: str) -> Answers:
        if side == TWO_SIDED:
            side = side_of(self)
        counts = tuple(each.tobytes() for each in outcomes.counts)
        key = (outcomes.sizes, outcomes.shape, counts, alpha, side)
        if key not in self._answers:
            self._answers[key] = self._subject.answers(outcomes, alpha, side)
        return self._answers[key]

    def call_checks(self, outcomes: Outcomes, alpha: float) -> CallChecks:
        return self._subject.call_checks(outcomes, alpha)

    def unpicklable(self) -> str | None:
        return self._subject.unpicklable()
