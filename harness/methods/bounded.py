"""Intervals for the mean of values that lie in a known range, here [0, 1].

Values in another range are scaled to it by ``in_range``. Every lower limit is that of the
values v, and the upper limit is 1 less the lower limit of the values 1 − v.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Floats, Positions
from harness.base.numerics.root_finding import newton_roots
from harness.families.family import Data
from harness.methods import mean
from harness.methods.method import LimitPair, TailFormula


def in_range(formula: TailFormula, low: float, high: float, data: Data, tail: float) -> LimitPair:
    """Return the limits of a formula for values in [0, 1], for those in another range.

    Args:
        formula: of the mean, the sd, k and the values.
        low, high: the ends of the range.
        data: the mean, the sd, k, shape (m,) each, and the values, shape (m, k).
        tail: the probability beyond each limit.
    """
    mean, sd, k, values, *_ = data
    width = high - low
    scaled = (mean - low) / width, sd / width, k, (values - low) / width
    lower, upper = formula(scaled, tail)
    return low + width * lower, low + width * upper


LowerLimit = Callable[[Floats, float], Floats]
"""(values, tail) -> the lower limits, shape (m,), of values in [0, 1] of shape (m, k)."""


def both_limits(lower: LowerLimit, data: Data, tail: float) -> LimitPair:
    """Return the lower limit of the values, and 1 less that of their complements.

    Args:
        lower: the lower limit.
        data: the mean, the sd, k, shape (m,) each, and the values in [0, 1], shape (m, k).
        tail: the probability beyond each limit.
    """
    values = data[3]
    return lower(values, tail), 1.0 - lower(1.0 - values, tail)


def student_t(data: Data, tail: float) -> LimitPair:
    """Mean ± t · sd/√k, cut at 0 and at 1.

    t is the upper ``tail`` point of Student's distribution with k − 1 degrees of freedom. The cut
    changes no coverage. Too short for skewed values: five values of Beta(9, ½) have their mean
    between the limits of alpha = 0.05 in 84 of 100 cases. Of no width where all values are equal.

    Student (1908), Biometrika 6, 1–25.
    """
    lower, upper = mean.about_the_mean(mean.student_t, data, tail)
    return np.clip(lower, 0.0, 1.0), np.clip(upper, 0.0, 1.0)


def bootstrap_t(
    low: float, high: float, data: Data, alpha: float, side: str, rng: np.random.Generator
) -> LimitPair:
    """The studentized bootstrap of a mean, cut at the ends of the range.

    Limits as of ``bootstrap_t`` of runs, from 999 resamples. Of no width where all values are
    equal, and of two values.

    Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 12.5.
    """
    lower, upper = mean.bootstrap_t(data, alpha, side, rng)
    return np.clip(lower, low, high), np.clip(upper, low, high)


def hoeffding(values: Floats, tail: float) -> Floats:
    """The m below the mean x̄ with k · kl(x̄, m) = ln(1/tail).

    kl(x̄, m) = x̄ ln(x̄/m) + (1 − x̄) ln((1 − x̄)/(1 − m)). Never misses more often than alpha,
    whatever the law of independent values in [0, 1]. It depends on the mean alone, so that it is
    as long as values that are 0 or 1 make it, and much too long where they vary little.

    Hoeffding (1963), JASA 58, 13–30, Theorem 1.
    """
    x, bound = values.mean(axis=1), -math.log(tail) / values.shape[1]
    limits = np.where(x == 1.0, math.exp(-bound), 0.0)
    # Below, a limit would be smaller than 1e-250.
    inside = np.flatnonzero((x > (bound + 1.0) / 570.0) & (x < 1.0))
    p = x[inside]

    def divergence(m: Floats, index: Positions) -> tuple[Floats, Floats]:
        here = p[index]
        value = here * np.log(here / m) + (1.0 - here) * np.log((1.0 - here) / (1.0 - m))
        return value / bound - 1.0, (m - here) / (m * (1.0 - m)) / bound

    # The divergence is above the bound at p exp(−(bound + 1)/p).
    low = p * np.exp(-(bound + 1.0) / p)
    start = p - np.sqrt(2.0 * bound * p * (1.0 - p))
    limits[inside] = newton_roots(
        divergence, low, p, start, "no limit by Hoeffding's bound at outcome {}"
    )
    return limits


def empirical_bernstein(data: Data, tail: float) -> LimitPair:
    """Mean ± (sd √(2 ln(2/tail)/k) + 7 ln(2/tail)/(3 (k − 1))), cut at 0 and at 1.

    sd has the divisor k − 1. Never misses more often than alpha, whatever the law of independent
    values in [0, 1]; the second term makes it the whole range with fewer than some twenty values.

    Maurer and Pontil (2009), COLT, Theorem 4.
    """
    x, sd, k, *_ = data
    bound = math.log(2.0 / tail)
    delta = sd * np.sqrt(2.0 * bound / k) + 7.0 * bound / (3.0 * (k - 1.0))
    return np.clip(x - delta, 0.0, 1.0), np.clip(x + delta, 0.0, 1.0)


# The largest share of the capital that a bet risks.
_LARGEST_BET = 0.5
_HALVINGS = 60


def betting(values: Floats, tail: float) -> Floats:
    """The smallest m at which no bet that the mean is above m has multiplied its capital 1/tail.

    The capital after i of the k values is ∏ (1 + min(λⱼ, ½/m)(vⱼ − m)), j ≤ i, with
    λⱼ = √(2 ln(1/tail)/(k sⱼ₋₁)), sⱼ = (¼ + Σ (vᵢ − cᵢ)²)/(j + 1) and cⱼ = (½ + Σ vᵢ)/(j + 1),
    sums over i ≤ j: a martingale at the true mean, which reaches 1/tail with a probability of at
    most ``tail``. So it never misses more often than alpha, whatever the law of independent values
    in [0, 1]. The limits depend on the order of the values, which the values must not decide.

    Waudby-Smith and Ramdas (2024), JRSS B 86, 1–27, section 4.
    """
    m, k = values.shape
    place = np.arange(1.0, k + 1.0)
    centre = (0.5 + np.cumsum(values, axis=1)) / (place + 1.0)
    spread = (0.25 + np.cumsum((values - centre) ** 2, axis=1)) / (place + 1.0)
    before = np.column_stack((np.full(m, 0.25), spread[:, :-1]))
    bets = np.sqrt(-2.0 * math.log(tail) / (k * before))
    goal = -math.log(tail)
    # The capital falls as m rises.
    low, high = np.zeros(m), np.ones(m)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        bet = np.minimum(bets, _LARGEST_BET / np.maximum(middle, 1e-300)[:, np.newaxis])
        capital = np.cumsum(np.log1p(bet * (values - middle[:, np.newaxis])), axis=1)
        out = capital.max(axis=1) >= goal
        low, high = np.where(out, middle, low), np.where(out, high, middle)
    return low


# Step and number of nodes of the trapezoidal rule along a contour that is sinh(v) standard
# deviations from the saddle point: good to 1e-3 for a start, and to 1e-12.
_COARSE, _FINE = (0.25, 20), (0.1, 112)
_BLOCK = 1 << 18


def gaffke(values: Floats, tail: float) -> Floats:
    """The ``tail`` quantile of Σ wᵢ vᵢ + w₀ · 0, with w uniform on the simplex of k + 1 weights.

    It is Clopper and Pearson's limit where the values are 0 or 1, and shorter the less they vary.
    That it never misses more often than alpha, whatever the law of independent values in [0, 1],
    is conjectured, and no counter-example is known.

    With unit exponential variables e, Σ wᵢ aᵢ ≤ t has the probability of Q = Σ eᵢ (aᵢ − t) ≤ 0,

        −1/(2πi) ∫ M(s) ds/s,
        M(s) = ∏ 1/(1 − (aᵢ − t) s),

    along the vertical line through the saddle point on the left of 0.

    Gaffke (2005), Math. Methods Stat. 14, 451–467; Learned-Miller and Thomas (2020),
    arXiv:1905.06208.
    """
    m, k = values.shape
    limits = np.zeros(m)
    rows = np.flatnonzero(values.max(axis=1) > 0.0)
    count = max(_BLOCK // ((k + 1) * _FINE[1]), 1)
    for first in range(0, rows.size, count):
        block = rows[first : first + count]
        limits[block] = _quantiles(np.column_stack((np.zeros(block.size), values[block])), tail)
    return limits


def _quantiles(atoms: Floats, tail: float) -> Floats:
    """The ``tail`` quantiles of sums of atoms with uniform weights, shape (m,).

    Args:
        atoms: shape (m, k + 1), the first of each row 0 and not all 0.
        tail: in (0, 1).
    """
    largest, size = atoms.max(axis=1), atoms.shape[1]
    centre = atoms.mean(axis=1)
    sd = np.sqrt(((atoms - centre[:, np.newaxis]) ** 2).mean(axis=1) / (size + 1.0))
    goal = math.log(tail)

    roots = centre + float(ndtri(tail)) * sd
    roots = np.clip(roots, 0.01 * centre, largest - 0.01 * (largest - centre))
    for rule in (_COARSE, _FINE):

        def log_probability(
            t: Floats, index: Positions, rule: tuple[float, int] = rule
        ) -> tuple[Floats, Floats]:
            log_p, slope = _log_below(atoms[index] - t[:, np.newaxis], *rule)
            return goal - log_p, -slope

        roots = newton_roots(
            log_probability,
            np.zeros(roots.size),
            largest,
            roots,
            "no limit by Gaffke's method at outcome {}",
        )
    return np.asarray(roots)


def _log_below(c: Floats, step: float, nodes: int) -> tuple[Floats, Floats]:
    """ln Pr(Σ eᵢ cᵢ ≤ 0), and its derivative by −1 added to every c, shape (m,) each.

    Args:
        c: shape (m, j); in each row some are below 0, and some above.
        step, nodes: of the trapezoidal rule.
    """
    m = c.shape[0]
    lowest = c.min(axis=1)
    # The saddle point: the minimum of −Σ ln(1 − c s) − ln(−s) between 1/min c and 0.
    s = 0.5 / lowest
    low, high = 1.0 / lowest, np.zeros(m)
    for _ in range(60):
        share = c / (1.0 - c * s[:, np.newaxis])
        slope = share.sum(axis=1) - 1.0 / s
        curvature = (share * share).sum(axis=1) + 1.0 / (s * s)
        low, high = np.where(slope < 0, s, low), np.where(slope > 0, s, high)
        proposed = s - slope / curvature
        inside = (proposed > low) & (proposed < high)
        new = np.where(inside, proposed, 0.5 * (low + high))
        if (np.abs(new - s) <= 1e-10 * np.abs(s)).all():
            break
        s = new
    share = c / (1.0 - c * s[:, np.newaxis])
    square = share * share
    curvature = square.sum(axis=1) + 1.0 / (s * s)
    third = 2.0 * ((square * share).sum(axis=1) - 1.0 / s**3)
    scale = 1.0 / np.sqrt(curvature)
    bend = np.clip(third * scale / (3.0 * curvature), -1.0, 1.0)[:, np.newaxis]
    v = step * np.arange(nodes)
    steps = scale[:, np.newaxis] * (bend * (np.cosh(v) - 1.0) + 1j * np.sinh(v))
    weight = step / math.pi * np.where(v > 0.0, 1.0, 0.5)
    weighted = weight * scale[:, np.newaxis] * (bend * np.sinh(v) + 1j * np.cosh(v))
    line = s[:, np.newaxis] + steps
    # exp(K(s + step) − K(s)), K(s) = −Σ ln(1 − c s).
    factors = 1.0 - share[:, :, np.newaxis] * steps[:, np.newaxis, :]
    grown = weighted * np.exp(-np.log(factors).sum(axis=1))
    probability = (grown / -line).imag.sum(axis=1)
    # d/dt of exp(K) with c = a − t is −s Σ 1/(1 − c s) exp(K).
    moved = (1.0 / ((1.0 - c * s[:, np.newaxis])[:, :, np.newaxis] * factors)).sum(axis=1)
    density = (grown * moved).imag.sum(axis=1)
    peak = -np.log1p(-c * s[:, np.newaxis]).sum(axis=1)
    return np.asarray(peak + np.log(probability)), density / probability
