"""Limits next to an end of the range."""

from __future__ import annotations

import numpy as np

from harness.checks.grid import Outcomes
from harness.families.catalogue import family_of
from harness.methods.answers import Answers

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
    return Answers(lower, upper, answers.faults)
