"""The delta method for informedness on Fisher's scale, with half a case more in each cell."""

import numpy as np
from scipy.special import ndtri


def informedness(tp, fp, fn, tn, alpha):
    tp, fp, fn, tn = (np.asarray(each, float) + 0.5 for each in (tp, fp, fn, tn))
    s, c = tp / (tp + fn), tn / (tn + fp)
    t = s + c - 1
    variance = s * (1 - s) / (tp + fn) + c * (1 - c) / (tn + fp)
    delta = -ndtri(alpha / 2) * np.sqrt(variance) / (1 - t**2)
    return np.tanh(np.arctanh(t) - delta), np.tanh(np.arctanh(t) + delta)


informedness.contract = "approximate"
informedness.expected_failures = {
    "is monotone": "a case more makes its class larger too",
    "holds the estimate": "half a case more in each cell moves it",
}
