"""The interval of a finding, beside those that it is compared with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from harness.checks.conformance.properties import Evaluation, Index, as_fractions
from harness.checks.findings import SIDE, Finding, IntervalExample, IntervalRow
from harness.methods.remarks import STAYS_IN_RANGE

_RISES = ("rises with x", "is monotone")
_NESTED, _MIRRORS, _KEEPS_ORDER = "is nested in alpha", "mirrors", "keeps order"
_SAME = 1e-12
"""The relative rounding of a printed alpha."""


@dataclass(frozen=True)
class Spot:
    """One outcome at one alpha in the limits of a method."""

    evaluation: Evaluation
    alpha: int
    """The place of the alpha."""
    place: int
    """The place of the outcome among all of its size."""

    @property
    def index(self) -> Index:
        """Its place in the arrays of limits."""
        places = np.unravel_index(self.place, self.evaluation.outcomes.shape)
        return (self.alpha, *map(int, places))

    @property
    def cell(self) -> dict[str, float | int | str]:
        """The counts, sizes and alpha by name."""
        cell = self.evaluation.outcomes.cell(self.index[1:])
        return {**cell, "alpha": self.evaluation.alphas[self.alpha]}

    @property
    def limits(self) -> tuple[float, float]:
        """The lower and the upper limit."""
        return float(self.evaluation.lower[self.index]), float(self.evaluation.upper[self.index])

    @property
    def fault(self) -> str:
        """Why there are no limits; "" where there are."""
        return self.evaluation.failures.get(self.index, "")

    def row(self, words: str = "", is_fault: bool = False) -> IntervalRow:
        """The interval there."""
        lower, upper = self.limits
        estimate = float(self.evaluation.estimate.ravel()[self.place])
        return IntervalRow(self.cell, words, lower, upper, estimate, is_fault, self.fault)

    def at(self, place: int) -> Spot:
        """Another outcome of that size, at the same alpha."""
        return Spot(self.evaluation, self.alpha, int(place))

    def step_against(self) -> tuple[Spot, list[str]] | None:
        """The outcome after the step against which limits move furthest, and the names of these."""
        farthest, against = 0.0, None
        for step in self.evaluation.outcomes.steps():
            other = self.at(int(step.places[self.place]))
            moved = [
                step.direction * (after - before)
                for before, after in zip(self.limits, other.limits, strict=True)
            ]
            names = [name for name, by in zip(("lower", "upper"), moved, strict=True) if by < 0]
            distance = max((-by for by in moved if by < 0), default=0.0)
            if names and distance >= farthest:
                farthest, against = distance, (other, names)
        return against

    def beside_its_image(self, check: str) -> tuple[list[IntervalRow], str]:
        """An interval, and that of the mirrored or reversed data, mirrored back."""
        evaluation, outcomes = self.evaluation, self.evaluation.outcomes
        if check == _KEEPS_ORDER:
            places = outcomes.reversed()  # type: ignore[attr-defined]
            other = self.at(int(places[self.place]))
            rows = [self.row(is_fault=True), other.row("in the reverse order", True)]
            return rows, "The same numbers in another order should have the same limits."
        places = outcomes.mirror()
        mirror = evaluation.family.mirrored
        if places is None or mirror is None:
            return [self.row(is_fault=True)], "The mirrored limits are not known."
        mirrored = mirror(evaluation.mirror_lower, evaluation.mirror_upper)
        there = int(places[self.place])
        low, high = (float(limits[self.alpha].ravel()[there]) for limits in mirrored)
        image = replace(
            self.row("mirrored back", True),
            cell=self.at(there).cell,
            lower=low,
            upper=high,
            fault=self.at(there).fault,
        )
        by = max(
            (abs(one - other) for one, other in zip(self.limits, (low, high), strict=True)),
            key=lambda distance: -1.0 if math.isnan(distance) else distance,
        )
        return (
            [self.row(is_fault=True), image],
            "The limits of an outcome, and those of the mirrored outcome mirrored back, should be "
            f"the same; they differ by up to {by:.3g}.",
        )

    def compared(self, check: str) -> tuple[list[IntervalRow], str]:
        """The rows of a picture, and what they show."""
        lower, upper = self.limits
        if check in _RISES:
            against = self.step_against()
            if against is not None:
                following, names = against
                rows = [self.row(is_fault=True), following.row("the next outcome", True)]
                limits = zip(("lower", "upper"), self.limits, following.limits, strict=True)
                parts = []
                for name, before, after in limits:
                    if name in names:
                        words = "falls" if after < before else "rises"
                        parts.append(
                            f"the {name} limit {words} from {_text(before)} to {_text(after)}"
                        )
                start, end = (_text(row.estimate) for row in rows)
                return rows, (
                    f"From the first outcome to the next {' and '.join(parts)}, while the estimate "
                    f"moves from {start} to {end}."
                )
        if check == _NESTED:
            wider = Spot(self.evaluation, self.alpha + 1, self.place)
            rows = [self.row(is_fault=True), wider.row("the next larger alpha", True)]
            return (
                rows,
                "The second interval may miss more often, and so should lie within the first one.",
            )
        if check in (_MIRRORS, _KEEPS_ORDER):
            return self.beside_its_image(check)
        rows = [self.row(is_fault=True)]
        outcomes, last = self.evaluation.outcomes, self.index[-1]
        if outcomes.has_neighbours:
            # The intervals of the outcomes beside it, along the last count.
            if last > 0:
                rows.insert(0, self.at(self.place - 1).row())
            if last < outcomes.shape[-1] - 1:
                rows.append(self.at(self.place + 1).row())
        if self.fault or (math.isnan(lower) and math.isnan(upper)):
            return rows, "The method has no limits here; those of the outcomes beside are drawn."
        family, (low, high) = self.evaluation.family, (_text(lower), _text(upper))
        start, end = map(_text, family.support)
        words = "is" if lower <= upper else "is none, as its limits are not in order or not finite:"
        sentences = {
            "is finite": f"The limits are {low} and {high}, not finite.",
            "is ordered": f"The lower limit {low} lies above the upper limit {high}.",
            STAYS_IN_RANGE: f"The interval {low} to {high} leaves the range of {family.parameter}, "
            f"{start} to {end}, which is shaded.",
            "reaches the end": "A one-sided interval should reach the end of the range.",
            "has width": f"Both limits are {low}: the interval has no length.",
            "holds the estimate": f"The estimate {_text(self.row().estimate)} (the dot) lies "
            f"outside of the interval {low} to {high}.",
            "has double precision": f"The limits {low} and {high} are numbers of 32 bits.",
        }
        return rows, sentences.get(check, f"The interval {words} {low} to {high}.")


def interval_example(finding: Finding, evaluations: Sequence[Evaluation]) -> IntervalExample | None:
    """The limits at the place of a finding; None where it has no place among them.

    Args:
        finding: of a property, or that there are no exact numbers.
        evaluations: the limits of the method that the finding was made by.
    """
    fractions = None if finding.check == STAYS_IN_RANGE else as_fractions(evaluations)
    spot = _find(finding, fractions or evaluations)
    if spot is None:
        return None
    evaluation, family, cell = spot.evaluation, spot.evaluation.family, spot.cell
    rows, sentence = spot.compared(finding.check)
    alphas = evaluation.alphas[spot.alpha :][: 2 if finding.check == _NESTED else 1]
    names = family.outcome_sizes
    return IntervalExample(
        sentence,
        family.parameter,
        family.unit,
        family.support,
        tuple(rows),
        {**{name: (float(cell[name]),) for name in names if name in cell}, "alpha": alphas},
    )


def _find(finding: Finding, evaluations: Sequence[Evaluation]) -> Spot | None:
    """The place of a finding's cell in the limits; of a size alone the first without limits."""
    cell = finding.cell
    for evaluation in evaluations:
        if cell.get(SIDE, evaluation.side) != evaluation.side:
            continue
        names = evaluation.family.outcome_sizes
        sizes = zip(names, evaluation.outcomes.sizes, strict=False)
        if any(_differ(cell.get(name), size) for name, size in sizes):
            continue
        alphas = evaluation.alphas[: -1 if finding.check == _NESTED else None]
        for number, alpha in enumerate(alphas):
            if not _differ(cell.get("alpha"), alpha):
                where = evaluation.outcomes.are_at(cell)
                if where is None:
                    # The first outcome without sound limits.
                    lower, upper = (
                        limits[number].ravel() for limits in (evaluation.lower, evaluation.upper)
                    )
                    where = np.asarray(~(lower <= upper) | np.isinf(lower) & np.isinf(upper))
                if where.any():
                    return Spot(evaluation, number, int(where.argmax()))
    return None


def _differ(one: float | int | str | None, other: float) -> bool:
    return not isinstance(one, int | float) or not math.isclose(one, other, rel_tol=_SAME)


def _text(value: float) -> str:
    return "not a number" if math.isnan(value) else f"{value:.6g}".replace("inf", "∞")
