"""Clopper and Pearson's interval of a Jaccard index, given tp + fp + fn."""

import numpy as np
from scipy.special import betainccinv, betaincinv


def jaccard(tp, fp, fn, tn, alpha):
    x, n = np.asarray(tp, float), np.asarray(tp + fp + fn, float)
    few, many = np.maximum(x, 1), np.minimum(x, n - 1)
    lower = betaincinv(few, n - few + 1, alpha / 2)
    upper = betainccinv(many + 1, np.maximum(n - many, 1), alpha / 2)
    return np.where(x > 0, lower, 0), np.where(x < n, upper, 1)


jaccard.contract = "at-least"
