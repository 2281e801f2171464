"""Limits in per cent: they look like those of a fraction, a hundred times as large."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from harness.checks.conformance.properties import LARGE_ALPHA, Evaluation

HUNDRED = 100.0
_SHARE = 0.9
"""At least so many of the intervals hold the estimate if their limits are divided by 100."""


def as_fractions(evaluations: Sequence[Evaluation]) -> list[Evaluation] | None:
    """Return the limits divided by 100 where they look like per cent; None where they do not.

    They do if a bounded parameter has two-sided limits of which some lie outside its range, and
    all a hundred times as far at most, and if a hundredth of them holds nearly all estimates.
    """
    if not evaluations or not all(map(_may_be, evaluations)):
        return None
    largest = max(float(np.max(np.abs(each.upper))) for each in evaluations)
    holds = np.concatenate([_holds(each).ravel() for each in evaluations])
    if largest <= 1.5 or not holds.size or holds.mean() < _SHARE:
        return None
    return [_divided(each) for each in evaluations]


def _may_be(evaluation: Evaluation) -> bool:
    family = evaluation.family
    limits = np.array([evaluation.lower, evaluation.upper])
    if not (evaluation.is_two_sided and np.isfinite(family.support).all()):
        return False
    low, high = (HUNDRED * end for end in family.support)
    slack = 1e-6 * HUNDRED
    return bool(((limits >= low - slack) & (limits <= high + slack)).all())


def _holds(evaluation: Evaluation) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
    usual = np.array(evaluation.alphas) <= LARGE_ALPHA
    divided, slack = _divided(evaluation), 1e-9
    inside = divided.lower <= evaluation.estimate + slack
    inside &= divided.upper >= evaluation.estimate - slack
    return np.asarray(inside[usual])


def _divided(evaluation: Evaluation) -> Evaluation:
    return replace(
        evaluation,
        lower=evaluation.lower / HUNDRED,
        upper=evaluation.upper / HUNDRED,
        mirror_lower=evaluation.mirror_lower / HUNDRED,
        mirror_upper=evaluation.mirror_upper / HUNDRED,
    )
