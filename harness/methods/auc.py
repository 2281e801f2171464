"""Intervals for an area under the ROC curve (AUC) and for the difference of two of the same cases.

Data are scores of positives, shape (m, n1), and of negatives, shape (m, n2); of a difference first
scores of both, then second scores of the same cases. A is the share of pairs of a positive and a
negative in which the positive has the larger score, a tie counting one half.
"""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logit, ndtri

from harness.base.numerics.arrays import Floats
from harness.families.family import Data
from harness.families.scores import area, placements
from harness.methods.bootstrap import RESAMPLES, outermost
from harness.methods.method import LimitPair
from harness.methods.proportion import about


def _exponential_variance(theta: Floats, n1: float, n2: float, pairs: int) -> Floats:
    """θ(1 − θ)[1 + (n1 − 1)(1 − θ)/(2 − θ) + (n2 − 1)θ/(1 + θ)]/pairs, for exponential scores.

    With Q1 = θ/(2 − θ), the probability that two positives exceed one negative, and
    Q2 = 2θ²/(1 + θ), that one positive exceeds two negatives, these are the terms
    Q1 − θ² = θ(1 − θ)²/(2 − θ) and Q2 − θ² = θ²(1 − θ)/(1 + θ).
    """
    others = (n1 - 1.0) * (1.0 - theta) / (2.0 - theta) + (n2 - 1.0) * theta / (1.0 + theta)
    return theta * (1.0 - theta) * (1.0 + others) / pairs


def hanley_mcneil(data: Data, tail: float) -> LimitPair:
    """A ± z √{[A(1 − A) + (n1 − 1)(Q1 − A²) + (n2 − 1)(Q2 − A²)]/(n1 n2)}, clipped to [0, 1].

    Q1 = A/(2 − A) and Q2 = 2A²/(1 + A) are what exponential scores have at the area A, and z is the
    upper ``tail`` point of the standard normal. Ties do not enter the variance. Of no width at
    A = 0 and A = 1, and too short next to them.

    Hanley and McNeil (1982), Radiology 143, 29–36.
    """
    estimate, (n1, n2) = area(*data), _sizes(data)
    half = -float(ndtri(tail)) * np.sqrt(_exponential_variance(estimate, n1, n2, n1 * n2))
    return about(estimate, half)


def newcombe(data: Data, tail: float) -> LimitPair:
    """A − θ = ±z √{θ(1 − θ)[1 + (n* − 1)(1 − θ)/(2 − θ) + (n* − 1)θ/(1 + θ)]/(n1 n2)}.

    n* = (n1 + n2)/2 stands for both sizes in the variance of Hanley and McNeil, which is taken at
    the limit θ and not at A, and z is the upper ``tail`` point of the standard normal. Close to 0
    and 1 no limit leaves the range, and there is a width at A = 0 and A = 1.

    Newcombe (2006), Stat. Med. 25, 559–573, method 5.
    """
    estimate, (n1, n2) = area(*data), _sizes(data)
    z, mean = -float(ndtri(tail)), 0.5 * (n1 + n2)
    lower = _lower_newcombe(estimate, z, mean, n1 * n2)
    return lower, 1.0 - _lower_newcombe(1.0 - estimate, z, mean, n1 * n2)


# So many halvings of [0, 1] leave no double inside, but next to 0.
_HALVINGS = 64


def _lower_newcombe(estimate: Floats, z: float, mean: float, pairs: int) -> Floats:
    """The θ where A − θ falls below z √V(θ), by bisection."""
    low, high = np.zeros_like(estimate), np.ones_like(estimate)
    for _ in range(_HALVINGS):
        theta = 0.5 * (low + high)
        variance = _exponential_variance(theta, mean, mean, pairs)
        is_below = estimate - theta > z * np.sqrt(variance)
        low, high = np.where(is_below, theta, low), np.where(is_below, high, theta)
    return np.where(estimate > 0, 0.5 * (low + high), 0.0)


def delong(data: Data, tail: float) -> LimitPair:
    """A ± z √(S10/n1 + S01/n2), clipped to [0, 1].

    S10 is the variance, with the divisor n1 − 1, of the shares of negatives below each positive,
    and S01, with n2 − 1, of the shares of positives above each negative; a tie counts one half, and
    z is the upper ``tail`` point of the standard normal. Too short next to A = 1. Of no width at
    A = 0 and A = 1, and where all scores are equal; the whole range where there is a single
    positive or a single negative, whose variance is not known.

    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, 837–845; Sun and Xu (2014), IEEE
    Signal Process. Lett. 21, 1389–1393, for the computation by midranks.
    """
    estimate, error = _mean_and_error(placements(*data))
    half = -float(ndtri(tail)) * error
    return _of_several(data, (0.0, 1.0), (estimate - half, estimate + half))


def delong_logit(data: Data, tail: float) -> LimitPair:
    """logit A ± z √(S10/n1 + S01/n2)/(A(1 − A)), back on the scale of the area.

    ``delong`` on the logit scale, whose limits stay inside the range. The whole range at A = 0 and
    A = 1, and where there is a single positive or negative; of no width where all scores are equal.

    Qin and Hotilovac (2008), Stat. Methods Med. Res. 17, 207–221, for the scale.
    """
    estimate, error = _mean_and_error(placements(*data))
    inside = (estimate > 0.0) & (estimate < 1.0)
    middle = np.where(inside, estimate, 0.5)
    half = -float(ndtri(tail)) * error / (middle * (1.0 - middle))
    lower = np.where(inside, expit(logit(middle) - half), 0.0)
    upper = np.where(inside, expit(logit(middle) + half), 1.0)
    # expit(logit(A)) may round to beside A.
    exact = inside & (half == 0.0)
    limits = np.where(exact, estimate, lower), np.where(exact, estimate, upper)
    return _of_several(data, (0.0, 1.0), limits)


def delong_difference(data: Data, tail: float) -> LimitPair:
    """A₁ − A₂ ± z √(S10/n1 + S01/n2), clipped to [−1, 1], with both scores of the same cases.

    S10 and S01 are the variances of ``delong`` of the differences of the shares that the two scores
    have for a case, and so hold the covariance of both areas. Of no width where both scores order
    the cases alike, or A₁ and A₂ are 0 or 1; the whole range with a single positive or negative.

    DeLong, DeLong and Clarke-Pearson (1988), Biometrics 44, 837–845.
    """
    above1, below1 = placements(*data[:2])
    above2, below2 = placements(*data[2:])
    estimate, error = _mean_and_error((above1 - above2, below1 - below2))
    half = -float(ndtri(tail)) * error
    return _of_several(data, (-1.0, 1.0), (estimate - half, estimate + half))


def _sizes(data: Data) -> tuple[int, int]:
    return data[0].shape[-1], data[1].shape[-1]


def _mean_and_error(components: tuple[Floats, Floats]) -> tuple[Floats, Floats]:
    """The mean of structural components, and the root of S10/n1 + S01/n2, shape (m,) each."""
    variance = np.zeros(components[0].shape[:-1])
    for shares in components:
        count = shares.shape[-1]
        squares = ((shares - shares.mean(axis=-1, keepdims=True)) ** 2).sum(axis=-1)
        # What rounding leaves of equal components is no variance.
        squares = np.where(shares.max(axis=-1) > shares.min(axis=-1), squares, 0.0)
        variance += squares / (max(count - 1, 1) * count)
    return components[0].mean(axis=-1), np.sqrt(variance)


def _of_several(data: Data, support: tuple[float, float], limits: LimitPair) -> LimitPair:
    """The limits clipped to the range, and the whole range of one positive or one negative."""
    low, high = support
    lower, upper = limits
    if min(_sizes(data)) == 1:
        return np.full_like(lower, low), np.full_like(upper, high)
    return np.clip(lower, low, high), np.clip(upper, low, high)


# About how many numbers are worked on at a time.
_CELLS = 2**16


def bootstrap_percentile(
    data: Data, alpha: float, side: str, rng: np.random.Generator
) -> LimitPair:
    """From A*₍ᵣ₎ to A*₍B+1−r₎, r = ⌊(B + 1)·alpha/2⌋, of B = 999 resamples of the cases.

    A*₍ᵣ₎ is the r-th smallest area of n1 positives and n2 negatives drawn with replacement, each
    from their own class; of a difference a case is drawn with both of its scores. A one-sided limit
    takes alpha whole. Where r would be 0 (alpha/2 below 1/1000) the limits are the smallest and the
    largest resample. Of no width where no resample differs, as at A = 0 and A = 1; too short for
    few cases.

    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
    """
    areas = np.empty((len(data[0]), RESAMPLES))
    at_once = max(1, _CELLS // max(_sizes(data)))
    for row, lists in enumerate(zip(*data, strict=True)):
        for done in range(0, RESAMPLES, at_once):
            count = min(at_once, RESAMPLES - done)
            areas[row, done : done + count] = _resampled(lists, count, rng)
    return outermost(areas, alpha, side)


def _resampled(lists: Data, count: int, rng: np.random.Generator) -> Floats:
    """The areas of resamples of one data set, or the differences of both, shape (count,)."""
    multiplicities = []
    for size in (scores.size for scores in lists[:2]):
        # How often each case is in each resample, shape (size, count).
        drawn = rng.integers(0, size, (size, count)) * count + np.arange(count)
        often = np.bincount(drawn.ravel(), minlength=size * count)
        multiplicities.append(often.reshape(size, count))
    of_positives, of_negatives = multiplicities
    total: Floats = np.zeros(count)
    for sign, positives, negatives in zip((1, -1), lists[::2], lists[1::2], strict=False):
        order = np.argsort(negatives)
        # How many of the drawn negatives are among the first of all in ascending order.
        among = np.zeros((negatives.size + 1, count), np.int64)
        np.cumsum(of_negatives[order], axis=0, out=among[1:])
        below, up_to = (
            np.searchsorted(negatives, positives, side=side, sorter=order)
            for side in ("left", "right")
        )
        wins = (of_positives * (among[below] + among[up_to])).sum(axis=0)
        total += sign * wins / (2 * positives.size * negatives.size)
    return total
