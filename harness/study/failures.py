"""Exact values where a method has no limits at some outcomes.

The exact engines work on limits alone, so they are asked three times: with intervals that miss
nothing in place of those that are not there, for the misses of the others; with intervals that
miss everything, for what failures make of it as misses; and for the probability of a failure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from harness.engines.enumeration import Enumerated
from harness.engines.records import Exact, Mean
from harness.engines.scores import Scores
from harness.families.catalogue import family_of
from harness.numerics.arrays import Bools, Floats
from harness.scenario import Limits
from harness.tables.findings import Findings

_FAR = 1e100
"""Beyond every parameter, where its range has no end."""


def solved_with_failures(found: Findings, solve: Callable[[Findings], Findings]) -> Findings:
    """What the exact engines find, a failure counting neither below nor above.

    The worst case and the root mean square alpha error count it as a miss, lengths are of the
    intervals that there are, and there is no interval score.

    Args:
        found: with limits that are not numbers where a method gave none.
        solve: what the engines find of limits that are all numbers.
    """
    low, high = np.clip(family_of(found.scenario.family).support, -_FAR, _FAR).tolist()
    beyond = 2.0 * high
    limits, failed = found.limits, found.limits.failed
    alone = Limits(limits.outcomes, np.where(failed, beyond, low), np.where(failed, beyond, high))
    missing_nothing, missing_all, failures = (
        solve(replace(found, limits=each))
        for each in (limits.instead(low, high), limits.instead(beyond, beyond), alone)
    )
    return _Solved(missing_nothing, missing_all, failures).together(limits, failed)


@dataclass(frozen=True)
class _Solved:
    """The three answers."""

    missing_nothing: Findings
    missing_all: Findings
    failures: Findings

    def together(self, limits: Limits, failed: Bools) -> Findings:
        three = (self.missing_nothing, self.missing_all, self.failures)
        return replace(
            self.missing_nothing,
            limits=limits,
            enumerated=_enumerated(*(each.enumerated for each in three)),
            posterior=_exact(*(each.posterior for each in three)),
            posterior_mean=_mean(*(each.posterior_mean for each in three)),
            under_prior=_exact(*(each.under_prior for each in three)),
            scores=_scores(self.missing_all.scores, failed),
        )


def _enumerated(
    nothing: Enumerated | None, everything: Enumerated | None, failures: Enumerated | None
) -> Enumerated | None:
    if nothing is None or everything is None or failures is None:
        return None
    three = (nothing, everything, failures)
    by_outcome = _exact(*(each.by_outcome for each in three))
    assert by_outcome is not None
    return Enumerated(
        by_outcome,
        _exact(*(each.by_truth for each in three)),
        _mean(*(each.mean for each in three)),
        everything.worst,
    )


def _exact(nothing: Exact | None, everything: Exact | None, failures: Exact | None) -> Exact | None:
    if nothing is None or everything is None or failures is None:
        return None
    failed = failures.below
    return replace(nothing, length=_length(everything.length, failed), failed=failed)


def _mean(nothing: Mean | None, everything: Mean | None, failures: Mean | None) -> Mean | None:
    if nothing is None or everything is None or failures is None:
        return None
    failed = failures.below
    return replace(nothing, length=_length(everything.length, failed), failed=failed)


def _length(length: Floats, failed: Floats) -> Floats:
    """Where what misses all has no length: the length of the others; not a number if none is."""
    there = 1.0 - failed
    return np.where(there > 0, length, np.nan) / np.where(there > 0, there, 1.0)


def _scores(scores: Scores | None, failed: Bools) -> Scores | None:
    if scores is None:
        return None
    none = failed.any(axis=1)
    return replace(scores, interval_score=np.where(none, np.nan, scores.interval_score))
