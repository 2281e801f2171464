"""DeLong's interval of an area under the ROC curve on the logit scale."""

import numpy as np
from scipy.special import ndtri


def spread(values):
    """The variance of the mean of the last axis; of one value 0."""
    size = values.shape[-1]
    return values.var(axis=-1, ddof=min(1, size - 1)) / size


def auc(positives, negatives, alpha):
    a, b = (np.asarray(each, float) for each in (positives, negatives))
    a, b = a[..., :, None], b[..., None, :]
    wins = (a > b) + 0.5 * (a == b)
    t = wins.mean(axis=(-1, -2))
    of_a, of_b = wins.mean(axis=-1), wins.mean(axis=-2)
    variance = spread(of_a) + spread(of_b)
    inside = (t > 0) & (t < 1)
    s = np.where(inside, t, 0.5)
    factor = np.exp(-ndtri(alpha / 2) * np.sqrt(variance) / (s * (1 - s)))
    lower, upper = s / (s + (1 - s) * factor), s * factor / (s * factor + 1 - s)
    return np.where(inside, lower, 0), np.where(inside, upper, 1)


auc.contract = "approximate"
auc.expected_failures = {"has width": "of no width where all of a class count alike"}
