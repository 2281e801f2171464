"""Exact coverage of any limits at small n, by rational polynomials.

Between two neighbouring limits the outcomes whose interval misses p do not change, so that the
miss probabilities are polynomials in p with rational coefficients there. Nothing is assumed of the
limits: they may decrease in x, and the outcomes that cover p need not be consecutive.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import comb

from flint import arb, ctx, fmpq, fmpq_poly

from tests.oracles.balls import FIRST

ZERO, ONE = fmpq(0), fmpq(1)
P, Q = fmpq_poly([0, 1]), fmpq_poly([1, -1])


def rational(number: float) -> fmpq:
    """The float as an exact rational number."""
    return fmpq(*map(int, number.as_integer_ratio()))


def probability(x: int, n: int) -> fmpq_poly:
    """Pr(X = x) of a binomial, as a polynomial in p."""
    return comb(n, x) * P**x * Q ** (n - x)


@dataclass(frozen=True)
class Gap:
    """The open interval between two neighbouring limits, and the miss probabilities inside it."""

    left: fmpq
    right: fmpq
    below: fmpq_poly
    above: fmpq_poly

    @property
    def missed(self) -> fmpq_poly:
        return self.below + self.above


def missed_at(lower: Sequence[float], upper: Sequence[float], p: float) -> tuple[fmpq, fmpq]:
    """Pr(p < L(X)) and Pr(p > U(X)) at one p; intervals are closed."""
    n, here = len(lower) - 1, rational(p)
    chance = [probability(x, n)(here) for x in range(n + 1)]
    below = sum((c for c, limit in zip(chance, lower, strict=True) if p < limit), ZERO)
    above = sum((c for c, limit in zip(chance, upper, strict=True) if p > limit), ZERO)
    return below, above


def gaps(lower: Sequence[float], upper: Sequence[float]) -> list[Gap]:
    """The gaps between the limits of the outcomes 0 … n, those next to 0 and 1 included."""
    n = len(lower) - 1
    bottoms, tops = [rational(v) for v in lower], [rational(v) for v in upper]
    cuts = sorted({ZERO, ONE} | {v for v in (*bottoms, *tops) if 0 < v < 1})
    found = []
    for left, right in itertools.pairwise(cuts):
        below = [probability(x, n) for x in range(n + 1) if bottoms[x] >= right]
        above = [probability(x, n) for x in range(n + 1) if tops[x] <= left]
        found.append(Gap(left, right, sum(below, fmpq_poly()), sum(above, fmpq_poly())))
    return found


def worst_miss(
    lower: Sequence[float], upper: Sequence[float], over: tuple[float, float] = (0.0, 1.0)
) -> arb:
    """The supremum of the miss probability over the truths strictly inside a range.

    On each gap it is the largest of the one-sided limits at both ends and of the values at the real
    roots of the derivative. At a limit itself a closed interval misses no more than beside it.
    """
    best, (first, last) = arb(0), map(rational, over)
    with ctx.workprec(FIRST):
        for whole in gaps(lower, upper):
            gap = replace(whole, left=max(whole.left, first), right=min(whole.right, last))
            if gap.left < gap.right:
                for value in [gap.missed(gap.left), gap.missed(gap.right), *_inner_extrema(gap)]:
                    best = best.max(arb(value))
    return best


def missed_beside(
    lower: Sequence[float], upper: Sequence[float], p: float, *, from_right: bool
) -> tuple[fmpq, fmpq]:
    """The one-sided limits of both miss probabilities at p."""
    here = rational(p)
    for gap in gaps(lower, upper):
        if (gap.left <= here < gap.right) if from_right else (gap.left < here <= gap.right):
            return gap.below(here), gap.above(here)
    raise ValueError(f"no gap beside {p}")


def mean_missed_uniform(
    lower: Sequence[float], upper: Sequence[float], start: float, stop: float
) -> tuple[fmpq, fmpq]:
    """The mean of both miss probabilities over p uniform on [start, stop], exactly."""
    first, last = rational(start), rational(stop)
    below = above = ZERO
    for gap in gaps(lower, upper):
        left, right = max(gap.left, first), min(gap.right, last)
        if left < right:
            below += _integral(gap.below, left, right)
            above += _integral(gap.above, left, right)
    return below / (last - first), above / (last - first)


def mean_missed_beta(
    lower: Sequence[float], upper: Sequence[float], s: float, t: float
) -> tuple[arb, arb]:
    """The mean of both miss probabilities over p from Beta(s, t)."""
    below = above = arb(0)
    with ctx.workprec(4 * FIRST):
        for gap in gaps(lower, upper):
            below += _beta_integral(gap.below, gap.left, gap.right, s, t)
            above += _beta_integral(gap.above, gap.left, gap.right, s, t)
    return below, above


def given_outcome_uniform(
    lower: Sequence[float], upper: Sequence[float], x: int, start: float, stop: float
) -> tuple[fmpq, fmpq, fmpq]:
    """Pr(X = x), and given x both miss probabilities, with p uniform on [start, stop]."""
    chance = probability(x, len(lower) - 1)
    first, last = rational(start), rational(stop)
    bottom = min(max(rational(lower[x]), first), last)
    top = min(max(rational(upper[x]), first), last)
    whole = _integral(chance, first, last)
    below, above = _integral(chance, first, bottom), _integral(chance, top, last)
    return whole / (last - first), below / whole, above / whole


def given_outcome_beta(
    lower: Sequence[float], upper: Sequence[float], x: int, s: float, t: float
) -> tuple[arb, arb, arb]:
    """Pr(X = x), and given x both miss probabilities, with p from Beta(s, t)."""
    chance = probability(x, len(lower) - 1)
    bottom, top = rational(lower[x]), rational(upper[x])
    with ctx.workprec(4 * FIRST):
        whole = _beta_integral(chance, ZERO, ONE, s, t)
        below = _beta_integral(chance, ZERO, bottom, s, t)
        above = _beta_integral(chance, top, ONE, s, t)
        return whole, below / whole, above / whole


def length(lower: Sequence[float], upper: Sequence[float]) -> fmpq_poly:
    """The expected length, as a polynomial in p."""
    n = len(lower) - 1
    lengths = [rational(u) - rational(v) for v, u in zip(lower, upper, strict=True)]
    return sum((d * probability(x, n) for x, d in enumerate(lengths)), fmpq_poly())


def mean_length_uniform(
    lower: Sequence[float], upper: Sequence[float], start: float, stop: float
) -> fmpq:
    """The mean of the expected length over p uniform on [start, stop], exactly."""
    first, last = rational(start), rational(stop)
    return _integral(length(lower, upper), first, last) / (last - first)


def mean_length_beta(lower: Sequence[float], upper: Sequence[float], s: float, t: float) -> arb:
    """The mean of the expected length over p from Beta(s, t)."""
    with ctx.workprec(4 * FIRST):
        return _beta_integral(length(lower, upper), ZERO, ONE, s, t)


def _inner_extrema(gap: Gap) -> list[arb]:
    """The miss probability at the real roots of its derivative inside the gap."""
    slope = gap.missed.derivative().numer()
    if slope.degree() < 1:
        return []
    roots = [root.real for root, _ in slope.complex_roots() if root.imag == 0]
    inside = [root for root in roots if gap.left < root < gap.right]
    values = [gap.missed.numer()(root) / int(gap.missed.denom()) for root in inside]
    assert all(value.rad() < 1e-25 for value in values)
    return values


def _integral(polynomial: fmpq_poly, left: fmpq, right: fmpq) -> fmpq:
    primitive = polynomial.integral()
    return primitive(right) - primitive(left)


def _beta_integral(polynomial: fmpq_poly, left: fmpq, right: fmpq, s: float, t: float) -> arb:
    """Integral of the polynomial over [left, right] under the Beta(s, t) density, term by term."""
    total = arb(0)
    for power, coefficient in enumerate(polynomial.coeffs()):
        shape = arb(s) + power
        mass = arb(right).beta_lower(shape, arb(t)) - arb(left).beta_lower(shape, arb(t))
        total += arb(coefficient) * mass
    return total / arb(1).beta_lower(arb(s), arb(t))
