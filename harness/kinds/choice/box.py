"""A box of true values: the key ``truth`` of a config in which every part is a range.

A point of the box is a number from 0 to 1 for each range. A range within [0, 1] is spaced evenly
in arcsin √x, so that points are dense at both of its ends, where proportions and areas of few cases
have their worst cases; any other range is spaced evenly.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from pydantic import BaseModel, ValidationError, create_model

from harness.base.arguments import is_real, quoted
from harness.base.errors import InputError
from harness.base.models import StrictModel, issues_of
from harness.base.numerics.arrays import Floats
from harness.catalogue import design_for
from harness.config.models.truths import truth_of
from harness.designs.design import AnyTruth
from harness.distributions.list_truths import StratumTruth
from harness.families.family import Family

_MOST_CORNERS = 1024
"""The most corners of a box that are points of a search."""
_DIGITS = 6
# Not the middle, which may be no truth, as a skewness of 0 is none of a gamma distribution.
_INSIDE = 0.45
# A share of a range: from 0 to 1 it is the probability 2.5e-4, at which some methods have intervals
# of length 0 that miss nearly always, as they do not at 0.
_NEXT_TO_END = 0.01
_DIFFERENCE, _SECOND = "difference", "second"

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class BoxRange:
    """A range of one number of a truth."""

    path: Path
    """The keys, and the places in lists, that lead to the number."""
    low: float
    high: float

    def at(self, share: float) -> float:
        """Return the number at a share from 0 to 1 of the way from the low to the high end.

        It is rounded to a millionth of the range, or less.
        """
        if share in (0.0, 1.0):
            return (self.low, self.high)[int(share)]
        if self.low >= 0.0 and self.high <= 1.0:
            first, last = np.arcsin(np.sqrt([self.low, self.high]))
            value = float(np.sin(first + share * (last - first)) ** 2)
        else:
            value = self.low + share * (self.high - self.low)
        if self.low < self.high:
            value = round(value, _DIGITS - math.ceil(math.log10(self.high - self.low)))
        return min(max(value, self.low), self.high)


@dataclass(frozen=True)
class BoxTruth:
    """A truth of a box."""

    point: tuple[float, ...]
    """The share of each range, from 0 to 1."""
    written: str
    """The truth as the key ``truth`` of a config has it, in JSON."""
    truth: AnyTruth


@dataclass(frozen=True)
class Box:
    """The truths of a family between the low and the high end of every range."""

    family: Family
    written: Mapping[str, Any]
    """The truth with ranges."""
    estimand: float | None = None
    """The probability of the quantile that is estimated of runs; None for the mean."""

    def __post_init__(self) -> None:
        """Refuse what is no box.

        Raises:
            InputError: the truth is no mapping, a range ends below its start, or there is no truth
                at one of its ends.
        """
        if not isinstance(self.written, Mapping) or not self.written:
            raise InputError(
                f"truth should be a mapping whose parts are ranges, as {{auc: [0.5, 0.99]}}, found "
                f"{quoted(self.written)}"
            )
        for name, part in self.written.items():
            if isinstance(part, Mapping) and {"values", "grid"} & set(part):
                raise InputError(
                    f"truth.{name} should be a range [low, high], found {quoted(part)}"
                )
        for span in self.ranges:
            if not span.low <= span.high:
                raise InputError(
                    f"truth.{'.'.join(map(str, span.path))} should be a range [low, high] with low "
                    f"at most high, found [{span.low:g}, {span.high:g}]"
                )
        inside = np.full(len(self.ranges), _INSIDE)
        self.place(inside)
        for number, end in product(range(len(self.ranges)), (0.0, 1.0)):
            beside = inside.copy()
            beside[number] = end
            self.place(beside)

    @cached_property
    def ranges(self) -> tuple[BoxRange, ...]:
        """The ranges in the order in which they are written."""
        return tuple(_ranges(self.written, ()))

    @cached_property
    def is_line(self) -> bool:
        """Whether exactly one range has two different ends."""
        return sum(span.low < span.high for span in self.ranges) == 1

    @cached_property
    def _model(self) -> type[BaseModel]:
        kind = truth_of(self.family).kind
        made: type[BaseModel] = create_model("Truth", __base__=StrictModel, truth=(kind, ...))
        return made

    def points(self, count: int, seed: int) -> Floats:
        """Return points of the box, shape (p, ranges): its corners, its faces, and inside.

        The points of one range are evenly spaced. Of several ranges they are the corners, and
        points of an additive recurrence. Of every second one of these each number below 1/4 or
        above 3/4 is moved to the end or next to it, and those between are spread over the whole
        range, so that faces of all dimensions have points.

        Args:
            count: the number of points; at least that of the corners, if these are at most 1024,
                and 1 where there is no range of two different numbers.
            seed: of the recurrence, which starts anywhere.
        """
        free = np.flatnonzero([span.low < span.high for span in self.ranges])
        shares = np.zeros((1, free.size))
        if self.is_line:
            shares = np.linspace(0.0, 1.0, max(count, 2))[:, np.newaxis]
        elif free.size:
            corners = np.empty((0, free.size))
            if 2**free.size <= _MOST_CORNERS:
                corners = np.array([*product((0.0, 1.0), repeat=free.size)])
            left = max(count - len(corners), 0)
            inside = _spread(left, free.size, seed)
            from_low, from_high = inside[1::2], 1.0 - inside[1::2]
            inside[1::2] = np.select(
                [from_low < 0.125, from_low < 0.25, from_high < 0.125, from_high < 0.25],
                [0.0, _NEXT_TO_END, 1.0, 1.0 - _NEXT_TO_END],
                2.0 * from_low - 0.5,
            )
            shares = np.concatenate([corners, inside])
        points = np.zeros((len(shares), len(self.ranges)))
        points[:, free] = shares
        return points

    def places(self, points: Floats) -> list[BoxTruth]:
        """Return the truths at the points where there are any, without those that are repeated."""
        truths: dict[str, BoxTruth] = {}
        for point in points:
            try:
                place = self.place(point)
            except InputError:
                # A table of probabilities without a parameter, as at a corner of the box.
                continue
            truths.setdefault(place.written, place)
        return list(truths.values())

    def place(self, point: Sequence[float] | Floats) -> BoxTruth:
        """Return the truth at a point.

        The difference of strata is moved to the nearest one that their probabilities permit.

        Raises:
            InputError: there is no truth.
        """
        shares = tuple(float(share) for share in point)
        values = {span.path: span.at(u) for span, u in zip(self.ranges, shares, strict=True)}
        if design_for(self.family).listed_truth is StratumTruth and (_DIFFERENCE,) in values:
            values[_DIFFERENCE,] = self._possible_difference(values)
        written = _filled(self.written, values, ())
        try:
            valid: Any = self._model.model_validate(
                {"truth": written}, context={"estimand": self.estimand, "family": self.family}
            )
        except ValidationError as error:
            raise InputError(str(next(issues_of(error)))) from None
        if not valid.truth.is_discrete or valid.truth.count != 1:
            raise InputError(
                f"truth should have one value, or a range [low, high], in every part, found "
                f"{quoted(self.written)}"
            )
        return BoxTruth(shares, json.dumps(written), valid.truth)

    def _possible_difference(self, values: Mapping[Path, float]) -> float:
        """The difference p1 − p2 next to that of the values, with p1 from 0 to 1 in all strata."""
        second = _filled(self.written.get(_SECOND, []), values, (_SECOND,))
        if not isinstance(second, list) or not all(isinstance(p, int | float) for p in second):
            return values[_DIFFERENCE,]
        low, high = -min(second, default=1.0), 1.0 - max(second, default=0.0)
        return min(max(values[_DIFFERENCE,], low), high) + 0.0


def _spread(count: int, dimensions: int, seed: int) -> Floats:
    """Return points spread evenly over the unit cube, shape (count, dimensions).

    They are the fractional parts of s + i (1/φ, 1/φ², …, 1/φᵈ) with φ > 1 of φᵈ⁺¹ = φ + 1 and a
    random s, the additive recurrence of Kronecker's sequence with the generalized golden ratio.
    """
    phi = 2.0
    for _ in range(64):
        phi = (1.0 + phi) ** (1.0 / (dimensions + 1.0))
    start = np.random.default_rng(seed).random(dimensions)
    steps = np.arange(count)[:, np.newaxis] * phi ** -np.arange(1.0, dimensions + 1.0)
    return np.asarray((start + steps) % 1.0)


def _ranges(written: Any, path: Path) -> Iterator[BoxRange]:
    """The ranges in a part of a truth: its lists of two numbers."""
    if isinstance(written, Mapping):
        for name, part in written.items():
            yield from _ranges(part, (*path, name))
    elif isinstance(written, list | tuple):
        if len(written) == 2 and all(map(is_real, written)):
            yield BoxRange(path, float(written[0]), float(written[1]))
        else:
            for number, part in enumerate(written):
                yield from _ranges(part, (*path, number))


def _filled(written: Any, values: Mapping[Path, float], path: Path) -> Any:
    """The part of a truth with numbers in place of its ranges."""
    if path in values:
        # What stands at the top of a truth is a list of values of a parameter.
        return {"values": [values[path]]} if len(path) == 1 else values[path]
    if isinstance(written, Mapping):
        return {name: _filled(part, values, (*path, name)) for name, part in written.items()}
    if isinstance(written, list | tuple):
        return [_filled(part, values, (*path, number)) for number, part in enumerate(written)]
    return written
