"""The interval from an Edgeworth expansion of the coverage, in closed form."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.methods.method import Limits
from harness.methods.mirrored import mirrored
from harness.numerics.arrays import Floats


@mirrored
def second_order(data: tuple[Floats, ...], tail: float) -> Limits:
    """(x + η)/(n + 2η) ± z √((V + (γ₁V + γ₂)/n)/n), clipped to [0, 1], V = p̂(1 − p̂).

    η = z²/3 + 1/6, γ₁ = −(13z²/18 + 17/18), γ₂ = z²/18 + 7/36, and z is the upper ``tail`` point of
    the standard normal. They take the first two terms out of the expansion of the one-sided
    coverage, whose mean is close to nominal on each side. At x = 0 and x = n the interval need not
    hold x/n, and misses the truths next to 0 and 1. Where z² is large beside n the radicand may be
    negative; the expansion then says nothing, and each limit is an end of the range.

    Cai (2005), J. Stat. Plan. Inference 131, 63–88.
    """
    x, n = data
    z = -float(ndtri(tail))
    eta = z * z / 3 + 1 / 6
    gamma_1 = -(13 * z * z / 18 + 17 / 18)
    gamma_2 = z * z / 18 + 7 / 36
    variance = x / n * ((n - x) / n)
    radicand = (variance + (gamma_1 * variance + gamma_2) / n) / n
    centre, delta = (x + eta) / (n + 2 * eta), z * np.sqrt(np.maximum(radicand, 0.0))
    known = radicand >= 0
    lower = np.where(known, np.clip(centre - delta, 0.0, 1.0), 0.0)
    return lower, np.where(known, np.clip(centre + delta, 0.0, 1.0), 1.0)
