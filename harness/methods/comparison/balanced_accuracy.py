"""Intervals for a balanced accuracy: the mean of the accuracies within two classes."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Floats
from harness.methods.comparison.mover import about_estimates, mean, once_per_sample
from harness.methods.method import LimitPair
from harness.methods.proportion import about, variance
from harness.methods.proportion.exact import clopper_pearson
from harness.methods.proportion.score import wilson


def exact_union(data: tuple[Floats, ...], tail: float) -> LimitPair:
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


def wald(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """(p̂₁ + p̂₂)/2 ± z √(p̂₁(1 − p̂₁)/n₁ + p̂₂(1 − p̂₂)/n₂)/2, clipped to [0, 1].

    z is the upper ``tail`` point of the standard normal. Of no width where each x is 0 or n, as
    it is for a classifier that makes no error on the test set.

    Brodersen, Ong, Stephan and Buhmann (2010), ICPR 20, 3121–3124, for the balanced accuracy.
    """
    x1, n1, x2, n2 = data
    deviation = np.sqrt(variance(x1, n1) + variance(x2, n2))
    return about((x1 / n1 + x2 / n2) / 2, -float(ndtri(tail)) * deviation / 2)


def mover_wilson(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """MOVER with Wilson limits: (p̂₁ + p̂₂ − √((p̂₁ − l₁)² + (p̂₂ − l₂)²))/2, above likewise.

    Its mean coverage is near nominal, and it stays within [0, 1] by itself.

    Zou and Donner (2008), Stat. Med. 27, 1693–1702.
    """
    return mean(*about_estimates(data, tail, wilson))


def mover_clopper_pearson(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """MOVER with Clopper-Pearson limits, as ``mover_wilson`` with Wilson's.

    Conservative for most truths, yet not surely so, and shorter than ``exact_union``.

    Zou and Donner (2008), Stat. Med. 27, 1693–1702.
    """
    return mean(*about_estimates(data, tail, once_per_sample(clopper_pearson)))
