"""The median of log-normal times, by order statistics and by two kinds of bootstrap."""

import numpy as np
from scipy.stats import binom, bootstrap

RESAMPLES = 999
"""Of each interval, two of them in each trial."""


def draw(rng, n, mu, sigma):
    """Return n times, whose logarithms are normal with mean mu and standard deviation sigma."""
    return rng.lognormal(mu, sigma, size=n)


def true_median(n, mu, sigma):
    """The median of the log-normal distribution, exp(mu)."""
    return np.exp(mu)


def order_statistics(data, alpha):
    """The j-th smallest and the j-th largest time.

    j is the largest with Pr(X ≤ j − 1) ≤ alpha/2, where X, the number of times below the median, is
    binomial with n and ½. The coverage is 1 − 2 Pr(X ≤ j − 1) for every continuous distribution.

    Conover (1999), Practical Nonparametric Statistics, section 3.2.
    """
    n = len(data)
    j = int(np.count_nonzero(binom.cdf(np.arange(n), n, 0.5) <= alpha / 2))
    if j == 0:
        raise ValueError(f"no interval of {n} order statistics has a coverage of {1 - alpha:g}")
    times = np.sort(data)
    return np.median(times), times[j - 1], times[n - j]


def percentile(data, alpha, rng):
    """Quantiles alpha/2 and 1 − alpha/2 of the medians of resamples.

    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
    """
    return _bootstrap(data, alpha, rng, "percentile")


def bca(data, alpha, rng):
    """Quantiles of the medians of resamples, with a correction of bias and acceleration.

    Efron (1987), Journal of the American Statistical Association 82:171.
    """
    return _bootstrap(data, alpha, rng, "BCa")


def _bootstrap(data, alpha, rng, method):
    found = bootstrap(
        (data,),
        np.median,
        confidence_level=1 - alpha,
        n_resamples=RESAMPLES,
        method=method,
        rng=rng,
    )
    limits = found.confidence_interval
    return np.median(data), limits.low, limits.high
