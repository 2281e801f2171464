"""Lang and Reiczigel's interval of a share that a judge reports, with added cases and labels."""

import numpy as np
from scipy.special import ndtri


def lang_reiczigel(x, n, positives_right, positives, negatives_right, negatives, alpha):
    given = x, n, positives_right, positives, negatives_right, negatives
    x, n, a, m1, b, m0 = (np.asarray(each, float) for each in given)
    z = -ndtri(alpha / 2)
    se, sp = (a + 1) / (m1 + 2), (b + 1) / (m0 + 2)
    q = (x + z**2 / 2) / (n + z**2)
    of_cases = q * (1 - q) / (n + z**2)
    of_se, of_sp = se * (1 - se) / (m1 + 2), sp * (1 - sp) / (m0 + 2)
    gain = np.where(se + sp > 1, se + sp - 1, np.nan)
    p = (q + sp - 1) / gain
    centre = p + 2 * z**2 * (p * of_se - (1 - p) * of_sp)
    delta = z * np.sqrt(of_cases + p**2 * of_se + (1 - p) ** 2 * of_sp) / gain
    lower, upper = np.clip(centre - delta, 0, 1), np.clip(centre + delta, 0, 1)
    return np.where(gain > 0, lower, 0.0), np.where(gain > 0, upper, 1.0)


lang_reiczigel.contract = "at-least"
lang_reiczigel.expected_failures = {
    "has width": "clipped limits are a point where the data contradict the labels",
    "holds the estimate": "it lies about an estimate with added cases and labels",
}
