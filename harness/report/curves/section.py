"""Curves of all methods of a run, with switches for methods and sliders over sizes.

The page draws them with Plotly; where scripts are off, a still picture of a few methods stands.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from harness.figures.look import labels
from harness.figures.look.axes import COVERAGE
from harness.findings.choice import candidates_of, choice
from harness.findings.judgements import judgements
from harness.methods.method import TWO_SIDED
from harness.report.curves.panels import CurvePanel, Panels, outcome_panels, truth_panels
from harness.report.curves.sentences import (
    Words,
    coverage_sentence,
    length_sentence,
    outcome_sentence,
)
from harness.report.packing import packed, packed_smooth, thinned
from harness.report.page import Section
from harness.report.still_picture import COLOURS, DASHES, CurveLine, StillPicture, still_picture
from harness.tables.answers import YARDSTICK
from harness.tables.results import Results
from harness.tables.wording import method_titles

MOST_ON = 2
"""The most methods that are switched on at first."""
ALWAYS_ON = "wald"
"""The method that is among them, where the run has it: the one that others are held against."""
_SPARSE = 10
"""An outcome is written on a logarithmic axis where fewer than one in so many is known."""
_ROOM = 1.15


@dataclass(frozen=True)
class CurveAxis:
    """What curves go over."""

    title: str
    """The title of the section."""
    label: str
    symbol: str
    """What a position is called: p, x, n."""
    ends: tuple[float | None, float | None]
    """The least and the largest value; None where it has no end."""
    length_label: str
    """The label of the other axis where lengths are drawn."""
    most: int
    """The axis of coverage shows so many times alpha at most, unless all of it is asked for."""
    sentence: Callable[[CurvePanel, Words], str]
    """What a picture of coverage says."""


@dataclass(frozen=True)
class ShownPanels:
    """Panels with all of their words."""

    panels: Panels
    axis: CurveAxis
    words: Words
    logarithmic: bool
    """Whether the axis is, on which positions are too far apart otherwise."""

    @cached_property
    def sizes(self) -> list[str]:
        """The sizes in words; one empty text where they are the axis."""
        return list(dict.fromkeys(map(self.words.size, self.panels.panels)))

    @cached_property
    def held(self) -> list[str]:
        """The true values that are held, in words."""
        return list(dict.fromkeys(map(self.words.held, self.panels.panels)))

    @cached_property
    def alphas(self) -> list[float]:
        return list(dict.fromkeys(panel.alpha for panel in self.panels.panels))

    @property
    def start(self) -> int:
        """The number of the size that is shown at first."""
        return (len(self.sizes) - 1) // 2

    @property
    def first(self) -> CurvePanel:
        """The panel that is shown at first."""
        return self.panels.panels[self.start * len(self.held) * len(self.alphas)]

    @property
    def series(self) -> list[int]:
        """The place of each method among the colours, the first for those that are on at first."""
        rows = range(len(self.words.titles))
        order = [*self.words.drawn, *(row for row in rows if row not in self.words.drawn)]
        return [order.index(row) for row in rows]

    def reach(self, alpha: float) -> float:
        """The largest actual alpha on the axis: of what is switched on at first, or a few alpha."""
        on, largest = self.words.drawn, alpha
        for panel in self.panels.panels:
            if panel.alpha != alpha:
                continue
            values = [panel.missed[on]]
            if panel.simulated is not None:
                values.append(panel.simulated.alpha[on])
            drawn = [panel.curves[row] for row in on if panel.curves]
            values += [curve.missed for curve in drawn if curve is not None]
            largest = max(
                largest, *(curve[np.isfinite(curve)].max(initial=0.0) for curve in values)
            )
        return min(_ROOM * float(largest), self.axis.most * alpha, 1.0)

    def sentences(self, panel: CurvePanel) -> list[str]:
        """What the pictures of a panel say; the second is empty where there are no lengths."""
        return [self.axis.sentence(panel, self.words), length_sentence(panel, self.words)]

    def data(self) -> dict[str, Any]:
        """What the script reads."""
        panels = self.panels.panels
        # Equal positions, as of a grid at several sizes, are stored once.
        positions = {panel.x.tobytes(): panel.x for panel in panels}
        numbers = {key: number for number, key in enumerate(positions)}
        return {
            "over": self.panels.over,
            "symbol": self.words.symbol,
            "xLabel": self.axis.label,
            "logarithmic": self.logarithmic,
            "valueLabel": COVERAGE,
            "lengthLabel": self.axis.length_label,
            "titles": self.words.titles,
            "series": self.series,
            "on": self.words.drawn,
            "sizes": self.sizes,
            "held": self.held,
            "alphas": self.alphas,
            "start": self.start,
            "reference": self.words.yardstick,
            "comparable": self.words.comparable,
            "ends": list(self.axis.ends),
            "reach": [self.reach(alpha) for alpha in self.alphas],
            "xs": [packed(x) for x in positions.values()],
            "panels": [
                _packed_panel(panel, numbers[panel.x.tobytes()], self.sentences(panel))
                for panel in panels
            ],
        }

    def context(self) -> dict[str, Any]:
        """What the template reads."""
        panels, titles = self.panels.panels, self.words.titles
        exact = np.any([np.isfinite(panel.missed).any(axis=1) for panel in panels], axis=0)
        return {
            "shown": self,
            "methods": [
                {
                    "title": title,
                    "colour": place % COLOURS + 1,
                    "dash": place // COLOURS % DASHES,
                    "on": row in self.words.drawn,
                }
                for row, (title, place) in enumerate(zip(titles, self.series, strict=True))
            ],
            "comparable": [(row, titles[row]) for row in self.words.comparable],
            "has_length": any(np.isfinite(panel.length).any() for panel in panels),
            "has_trials": any(panel.simulated is not None for panel in panels),
            # Estimates are shown where methods are few, or known by Monte Carlo alone.
            "simulated": len(titles) <= SIMULATED_ON or not exact.all(),
            "count": int(self.first.x.size),
            "says": self.sentences(self.first),
            "stills": self.stills(),
            "has_curves": any(panel.curves for panel in panels),
        }

    def stills(self) -> list[StillPicture]:
        """The pictures for pages without scripts, of the methods that are switched on at first."""
        panel, words, axis = self.first, self.words, self.axis
        values, lengths = [], []
        for row in words.drawn:
            title, series = words.titles[row], self.series[row]
            curve = panel.curves[row] if panel.curves else None
            x, missed = (
                (panel.x, panel.missed[row]) if curve is None else (curve.truths, curve.missed)
            )
            if not np.isfinite(missed).any() and panel.simulated is not None:
                x, missed = panel.x[panel.simulated.at], panel.simulated.alpha[row]
            values.append(CurveLine(title, x, 100 * (1 - missed), series))
            if row in words.comparable and np.isfinite(panel.length[row]).any():
                lengths.append(CurveLine(title, panel.x, panel.length[row], series))
        says, least = self.sentences(panel), 100 * (1 - self.reach(panel.alpha))
        nominal = 100 * (1 - panel.alpha)
        axes, is_log = (axis.label, COVERAGE), self.logarithmic
        pictures = [still_picture(says[0], axes, values, (least, 100.0), nominal, is_log)]
        if lengths:
            axes, alt = (axis.label, axis.length_label), says[1] or axis.length_label
            pictures.append(still_picture(alt, axes, lengths, logarithmic=is_log))
        return pictures


def shown_of(results: Results, panels: Panels) -> ShownPanels:
    """Return panels with all of their words."""
    titles, methods = method_titles(results.manifest), panels.methods
    # The methods whose lengths are compared are those of one side, if possible of two.
    side = TWO_SIDED if TWO_SIDED in panels.sides else panels.sides[0]
    comparable = [row for row, of_method in enumerate(panels.sides) if of_method == side]
    yardstick = methods.index(YARDSTICK) if YARDSTICK in methods else -1
    # All are drawn at first where they are few, else those that are advised, and one that all know.
    drawn = list(range(len(methods)))
    if len(methods) > MOST_ON:
        ranking = results.ranking
        ranked = [] if ranking is None else ranking["method"].unique(maintain_order=True).to_list()
        judged = [judgement for judgement in judgements(results) if judgement.with_lengths]
        advised = [choice(candidates_of(judgement)).default.method for judgement in judged]
        order = dict.fromkeys((*advised, *ranked, *methods))
        wanted = [method for method in order if method in methods][:MOST_ON]
        if ALWAYS_ON in methods and ALWAYS_ON not in wanted:
            wanted[-1] = ALWAYS_ON
        drawn = [methods.index(method) for method in wanted]
    axis = _axis(panels)
    words = Words(
        titles=[titles[method] for method in methods],
        drawn=drawn,
        comparable=comparable,
        yardstick=yardstick if yardstick in comparable and len(comparable) > 1 else -1,
        symbol=axis.symbol,
        family=panels.family,
    )
    x, names = panels.panels[0].x, panels.panels[0].names
    is_sparse = panels.over == "outcome" and x[-1] > _SPARSE * x.size and names is None
    return ShownPanels(panels, axis, words, bool(is_sparse and not panels.family.has_fractions))


def _axis(panels: Panels) -> CurveAxis:
    """What the curves of panels go over."""
    family, model = panels.family, panels.family.model
    if panels.over == "outcome":
        return CurveAxis(
            title="Coverage and length over the outcome",
            label=f"outcome {model.COUNT} (number of {model.COUNTED})",
            symbol=model.COUNT,
            ends=(None, None),
            length_label="length of the interval",
            most=3,
            sentence=outcome_sentence,
        )
    length_label = labels.length_label(family).replace("\n", " ")
    if panels.over == "size":
        return CurveAxis(
            title="Coverage and length over the size",
            label=labels.size_label(family),
            symbol=family.sizes[0],
            ends=(0.0, None),
            length_label=length_label,
            most=4,
            sentence=coverage_sentence,
        )
    low, high = model.SUPPORT
    return CurveAxis(
        title="Coverage and length over the true value",
        label=labels.truth_label(family),
        symbol=family.curve_truths[0][1],
        ends=(low if math.isfinite(low) else None, high if math.isfinite(high) else None),
        length_label=length_label,
        most=4,
        sentence=coverage_sentence,
    )


SIMULATED_ON = 2
"""With so many methods or fewer the estimates of Monte Carlo are shown at first."""
_TOLERANCE = 1 / 200
"""How far a drawn line may be from the exact one, as a part of alpha: a third of a pixel."""
_STEPS = 65535


def curves(results: Results) -> list[Section]:
    """Return the sections with curves of a run: over the true value, and over the outcome.

    Without cells, and for designs without such an axis, there are none.
    """
    every = (truth_panels(results), outcome_panels(results))
    shown = [shown_of(results, panels) for panels in every if panels is not None and panels.panels]
    return [
        Section(
            "curves",
            panels.axis.title,
            "curves.html",
            panels.context(),
            panels.data(),
            ("plotly-basic.min.js", "curves.js"),
            ("curves.css",),
        )
        for panels in shown
    ]


def _packed_panel(panel: CurvePanel, x: int, say: Sequence[str]) -> dict[str, Any]:
    """A panel for the script: the values that are read as they are, lines as they are drawn."""
    stored: dict[str, Any] = {
        "x": x,
        "missed": packed_smooth(panel.missed),
        "length": packed_smooth(panel.length) if np.isfinite(panel.length).any() else None,
        "say": say,
    }
    if any(panel.estimated_length):
        stored["estimated"] = panel.estimated_length
    if panel.names is not None:
        stored["names"] = panel.names
    if panel.curves:
        # They stand one after the other, thinned to what is seen.
        ends = next(curve.truths[[0, -1]] for curve in panel.curves if curve is not None)
        low, high = ends.tolist()
        counts, steps, heights = [], [], []
        for curve in panel.curves:
            if curve is None:
                counts.append(0)
                continue
            place = thinned(curve.truths, curve.missed, _TOLERANCE * panel.alpha)
            step = np.rint((curve.truths[place] - low) / (high - low) * _STEPS).astype(np.int64)
            counts.append(place.size)
            steps.append(np.diff(step, prepend=0))
            heights.append(curve.missed[place])
        stored["curves"] = {
            "from": low,
            "to": high,
            "counts": counts,
            "steps": packed(np.concatenate(steps), "uint16"),
            "missed": packed(np.concatenate(heights), "float32"),
        }
    if panel.simulated is not None:
        stored["simulated"] = {
            "at": packed(panel.simulated.at, "int32"),
            "alpha": packed(panel.simulated.alpha),
            "lower": packed(panel.simulated.lower),
            "upper": packed(panel.simulated.upper),
        }
    return stored
