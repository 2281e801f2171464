"""The interval for an odds ratio from its score, corrected for bias and skewness."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from harness.methods.comparison.fourfold import Tables, shifted_by_statistic
from harness.methods.comparison.odds_ratio_score import by_upper_limit, variance_factor
from harness.methods.comparison.skewness import Derived, corrected, place_of, skewness_term
from harness.methods.method import LimitPair
from harness.numerics.arrays import Floats, Positions

# The logits between which the share of the range that a root takes lies.
_FARTHEST_LOGIT = 200.0


def scas(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """T − (z² − 1) μ₃/(6 V^1.5) = ±z with T the score of ``score`` corrected for bias, over √V.

    V = N/(N − 1) (1/v₁ + 1/v₂), vᵢ = nᵢpᵢqᵢ; the score is (p̂₁ − p₁)/(p₁q₁) − (p̂₂ − p₂)/(p₂q₂) −
    (p₁ − p₂)/(v₁ + v₂), and μ₃ = (1 − 2p₁)/v₁² − (1 − 2p₂)/v₂². z is the upper ``tail`` point of
    the standard normal. The limit is 0 at x₁ = 0 or x₂ = n₂ and inf at x₂ = 0 or x₁ = n₁, and also
    where the corrected score does not reach z, as with a count of 1 for a z² well above 7. Both
    tails are near nominal on average; there are truths that are missed too often.

    Laud (2017), Pharm. Stat. 16, 334–348; Laud (2018), Pharm. Stat. 17, 290–293; Gart and Thomas
    (1982), Commun. Stat. A 11, 1369–1378, for the bias.
    """
    return by_upper_limit(Tables.of(data), tail, _upper)


def _upper(tables: Tables, z: float) -> Floats:
    """Where the corrected score is z; as b is emptied, it tends to √(1 + 6bN/(N − 1)) and no more.

    Next to that end the corrected score is flat, and T − (z² − 1)k, which is z there too, is steep:
    a step of Newton's method towards its root restores the digits.
    """

    def statistic(logit: Floats, index: Positions) -> Derived:
        return corrected(*_score(tables.at(index), logit))

    far = np.full(tables.size, _FARTHEST_LOGIT)
    logit = place_of(statistic, z, -far, far, _uncorrected(tables, z))
    inner = np.flatnonzero(logit < far)
    (t, t_slope), (k, k_slope) = _score(tables.at(inner), logit[inner])
    logit[inner] -= (t - (z * z - 1.0) * k - z) / (t_slope - (z * z - 1.0) * k_slope)
    return np.where(logit < far, _at(tables, logit).odds_ratio, np.inf)


def _at(tables: Tables, logit: Floats) -> Tables:
    """The tables shifted to a share of their range, from an empty a or d to an empty b or c."""
    width = tables.room_below + tables.room
    up, down = width * expit(logit), width * expit(-logit)
    return Tables(
        (tables.a - tables.room_below) + up,
        (tables.b - tables.room) + down,
        (tables.c - tables.room) + down,
        (tables.d - tables.room_below) + up,
    )


def _uncorrected(tables: Tables, z: float) -> Floats:
    """The logit of the share of the range at the limit of the score test."""
    moved = tables
    if z > 0:
        moved = shifted_by_statistic(tables, variance_factor(tables) * z * z)
    with np.errstate(divide="ignore"):
        return np.log(moved.room_below) - np.log(moved.room)


def _score(tables: Tables, logit: Floats) -> tuple[Derived, Derived]:
    """T and k of the score with its sign changed, so that it rises with θ.

    In the shift s and the cells there, V = N/(N − 1) W with W = Σ 1/cell, the score is −sW − B/W
    with B = 1/(bc) − 1/(ad), and μ₃ = 1/a² − 1/b² − 1/c² + 1/d², which is −dW/ds.
    """
    moved = _at(tables, logit)
    a, b, c, d = (1.0 / cell for cell in moved.cells)
    total, third = (a + d) + (b + c), (a * a + d * d) - (b * b + c * c)
    third_slope = -2.0 * ((a**3 + d**3) + (b**3 + c**3))
    bias, bias_slope = b * c - a * d, b * c * (b + c) + a * d * (a + d)
    shift = np.where(tables.a <= tables.b, moved.a - tables.a, tables.b - moved.b)
    score = shift * total + bias / total
    score_slope = total - shift * third + bias_slope / total + bias * (third / total) / total
    factor = variance_factor(tables)
    root = np.sqrt(factor * total)
    value = score / root
    slope = score_slope / root + 0.5 * value * third / total
    k, k_slope = skewness_term((-third, -third_slope), (factor * total, -factor * third))
    step = (moved.a - (tables.a - tables.room_below)) * expit(-logit)
    return (value, slope * step), (k, k_slope * step)
