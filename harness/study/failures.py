"""Exact values where a method has no limits at some outcomes.

The exact engines work on limits alone, so they are asked four times: with intervals that miss
nothing in place of those that are not there, for the misses of the others; with intervals that
miss everything, for what failures make of it as misses; and for the probabilities of a failure and
of an answer, with intervals that miss there and nowhere else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from harness.engines.results import Enumerated, Exact, Mean
from harness.engines.scores import Scores
from harness.families.catalogue import family_of
from harness.numerics.arrays import Bools, Floats
from harness.scenario import Limits
from harness.tables.scenario_result import ScenarioResult

Found = TypeVar("Found", Exact, Mean)

_FAR = 1e100
"""Beyond every parameter, where its range has no end."""


def solved_with_failures(
    found: ScenarioResult, solve: Callable[[ScenarioResult, bool], ScenarioResult]
) -> ScenarioResult:
    """What the exact engines find, a failure counting neither below nor above.

    The worst case and the root mean square alpha error count it as a miss, lengths are of the
    intervals that there are, and there is no interval score.

    Args:
        found: with limits that are not numbers where a method gave none.
        solve: what the engines find of limits that are all numbers; and whether to seek the worst
            case.
    """
    low, high = np.clip(family_of(found.scenario.family).support, -_FAR, _FAR).tolist()
    beyond = 2.0 * high
    limits, failed = found.limits, found.limits.failed
    four = (
        (limits.filled(low, high), False),
        (limits.filled(beyond, beyond), True),
        (_missing(limits, failed, (low, high), beyond), False),
        (_missing(limits, ~failed, (low, high), beyond), False),
    )
    solved = (solve(replace(found, limits=each), worst) for each, worst in four)
    return _Solved(*solved).together(limits, failed)


def _missing(limits: Limits, where: Bools, support: tuple[float, float], beyond: float) -> Limits:
    """Intervals above every truth there, and around every one elsewhere."""
    lower, upper = (np.where(where, beyond, end) for end in support)
    return Limits(limits.outcomes, lower, upper)


@dataclass(frozen=True)
class _Solved:
    """The four answers."""

    missing_nothing: ScenarioResult
    missing_all: ScenarioResult
    failures: ScenarioResult
    answers: ScenarioResult

    def together(self, limits: Limits, failed: Bools) -> ScenarioResult:
        nothing, everything = self.missing_nothing, self.missing_all
        four = (nothing, everything, self.failures, self.answers)
        return replace(
            nothing,
            limits=limits,
            discrepancy=np.maximum(nothing.discrepancy, everything.discrepancy),
            enumerated=_enumerated(*(each.enumerated for each in four)),
            posterior=_together(*(each.posterior for each in four)),
            posterior_mean=_together(*(each.posterior_mean for each in four)),
            under_prior=_together(*(each.under_prior for each in four)),
            scores=_scores(everything.scores, failed),
        )


def _enumerated(
    nothing: Enumerated | None,
    everything: Enumerated | None,
    failures: Enumerated | None,
    answers: Enumerated | None,
) -> Enumerated | None:
    if nothing is None or everything is None or failures is None or answers is None:
        return None
    four = (nothing, everything, failures, answers)
    by_outcome = _together(*(each.by_outcome for each in four))
    assert by_outcome is not None
    return Enumerated(
        by_outcome,
        _together(*(each.by_truth for each in four)),
        _together(*(each.mean for each in four)),
        everything.worst,
    )


def _together(
    nothing: Found | None, everything: Found | None, failures: Found | None, answers: Found | None
) -> Found | None:
    if nothing is None or everything is None or failures is None or answers is None:
        return None
    failed, answered = failures.below, _answered(failures.below, answers.below)
    length = _length(everything.length, answered)
    return replace(nothing, length=length, failed=failed, answered=answered)


def _answered(failed: Floats, answered: Floats) -> Floats:
    """Exactly 1 where nothing fails: no other method's numbers are to be rounded once more."""
    return np.where(failed > 0, answered, 1.0)


def _length(length: Floats, there: Floats) -> Floats:
    """Where what misses all has no length: the length of the others; not a number if none is."""
    return np.where(there > 0, length, np.nan) / np.where(there > 0, there, 1.0)


def _scores(scores: Scores | None, failed: Bools) -> Scores | None:
    if scores is None:
        return None
    none = failed.any(axis=1)
    return replace(scores, interval_score=np.where(none, np.nan, scores.interval_score))
