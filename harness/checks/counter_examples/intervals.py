"""The interval of a finding, beside those that it is compared with."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.checks.conformance.properties import Evaluation, as_fractions
from harness.checks.findings import Cell, Finding, Grid, IntervalExample, IntervalRow
from harness.families.family import Family
from harness.methods.expected_failures import SIDE
from harness.methods.remarks import STAYS_IN_RANGE

_RISES = ("rises with x", "is monotone")
_NESTED, _MIRRORS, _KEEPS_ORDER = "is nested in alpha", "mirrors", "keeps order"
_SAME = 1e-12
"""Of a printed alpha."""


@dataclass(frozen=True)
class Spot:
    """One outcome at one alpha in the limits of a method."""

    evaluation: Evaluation
    alpha: int
    """The place of the alpha."""
    place: int
    """The place of the outcome among all of its size."""

    @property
    def cell(self) -> dict[str, float | int | str]:
        """The counts, sizes and alpha by name."""
        outcomes = self.evaluation.outcomes
        index = [int(each) for each in np.unravel_index(self.place, outcomes.shape)]
        return {**outcomes.cell(index), "alpha": self.evaluation.alphas[self.alpha]}

    @property
    def limits(self) -> tuple[float, float]:
        """The lower and the upper limit."""
        lower, upper = (
            each[self.alpha].ravel() for each in (self.evaluation.lower, self.evaluation.upper)
        )
        return float(lower[self.place]), float(upper[self.place])

    @property
    def fault(self) -> str:
        """Why there are no limits; "" where there are."""
        index = np.unravel_index(self.place, self.evaluation.outcomes.shape)
        return self.evaluation.failures.get((self.alpha, *map(int, index)), "")

    def row(self, words: str = "", is_fault: bool = False) -> IntervalRow:
        """The interval there."""
        lower, upper = self.limits
        estimate = float(self.evaluation.estimate.ravel()[self.place])
        return IntervalRow(self.cell, words, lower, upper, estimate, is_fault, self.fault)

    def at(self, place: int) -> Spot:
        """Another outcome of that size, at the same alpha."""
        return Spot(self.evaluation, self.alpha, int(place))


def interval_example(finding: Finding, evaluations: Sequence[Evaluation]) -> IntervalExample | None:
    """The limits at the place of a finding; None where it has no place among them.

    Args:
        finding: of a property, or that there are no exact numbers.
        evaluations: the limits of the method that the finding was made by.
    """
    fractions = None if finding.check == STAYS_IN_RANGE else as_fractions(evaluations)
    spot = next(_spots(finding, fractions or evaluations), None)
    if spot is None:
        return None
    family = spot.evaluation.family
    compared, sentence, alphas = _compared(finding.check, spot)
    cell = spot.cell
    sizes: dict[str, tuple[float, ...]] = {
        name: (float(cell[name]),) for name in family.sizes if name in cell
    }
    if not family.has_outcomes:
        sizes = {}
    grid: Grid = {**sizes, "alpha": (float(cell["alpha"]), *alphas)}
    return IntervalExample(
        sentence,
        family.parameter,
        family.model.UNIT if not (family.is_bounded or family.is_ratio) else "",
        family.support,
        tuple(compared),
        grid,
    )


def _spots(finding: Finding, evaluations: Sequence[Evaluation]) -> Iterator[Spot]:
    """The places of a finding's cell in the limits; of a size alone the first without limits."""
    cell = finding.cell
    for evaluation in evaluations:
        known = cell.get(SIDE, evaluation.side)
        names = evaluation.family.sizes if evaluation.family.has_outcomes else ()
        sizes = dict(zip(names, evaluation.outcomes.sizes, strict=False))
        if known != evaluation.side or any(_differ(cell.get(each), sizes[each]) for each in names):
            continue
        for number, alpha in enumerate(evaluation.alphas):
            if not _differ(cell.get("alpha"), alpha):
                is_last = number == len(evaluation.alphas) - 1
                if finding.check == _NESTED and is_last:
                    continue
                yield from _outcomes(evaluation, number, cell)


def _differ(one: float | int | str | None, other: float) -> bool:
    return not isinstance(one, int | float) or not math.isclose(one, other, rel_tol=_SAME)


def _outcomes(evaluation: Evaluation, number: int, cell: Cell) -> Iterator[Spot]:
    """The outcome of a cell; of one without counts the first that has no sound limits."""
    outcomes, family = evaluation.outcomes, evaluation.family
    if not family.has_outcomes:
        for place in range(outcomes.shape[0]):
            known = outcomes.cell([place])
            if all(cell.get(name) == value for name, value in known.items()):
                yield Spot(evaluation, number, place)
        return
    given = [cell.get(name) for name in family.counts]
    if all(each is not None for each in given):
        pairs = zip(outcomes.flat(), given, strict=True)
        where = np.logical_and.reduce([column == each for column, each in pairs])
    else:
        lower, upper = evaluation.lower[number].ravel(), evaluation.upper[number].ravel()
        where = ~(lower <= upper) | np.isinf(lower) & np.isinf(upper)
    for place in np.flatnonzero(where)[:1]:
        yield Spot(evaluation, number, int(place))


def _compared(check: str, spot: Spot) -> tuple[list[IntervalRow], str, tuple[float, ...]]:
    """The rows of a picture, what they show, and alphas beside that of the finding."""
    lower, upper = spot.limits
    if check in _RISES:
        against = _step_against(spot)
        if against is not None:
            following, names = against
            rows = [spot.row(is_fault=True), following.row("the next outcome", True)]
            return rows, _moves(spot, following, names), ()
    if check == _NESTED:
        wider = Spot(spot.evaluation, spot.alpha + 1, spot.place)
        return (
            [spot.row(is_fault=True), wider.row("the next larger alpha", True)],
            "The second interval may miss more often, and so should lie within the first one.",
            (spot.evaluation.alphas[wider.alpha],),
        )
    if check in (_MIRRORS, _KEEPS_ORDER):
        return (*_beside_its_image(check, spot), ())
    rows = [*_neighbours(spot)]
    sentences: Mapping[str, Callable[[Family], str]] = {
        "is finite": lambda _: f"The limits are {_text(lower)} and {_text(upper)}, not finite.",
        "is ordered": lambda _: (
            f"The lower limit {_text(lower)} lies above the upper limit {_text(upper)}."
        ),
        STAYS_IN_RANGE: lambda family: (
            f"The interval {_text(lower)} to {_text(upper)} leaves the range of "
            f"{family.parameter}, {_text(family.support[0])} to {_text(family.support[1])}, which "
            "is shaded."
        ),
        "reaches the end": lambda _: "A one-sided interval should reach the end of the range.",
        "has width": lambda _: f"Both limits are {_text(lower)}: the interval has no length.",
        "holds the estimate": lambda _: (
            f"The estimate {_text(spot.row().estimate)} (the dot) lies outside of the interval "
            f"{_text(lower)} to {_text(upper)}."
        ),
        "has double precision": lambda _: (
            f"The limits {_text(lower)} and {_text(upper)} are numbers of 32 bits."
        ),
    }
    if spot.fault or (math.isnan(lower) and math.isnan(upper)):
        return rows, "The method has no limits here; those of the outcomes beside are drawn.", ()
    said = sentences.get(check)
    if said is not None:
        return rows, said(spot.evaluation.family), ()
    sound = lower <= upper
    words = "is" if sound else "is none, as its limits are not in order or not finite:"
    return rows, f"The interval {words} {_text(lower)} to {_text(upper)}.", ()


def _step_against(spot: Spot) -> tuple[Spot, list[str]] | None:
    """The outcome after the step against which limits move furthest, and the names of these."""
    found: dict[float, tuple[Spot, list[str]]] = {}
    for step in spot.evaluation.outcomes.steps():
        other = spot.at(int(step.places[spot.place]))
        moved = [
            step.direction * (after - before)
            for before, after in zip(spot.limits, other.limits, strict=True)
        ]
        names = [name for name, by in zip(("lower", "upper"), moved, strict=True) if by < 0]
        if names:
            found[max(-by for by in moved if by < 0)] = other, names
    return found[max(found)] if found else None


def _moves(spot: Spot, following: Spot, names: Sequence[str]) -> str:
    """How limits move against the estimate."""
    parts = []
    for name, one, other in zip(("lower", "upper"), spot.limits, following.limits, strict=True):
        if name in names:
            words = "falls" if other < one else "rises"
            parts.append(f"the {name} limit {words} from {_text(one)} to {_text(other)}")
    one, other = spot.row().estimate, following.row().estimate
    so = f"while the estimate moves from {_text(one)} to {_text(other)}"
    return f"From the first outcome to the next {' and '.join(parts)}, {so}."


def _beside_its_image(check: str, spot: Spot) -> tuple[list[IntervalRow], str]:
    """An interval, and that of the mirrored or reversed data, mirrored back."""
    evaluation, outcomes = spot.evaluation, spot.evaluation.outcomes
    if check == _KEEPS_ORDER:
        places = outcomes.reversed()  # type: ignore[attr-defined]
        other = spot.at(int(places[spot.place]))
        rows = [spot.row(is_fault=True), other.row("in the reverse order", True)]
        return rows, "The same numbers in another order should have the same limits."
    places = outcomes.mirror()
    mirror = evaluation.family.mirrored
    if places is None or mirror is None:
        return [spot.row(is_fault=True)], "The mirrored limits are not known."
    mirrored = mirror(evaluation.mirror_lower, evaluation.mirror_upper)
    there = int(places[spot.place])
    low, high = (float(each[spot.alpha].ravel()[there]) for each in mirrored)
    image = IntervalRow(
        spot.at(there).cell,
        "mirrored back",
        low,
        high,
        spot.row().estimate,
        True,
        spot.at(there).fault,
    )
    by = max(
        (abs(one - other) for one, other in zip(spot.limits, (low, high), strict=True)),
        key=lambda each: -1.0 if math.isnan(each) else each,
    )
    return (
        [spot.row(is_fault=True), image],
        "The limits of an outcome, and those of the mirrored outcome mirrored back, should be the "
        f"same; they differ by up to {by:.3g}.",
    )


def _neighbours(spot: Spot) -> Iterator[IntervalRow]:
    """The interval between those of the outcomes beside it, along the last count."""
    if not spot.evaluation.family.has_outcomes:
        yield spot.row(is_fault=True)
        return
    shape = spot.evaluation.outcomes.shape
    *_, last = np.unravel_index(spot.place, shape)
    if last > 0 and len(shape) == len(spot.evaluation.outcomes.counts):
        yield spot.at(spot.place - 1).row()
    yield spot.row(is_fault=True)
    if last < shape[-1] - 1 and len(shape) == len(spot.evaluation.outcomes.counts):
        yield spot.at(spot.place + 1).row()


def _text(value: float) -> str:
    return "not a number" if math.isnan(value) else f"{value:.6g}".replace("inf", "∞")
