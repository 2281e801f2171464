"""The delta method for Cohen's kappa on Fisher's scale, with half a case more in each cell."""

import numpy as np
from scipy.special import ndtri


def kappa(tp, fp, fn, tn, alpha):
    table = [np.asarray(each, float) + 0.5 for each in (tp, fp, fn, tn)]
    n = sum(table)
    a, b, c, d = (each / n for each in table)
    chance = (a + b) * (a + c) + (c + d) * (b + d)
    k = (a + d - chance) / (1 - chance)
    diagonal = a * (1 - (2 * a + b + c) * (1 - k)) ** 2 + d * (1 - (2 * d + b + c) * (1 - k)) ** 2
    beside = (1 - k) ** 2 * (b * (a + 2 * c + d) ** 2 + c * (a + 2 * b + d) ** 2)
    variance = (diagonal + beside - (k - chance * (1 - k)) ** 2) / (1 - chance) ** 2 / n
    delta = -ndtri(alpha / 2) * np.sqrt(variance) / (1 - k**2)
    return np.tanh(np.arctanh(k) - delta), np.tanh(np.arctanh(k) + delta)


kappa.contract = "nominal"
kappa.expected_failures = {
    "is monotone": "a case more moves the chance agreement too",
    "holds the estimate": "half a case more in each cell moves it",
}
