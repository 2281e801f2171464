"""Score statistics of a difference by ball arithmetic, from their definition."""

from __future__ import annotations

from flint import arb, ctx

BITS = 200
# Halvings of the range: the likelihood is flat at its top, and its slope is what is solved for.
HALVINGS = 150


def proportions(data, delta, corrected=False):
    """(d − δ)²/V at δ = ``delta``, V from the most likely p₁ and p₂ = p₁ − δ."""
    ctx.prec = BITS
    x1, n1, x2, n2 = (arb(value) for value in data)
    delta = arb(delta)

    def slope(p1):
        p2 = p1 - delta
        return (
            (x1 / p1 if x1 != 0 else arb(0))
            - ((n1 - x1) / (1 - p1) if x1 != n1 else arb(0))
            + (x2 / p2 if x2 != 0 else arb(0))
            - ((n2 - x2) / (1 - p2) if x2 != n2 else arb(0))
        )

    low, high = (delta, arb(1)) if delta > 0 else (arb(0), 1 + delta)
    p1 = _where_it_falls_to_zero(slope, low, high)
    p2 = p1 - delta
    variance = p1 * (1 - p1) / n1 + p2 * (1 - p2) / n2
    if corrected:
        variance *= (n1 + n2) / (n1 + n2 - 1)
    return (x1 / n1 - x2 / n2 - delta) ** 2 / variance


def rates(data, delta):
    """(d − δ)²/V at δ = ``delta``, V from the most likely r₁ and r₂ = r₁ − δ."""
    ctx.prec = BITS
    x1, exposure1, x2, exposure2 = (arb(value) for value in data)
    delta = arb(delta)

    def slope(r1):
        r2 = r1 - delta
        return (
            (x1 / r1 if x1 != 0 else arb(0))
            + (x2 / r2 if x2 != 0 else arb(0))
            - (exposure1 + exposure2)
        )

    low = delta if delta > 0 else arb(0)
    # The most likely rates are above both estimates in no sample.
    most = x1 / exposure1 + x2 / exposure2 + abs(delta)
    r1 = _where_it_falls_to_zero(slope, low, low + most)
    r2 = r1 - delta
    return (x1 / exposure1 - x2 / exposure2 - delta) ** 2 / (r1 / exposure1 + r2 / exposure2)


def _where_it_falls_to_zero(slope, low, high):
    for _ in range(HALVINGS):
        middle = ((low + high) / 2).mid()
        if slope(middle) > 0:
            low = middle
        else:
            high = middle
    return ((low + high) / 2).mid()
