"""The picture of a counter-example: marks at their places, axes, and a table of the numbers.

Horizontal places are in percent of the picture's width, so that its text keeps its size at any
width; vertical ones are in pixels. Intervals stand below each other, on the axis of the parameter;
probabilities beside the level that is desired or allowed: tails, and misses over the truth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.base.text import printable_line, shortened
from harness.checks.findings import (
    CounterExample,
    IntervalExample,
    IntervalRow,
    MissExample,
    NumberExample,
    TailExample,
    format_cell,
)
from harness.families.combination import Span
from harness.report.still_picture import Tick, ticks
from harness.tables.wording import covered, nominal

LEFT, RIGHT = 3.0, 97.0
LEFT_OF_PLOT = 13.0
"""Percent; of a picture with text at its vertical axis."""
TOP, PLOT = 12, 170
"""Pixels above a picture, and of one with two axes."""
ROW, AXIS = 46, 48
"""Pixels of a bar with its label, and of the horizontal axis."""
_MOST_TICKS = 5
_LONGEST_LABEL = 42
"""Letters beside an interval, so that they fit a telephone."""


@dataclass(frozen=True)
class Bar:
    """An interval, or the length of a number."""

    label: str
    y: float
    start: float
    """Percent; where start is beyond end, the limits are not in order."""
    end: float
    dot: float | None = None
    """Where the estimate is; None where that is not known or lies beyond the axis."""
    is_fault: bool = False
    is_open_left: bool = False
    """Whether the lower limit lies beyond the axis."""
    is_open_right: bool = False
    note: str = ""
    """What stands in the place of an interval that there is none of."""


@dataclass(frozen=True)
class Mark:
    """A point."""

    x: float
    y: float
    kind: str
    """``lower`` or ``upper``, a limit; or ``worst``."""
    is_fault: bool = False


@dataclass(frozen=True)
class Line:
    """A line across the picture, with the words that explain it below the picture."""

    y: float
    kind: str
    """``desired``, ``allowed`` or ``found``."""
    words: str


@dataclass(frozen=True)
class Table:
    """The numbers of a picture."""

    heading: Sequence[str]
    rows: Sequence[Sequence[str]]


@dataclass(frozen=True)
class Picture:
    """A picture with all of its places."""

    kind: str
    sentence: str
    x_label: str
    axis: float
    """Where the horizontal axis is, from above."""
    table: Table
    y_label: str = ""
    left: float = LEFT
    right: float = RIGHT
    top: float = TOP
    x_ticks: Sequence[Tick] = ()
    y_ticks: Sequence[Tick] = ()
    bars: Sequence[Bar] = ()
    marks: Sequence[Mark] = ()
    lines: Sequence[Line] = ()
    shades: Sequence[tuple[float, float]] = ()
    """Ranges of the horizontal axis with another ground: beginning and width."""
    shade_words: str = ""
    curve: str = ""
    """A path within a box of 1000 by 1000."""
    notes: Sequence[str] = ()
    """What the marks mean, in words."""

    @property
    def height(self) -> float:
        return self.axis + AXIS


@dataclass(frozen=True)
class PictureAxis:
    """Values to percent of the width."""

    low: float
    high: float
    left: float = LEFT
    logarithmic: bool = False

    def share(self, value: float) -> float:
        """Where a value is, from 0 to 1; of one beyond the axis its end."""
        low, high, value = (self._scale(number) for number in (self.low, self.high, value))
        return (min(max(value, low), high) - low) / ((high - low) or 1.0)

    def at(self, value: float) -> float:
        """The place of a value along the picture, in percent of its width."""
        return round(self.left + (RIGHT - self.left) * self.share(value), 2)

    def height(self, value: float) -> float:
        """The place of a value on a vertical axis, in pixels from above."""
        return round(TOP + PLOT * (1.0 - self.share(value)), 1)

    def has(self, value: float) -> bool:
        """Whether a value lies on the axis."""
        return self.low <= value <= self.high

    def outside(self, span: Span) -> list[tuple[float, float]]:
        """The parts of the axis that lie outside of a range: beginning and width."""
        parts = ((self.low, span[0]), (span[1], self.high))
        ends = ((self.at(low), self.at(high)) for low, high in parts if low < high)
        return [(start, round(end - start, 2)) for start, end in ends]

    def ticks(self) -> list[Tick]:
        """Round numbers, or powers of ten, at their places."""
        if self.logarithmic:
            powers = range(math.ceil(math.log10(self.low)), math.floor(math.log10(self.high)) + 1)
            step = max(1, -(-len(powers) // _MOST_TICKS))
            return [Tick(self.at(10.0**power), text(10.0**power)) for power in powers[::step]]
        numbers = ticks(self.low, self.high, _MOST_TICKS)
        return [Tick(self.at(number), text(number, self.high - self.low)) for number in numbers]

    def _scale(self, value: float) -> float:
        return math.log10(max(value, self.low)) if self.logarithmic else value

    def path(self, truths: Floats, missed: Floats, top: float) -> str:
        """The curve within its box."""
        x = _CURVE * (truths - self.low) / ((self.high - self.low) or 1.0)
        y = _CURVE * np.minimum(missed, top) / top
        points = [f"{a:.1f} {b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True)]
        kept = [point for at, point in enumerate(points) if at == 0 or point != points[at - 1]]
        return f"M{'L'.join(kept)}"


def joined(*words: str) -> str:
    """The words that are not empty, with colons between them."""
    return ": ".join(part for part in words if part)


def exact(value: float, fault: str = "") -> str:
    """A number as messages have it; without one why."""
    if math.isnan(value):
        return printable_line(fault) or "not a number"
    return f"{value:.15g}".replace("-", "−").replace("inf", "∞")


def text(value: float, span: float | None = None) -> str:
    """A number at an axis, with as many digits as tell it from its neighbours."""
    if span is None or not value:
        return f"{value:.6g}".replace("-", "−")
    digits = max(3, math.ceil(math.log10(max(abs(value) / span, 1.0))) + 3)
    return f"{value:.{min(digits, 15)}g}".replace("-", "−")


_NARROW = 0.2
"""The share of the range below which intervals are drawn on an axis of their own."""
_FEWEST_FOLDS = 30.0
"""The ratio of the largest and the smallest limit from which on the axis is logarithmic."""


def interval_picture(example: IntervalExample) -> Picture:
    """Intervals below each other."""
    axis, shared = _axis_of(example), _common(example.rows)
    bars = []
    for number, row in enumerate(example.rows):
        own = {name: value for name, value in row.cell.items() if name not in shared}
        label = joined(row.words, format_cell(own)) or "the outcome"
        bars.append(_bar(row, shortened(label, _LONGEST_LABEL), TOP + ROW * number, axis))
    bottom = TOP + ROW * len(bars)
    shades = axis.outside(example.support)
    common = format_cell(shared)
    unit = f", in {example.unit}" if example.unit else ""
    notes = ["Dot: the estimate."]
    if any(bar.is_fault for bar in bars) and not all(bar.is_fault for bar in bars):
        notes.insert(0, "Thick line: the interval of this finding.")
    if any(bar.start > bar.end for bar in bars):
        notes.append("Dashed: the lower limit (the square) lies above the upper one.")
    if any(bar.is_open_left or bar.is_open_right for bar in bars):
        notes.append("Arrow: the limit lies beyond the axis.")
    return Picture(
        kind="intervals",
        sentence=example.sentence,
        x_label=f"{example.parameter}{unit}{f', at {common}' if common else ''}",
        axis=bottom,
        table=Table(
            ("Interval of", "lower", "upper", "estimate"),
            [
                (
                    joined(row.words, format_cell(row.cell)),
                    exact(row.lower, row.fault),
                    exact(row.upper, row.fault),
                    exact(row.estimate),
                )
                for row in example.rows
            ],
        ),
        x_ticks=axis.ticks(),
        bars=bars,
        shades=shades,
        shade_words=f"Shaded: outside of the range of {example.parameter}." if shades else "",
        notes=notes,
    )


def _axis_of(example: IntervalExample) -> PictureAxis:
    """The axis of all limits and estimates, with the range of the parameter if that fits."""
    values = [
        value
        for row in example.rows
        for value in (row.lower, row.upper, row.estimate)
        if math.isfinite(value)
    ]
    if not values:
        low, high = example.support
        return PictureAxis(low if math.isfinite(low) else 0.0, high if math.isfinite(high) else 1.0)
    low, high = min(values), max(values)
    positive = [value for value in values if value > 0]
    is_ratio = example.support == (0.0, math.inf) and not example.unit
    if is_ratio and positive and low >= 0 and high > _FEWEST_FOLDS * min(positive):
        low = min(positive)
        return PictureAxis(
            10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high)), LEFT, True
        )
    ends = [end for end in example.support if math.isfinite(end)]
    if len(ends) == 2 and high - low >= _NARROW * (ends[1] - ends[0]):
        low, high = min(low, ends[0]), max(high, ends[1])
    room = 0.06 * (high - low) or 0.06 * abs(high) or 1.0
    below = low - room if low not in ends else low
    above = high + room if high not in ends else high
    return PictureAxis(below, above)


def _common(rows: Sequence[IntervalRow]) -> dict[str, float | int | str]:
    """What is the same for all intervals; of one alone, of equal ones or of lists, the alpha."""
    first, *others = (row.cell for row in rows)
    common = dict(first)
    for other in others:
        common = {name: value for name, value in common.items() if other.get(name) == value}
    if len(common) < len(first):
        return common
    return {name: value for name, value in first.items() if name == "alpha"}


def _bar(row: IntervalRow, label: str, y: float, axis: PictureAxis) -> Bar:
    """The bar of an interval; a limit that is missing leaves a note."""
    limits, note = {"lower": row.lower, "upper": row.upper}, ""
    missing = [name for name, value in limits.items() if math.isnan(value)]
    if missing:
        note = "no limits" if len(missing) == 2 else f"the {missing[0]} limit is not a number"
    ends = [axis.at(value) for value in limits.values() if not math.isnan(value)] or [0.0]
    has_dot = math.isfinite(row.estimate) and axis.has(row.estimate)
    return Bar(
        label=label,
        y=y,
        start=ends[0],
        end=ends[-1],
        dot=axis.at(row.estimate) if has_dot else None,
        is_fault=row.is_fault,
        is_open_left=row.lower < axis.low,
        is_open_right=row.upper > axis.high,
        note=note,
    )


_MOST_OUTCOMES = 4
_SMALLEST_TAIL = 1e-4
"""The smallest tail on the axis, relative to the expected one."""
_SMALLEST_TOP = 1e-6
_CURVE = 1000
"""Units of the box in which a curve is drawn, each way."""


def tail_picture(example: TailExample) -> Picture:
    """Tails over the outcomes, on a logarithmic axis."""
    finite = np.concatenate([tails[np.isfinite(tails)] for tails in example.tails.values()])
    floor = example.expected * _SMALLEST_TAIL
    smallest = max(min([*finite.tolist(), example.expected]), floor)
    largest = max([*finite.tolist(), example.expected])
    bottom, top = math.floor(math.log10(smallest)), math.ceil(math.log10(largest))
    bottom -= bottom == top
    y_at = PictureAxis(10.0**bottom, 10.0**top, logarithmic=True).height
    low, high = float(example.outcomes[0]), float(example.outcomes[-1])
    room = 0.04 * (high - low) or 0.5
    axis = PictureAxis(low - room, high + room, LEFT_OF_PLOT)
    marks = [
        Mark(axis.at(float(x)), y_at(float(tail)), name, example.place == (name, float(x)))
        for name, tails in example.tails.items()
        for x, tail in zip(example.outcomes, tails, strict=True)
        if math.isfinite(tail)
    ]
    step = max(1, -(-len(example.outcomes) // _MOST_OUTCOMES))
    words = "at most allowed" if example.is_bound else "expected"
    half = ", with half of the outcome's own probability" if example.is_half else ""
    names = {"lower": "Round: the lower limit.", "upper": "Square: the upper limit."}
    notes = [names[name] for name in example.tails]
    if example.place is not None:
        notes.append("Large: the limit of this finding.")
    if any((tails == 0.0).any() or (tails < floor).any() for tails in example.tails.values()):
        notes.append(f"Smaller tails stand at {text(10.0**bottom)}.")
    return Picture(
        kind="tails",
        sentence=example.sentence,
        x_label=f"{example.count}, at {example.held}",
        y_label=f"tail probability that a limit leaves{half}",
        axis=TOP + PLOT,
        table=Table(
            (example.count, *(f"tail of the {name} limit" for name in example.tails)),
            [
                (text(float(x)), *(exact(float(tails[at])) for tails in example.tails.values()))
                for at, x in enumerate(example.outcomes)
            ],
        ),
        left=LEFT_OF_PLOT,
        x_ticks=[Tick(axis.at(float(x)), text(float(x))) for x in example.outcomes[::step]],
        y_ticks=[
            Tick(y_at(10.0**power), text(10.0**power))
            for power in range(bottom, top + 1)
            if (power - bottom) % max(1, -(-(top - bottom) // 4)) == 0
        ],
        marks=sorted(marks, key=lambda mark: mark.is_fault),
        lines=[Line(y_at(example.expected), "desired", f"Line: {text(example.expected)} {words}.")],
        notes=notes,
    )


def miss_picture(example: MissExample) -> Picture:
    """Coverage over the truth."""
    levels = {"desired": example.alpha, "allowed": example.allowed, "found": example.mean}
    given_levels = {name: value for name, value in levels.items() if value is not None}
    # The axis ends below the truths that the finding is about.
    missed = example.missed
    if example.inside is not None:
        low, high = example.inside
        missed = missed[(example.truths >= low) & (example.truths <= high)]
    largest = max(*given_levels.values(), float(missed.max(initial=0.0)))
    top = max(min(1.0, 1.12 * largest), _SMALLEST_TOP)
    axis = PictureAxis(float(example.truths[0]), float(example.truths[-1]), LEFT_OF_PLOT)
    height = PictureAxis(0.0, top).height

    def y_at(missed: float) -> float:
        return height(top - missed)

    alpha = example.alpha
    words = {
        "desired": f"Full line: nominal, {nominal(alpha)}.",
        "allowed": f"Dashed: {covered(example.allowed, alpha)}, which is allowed"
        f"{' on average' if example.mean is not None else ''}.",
        "found": f"Dotted: the mean, {covered(example.mean or 0.0, alpha)}.",
    }
    shades, shade_words = [], ""
    if example.inside is not None:
        shades = axis.outside(example.inside)
        shade_words = "Shaded: truths near the boundary, which this finding is not about."
    marks = []
    notes = []
    if example.worst is not None:
        marks.append(Mark(axis.at(example.worst[0]), y_at(example.worst[1]), "worst", True))
        notes.append(f"Dot: the worst of {example.truth}.")
    if example.missed.max() > top:
        notes.append("The curve goes on below the picture.")
    share = "the mean" if example.mean is not None else "the worst"
    value = example.mean if example.mean is not None else (example.worst or (0.0, 0.0))[1]
    unit = f" ({example.unit})" if example.unit not in ("", "proportion") else ""
    return Picture(
        kind="misses",
        sentence=example.sentence,
        x_label=f"true {example.truth}{unit}, at {example.held}",
        y_label="coverage, %",
        axis=TOP + PLOT,
        table=Table(
            ("", example.truth, "coverage, %"),
            [
                ("nominal", "", _coverage_text(alpha)),
                ("allowed", "", _coverage_text(example.allowed)),
                (
                    share,
                    "" if example.worst is None else exact(example.worst[0]),
                    _coverage_text(float(value)),
                ),
            ],
        ),
        left=LEFT_OF_PLOT,
        x_ticks=axis.ticks(),
        y_ticks=[
            Tick(y_at(1.0 - covers), _coverage_text(1.0 - covers))
            for covers in ticks(1.0 - top, 1.0, 5)
        ],
        marks=marks,
        lines=[Line(y_at(value), name, words[name]) for name, value in given_levels.items()],
        shades=[(start, width) for start, width in shades if width > 0],
        shade_words=shade_words,
        curve=axis.path(example.truths, example.missed, top),
        notes=notes,
    )


def _coverage_text(missed: float) -> str:
    """The coverage in per cent, with the digits of small miss probabilities."""
    return f"{100.0 * (1.0 - missed):.12g}"


def _number_picture(example: NumberExample) -> Picture:
    """Two numbers as bars from 0."""
    found, expected = example.found, example.expected
    low, high = min(0.0, found, expected), max(0.0, found, expected)
    axis = PictureAxis(low, high if high > low else low + 1.0)
    named = [("found", found, True), (printable_line(example.expected_words), expected, False)]
    bars = []
    for number, (words, value, is_fault) in enumerate(named):
        start, end = sorted((axis.at(0.0), axis.at(value)))
        label = shortened(f"{words}: {value:.6g}", _LONGEST_LABEL)
        bars.append(Bar(label, TOP + ROW * number, start, end, is_fault=is_fault))
    bottom = TOP + ROW * len(bars)
    return Picture(
        kind="numbers",
        sentence=printable_line(example.sentence),
        x_label=example.measured,
        axis=bottom,
        table=Table(
            ("", example.measured),
            [(words, exact(value)) for words, value, _ in named],
        ),
        x_ticks=axis.ticks(),
        bars=bars,
    )


_PICTURES: Mapping[type, Callable[[Any], Picture]] = {
    IntervalExample: interval_picture,
    TailExample: tail_picture,
    MissExample: miss_picture,
    NumberExample: _number_picture,
}


def picture_of(example: CounterExample) -> Picture:
    """Lay out the picture of a counter-example."""
    return _PICTURES[type(example)](example)
