"""Means over counts from few of them: a rule of m counts that has the moments of the law.

The nodes of Gauss's rule for a binomial or Poisson law are the eigenvalues of the matrix of its
orthogonal polynomials. Here each is rounded to a count, as limits exist at counts only, and the
weights are those with which the rule is exact for every polynomial of degree m − 1 and, as the
nodes hardly move, nearly exact up to 2m − 1. Limits of the formulas that are smooth in the counts
have means that converge fast in m.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.distributions.sampling import binomial

Rule = tuple[tuple[Floats, ...], Floats]
"""Columns of counts, and the weights of their rows, shape (N, rows) each."""


def binomial_rule(truth: Floats, size: Floats, m: int) -> tuple[Floats, Floats]:
    """Return m counts of a binomial law and their weights, shape (N, m) each.

    The recurrence of the monic Krawtchouk polynomials has the coefficients
    a_k = p(n − k) + k(1 − p) and b_k = k·p(1 − p)(n − k + 1).

    Args:
        truth: p of each law, shape (N,).
        size: n of each law, shape (N,); where n < m the rule has all counts.
        m: the number of counts.
    """
    k = np.arange(m, dtype=np.float64)
    nodes = np.minimum(np.tile(k, (size.size, 1)), size[:, np.newaxis])
    weights = np.zeros(nodes.shape)
    # One certain count, or few: their probabilities, and 0 for those that are repeated.
    listed = (size < m) | (truth <= 0) | (truth >= 1)
    few, p = nodes[listed], np.broadcast_to(truth, size.shape)[listed]
    certain = (p >= 1) & (size[listed] >= m)
    few[certain] += (size[listed] - (m - 1.0))[certain, np.newaxis]
    pmf = binomial.pmf(few, p[:, np.newaxis], size[listed, np.newaxis])
    weights[listed] = np.where(np.diff(few, axis=1, prepend=-1.0) > 0, pmf, 0.0)
    nodes[listed] = few
    free = ~listed
    p, n = np.broadcast_to(truth, size.shape)[free, np.newaxis], size[free, np.newaxis]
    middle, step = p * (n - k) + k * (1 - p), k * p * (1 - p) * (n - k + 1)
    nodes[free], weights[free] = _rule(middle, step, size[free])
    return nodes, weights


def poisson_rule(mean: Floats, m: int) -> tuple[Floats, Floats]:
    """Return m counts of a Poisson law and their weights, shape (N, m) each.

    The recurrence of the monic Charlier polynomials has a_k = k + λ and b_k = k·λ.

    Args:
        mean: λ of each law, shape (N,).
        m: the number of counts.
    """
    k = np.arange(m, dtype=np.float64)
    nodes, weights = np.tile(k, (mean.size, 1)), np.zeros((mean.size, m))
    weights[:, 0] = 1.0
    some = mean > 0
    rate = mean[some, np.newaxis]
    nodes[some], weights[some] = _rule(k + rate, k * rate, np.full(rate.size, np.inf))
    return nodes, weights


def _rule(middle: Floats, step: Floats, largest: Floats) -> tuple[Floats, Floats]:
    """The rounded nodes and the weights of recurrences, shape (N, m) each.

    Args:
        middle, step: a_k and b_k for k from 0 to m − 1, shape (N, m) each.
        largest: the largest count of each law, shape (N,).
    """
    m = middle.shape[1]
    matrix, place = np.zeros((*middle.shape, m)), np.arange(m)
    matrix[:, place, place] = middle
    root = np.sqrt(step)
    # The lower triangle is all that is read.
    matrix[:, place[1:], place[:-1]] = root[:, 1:]
    nodes = np.clip(np.rint(np.linalg.eigvalsh(matrix)), 0.0, largest[:, np.newaxis])
    # Two nodes at one count: the upper one moves up, or where no count is left the lower one down.
    nodes = np.maximum.accumulate(nodes - place, axis=1) + place
    above = largest[:, np.newaxis] - (m - 1 - place)
    nodes = np.minimum(nodes, above)
    # The orthonormal polynomials at the nodes: all but the first have the mean 0.
    basis = np.empty((len(nodes), m, m))
    basis[:, 0] = 1.0
    for k in range(1, m):
        value = (nodes - middle[:, k - 1, np.newaxis]) * basis[:, k - 1]
        if k > 1:
            value -= root[:, k - 1, np.newaxis] * basis[:, k - 2]
        basis[:, k] = value / root[:, k, np.newaxis]
    mean = np.zeros((len(nodes), m, 1))
    mean[:, 0] = 1.0
    return nodes, np.asarray(np.linalg.solve(basis, mean)[..., 0])


def product_rule(rules: Sequence[tuple[Floats, Floats]]) -> Rule:
    """Return the counts of each sample and the weights of all combinations, shape (N, m^d) each."""
    (first, weights), *others = rules
    columns = [first]
    for nodes, factor in others:
        old, new = weights.shape[1], nodes.shape[1]
        columns = [np.repeat(column, new, axis=1) for column in columns]
        columns.append(np.tile(nodes, old))
        weights = np.repeat(weights, new, axis=1) * np.tile(factor, old)
    return tuple(columns), weights


def next_rule(
    left: Floats, weights: Floats, share: float, m: int
) -> tuple[Floats, Floats, Floats, Integers]:
    """Return the counts of the next cell among the cases that the cells before leave.

    Args:
        left: the cases that are left, shape (N, r).
        weights: the weights of the counts before, shape (N, r).
        share: the probability of the cell among these cases.
        m: the number of counts for each row.

    Returns:
        The cases that are left then, the weights of the counts so far, the counts, shape (N, r·m)
        each, and the column of the counts before that each belongs to, shape (r·m,).
    """
    cases = left.ravel()
    nodes, factor = binomial_rule(np.full(cases.size, share), cases, m)
    places = np.repeat(np.arange(left.shape[1]), m)
    count = nodes.reshape(len(left), -1)
    weights = weights[:, places] * factor.reshape(len(left), -1)
    return left[:, places] - count, weights, count, places
