"""The mid-P interval of a proportion by bisection, one outcome at a time."""

from math import exp, log, log1p

import numpy as np
from scipy.special import bdtrc


def lower_limit(x, n, tail):
    """The p at which more than x, and half of x itself, have probability ``tail``."""
    if x == 0:
        return 0.0
    ways = float(np.sum(np.log(np.arange(n - x + 1, n + 1) / np.arange(1, x + 1))))
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        half = exp(ways + x * log(middle) + (n - x) * log1p(-middle)) / 2
        above = float(bdtrc(x, n, middle)) + half
        low, high = (middle, high) if above < tail else (low, middle)
    return low


def mid_p(x, n, alpha):
    x, n = int(x), int(n)
    tail = alpha / 2
    return lower_limit(x, n, tail), 1.0 - lower_limit(n - x, n, tail)


mid_p.contract = "approximate"
