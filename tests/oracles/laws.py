"""Probabilities of laws in exact rational arithmetic, from their definitions."""

from math import comb, lcm

import numpy as np
from flint import arb, ctx, fmpq
from scipy import stats

from tests.oracles.differences import SCORE_BITS, most_likely_second

ONE = fmpq(1)


def rational(number):
    """The float or whole number itself."""
    return fmpq(*number.as_integer_ratio())


def beta_binomial(n, p, rho):
    """C(n, x) a(a + 1)…(a + x − 1) b(b + 1)…(b + n − x − 1) / ((a + b)…(a + b + n − 1)), 0 < ρ."""
    p, rho = rational(p), rational(rho)
    a, b = p * (1 - rho) / rho, (1 - p) * (1 - rho) / rho
    of_a, of_b, whole = rising(a, n), rising(b, n), rising(a + b, n)[n]
    return [comb(n, x) * of_a[x] * of_b[n - x] / whole for x in range(n + 1)]


def rising(a, most):
    """1, a, a(a + 1), …: the products of up to ``most`` factors."""
    products = [ONE]
    for i in range(most):
        products.append(products[-1] * (a + i))
    return products


def clusters(n, size, p, rho):
    """The distribution of a sum of beta-binomials, term by term."""
    one = beta_binomial(size, p, rho)
    whole = lcm(*(int(each.q) for each in one))
    terms = [int((each * whole).p) for each in one]
    sums = [1]
    for _ in range(n // size):
        longer = [0] * (len(sums) + size)
        for i, first in enumerate(sums):
            for j, second in enumerate(terms):
                longer[i + j] += first * second
        sums = longer
    return [fmpq(each, whole ** (n // size)) for each in sums]


def hypergeometric(n, successes, population):
    ways = comb(population, n)
    return [
        fmpq(comb(successes, x) * comb(population - successes, n - x), ways) for x in range(n + 1)
    ]


def negative_binomial(most, mean, dispersion):
    """Pr(X = x)/Pr(X = 0) for x = 0 … most: (μ/s)(μ/s + 1)…(μ/s + x − 1)/x! (s/d)^x, s = d − 1."""
    mean, dispersion = rational(mean), rational(dispersion)
    scale = dispersion - 1
    shape, relative = mean / scale, [ONE]
    for x in range(most):
        relative.append(relative[-1] * (shape + x) / (x + 1) * scale / dispersion)
    return relative


def quotient(number):
    """The float nearest to a rational number."""
    return int(number.p) / int(number.q)


def largest_relative_error(found, exact, smallest=0.0):
    """Of the probabilities that are not below ``smallest``; others must be as small."""
    worst = 0.0
    for got, true in zip(found, exact, strict=True):
        about = quotient(true)
        if about > smallest:
            worst = max(worst, abs(quotient((rational(float(got)) - true) / true)))
        else:
            assert 0 <= got <= max(smallest, 2 * about)
    return worst


# Exact coverage of a clustered proportion where all clusters have one size.


def law_of_count(p, rho, n):
    """Pr(X = x), x = 0 … n, of one cluster."""
    if rho == 0:
        return stats.binom.pmf(np.arange(n + 1), n, p)
    return np.array([quotient(each) for each in beta_binomial(n, p, rho)])


def law_of_sums(one, clusters):
    """All pairs of Σx and Σx² that can arise: probabilities, and counts that give the pair.

    Args:
        one: the probabilities of one cluster's counts 0 … n.
        clusters: how many clusters there are.

    Returns:
        Probabilities, shape (m,), and counts, shape (m, clusters).
    """
    n = len(one) - 1
    law = np.zeros((clusters * n + 1, clusters * n * n + 1))
    law[0, 0] = 1.0
    last = []
    for step in range(clusters):
        longer, which = np.zeros_like(law), np.full(law.shape, -1, np.int16)
        rows, columns = step * n + 1, step * n * n + 1
        for x, chance in enumerate(one):
            here = law[:rows, :columns]
            place = np.s_[x : x + rows, x * x : x * x + columns]
            longer[place] += chance * here
            which[place][here > 0] = x
        law = longer
        last.append(which)
    sums, squares = np.nonzero(law)
    probabilities, counts = law[sums, squares], np.empty((sums.size, clusters))
    for step in reversed(range(clusters)):
        x = last[step][sums, squares]
        counts[:, step] = x
        sums, squares = sums - x, squares - x * x
    return probabilities, counts


def coverage(limits, p, rho, clusters, size):
    """Pr(lower ≤ p ≤ upper) of limits that depend on Σx and Σx² alone.

    Args:
        limits: ``(x, n) -> (lower, upper)``, counts and sizes of shape (m, clusters).
        p, rho: the proportion, and the correlation of two cases of a cluster.
        clusters, size: how many clusters there are, and how many cases each of them has.
    """
    probabilities, counts = law_of_sums(law_of_count(p, rho, size), clusters)
    lower, upper = limits(counts, np.full(counts.shape, float(size)))
    return float(probabilities[(lower <= p) & (p <= upper)].sum())


# The score statistic of a difference over strata by its definition, in ball arithmetic.


def score(data, delta, z, skewness):
    """T − (z² − 1)k − z at δ = ``delta``, k a sixth of the skewness, or 0 without ``skewness``.

    ``data`` are the lists x₁, n₁, x₂ and n₂ over the strata.
    """
    with ctx.workprec(SCORE_BITS):
        d, level = arb(delta), arb(z)
        strata = [tuple(arb(value) for value in stratum) for stratum in zip(*data, strict=True)]
        weights = [n1 * n2 / (n1 + n2) for _, n1, _, n2 in strata]
        estimate, variance, third = arb(0), arb(0), arb(0)
        for (x1, n1, x2, n2), weight in zip(strata, weights, strict=True):
            share = weight / sum(weights)
            p2 = most_likely_second((x1, n1, x2, n2), d)
            p1 = p2 + d
            v1, v2 = p1 * (1 - p1) / n1, p2 * (1 - p2) / n2
            estimate += share * (x1 / n1 - x2 / n2)
            variance += share**2 * (v1 + v2) * (n1 + n2) / (n1 + n2 - 1)
            third += share**3 * (v1 * (1 - 2 * p1) / n1 - v2 * (1 - 2 * p2) / n2)
        found = (estimate - d) / variance.sqrt() - level
        if skewness:
            found -= (level * level - 1) * third / (6 * variance * variance.sqrt())
        return float(found.mid())


def variance(x, n, y, m, distance):
    """u(1 − u)/n + w(1 − w)/m at the most likely rates u and w with u + w = ``distance``.

    x of n are successes of the first sample, y of m failures of the second one.
    """
    with ctx.workprec(SCORE_BITS):
        sample = arb(x), arb(n), arb(m) - arb(y), arb(m)
        w = 1 - most_likely_second(sample, arb(distance) - 1)
        u = arb(distance) - w
        return float((u * (1 - u) / sample[1] + w * (1 - w) / sample[3]).mid())
