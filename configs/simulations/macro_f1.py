"""Macro F1 of three classes, from a table of true and predicted classes.

Data: a table of n cases with multinomial counts xᵢⱼ, of true class i and predicted class j. The F1
score of class k is 2 xₖₖ / (xₖ₊ + x₊ₖ), and macro F1 is the mean of the scores. A class that has no
case and is never predicted has the score 0.
"""

import numpy as np
from scipy.special import ndtri

SHARES = {"even": (1 / 3, 1 / 3, 1 / 3), "rare": (0.70, 0.25, 0.05)}
"""The share of the cases in each class."""
PREDICTED = np.array([[0.85, 0.10, 0.05], [0.15, 0.75, 0.10], [0.15, 0.20, 0.65]])
"""Probabilities of the predicted classes in the rows of the true ones."""
RESAMPLES = 999
"""With 999 the 2.5 % and 97.5 % quantiles are the 25th resampled score from either end."""


def draw(rng, n, balance):
    """Return the table of n cases, shape (3, 3)."""
    return rng.multinomial(n, _probabilities(balance).ravel()).reshape(3, 3)


def true_macro_f1(n, balance):
    """Macro F1 of the probabilities."""
    return macro_f1(_probabilities(balance))


def macro_f1(tables):
    """Macro F1 of tables, shape (…, 3, 3), of counts or of probabilities."""
    right = np.diagonal(tables, axis1=-2, axis2=-1)
    total = tables.sum(-1) + tables.sum(-2)
    return np.mean(2 * right / np.where(total > 0, total, 1), axis=-1)


def delta(data, alpha):
    """The delta method with the covariance of the multinomial distribution.

    With pᵢⱼ = xᵢⱼ/n and dₖ = pₖ₊ + p₊ₖ, the derivative of macro F1 by pᵢⱼ is

        gᵢⱼ = (2 [i = j] / dᵢ − 2 pᵢᵢ / dᵢ² − 2 pⱼⱼ / dⱼ²) / 3,

    and se² = (Σ pᵢⱼ gᵢⱼ² − (Σ pᵢⱼ gᵢⱼ)²) / n. The second sum is 0, since F1 scores of 2x and of x
    are the same. Limits are estimate ± z se.

    Takahashi, Yamamoto, Kuchiba and Koyama (2022), Applied Intelligence 52:4961.
    """
    n = data.sum()
    p = data / n
    total = p.sum(0) + p.sum(1)
    total = np.where(total > 0, total, 1)
    loss = 2 * np.diagonal(p) / total**2
    gradient = (np.diag(2 / total) - loss[:, np.newaxis] - loss) / 3
    estimate, se = macro_f1(p), np.sqrt(np.sum(p * gradient**2) / n)
    half = -ndtri(alpha / 2) * se
    return {"estimate": estimate, "se": se, "lower": estimate - half, "upper": estimate + half}


def percentile(data, alpha, rng):
    """Quantiles alpha/2 and 1 − alpha/2 of macro F1 of tables that are drawn from the observed one.

    Efron and Tibshirani (1993), An Introduction to the Bootstrap, chapter 13.
    """
    n = data.sum()
    resampled = rng.multinomial(n, data.ravel() / n, size=RESAMPLES).reshape(-1, 3, 3)
    scores = macro_f1(resampled)
    lower, upper = np.quantile(scores, [alpha / 2, 1 - alpha / 2], method="weibull")
    return {"estimate": macro_f1(data), "se": scores.std(ddof=1), "lower": lower, "upper": upper}


def _probabilities(balance):
    return np.array(SHARES[balance])[:, np.newaxis] * PREDICTED
