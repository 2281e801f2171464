"""Wilson's interval of the F1 score: of tp in tp + fp + fn, with which it rises."""

import numpy as np
from scipy.special import ndtri


def of_index(j):
    """F1 at a Jaccard index."""
    return 2 * j / (1 + j)


def f_score(tp, fp, fn, tn, alpha):
    x, n = np.asarray(tp, float), np.asarray(tp + fp + fn, float)
    z = -ndtri(alpha / 2)
    delta = z * np.sqrt(x * (n - x) / np.maximum(n, 1) + z**2 / 4)
    lower, upper = (x + z**2 / 2 - delta) / (n + z**2), (x + z**2 / 2 + delta) / (n + z**2)
    lower, upper = of_index(np.clip(lower, 0, 1)), of_index(np.clip(upper, 0, 1))
    return np.where(n > 0, lower, 0), np.where(n > 0, upper, 1)


f_score.contract = "nominal"
