"""Intervals as textbooks and packages have them, without care for digits or special alphas."""

import numpy as np
from scipy import optimize, stats


def clopper_pearson(x, n, alpha):
    x = np.asarray(x)
    lower = stats.beta.ppf(alpha / 2, x, n - x + 1)
    upper = stats.beta.ppf(1 - alpha / 2, x + 1, n - x)
    return np.where(x == 0, 0.0, lower), np.where(x == n, 1.0, upper)


def clopper_pearson_scalar(x, n, alpha):
    lower = 0.0 if x == 0 else stats.beta.ppf(alpha / 2, x, n - x + 1)
    upper = 1.0 if x == n else stats.beta.ppf(1 - alpha / 2, x + 1, n - x)
    return lower, upper


def jeffreys(x, n, alpha):
    x = np.asarray(x)
    posterior = stats.beta(x + 0.5, n - x + 0.5)
    return posterior.ppf(alpha / 2), posterior.ppf(1 - alpha / 2)


def jeffreys_with_ends(x, n, alpha):
    x = np.asarray(x)
    posterior = stats.beta(x + 0.5, n - x + 0.5)
    lower = np.where(x == 0, 0.0, posterior.ppf(alpha / 2))
    return lower, np.where(x == n, 1.0, posterior.ppf(1 - alpha / 2))


def mid_p(x, n, alpha):
    def above(p, count):
        return stats.binom._sf(count, n, p) + stats.binom._pmf(count, n, p) / 2 - alpha / 2

    def lower(count):
        if count == 0:
            return 0.0
        return optimize.brentq(above, 1e-300, 1 - 1e-16, (count,), xtol=1e-300, maxiter=2000)

    return lower(x), 1.0 - lower(n - x)


def wald(x, n, alpha):
    delta = stats.norm.isf(alpha / 2) * np.sqrt(x * (n - x) / n) / n
    return x / n - delta, x / n + delta


def wilson(x, n, alpha):
    p, z = np.asarray(x) / n, stats.norm.ppf(1 - alpha / 2)
    centre = (p + z**2 / (2 * n)) / (1 + z**2 / n)
    delta = z / (1 + z**2 / n) * np.sqrt(p * (1 - p) / n + z**2 / (4.0 * n**2))
    return np.maximum(centre - delta, 0), np.minimum(centre + delta, 1)


def wilson_cc(x, n, alpha):
    p, z = np.asarray(x) / n, stats.norm.ppf(1 - alpha / 2)
    below = z**2 - 2 - 1 / n + 4 * p * (n * (1 - p) + 1)
    above = z**2 + 2 - 1 / n + 4 * p * (n * (1 - p) - 1)
    lower = (2 * n * p + z**2 - 1 - z * np.sqrt(np.maximum(below, 0))) / (2 * (n + z**2))
    upper = (2 * n * p + z**2 + 1 + z * np.sqrt(np.maximum(above, 0))) / (2 * (n + z**2))
    return np.where(p == 0, 0.0, np.maximum(lower, 0)), np.where(p == 1, 1.0, np.minimum(upper, 1))


def likelihood_ratio(x, n, alpha):
    x, n = float(x), float(n)
    estimate, level = x / n, stats.chi2.isf(alpha, 1)

    def excess(p):
        first = x * np.log(estimate / p) if x > 0 else 0.0
        second = (n - x) * np.log((1 - estimate) / (1 - p)) if x < n else 0.0
        return 2 * (first + second) - level

    lower = 0.0 if x == 0 else optimize.brentq(excess, 1e-300, estimate, xtol=1e-15)
    upper = 1.0 if x == n else optimize.brentq(excess, estimate, 1 - 1e-16, xtol=1e-15)
    return lower, upper


def arcsine(x, n, alpha):
    angle = np.arcsin(np.sqrt((np.asarray(x) + 0.375) / (n + 0.75)))
    shift = stats.norm.isf(alpha / 2) / (2 * np.sqrt(n))
    lower = np.sin(np.maximum(angle - shift, 0)) ** 2
    return lower, np.sin(np.minimum(angle + shift, np.pi / 2)) ** 2


def logit(x, n, alpha):
    x, n = np.asarray(x, float), np.asarray(n, float)
    inside = np.clip(x, 0.5, n - 0.5)
    centre = np.log(inside / (n - inside))
    delta = stats.norm.isf(alpha / 2) * np.sqrt(n / (inside * (n - inside)))
    lower, upper = 1 / (1 + np.exp(delta - centre)), 1 / (1 + np.exp(-delta - centre))
    end = (alpha / 2) ** (1 / n)
    lower = np.where(x == 0, 0.0, np.where(x == n, end, lower))
    return lower, np.where(x == n, 1.0, np.where(x == 0, 1 - end, upper))


def agresti_coull(x, n, alpha):
    z = stats.norm.isf(alpha / 2)
    total = n + z**2
    p = (np.asarray(x) + z**2 / 2) / total
    delta = z * np.sqrt(p * (1 - p) / total)
    return np.maximum(p - delta, 0), np.minimum(p + delta, 1)


def add_four(x, n, alpha):
    total = n + 4
    p = (np.asarray(x) + 2) / total
    delta = stats.norm.isf(alpha / 2) * np.sqrt(p * (1 - p) / total)
    return np.maximum(p - delta, 0), np.minimum(p + delta, 1)


def garwood(x, exposure, alpha):
    x = np.asarray(x)
    lower = np.where(x == 0, 0.0, stats.chi2.ppf(alpha / 2, 2 * x) / 2)
    upper = stats.chi2.ppf(1 - alpha / 2, 2 * x + 2) / 2
    return lower / exposure, upper / exposure


def rate_jeffreys(x, exposure, alpha):
    x = np.asarray(x)
    posterior = stats.gamma(x + 0.5, scale=1 / exposure)
    return posterior.ppf(alpha / 2), posterior.ppf(1 - alpha / 2)


def byar(x, exposure, alpha):
    z, x = stats.norm.isf(alpha / 2), np.asarray(x, float)
    positive = np.maximum(x, 1)
    lower = x * np.maximum(1 - 1 / (9 * positive) - z / (3 * np.sqrt(positive)), 0) ** 3
    upper = (x + 1) * (1 - 1 / (9 * (x + 1)) + z / (3 * np.sqrt(x + 1))) ** 3
    return lower / exposure, upper / exposure


def agresti_caffo(x1, n1, x2, n2, alpha):
    p1, p2 = (np.asarray(x1) + 1) / (n1 + 2), (np.asarray(x2) + 1) / (n2 + 2)
    error = np.sqrt(p1 * (1 - p1) / (n1 + 2) + p2 * (1 - p2) / (n2 + 2))
    delta = stats.norm.isf(alpha / 2) * error
    return np.maximum(p1 - p2 - delta, -1), np.minimum(p1 - p2 + delta, 1)


def woolf_half(x1, n1, x2, n2, alpha):
    x1, x2 = np.asarray(x1, float), np.asarray(x2, float)
    a, b, c, d = x1 + 0.5, n1 - x1 + 0.5, x2 + 0.5, n2 - x2 + 0.5
    delta = stats.norm.isf(alpha / 2) * np.sqrt(1 / a + 1 / b + 1 / c + 1 / d)
    centre = np.log(a * d / (b * c))
    return np.exp(centre - delta), np.exp(centre + delta)


woolf_half.expected_failures = {
    "is monotone": "limits widen faster than they move where a count is next to 0 or n",
    "holds the estimate": "centred nearer to 1 than the estimate",
}


def bonett_price(both, first_only, second_only, neither, alpha):
    table = np.broadcast_arrays(both, first_only, second_only, neither)
    n = sum(np.asarray(each, float) for each in table)
    p12, p21 = (table[1] + 1) / (n + 2), (table[2] + 1) / (n + 2)
    error = np.sqrt((p12 + p21 - (p12 - p21) ** 2) / (n + 2))
    delta = stats.norm.isf(alpha / 2) * error
    return np.maximum(p12 - p21 - delta, -1), np.minimum(p12 - p21 + delta, 1)


bonett_price.expected_failures = {"holds the estimate": "centred nearer to 0 than the estimate"}
