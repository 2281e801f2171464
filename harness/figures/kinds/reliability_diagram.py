"""Computed probabilities against how often the event held, bin by bin (Ross 2003, Fig. 12)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from harness.base.errors import InputError
from harness.catalogue import family_in
from harness.figures import options, selection
from harness.figures.kind import Drawing, FigureKind
from harness.figures.look import labels, style

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes

    from harness.tables.results import Results

NAME = "calibration"
REFERENCES = {
    "prior": ("under the prior", style.BLUE, "o"),
    "truth": ("under the truths' distribution", style.VERMILION, "s"),
}


class CalibrationOptions(options.FigureOptions):
    """Options of `calibration`: there are none."""


def draw(results: Results, asked: CalibrationOptions) -> list[Drawing]:
    """One drawing: fractions above, and their differences from what is computed below."""
    cells, summary = results.cells.filter(results.cells["trials"] > 0), results.summary
    if cells.is_empty():
        raise InputError(f"{NAME}: the results hold no trials")
    figure = style.new_figure(style.COLUMN, 108)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=(1.7, 1))
    upper.plot([0, 1], [0, 1], color=style.BLACK, linewidth=0.5, zorder=1, gid="diagonal")
    lower.axhline(0, color=style.BLACK, linewidth=0.5, zorder=1, gid="zero")
    for reference in REFERENCES:
        rows = cells.filter(reference=reference).sort("bin")
        if not rows.is_empty():
            p = summary.filter(reference=reference).row(0, named=True)["p_value"]
            if p is None:
                test = "not tested"
            elif p > 0:
                test = f"overall test p = {labels.number_text(p)}"
            else:
                # A p-value that underflows is small, not 0.
                test = f"overall test p < {labels.power_text(-300)}"
            text = f"{REFERENCES[reference][0]}: {test}"
            _plot_points(upper, rows, reference, "fraction", text)
            _plot_points(lower, rows, reference, "difference", "")
    upper.set_xlim(-0.01, 1.01)
    upper.set_ylim(-0.01, 1.01)
    upper.set_ylabel("fraction of trials in which it held")
    lower.set_ylabel("fraction − computed")
    event = f"Pr({family_in(cells).parameter} ≥ δ)"
    lower.set_xlabel(f"computed {event}, mean of each bin")
    trials = int(summary["trials"].to_numpy().max())
    title = f"calibration of {event}, {trials:,} trials, 95 % intervals"
    heading = style.wrap(title, style.COLUMN)
    figure.legend(*upper.get_legend_handles_labels(), **style.legend_above(1, heading))
    return [Drawing(NAME, figure)]


def _plot_points(axes: Axes, rows: pl.DataFrame, reference: str, what: str, name: str) -> None:
    """Draw fractions with their intervals, or their differences from the computed probability."""
    _, colour, marker = REFERENCES[reference]
    computed = rows["mean_probability"].to_numpy()
    fraction = rows["fraction"].to_numpy()
    drawn = axes.errorbar(
        computed,
        fraction - (computed if what == "difference" else 0),
        yerr=selection.error_bars(rows, "fraction"),
        **style.dots(colour, marker, 2.4),
        elinewidth=0.7,
        capsize=1.2,
        capthick=0.5,
        zorder=3,
        label=name or None,
    )
    drawn[0].set_gid(f"{what}-{reference}")


KIND = FigureKind(
    name=NAME,
    title="How often the event holds against its computed probability, bin by bin",
    options=CalibrationOptions,
    over="bin",
    needs=(),
    drawn_for=lambda family: family.samples == 2,
    draw=draw,
    experiment="calibration",
)
