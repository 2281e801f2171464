"""A right interval, Wilson's, and the same with one mistake each."""

from __future__ import annotations

RIGHT = """
import numpy as np
from scipy.special import ndtri

def f(x, n, alpha):
    z = -ndtri(alpha / 2)
    delta = z * np.sqrt(x * (n - x) / n + z * z / 4)
    lower = (x + z * z / 2 - delta) / (n + z * z)
    upper = (x + z * z / 2 + delta) / (n + z * z)
    return np.clip(lower, 0, 1), np.clip(upper, 0, 1)
"""
"""For arrays and numbers alike."""

_RETURN = "    return np.clip(lower, 0, 1), np.clip(upper, 0, 1)\n"
_BEGIN = "def f(x, n, alpha):\n"

WALD = """
import numpy as np
from scipy.special import ndtri

def f(x, n, alpha):
    delta = -ndtri(alpha / 2) * np.sqrt(x * (n - x) / n) / n
    return x / n - delta, x / n + delta
"""

CHANGES = {
    "swapped limits": (_RETURN, "    return np.clip(upper, 0, 1), np.clip(lower, 0, 1)\n"),
    "one-sided quantile": ("alpha / 2", "np.minimum(alpha, 0.499)"),
    "wrong end point at x = 0": (_RETURN, "    return lower + 0.02 * (x == 0), upper\n"),
    "off by one in x": (_BEGIN, _BEGIN + "    x = np.minimum(x + 1, n)\n"),
    "alpha used as coverage": ("alpha / 2", "(1 - alpha) / 2"),
    "float32 limits": (_RETURN, "    return np.float32(lower), np.float32(upper)\n"),
    "in-place change of x": (
        _BEGIN,
        _BEGIN + "    successes = x + 0\n    x *= 1 if np.ndim(x) == 0 else 2\n    x = successes\n",
    ),
    "seeding numpy's global state": (_BEGIN, _BEGIN + "    np.random.seed(1)\n"),
    "a NaN at one outcome": (
        _RETURN,
        "    return np.where((x == 3) & (n == 10), np.nan, lower), upper\n",
    ),
    "not nested": (
        _RETURN,
        "    wide = 0.05 < alpha < 0.8\n    return lower * (not wide), upper ** (not wide)\n",
    ),
    "worse at one n only": (
        _RETURN,
        "    return lower - 1e-4 * lower * (n == 17), upper + 1e-4 * (1 - upper) * (n == 17)\n",
    ),
}

FAULTS = {
    **{name: RIGHT.replace(*change) for name, change in CHANGES.items()},
    "missing clip": WALD,
}

FOUND_BY = {
    "swapped limits": "is ordered",
    "one-sided quantile": "mean alpha error",
    "missing clip": "stays in range",
    "wrong end point at x = 0": "holds the estimate",
    "off by one in x": "mirrors",
    "alpha used as coverage": "is nested in alpha",
    "float32 limits": "has double precision",
    "in-place change of x": "leaves its arguments alone",
    "seeding numpy's global state": "leaves random states alone",
    "a NaN at one outcome": "is finite",
    "not nested": "is nested in alpha",
    "worse at one n only": "against wilson: length",
}
"""The check whose job each is."""
