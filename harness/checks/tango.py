"""Tango's score interval for the difference of two proportions of the same trials."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.checks.records import FAIL, INCONCLUSIVE, PASS, Verdict
from harness.checks.trials import smallest_number
from harness.errors import IntervalNotFoundError
from harness.numerics.arrays import Floats, Positions
from harness.numerics.newton import bracketed_newton

ALPHA = 0.05
"""Of the two-sided interval by which a difference is judged."""


def paired_interval(b: Floats, c: Floats, n: Floats, alpha: float = ALPHA) -> tuple[Floats, Floats]:
    """All δ with |d − δ| ≤ z √(V(δ)/n), where d = (b − c)/n and V = 2q + δ(1 − δ).

    q is the most likely probability of a trial of the second kind where the first is more
    probable by δ: the larger root of 2n q² + (c(δ − 1) − b(δ + 1) + 2nδ) q − cδ(1 − δ) = 0. It
    does not degenerate without discordant trials: the limits are then ±z²/(n + z²).

    Tango (1998), Stat. Med. 17, 891–908.

    Args:
        b, c: trials of which only the first, or only the second, is a success; shape (m,).
        n: all trials, discordant or not.
        alpha: left outside, half of it on either side.
    """
    return -_upper(c, b, n, alpha), _upper(b, c, n, alpha)


def _upper(b: Floats, c: Floats, n: Floats, alpha: float) -> Floats:
    """The root of z² V(δ)/n = (δ − d)² above d; 1 where d is 1."""
    estimate, z = (b - c) / n, -float(ndtri(alpha / 2))
    upper = np.ones_like(estimate)
    open_ = np.flatnonzero(estimate < 1)
    b, c, n, d = b[open_], c[open_], n[open_], estimate[open_]

    def excess(delta: Floats, index: Positions) -> tuple[Floats, Floats]:
        variance, slope = _variance(b[index], c[index], n[index], delta)
        distance = delta - d[index]
        with np.errstate(divide="ignore", invalid="ignore"):
            value = np.log(z * z * variance / n[index]) - 2.0 * np.log(distance)
            return value, slope / variance - 2.0 / distance

    start = d + z * np.sqrt(np.maximum((b + c) / n - d * d, 0.0) / n) + z * z / n
    upper[open_], reached = bracketed_newton(excess, d, np.ones_like(d), start)
    if not reached.all():
        raise IntervalNotFoundError("no root of the paired score equation")
    return upper


def _variance(b: Floats, c: Floats, n: Floats, delta: Floats) -> tuple[Floats, Floats]:
    """V(δ) and its derivative."""
    linear = c * (delta - 1.0) - b * (delta + 1.0) + 2.0 * n * delta
    product = c * delta * (1.0 - delta)
    root = np.sqrt(np.maximum(linear * linear + 8.0 * n * product, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        # Of the two forms of the larger root the one whose terms have one sign.
        q = np.where(linear > 0, 2.0 * product / (root + linear), (root - linear) / (4.0 * n))
        fall = ((c - b + 2.0 * n) * q - c * (1.0 - 2.0 * delta)) / root
    return 2.0 * q + delta * (1.0 - delta), 1.0 - 2.0 * delta - 2.0 * fall


def verdict(b: Floats, c: Floats, n: Floats, margin: Floats, alpha: float = ALPHA) -> list[Verdict]:
    """Whether the first proportion exceeds the second by the margin at most, for each entry.

    pass: the whole interval lies within the margin; fail: all of it beyond.
    """
    lower, upper = paired_interval(b, c, n, alpha)
    return [
        PASS if high <= most else FAIL if low > most else INCONCLUSIVE
        for low, high, most in zip(lower, upper, margin, strict=True)
    ]


def trials_to_conclude(b: int, c: int, n: int, margin: float, alpha: float = ALPHA) -> int | None:
    """How many trials end with pass or fail if the fractions stay as they are; None: no number."""

    def concludes(trials: int) -> bool:
        first, second = b * (trials / n), c * (trials / n)
        row = np.array([[first], [second], [trials], [margin]], np.float64)
        return verdict(row[0], row[1], row[2], row[3], alpha) != [INCONCLUSIVE]

    return smallest_number(concludes, n)
