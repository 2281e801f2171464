"""The tails of all limits of a check."""

from __future__ import annotations

from collections.abc import Sequence

from harness.checks.conformance.properties import Evaluation
from harness.checks.tails.one_sample import tails_of_one_sample
from harness.checks.tails.record import LimitTails
from harness.checks.tails.several_counts import tails_of_several_counts


def tails_of(evaluations: Sequence[Evaluation]) -> list[LimitTails]:
    """The tails of the limits of each size and side; none for a family without them.

    Args:
        evaluations: limits of one method, by size and side.
    """
    return [_tails_of(each) for each in evaluations if each.family.has_outcomes]


def _tails_of(evaluation: Evaluation) -> LimitTails:
    is_single = evaluation.family.has_single_count
    return (tails_of_one_sample if is_single else tails_of_several_counts)(evaluation)
