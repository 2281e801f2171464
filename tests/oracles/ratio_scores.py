"""Ratios of two proportions or rates: score statistics by their definition, in ball arithmetic."""

from __future__ import annotations

from flint import arb, ctx

# Precision of the statistics, in bits, and the halvings of a search for a most likely p₂.
BITS, HALVINGS = 300, 280


def proportions_statistic(data, theta, with_factor, corrected):
    """T at a ratio θ, or Laud's root of T = z + (z² − 1)k, which is T at k = 0."""
    with ctx.workprec(BITS):
        x1, n1, x2, n2 = (arb(value) for value in data)
        p2 = _most_likely(x1, n1, x2, n2, theta)
        p1 = theta * p2
        spread = p1 * (1 - p1) / n1 + theta**2 * p2 * (1 - p2) / n2
        if with_factor:
            spread *= (n1 + n2) / (n1 + n2 - 1)
        third = p1 * (1 - p1) * (1 - 2 * p1) / n1**2
        third -= theta**3 * p2 * (1 - p2) * (1 - 2 * p2) / n2**2
        return _of_moments(x1 / n1 - theta * x2 / n2, spread, third, corrected)


def rates_statistic(data, theta, corrected):
    """The same for rates, of which the most likely ones add up to the events in both samples."""
    with ctx.workprec(BITS):
        x1, exposure1, x2, exposure2 = (arb(value) for value in data)
        r2 = (x1 + x2) / (theta * exposure1 + exposure2)
        r1 = theta * r2
        spread = r1 / exposure1 + theta**2 * r2 / exposure2
        third = r1 / exposure1**2 - theta**3 * r2 / exposure2**2
        score = x1 / exposure1 - theta * x2 / exposure2
        return _of_moments(score, spread, third, corrected)


def _of_moments(score, spread, third, corrected):
    t = score / spread.sqrt()
    if not corrected:
        return t
    k = third / (6 * spread * spread.sqrt())
    return 2 * (t + k) / (1 + (1 + 4 * k * (t + k)).sqrt())


def _most_likely(x1, n1, x2, n2, theta):
    """p₂, where the slope of the likelihood of θp₂ and p₂ changes its sign."""
    low, high = arb(0), min(arb(1), 1 / theta)
    rest1, rest2 = n1 - x1, n2 - x2
    for _ in range(HALVINGS):
        # Halved on a logarithmic scale as soon as both ends are above 0.
        middle = ((low * high).sqrt() if low > 0 else high / 2**16).mid()
        slope = (x1 + x2) / middle
        if rest1 != 0:
            slope -= rest1 * theta / (1 - theta * middle)
        if rest2 != 0:
            slope -= rest2 / (1 - middle)
        if slope > 0:
            low = middle
        else:
            high = middle
    return high
