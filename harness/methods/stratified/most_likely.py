"""The most likely proportions of two samples with a given difference, in closed form.

Samples are seen from the end of the range of the difference at which both rates are 0: the first
one's rate u of successes and the second one's rate w of failures add up to ε, the distance from
that end. At the most likely u and w the slopes of both likelihoods are equal:

    (x − nu)/(u(1 − u)) = (y − mw)/(w(1 − w)),    u + w = ε,

with x of n successes in the first and y of m failures in the second sample. For ε ≤ 1 that is a
cubic equation in w of which one root is below 0, one above ε and one between them. For ε > 1 both
samples are turned round.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from harness.numerics.arrays import Floats

# The middle root from trigonometric functions has an error of about 2^-52/ε; steps of Laguerre's
# method, which is cubic and converges from anywhere between the other roots, remove it.
_STEPS = 1


class Rates(NamedTuple):
    """u and w, and the derivative of u in ε; that of w is one less it."""

    first: Floats
    second: Floats
    first_slope: Floats


def most_likely(x: Floats, n: Floats, y: Floats, m: Floats, distance: Floats) -> Rates:
    """Return the most likely rates u and w = ε − u.

    Args:
        x, n: successes of n in the first sample, n ≥ 1, arrays of one shape.
        y, m: failures of m in the second sample, m ≥ 1, likewise.
        distance: ε in [0, 1], likewise.
    """
    # The smaller rate is solved for, as its digits would be lost in ε less the larger one.
    half = 0.5 * distance
    is_larger = y - m * half > x - n * half
    large_x, large_n = np.where(is_larger, (y, m), (x, n))
    small_x, small_n = np.where(is_larger, (x, n), (y, m))
    share = _share(large_x, large_n, small_x, small_n, distance)
    rates = distance * (1.0 - share), distance * share
    large, small = _improved(large_x, large_n, small_x, small_n, *rates)
    first, second = np.where(is_larger, (small, large), (large, small))
    at_0, other = x == 0, (y == 0) & (x > 0)
    if at_0.any():
        here = (column[at_0] for column in (n, y, m, distance))
        second[at_0] = _without_successes(*here)
        first[at_0] = distance[at_0] - second[at_0]
    if other.any():
        here = (column[other] for column in (m, x, n, distance))
        first[other] = _without_successes(*here)
        second[other] = distance[other] - first[other]
    return Rates(first, second, _slope(x, n, y, m, first, second))


def _share(x: Floats, n: Floats, y: Floats, m: Floats, distance: Floats) -> Floats:
    """w/ε ≤ ½ for x, y > 0: the middle root of a cubic polynomial, of which all roots are real."""
    e, rest = distance, 1.0 - distance
    c3 = (m + n) * e * e
    c2 = e * ((m - y) - (n - x) - (2.0 * m + n) * e)
    c1 = (n - x) * e - x * rest + y * (e - rest) - m * e * rest
    c0 = y * rest
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        centre = c2 / (-3.0 * c3)
        spread = np.sqrt(np.maximum(centre * centre - c1 / (3.0 * c3), 0.0))
        # The polynomial at the centre, relative to the turning points' height above it.
        height = ((centre * c3 + c2) * centre + c1) * centre + c0
        turn = np.arcsin(np.clip(height / (2.0 * c3 * spread * spread * spread), -1.0, 1.0))
        share = centre + 2.0 * spread * np.sin(turn / 3.0)
    share = np.where(np.isfinite(share), np.clip(share, 0.0, 0.5), 0.25)
    for _ in range(_STEPS):
        value = ((c3 * share + c2) * share + c1) * share + c0
        slope = (3.0 * c3 * share + 2.0 * c2) * share + c1
        bend = 6.0 * c3 * share + 2.0 * c2
        root = np.sqrt(np.maximum(4.0 * slope * slope - 6.0 * value * bend, 0.0))
        # The polynomial falls through the middle root.
        with np.errstate(divide="ignore", invalid="ignore"):
            step = 3.0 * value / (root - slope)
        share = np.clip(share + np.where(np.isfinite(step), step, 0.0), 0.0, 0.5)
    return share


def _improved(
    x: Floats, n: Floats, y: Floats, m: Floats, u: Floats, w: Floats
) -> tuple[Floats, Floats]:
    """u and w after a step of Newton's method, in which the smaller one keeps its digits."""
    p, q, above, below = 1.0 - u, 1.0 - w, y - m * w, x - n * u
    value = above * u * p - below * w * q
    fall = m * u * p + above * (p - u) + n * w * q + below * (q - w)
    with np.errstate(divide="ignore", invalid="ignore"):
        step = value / fall
    step = np.where(np.isfinite(step), np.clip(step, -w, u), 0.0)
    return u - step, w + step


def _without_successes(n: Floats, y: Floats, m: Floats, distance: Floats) -> Floats:
    """w at x = 0: the root of (n + m)w² − (n + y − m(1 − ε))w − y(1 − ε), at most ε."""
    total, rest = n + m, y * (1.0 - distance)
    middle = (n - m) + (y + m * distance)
    root = np.sqrt(middle * middle + 4.0 * total * rest)
    with np.errstate(divide="ignore", invalid="ignore"):
        falling = np.where(rest > 0, 2.0 * rest / (root - middle), 0.0)
    return np.minimum(np.where(middle > 0, (middle + root) / (2.0 * total), falling), distance)


def _slope(x: Floats, n: Floats, y: Floats, m: Floats, u: Floats, w: Floats) -> Floats:
    """du/dε = b/(a + b), with −a and −b the second derivatives of the likelihoods."""
    p, q = 1.0 - u, 1.0 - w
    a = (x * p * p + (n - x) * u * u) * (w * q) ** 2
    b = (y * q * q + (m - y) * w * w) * (u * p) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = b / (a + b)
    return np.where(u == 0, 0.0, np.where((w == 0) | (p == 0), 1.0, slope))
