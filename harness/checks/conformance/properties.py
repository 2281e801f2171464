"""The properties that every interval method should have; each says where limits violate it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from harness.checks.conformance.grid import Outcomes, Step
from harness.checks.conformance.list_grid import DataSets
from harness.families.catalogue import family_of
from harness.families.family import Family
from harness.methods.method import LOWER, TWO_SIDED, UPPER
from harness.methods.remarks import STAYS_IN_RANGE, leaves_range, rounding
from harness.numerics.arrays import Bools, Floats, Positions

MIRROR = {TWO_SIDED: TWO_SIDED, LOWER: UPPER, UPPER: LOWER}
"""The side that each side becomes where successes and failures swap."""


@dataclass(frozen=True)
class Evaluation:
    """The limits of a method for one side, at all outcomes of one size and at several alphas.

    Arrays of limits have shape (a, k), or (a, k1, k2) for two samples: a alphas, and k counts of
    each sample; of pairs (a, m) with m tables. A limit is not a number where the method failed.
    """

    outcomes: Outcomes
    side: str
    alphas: tuple[float, ...]
    """Ascending."""
    lower: Floats
    upper: Floats
    mirror_lower: Floats
    """Lower limits of the mirrored side; of this side where the method lacks the other one."""
    mirror_upper: Floats
    failures: Mapping[tuple[int, ...], str]
    """Why the method failed, by index in the arrays of limits."""

    @property
    def family(self) -> Family:
        """The family of the method."""
        return family_of(self.outcomes.family)

    @property
    def is_two_sided(self) -> bool:
        """Whether both limits are finite."""
        return self.side == TWO_SIDED

    @property
    def estimate(self) -> Floats:
        """The estimate of the parameter at each outcome, shape (k,) or (k1, k2)."""
        data = self.outcomes.observed().columns()
        return self.family.estimate(data).reshape(self.outcomes.shape)

    @property
    def answered(self) -> Bools:
        """Where the method returned limits, sound or not; shape of the limits."""
        answered = np.ones(self.lower.shape, np.bool_)
        for index in self.failures:
            answered[index] = False
        return answered

    def tolerance(self, limits: Floats) -> Floats:
        """The tolerance for rounding."""
        return rounding(limits, self.family, self.outcomes.sizes)


@dataclass(frozen=True)
class Violation:
    """Where limits violate a property, and the limits that they were compared with."""

    where: Bools
    """Shape of the limits."""
    compared_with: str = ""
    """What has the limits compared with, as "the next x has"; a clause of the message."""
    lower: Floats | None = None
    """The lower limits compared with, shape of the limits."""
    upper: Floats | None = None


Property = Callable[[Evaluation], Violation]


def is_finite(evaluation: Evaluation) -> Violation:
    """Limits are finite; an open side, and an upper limit of a ratio, may be infinite.

    So may a one-sided lower limit of a ratio, which may lie above an infinite estimate.
    """
    lower, upper, side = evaluation.lower, evaluation.upper, evaluation.side
    is_ratio = evaluation.family.is_ratio
    low = np.isfinite(lower) | ((lower == -np.inf) & (side == UPPER))
    low |= (lower == np.inf) & (is_ratio and side == LOWER)
    high = np.isfinite(upper) | ((upper == np.inf) & (is_ratio or side == LOWER))
    return Violation(~(low & high) & evaluation.answered)


def is_ordered(evaluation: Evaluation) -> Violation:
    """The lower limit is at most the upper limit."""
    lower, upper = evaluation.lower, evaluation.upper
    return Violation(lower > upper + evaluation.tolerance(upper))


def stays_in_range(evaluation: Evaluation) -> Violation:
    """Both limits lie within the support of the parameter."""
    sizes = evaluation.outcomes.sizes
    return Violation(leaves_range(evaluation.lower, evaluation.upper, evaluation.family, sizes))


def is_monotone(evaluation: Evaluation) -> Violation:
    """Both limits move with the count of each sample as the parameter does with its truth.

    Of pairs they move as a pair moves from second_only to first_only.
    """
    violations = [_monotone(evaluation, step) for step in evaluation.outcomes.steps()]
    return next((each for each in violations if each.where.any()), violations[-1])


def _monotone(evaluation: Evaluation, step: Step) -> Violation:
    """Where a limit after a step moves against its direction."""
    where, following = np.zeros(evaluation.lower.shape, np.bool_), []
    for limits in (evaluation.lower, evaluation.upper):
        next_one = _at_places(limits, step.places)
        with np.errstate(invalid="ignore"):  # two infinite limits
            where |= step.direction * (next_one - limits) < -evaluation.tolerance(limits)
        following.append(next_one)
    return Violation(where, step.compared_with, *following)


def _at_places(limits: Floats, places: Positions) -> Floats:
    """The limits at other outcomes, by the place of the other one for each; shape of the limits."""
    flat = limits.reshape(limits.shape[0], -1)
    return flat[:, places].reshape(limits.shape)


def is_nested_in_alpha(evaluation: Evaluation) -> Violation:
    """The interval at a larger alpha lies within the interval at a smaller one."""
    lower, upper = evaluation.lower, evaluation.upper
    where = np.zeros(lower.shape, np.bool_)
    below, above = (evaluation.tolerance(limits)[:-1] for limits in (lower, upper))
    where[:-1] = (lower[1:] < lower[:-1] - below) | (upper[1:] > upper[:-1] + above)
    following = (np.concatenate((limits[1:], limits[-1:])) for limits in (lower, upper))
    return Violation(where, "the next larger alpha has", *following)


def mirrors(evaluation: Evaluation) -> Violation:
    """Limits of the mirrored outcome are the mirrored limits."""
    outcomes = evaluation.outcomes
    mirrored = evaluation.family.mirrored(evaluation.mirror_lower, evaluation.mirror_upper)
    assert mirrored is not None
    low, high = (_at_places(limits, outcomes.mirror()) for limits in mirrored)
    where = np.zeros(evaluation.lower.shape, np.bool_)
    for found, expected in ((evaluation.lower, low), (evaluation.upper, high)):
        with np.errstate(invalid="ignore"):  # two infinite limits
            where |= np.abs(found - expected) > evaluation.tolerance(found)
    return Violation(where, outcomes.mirror_words, low, high)


def keeps_order(evaluation: Evaluation) -> Violation:
    """Limits do not depend on the order of the numbers in the lists."""
    outcomes = evaluation.outcomes
    assert isinstance(outcomes, DataSets)
    low, high = (
        _at_places(each, outcomes.reversed()) for each in (evaluation.lower, evaluation.upper)
    )
    where = np.zeros(evaluation.lower.shape, np.bool_)
    for found, expected in ((evaluation.lower, low), (evaluation.upper, high)):
        with np.errstate(invalid="ignore"):  # two infinite limits
            where |= np.abs(found - expected) > evaluation.tolerance(found)
    return Violation(where, "the same data in the reverse order have", low, high)


def reaches_the_end(evaluation: Evaluation) -> Violation:
    """A one-sided interval extends to the boundary of the support on its other side."""
    low, high = evaluation.family.support
    where = np.zeros(evaluation.lower.shape, np.bool_)
    if evaluation.side == LOWER:
        where = evaluation.upper != high
    if evaluation.side == UPPER:
        where = evaluation.lower != low
    return Violation(where & evaluation.answered)


def has_width(evaluation: Evaluation) -> Violation:
    """A two-sided interval has a positive length.

    A one-sided interval need not: its lower limit may reach 1 where alpha is above one half.
    """
    return Violation((evaluation.lower == evaluation.upper) & evaluation.is_two_sided)


def holds_the_estimate(evaluation: Evaluation) -> Violation:
    """A two-sided interval contains the estimate, if a ratio's is neither 0 nor infinite."""
    estimate, tolerance = evaluation.estimate, evaluation.tolerance(evaluation.lower)
    outside = (evaluation.lower > estimate + tolerance) | (evaluation.upper < estimate - tolerance)
    if evaluation.family.is_ratio:
        outside &= (estimate > 0) & (estimate < np.inf)
    return Violation(outside & evaluation.is_two_sided)


NEEDS_DETERMINISTIC = (
    "is nested in alpha",
    "rises with x",
    "is monotone",
    "mirrors",
    "keeps order",
)
"""Properties that compare limits with those of other outcomes or alphas."""


def _moving_with_data(family: Family) -> dict[str, Property]:
    """How limits follow the counts; those of lists have no next one, but may not heed the order."""
    if not family.has_outcomes:
        return {"keeps order": keeps_order}
    return {"rises with x" if family.has_single_count else "is monotone": is_monotone}


def properties_of(family: str) -> dict[str, Property]:
    """The properties of the limits of a family's methods by name, the gravest first."""
    known = family_of(family)
    return {
        "is finite": is_finite,
        "is ordered": is_ordered,
        STAYS_IN_RANGE: stays_in_range,
        "is nested in alpha": is_nested_in_alpha,
        **_moving_with_data(known),
        **({"mirrors": mirrors} if known.has_mirror else {}),
        "reaches the end": reaches_the_end,
        "has width": has_width,
        "holds the estimate": holds_the_estimate,
    }
