"""Monte Carlo alpha of each outcome against the exact value (Ross 2003, Fig. 3 right, Fig. 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from harness.base.errors import InputError
from harness.families.family import ENUMERATION, MONTE_CARLO, POSTERIOR
from harness.figures import options, selection
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.look import axes as outcome_axis
from harness.figures.look import labels, layout, style
from harness.figures.selection import Selection

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from harness.tables.results import Results

NAME = "alpha_by_outcome"
CROWD = 150
"""More outcomes than this collide: their intervals are drawn pale and behind the lines."""
SAME = 1e-6
"""Two exact alphas that differ by no more than this are drawn as one line."""


class AlphaByOutcomeOptions(options.AxesOptions):
    """Options of `alpha_by_outcome`."""

    n: options.Size | None = options.SIZE
    method: options.Label | None = Field(
        None, description="Label of the method to draw; left out, one drawing per method."
    )
    alpha: options.Alpha | None = options.ALPHA
    highest: float | None = Field(
        None,
        gt=0,
        le=1,
        description="Upper end of the axis of alpha, a probability; left out, all is shown, on an "
        "axis that is stretched near 0 if there are more than 4 alpha.",
    )

    @property
    def top(self) -> float | None:
        """The upper end of the axis of alpha that is asked for."""
        return self.highest if self.ylim is None else self.ylim[1]


def draw(results: Results, asked: AlphaByOutcomeOptions) -> Iterator[Drawing]:
    """Yield one drawing per method and alpha."""
    selected = Selection.conditioned(results, NAME, asked, "outcome", (MONTE_CARLO,))
    family, size = selected.family, selected.size
    for label in selected.methods:
        for alpha, part in selected.alphas:
            here = results.cells.filter(
                selection.at(family.sizes, size), given="outcome", method=label, alpha=alpha
            )
            cells = outcome_axis.with_places(here.sort("x"))
            stem = file_stem(NAME, label, *labels.size_in_stem(family, size), *part)
            yield Drawing(stem, _figure(selected, cells, label, alpha))


def under_truth(cells: pl.DataFrame) -> pl.DataFrame:
    """The exact rows under the experiment's truth, else those of the reference posterior."""
    enumerated = cells.filter(engine=ENUMERATION)
    return cells.filter(engine=POSTERIOR) if enumerated.is_empty() else enumerated


def under_prior(cells: pl.DataFrame) -> pl.DataFrame | None:
    """The posterior rows, with `actual_alpha` under the reference prior.

    Returns:
        None if that nowhere differs from the alpha under the truth, or if one of them is unknown.
    """
    rows = cells.filter(engine=POSTERIOR)
    if "prior_alpha" in cells.columns:
        rows = rows.with_columns(actual_alpha="prior_alpha")
    both = rows.select("x", prior="actual_alpha").join(
        under_truth(cells).select("x", truth="actual_alpha"), on="x", maintain_order="left"
    )
    apart = both.filter((both["prior"] - both["truth"]).abs() > SAME)
    return None if apart.is_empty() else rows


def _with_exact(cells: pl.DataFrame) -> pl.DataFrame:
    """Monte Carlo rows with the columns `exact`, and `missed`: exact is outside the interval."""
    import polars as pl

    exact = under_truth(cells).select("x", exact="actual_alpha")
    simulated = cells.filter(cells["trials"] > 0, engine=MONTE_CARLO)
    below = pl.col("exact") < pl.col("ci_lower")
    above = pl.col("exact") > pl.col("ci_upper")
    return simulated.join(exact, on="x", how="left", maintain_order="left").with_columns(
        missed=(below | above).fill_null(value=False)
    )


def _figure(selected: Selection, cells: pl.DataFrame, label: str, alpha: float) -> Figure:
    simulated, top = _with_exact(cells), selected.asked.top
    family, size = selected.family, selected.size
    size_text = labels.size_text(family, size)
    if simulated.is_empty():
        raise InputError(f"{NAME}: the results hold no Monte Carlo cells of {label} at {size_text}")
    crowded = simulated.height > CROWD
    figure = style.new_figure(style.COLUMN, 64)
    axes = figure.add_subplot()
    bars = style.PALE_BLUE if crowded else style.BLUE
    holding = simulated.filter(missed=False)
    _plot_points(axes, holding, "Monte Carlo, 95 % interval", "held", "o", style.BLUE, bars)
    compared = simulated["exact"].count()
    if compared:
        missed = simulated.filter(missed=True)
        name = f"{missed.height} of {compared} intervals miss exact α"
        _plot_points(axes, missed, name, "missed", "D", style.VERMILION, style.VERMILION)
    _plot_exact(axes, cells, crowded)
    axes.axhline(
        alpha,
        **style.NOMINAL_LINE | {"linewidth": 0.7},
        zorder=6 if crowded else 2.5,
        label=f"nominal α = {alpha:g}",
        gid="nominal",
    )
    axes.set_xlabel(labels.outcome_label(family, size))
    axes.set_ylabel("α (share of trials that miss)")
    axes.set_ylim(bottom=0, top=top)
    highest = float(np.nanmax(cells["actual_alpha"].to_numpy()))
    if top is None and outcome_axis.breaks_down(1 - highest, alpha):
        outcome_axis.stretch(axes, "y", alpha, min(1.1 * highest, 1.0), coverage=False)
        axes.set_ylabel("α (share of trials that miss),\nstretched near 0")
    # The axis goes from 0 to n, or over the outcomes in the cells if they are unbounded.
    shown = cells["place"].to_numpy()
    low, high = (0.0, size[0]) if family.has_fractions else (shown.min(), shown.max())
    room = 0.02 * (high - low) + 0.5
    axes.set_xlim(low - room, high + room)
    axes.locator_params(axis="x", integer=True)
    outcome_axis.label_open_group(axes, cells)
    layout.set_asked_limits([axes], selected.asked)
    title = f"{selection.method_title(cells, label)}, {size_text}{selected.sampling}"
    if top is not None:
        estimates = simulated["actual_alpha"].to_numpy()
        above = estimates[estimates > top]
        if above.size:
            reached = f"up to {above.max():.3g}"
            title += f": {above.size} of {simulated.height} above {top:g}, {reached}"
    figure.legend(**style.legend_above(2, style.wrap(title, style.COLUMN)))
    return figure


def _plot_exact(axes: Axes, cells: pl.DataFrame, crowded: bool) -> None:
    """Draw the exact alpha, and that under the reference prior if it differs."""
    exact, prior = under_truth(cells), under_prior(cells)
    if exact.is_empty():
        return
    name = f"exact α ({exact['engine'][0]})" if prior is None else "exact α, experiment's truth"
    lines = [(exact, name, style.GREEN, style.CURVE_DASHES[0], "exact")]
    if prior is not None:
        dots = style.CURVE_DASHES[3]
        lines.append((prior, "exact α, reference prior", style.PURPLE, dots, "prior"))
    for rows, label, colour, dashes, gid in lines:
        axes.plot(
            rows["place"].to_numpy(),
            rows["actual_alpha"].to_numpy(),
            color=colour,
            linestyle=dashes,
            linewidth=1.2,
            zorder=5 if crowded else 2,
            label=label,
            gid=gid,
        )


def _plot_points(
    axes: Axes, rows: pl.DataFrame, name: str, gid: str, marker: str, colour: str, bars: str
) -> None:
    """Draw Monte Carlo estimates with their intervals."""
    size = 2.8 if gid == "missed" else 1.2 if rows.height > CROWD else 2.0
    drawn = axes.errorbar(
        rows["place"].to_numpy(),
        rows["actual_alpha"].to_numpy(),
        yerr=selection.error_bars(rows, "actual_alpha"),
        **style.dots(colour, marker, size),
        ecolor=bars,
        elinewidth=0.6,
        zorder=4 if gid == "missed" else 3,
        label=name,
    )
    drawn[0].set_gid(gid)


KIND = FigureKind(
    name=NAME,
    title="Monte Carlo alpha of each outcome, with its interval, against the exact value",
    options=AlphaByOutcomeOptions,
    needs=(MONTE_CARLO,),
    requires=("trials_by_outcome",),
    draw=draw,
)
