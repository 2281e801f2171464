"""A next value, and a next label, predicted from those before: split conformal prediction."""

import numpy as np


def values(rng, n):
    drawn = rng.exponential(size=n + 1)
    return {"data": drawn[:-1], "truth": drawn[-1]}


def conformal(data, alpha):
    rank = int(np.ceil((len(data) + 1) * (1 - alpha)))
    return 0.0, np.sort(data)[rank - 1] if rank <= len(data) else np.inf


def normal(data, alpha):
    half = 1.959963984540054 * data.std(ddof=1)
    return data.mean() - half, data.mean() + half


def quantile(data, alpha):
    return 0.0, np.quantile(data, 1 - alpha)
