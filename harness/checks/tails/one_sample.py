"""The tails that limits of one sample leave: binomial or Poisson probabilities at each limit."""

from __future__ import annotations

import numpy as np

from harness.base.numerics.arrays import Bools, Floats
from harness.checks.conformance.properties import Evaluation
from harness.checks.tails.record import LimitTails, r_of
from harness.families.family import Family
from harness.methods.method import TWO_SIDED

LARGEST_ALPHA = 0.4
"""Above it the quantile that r divides by is near 0."""


def tails_of_one_sample(evaluation: Evaluation) -> LimitTails:
    """The tails of all limits of one size, those of alphas up to 0.4.

    The lower limit L has Pr(X ≥ x | L), the upper limit U has Pr(X ≤ x | U).

    Args:
        evaluation: limits of a family with a single count, shape (a, k).
    """
    outcomes, family = evaluation.outcomes, evaluation.family
    usual = np.array(evaluation.alphas) <= LARGEST_ALPHA
    alphas = tuple(alpha for alpha, kept in zip(evaluation.alphas, usual, strict=True) if kept)
    lower, upper = evaluation.lower[usual], evaluation.upper[usual]
    (counts,), (size,) = outcomes.flat(), outcomes.sizes
    low, high = family.support
    expected = np.array(alphas)[:, np.newaxis] / (2.0 if evaluation.side == TWO_SIDED else 1.0)
    lower_tail, lower_half = _tails(family, counts, lower, size, lower > low, from_below=False)
    upper_tail, upper_half = _tails(family, counts, upper, size, upper < high, from_below=True)
    return LimitTails(
        outcomes=outcomes,
        side=evaluation.side,
        alphas=alphas,
        lower=lower,
        upper=upper,
        lower_tail=lower_tail,
        upper_tail=upper_tail,
        lower_r=r_of(lower_half, expected),
        upper_r=r_of(upper_half, expected),
        least=np.minimum(counts, size - counts) if family.is_bounded else counts,
    )


def _tails(
    family: Family, counts: Floats, limits: Floats, size: float, used: Bools, *, from_below: bool
) -> tuple[Floats, Floats]:
    """The tail at each limit, and the tail with half of the outcome's own probability.

    Args:
        family: of a single count.
        counts: shape (k,).
        limits: shape (a, k).
        size: the size of the sample.
        used: the limits that have a tail, if they are finite; shape (a, k).
        from_below: Pr(X ≤ x), or else Pr(X ≥ x).
    """
    tail, half = np.full((2, *limits.shape), np.nan)
    low, high = family.support
    places = used & np.isfinite(limits)
    x = np.broadcast_to(counts, limits.shape)[places]
    truth = np.clip(limits[places], low, high)
    sampling = family.model.SAMPLING
    whole = np.ones(x.size)
    if from_below:
        some = x < sampling.largest_outcome(size)
        whole[some] = sampling.cdf(x[some], truth[some], size)
    else:
        some = x > 0
        whole[some] = sampling.sf(x[some] - 1.0, truth[some], size)  # type: ignore[arg-type]
    tail[places] = whole
    half[places] = np.maximum(whole - 0.5 * sampling.pmf(x, truth, size), 0.0)
    return tail, half
