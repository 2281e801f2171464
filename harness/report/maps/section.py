"""Maps of coverage and of length over size and outcome, and over size and truth.

A script draws them; before it runs, and where there is none, the drawing of one map stands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.families.combination import Span
from harness.families.family import MONTE_CARLO
from harness.report.maps.frames import Frame, SizeRow, by_size, frames_of
from harness.report.maps.quantities import (
    STEPS,
    LengthMap,
    QuantityMap,
    Scale,
    maps_of,
)
from harness.report.packing import packed
from harness.report.page import Section
from harness.tables.columns import OUTCOME
from harness.tables.results import Results
from harness.tables.wording import method_titles, percent

MOST_PLACES = 101
"""The most outcomes or truths of one size that a map in the page has, equally apart."""
_STATIC_PLACES = 21
"""The same of the drawing that stands where scripts are off."""
_WIDTH, _LEFT, _RIGHT, _TOP, _BAR = 480.0, 64.0, 12.0, 22.0, 86.0
_TALLEST = 400.0


def maps(results: Results) -> list[Section]:
    """Return the section with the maps of a run; nothing where it has one size only.

    A size has a row of the map, and its cells reach half-way to the neighbouring outcomes or
    truths. Of more than ``MOST_PLACES`` outcomes of a size some are left out; the sentences and the
    numbers of each size are from all cells of the tables.
    """
    frames = list(frames_of(results.cells, method_titles(results.manifest)))
    every = [quantity_map for frame in frames for quantity_map in maps_of(frame, results)]
    every.sort(key=lambda it: (isinstance(it, LengthMap), it.frame.given != OUTCOME))
    if not every:
        return []
    first, line = _first(every, results.manifest["experiment"])
    written = [_written(quantity_map, frames) for quantity_map in every]
    # The axes of each frame, as the script reads them.
    axes = []
    for frame in frames:
        rows = [row.thinned(MOST_PLACES) for row in frame.rows]
        axes.append(
            {
                "alpha": frame.alpha,
                "engine": frame.engine,
                "given": frame.given,
                "axis": frame.axis.label,
                "symbol": frame.axis.symbol,
                "span": list(frame.span),
                "sizeName": ", ".join(frame.family.sizes),
                "sizes": [_size_label(row) for row in rows],
                "sizeTexts": [frame.size_text(row) for row in rows],
                "counts": [row.places.size for row in rows],
                "every": [row.places.size for row in frame.rows],
                "places": packed(np.concatenate([row.places for row in rows])),
                "along": packed(np.concatenate([frame.along(row) for row in rows])),
            }
        )
    return [
        Section(
            kind="maps",
            title="Maps over the sizes",
            template="maps.html",
            context=_context(every[first], line),
            data={
                "frames": axes,
                "maps": written,
                "first": [first, every[first].lines.index(line)],
                "steps": STEPS,
            },
            scripts=("maps.js",),
            styles=("maps.css",),
        )
    ]


def _first(every: Sequence[QuantityMap], experiment: Mapping[str, Any]) -> tuple[int, int]:
    """The map that stands first, and its method: what a figure of the config shows, if any does.

    Else it is the first method with something to see.
    """
    for figure in experiment.get("figures", ()):
        for index, it in enumerate(every):
            if figure["kind"] != it.figure or it.frame.given != OUTCOME:
                continue
            if figure.get("alpha") not in (None, it.frame.alpha):
                continue
            labels = {it.frame.methods[line]: line for line in it.lines}
            asked = figure.get("method")
            if asked is None or asked in labels:
                return index, labels.get(asked, it.lines[0])
    return 0, next(filter(every[0].differs, every[0].lines), every[0].lines[0])


def _written(it: QuantityMap, frames: Sequence[Frame]) -> dict[str, Any]:
    """A map as its script reads it."""
    frame, lines = it.frame, list(it.lines)
    thin = [row.thinned(MOST_PLACES) for row in frame.rows]
    values = it.values(frame.rows)
    summed = by_size(frame, values, it.bound)
    scales = [it.scale(values, line) for line in lines]

    def joined(name: str, chosen: list[int]) -> dict[str, str]:
        unknown = (np.full((len(frame.methods), row.places.size), np.nan) for row in thin)
        parts = [row.values.get(name, no) for row, no in zip(thin, unknown, strict=True)]
        return packed(np.concatenate(parts, axis=1)[chosen])

    written = {
        "frame": frames.index(frame),
        "quantity": it.name,
        "title": it.title,
        "methods": [frame.title_of(frame.methods[line]) for line in lines],
        "labels": [frame.methods[line] for line in lines],
        "sentences": [it.sentence(values, line) for line in lines],
        "values": joined(it.column, lines),
        "barTitle": it.bar_title,
        "middle": scales[0].middle,
        "scales": [scale.step for scale in scales],
        **{name: packed(numbers[lines]) for name, numbers in summed.items()},
    }
    if isinstance(it, LengthMap):
        written["base"] = joined(it.column, [frame.methods.index(it.reference)])
        written["reference"] = frame.title_of(it.reference)
    elif frame.engine == MONTE_CARLO:
        written["errors"] = joined("std_error", lines)
    return written


def _size_label(row: SizeRow) -> str:
    return ", ".join(f"{number:.6g}" for number in row.size)


def _context(it: QuantityMap, line: int) -> dict[str, Any]:
    """What the template writes: the first map without its script."""
    frame = it.frame
    rows = tuple(row.thinned(_STATIC_PLACES) for row in frame.rows)
    every = it.values(frame.rows)
    scale = it.scale(every, line)
    summed = {name: numbers[line] for name, numbers in by_size(frame, every, it.bound).items()}
    ends = ("largest", "least") if scale.falls else ("least", "largest")
    return {
        "heading": it.title,
        "sentence": it.sentence(every, line),
        "drawing": drawing(frame, rows, [values[line] for values in it.values(rows)], scale),
        "bar_texts": it.bar_texts(scale),
        "extreme": it.extreme,
        "bar_title": it.bar_title,
        "counted": it.counted,
        "rows": [
            {
                "size": frame.size_text(row),
                "ends": [it.text(summed[end][index]) for end in ends],
                "at": f"{frame.axis.symbol} = {summed['at'][index]:.6g}",
                "above": percent(summed["above"][index]),
            }
            for index, row in enumerate(frame.rows)
        ],
    }


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


def drawing(frame: Frame, rows: Sequence[SizeRow], values: Sequence[Floats], scale: Scale) -> Any:
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
            sizes.append({"y": top + height / 2 + 4, "text": _size_label(row)})
        bounds = _LEFT + inner * edges(frame.along(row), frame.span)
        # Neighbours of one colour are one piece.
        for colour, run in groupby(range(mine.size), scale.colours(mine).__getitem__):
            cells = list(run)
            left, wide = bounds[cells[0]], bounds[cells[-1] + 1] - bounds[cells[0]]
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
        "paths": [
            {"d": "".join(paths[colour]), **_look(colour)} for colour in sorted(paths, key=str)
        ],
        "sizes": sizes,
        "size_name": ", ".join(frame.family.sizes),
        "axis": frame.axis.label,
        "ticks": [
            {"x": _LEFT + inner * at / 4, "text": f"{low + (high - low) * at / 4:.4g}"}
            for at in range(5)
        ],
        "bar": [
            {"x": _LEFT + inner * place / (2 * STEPS + 1), **_look(level)}
            for place, level in enumerate(scale.levels)
        ],
        "bar_step": inner / (2 * STEPS + 1),
    }


def _look(colour: int | None) -> dict[str, Any]:
    """The class of a colour and how opaque it is, over the middle."""
    if colour is None:
        return {"kind": "none", "opacity": 1}
    kind = "high" if colour > 0 else "low" if colour < 0 else "middle"
    return {"kind": kind, "opacity": abs(colour) / STEPS or 1}
