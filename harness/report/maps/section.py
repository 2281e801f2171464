"""The drawing of one map that stands in a page before scripts run, and where there are none.

Maps of actual alpha and of length over size and outcome, and over size and truth.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.families.combination import Span
from harness.families.family import CLOSED_FORM, MONTE_CARLO
from harness.figures.selection import percent_longer
from harness.findings.numbers import nominal, percent, significant
from harness.methods.method import TWO_SIDED
from harness.report.maps.frames import (
    Frame,
    Row,
    alpha_sentence,
    by_size,
    frames_of,
    length_sentence,
)
from harness.report.packing import packed
from harness.report.page import Section
from harness.tables.answers import YARDSTICK, rounding_of
from harness.tables.columns import OUTCOME
from harness.tables.results import Results
from harness.tables.wording import method_titles

STEPS = 10
"""The number of colours on each side of the middle."""
_WIDTH, _LEFT, _RIGHT, _TOP, _BAR = 480.0, 64.0, 12.0, 22.0, 86.0
_TALLEST = 400.0


@dataclass(frozen=True)
class Scale:
    """Which colour a value has: the middle, and how far one colour reaches."""

    middle: float
    step: float
    falls: bool = False
    """Whether what is written falls as the value rises, as coverage does as alpha rises."""

    def colours(self, values: Floats) -> Floats:
        """The numbers of colours, from −10 to 10; not a number where there is no value."""
        level = np.floor((values - self.middle) / self.step + 0.5)
        return np.asarray(np.clip(level, -STEPS, STEPS))

    @property
    def levels(self) -> range:
        """All colours, in the order of what is written."""
        return range(STEPS, -STEPS - 1, -1) if self.falls else range(-STEPS, STEPS + 1)


def nice_step(values: Floats) -> float:
    """The step of a scale around 0 that holds 95 % of the values: 1, 2 or 5 times a power of ten.

    >>> nice_step(np.array([3.0, -7.0, 42.0])), nice_step(np.zeros(3))
    (5.0, 1.0)
    """
    known = np.abs(values[np.isfinite(values)])
    wanted = float(np.quantile(known, 0.95)) / STEPS if known.size else 0.0
    if wanted <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(power * each for each in (1, 2, 5, 10) if power * each >= wanted * (1 - 1e-9))


def edges(places: Floats, span: Span) -> Floats:
    """The edges of cells that reach half-way to their neighbours, in shares of the axis.

    >>> edges(np.array([0.0, 0.5, 1.0]), (0.0, 1.0)).tolist()
    [0.0, 0.25, 0.75, 1.0]
    """
    low, high = span
    if places.size < 2:
        return np.array([0.0, 1.0])
    between = (places[1:] + places[:-1]) / 2
    first = max(low, 2 * places[0] - between[0])
    last = min(high, 2 * places[-1] - between[-1])
    return np.asarray((np.concatenate([[first], between, [last]]) - low) / (high - low))


def drawing(frame: Frame, rows: tuple[Row, ...], values: list[Floats], scale: Scale) -> Any:
    """The parts of an SVG image: a path for each colour, the axes, and the bar of colours.

    Args:
        frame: the frame of the map.
        rows: its rows, with as many places as are drawn.
        values: the values of one method, shape (m,) for each row.
        scale: the colours.
    """
    height = min(26.0, _TALLEST / len(rows))
    inner = _WIDTH - _LEFT - _RIGHT
    paths: dict[int | None, list[str]] = {}
    sizes = []
    every = math.ceil(13 / height)
    for index, (row, mine) in enumerate(zip(rows, values, strict=True)):
        top = _TOP + (len(rows) - 1 - index) * height
        if index % every == 0:
            label = ", ".join(f"{each:.6g}" for each in row.size)
            sizes.append({"y": top + height / 2 + 4, "text": label})
        bounds = _LEFT + inner * edges(frame.along(row), frame.span)
        for start, end, colour in _runs(scale.colours(mine)):
            left, wide = bounds[start], bounds[end] - bounds[start]
            piece = f"M{left:.5g} {top:.5g}h{wide:.4g}v{height:.4g}h{-wide:.4g}z"
            paths.setdefault(colour, []).append(piece)
    bottom = _TOP + len(rows) * height
    low, high = frame.span
    return {
        "width": _WIDTH,
        "height": bottom + _BAR,
        "left": _LEFT,
        "top": _TOP,
        "inner": inner,
        "bottom": bottom,
        "box": bottom - _TOP,
        "paths": [{"d": "".join(paths[each]), **_look(each)} for each in sorted(paths, key=str)],
        "sizes": sizes,
        "size_name": ", ".join(frame.family.sizes),
        "axis": frame.axis,
        "ticks": [
            {"x": _LEFT + inner * at / 4, "text": f"{low + (high - low) * at / 4:.4g}"}
            for at in range(5)
        ],
        "bar": [
            {"x": _LEFT + inner * place / (2 * STEPS + 1), **_look(each)}
            for place, each in enumerate(scale.levels)
        ],
        "bar_step": inner / (2 * STEPS + 1),
    }


def _runs(colours: Floats) -> list[tuple[int, int, int | None]]:
    """Neighbours of one colour together: from where, to before where, and the colour."""
    found: list[tuple[int, int, int | None]] = []
    for index, each in enumerate(colours.tolist()):
        colour = None if math.isnan(each) else int(each)
        if found and found[-1][2] == colour:
            found[-1] = (found[-1][0], index + 1, colour)
        else:
            found.append((index, index + 1, colour))
    return found


def _look(colour: int | None) -> dict[str, Any]:
    """The class of a colour and how opaque it is, over the middle."""
    if colour is None:
        return {"kind": "none", "opacity": 1}
    kind = "high" if colour > 0 else "low" if colour < 0 else "middle"
    return {"kind": kind, "opacity": abs(colour) / STEPS or 1}


MOST_PLACES = 101
"""The most outcomes or truths of one size that a map in the page has, equally apart."""
_STATIC_PLACES = 21
"""The same of the drawing that stands where scripts are off."""
ALPHA, LENGTH = "alpha", "length"
_FIGURES = {"alpha_surface": ALPHA, "length_surface": LENGTH}
"""The kinds of figures whose values the maps show, and the quantity."""


_ENGINES = {MONTE_CARLO: "Monte Carlo", CLOSED_FORM: "closed form"}


@dataclass(frozen=True, eq=False)
class _Map:
    """One quantity over a frame, for several methods."""

    frame: Frame
    quantity: str
    title: str
    reference: str
    """The label of the method that lengths are compared with; empty for alpha."""
    lines: tuple[int, ...]
    """The methods, as places in those of the frame."""

    def values(self, rows: Sequence[Row]) -> list[Floats]:
        """Actual alpha, or per cent over the reference, of shape (methods, m) for each row."""
        if self.quantity == ALPHA:
            return [row.values["actual_alpha"] for row in rows]
        base = self.frame.methods.index(self.reference)
        lengths = [row.values["length"] for row in rows]
        return [percent_longer(each, np.broadcast_to(each[base], each.shape)) for each in lengths]

    def sentence(self, values: list[Floats], line: int) -> str:
        """What the map of one method shows."""
        title = self.frame.title_of(self.frame.methods[line])
        if self.quantity == ALPHA:
            return alpha_sentence(self.frame, values, line, title)
        return length_sentence(self.frame, values, line, title, self.reference_title)

    @property
    def reference_title(self) -> str:
        return self.frame.title_of(self.reference)

    def differs_from_alpha(self, line: int) -> bool:
        """Whether a method misses more or less often than alpha somewhere, beyond rounding."""
        tolerance = rounding_of(self.frame.alpha)
        values = [row.values["actual_alpha"][line] for row in self.frame.rows]
        return any(bool((np.abs(each - self.frame.alpha) > tolerance).any()) for each in values)

    @property
    def bound(self) -> float:
        """What values are counted above."""
        if self.quantity == ALPHA:
            return self.frame.alpha + rounding_of(self.frame.alpha)
        return 0.0

    def scale(self, values: Sequence[Floats], line: int) -> Scale:
        """The colours of one method."""
        if self.quantity == ALPHA:
            alpha = self.frame.alpha
            return Scale(alpha, min(alpha, 1 - alpha) / STEPS, falls=True)
        return Scale(0.0, nice_step(np.concatenate([each[line] for each in values])))


def maps(results: Results) -> list[Section]:
    """Return the section with the maps of a run; nothing where it has one size only.

    A size has a row of the map, and its cells reach half-way to the neighbouring outcomes or
    truths. Of more than ``MOST_PLACES`` outcomes of a size some are left out; the sentences and the
    numbers of each size are from all cells of the tables.
    """
    frames = list(frames_of(results.cells, method_titles(results.manifest)))
    every = [each for frame in frames for each in _maps(frame, results)]
    every.sort(key=lambda each: (each.quantity != ALPHA, each.frame.given != OUTCOME))
    if not every:
        return []
    first, line = _first(every, results.manifest["experiment"])
    written = [_written(each, frames) for each in every]
    shown = every[first]
    return [
        Section(
            kind="maps",
            title="Maps over the sizes",
            template="maps.html",
            context=_context(shown, line, written[first]),
            data={
                "frames": [_frame_data(frame) for frame in frames],
                "maps": written,
                "first": [first, shown.lines.index(line)],
                "steps": STEPS,
            },
            scripts=("maps.js",),
            styles=("maps.css",),
        )
    ]


def _maps(frame: Frame, results: Results) -> Iterator[_Map]:
    """The maps of one frame."""
    by = f"by {_ENGINES.get(frame.engine, frame.engine)}"
    several = results.cells["alpha"].n_unique() > 1
    bound = f"nominal {nominal(frame.alpha)}" if several else ""
    where = "".join(f", {each}" for each in (frame.held, bound) if each)
    given = f"given the {frame.given}{where}"
    if all("actual_alpha" in row.values for row in frame.rows):
        every = tuple(range(len(frame.methods)))
        yield _Map(frame, ALPHA, f"Coverage {given}, {by}", "", every)
    reference = _reference(frame, results)
    if not reference or any("length" not in row.values for row in frame.rows):
        return
    side = frame.sides[reference]
    lines = tuple(
        index
        for index, label in enumerate(frame.methods)
        if label != reference and frame.sides[label] == side and any(frame.has_lengths(label))
    )
    if lines:
        mean = "" if frame.given == OUTCOME else "mean "
        title = f"{mean}length relative to {frame.title_of(reference)}, {given}"
        yield _Map(frame, LENGTH, title[0].upper() + title[1:], reference, lines)


def _reference(frame: Frame, results: Results) -> str:
    """The method that lengths are compared with: that of a figure, or the usual, or the best."""
    asked = [each.get("reference") for each in results.manifest["experiment"].get("figures", ())]
    ranked = results.ranking
    best = [] if ranked is None else ranked.filter(ranked["rank"] == 1)["method"].to_list()
    usual = [YARDSTICK] if frame.sides.get(YARDSTICK) == TWO_SIDED else []
    wanted = [each for each in (*asked, *usual, *best) if each in frame.methods]
    known = ((each, frame.has_lengths(each)) for each in wanted)
    return next((label for label, rows in known if rows and all(rows)), "")


def _first(every: Sequence[_Map], experiment: Mapping[str, Any]) -> tuple[int, int]:
    """The map that stands first, and its method: what a figure of the config shows, if any does.

    Else it is the first method with something to see.
    """
    for figure in experiment.get("figures", ()):
        for index, each in enumerate(every):
            if _FIGURES.get(figure["kind"]) != each.quantity or each.frame.given != OUTCOME:
                continue
            if figure.get("alpha") not in (None, each.frame.alpha):
                continue
            labels = {each.frame.methods[line]: line for line in each.lines}
            asked = figure.get("method")
            if asked is None or asked in labels:
                return index, labels.get(asked, each.lines[0])
    return 0, next(filter(every[0].differs_from_alpha, every[0].lines), every[0].lines[0])


def _written(it: _Map, frames: Sequence[Frame]) -> dict[str, Any]:
    """A map as its script reads it."""
    frame = it.frame
    column = "actual_alpha" if it.quantity == ALPHA else "length"
    thin = [row.thinned(MOST_PLACES) for row in frame.rows]
    values = it.values(frame.rows)
    found = by_size(frame, values, it.bound)
    lines = list(it.lines)
    scales = [it.scale(values, line) for line in lines]

    def joined(name: str, chosen: list[int]) -> dict[str, str]:
        unknown = (np.full((len(frame.methods), row.places.size), np.nan) for row in thin)
        parts = [row.values.get(name, no) for row, no in zip(thin, unknown, strict=True)]
        return packed(np.concatenate(parts, axis=1)[chosen])

    more: dict[str, Any] = {}
    if it.quantity == ALPHA and frame.engine == MONTE_CARLO:
        more["errors"] = joined("std_error", lines)
    if it.quantity == LENGTH:
        more["base"] = joined(column, [frame.methods.index(it.reference)])
        more["reference"] = it.reference_title
    return {
        "frame": frames.index(frame),
        "quantity": it.quantity,
        "title": it.title,
        "methods": [frame.title_of(frame.methods[line]) for line in lines],
        "labels": [frame.methods[line] for line in lines],
        "sentences": [it.sentence(values, line) for line in lines],
        "values": joined(column, lines),
        "barTitle": _bar_title(it),
        "middle": scales[0].middle,
        "scales": [scale.step for scale in scales],
        **{name: packed(each[lines]) for name, each in found.items()},
        **more,
    }


def _frame_data(frame: Frame) -> dict[str, Any]:
    """The axes of a frame, as the script reads them."""
    rows = [row.thinned(MOST_PLACES) for row in frame.rows]
    return {
        "alpha": frame.alpha,
        "engine": frame.engine,
        "given": frame.given,
        "axis": frame.axis,
        "symbol": frame.symbol,
        "span": list(frame.span),
        "sizeName": ", ".join(frame.family.sizes),
        "sizes": [", ".join(f"{each:.6g}" for each in row.size) for row in rows],
        "sizeTexts": [frame.family.size_text(row.size, 12) for row in rows],
        "counts": [row.places.size for row in rows],
        "every": [row.places.size for row in frame.rows],
        "places": packed(np.concatenate([row.places for row in rows])),
        "along": packed(np.concatenate([frame.along(row) for row in rows])),
    }


def _context(it: _Map, line: int, written: Mapping[str, Any]) -> dict[str, Any]:
    """What the template writes: the first map without its script."""
    rows = tuple(row.thinned(_STATIC_PLACES) for row in it.frame.rows)
    every = it.values(it.frame.rows)
    scale = it.scale(every, line)
    values = [each[line] for each in it.values(rows)]
    found = by_size(it.frame, every, it.bound)
    return {
        "heading": it.title,
        "sentence": written["sentences"][it.lines.index(line)],
        "drawing": drawing(it.frame, rows, values, scale),
        "bar_texts": _bar_texts(it.quantity, scale),
        "extreme": "Smallest at" if it.quantity == ALPHA else "Largest at",
        "bar_title": written["barTitle"],
        "counted": "below nominal" if it.quantity == ALPHA else "longer",
        "rows": [
            {
                "size": it.frame.family.size_text(row.size, 12),
                "ends": [
                    _value_text(it.quantity, found[name][line, index])
                    for name in (("largest", "least") if scale.falls else ("least", "largest"))
                ],
                "at": f"{it.frame.symbol} = {found['at'][line, index]:.6g}",
                "above": percent(found["above"][line, index]),
            }
            for index, row in enumerate(it.frame.rows)
        ],
    }


def _bar_title(it: _Map) -> str:
    """What the colours mean, in one line of the drawing."""
    if it.quantity == ALPHA:
        return f"coverage; the middle is nominal, {nominal(it.frame.alpha)}"
    title = it.reference_title
    name = title if len(title) <= _LONGEST_NAME else "the method of the heading"
    return f"length, per cent over {name}"


_LONGEST_NAME = 32
"""The most letters of a method's name in a drawing."""


def _bar_texts(quantity: str, scale: Scale) -> list[str]:
    """The numbers below the bar of colours: at its ends, its middle, and half-way."""
    at = [scale.middle + each * scale.step for each in scale.levels[:: STEPS // 2]]
    texts = [_value_text(quantity, 0.0 if abs(each) < 1e-12 else each) for each in at]
    # An alpha of 0 is the least there is.
    last = "≥ " if quantity == LENGTH or at[-1] > 1e-12 else ""
    return [f"≤ {texts[0]}", *texts[1:-1], f"{last}{texts[-1]}"]


def _value_text(quantity: str, value: float) -> str:
    return percent(1 - value, 4) if quantity == ALPHA else f"{significant(value, 3)} %"
