"""Intervals below each other, on the axis of the parameter."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from harness.checks.findings import Cell, IntervalExample, IntervalRow, format_cell
from harness.report.check.counter_example.picture import (
    AXIS,
    LEFT,
    RIGHT,
    ROW,
    TOP,
    Axis,
    Bar,
    Picture,
    Table,
    exact,
    joined,
    shortened,
)

_NARROW = 0.2
"""Of the range; narrower intervals are drawn on an axis of their own."""
_FEWEST_FOLDS = 30.0
"""The ratio of the largest and the smallest limit from which on the axis is logarithmic."""


def interval_picture(example: IntervalExample) -> Picture:
    """Intervals below each other."""
    axis = _axis_of(example)
    bars = [
        _bar(row, label, TOP + ROW * number, axis)
        for number, (row, label) in enumerate(zip(example.rows, _labels(example), strict=True))
    ]
    bottom = TOP + ROW * len(bars)
    low, high = example.support
    shades = []
    if low > axis.low:
        shades.append((axis.left, round(axis.at(low) - axis.left, 2)))
    if high < axis.high:
        shades.append((axis.at(high), round(RIGHT - axis.at(high), 2)))
    common = format_cell(_common(example.rows))
    unit = f", in {example.unit}" if example.unit else ""
    return Picture(
        kind="intervals",
        sentence=example.sentence,
        x_label=f"{example.parameter}{unit}{f', at {common}' if common else ''}",
        height=bottom + AXIS,
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
        notes=_interval_notes(bars),
    )


def _interval_notes(bars: Sequence[Bar]) -> list[str]:
    """What the marks of intervals mean."""
    notes = ["Dot: the estimate."]
    if any(bar.is_fault for bar in bars) and not all(bar.is_fault for bar in bars):
        notes.insert(0, "Thick line: the interval of this finding.")
    if any(bar.start > bar.end for bar in bars):
        notes.append("Dashed: the lower limit (the square) lies above the upper one.")
    if any(bar.is_open_left or bar.is_open_right for bar in bars):
        notes.append("Arrow: the limit lies beyond the axis.")
    return notes


def _axis_of(example: IntervalExample) -> Axis:
    """The axis of all limits and estimates, with the range of the parameter if that fits."""
    values = [
        value
        for row in example.rows
        for value in (row.lower, row.upper, row.estimate)
        if math.isfinite(value)
    ]
    if not values:
        low, high = example.support
        return Axis(low if math.isfinite(low) else 0.0, high if math.isfinite(high) else 1.0)
    low, high = min(values), max(values)
    positive = [value for value in values if value > 0]
    is_ratio = example.support == (0.0, math.inf) and not example.unit
    if is_ratio and positive and low >= 0 and high > _FEWEST_FOLDS * min(positive):
        low = min(positive)
        return Axis(
            10 ** math.floor(math.log10(low)), 10 ** math.ceil(math.log10(high)), LEFT, True
        )
    ends = [end for end in example.support if math.isfinite(end)]
    if len(ends) == 2 and high - low >= _NARROW * (ends[1] - ends[0]):
        low, high = min(low, ends[0]), max(high, ends[1])
    room = 0.06 * (high - low) or 0.06 * abs(high) or 1.0
    below = low - room if low not in ends else low
    above = high + room if high not in ends else high
    return Axis(below, above)


def _labels(example: IntervalExample) -> list[str]:
    """The label of each interval: what it is, and what is not the same for all of them."""
    common = _common(example.rows)
    found = []
    for row in example.rows:
        own = {name: value for name, value in row.cell.items() if name not in common}
        found.append(shortened(joined(row.words, format_cell(own)) or "the outcome"))
    return found


def _common(rows: Sequence[IntervalRow]) -> dict[str, float | int | str]:
    """What is the same for all intervals; of one alone, of equal ones or of lists, the alpha."""
    first, *others = (row.cell for row in rows)
    common = {name: value for name, value in first.items() if _all_have(others, name, value)}
    if len(common) < len(first):
        return common
    return {name: value for name, value in first.items() if name == "alpha"}


def _all_have(cells: Iterable[Cell], name: str, value: float | int | str) -> bool:
    return all(each.get(name) == value for each in cells)


def _bar(row: IntervalRow, label: str, y: float, axis: Axis) -> Bar:
    """The bar of an interval; a limit that is missing leaves a note."""
    note = ""
    if math.isnan(row.lower) or math.isnan(row.upper):
        missing = [
            name
            for name, value in (("lower", row.lower), ("upper", row.upper))
            if math.isnan(value)
        ]
        note = "no limits" if len(missing) == 2 else f"the {missing[0]} limit is not a number"
    start, end = (
        axis.at(value) if not math.isnan(value) else math.nan for value in (row.lower, row.upper)
    )
    start, end = (end if math.isnan(start) else start), (start if math.isnan(end) else end)
    is_drawn = not (math.isnan(row.lower) and math.isnan(row.upper))
    has_dot = math.isfinite(row.estimate) and axis.has(row.estimate)
    return Bar(
        label=label,
        y=y,
        start=start if is_drawn else 0.0,
        end=end if is_drawn else 0.0,
        dot=axis.at(row.estimate) if has_dot else None,
        is_fault=row.is_fault,
        is_open_left=row.lower < axis.low,
        is_open_right=row.upper > axis.high,
        note=note,
    )
