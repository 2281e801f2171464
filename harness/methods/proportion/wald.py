"""Intervals from a normal distribution, or Student's, about the estimate."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri, stdtrit

from harness.base.numerics.arrays import Floats
from harness.methods.method import LimitPair
from harness.methods.proportion.boundary import mirrored


def wald(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """p̂ ± z √(p̂(1 − p̂)/n), clipped to [0, 1], with p̂ = x/n.

    z is the upper ``tail`` point of the standard normal. Of no width at x = 0 and x = n, where
    it misses with certainty, and too short for most small n.

    Ross (2003), section 4, method 6; Laplace (1812).
    """
    x, n = data
    return _about_estimate(data, -float(ndtri(tail)) * np.sqrt(x / n * ((n - x) / n) / n))


def wald_cc(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """p̂ ± (z √(p̂(1 − p̂)/n) + 1/(2n)), clipped to [0, 1].

    z is the upper ``tail`` point of the standard normal. The continuity correction gives it a
    width everywhere; at x = 0 and x = n that width does not depend on the tail.

    Newcombe (1998), Stat. Med. 17, 857–872, method 2.
    """
    x, n = data
    deviation = np.sqrt(x / n * ((n - x) / n) / n)
    return _about_estimate(data, -float(ndtri(tail)) * deviation + 0.5 / n)


def wald_t(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """p̂ ± t √(p̂(1 − p̂)/(n − 1)), clipped to [0, 1]; the whole range at n = 1.

    t is the upper ``tail`` point of Student's distribution with n − 1 degrees of freedom: the t
    interval of the mean of n zeros and ones. Of no width at x = 0 and x = n from n = 2 on. The
    Wald-t interval of Pan (2002), Comput. Stat. Data Anal. 40, 143–157, is another one: it keeps
    n under the root and takes its degrees of freedom from x.

    Student (1908), Biometrika 6, 1–25.
    """
    x, n = data
    alone = n == 1
    freedom = np.where(alone, 1.0, n - 1.0)
    quantile = np.asarray(stdtrit(freedom, tail), np.float64)
    delta = -quantile * np.sqrt(x / n * ((n - x) / n) / freedom)
    lower, upper = _about_estimate(data, delta)
    return np.where(alone, 0.0, lower), np.where(alone, 1.0, upper)


def _about_estimate(data: tuple[Floats, ...], delta: Floats) -> LimitPair:
    x, n = data
    return np.clip(x / n - delta, 0.0, 1.0), np.clip(x / n + delta, 0.0, 1.0)


@mirrored
def add_four(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """Wald with two successes and two failures added: p̃ ± z √(p̃(1 − p̃)/(n + 4)), clipped.

    p̃ = (x + 2)/(n + 4), and z is the upper ``tail`` point of the standard normal. Two is z²/2 at
    alpha = 0.05, rounded, and stays two at any other alpha. Mostly conservative next to 0 and 1;
    centred nearer to one half than x/n, which it need not hold at a large alpha. R's PropCIs calls
    it add-4, and contingencytables calls it Agresti-Coull.

    Agresti and Coull (1998), Am. Stat. 52, 119–126.
    """
    x, n = data
    return wald((x + 2.0, n + 4.0), tail)


@mirrored
def agresti_coull(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """Wald with z²/2 successes and failures added: p̃ ± z √(p̃(1 − p̃)/(n + z²)), clipped.

    p̃ = (x + z²/2)/(n + z²), the centre of the Wilson interval, which it always holds; z is the
    upper ``tail`` point of the standard normal. Mostly conservative next to 0 and 1. This is the
    form that R's binom, DescTools and statsmodels call Agresti-Coull; in contingencytables that
    name stands for ``add_four``.

    Agresti and Coull (1998), Am. Stat. 52, 119–126; Brown, Cai and DasGupta (2001), Stat. Sci. 16,
    101–133, section 3.
    """
    x, n = data
    square = float(ndtri(tail)) ** 2
    return wald((x + square / 2, n + square), tail)
