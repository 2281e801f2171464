"""Monte Carlo alpha of each outcome against the exact value (Ross 2003, Fig. 3 right, Fig. 4)."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from harness.errors import InputError
from harness.figures import selection, style
from harness.figures.catalogue import AlphaByOutcome
from harness.figures.drawing import Drawing, stem

KIND = "alpha_by_outcome"
CROWD = 150
"""More outcomes than this run into each other: their intervals go pale and behind the lines."""


def draw(results: selection.Tables, options: AlphaByOutcome) -> list[Drawing]:
    """One drawing per method and alpha."""
    simulated = selection.given(results, "outcome", ("monte_carlo",), KIND)
    several_alphas = simulated["alpha"].n_unique() > 1
    n = selection.size(simulated, options.n, KIND)
    drawings = []
    for label in selection.methods(simulated, options.method, KIND):
        for alpha in selection.alphas(simulated, options.alpha, KIND):
            parts = [KIND, label, f"n{n}"] + ([f"alpha{alpha:g}"] if several_alphas else [])
            here = results.cells.filter(
                (pl.col("given") == "outcome")
                & (pl.col("method") == label)
                & (pl.col("alpha") == alpha)
                & (pl.col("n") == n)
            ).sort("x")
            drawings.append(Drawing(stem(*parts), _figure(here, label, alpha, n)))
    return drawings


def exact_rows(cells: pl.DataFrame) -> pl.DataFrame:
    """The exact rows: under the experiment's own truth, else of the reference posterior."""
    enumerated = cells.filter(pl.col("engine") == "enumeration")
    if not enumerated.is_empty():
        return enumerated
    return cells.filter(pl.col("engine") == "posterior")


def with_exact(cells: pl.DataFrame) -> pl.DataFrame:
    """Monte Carlo rows with the column `exact`, and `missed`: the interval does not hold it."""
    exact = exact_rows(cells).select("x", exact="actual_alpha")
    simulated = cells.filter((pl.col("engine") == "monte_carlo") & (pl.col("trials") > 0))
    below = pl.col("exact") < pl.col("ci_lower")
    above = pl.col("exact") > pl.col("ci_upper")
    return simulated.join(exact, on="x", how="left", maintain_order="left").with_columns(
        missed=(below | above).fill_null(value=False)
    )


def _figure(cells: pl.DataFrame, label: str, alpha: float, n: int) -> Figure:
    simulated = with_exact(cells)
    if simulated.is_empty():
        raise InputError(f"{KIND}: the results hold no Monte Carlo cells of {label} at n = {n}")
    exact = exact_rows(cells)
    crowded = simulated.height > CROWD
    figure = style.new_figure(style.COLUMN, 64)
    axes = figure.add_subplot()
    _simulated(axes, simulated, crowded)
    if not exact.is_empty():
        axes.plot(
            exact["x"].to_numpy(),
            exact["actual_alpha"].to_numpy(),
            color=style.GREEN,
            linewidth=1.2,
            zorder=5 if crowded else 2,
            label=f"exact α ({exact['engine'][0]})",
            gid="exact",
        )
    axes.axhline(
        alpha,
        color=style.BLACK,
        linestyle=(0, (4, 2)),
        linewidth=0.7,
        zorder=6 if crowded else 2.5,
        label=f"nominal α = {alpha:g}",
        gid="nominal",
    )
    axes.set_xlabel(f"outcome x (successes of n = {n})")
    axes.set_ylabel("α (share of trials that miss)")
    axes.set_xlim(-0.02 * n - 0.5, 1.02 * n + 0.5)
    axes.set_ylim(bottom=0)
    axes.locator_params(axis="x", integer=True)
    figure.legend(
        loc="outside upper left",
        ncols=2,
        title=style.wrapped(f"{selection.title_of(cells, label)}, n = {n}", style.COLUMN),
        alignment="left",
    )
    return figure


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
        rows["x"].to_numpy(),
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
