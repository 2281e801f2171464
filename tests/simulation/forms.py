"""Models that draw truths, and methods with several estimands, sets and draws."""

import os

import numpy as np

LABELS = np.array(["cat", "dog", "owl"])
NORMAL = np.random.default_rng(7).normal(size=99)
Z = 1.959963984540054


def normal_mean(rng, n):
    """A mean that is drawn from N(0, 1), and n values around it."""
    mean = rng.normal()
    return {"data": mean + rng.normal(size=n), "truth": mean}


def normal_means(rng, trials, n):
    mean = rng.normal(size=trials)
    return {"data": mean[:, None] + rng.normal(size=(trials, n)), "truth": mean}


def mean_or_nan(rng, n):
    found = normal_mean(rng, n)
    return {**found, "truth": np.nan} if found["truth"] > 1 else found


def two_means(rng, n, second):
    """A first mean that is drawn, and a second one that is a factor."""
    first = rng.normal()
    data = np.array([[first], [second]]) + rng.normal(size=(2, n))
    return {"data": data, "truth": {"first": first}}


def label(rng, n):
    place = rng.integers(3)
    return {"data": place + rng.normal(size=n), "truth": LABELS[place]}


def labels(rng, trials, n):
    place = rng.integers(3, size=trials)
    return {"data": place[:, None] + rng.normal(size=(trials, n)), "truth": LABELS[place]}


def _posterior(data):
    variance = 1 / (data.shape[-1] + 1)
    return variance * data.sum(axis=-1), variance**0.5


def conjugate(data, alpha):
    mean, se = _posterior(data)
    return {"estimate": mean, "se": mean * 0 + se}


def narrow(data, alpha):
    mean, se = _posterior(data)
    return {"estimate": mean, "se": mean * 0 + 0.7 * se}


def drawing(data, alpha, rng):
    mean, se = _posterior(data)
    return {"draws": rng.normal(np.asarray(mean)[..., None], se, (*np.shape(mean), 20))}


def quantiles(data, alpha):
    """Draws that do not differ between runs, with limits of its own."""
    mean, se = _posterior(data)
    draws = np.asarray(mean)[..., None] + se * NORMAL
    return {"draws": draws, "lower": mean - Z * se, "upper": mean + Z * se}


def both(data, alpha):
    means, se = data.mean(axis=1), data.shape[1] ** -0.5
    return {"estimates": {n: {"estimate": m, "se": se} for n, m in zip(NAMES, means, strict=True)}}


def both_or_none(data, alpha):
    found = both(data, alpha)
    if data[0, 0] > 2:
        found["estimates"]["second"] = (1.0, 0.0)
    return found


NAMES = ("first", "second")


def near(data, alpha):
    """The labels near the mean of a trial, or of each trial of a batch."""
    means = np.atleast_1d(data.mean(axis=-1))
    found = [LABELS[abs(mean - np.arange(3)) < 1].tolist() for mean in means]
    return {"set": found if data.ndim > 1 else found[0]}


def raising(data, alpha):
    if data.flat[0] > 2:
        raise ValueError("a large first value")
    return conjugate(data, alpha)


def leaving(data, alpha):
    if data.flat[0] > 2:
        os._exit(7)
    return conjugate(data, alpha)
