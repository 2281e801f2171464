"""Curves of all methods of a run, with switches for methods and sliders over sizes.

The page draws them with Plotly; where scripts are off, a still picture of a few methods stands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from harness.designs.miss_curve import MissCurve
from harness.report.content import Section, packed
from harness.report.curves.calibration import calibration_picture
from harness.report.curves.panels import Panel, Panels, outcome_panels, truth_panels
from harness.report.curves.shown import Shown, shown_of
from harness.report.curves.smooth import packed_smooth
from harness.report.curves.still_picture import COLOURS, DASHES, Line, StillPicture, still_picture
from harness.report.curves.thinning import thinned
from harness.tables.results import Results

SIMULATED_ON = 2
"""With so many methods or fewer the estimates of Monte Carlo are shown at first."""
_TOLERANCE = 1 / 200
"""How far a drawn line may be from the exact one, as a part of alpha: a third of a pixel."""
_STEPS = 65535

_TITLES = {
    "truth": "Coverage and length over the true value",
    "outcome": "Actual α and length over the outcome",
    "size": "Coverage and length over the size",
}


def curves(results: Results) -> list[Section]:
    """The sections with curves of a run: over the true value, and over the outcome.

    Of a calibration it is the picture of its bins. Without cells, and for designs without such an
    axis, there are none.
    """
    if results.manifest["experiment"].get("kind") == "calibration":
        return calibration_picture(results)
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
        "valueLabel": shown.value_label,
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
        "methods": [
            {
                "title": title,
                "colour": place % COLOURS + 1,
                "dash": place // COLOURS % DASHES,
                "on": row in shown.on,
            }
            for row, (title, place) in enumerate(series)
        ],
        "sizes": shown.sizes,
        "start": shown.start,
        "held": shown.held,
        "held_in_all": shown.panels.held_in_all,
        "alphas": shown.alphas,
        "reference": shown.reference,
        "comparable": [(row, shown.names[row]) for row in shown.comparable],
        "tolerance": 100 * _TOLERANCE * max(shown.alphas),
        "has_length": any(np.isfinite(each.length).any() for each in panels),
        "has_trials": any(each.simulated is not None for each in panels),
        "simulated": _simulated_at_first(shown.panels),
        "count": int(first.x.size),
        "says": says,
        "stills": _stills(shown, first, says),
        "has_curves": any(each.curves for each in panels),
        "over_truth": shown.panels.over == "truth",
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
    value_range = (0.0, reach) if shown.is_outcome else (1 - reach, 1.0)
    values, lengths = [], []
    for row in shown.on:
        title = shown.names[row]
        curve = panel.curves[row] if panel.curves else None
        x, missed = (panel.x, panel.missed[row]) if curve is None else (curve.truths, curve.missed)
        if not np.isfinite(missed).any() and panel.simulated is not None:
            x, missed = panel.x[panel.simulated.at], panel.simulated.alpha[row]
        y = missed if shown.is_outcome else 1 - missed
        values.append(Line(title, x, y, series[row]))
        if row in shown.comparable and np.isfinite(panel.length[row]).any():
            lengths.append(Line(title, panel.x, panel.length[row], series[row]))
    nominal = alpha if shown.is_outcome else 1 - alpha
    pictures = [
        still_picture(
            says[0],
            (shown.x_label, shown.value_label),
            values,
            value_range,
            nominal,
            shown.logarithmic,
        )
    ]
    if lengths:
        axes = (shown.x_label, shown.length_label)
        alt = says[1] or shown.length_label
        pictures.append(still_picture(alt, axes, lengths, logarithmic=shown.logarithmic))
    return pictures
