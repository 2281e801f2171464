"""Monte Carlo alpha of each outcome against the exact value (Ross 2003, Fig. 3 right, Fig. 4)."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from harness.errors import InputError
from harness.figures import exact_alpha, outcome_axis, selection, style
from harness.figures.data_names import DataNames, Size, data_names
from harness.figures.drawing import Drawing, stem
from harness.figures.options import AlphaByOutcome

KIND = "alpha_by_outcome"
CROWD = 150
"""More outcomes than this run into each other: their intervals go pale and behind the lines."""


def draw(results: selection.Tables, options: AlphaByOutcome) -> list[Drawing]:
    """One drawing per method and alpha."""
    simulated = selection.given(results, "outcome", ("monte_carlo",), KIND)
    several_alphas = simulated["alpha"].n_unique() > 1
    names = data_names(simulated)
    size = selection.size(simulated, options.n, KIND)
    drawings = []
    for label in selection.methods(simulated, options.method, KIND):
        for alpha in selection.alphas(simulated, options.alpha, KIND):
            parts = [KIND, label, *names.size_in_stem(size)]
            parts += [f"alpha{alpha:g}"] if several_alphas else []
            here = results.cells.filter(
                (pl.col("given") == "outcome")
                & (pl.col("method") == label)
                & (pl.col("alpha") == alpha)
                & selection.at(names.sizes, size)
            ).sort("x")
            here = outcome_axis.placed(here)
            figure = _figure(here, names, size, label, alpha, options.highest)
            drawings.append(Drawing(stem(*parts), figure))
    return drawings


def with_exact(cells: pl.DataFrame) -> pl.DataFrame:
    """Monte Carlo rows with the column `exact`, and `missed`: the interval does not hold it."""
    exact = exact_alpha.own(cells).select("x", exact="actual_alpha")
    simulated = cells.filter((pl.col("engine") == "monte_carlo") & (pl.col("trials") > 0))
    below = pl.col("exact") < pl.col("ci_lower")
    above = pl.col("exact") > pl.col("ci_upper")
    return simulated.join(exact, on="x", how="left", maintain_order="left").with_columns(
        missed=(below | above).fill_null(value=False)
    )


def _figure(
    cells: pl.DataFrame,
    names: DataNames,
    size: Size,
    label: str,
    alpha: float,
    highest: float | None,
) -> Figure:
    simulated = with_exact(cells)
    if simulated.is_empty():
        where = f"{label} at {names.sized(size)}"
        raise InputError(f"{KIND}: the results hold no Monte Carlo cells of {where}")
    crowded = simulated.height > CROWD
    figure = style.new_figure(style.COLUMN, 64)
    axes = figure.add_subplot()
    _simulated(axes, simulated, crowded)
    _exact(axes, cells, crowded)
    axes.axhline(
        alpha,
        color=style.BLACK,
        linestyle=(0, (4, 2)),
        linewidth=0.7,
        zorder=6 if crowded else 2.5,
        label=f"nominal α = {alpha:g}",
        gid="nominal",
    )
    axes.set_xlabel(names.outcome_of(size))
    axes.set_ylabel("α (share of trials that miss)")
    axes.set_ylim(bottom=0, top=highest)
    _outcomes(axes, cells, names, size)
    title = f"{selection.title_of(cells, label)}, {names.sized(size)}{_hidden(simulated, highest)}"
    figure.legend(
        loc="outside upper left",
        ncols=2,
        title=style.wrapped(title, style.COLUMN),
        alignment="left",
    )
    return figure


def _outcomes(axes: Axes, cells: pl.DataFrame, names: DataNames, size: Size) -> None:
    """An axis from 0 to n; where the outcomes have no end, as far as there are any."""
    shown = cells["place"].to_numpy()
    low, high = (float(shown.min()), float(shown.max())) if names.of_rates else (0.0, size[0])
    room = 0.02 * (high - low) + 0.5
    axes.set_xlim(low - room, high + room)
    axes.locator_params(axis="x", integer=True)
    outcome_axis.label_open_group(axes, cells)


def _hidden(simulated: pl.DataFrame, highest: float | None) -> str:
    """What of the estimates lies above the axis, in words."""
    if highest is None:
        return ""
    above = simulated.filter(pl.col("actual_alpha") > highest)
    if above.is_empty():
        return ""
    reached = float(above.select(pl.col("actual_alpha").max()).item())
    return f": {above.height} of {simulated.height} above {highest:g}, up to {reached:.3g}"


def _exact(axes: Axes, cells: pl.DataFrame, crowded: bool) -> None:
    """The exact alpha, and that under the reference prior where it is another."""
    exact, prior = exact_alpha.own(cells), exact_alpha.under_prior(cells)
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


def _simulated(axes: Axes, simulated: pl.DataFrame, crowded: bool) -> None:
    """The Monte Carlo estimates with their intervals, those that miss marked apart."""
    held = simulated.filter(~pl.col("missed"))
    bars = style.PALE_BLUE if crowded else style.BLUE
    _points(axes, held, "Monte Carlo, 95 % interval", "held", "o", style.BLUE, bars)
    judged = simulated["exact"].count()
    if judged:
        missed = simulated.filter(pl.col("missed"))
        name = f"{missed.height} of {judged} intervals miss exact α"
        _points(axes, missed, name, "missed", "D", style.VERMILION, style.VERMILION)


def _points(
    axes: Axes, rows: pl.DataFrame, name: str, gid: str, marker: str, colour: str, bars: str
) -> None:
    centre = rows["actual_alpha"].to_numpy()
    # Rounding may leave an estimate a hair outside its own interval; a length is never negative.
    down = np.maximum(centre - rows["ci_lower"].to_numpy(), 0)
    up = np.maximum(rows["ci_upper"].to_numpy() - centre, 0)
    drawn = axes.errorbar(
        rows["place"].to_numpy(),
        centre,
        yerr=np.stack([down, up]),
        fmt=marker,
        color=colour,
        ecolor=bars,
        elinewidth=0.6,
        markersize=2.8 if gid == "missed" else 1.2 if rows.height > CROWD else 2.0,
        markeredgewidth=0,
        zorder=4 if gid == "missed" else 3,
        label=name,
    )
    drawn[0].set_gid(gid)
