"""Intervals of a share that a judge with errors reports, with labels that say how often it errs.

A judge says yes to x of n cases. Of m₁ labelled positives it calls a right, and of m₀ labelled
negatives b: three independent binomial samples, with the probabilities q, se and sp. Of a share θ
of positives

    q = θ se + (1 − θ)(1 − sp),    θ = (q + sp − 1)/(se + sp − 1).

The share is not identified at se + sp = 1, where the judge's answer says nothing of a case. Data
are the columns x, n, a, m₁, b and m₀, shape (m,) each.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats
from harness.families.family import Data
from harness.families.judged import rogan_gladen
from harness.methods.method import LimitPair


def _clipped(lower: Floats, upper: Floats, identified: Bools) -> LimitPair:
    """Limits within [0, 1]; the whole range where the estimates do not have se + sp > 1."""
    ends = np.where(identified, lower, 0.0), np.where(identified, upper, 1.0)
    return np.clip(ends[0], 0.0, 1.0), np.clip(ends[1], 0.0, 1.0)


def rogan_gladen_delta(data: Data, tail: float) -> LimitPair:
    """Rogan and Gladen's estimate with the standard error of the delta method.

        p = (q + sp − 1)/(se + sp − 1),    q = x/n, se = a/m₁, sp = b/m₀
        p ∓ z √(q(1 − q)/n + p² se(1 − se)/m₁ + (1 − p)² sp(1 − sp)/m₀)/(se + sp − 1)

    Limits are clipped to [0, 1], the whole range where se + sp ≤ 1. It is too short for few labels:
    of no width where the judge is right in all of them and says yes to all cases, or to none.

    Rogan and Gladen (1978), Am. J. Epidemiol. 107, 71–76.

    Args:
        data: x, n, a, m₁, b, m₀, shape (m,) each.
        tail: the probability outside each limit, in (0, 1).
    """
    x, n, positives_right, positives, negatives_right, negatives = data
    q, se, sp = x / n, positives_right / positives, negatives_right / negatives
    share, gain = rogan_gladen(q, se, sp)
    variance = q * (1.0 - q) / n + share**2 * se * (1.0 - se) / positives
    variance += (1.0 - share) ** 2 * sp * (1.0 - sp) / negatives
    reach = -float(ndtri(tail)) * np.sqrt(variance) / np.where(gain > 0, gain, 1.0)
    return _clipped(share - reach, share + reach, gain > 0)


def _lang_reiczigel(data: Data, tail: float) -> tuple[Floats, Floats, Bools]:
    """The limits before they are clipped, and whether the estimates have se + sp > 1."""
    x, n, positives_right, positives, negatives_right, negatives = data
    z = -float(ndtri(tail))
    se, sp = (
        (positives_right + 1.0) / (positives + 2.0),
        (negatives_right + 1.0) / (negatives + 2.0),
    )
    cases = n + z * z
    q = (x + z * z / 2.0) / cases
    share, gain = rogan_gladen(q, se, sp)
    of_se, of_sp = se * (1.0 - se) / (positives + 2.0), sp * (1.0 - sp) / (negatives + 2.0)
    center = share + 2.0 * z * z * (share * of_se - (1.0 - share) * of_sp)
    variance = q * (1.0 - q) / cases + share**2 * of_se + (1.0 - share) ** 2 * of_sp
    reach = z * np.sqrt(variance) / np.where(gain > 0, gain, 1.0)
    return center - reach, center + reach, gain > 0


def lang_reiczigel(data: Data, tail: float) -> LimitPair:
    """Lang and Reiczigel's interval: the delta method with added cases and labels.

        se = (a + 1)/(m₁ + 2),    sp = (b + 1)/(m₀ + 2),    q = (x + z²/2)/(n + z²)
        p = (q + sp − 1)/(se + sp − 1),    v₁ = se(1 − se)/(m₁ + 2),    v₀ = sp(1 − sp)/(m₀ + 2)
        p + 2z²(p v₁ − (1 − p) v₀) ∓ z √(q(1 − q)/(n + z²) + p² v₁ + (1 − p)² v₀)/(se + sp − 1)

    Limits are clipped to [0, 1], the whole range where se + sp ≤ 1. It is a point where both leave
    the range on one side, as the data then contradict the labels.

    Lang and Reiczigel (2014), Prev. Vet. Med. 113, 13–22.

    Args:
        data: x, n, a, m₁, b, m₀, shape (m,) each.
        tail: the probability outside each limit, in (0, 1).
    """
    return _clipped(*_lang_reiczigel(data, tail))


LARGEST_TAIL = 0.025
"""The tail of the limits that say whether the data contradict the labels."""


def contradicts_labels(data: Data) -> Bools:
    """Return where both of Lang and Reiczigel's limits of 95 % leave [0, 1], shape (m,).

    The judge then says yes to fewer cases than its false positives alone would be, or to more than
    its sensitivity allows. Cases and labels are hardly of one population.
    """
    lower, upper, identified = _lang_reiczigel(data, LARGEST_TAIL)
    return np.asarray(identified & ((upper <= 0.0) | (lower >= 1.0)))


def remark_on_labels(data: Data) -> str:
    """Return what to know where a judge's answers contradict its labels."""
    if not contradicts_labels(data).any():
        return ""
    return (
        "the data contradict the labels: the judge says yes to fewer cases than its false "
        "positives alone would be, or to more than its sensitivity allows; cases and labels are "
        "hardly alike, and profile_likelihood has the limits of the posterior"
    )
