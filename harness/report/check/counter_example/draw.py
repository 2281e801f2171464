"""The picture of any counter-example."""

from __future__ import annotations

from harness.base.text import printable_line
from harness.checks.findings import (
    CounterExample,
    IntervalExample,
    MissExample,
    NumberExample,
    TailExample,
)
from harness.report.check.counter_example.intervals import interval_picture
from harness.report.check.counter_example.levels import miss_picture, tail_picture
from harness.report.check.counter_example.picture import (
    AXIS,
    ROW,
    TOP,
    Axis,
    Bar,
    Picture,
    Table,
    exact,
    shortened,
)


def picture_of(example: CounterExample) -> Picture:
    """Lay out the picture of a counter-example."""
    if isinstance(example, IntervalExample):
        return interval_picture(example)
    if isinstance(example, TailExample):
        return tail_picture(example)
    if isinstance(example, MissExample):
        return miss_picture(example)
    return _number_picture(example)


def _number_picture(example: NumberExample) -> Picture:
    """Two numbers as bars from 0."""
    found, expected = example.found, example.expected
    low, high = min(0.0, found, expected), max(0.0, found, expected)
    axis = Axis(low, high if high > low else low + 1.0)
    named = [("found", found, True), (printable_line(example.expected_words), expected, False)]
    bars = []
    for number, (words, value, is_fault) in enumerate(named):
        start, end = sorted((axis.at(0.0), axis.at(value)))
        label = shortened(f"{words}: {value:.6g}")
        bars.append(Bar(label, TOP + ROW * number, start, end, is_fault=is_fault))
    bottom = TOP + ROW * len(bars)
    return Picture(
        kind="numbers",
        sentence=printable_line(example.sentence),
        x_label=example.measured,
        height=bottom + AXIS,
        axis=bottom,
        table=Table(
            ("", example.measured),
            [(words, exact(value)) for words, value, _ in named],
        ),
        x_ticks=axis.ticks(),
        bars=bars,
    )
