"""The limits that a function gave, and why it gave none where it did not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from harness.methods.calling import FunctionError, outcome_count
from harness.methods.method import are_intervals
from harness.methods.outcomes import one_outcome, told
from harness.numerics.arrays import Floats

NOT_CALLED = "not called any more"
"""How the fault of an outcome begins that is another one's."""


@dataclass(frozen=True)
class Answers:
    """Limits at outcomes of shape (m,)."""

    lower: Floats
    upper: Floats
    faults: Mapping[int, str] = field(default_factory=dict)
    """Why there are no limits at a place, in a clause; the limits there are not numbers."""


@dataclass(frozen=True)
class Faults:
    """What is told of the outcomes without limits."""

    first: str
    """Why there are none at the first of them, in a clause."""
    not_called: int
    """At how many the function was not called, as its process had ended too often."""

    def plus(self, later: Faults) -> Faults:
        """With those of later outcomes."""
        return Faults(self.first, self.not_called + later.not_called)


def faults_of(answers: Answers) -> Faults | None:
    """None where there are limits everywhere."""
    if not answers.faults:
        return None
    not_called = sum(fault.startswith(NOT_CALLED) for fault in answers.faults.values())
    return Faults(answers.faults[min(answers.faults)], not_called)


def one_by_one(
    arguments: dict[str, Any], one: Callable[[dict[str, Any], int], tuple[float, float]]
) -> Answers:
    """Limits of each outcome by itself, not numbers where it fails.

    Args:
        arguments: of all outcomes.
        one: gives the limits of one outcome, which it is given with its place.
    """
    lower, upper = np.full((2, outcome_count(arguments)), np.nan)
    faults = {}
    for place in range(lower.size):
        try:
            lower[place], upper[place] = one(one_outcome(arguments, place), place)
        except FunctionError as fault:
            faults[place] = str(fault)
    return Answers(lower, upper, faults)


def no_interval(lower: float, upper: float, outcome: dict[str, Any]) -> str:
    """What is wrong with limits that are not finite, or reversed."""
    found = f"{lower:g} and {upper:g} at {told(outcome)}"
    return f"expected finite limits with lower ≤ upper, found {found}"


def sound(answers: Answers, arguments: dict[str, Any], alpha: float, side: str) -> Answers:
    """Those that are an interval; what is none is a fault, and its limits are not numbers."""
    lower, upper = answers.lower, answers.upper
    is_sound = are_intervals(lower, upper, side)
    faults = dict(answers.faults)
    for place in np.flatnonzero(~is_sound).tolist():
        outcome = {**one_outcome(arguments, place), "alpha": alpha}
        faults.setdefault(place, no_interval(lower[place], upper[place], outcome))
    low, high = np.where(is_sound, (lower, upper), np.nan)
    return Answers(low, high, faults)
