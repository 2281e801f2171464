"""A line through noisy points, whose intercept and slope are both estimated."""

import numpy as np
from scipy.special import stdtrit


def draw(rng, n, intercept, slope):
    x = np.linspace(0, 1, n)
    return x, intercept + slope * x + rng.normal(size=n)


def each_alone(data, alpha):
    return fit(*data, alpha)


def bonferroni(data, alpha):
    return fit(*data, alpha / 2)


def fit(x, y, alpha):
    design = np.column_stack([np.ones_like(x), x])
    inverse = np.linalg.inv(design.T @ design)
    found = inverse @ design.T @ y
    residuals, df = y - design @ found, len(y) - 2
    se = np.sqrt(np.diag(inverse) * (residuals @ residuals) / df)
    half = -stdtrit(df, alpha / 2) * se
    limits = zip(("intercept", "slope"), found, se, found - half, found + half, strict=True)
    return {
        "estimates": {
            name: {"estimate": b, "se": error, "lower": low, "upper": high}
            for name, b, error, low, high in limits
        }
    }
