"""What any interval method should keep: each part says where the limits break it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from harness.checks.conformance.grid import Outcomes
from harness.families.catalogue import family_of
from harness.families.family import Family
from harness.methods.method import LOWER, TWO_SIDED, UPPER
from harness.numerics.arrays import Bools, Floats

ROUNDING = 1e-9
"""Limits this close are equal: some methods solve for theirs to no more digits."""

MIRROR = {TWO_SIDED: TWO_SIDED, LOWER: UPPER, UPPER: LOWER}


@dataclass(frozen=True)
class Look:
    """The limits of one side over some outcomes."""

    outcomes: Outcomes
    side: str
    alphas: tuple[float, ...]
    """Ascending."""
    lower: Floats
    """By alpha and the counts of each sample, shape (a, k) or (a, k1, k2); not a number where
    there is none."""
    upper: Floats
    failures: Mapping[tuple[int, ...], str]
    """Why there is none, by place in the limits."""

    @property
    def family(self) -> Family:
        return family_of(self.outcomes.family)

    @property
    def is_two_sided(self) -> bool:
        return self.side == TWO_SIDED

    @property
    def estimate(self) -> Floats:
        return self.family.estimate(self.outcomes.data()).reshape(self.outcomes.shape)

    def slack(self, limits: Floats) -> Floats:
        """What rounding may do to limits, which of rates are of any size; shape of the limits."""
        if np.isfinite(self.family.support).all():
            return np.full_like(limits, ROUNDING)
        unit = max(1.0 / size for size in self.outcomes.sizes)
        return np.asarray(ROUNDING * (np.where(np.isfinite(limits), np.abs(limits), 0.0) + unit))

    @property
    def answered(self) -> Bools:
        """Where the method gave limits, whatever they are."""
        answered = np.ones(self.lower.shape, np.bool_)
        for place in self.failures:
            answered[place] = False
        return answered


@dataclass(frozen=True)
class Broken:
    """Where a part is broken, and by comparison with what."""

    where: Bools
    """Shape of the limits."""
    beside: str = ""
    lower: Floats | None = None
    """The limits compared with, of the shape of the limits."""
    upper: Floats | None = None


Part = Callable[[Look, Look], Broken]
"""(the limits of a side, those of its mirrored side) -> where they break the part"""


def is_finite(look: Look, mirrored: Look) -> Broken:
    low = np.isfinite(look.lower) | ((look.lower == -np.inf) & (look.side == UPPER))
    high = np.isfinite(look.upper) | ((look.upper == np.inf) & (look.side == LOWER))
    return Broken(~(low & high) & look.answered)


def is_ordered(look: Look, mirrored: Look) -> Broken:
    return Broken(look.lower > look.upper + look.slack(look.upper))


def stays_in_range(look: Look, mirrored: Look) -> Broken:
    low, high = look.family.support
    below = np.minimum(look.lower, look.upper) < low - look.slack(look.lower)
    return Broken(below | (np.maximum(look.lower, look.upper) > high + look.slack(look.upper)))


def rises_with_x(look: Look, mirrored: Look) -> Broken:
    return _monotone(look, 1, 1.0, "the next x has")


def is_monotone(look: Look, mirrored: Look) -> Broken:
    """Of two samples: rises with the one count, rises or falls with the other."""
    first = _monotone(look, 1, 1.0, "the next x1 has")
    if first.where.any():
        return first
    return _monotone(look, 2, look.family.weights[1], "the next x2 has")


def _monotone(look: Look, axis: int, sign: float, beside: str) -> Broken:
    """Where a limit at the next count along an axis is lower, or of a negative sign higher."""
    where, following = np.zeros(look.lower.shape, np.bool_), []
    count = look.lower.shape[axis]
    after = np.minimum(np.arange(count) + 1, count - 1)
    for limits in (look.lower, look.upper):
        next_one = np.take(limits, after, axis)
        with np.errstate(invalid="ignore"):  # two infinite ends
            where |= np.sign(sign) * (next_one - limits) < -look.slack(limits)
        following.append(next_one)
    return Broken(where, beside, *following)


def is_nested_in_alpha(look: Look, mirrored: Look) -> Broken:
    where = np.zeros(look.lower.shape, np.bool_)
    slack = look.slack(look.lower)[:-1]
    where[:-1] = (look.lower[1:] < look.lower[:-1] - slack) | (
        look.upper[1:] > look.upper[:-1] + slack
    )
    larger = "the next larger alpha has"
    return Broken(where, larger, _next_alpha(look.lower), _next_alpha(look.upper))


def _next_alpha(limits: Floats) -> Floats:
    return np.concatenate((limits[1:], limits[-1:]))


def mirrors(look: Look, mirrored: Look) -> Broken:
    """Failures for successes: limits taken from the range's other end."""
    whole = sum(look.family.support)
    axes = tuple(range(1, look.lower.ndim))
    low, high = (np.flip(whole - limits, axes) for limits in (mirrored.upper, mirrored.lower))
    slack = look.slack(look.lower)
    with np.errstate(invalid="ignore"):  # two infinite ends
        where = (np.abs(look.lower - low) > slack) | (np.abs(look.upper - high) > slack)
    return Broken(where, "those of the failures are, mirrored,", low, high)


def reaches_the_end(look: Look, mirrored: Look) -> Broken:
    low, high = look.family.support
    answered = look.answered
    if look.side == LOWER:
        return Broken((look.upper != high) & answered)
    if look.side == UPPER:
        return Broken((look.lower != low) & answered)
    return Broken(np.zeros(look.lower.shape, np.bool_))


def has_width(look: Look, mirrored: Look) -> Broken:
    """Of two-sided intervals only: a lower limit may reach 1 where alpha is above one half."""
    return Broken((look.lower == look.upper) & look.is_two_sided)


def holds_the_estimate(look: Look, mirrored: Look) -> Broken:
    estimate = look.estimate
    slack = look.slack(look.lower)
    outside = (look.lower > estimate + slack) | (look.upper < estimate - slack)
    return Broken(outside & look.is_two_sided)


COMPARING = ("is nested in alpha", "rises with x", "is monotone", "mirrors")
"""The parts that hold limits against those of other outcomes or alphas."""


def parts_of(family: str) -> dict[str, Part]:
    """The parts that the limits of a family's methods are held to, the gravest first."""
    known = family_of(family)
    bounded = bool(np.isfinite(known.support).all())
    ascending: dict[str, Part] = (
        {"rises with x": rises_with_x} if known.samples == 1 else {"is monotone": is_monotone}
    )
    return {
        "is finite": is_finite,
        "is ordered": is_ordered,
        "stays in range": stays_in_range,
        "is nested in alpha": is_nested_in_alpha,
        **ascending,
        **({"mirrors": mirrors} if bounded else {}),
        "reaches the end": reaches_the_end,
        "has width": has_width,
        "holds the estimate": holds_the_estimate,
    }
