"""Exact values where a method has no limits at some outcomes.

The exact engines work on limits alone, so a scenario is solved four times: with intervals that
miss nothing in place of the missing ones, for the misses of the other intervals; with intervals
that miss everything in their place, for the misses with a failure counted as one; and for the
probabilities of a failure and of an answer, with intervals that miss at those outcomes and nowhere
else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from harness.base.numerics.arrays import Bools, Floats
from harness.designs.posterior import Integrated
from harness.designs.results import Enumerated, Exact, Mean
from harness.designs.scenario import Limits
from harness.designs.scores import Scores
from harness.tables.scenario_result import Solution

Probabilities = TypeVar("Probabilities", Exact, Mean)

_FAR = 1e100
"""Beyond every parameter, where its range is unbounded."""


def solve_with_failures(
    limits: Limits, support: tuple[float, float], solve: Callable[[Limits, bool], Solution]
) -> Solution:
    """Solve a scenario; a failure counts neither as a miss below nor as one above.

    The worst case and the root mean square alpha error count it as a miss, lengths are those of
    the intervals that exist, and there is no interval score.

    Args:
        limits: not numbers where a method gave none.
        support: the range of the parameter.
        solve: solves for limits that are all numbers; its second argument says whether to seek
            the worst case.
    """
    (low, high), failed = _bounded(support), limits.failed
    beyond = 2.0 * high
    covering, missing = limits.filled(low, high), failures_as_misses(limits, support)
    failures, answers = (
        limits.with_ends(*(np.where(where, beyond, end) for end in (low, high)))
        for where in (failed, ~failed)
    )
    four = (
        solve(covering, False),
        solve(missing, True),
        solve(failures, False),
        solve(answers, False),
    )
    nothing, everything, *_ = four
    return Solution(
        shown=nothing.shown,
        comparisons=tuple(comparison for each in four for comparison in each.comparisons),
        enumerated=_enumerated([each.enumerated for each in four]),
        scores=_scores(everything.scores, failed),
        integrated=_integrated([each.integrated for each in four]),
    )


def failures_as_misses(limits: Limits, support: tuple[float, float]) -> Limits:
    """Return the limits with intervals that miss everything in place of missing ones."""
    beyond = 2.0 * _bounded(support)[1]
    return limits.filled(beyond, beyond)


def _bounded(support: tuple[float, float]) -> tuple[float, float]:
    low, high = np.clip(support, -_FAR, _FAR).tolist()
    return low, high


def _enumerated(four: Sequence[Enumerated | None]) -> Enumerated | None:
    known = [each for each in four if each is not None]
    if not known:
        return None
    return Enumerated(
        _combined([each.by_outcome for each in known]),
        _combined_known([each.by_truth for each in known]),
        _combined_known([each.mean for each in known]),
        known[1].mean_from,
        known[1].worst,
        known[1].worst_anywhere,
    )


def _integrated(four: Sequence[Integrated | None]) -> Integrated | None:
    known = [each for each in four if each is not None]
    if not known:
        return None
    return Integrated(
        _combined([each.by_outcome for each in known]),
        _combined_known([each.mean for each in known]),
        _combined_known([each.under_prior for each in known]),
    )


def _combined_known(four: Sequence[Probabilities | None]) -> Probabilities | None:
    known = [each for each in four if each is not None]
    return _combined(known) if known else None


def _combined(four: Sequence[Probabilities]) -> Probabilities:
    """One record of the four solutions: nothing missed, everything missed, failures, answers."""
    nothing, everything, failures, answers = four
    failed = failures.below
    # Exactly 1 where nothing fails, so that no other method's numbers are rounded once more.
    succeeded = np.where(failed > 0, answers.below, 1.0)
    length = _length(everything.length, succeeded)
    return replace(
        nothing,
        length=length,
        failed=failed,
        succeeded=succeeded,
        infinite=everything.infinite,
    )


def _length(length: Floats, succeeded: Floats) -> Floats:
    """The mean length of the intervals that exist; not a number where there is none.

    The intervals that miss everything have no length.
    """
    return np.where(succeeded > 0, length, np.nan) / np.where(succeeded > 0, succeeded, 1.0)


def _scores(scores: Scores | None, failed: Bools) -> Scores | None:
    if scores is None:
        return None
    none = failed.any(axis=1)
    return replace(scores, interval_score=np.where(none, np.nan, scores.interval_score))
