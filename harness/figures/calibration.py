"""Computed probabilities against how often the event held, bin by bin (Ross 2003, Fig. 12)."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from harness.errors import InputError
from harness.figures import selection, style, units
from harness.figures.data_names import data_names
from harness.figures.drawing import Drawing
from harness.figures.options import Calibration

KIND = "calibration"
REFERENCES = {
    "prior": ("under the prior", style.BLUE, "o"),
    "truth": ("under the truths' distribution", style.VERMILION, "s"),
}


def draw(results: selection.Tables, options: Calibration) -> list[Drawing]:
    """One drawing."""
    cells = results.cells.filter(pl.col("trials") > 0)
    if cells.is_empty():
        raise InputError(f"{KIND}: the results hold no trials")
    return [Drawing(KIND, _figure(cells, results.summary))]


def _figure(cells: pl.DataFrame, summary: pl.DataFrame) -> Figure:
    figure = style.new_figure(style.COLUMN, 108)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(1.7, 1))
    upper.plot([0, 1], [0, 1], color=style.BLACK, linewidth=0.5, zorder=1, gid="diagonal")
    lower.axhline(0, color=style.BLACK, linewidth=0.5, zorder=1, gid="zero")
    found = [name for name in REFERENCES if name in cells["reference"]]
    for name in found:
        rows = cells.filter(pl.col("reference") == name).sort("bin")
        _points(upper, rows, name, "fraction", _tested(summary, name))
        _points(lower, rows, name, "difference", "")
    upper.set_xlim(-0.01, 1.01)
    upper.set_ylim(-0.01, 1.01)
    upper.set_ylabel("fraction of trials in which it held")
    lower.set_ylabel("fraction − computed")
    lower.set_xlabel(f"computed {_event(cells)}, mean of each bin")
    trials = int(summary["trials"].to_numpy().max())
    title = f"calibration of {_event(cells)}, {trials:,} trials, 95 % intervals"
    figure.legend(
        *upper.get_legend_handles_labels(),
        loc="outside upper left",
        title=style.wrapped(title, style.COLUMN),
        alignment="left",
    )
    return figure


def _event(cells: pl.DataFrame) -> str:
    """The event whose probability is computed."""
    return f"Pr({data_names(cells).family.parameter} ≥ δ)"


def _tested(summary: pl.DataFrame, reference: str) -> str:
    """The overall test, in words."""
    row = summary.filter(pl.col("reference") == reference).row(0, named=True)
    p = row["p_value"]
    test = "not tested" if p is None else f"overall test p {_written(p)}"
    return f"{REFERENCES[reference][0]}: {test}"


def _written(p: float) -> str:
    """A p-value that underflows is small, not 0."""
    return f"= {units.in_text(p)}" if p > 0 else f"< {units.power(-300)}"


def _points(axes: Axes, rows: pl.DataFrame, reference: str, what: str, name: str) -> None:
    """Fractions with their intervals, or what they differ by from the computed probability."""
    _, colour, marker = REFERENCES[reference]
    computed = rows["mean_probability"].to_numpy()
    fraction = rows["fraction"].to_numpy()
    # Rounding may leave an estimate a hair outside its own interval; a length is never negative.
    down = np.maximum(fraction - rows["ci_lower"].to_numpy(), 0)
    up = np.maximum(rows["ci_upper"].to_numpy() - fraction, 0)
    drawn = axes.errorbar(
        computed,
        fraction - (computed if what == "difference" else 0),
        yerr=np.stack([down, up]),
        fmt=marker,
        color=colour,
        elinewidth=0.7,
        capsize=1.2,
        capthick=0.5,
        markersize=2.4,
        markeredgewidth=0,
        zorder=3,
        label=name or None,
    )
    drawn[0].set_gid(f"{what}-{reference}")
