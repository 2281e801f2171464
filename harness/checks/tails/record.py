"""The tail probabilities that the limits of a method leave, at the outcomes of one size."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats
from harness.checks.conformance.properties import Evaluation, SideLimits
from harness.families.family import Family
from harness.methods.method import LOWER, UPPER

LimitName = Literal["lower", "upper"]

_SMALLEST = 1e-300
"""A smaller tail counts as this one: its normal quantile is 37."""
_LARGEST = 1.0 - 1e-16


@dataclass(frozen=True)
class LimitTails(SideLimits):
    """The tail that each limit of one side of a method leaves, at all outcomes of one size.

    The lower limit L at an outcome leaves Pr(X ≥ x | L), the upper limit U leaves Pr(X ≤ x | U).
    An equal-tailed exact interval has alpha/2 for both.
    """

    tail: Mapping[LimitName, Floats]
    """The tail of each limit; not a number where there is none: the limit is missing, is at its
    own end of the range or beyond, or belongs to the open side."""
    r: Mapping[LimitName, Floats]
    """z(tail with half of x's probability) / z(alpha/2), of one-sided limits / z(alpha), which is
    near 1 for a sound method; not a number where there is no tail."""
    least: Floats
    """The smallest of the counts of successes and of failures, or of events, on which it depends
    how near r is to 1; shape of the outcomes."""

    @property
    def names(self) -> tuple[LimitName, ...]:
        """The limits that are not the open side."""
        sides: dict[str, tuple[LimitName, ...]] = {LOWER: ("lower",), UPPER: ("upper",)}
        return sides.get(self.side, ("lower", "upper"))

    @property
    def expected(self) -> Floats:
        """The tail that a limit should leave at each alpha: alpha/2, or alpha if one-sided."""
        return np.array(self.alphas) / (2.0 if self.is_two_sided else 1.0)

    def limit(self, name: LimitName) -> Floats:
        """The limits of this name."""
        return self.lower if name == "lower" else self.upper

    def has_tail(self, name: LimitName) -> Bools:
        """Where the limits of this name have a tail."""
        return ~np.isnan(self.tail[name])

    @property
    def z(self) -> Floats:
        """z(alpha/2), of one-sided limits z(alpha), in a shape that broadcasts over the arrays."""
        return np.asarray(self.by_alpha(upper_quantile(self.expected)))


def upper_quantile(tail: Floats) -> Floats:
    """z(tail), the standard normal quantile with this probability above it; of any shape."""
    return np.asarray(-ndtri(np.clip(tail, _SMALLEST, _LARGEST)))


def r_of(half_tail: Floats, expected: Floats) -> Floats:
    """z(half_tail) / z(expected), which broadcast; not a number where half_tail is not.

    Args:
        half_tail: the tails with half of the outcome's own probability.
        expected: alpha/2, or alpha for one-sided limits; below one half.
    """
    return np.asarray(upper_quantile(half_tail) / -ndtri(expected))


LARGEST_ALPHA = 0.4
"""Above it the quantile that r divides by is near 0."""


def tails_of_one_sample(evaluation: Evaluation) -> LimitTails:
    """The tails of all limits of one size, those of alphas up to 0.4.

    The lower limit L has Pr(X ≥ x | L), the upper limit U has Pr(X ≤ x | U).

    Args:
        evaluation: limits of a family with a single count, shape (a, k).
    """
    outcomes, family = evaluation.outcomes, evaluation.family
    kept = evaluation.at_alphas(np.array(evaluation.alphas) <= LARGEST_ALPHA)
    lower, upper = kept.lower, kept.upper
    (counts,), (size,) = outcomes.flat(), outcomes.sizes
    low, high = family.support
    expected = np.array(kept.alphas)[:, np.newaxis] / (2.0 if kept.is_two_sided else 1.0)
    lower_tail, lower_half = _tails(family, counts, lower, size, lower > low, from_below=False)
    upper_tail, upper_half = _tails(family, counts, upper, size, upper < high, from_below=True)
    return LimitTails(
        **vars(kept),
        tail={"lower": lower_tail, "upper": upper_tail},
        r={"lower": r_of(lower_half, expected), "upper": r_of(upper_half, expected)},
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
