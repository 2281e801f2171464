"""The limits that a method gave, and why it gave none where it did not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from harness.checks.grid import Outcomes
from harness.families.catalogue import family_of
from harness.methods.calling import FunctionError
from harness.methods.outcomes import one_outcome
from harness.numerics.arrays import Floats

_ROUNDING = 1e-15
"""Of a sum of a few numbers up to 1, and below every limit that is meant to be off the end."""

NOT_CALLED = "not called any more"
"""How the fault of an outcome begins that is another one's."""


@dataclass(frozen=True)
class Answers:
    """Limits at outcomes of shape (m,)."""

    lower: Floats
    upper: Floats
    faults: Mapping[int, str] = field(default_factory=dict)
    """Why there are no limits at a place, in a clause; the limits there are not numbers."""


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
    return Answers(lower, upper, answers.faults)


def one_by_one(
    arguments: dict[str, Any], count: int, one: Callable[[dict[str, Any]], tuple[float, float]]
) -> Answers:
    """Limits of each outcome by itself, not numbers where it fails."""
    lower, upper = np.full((2, count), np.nan)
    faults = {}
    for place in range(count):
        try:
            lower[place], upper[place] = one(one_outcome(arguments, place))
        except FunctionError as fault:
            faults[place] = str(fault)
    return Answers(lower, upper, faults)
