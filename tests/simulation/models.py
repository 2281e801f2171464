"""Models and methods of small simulation studies, in a file that loads quickly."""

import os
import sys
import time

import numpy as np

Z, T4 = 1.959963984540054, 2.7764451051977987
"""Quantiles at 0.975, of the normal and of the t distribution with 4 degrees of freedom."""


def normal(rng, n):
    return rng.normal(size=n)


def normals(rng, trials, n):
    return rng.normal(size=(trials, n))


def scaled(rng, n, scale):
    return rng.normal(size=n) * scale


def exponential(rng, n):
    return rng.exponential(size=n)


def _mean(data, quantile):
    mean, se = data.mean(axis=-1), data.std(axis=-1, ddof=1) / np.sqrt(data.shape[-1])
    return {
        "estimate": mean,
        "se": se,
        "lower": mean - quantile * se,
        "upper": mean + quantile * se,
    }


def t(data, alpha):
    return _mean(data, T4)


def z(data, alpha):
    return _mean(data, Z)


def z_of_some(data, alpha):
    if data.shape[-1] < 20:
        raise ValueError("too few values")
    return _mean(data, Z)


def wald_of_exponential(data, alpha):
    mean = float(data.mean())
    half = Z * mean / len(data) ** 0.5
    return mean, mean - half, mean + half


def drawing(data, alpha, rng):
    return float(rng.normal()), -1.0, 1.0


def raising(data, alpha):
    if data[0] > 2:
        raise ValueError("a large first value")
    return t(data, alpha)


def hanging(data, alpha):
    if data[0] > 2:
        time.sleep(60)
    return t(data, alpha)


def always_hanging(data, alpha):
    time.sleep(60)


def leaving(data, alpha):
    if data[0] > 2:
        os._exit(7)
    return t(data, alpha)


def printing(data, alpha):
    if data[0] > 2:
        sys.stdout.write("x" * 10_000_000)
    return t(data, alpha)


def nan(data, alpha):
    return (float("nan"), 1.0) if data[0] > 2 else t(data, alpha)


def text(data, alpha):
    return "low", "high"


def four(data, alpha):
    return 1.0, 2.0, 3.0, 4.0


def reversed_limits(data, alpha):
    return 1.0, 0.0


def unconverged(data, alpha):
    return {"estimate": 1.0, "converged": False}


def changing(data, alpha):
    data.sort()
    return t(data, alpha)


def falling_back(data, alpha):
    try:
        data -= data.mean()
    except ValueError:
        return 0.0, 0.0
    return -1.0, 1.0


def clipping(data, alpha):
    if data[0] > 2:
        data[0] = 2.0
    return t(data, alpha)


def clipping_a_copy(data, alpha):
    return clipping(data.copy(), alpha)


def telling_locks(data, alpha):
    return float(data.flags.writeable), 1.0


def needing_writable(data, alpha):
    if not data.flags.writeable:
        raise ValueError("buffer source array is read-only")
    return t(data, alpha)


def negative_se(data, alpha):
    return {"estimate": 1.0, "se": -0.1}


def without_alpha(data):
    return 0.0, 1.0


def nan_for_truth(n):
    return float("nan")


def model_that_fails(rng, n):
    data = rng.normal(size=n)
    if data[0] > 2:
        raise RuntimeError("no data")
    return data


def model_that_leaves(rng, n):
    data = rng.normal(size=n)
    if data[0] > 2:
        os._exit(5)
    return data


def twice_n(n):
    return 2 * n
