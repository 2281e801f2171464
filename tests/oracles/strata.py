"""The score statistic of a difference over strata by its definition, in ball arithmetic."""

from __future__ import annotations

from flint import arb, ctx

from tests.oracles.differences import SCORE_BITS, most_likely_second


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
