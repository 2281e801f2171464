"""What is wrong with the tail of a limit, and the choice of the one fault that is reported.

How large the tail of one limit may be.

Under the contract at-least a limit may leave alpha: at truths just beyond the lower limit L of x
every outcome from x on is a miss if limits rise with x, so that Pr(X ≥ x | L) ≤ alpha is necessary.

Under another contract r = z(tail with half of x's probability) / z(alpha/2) is near 1. It was
computed for the methods of the catalogue and the intervals of statsmodels, SciPy and astropy, at
n = 10 … 10^6, alpha = 0.001 … 0.3173 and both one-sided forms, without Wald's kin, balanced width
and the inequalities. With m the smaller of the numbers of successes and failures, a sound limit
lies at most 1.8 counts off: |r − 1| z √m < 1.8 (add-four; 1.6 without it, 0.5 for Clopper-Pearson)
from m = 5 on, below alpha = 0.05 from m = 10 on. For z > 1.5, which is alpha < 0.13 of two-sided
limits, r is within 0.74 … 1.39 there.

Limits that stay at the end of the range although there are thousands of counts on both sides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from harness.base.numerics.arrays import Bools, Floats
from harness.checks.conformance.properties import Index
from harness.checks.findings import FAIL, FindingPlaces, Verdict, format_cell
from harness.checks.tails.tails import LimitName, LimitTails


@dataclass(frozen=True)
class Fault:
    """Something that is wrong with limits of one size, alpha and side."""

    verdict: Verdict
    """A failure or a remark."""
    message: str
    """One sentence with the first counter-example."""
    cell: dict[str, float | int | str]
    count: int = 1
    """The number of limits that it holds for."""
    all_places: FindingPlaces | None = None
    """All of them; None where it is about many limits together."""

    @property
    def places(self) -> FindingPlaces:
        """All limits that it holds for, or the size and alpha of its message."""
        return self.all_places or FindingPlaces.at(self.cell)

    @property
    def is_failure(self) -> bool:
        """Whether it is a failure and no remark."""
        return self.verdict == FAIL


Rule = Callable[[LimitTails, LimitName], Bools]
"""Where limits break a rule; shape of the limits."""
Described = tuple[str, dict[str, float]]
"""What is wrong with a limit, in a clause, and the numbers of its cell beside the limit."""
Describe = Callable[[LimitTails, LimitName, Index], Described]
"""Describes the limit at a place of the arrays."""


def first_fault(
    records: Sequence[LimitTails],
    rule: Rule,
    describe: Describe,
    verdict: Verdict,
) -> Iterator[Fault]:
    """The first limit that breaks a rule with all that do, if any does.

    It is the one of the smallest size, with the alpha nearest to 0.05.
    """
    broken = []
    for tails, name in limits_of(records):
        indices = np.argwhere(rule(tails, name))
        if indices.size:
            broken.append((tails, name, indices))
    if broken:
        tails, name, indices = broken[0]
        index = tails.first_of(indices)
        places = FindingPlaces.joined([tails.places(indices) for tails, _, indices in broken])
        clause, numbers = describe(tails, name, index)
        limit, place = float(tails.limit(name)[index]), tails.cell(index)
        message = f"the {name} limit {limit:.6g} at {format_cell(place)} {clause}"
        cell = {**place, name: limit, **numbers, "broken": places.count}
        yield Fault(verdict, message, cell, places.count, places)


BEYOND: Mapping[LimitName, str] = {"lower": "below", "upper": "above"}
"""Where the truths lie that a limit leaves out, and so the tail."""


def limits_of(records: Sequence[LimitTails]) -> Iterator[tuple[LimitTails, LimitName]]:
    """Each record with the names of its limits."""
    for tails in records:
        for name in tails.names:
            yield tails, name


SHIFT = 1.9
"""How many counts a limit may lie off, plus ``SLOPE`` of its distance."""
SHIFT_OF_SEVERAL = 6.5
"""The same for the least of several counts: of their variances some methods use others."""
SLOPE = 0.02
FAILURE = (0.7, 1.4)
"""The allowed r, where z is at least ``LARGE_Z``."""
LARGE_Z = 1.5
REMARK_BELOW, REMARK_ABOVE = 0.15, 0.2
"""Distances of r from 1 beyond which there is a remark; larger in proportion where z < 1.96."""
FEWEST, FEWEST_AT_SMALL_ALPHA, SMALL_ALPHA = 5.0, 10.0, 0.0499
"""The smallest count of successes or failures at which r is held to these bounds."""
MANY, SLOPE_OF_MANY = 2500.0, 0.05
"""Counts from which on r is near 1 at any smaller alpha too: within 0.05 + z/√m."""
_USUAL_Z = 1.96
JUDGED_ALPHAS = (0.00999, 0.201)
"""The alphas at which it is."""

ROUNDING = 1e-4
"""What rounding may add to a tail, relative to alpha: SciPy's ``gammaincinv`` adds 7e-6 at x = 10^6
and alpha = 1e-6."""
SOLVED = 2e-12
"""How far a limit may lie from the solution of its equation, as of SciPy's ``brentq``."""


def exceeds_alpha(tails: LimitTails, name: LimitName) -> Bools:
    """Where a limit leaves more than alpha, so that the contract at-least is broken."""
    alphas = tails.by_alpha(tails.alphas)
    size = max(tails.outcomes.sizes)
    allowed = alphas * (1.0 + ROUNDING) + SOLVED * size
    return np.asarray(np.nan_to_num(tails.tail[name], nan=0.0) > allowed)


EXACT, FEWEST_EXACT, SHARE_EXACT = 1e-5, 3, 0.75
"""How near tails are to alpha/2, and how many of them, where limits are solutions for alpha/2."""
UNLIKE = 0.05
"""How far another one may be from it, relative to it."""


def is_unlike_exact(tails: LimitTails, name: LimitName) -> Bools:
    """Where a limit does not leave alpha/2 as nearly all others do, which are exact ones.

    By convention a limit at x = 0 or n may have all of alpha: the other one leaves nothing there.
    """
    return _is_unlike(tails, tails.tail[name], 2.0 if tails.is_two_sided else 1.0)


def is_unlike_mid_p(tails: LimitTails, name: LimitName) -> Bools:
    """The same of tails with half of the outcome's own probability.

    By convention a limit at x = 0 or n may be the exact one, with all of the probability there.
    """
    return _is_unlike(tails, ndtr(-tails.r[name] * tails.z), 0.5)


def _is_unlike(tails: LimitTails, tail: Floats, factor_at_end: float) -> Bools:
    """Where a tail is not that of nearly all others of its size and alpha, if that is alpha/2.

    Limits that solve the same equation at nearly all outcomes are wrong where they do not, under
    any contract; but for x = 0 and n, where the tail may also be larger by a factor.
    """
    if len(tails.outcomes.counts) > 1:
        return np.zeros(tail.shape, np.bool_)
    expected = tails.by_alpha(tails.expected)
    room = UNLIKE * expected + SOLVED * max(tails.outcomes.sizes)
    is_exact = np.abs(tail / expected - 1.0) < EXACT
    count = (~np.isnan(tail)).sum(axis=1, keepdims=True)
    rest = is_exact.sum(axis=1, keepdims=True) >= np.maximum(FEWEST_EXACT, SHARE_EXACT * count)
    by_convention = (tails.least == 0) & (np.abs(tail - factor_at_end * expected) <= room)
    return np.asarray(rest & (np.abs(tail - expected) > room) & ~by_convention)


def fault_of_unlike(tails: LimitTails, name: LimitName, index: Index) -> Described:
    """The fault of a limit of another formula than the others."""
    tail, expected = float(tails.tail[name][index]), float(tails.expected[index[0]])
    text = f"{expected:g} expected, as the limits of nearly all other outcomes leave"
    return f"leaves {tail:.3g} {BEYOND[name]}, {text}", {"found": tail, "expected": expected}


def is_inside(tails: LimitTails) -> Bools:
    """Where r is near 1 for every sound method; shape of the limits."""
    alphas = tails.by_alpha(tails.alphas)
    fewest = np.where(alphas < SMALL_ALPHA, FEWEST_AT_SMALL_ALPHA, FEWEST)
    judged = (alphas > JUDGED_ALPHAS[0]) & (alphas < JUDGED_ALPHAS[1])
    return np.asarray(judged & (tails.least >= fewest))


def is_far_off(tails: LimitTails, name: LimitName) -> Bools:
    """Where r is farther from 1 than for any sound method."""
    r, z = tails.r[name], tails.z
    shift = SHIFT if len(tails.outcomes.counts) == 1 else SHIFT_OF_SEVERAL
    spread = shift / np.sqrt(np.maximum(tails.least, 1.0)) + SLOPE * z
    far = np.abs(r - 1.0) * z > spread
    far |= (z > LARGE_Z) & ((r < FAILURE[0]) | (r > FAILURE[1]))
    is_large = (tails.least >= MANY) & (tails.by_alpha(tails.alphas) < JUDGED_ALPHAS[1])
    beyond = np.abs(r - 1.0) > SLOPE_OF_MANY + z / np.sqrt(np.maximum(tails.least, 1.0))
    return np.asarray((far & is_inside(tails)) | (is_large & beyond))


def is_off(tails: LimitTails, name: LimitName) -> Bools:
    """Where r is farther from 1 than for most sound methods."""
    distance = (tails.r[name] - 1.0) * np.minimum(tails.z / _USUAL_Z, 1.0)
    return np.asarray(
        ((distance < -REMARK_BELOW) | (distance > REMARK_ABOVE)) & is_inside(tails)
    ) | is_far_off(tails, name)


def is_swapped(tails: LimitTails, name: LimitName) -> Bools:
    """Where a limit lies on the other side of the estimate, about as far off as it should be."""
    r = tails.r[name]
    return np.asarray((r < -0.6) & (r > -1.6) & is_inside(tails))


def fault_at_least(tails: LimitTails, name: LimitName, index: Index) -> Described:
    """The failure of a limit that leaves more than alpha."""
    tail, alpha = float(tails.tail[name][index]), tails.alphas[index[0]]
    clause = f"leaves {tail:.3g} {BEYOND[name]}, at most {alpha:g} allowed"
    return clause, {"found": tail, "expected": alpha}


def fault_of_r(tails: LimitTails, name: LimitName, index: Index) -> Described:
    """The fault of a limit whose r is not near 1."""
    r, expected = float(tails.r[name][index]), float(tails.expected[index[0]])
    tail = float(ndtr(-r * tails.z.ravel()[index[0]]))
    clause = (
        f"leaves {tail:.3g} {BEYOND[name]}, {expected:g} expected "
        f"(with half of the probability of the outcome itself; r = {r:.3g})"
    )
    return clause, {"found": tail, "expected": expected, "r": r}


def fault_of_swapped(tails: LimitTails, name: LimitName, index: Index) -> Described:
    """The fault of a limit in the place of the other one."""
    other = "upper" if name == "lower" else "lower"
    return f"is where the {other} limit belongs: one side is taken for the other", {}


FEWEST_AT_END, SHARE_AT_END = 2500.0, 0.25
"""Counts of successes and failures, and shares of n, from which on even Chebyshev's inequality with
the variance n/4 gives a limit inside the range at alpha = 0.001, 31.6 standard deviations off."""
SMALLEST_ALPHA_AT_END = 0.00099


def stays_at_the_end(tails: LimitTails, name: LimitName) -> Bools:
    """Where a limit says nothing, although it is at a large count."""
    low, high = tails.outcomes.family.support
    limit = tails.limit(name)
    at_end = limit <= low if name == "lower" else limit >= high
    alphas = tails.by_alpha(tails.alphas)
    largest = max(tails.outcomes.largest_counts)
    fewest = max(FEWEST_AT_END, SHARE_AT_END * largest) if np.isfinite(largest) else FEWEST_AT_END
    return np.asarray(at_end & (alphas > SMALLEST_ALPHA_AT_END) & (tails.least >= fewest))


def fault_of_end(tails: LimitTails, name: LimitName, index: Index) -> Described:
    """The fault of a limit at the end of the range."""
    return "is the end of the range: it says nothing", {}
