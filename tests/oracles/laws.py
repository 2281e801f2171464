"""Probabilities of laws in exact rational arithmetic, from their definitions."""

from __future__ import annotations

from math import comb, lcm

from flint import fmpq

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
