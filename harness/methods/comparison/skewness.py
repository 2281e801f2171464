"""The score statistic corrected for skewness, and the root of a statistic along a scale.

A quantity that depends on the place on a scale is a pair: its values and its derivatives.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from harness.base.numerics.arrays import Floats, Positions
from harness.base.numerics.root_finding import newton_roots

# Of a statistic that does not change any more between doubles.
_LEAST_SLOPE = 1e-18

Derived = tuple[Floats, Floats]
"""Values and derivatives, shape (m,) each."""


def skewness_term(third: Derived, variance: Derived) -> Derived:
    """k = μ₃/(6V^{3/2}) of the third central moment μ₃ and the variance V of a contrast."""
    (moment, moment_slope), (spread, spread_slope) = third, variance
    scale = 6.0 * spread * np.sqrt(spread)
    return moment / scale, (moment_slope - 1.5 * moment * (spread_slope / spread)) / scale


def corrected(statistic: Derived, skewness: Derived) -> Derived:
    """The root z of T = z + (z² − 1)k that is T at k = 0: 2(T + k)/(1 + √(1 + 4k(T + k))).

    Its other root makes T − (z² − 1)k = z true at parameters next to a variance of 0 that the test
    does not reject. Where neither is real the root has the value at which both are one.

    Laud (2017), Pharm. Stat. 16, 334–348, equation 4 and appendix A.

    Args:
        statistic: T = S/√V, the score S over its standard deviation.
        skewness: k, the ``skewness_term`` of S.
    """
    (t, t_slope), (k, k_slope) = statistic, skewness
    root = np.sqrt(np.maximum(1.0 + 4.0 * k * (t + k), 0.0))
    z = 2.0 * (t + k) / (1.0 + root)
    with np.errstate(divide="ignore", invalid="ignore"):
        return z, (t_slope + (1.0 - z * z) * k_slope) / root


def relative_excess(score: Derived, skewness: Derived, z: float) -> Derived:
    """How far the corrected score is above z ≥ 0, relative to its terms; at a root its derivative.

    With negative skewness the corrected score is the smaller root of a quadratic equation, which is
    at most 1/(2|k|): where z is above that, the score is above z only where no root exists.

    Args:
        score: T, which is not corrected.
        skewness: k, the ``skewness_term`` of T.
        z: what the corrected score is compared with.
    """
    (t, t_slope), (k, k_slope) = score, skewness
    reached = np.where(k < 0, np.minimum(z, -0.5 / k), z)
    correction = (reached * reached - 1.0) * k
    scale = np.abs(t) + np.abs(correction) + reached
    slope = t_slope - (reached * reached - 1.0) * k_slope
    bent = 0.5 * k_slope / k / k * (1.0 + 2.0 * reached * k)
    slope -= np.where(reached < z, bent, 0.0)
    return (t - correction - reached) / scale, slope / scale


def place_of(
    statistic: Callable[[Floats, Positions], Derived],
    z: float,
    low: Floats,
    high: Floats,
    start: Floats,
) -> Floats:
    """The places on a scale where statistics that rise along it are ``z``; an end if none is.

    Args:
        statistic: ``(place, index) -> (value, derivative)`` of the statistics ``index``.
        z: the value sought.
        low, high: the ends of the scale, shape (m,).
        start: first guesses, shape (m,).

    Raises:
        IntervalNotFoundError: the iteration did not end.
    """

    def shortfall(place: Floats, index: Positions) -> Derived:
        value, slope = statistic(place, index)
        # Far out a statistic is exponential in the place, and its arcsinh linear; or it is nearly
        # constant there, and what is small enough is the step.
        slope = slope / np.hypot(1.0, value)
        scale = np.clip(np.abs(slope), _LEAST_SLOPE, 1.0)
        return (np.arcsinh(z) - np.arcsinh(value)) / scale, -slope / scale

    return newton_roots(shortfall, low, high, start, "no root of the score equation")
