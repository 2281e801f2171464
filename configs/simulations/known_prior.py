"""A normal mean that is drawn from its prior, with two intervals of it."""

import numpy as np

Z = 1.959963984540054


def draw(rng, trials, n):
    mean = rng.normal(size=trials)
    return {"data": rng.normal(mean[:, None], 1, (trials, n)), "truth": mean}


def posterior(data, alpha):
    precision = 1 + data.shape[1]
    return around(data.sum(axis=1) / precision, precision**-0.5)


def without_prior(data, alpha):
    return around(data.mean(axis=1), data.shape[1] ** -0.5)


def around(estimate, se):
    half = Z * np.broadcast_to(se, estimate.shape)
    return {"estimate": estimate, "lower": estimate - half, "upper": estimate + half}
