"""Models and methods that change what all functions of a process share."""

import os
import random
import sys
import warnings

import numpy as np

CALLS = [0]


def from_globals(rng, n):
    return np.random.normal(size=n)  # noqa: NPY002


def from_random(data, alpha):
    return random.random(), -1.0, 1.0


def usual(data, alpha):
    half = 1.96 * np.sqrt(data.var(ddof=1) / len(data))
    mean = data.mean()
    return mean, mean - half, mean + half


def dividing(data, alpha):
    np.ones(1) / np.zeros(1)
    return usual(data, alpha)


def setting_errors(data, alpha):
    if data[0] > 1:
        np.seterr(all="raise")
    return usual(data, alpha)


def warning_errors(data, alpha):
    if data[0] > 1:
        warnings.simplefilter("error")
    return usual(data, alpha)


def removing_modules(data, alpha):
    if data[0] > 1:
        sys.modules.clear()
    return usual(data, alpha)


def patching(data, alpha):
    if data[0] > 1:
        np.sqrt = lambda x: 1e9
    return usual(data, alpha)


def counting(data, alpha):
    CALLS[0] += 1
    return float(CALLS[0]), -1.0, 1.0


def forking(data, alpha):
    os.fork()
    return usual(data, alpha)


def forking_model(rng, n):
    os.fork()
    return rng.normal(size=n)


def number(rng):
    """Data that are a number of Python."""
    return rng.normal()


def around(data, alpha):
    """The limits of one normal value."""
    return data - 1.96, data + 1.96
