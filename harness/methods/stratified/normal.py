"""Normal intervals of a difference over strata, truncated to [−1, 1]."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.methods.method import LimitPair
from harness.methods.proportion.score import wilson_at
from harness.methods.stratified.strata import Strata
from harness.numerics.arrays import Floats

_ROUNDING = 2.0**-48
"""Sums of up to a hundred strata that cancel leave less than this share of one of them."""


def mantel_haenszel(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """D ± z √(Σ (w/Σw)² (p̂₁q̂₁/n₁ + p̂₂q̂₂/n₂)), D = Σ w (p̂₁ − p̂₂)/Σ w, w = n₁n₂/(n₁ + n₂).

    z is the upper ``tail`` point of the standard normal; limits are truncated to [−1, 1]. Of no
    width where each x is 0 or n in every stratum, and too short for strata of few cases. Of one
    stratum it is ``wald``.

    Greenland and Robins (1985), Biometrics 41, 55–68.
    """
    strata = Strata.of(data)
    variance = (strata.share**2 * (_variance(strata) + _variance(strata.swapped))).sum(axis=1)
    return _about(strata.estimate, variance, tail)


def sato(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """D ± z √(D ΣP + ΣQ)/Σw, D = Σ w (p̂₁ − p̂₂)/Σ w, w = n₁n₂/N, N = n₁ + n₂.

    P = (n₁²x₂ − n₂²x₁ + n₁n₂(n₂ − n₁)/2)/N² and Q = (x₁(n₂ − x₂) + x₂(n₁ − x₁))/(2N); z is the
    upper ``tail`` point of the standard normal, and limits are truncated to [−1, 1]. The variance
    is consistent both for large strata and for many small ones. It is not negative, since
    |P| ≤ w/2 and Q ≥ w |p̂₁ − p̂₂|/2 in each stratum. The interval is of no width at a D of −1 and
    1, and where every stratum has only successes or only failures.

    Sato (1989), Biometrics 45, 1323–1324.
    """
    strata = Strata.of(data)
    x1, n1, x2, n2 = strata.x1, strata.n1, strata.x2, strata.n2
    total = n1 + n2
    share1, share2 = n1 / total, n2 / total
    slope = strata.sum(share1**2 * x2 - share2**2 * x1 + share1 * share2 * (n2 - n1) / 2.0)
    level = strata.sum((x1 * ((n2 - x2) / total) + x2 * ((n1 - x1) / total)) / 2.0)
    spread = strata.estimate * slope + level
    # What rounding leaves of 0 may be below or above it, and its root is no small number.
    spread = np.where(spread > _ROUNDING * level, spread, 0.0)
    return _about(strata.estimate, spread / strata.weight.sum(axis=1) ** 2, tail)


def newcombe(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """D − z √(λ₁L₁(1 − L₁) + λ₂U₂(1 − U₂)) and D + z √(λ₁U₁(1 − U₁) + λ₂L₂(1 − L₂)).

    Of each sample λ = Σ v²/n, and L and U are the means Σ v l and Σ v u of the Wilson limits of its
    strata at the quantile z √(Σ v²V)/Σ v√V, V = p̂q̂/n, v = w/Σw with w = n₁n₂/(n₁ + n₂); z is the
    upper ``tail`` point of the standard normal. Where every V of a sample is 0 they are taken as
    1/n, which is their limit as equal proportions go to 0 or 1. Limits are truncated to [−1, 1].
    Of one stratum it is Newcombe's hybrid score interval.

    Yan and Su (2010), Stat. Biopharm. Res. 2, 329–335, with the weights of Mantel and Haenszel.
    """
    z, strata = -float(ndtri(tail)), Strata.of(data)
    factor1, lower1, upper1 = _means_of_wilson(strata, z)
    factor2, lower2, upper2 = _means_of_wilson(strata.swapped, z)
    below = factor1 * lower1 * (1.0 - lower1) + factor2 * upper2 * (1.0 - upper2)
    above = factor1 * upper1 * (1.0 - upper1) + factor2 * lower2 * (1.0 - lower2)
    estimate = strata.estimate
    lower, upper = estimate - z * np.sqrt(below), estimate + z * np.sqrt(above)
    return np.clip(lower, -1.0, 1.0), np.clip(upper, -1.0, 1.0)


def _means_of_wilson(strata: Strata, z: float) -> tuple[Floats, Floats, Floats]:
    """λ, L and U of the first sample, shape (m,) each."""
    share, variance = strata.share, _variance(strata)
    none = ~((variance > 0) & (strata.weight > 0)).any(axis=1, keepdims=True)
    variance = np.where(none, 1.0 / strata.n1, variance)
    quantile = z * np.sqrt((share**2 * variance).sum(axis=1, keepdims=True))
    quantile = quantile / (share * np.sqrt(variance)).sum(axis=1, keepdims=True)
    wide = np.broadcast_to(quantile, share.shape)
    lower, upper = wilson_at(strata.x1, strata.n1, wide)
    factor = (share**2 / strata.n1).sum(axis=1)
    mean_lower, mean_upper = ((share * each).sum(axis=1) for each in (lower, upper))
    return factor, np.clip(mean_lower, 0.0, 1.0), np.clip(mean_upper, 0.0, 1.0)


def _variance(strata: Strata) -> Floats:
    """p̂q̂/n of the first sample, shape (m, S)."""
    return strata.x1 / strata.n1 * ((strata.n1 - strata.x1) / strata.n1) / strata.n1


def _about(estimate: Floats, variance: Floats, tail: float) -> LimitPair:
    delta = -float(ndtri(tail)) * np.sqrt(variance)
    return np.clip(estimate - delta, -1.0, 1.0), np.clip(estimate + delta, -1.0, 1.0)
