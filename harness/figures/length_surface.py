"""Length over that of a reference method, over n and x/n (Ross 2003, Figs. 9 and 10)."""

from __future__ import annotations

import numpy as np
import polars as pl

from harness.errors import NothingToDrawError
from harness.figures import selection, style, units
from harness.figures.drawing import Drawing, stem
from harness.figures.grid import Grid, grid
from harness.figures.heat_map import heat_map
from harness.figures.longer import percent_longer
from harness.figures.mesh import mesh
from harness.figures.options import LengthSurface

KIND = "length_surface"
ENGINES = ("posterior", "enumeration", "monte_carlo")
"""Any of them knows the lengths; Monte Carlo only of the outcomes that came up."""


def draw(results: selection.Tables, options: LengthSurface) -> list[Drawing]:
    """A wireframe and a heat map per method and alpha."""
    cells = selection.given(results, "outcome", ENGINES, KIND)
    engine = next(name for name in ENGINES if name in cells["engine"])
    cells = cells.filter(pl.col("engine") == engine)
    reference = options.reference
    several_alphas = cells["alpha"].n_unique() > 1
    drawings = []
    for label in selection.compared_with(cells, options.method, reference, KIND):
        for alpha in selection.alphas(cells, options.alpha, KIND):
            here = cells.filter(pl.col("alpha") == alpha)
            lengths, base = (
                grid(here.filter(pl.col("method") == name), "length", options.fractions, KIND)
                for name in (label, reference)
            )
            if np.isnan(lengths.values).all():
                continue
            percent = Grid(
                lengths.sizes, lengths.fractions, percent_longer(lengths.values, base.values)
            )
            name = stem(
                KIND, label, "over", reference, *([f"alpha{alpha:g}"] if several_alphas else [])
            )
            title = f"{selection.title_of(cells, label)}, nominal α = {alpha:g}"
            blanks = _blanks(style.short(label), lengths, style.short(reference), percent)
            drawings += _pair(percent, name, title, style.short(reference), blanks)
    if not drawings:
        raise NothingToDrawError(f"{KIND}: no method has a length anywhere")
    return drawings


def _blanks(label: str, lengths: Grid, reference: str, percent: Grid) -> str:
    """How many places there is nothing to show at, and whose length is not there."""
    missing = int(np.isnan(lengths.values).sum())
    others = int(np.isnan(percent.values).sum()) - missing
    told = [(missing, f"{label} has no interval"), (others, f"{reference} has no length")]
    return "".join(f"; {count} blank: {why}" for count, why in told if count)


def _pair(percent: Grid, name: str, title: str, reference: str, blanks: str) -> list[Drawing]:
    if np.isnan(percent.values).all():
        raise NothingToDrawError(f"{KIND}: {reference} has no length anywhere to compare with")
    quantity = f"length (% over {reference})"
    note = units.range_of(percent.values, "%") + blanks
    wire = mesh(
        percent,
        percent.values,
        title=title,
        note=note,
        z_label=quantity,
        z_limits=units.own_limits(percent.values),
    )
    exponent = max(0, units.map_exponent(percent.values))
    values = percent.values / 10.0**exponent
    colours = heat_map(
        percent,
        values,
        title=title,
        note=note,
        label=units.in_units(quantity, exponent),
        limit=units.largest(values) or 1.0,
    )
    return [Drawing(f"{name}-mesh", wire), Drawing(f"{name}-map", colours)]
