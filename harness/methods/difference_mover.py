"""Intervals for the difference of two proportions from an interval for each of them."""

from __future__ import annotations

import numpy as np

from harness.methods.distinct import once_each
from harness.methods.exact import clopper_pearson
from harness.methods.method import Limits, TailFormula
from harness.methods.mover import Term, difference
from harness.methods.score import wilson, wilson_cc
from harness.methods.wald import wald
from harness.numerics.arrays import Floats
from harness.posteriors.beta import Beta

_JEFFREYS = (0.5, 0.5)
# Fagan's correction is _CORRECTION / max(n₁, n₂), tuned to alpha = 0.05.
_CORRECTION = 0.18


def newcombe(data: tuple[Floats, ...], tail: float) -> Limits:
    """MOVER with Wilson limits l, u: p̂₁ − p̂₂ − √((p̂₁ − l₁)² + (u₂ − p̂₂)²), above likewise.

    Its mean coverage is near nominal, and it stays within [−1, 1] by itself.

    Newcombe (1998), Stat. Med. 17, 873–890, method 10.
    """
    return difference(*_about_estimates(data, tail, wilson))


def newcombe_cc(data: tuple[Floats, ...], tail: float) -> Limits:
    """MOVER with continuity corrected Wilson limits: as ``newcombe``, but conservative.

    Newcombe (1998), Stat. Med. 17, 873–890, method 11.
    """
    return difference(*_about_estimates(data, tail, wilson_cc))


def mover_jeffreys(data: tuple[Floats, ...], tail: float) -> Limits:
    """MOVER with the ``tail`` quantiles of Beta(x + ½, n − x + ½), centred on its medians.

    The centre is the difference of the medians, not p̂₁ − p̂₂, which the interval may miss where
    an x is 0 or n: the quantiles are not moved to the end of the range there.

    Laud (2017), Pharm. Stat. 16, 334–348, MOVER-J.
    """
    x1, n1, x2, n2 = data
    about_median = once_each(_about_median)
    first, second = about_median((x1, n1), tail), about_median((x2, n2), tail)
    return difference(first, second)


def fagan(data: tuple[Floats, ...], tail: float) -> Limits:
    """MOVER with Clopper-Pearson limits, and 0.18/max(n₁, n₂) further out at each end.

    p̂₁ − p̂₂ − √((p̂₁ − l₁)² + (u₂ − p̂₂)²) − 0.18/max(n₁, n₂), but not below l₁ − u₂; above
    likewise, not above u₁ − l₂. Conservative. The correction was chosen for alpha = 0.05.

    Fagan (1999), Comput. Biol. Med. 29, 83–87; Ross (2003), section 6, method 5.
    """
    first, second = _about_estimates(data, tail, once_each(clopper_pearson))
    (_, lower_1, upper_1), (_, lower_2, upper_2) = first, second
    lower, upper = difference(first, second)
    correction = _CORRECTION / np.maximum(data[1], data[3])
    return (
        np.maximum(lower - correction, lower_1 - upper_2),
        np.minimum(upper + correction, upper_1 - lower_2),
    )


def rss_normal(data: tuple[Floats, ...], tail: float) -> Limits:
    """MOVER with Wald limits, each clipped to [0, 1]: the root sum of squares of their widths.

    Of no width where each x is 0 or n. Shorter than ``wald`` where a limit is clipped.

    Ross (2003), section 6, method 6.
    """
    return difference(*_about_estimates(data, tail, wald))


def _about_estimates(
    data: tuple[Floats, ...], tail: float, limits: TailFormula
) -> tuple[Term, Term]:
    """Each estimate x/n with its limits."""
    x1, n1, x2, n2 = data
    return (x1 / n1, *limits((x1, n1), tail)), (x2 / n2, *limits((x2, n2), tail))


def _about_median(data: tuple[Floats, ...], tail: float) -> Term:
    """The median of Beta(x + ½, n − x + ½) with its quantiles."""
    x, n = data
    posterior = Beta.given(x, n, _JEFFREYS)
    return posterior.ppf(0.5).value, posterior.ppf(tail).value, posterior.isf(tail).value
