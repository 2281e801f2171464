"""Wald intervals with successes and failures added to the data."""

from __future__ import annotations

from scipy.special import ndtri

from harness.methods.method import Limits
from harness.methods.mirrored import mirrored
from harness.methods.wald import wald
from harness.numerics.arrays import Floats


@mirrored
def add_four(data: tuple[Floats, ...], tail: float) -> Limits:
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
def agresti_coull(data: tuple[Floats, ...], tail: float) -> Limits:
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
