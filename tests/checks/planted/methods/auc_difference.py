"""DeLong's interval of the difference of two areas under ROC curves of the same cases."""

import numpy as np
from scipy.special import ndtri


def spread(values):
    """The variance of the mean of the last axis; of one value 0."""
    size = values.shape[-1]
    return values.var(axis=-1, ddof=min(1, size - 1)) / size


def parts(positives, negatives):
    """The area, and what each positive and each negative contributes to it."""
    a, b = (np.asarray(each, float) for each in (positives, negatives))
    wins = (a[..., :, None] > b[..., None, :]) + 0.5 * (a[..., :, None] == b[..., None, :])
    return wins.mean(axis=(-1, -2)), wins.mean(axis=-1), wins.mean(axis=-2)


def auc_difference(positives1, negatives1, positives2, negatives2, alpha):
    first, second = parts(positives1, negatives1), parts(positives2, negatives2)
    of_a, of_b = first[1] - second[1], first[2] - second[2]
    variance = spread(of_a) + spread(of_b)
    delta = -ndtri(alpha / 2) * np.sqrt(variance)
    difference = first[0] - second[0]
    return np.clip(difference - delta, -1, 1), np.clip(difference + delta, -1, 1)


auc_difference.contract = "approximate"
auc_difference.expected_failures = {"has width": "of no width where both rank the cases alike"}
