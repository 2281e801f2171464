"""Exact two-sided p-values by their definition: a sum over every outcome, for any order."""

import numpy as np
from scipy.stats import binom, poisson

# Outcomes in a tie are level up to this: the keys are rounded.
LEVEL = 1e-11


def binomial(n, points):
    """Outcomes 0 … n, probabilities and both tails of each (n + 1, m), and the largest ones."""
    y = np.arange(n + 1.0)
    law = [f(y[:, None], n, points) for f in (binom.pmf, binom.cdf, binom.sf)]
    return *law, binom.pmf(y, n, y / n)


def counts(most, points):
    """The same of Poisson counts up to ``most``."""
    y = np.arange(most + 1.0)
    law = [f(y[:, None], points) for f in (poisson.pmf, poisson.cdf, poisson.sf)]
    return *law, poisson.pmf(y, y)


def p_values(name, law):
    """Of every outcome at every point, (n + 1, m): the mass of what is no more in keeping."""
    pmf, cdf, sf, largest = law
    key = {
        "blaker": lambda: np.minimum(cdf, sf + pmf),
        "sterne": lambda: pmf,
        "feldman_cousins": lambda: pmf / largest[:, None],
    }[name]()
    return np.array([np.where(key <= here * (1 + LEVEL), pmf, 0.0).sum(axis=0) for here in key])
