"""The difference of the means of two groups of normal numbers, by the test of Welch and by z.

Data: n numbers of each group, with means that differ by delta, and standard deviations 1 and sd.
Model and methods work on all trials of a batch at once: the first axis of every array is the trial.
"""

import numpy as np
from scipy.special import ndtr, stdtr, stdtrit


def draw(rng, trials, n, delta, sd):
    """Return the numbers of both groups, shape (trials, n) each."""
    return rng.normal(delta, 1, (trials, n)), rng.normal(0, sd, (trials, n))


def welch(data, alpha):
    """Student's t with the degrees of freedom of Welch (1947), Biometrika 34:28."""
    estimate, first, second = _difference(data)
    n = data[0].shape[1]
    df = (n - 1) * (first + second) ** 2 / (first**2 + second**2)
    se = np.sqrt(first + second)
    half = -stdtrit(df, alpha / 2) * se
    p_value = 2 * stdtr(df, -np.abs(estimate) / se)
    limits = {"lower": estimate - half, "upper": estimate + half}
    return {"estimate": estimate, "se": se, "df": df, "p_value": p_value, **limits}


def z(data, alpha):
    """The difference ± z se, with a normal quantile in place of Student's."""
    estimate, first, second = _difference(data)
    se = np.sqrt(first + second)
    return {"estimate": estimate, "se": se, "p_value": 2 * ndtr(-np.abs(estimate) / se)}


def _difference(data):
    """The difference of the means, and the squared standard error of each mean."""
    first, second = data
    squared = (each.var(axis=1, ddof=1) / each.shape[1] for each in data)
    return first.mean(axis=1) - second.mean(axis=1), *squared
