"""The properties that every interval method should have; each says where limits violate it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Bools, Floats, Positions
from harness.checks.conformance.grid import CountGrid, DataSets
from harness.checks.findings import SIDE, USUAL_ALPHA, FindingPlaces
from harness.checks.plans import plan_of
from harness.families.family import Family
from harness.methods.method import LOWER, TWO_SIDED, UPPER, are_limits
from harness.methods.remarks import STAYS_IN_RANGE, leaves_range, rounding

SMALL_ALPHA, LARGE_ALPHA = 1e-4, 0.5
"""Where intervals are not nested at a smaller or a larger alpha only, that is a remark."""
SMALL_ALPHA_OF_RISE = 0.02
"""Where a limit moves against its direction at a smaller alpha only, that is a remark.

The normal quantile of a small alpha outgrows what a transform, or a centre shrunk towards the
middle, can follow. Limits by the logit fall with x from alpha = 0.01 and n = 28 on, at 0.001 from
n = 9 on, and those of Agresti and Caffo with a count.
"""

MIRROR = {TWO_SIDED: TWO_SIDED, LOWER: UPPER, UPPER: LOWER}
"""The side that each side becomes where successes and failures swap."""


Index = tuple[int, ...]
"""A place in the arrays of limits: alpha, then the count of each sample."""


@dataclass(frozen=True)
class SideLimits:
    """The limits of a method for one side, at all outcomes of one size and at several alphas.

    Arrays of limits have shape (a, k), or (a, k1, k2) for two samples: a alphas, and k counts of
    each sample; of pairs (a, m) with m tables. A limit is not a number where the method failed.
    """

    outcomes: CountGrid
    side: str
    alphas: tuple[float, ...]
    """Ascending."""
    lower: Floats
    upper: Floats

    @property
    def family(self) -> Family:
        """The family of the method."""
        return self.outcomes.family

    @property
    def is_two_sided(self) -> bool:
        """Whether both limits are finite."""
        return self.side == TWO_SIDED

    def by_alpha(self, values: Any) -> Any:
        """Values for each alpha, shape (a,), to be broadcast with limits."""
        return np.reshape(values, (-1, *(1,) * (self.lower.ndim - 1)))

    def cell(self, index: Index) -> dict[str, float | int | str]:
        """The outcome, alpha and, if one-sided, the side of one place."""
        cell = {**self.outcomes.cell(index[1:]), "alpha": self.alphas[index[0]]}
        return cell if self.is_two_sided else {**cell, SIDE: self.side}

    def at_alphas(self, chosen: Bools) -> SideLimits:
        """The limits at some of the alphas."""
        alphas = tuple(np.array(self.alphas)[chosen].tolist())
        return SideLimits(self.outcomes, self.side, alphas, self.lower[chosen], self.upper[chosen])

    def first_of(self, indices: Iterable[Iterable[int]]) -> Index:
        """The first of some places whose alpha is nearest to 0.05."""
        return min(
            (tuple(map(int, index)) for index in indices),
            key=lambda index: (abs(math.log(self.alphas[index[0]] / USUAL_ALPHA)), index),
        )

    def places(self, indices: Positions) -> FindingPlaces:
        """The outcomes, sizes, alphas and limits at some places.

        Args:
            indices: alpha and the count of each sample, shape (k, 1 + samples).
        """
        at = tuple(indices.T)
        places = np.ravel_multi_index(at[1:], self.outcomes.shape)
        columns = {
            **self.outcomes.columns_at(places),
            "alpha": np.array(self.alphas)[at[0]],
            SIDE: np.full(places.size, self.side),
            "lower": self.lower[at],
            "upper": self.upper[at],
        }
        return FindingPlaces(columns)


@dataclass(frozen=True)
class Evaluation(SideLimits):
    """The limits of a method for one side, as it returned them."""

    mirror_lower: Floats
    """Lower limits of the mirrored side; of this side where the method lacks the other one."""
    mirror_upper: Floats
    failures: Mapping[Index, str]
    """Why the method failed, by index in the arrays of limits."""

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

    def leaves_boundary_out(self, estimate: Floats) -> Bools:
        """Where the estimate is at the boundary, and of one sample next to the limit.

        Of several counts those that move the parameter may be at their ends instead.
        """
        at_boundary = np.broadcast_to(np.isin(estimate, self.family.support), self.lower.shape)
        if not self.family.directions:
            return at_boundary
        if not self.family.has_single_count:
            family, outcomes = self.family, self.outcomes
            sizes = family.size_of_counts(outcomes.sizes)
            at_end = [
                count == 0
                for moves, x, size in zip(family.directions, outcomes.flat(), sizes, strict=True)
                if moves
                for count in family.model.counts_of(x, size)
            ]
            is_end = np.logical_or.reduce(at_end).reshape(outcomes.shape)
            return np.asarray(at_boundary | is_end)
        (size,) = self.outcomes.sizes
        distance = np.maximum(self.lower - estimate, estimate - self.upper)
        alphas = self.by_alpha(np.array(self.alphas))
        return np.asarray(at_boundary & ((size * distance <= alphas) | (alphas > _TESTED_AT_ENDS)))


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
    mild: Bools | None = None
    """Where the violation is a remark and no failure; None for nowhere."""

    @property
    def failing(self) -> Bools:
        """Where the violation is a failure, shape of the limits."""
        return self.where if self.mild is None else self.where & ~self.mild


Property = Callable[[Evaluation], Violation]


def is_finite(evaluation: Evaluation) -> Violation:
    """Limits are finite, or infinite where ``are_limits`` says that they may be."""
    lower, upper = evaluation.lower, evaluation.upper
    finite = are_limits(lower, upper, evaluation.side, evaluation.family)
    return Violation(~finite & evaluation.answered)


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

    Of pairs they move as a pair moves from second_only to first_only. A break at an unusual alpha
    only is a remark.
    """
    unusual = evaluation.by_alpha(_unusual(evaluation, SMALL_ALPHA_OF_RISE))
    estimate = evaluation.estimate.ravel()
    violations = []
    for step in evaluation.outcomes.steps():
        where, following = np.zeros(evaluation.lower.shape, np.bool_), []
        for limits in (evaluation.lower, evaluation.upper):
            next_one = _at_places(limits, step.places)
            with np.errstate(invalid="ignore"):  # two infinite limits
                where |= step.direction * (next_one - limits) < -evaluation.tolerance(limits)
            following.append(next_one)
        # The logarithm of 0, infinity or 0/0 is no estimate, and limits of a ratio follow a
        # convention: counts with one half added, or no limits at all. They are wider than those of
        # the next outcome, in which they need not lie.
        is_open = ~evaluation.family.scale.has_place(estimate)
        is_open = is_open | is_open[step.places]
        mild = unusual | np.broadcast_to(is_open.reshape(evaluation.outcomes.shape), where.shape)
        lower, upper = following
        violations.append(Violation(where, step.compared_with, lower, upper, mild))
    return max(violations, key=lambda violation: (violation.failing.any(), violation.where.any()))


def _unusual(evaluation: Evaluation, small: float) -> Bools:
    """Which alphas are so small or so large that a broken shape is a remark, shape (a,)."""
    alphas = np.array(evaluation.alphas)
    return np.asarray((alphas < small) | (alphas > LARGE_ALPHA))


def _at_places(limits: Floats, places: Positions) -> Floats:
    """The limits at other outcomes, by the place of the other one for each; shape of the limits."""
    flat = limits.reshape(limits.shape[0], -1)
    return flat[:, places].reshape(limits.shape)


def is_nested_in_alpha(evaluation: Evaluation) -> Violation:
    """The interval at a larger alpha lies within the interval at a smaller one.

    Where one of the two alphas is unusual, that they are not nested is a remark.
    """
    lower, upper = evaluation.lower, evaluation.upper
    where = np.zeros(lower.shape, np.bool_)
    below, above = (evaluation.tolerance(limits)[:-1] for limits in (lower, upper))
    where[:-1] = (lower[1:] < lower[:-1] - below) | (upper[1:] > upper[:-1] + above)
    next_lower = np.concatenate((lower[1:], lower[-1:]))
    next_upper = np.concatenate((upper[1:], upper[-1:]))
    unusual = _unusual(evaluation, SMALL_ALPHA)
    unusual |= np.append(unusual[1:], False)
    mild = np.broadcast_to(evaluation.by_alpha(unusual), where.shape)
    shrinks = (lower[1:] > lower[:-1] + below) | (upper[1:] < upper[:-1] - above)
    words = "the next larger alpha has"
    if not shrinks.any():
        words = "the next larger alpha, which the method seems to take for a confidence level, has"
    return Violation(where, words, next_lower, next_upper, mild)


def mirrors(evaluation: Evaluation) -> Violation:
    """Limits of the mirrored outcome are the mirrored limits.

    They differ by no more than rounding, also of 1 − alpha/2: the quantile of an upper tail of
    alpha/2 is often asked for as that of 1 − alpha/2, which no double is. Where alpha is tiny,
    Clopper-Pearson limits by SciPy's ``beta.ppf`` are off by 1e-9 for that. A limit of a ratio
    below 1e-12 is as good as 0, and one above 1e12 as infinity: where R's ``fisher.test`` searches
    for a limit, it ends at 2e-16.
    """
    outcomes = evaluation.outcomes
    mirror = evaluation.family.mirrored
    assert mirror is not None
    mirrored = mirror(evaluation.mirror_lower, evaluation.mirror_upper)
    where, places = np.zeros(evaluation.lower.shape, np.bool_), outcomes.mirror()
    if places is None:
        return Violation(where)
    low, high = (_at_places(limits, places) for limits in mirrored)
    for limits, others in ((evaluation.lower, low), (evaluation.upper, high)):
        tolerance = evaluation.tolerance(limits) + np.maximum(
            _rounding_of_tail(evaluation, limits), _rounding_of_tail(evaluation, others)
        )
        found, expected = map(evaluation.family.scale.rounded_to_ends, (limits, others))
        with np.errstate(invalid="ignore"):  # two infinite limits
            where |= np.abs(found - expected) > tolerance
    return Violation(where, outcomes.mirror_words, low, high)


def _rounding_of_tail(evaluation: Evaluation, limits: Floats) -> Floats:
    """How far a limit moves where a tail of alpha/2 is computed as 1 less a double.

    The tail is then off by up to 2^-53 of alpha/2 in 1 − alpha/2, and the limit by that times its
    derivative with respect to log alpha, which the limits at the next alpha tell.
    """
    alphas = np.array(evaluation.alphas)
    if alphas.size == 1:
        return np.zeros_like(limits)
    with np.errstate(invalid="ignore"):  # two infinite limits
        slopes = np.abs(np.diff(limits, axis=0))
    slopes = np.nan_to_num(slopes, posinf=0.0) / evaluation.by_alpha(np.diff(np.log(alphas)))
    return np.asarray(
        np.concatenate((slopes, slopes[-1:])) * evaluation.by_alpha(_ROUNDED_TAIL / alphas)
    )


_ROUNDED_TAIL = 2.0**-52
"""The error of 1 − alpha/2 relative to alpha: 2^-53, and as much in a level that is given as
1 − alpha and halved later."""


def keeps_order(evaluation: Evaluation) -> Violation:
    """Limits do not depend on the order of the numbers in the lists."""
    outcomes = evaluation.outcomes
    assert isinstance(outcomes, DataSets)
    limits = np.array((evaluation.lower, evaluation.upper))
    places = outcomes.reversed()
    low, high = _at_places(limits[0], places), _at_places(limits[1], places)
    with np.errstate(invalid="ignore"):  # two infinite limits
        apart = np.abs(limits - (low, high)) > evaluation.tolerance(limits)
    where = np.asarray(apart.any(axis=0))
    return Violation(where, "the same data in the reverse order have", low, high)


def reaches_the_end(evaluation: Evaluation) -> Violation:
    """A one-sided interval extends to the boundary of the support on its other side."""
    low, high = evaluation.family.support
    lower, upper = evaluation.lower, evaluation.upper
    if evaluation.side == LOWER:
        where, is_other_side = upper != high, bool((lower == low).all())
        lower_of_side, upper_of_side = lower, np.full_like(upper, high)
    elif evaluation.side == UPPER:
        where, is_other_side = lower != low, bool((upper == high).all())
        lower_of_side, upper_of_side = np.full_like(lower, low), upper
    else:
        return Violation(np.zeros(lower.shape, np.bool_))
    words = f"a method of the side {evaluation.side} has"
    if is_other_side:
        words = f"the limits are those of the other side, and {words}"
    return Violation(where & evaluation.answered, words, lower_of_side, upper_of_side)


def has_width(evaluation: Evaluation) -> Violation:
    """A two-sided interval has a positive length.

    A one-sided interval need not: its lower limit may reach 1 where alpha is above one half. There,
    that a two-sided one has none is a remark; so it is at lists without any spread, as the standard
    error of equal values is 0, and at an end of the range where the count has a law of its own,
    whose settings the data then contradict.
    """
    outcomes, family = evaluation.outcomes, evaluation.family
    mild = evaluation.by_alpha(np.array(evaluation.alphas) > LARGE_ALPHA)
    if isinstance(outcomes, DataSets):
        mild = mild | ~plan_of(family).lists.differ(outcomes.counts)
    if family.law is not None:
        mild = mild | np.isin(evaluation.lower, family.support)
    mild = np.broadcast_to(mild, evaluation.lower.shape)
    return Violation((evaluation.lower == evaluation.upper) & evaluation.is_two_sided, mild=mild)


def holds_the_estimate(evaluation: Evaluation) -> Violation:
    """A two-sided interval contains the estimate, if a ratio's is neither 0 nor infinite.

    An alpha above 0.2 may leave both limits on one side of the estimate, which is a remark: limits
    about (x + 2)/(n + 4) do at 0.3. So is an estimate at the boundary that two equal tails leave
    out, as those of Jeffreys' do: where alpha is at most 0.1, of one sample by less than alpha
    expected counts, so that the truths in between have this outcome with a probability of more
    than 1 − alpha; and of two samples one that is left out at a count of none or of all.
    """
    estimate, tolerance = evaluation.estimate, evaluation.tolerance(evaluation.lower)
    outside = (evaluation.lower > estimate + tolerance) | (evaluation.upper < estimate - tolerance)
    outside &= evaluation.family.scale.has_place(estimate)
    mild = evaluation.by_alpha(np.array(evaluation.alphas) > _LARGE_FOR_ESTIMATE)
    return Violation(
        outside & evaluation.is_two_sided, mild=mild | evaluation.leaves_boundary_out(estimate)
    )


_LARGE_FOR_ESTIMATE, _TESTED_AT_ENDS = 0.2, 0.1
"""The alpha above which limits may leave the estimate out, and that above which they may leave out
one of 0 or 1 by any distance, as add-four limits do from alpha = 0.15 on."""


NEEDS_DETERMINISTIC = (
    "is nested in alpha",
    "rises with x",
    "is monotone",
    "mirrors",
    "keeps order",
)
"""Properties that compare limits with those of other outcomes or alphas."""
NEEDS_ALPHAS = ("is nested in alpha",)
"""Properties that compare limits of several alphas."""


def properties_of(family: Family) -> dict[str, Property]:
    """The properties of the limits of a family's methods by name, the gravest first."""
    moves: dict[str, Property] = {}
    if family.lists and not family.list_lengths:
        # There is no next data set, but the order of a list may not matter.
        moves = {"keeps order": keeps_order}
    if family.directions:
        moves = {"rises with x" if family.has_single_count else "is monotone": is_monotone}
    return {
        "is finite": is_finite,
        "is ordered": is_ordered,
        STAYS_IN_RANGE: stays_in_range,
        "is nested in alpha": is_nested_in_alpha,
        **moves,
        **({"mirrors": mirrors} if family.mirrored is not None else {}),
        "reaches the end": reaches_the_end,
        "has width": has_width,
        "holds the estimate": holds_the_estimate,
    }


HUNDRED = 100.0
_SHARE = 0.9
"""At least so many of the intervals hold the estimate if their limits are divided by 100."""


def as_fractions(evaluations: Sequence[Evaluation]) -> list[Evaluation] | None:
    """Return the limits divided by 100 where they look like per cent; None where they do not.

    They do if a bounded parameter has two-sided limits of which some lie outside its range, and
    all a hundred times as far at most, and if a hundredth of them holds nearly all estimates.
    """
    if not evaluations:
        return None
    fractions, largest, holds = [], 0.0, []
    for evaluation in evaluations:
        family, limits = evaluation.family, np.array([evaluation.lower, evaluation.upper])
        low, high = (HUNDRED * end for end in family.support)
        slack = 1e-6 * HUNDRED
        may_be = evaluation.is_two_sided and np.isfinite(family.support).all()
        if not (may_be and ((limits >= low - slack) & (limits <= high + slack)).all()):
            return None
        fraction = replace(
            evaluation,
            lower=evaluation.lower / HUNDRED,
            upper=evaluation.upper / HUNDRED,
            mirror_lower=evaluation.mirror_lower / HUNDRED,
            mirror_upper=evaluation.mirror_upper / HUNDRED,
        )
        slack = 1e-9
        inside = fraction.lower <= evaluation.estimate + slack
        inside &= fraction.upper >= evaluation.estimate - slack
        holds.append(inside[np.array(evaluation.alphas) <= LARGE_ALPHA].ravel())
        largest = max(largest, float(np.max(np.abs(evaluation.upper))))
        fractions.append(fraction)
    held = np.concatenate(holds)
    if largest <= 1.5 or not held.size or held.mean() < _SHARE:
        return None
    return fractions
