"""The mean of normal numbers, with Student's t and with a normal quantile in its place.

Data: n numbers of mean 0 and standard deviation 1. Model and methods work on all trials of a batch
at once: the first axis of every array is the trial.
"""

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit


def draw(rng, trials, n):
    """Return numbers, shape (trials, n)."""
    return rng.normal(size=(trials, n))


def student_t(data, alpha):
    """Mean ± t s/√n with n − 1 degrees of freedom, which covers exactly 1 − alpha.

    Student (1908), Biometrika 6:1.
    """
    estimate, se, df = _mean(data)
    half = -stdtrit(df, alpha / 2) * se
    p_value = 2 * stdtr(df, -np.abs(estimate) / se)
    return _answer(estimate, se, half, p_value) | {"df": df}


def normal(data, alpha):
    """Mean ± z s/√n, which covers 1 − 2 Pr(t < −z), with t of n − 1 degrees of freedom."""
    estimate, se, _ = _mean(data)
    half = -ndtri(alpha / 2) * se
    return _answer(estimate, se, half, 2 * ndtr(-np.abs(estimate) / se))


def _mean(data):
    """The mean, its standard error s/√n and the degrees of freedom of s."""
    n = data.shape[1]
    return data.mean(axis=1), data.std(axis=1, ddof=1) / np.sqrt(n), n - 1


def _answer(estimate, se, half, p_value):
    limits = {"lower": estimate - half, "upper": estimate + half}
    return {"estimate": estimate, "se": se, **limits, "p_value": p_value}
