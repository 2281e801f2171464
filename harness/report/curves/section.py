"""Panels of curves with all of their words: what is switched on at first, and what it is called.

Curves of all methods of a run, with switches for methods and sliders over sizes.

The page draws them with Plotly; where scripts are off, a still picture of a few methods stands.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.designs.miss_curve import MissCurve
from harness.figures.look import labels
from harness.figures.look.axes import COVERAGE
from harness.findings.judgements import choice, judgements
from harness.methods.method import TWO_SIDED
from harness.report.curves.panels import Panel, Panels, outcome_panels, truth_panels
from harness.report.curves.sentences import (
    Words,
    coverage_sentence,
    length_sentence,
    outcome_sentence,
)
from harness.report.packing import packed, packed_smooth, thinned
from harness.report.page import Section
from harness.report.still_picture import COLOURS, DASHES, Line, StillPicture, still_picture
from harness.tables.answers import YARDSTICK
from harness.tables.results import Results
from harness.tables.wording import method_titles

MOST_ON = 2
"""The most methods that are switched on at first."""
ALWAYS_ON = "wald"
"""The method that is among them, where the run has it: the one that others are held against."""
_SPARSE = 10
"""An outcome is written on a logarithmic axis where fewer than one in so many is known."""
_MOST_OF_TRUTHS, _MOST_OF_OUTCOMES = 4, 3
"""The axis shows so many times alpha at most, unless all of it is asked for."""
_ROOM = 1.15


@dataclass(frozen=True)
class Shown:
    """Panels with all of their words."""

    panels: Panels
    titles: Mapping[str, str]
    on: Sequence[int]
    """The methods that are switched on at first, the first of which has the first colour."""
    x_label: str
    symbol: str
    """The name of a position of the axis."""
    logarithmic: bool

    @property
    def is_outcome(self) -> bool:
        return self.panels.over == "outcome"

    @property
    def sizes(self) -> list[str]:
        """The sizes in words; one empty text where they are the axis."""
        return list(dict.fromkeys(self.size_text(each) for each in self.panels.panels))

    @property
    def held(self) -> list[str]:
        """The true values that are held, in words."""
        return list(dict.fromkeys(self.held_text(each) for each in self.panels.panels))

    @property
    def alphas(self) -> list[float]:
        return list(dict.fromkeys(each.alpha for each in self.panels.panels))

    @property
    def start(self) -> int:
        """The number of the size that is shown at first."""
        return (len(self.sizes) - 1) // 2

    @property
    def first(self) -> Panel:
        """The panel that is shown at first."""
        return self.panels.panels[self.start * len(self.held) * len(self.alphas)]

    @property
    def reference(self) -> int:
        """The number of the method that lengths are relative to at first; -1 for none."""
        methods = self.panels.methods
        if YARDSTICK not in methods or len(self.comparable) < 2:
            return -1
        row = methods.index(YARDSTICK)
        return row if row in self.comparable else -1

    @property
    def comparable(self) -> list[int]:
        """The methods whose lengths are compared: those of one side, if possible of two."""
        sides = self.panels.sides
        side = TWO_SIDED if TWO_SIDED in sides else sides[0]
        return [row for row, each in enumerate(sides) if each == side]

    def reach(self, alpha: float) -> float:
        """The largest actual alpha on the axis: of what is switched on at first, or a few alpha."""
        found = [alpha]
        for panel in self.panels.panels:
            if panel.alpha != alpha:
                continue
            values = [panel.missed[self.on]]
            if panel.simulated is not None:
                values.append(panel.simulated.alpha[self.on])
            drawn = [panel.curves[row] for row in self.on if panel.curves]
            values += [each.missed for each in drawn if each is not None]
            found += [float(each[np.isfinite(each)].max(initial=0.0)) for each in values]
        most = _MOST_OF_OUTCOMES if self.is_outcome else _MOST_OF_TRUTHS
        return min(_ROOM * max(found), most * alpha, 1.0)

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The least and the largest value on the axis; None where it has no end."""
        if self.panels.over == "size":
            return 0.0, None
        if self.panels.over == "outcome":
            return None, None
        low, high = self.panels.family.model.SUPPORT
        return low if math.isfinite(low) else None, high if math.isfinite(high) else None

    @property
    def names(self) -> list[str]:
        return [self.titles[method] for method in self.panels.methods]

    @property
    def series(self) -> list[int]:
        """Of each method its place among the colours."""
        others = [row for row in range(len(self.names)) if row not in self.on]
        order = [*self.on, *others]
        return [order.index(row) for row in range(len(self.names))]

    @property
    def length_label(self) -> str:
        if self.is_outcome:
            return "length of the interval"
        return labels.length_label(self.panels.family).replace("\n", " ")

    def size_text(self, panel: Panel) -> str:
        return "" if panel.size is None else labels.size_text(self.panels.family, panel.size)

    def held_text(self, panel: Panel) -> str:
        """The true values that are held, with their symbols."""
        symbols = [symbol for _, symbol in self.panels.family.curve_truths]
        if panel.size is not None:
            symbols = symbols[1:]
        pairs = zip(symbols, panel.held, strict=True)
        return ", ".join(f"{symbol} = {value:.6g}" for symbol, value in pairs if value is not None)

    def sentences(self, panel: Panel) -> list[str]:
        """What the pictures of a panel say; the second is empty where there are no lengths."""
        setting = ", ".join(filter(None, (self.size_text(panel), self.held_text(panel))))
        words = Words(self.names, self.on, self.comparable, self.reference, setting, self.symbol)
        first = outcome_sentence if self.is_outcome else coverage_sentence
        return [first(panel, words), length_sentence(panel, words)]


def shown_of(results: Results, panels: Panels) -> Shown:
    """Return panels with all of their words."""
    family, first = panels.family, panels.panels[0]
    count = family.model.COUNT
    words = {
        "truth": (labels.truth_label(family), family.curve_truths[0][1]),
        "outcome": (f"outcome {count} (number of {family.model.COUNTED})", count),
        "size": (labels.size_label(family), family.sizes[0]),
    }
    x = first.x
    sparse = panels.over == "outcome" and not family.is_bounded and x[-1] > _SPARSE * x.size
    return Shown(
        panels,
        method_titles(results.manifest),
        _on_at_first(results, panels.methods),
        *words[panels.over],
        bool(sparse and first.names is None),
    )


def _on_at_first(results: Results, methods: Sequence[str]) -> list[int]:
    """All methods where they are few, else the one that is advised, and the one that all know."""
    if len(methods) <= MOST_ON:
        return list(range(len(methods)))
    ranking = results.ranking
    ranked = [] if ranking is None else ranking["method"].unique(maintain_order=True).to_list()
    judged = [each for each in judgements(results) if each.with_lengths]
    advised = [choice(each).default.method for each in judged]
    order = [each for each in dict.fromkeys((*advised, *ranked, *methods)) if each in methods]
    wanted = order[:MOST_ON]
    if ALWAYS_ON in methods and ALWAYS_ON not in wanted:
        wanted[-1] = ALWAYS_ON
    return [methods.index(each) for each in wanted]


SIMULATED_ON = 2
"""With so many methods or fewer the estimates of Monte Carlo are shown at first."""
_TOLERANCE = 1 / 200
"""How far a drawn line may be from the exact one, as a part of alpha: a third of a pixel."""
_STEPS = 65535

_TITLES = {
    "truth": "Coverage and length over the true value",
    "outcome": "Coverage and length over the outcome",
    "size": "Coverage and length over the size",
}


def curves(results: Results) -> list[Section]:
    """The sections with curves of a run: over the true value, and over the outcome.

    Without cells, and for designs without such an axis, there are none.
    """
    found = (truth_panels(results), outcome_panels(results))
    return [_section(results, each) for each in found if each is not None and each.panels]


def _section(results: Results, panels: Panels) -> Section:
    shown = shown_of(results, panels)
    return Section(
        "curves",
        _TITLES[panels.over],
        "curves.html",
        _context(shown),
        _data(shown),
        ("plotly-basic.min.js", "curves.js"),
        ("curves.css",),
    )


def _data(shown: Shown) -> dict[str, Any]:
    """What the script reads."""
    panels = shown.panels.panels
    # Equal positions, as of a grid at several sizes, are stored once.
    places = {each.x.tobytes(): each.x for each in panels}
    numbers = {key: number for number, key in enumerate(places)}
    return {
        "over": shown.panels.over,
        "symbol": shown.symbol,
        "xLabel": shown.x_label,
        "logarithmic": shown.logarithmic,
        "valueLabel": COVERAGE,
        "lengthLabel": shown.length_label,
        "titles": shown.names,
        "series": shown.series,
        "on": list(shown.on),
        "sizes": shown.sizes,
        "held": shown.held,
        "alphas": shown.alphas,
        "start": shown.start,
        "reference": shown.reference,
        "comparable": shown.comparable,
        "ends": list(shown.ends),
        "reach": [shown.reach(alpha) for alpha in shown.alphas],
        "xs": [packed(each) for each in places.values()],
        "panels": [
            _packed_panel(each, numbers[each.x.tobytes()], shown.sentences(each)) for each in panels
        ],
    }


def _context(shown: Shown) -> dict[str, Any]:
    """What the template reads."""
    panels, first = shown.panels.panels, shown.first
    says = shown.sentences(first)
    series = zip(shown.names, shown.series, strict=True)
    return {
        "shown": shown,
        "methods": [
            {
                "title": title,
                "colour": place % COLOURS + 1,
                "dash": place // COLOURS % DASHES,
                "on": row in shown.on,
            }
            for row, (title, place) in enumerate(series)
        ],
        "comparable": [(row, shown.names[row]) for row in shown.comparable],
        "has_length": any(np.isfinite(each.length).any() for each in panels),
        "has_trials": any(each.simulated is not None for each in panels),
        "simulated": _simulated_at_first(shown.panels),
        "count": int(first.x.size),
        "says": says,
        "stills": _stills(shown, first, says),
        "has_curves": any(each.curves for each in panels),
    }


def _simulated_at_first(panels: Panels) -> bool:
    """Whether estimates are shown: where methods are few, or known by Monte Carlo alone."""
    exact = np.any([np.isfinite(each.missed).any(axis=1) for each in panels.panels], axis=0)
    return len(panels.methods) <= SIMULATED_ON or not bool(exact.all())


def _packed_panel(panel: Panel, x: int, say: Sequence[str]) -> dict[str, Any]:
    """A panel for the script: the values that are read as they are, lines as they are drawn."""
    found: dict[str, Any] = {
        "x": x,
        "missed": packed_smooth(panel.missed),
        "length": packed_smooth(panel.length) if np.isfinite(panel.length).any() else None,
        "say": list(say),
    }
    if any(panel.estimated_length):
        found["estimated"] = list(panel.estimated_length)
    if panel.names is not None:
        found["names"] = list(panel.names)
    if panel.curves:
        found["curves"] = _packed_curves(panel.curves, panel.alpha)
    if panel.simulated is not None:
        found["simulated"] = {
            "at": packed(panel.simulated.at, "int32"),
            "alpha": packed(panel.simulated.alpha),
            "lower": packed(panel.simulated.lower),
            "upper": packed(panel.simulated.upper),
        }
    return found


def _packed_curves(found: Sequence[MissCurve | None], alpha: float) -> dict[str, Any]:
    """The lines of a panel one after the other, thinned to what is seen."""
    known = [each for each in found if each is not None]
    low, high = float(known[0].truths[0]), float(known[0].truths[-1])
    counts, steps, heights = [], [], []
    for each in found:
        if each is None:
            counts.append(0)
            continue
        place = thinned(each.truths, each.missed, _TOLERANCE * alpha)
        step = np.rint((each.truths[place] - low) / (high - low) * _STEPS).astype(np.int64)
        counts.append(place.size)
        steps.append(np.diff(step, prepend=0))
        heights.append(each.missed[place])
    return {
        "from": low,
        "to": high,
        "counts": counts,
        "steps": packed(np.concatenate(steps), "uint16"),
        "missed": packed(np.concatenate(heights), "float32"),
    }


def _stills(shown: Shown, panel: Panel, says: Sequence[str]) -> list[StillPicture]:
    """The pictures for pages without scripts, of the methods that are switched on at first."""
    alpha = panel.alpha
    series = shown.series
    reach = shown.reach(alpha)
    values, lengths = [], []
    for row in shown.on:
        title = shown.names[row]
        curve = panel.curves[row] if panel.curves else None
        x, missed = (panel.x, panel.missed[row]) if curve is None else (curve.truths, curve.missed)
        if not np.isfinite(missed).any() and panel.simulated is not None:
            x, missed = panel.x[panel.simulated.at], panel.simulated.alpha[row]
        values.append(Line(title, x, 100 * (1 - missed), series[row]))
        if row in shown.comparable and np.isfinite(panel.length[row]).any():
            lengths.append(Line(title, panel.x, panel.length[row], series[row]))
    pictures = [
        still_picture(
            says[0],
            (shown.x_label, COVERAGE),
            values,
            (100 * (1 - reach), 100.0),
            100 * (1 - alpha),
            shown.logarithmic,
        )
    ]
    if lengths:
        axes = (shown.x_label, shown.length_label)
        alt = says[1] or shown.length_label
        pictures.append(still_picture(alt, axes, lengths, logarithmic=shown.logarithmic))
    return pictures
