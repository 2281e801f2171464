"""Estimators of the variance of normal values, and a measure of their medians."""

import numpy as np
from scipy.stats import chi2


def draw(rng, trials, n, sigma2):
    """Normal values, shape (trials, n)."""
    return rng.normal(0, np.sqrt(sigma2), (trials, n))


def unbiased(data, alpha):
    """The usual variance, with the interval of the chi-squared law."""
    return interval(data, alpha, data.shape[1] - 1)


def largest_likelihood(data, alpha):
    """The sum of squares over n."""
    return interval(data, alpha, data.shape[1])


def median_unbiased(data, alpha):
    """The sum of squares over its median at a variance of 1."""
    return interval(data, alpha, chi2.median(data.shape[1] - 1))


def interval(data, alpha, divisor):
    squares = data.var(axis=1) * data.shape[1]
    upper, lower = chi2.ppf([alpha / 2, 1 - alpha / 2], data.shape[1] - 1)
    return {"estimate": squares / divisor, "lower": squares / lower, "upper": squares / upper}


def median_bias(trials, alpha):
    """The median of the estimates less the true value."""
    return np.median(trials["estimate"]) - trials["truth"][0]
