"""The root mean square alpha error and the interval score of each column.

The first is the root mean square of alpha − actual_alpha(θ) over the truths. The second is the mean
of Winkler's interval score, (U − L) + (2/alpha)·((L − θ)⁺ + (θ − U)⁺): the length, and a penalty in
proportion to the excess, the distance from a truth outside the interval to the interval (Gneiting
and Raftery 2007, J. Am. Stat. Assoc. 102, 359–378, eq. 43).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.limits import Column, Limits
from harness.designs.results import Enumerated
from harness.families.family import Family
from harness.methods.method import TWO_SIDED


@dataclass(frozen=True)
class LeastLengths:
    """The least lengths of k columns, shape (k,) each; not a number where one is not computed."""

    least_length_guaranteed: Floats
    """The least mean length of methods that never miss more often than alpha, those that take
    random decisions included."""
    least_length_deterministic: Floats
    """The same of methods whose limits are a function of the outcome."""
    least_length_on_average: Floats
    """The least mean length of methods that miss as often as alpha, averaged over the truth."""
    efficiency_guaranteed: Floats
    """The first at the column's own worst alpha, over its mean length."""
    efficiency_on_average: Floats
    """The second at the column's own mean alpha, over its mean length."""


@dataclass(frozen=True)
class Scores:
    """The scores of k columns, shape (k,) each; not a number where a score is not computed."""

    rms_alpha_error: Floats
    """√ of the mean over the truths of (alpha − actual_alpha)²."""
    interval_score: Floats
    """The mean of Winkler's score over truths and outcomes, of two-sided intervals."""
    least: LeastLengths | None = None
    """The least lengths possible and how close to them each column comes; None where unknown."""


def scores_of(
    limits: Limits,
    enumerated: Enumerated,
    columns: Sequence[Column],
    expected_excess: Callable[[Limits], Floats] | None,
) -> Scores:
    """Return both scores of each column; no root mean square under a distribution.

    Args:
        limits: the limits of all outcomes that can occur under the truth.
        enumerated: the results of enumeration.
        columns: the method and alpha of each row of the limits.
        expected_excess: returns E[(L − θ)⁺ + (θ − U)⁺] over truths and outcomes of each column of a
            table of limits; None where it is not known, and there is no interval score.
    """
    alpha = np.array([column.alpha for column in columns])
    rms, score = np.full((2, alpha.size), np.nan)
    if enumerated.by_truth is not None:
        error = alpha[:, np.newaxis] - (enumerated.by_truth.below + enumerated.by_truth.above)
        rms = np.sqrt((error * error).mean(axis=1))
    two_sided = np.array([column.side == TWO_SIDED for column in columns])
    if expected_excess is not None and enumerated.mean is not None and two_sided.any():
        part = limits.with_ends(limits.lower[two_sided], limits.upper[two_sided])
        penalty = (2.0 / alpha[two_sided]) * expected_excess(part)
        score[two_sided] = enumerated.mean.length[two_sided] + penalty
    return Scores(rms, score)


def excess_at_listed(
    family: Family, listed: Iterable[tuple[float, Integers, Floats]], limits: Limits
) -> Floats:
    """Return E[(L − θ)⁺ + (θ − U)⁺] over the listed truths and all outcomes, shape (k,).

    Of a ratio θ, L and U are their logarithms.

    Args:
        family: of the parameter.
        listed: the parameter at each truth, and the outcomes with their probability there.
        limits: of all outcomes that can occur at the truths.
    """
    total, count, scale = np.zeros(limits.lower.shape[0]), 0, family.scale.of
    for theta, outcomes, probability in listed:
        possible, count = limits.at(outcomes), count + 1
        for row in range(total.size):
            lower, upper = scale(possible.lower[row]), scale(possible.upper[row])
            total[row] += (probability * excess(scale(np.array(theta)), lower, upper)).sum()
    return total / count


def excess(theta: Floats | float, lower: Floats, upper: Floats) -> Floats:
    """Return (L − θ)⁺ + (θ − U)⁺, broadcast."""
    with np.errstate(invalid="ignore"):  # equal infinite logarithms, whose difference is no number
        return np.asarray(np.fmax(lower - theta, 0.0) + np.fmax(theta - upper, 0.0))
