"""Wilson's interval of a recall, given tp + fn."""

import numpy as np
from scipy.special import ndtri


def recall(tp, fp, fn, tn, alpha):
    tp, fp, fn, tn = (np.asarray(each, float) for each in (tp, fp, fn, tn))
    x, n = tp, tp + fn
    z, known = -ndtri(alpha / 2), np.maximum(n, 1)
    centre, delta = x + z**2 / 2, z * np.sqrt(x * (n - x) / known + z**2 / 4)
    lower, upper = (centre - delta) / (n + z**2), (centre + delta) / (n + z**2)
    lower, upper = np.clip(lower, 0, 1), np.clip(upper, 0, 1)
    return np.where(n > 0, lower, 0), np.where(n > 0, upper, 1)


recall.contract = "nominal"
