"""The score interval of a rate by bisection, one outcome at a time."""

from math import sqrt

from scipy.special import ndtri


def crossing(x, z, inside, outside):
    """The expected count between these two at which the score is z."""
    for _ in range(100):
        middle = (inside + outside) / 2
        if (x - middle) ** 2 <= z * z * middle:
            inside = middle
        else:
            outside = middle
    return inside


def rate_score(x, exposure, alpha):
    x, exposure = float(x), float(exposure)
    z = -ndtri(alpha / 2)
    lower = crossing(x, z, x, 0.0)
    upper = crossing(x, z, x, x + 4 * z * sqrt(x) + 4 * z * z)
    return lower / exposure, upper / exposure


rate_score.contract = "nominal"
