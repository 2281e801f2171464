"""Probabilities beside the level that is desired or allowed: tails, and misses over the truth."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.checks.findings import MissExample, TailExample
from harness.report.check.counter_example.picture import (
    AXIS,
    LEFT_OF_PLOT,
    PLOT,
    RIGHT,
    TOP,
    Axis,
    Line,
    Mark,
    Picture,
    Table,
    Tick,
    exact,
    text,
)
from harness.report.curves.still_picture import ticks
from harness.report.numbers import percent

_MOST_TICKS = 4
_SMALLEST_TAIL = 1e-4
"""The smallest tail on the axis, relative to the expected one."""
_SMALLEST_TOP = 1e-6
_CURVE = 1000
"""Units of the box in which a curve is drawn, each way."""


def tail_picture(example: TailExample) -> Picture:
    """Tails over the outcomes, on a logarithmic axis."""
    known = np.concatenate([each[np.isfinite(each)] for each in example.tails.values()])
    floor = example.expected * _SMALLEST_TAIL
    smallest = max(min([*known.tolist(), example.expected]), floor)
    largest = max([*known.tolist(), example.expected])
    vertical = math.floor(math.log10(smallest)), math.ceil(math.log10(largest))
    bottom = vertical[0] - (vertical[0] == vertical[1])

    def y_at(value: float) -> float:
        share = (math.log10(max(value, 10.0**bottom)) - bottom) / (vertical[1] - bottom)
        return round(TOP + PLOT * (1.0 - share), 1)

    low, high = float(example.outcomes[0]), float(example.outcomes[-1])
    room = 0.04 * (high - low) or 0.5
    axis = Axis(low - room, high + room, LEFT_OF_PLOT)
    marks = [
        Mark(axis.at(float(x)), y_at(float(tail)), name, example.place == (name, float(x)))
        for name, tails in example.tails.items()
        for x, tail in zip(example.outcomes, tails, strict=True)
        if math.isfinite(tail)
    ]
    step = max(1, -(-len(example.outcomes) // _MOST_TICKS))
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
        height=TOP + PLOT + AXIS,
        axis=TOP + PLOT,
        table=Table(
            (example.count, *(f"tail of the {name} limit" for name in example.tails)),
            [
                (
                    text(float(x)),
                    *(exact(float(tails[at])) for tails in example.tails.values()),
                )
                for at, x in enumerate(example.outcomes)
            ],
        ),
        left=LEFT_OF_PLOT,
        x_ticks=[Tick(axis.at(float(x)), text(float(x))) for x in example.outcomes[::step]],
        y_ticks=[
            Tick(y_at(10.0**power), text(10.0**power))
            for power in range(bottom, vertical[1] + 1)
            if (power - bottom) % max(1, -(-(vertical[1] - bottom) // 4)) == 0
        ],
        marks=sorted(marks, key=lambda each: each.is_fault),
        lines=[Line(y_at(example.expected), "desired", f"Line: {text(example.expected)} {words}.")],
        notes=notes,
    )


def miss_picture(example: MissExample) -> Picture:
    """The miss probability over the truth."""
    levels = {"desired": example.alpha, "allowed": example.allowed, "found": example.mean}
    known = {name: value for name, value in levels.items() if value is not None}
    top = _top(example, list(known.values()))
    axis = Axis(float(example.truths[0]), float(example.truths[-1]), LEFT_OF_PLOT)

    def y_at(value: float) -> float:
        return round(TOP + PLOT * (1.0 - min(value, top) / top), 1)

    words = {
        "desired": f"Full line: {percent(example.alpha)} desired.",
        "allowed": f"Dashed: {percent(example.allowed)} allowed"
        f"{' of the mean' if example.mean is not None else ''}.",
        "found": f"Dotted: the mean, {percent(example.mean)}.",
    }
    shades, shade_words = [], ""
    if example.inside is not None:
        low, high = (axis.at(each) for each in example.inside)
        shades = [(axis.left, round(low - axis.left, 2)), (high, round(RIGHT - high, 2))]
        shade_words = "Shaded: truths near the boundary, which this finding is not about."
    marks = []
    notes = []
    if example.worst is not None:
        marks.append(Mark(axis.at(example.worst[0]), y_at(example.worst[1]), "worst", True))
        notes.append(f"Dot: the worst of {example.truth}.")
    if example.missed.max() > top:
        notes.append("The curve goes on above the picture.")
    share = "the mean" if example.mean is not None else "the worst"
    value = example.mean if example.mean is not None else (example.worst or (0.0, 0.0))[1]
    unit = f" ({example.unit})" if example.unit not in ("", "proportion") else ""
    return Picture(
        kind="misses",
        sentence=example.sentence,
        x_label=f"true {example.truth}{unit}, at {example.held}",
        y_label="probability of a miss (actual alpha), %",
        height=TOP + PLOT + AXIS,
        axis=TOP + PLOT,
        table=Table(
            ("", example.truth, "probability of a miss"),
            [
                ("desired", "", exact(example.alpha)),
                ("allowed", "", f"{example.allowed:.6g}"),
                (
                    share,
                    "" if example.worst is None else exact(example.worst[0]),
                    exact(float(value)),
                ),
            ],
        ),
        left=LEFT_OF_PLOT,
        x_ticks=axis.ticks(),
        y_ticks=[Tick(y_at(each), text(100.0 * each)) for each in ticks(0.0, top, 5)],
        marks=marks,
        lines=[Line(y_at(value), name, words[name]) for name, value in known.items()],
        shades=[each for each in shades if each[1] > 0],
        shade_words=shade_words,
        curve=_path(example.truths, example.missed, axis, top),
        notes=notes,
    )


def _top(example: MissExample, levels: Sequence[float]) -> float:
    """The end of the vertical axis, from the truths that the finding is about."""
    missed = example.missed
    if example.inside is not None:
        low, high = example.inside
        missed = missed[(example.truths >= low) & (example.truths <= high)]
    largest = max(max(levels), float(missed.max(initial=0.0)))
    return max(min(1.0, 1.12 * largest), _SMALLEST_TOP)


def _path(truths: Floats, missed: Floats, axis: Axis, top: float) -> str:
    """The curve within its box."""
    x = _CURVE * (truths - axis.low) / ((axis.high - axis.low) or 1.0)
    y = _CURVE * (1.0 - np.minimum(missed, top) / top)
    points = [f"{a:.1f} {b:.1f}" for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    kept = [point for at, point in enumerate(points) if at == 0 or point != points[at - 1]]
    return f"M{'L'.join(kept)}"
