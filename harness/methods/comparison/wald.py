"""Intervals from a normal distribution about a difference, or the logarithm of a ratio."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Floats
from harness.methods.method import LimitPair


def wald(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """p̂₁ − p̂₂ ± z √(p̂₁(1 − p̂₁)/n₁ + p̂₂(1 − p̂₂)/n₂), clipped to [−1, 1].

    z is the upper ``tail`` point of the standard normal. Of no width where each x is 0 or n, and
    too short for most small sizes.

    Newcombe (1998), Stat. Med. 17, 873–890, method 1.
    """
    return _clipped(data, tail, np.zeros_like(data[1]))


def wald_cc(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """p̂₁ − p̂₂ ± (z √(p̂₁(1 − p̂₁)/n₁ + p̂₂(1 − p̂₂)/n₂) + (1/n₁ + 1/n₂)/2), clipped to [−1, 1].

    z is the upper ``tail`` point of the standard normal. The continuity correction gives it a
    width everywhere; where each x is 0 or n that width does not depend on the tail.

    Newcombe (1998), Stat. Med. 17, 873–890, method 2.
    """
    _, n1, _, n2 = data
    return _clipped(data, tail, (1.0 / n1 + 1.0 / n2) / 2)


def agresti_caffo(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """Wald with a success and a failure added to each sample: p̃ = (x + 1)/(n + 2).

    p̃₁ − p̃₂ ± z √(p̃₁(1 − p̃₁)/(n₁ + 2) + p̃₂(1 − p̃₂)/(n₂ + 2)), clipped to [−1, 1], with z the
    upper ``tail`` point of the standard normal. Centred nearer to 0 than the estimate, which a
    short interval may therefore miss.

    Agresti and Caffo (2000), Am. Stat. 54, 280–288.
    """
    x1, n1, x2, n2 = data
    return wald((x1 + 1.0, n1 + 2.0, x2 + 1.0, n2 + 2.0), tail)


def _clipped(data: tuple[Floats, ...], tail: float, correction: Floats) -> LimitPair:
    x1, n1, x2, n2 = data
    estimate = x1 / n1 - x2 / n2
    variance = x1 / n1 * ((n1 - x1) / n1) / n1 + x2 / n2 * ((n2 - x2) / n2) / n2
    delta = correction - float(ndtri(tail)) * np.sqrt(variance)
    return np.clip(estimate - delta, -1.0, 1.0), np.clip(estimate + delta, -1.0, 1.0)


def about_logarithm(ratio: Floats, variance: Floats, tail: float) -> LimitPair:
    """exp(log θ̂ ∓ z √V), V the variance of log θ̂; (0, inf) where θ̂ is 0, infinite or NaN.

    z is the upper ``tail`` point of the standard normal.

    Args:
        ratio: θ̂, shape (m,).
        variance: V, shape (m,); not used where the limits are (0, inf).
        tail: the probability beyond a limit.
    """
    known = np.isfinite(ratio) & (ratio > 0)
    ratio = np.where(known, ratio, 1.0)
    factor = np.exp(-float(ndtri(tail)) * np.sqrt(np.where(known, variance, 0.0)))
    return np.where(known, ratio / factor, 0.0), np.where(known, ratio * factor, np.inf)
