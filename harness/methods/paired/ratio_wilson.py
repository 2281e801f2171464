"""The interval for the ratio of two paired proportions from Wilson limits at a common level."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Floats
from harness.methods.method import LimitPair
from harness.methods.paired.tables import Pairs, of_ratio


def bonett_price(data: tuple[Floats, ...], tail: float) -> LimitPair:
    """l₁/u₂ and u₁/l₂, with the Wilson limits of x₁ and of x₂ among the s pairs with a success.

    They are at z' = z √((b + c + 2)/(y₁y₂)) / (√((c + 1)/((s + 2)y₁)) + √((b + 1)/((s + 2)y₂))),
    y = x + 1, such that the logarithm of l₁/u₂ is about z standard errors from that of x₁/x₂. The
    pairs in which neither is a success have no influence. It has a width in every table.

    Bonett and Price (2006), Stat. Med. 25, 3039–3047.
    """
    return of_ratio(_lower, data, tail)


def _lower(pairs: Pairs, tail: float) -> Floats:
    b, c = pairs.first_only, pairs.second_only
    total = pairs.both + (b + c)
    y1, y2 = pairs.x1 + 1.0, pairs.x2 + 1.0
    parts = np.sqrt((c + 1.0) / (total + 2.0) / y1) + np.sqrt((b + 1.0) / (total + 2.0) / y2)
    z = -float(ndtri(tail)) * np.sqrt((b + c + 2.0) / y1 / y2) / parts
    root_1 = np.sqrt(z * z + 4.0 * pairs.x1 * (c / total))
    root_2 = np.sqrt(z * z + 4.0 * pairs.x2 * (b / total))
    first = 4.0 * pairs.x1 * (pairs.x1 / total) / (2.0 * pairs.x1 + z * z + z * root_1)
    second = (2.0 * pairs.x2 + z * z + z * root_2) / (total + z * z)
    with np.errstate(divide="ignore"):
        return np.asarray(first / second)
