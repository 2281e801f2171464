"""Limits that stay at the end of the range although there are thousands of counts on both sides."""

from __future__ import annotations

import numpy as np

from harness.base.numerics.arrays import Bools
from harness.checks.report import Verdict
from harness.checks.tails.allowed import words_of
from harness.checks.tails.faults import Fault, Place
from harness.checks.tails.record import LimitName, LimitTails
from harness.families.catalogue import family_of

FEWEST, SHARE = 2500.0, 0.25
"""Counts of successes and failures, and shares of n, from which on even Chebyshev's inequality with
the variance n/4 gives a limit inside the range at alpha = 0.001, 31.6 standard deviations off."""
SMALLEST_ALPHA = 0.00099


def stays_at_the_end(tails: LimitTails, name: LimitName) -> Bools:
    """Where a limit says nothing, although it is at a large count."""
    low, high = family_of(tails.outcomes.family).support
    limit = tails.limit(name)
    at_end = limit <= low if name == "lower" else limit >= high
    alphas = tails.by_alpha(tails.alphas)
    largest = max(tails.outcomes.largest_counts)
    fewest = max(FEWEST, SHARE * largest) if np.isfinite(largest) else FEWEST
    return np.asarray(at_end & (alphas > SMALLEST_ALPHA) & (tails.least >= fewest))


def fault_of_end(place: Place, count: int, verdict: Verdict) -> Fault:
    """The fault of a limit at the end of the range."""
    message = f"{words_of(place)} is the end of the range: it says nothing"
    return Fault(verdict, message, {**place.cell, "broken": count}, count)
