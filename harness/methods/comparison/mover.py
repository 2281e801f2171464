"""Limits of a sum of two terms from the limits of each: MOVER, and the union bound.

MOVER recovers the variances of the terms from their limits. The intervals here are those of a
difference of two proportions, and of a balanced accuracy, the mean of the accuracies within two
classes.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats, distinct_columns
from harness.distributions.posteriors.beta import Beta
from harness.families.family import Data
from harness.methods.method import LimitPair, TailFormula
from harness.methods.proportion import about, clopper_pearson, variance, wald
from harness.methods.proportion.score import wilson, wilson_cc

Term = tuple[Floats, Floats, Floats]
"""An estimate with its lower and its upper limit."""
TermFormula = Callable[[Data, float], Term]
"""(sample, tail) -> the term of a sample, each limit with the probability ``tail`` beyond it."""


def mover(first: Term, second: Term) -> LimitPair:
    """θ̂₁ + θ̂₂ − √((θ̂₁ − l₁)² + (θ̂₂ − l₂)²) and θ̂₁ + θ̂₂ + √((u₁ − θ̂₁)² + (u₂ − θ̂₂)²).

    The squares keep their signs, and the root that of their sum: beyond the estimate, where a
    tail of more than one half puts it, a limit counts against the other one. So limits that are
    nested in the tail give limits that are. Where both intervals hold their estimates, the limits
    lie within [l₁ + l₂, u₁ + u₂].

    Zou and Donner (2008), Stat. Med. 27, 1693–1702; for the difference of two proportions,
    Newcombe (1998), Stat. Med. 17, 873–890.
    """
    (centre_1, lower_1, upper_1), (centre_2, lower_2, upper_2) = first, second
    centre = centre_1 + centre_2
    lower = centre - _signed_root_sum(centre_1 - lower_1, centre_2 - lower_2)
    upper = centre + _signed_root_sum(upper_1 - centre_1, upper_2 - centre_2)
    return lower, upper


def difference(first: Term, second: Term) -> LimitPair:
    """Limits of θ₁ − θ₂."""
    estimate, lower, upper = second
    return mover(first, (-estimate, -upper, -lower))


def mean(first: Term, second: Term) -> LimitPair:
    """Limits of (θ₁ + θ₂)/2."""
    lower, upper = mover(first, second)
    return lower / 2, upper / 2


def ratio(first: Term, second: Term) -> LimitPair:
    """Limits of θ₁/θ₂ for θ₁, θ₂ ≥ 0: where (θ̂₁ − θ θ̂₂)² = (θ̂₁ − l₁)² + θ²(u₂ − θ̂₂)², and swapped.

    The lower limit is (θ̂₁θ̂₂ − √(θ̂₁²θ̂₂² − l₁(2θ̂₁ − l₁)u₂(2θ̂₂ − u₂))) / (u₂(2θ̂₂ − u₂)), computed
    such that nothing cancels; the upper one is the inverse of the lower limit of θ₂/θ₁. It is
    ``inf`` where l₂ = 0, and limits are (0, inf) where both estimates are 0. As in ``mover``,
    squares keep their signs, so that limits that are nested in the tail give limits that are.

    An estimate may be ``inf``, as odds are. Limits are then those of (1/θ₂)/(1/θ₁), and where they
    have an infinite estimate too (θ̂₁ = ∞ and θ̂₂ = 0, or swapped), l₁/u₂ and u₁/l₂.

    Donner and Zou (2012), Stat. Methods Med. Res. 21, 347–359; for odds, Fagerland and Newcombe
    (2013), Stat. Med. 32, 2823–2836.

    Args:
        first: θ̂₁, l₁ and u₁, shape (m,) each.
        second: θ̂₂, l₂ and u₂, likewise.

    Returns:
        Lower and upper limits, shape (m,) each.
    """
    infinite = np.isinf(first[0]) | np.isinf(second[0])
    above = _chosen(infinite, _inverse(second), first)
    below = _chosen(infinite, _inverse(first), second)
    with np.errstate(divide="ignore", invalid="ignore"):
        return _lower_of_ratio(above, below), 1.0 / _lower_of_ratio(below, above)


def _lower_of_ratio(first: Term, second: Term) -> Floats:
    """The lower limit θ; 0 where l₁ = 0 or both estimates are 0."""
    (centre_1, lower_1, _), (centre_2, _, upper_2) = first, second
    scale_1, scale_2 = np.maximum(centre_1, lower_1), np.maximum(centre_2, upper_2)
    c1, l1, c2, u2 = centre_1 / scale_1, lower_1 / scale_1, centre_2 / scale_2, upper_2 / scale_2
    below, above = _square(c1 - l1), _square(u2 - c2)
    # c1² − below and c2² + above
    rest_1 = np.where(below >= 0, l1 * (2.0 * c1 - l1), c1 * c1 - below)
    rest_2 = np.where(above < 0, u2 * (2.0 * c2 - u2), c2 * c2 + above)
    inside = c2 * c2 * below + c1 * c1 * above >= 0
    radicand = np.where(inside, c2 * c2 * below + above * rest_1, -c1 * c1 * above - below * rest_2)
    middle = c1 * c2 + np.sqrt(np.maximum(radicand, 0.0))
    limit = np.where(inside, rest_1 / middle, middle / rest_2) * (scale_1 / scale_2)
    limit = np.where(np.isinf(centre_1), lower_1 / upper_2, limit)
    limit = np.where((centre_2 == 0) & (upper_2 == 0), np.inf, limit)
    none = (scale_1 == 0) | (rest_1 == 0) | ((centre_1 == 0) & (centre_2 == 0))
    return np.where(none | np.isinf(centre_2), 0.0, limit)


def _inverse(term: Term) -> Term:
    with np.errstate(divide="ignore", over="ignore"):
        return 1.0 / term[0], 1.0 / term[2], 1.0 / term[1]


def _chosen(mask: Bools, first: Term, second: Term) -> Term:
    centre, lower, upper = (np.where(mask, a, b) for a, b in zip(first, second, strict=True))
    return centre, lower, upper


def _square(value: Floats) -> Floats:
    """The square with the sign of ``value``."""
    return value * np.abs(value)


def _signed_root_sum(first: Floats, second: Floats) -> Floats:
    squares = _square(first) + _square(second)
    return np.sign(squares) * np.sqrt(np.abs(squares))


Columns = TypeVar("Columns", bound=Data)


def once_per_sample(formula: Callable[[Data, float], Columns]) -> Callable[[Data, float], Columns]:
    """The formula, computed once for each distinct sample.

    The n₁·n₂ pairs of outcomes of two samples hold only n₁ + n₂ samples.
    """

    def limits(data: Data, tail: float) -> Columns:
        samples, back = distinct_columns(*data)
        columns = formula(tuple(samples), tail)
        return cast(Columns, tuple(column[back] for column in columns))

    return limits


JEFFREYS = (0.5, 0.5)
"""The prior of a proportion by the rule of Jeffreys."""
# Fagan's correction is _CORRECTION / max(n₁, n₂), tuned to alpha = 0.05.
_CORRECTION = 0.18


def newcombe(data: Data, tail: float) -> LimitPair:
    """MOVER with Wilson limits l, u: p̂₁ − p̂₂ − √((p̂₁ − l₁)² + (u₂ − p̂₂)²), above likewise.

    Its mean coverage is near nominal, and it stays within [−1, 1] by itself.

    Newcombe (1998), Stat. Med. 17, 873–890, method 10.
    """
    return difference(*about_estimates(data, tail, wilson))


def newcombe_cc(data: Data, tail: float) -> LimitPair:
    """MOVER with continuity corrected Wilson limits: as ``newcombe``, but mostly conservative.

    Newcombe (1998), Stat. Med. 17, 873–890, method 11.
    """
    return difference(*about_estimates(data, tail, wilson_cc))


def mover_jeffreys(data: Data, tail: float) -> LimitPair:
    """MOVER with the ``tail`` quantiles of Beta(x + ½, n − x + ½), centred on its medians.

    The limits of each sample are those of ``jeffreys_equal_tailed``: at x = 0 and x = n they are
    not moved to the end of the range, as those of ``jeffreys`` are. The centre is the difference of
    the medians, not p̂₁ − p̂₂, which the interval may miss where an x is 0 or n, and differences next
    to −1 and 1 are missed with certainty. R's ratesci has the same unless it is asked for an
    adjustment at the boundary.

    Laud (2017), Pharm. Stat. 16, 334–348, MOVER-J.
    """
    return difference(*terms(data, tail, median_of_beta))


def fagan(data: Data, tail: float) -> LimitPair:
    """MOVER with Clopper-Pearson limits, and 0.18/max(n₁, n₂) further out at each end.

    p̂₁ − p̂₂ − √((p̂₁ − l₁)² + (u₂ − p̂₂)²) − 0.18/max(n₁, n₂), but not below l₁ − u₂; above
    likewise, not above u₁ − l₂. Conservative. The correction was chosen for alpha = 0.05.

    Fagan (1999), Comput. Biol. Med. 29, 83–87; Ross (2003), section 6, method 5.
    """
    first, second = about_estimates(data, tail, once_per_sample(clopper_pearson))
    (_, lower_1, upper_1), (_, lower_2, upper_2) = first, second
    lower, upper = difference(first, second)
    correction = _CORRECTION / np.maximum(data[1], data[3])
    return (
        np.maximum(lower - correction, lower_1 - upper_2),
        np.minimum(upper + correction, upper_1 - lower_2),
    )


def rss_normal(data: Data, tail: float) -> LimitPair:
    """MOVER with Wald limits, each clipped to [0, 1]: the root sum of squares of their widths.

    Of no width where each x is 0 or n. Shorter than ``wald`` where a limit is clipped.

    Ross (2003), section 6, method 6.
    """
    return difference(*about_estimates(data, tail, wald))


def about_estimates(data: Data, tail: float, limits: TailFormula) -> tuple[Term, Term]:
    """Each estimate x/n with its limits."""
    x1, n1, x2, n2 = data
    return (x1 / n1, *limits((x1, n1), tail)), (x2 / n2, *limits((x2, n2), tail))


def terms(data: Data, tail: float, term: TermFormula) -> tuple[Term, Term]:
    """The term of each sample, computed once for each distinct one."""
    x1, n1, x2, n2 = data
    once = once_per_sample(term)
    return once((x1, n1), tail), once((x2, n2), tail)


def median_of_beta(data: Data, tail: float) -> Term:
    """The median of Beta(x + ½, n − x + ½) with its quantiles."""
    x, n = data
    posterior = Beta.given(x, n, JEFFREYS)
    return posterior.ppf(0.5).value, posterior.ppf(tail).value, posterior.isf(tail).value


def exact_union(data: Data, tail: float) -> LimitPair:
    """The means of the Clopper-Pearson limits of both classes, each with half of ``tail``.

    By the union bound never misses more often than nominal, and mostly far less often: a
    two-sided interval is made of four limits that hold at alpha/4 each.

    Langford (2005), J. Mach. Learn. Res. 6, 273–306, for the limits of a class.
    """
    x1, n1, x2, n2 = data
    limits = once_per_sample(clopper_pearson)
    lower_1, upper_1 = limits((x1, n1), tail / 2)
    lower_2, upper_2 = limits((x2, n2), tail / 2)
    return (lower_1 + lower_2) / 2, (upper_1 + upper_2) / 2


def wald_of_mean(data: Data, tail: float) -> LimitPair:
    """(p̂₁ + p̂₂)/2 ± z √(p̂₁(1 − p̂₁)/n₁ + p̂₂(1 − p̂₂)/n₂)/2, clipped to [0, 1].

    z is the upper ``tail`` point of the standard normal. Of no width where each x is 0 or n, as
    it is for a classifier that makes no error on the test set.

    Brodersen, Ong, Stephan and Buhmann (2010), ICPR 20, 3121–3124, for the balanced accuracy.
    """
    x1, n1, x2, n2 = data
    deviation = np.sqrt(variance(x1, n1) + variance(x2, n2))
    return about((x1 / n1 + x2 / n2) / 2, -float(ndtri(tail)) * deviation / 2)


def mover_wilson_of_mean(data: Data, tail: float) -> LimitPair:
    """MOVER with Wilson limits: (p̂₁ + p̂₂ − √((p̂₁ − l₁)² + (p̂₂ − l₂)²))/2, above likewise.

    Its mean coverage is near nominal, and it stays within [0, 1] by itself.

    Zou and Donner (2008), Stat. Med. 27, 1693–1702.
    """
    return mean(*about_estimates(data, tail, wilson))


def mover_clopper_pearson(data: Data, tail: float) -> LimitPair:
    """MOVER with Clopper-Pearson limits, as ``mover_wilson`` with Wilson's.

    Conservative for most truths, yet not surely so, and shorter than ``exact_union``.

    Zou and Donner (2008), Stat. Med. 27, 1693–1702.
    """
    return mean(*about_estimates(data, tail, once_per_sample(clopper_pearson)))
