"""Alpha error over n and x/n (Ross 2003, Figs. 5 to 7): common scale, own scale, heat map."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.figure import Figure

from harness.figures import selection, units
from harness.figures.drawing import Drawing, stem
from harness.figures.grid import Grid, grid
from harness.figures.heat_map import heat_map
from harness.figures.mesh import mesh
from harness.figures.options import AlphaSurface
from harness.numerics.arrays import Floats

KIND = "alpha_surface"
QUANTITY = "α error (nominal − actual)"


def draw(results: selection.Tables, options: AlphaSurface) -> list[Drawing]:
    """Three drawings per method and alpha."""
    cells = selection.given(results, "outcome", (options.engine,), KIND)
    several_alphas = cells["alpha"].n_unique() > 1
    drawings = []
    for label in selection.methods(cells, options.method, KIND):
        for alpha in selection.alphas(cells, options.alpha, KIND):
            here = cells.filter((pl.col("method") == label) & (pl.col("alpha") == alpha))
            errors = grid(here, "alpha_error", options.fractions, KIND)
            title = f"{selection.title_of(cells, label)}, nominal α = {alpha:g}"
            if options.engine != "posterior":
                title += f", by {options.engine}"
            name = stem(
                KIND,
                label,
                *([f"alpha{alpha:g}"] if several_alphas else []),
                *([options.engine] if options.engine != "posterior" else []),
            )
            drawings += [
                Drawing(f"{name}-common", _common(errors, title, options.scale)),
                Drawing(f"{name}-own", _own(errors, title)),
                Drawing(f"{name}-map", _map(errors, title, options.scale)),
            ]
    return drawings


def _common(errors: Grid, title: str, scale: float) -> Figure:
    """The wireframe between -scale and scale, values beyond drawn at the nearer end."""
    low, high = units.in_text(-scale), units.in_text(scale)
    below, above = int((errors.values < -scale).sum()), int((errors.values > scale).sum())
    notes = []
    if below:
        notes.append(f"{below} of {errors.values.size} values below {low} drawn at {low}")
    if above:
        notes.append(f"{above} of {errors.values.size} values above {high} drawn at {high}")
    return mesh(
        errors,
        np.clip(errors.values, -scale, scale),
        title=title,
        note=("; ".join(notes) or f"no value beyond ±{high}") + _blanks(errors.values),
        z_label=QUANTITY,
        z_limits=(-scale, scale),
        z_ticks=[-scale, -scale / 2, 0, scale / 2, scale],
    )


def _own(errors: Grid, title: str) -> Figure:
    """The wireframe on the scale of its own values."""
    exponent = units.axis_exponent(errors.values)
    z = errors.values / 10.0**exponent
    return mesh(
        errors,
        z,
        title=title,
        note=units.range_of(errors.values) + _blanks(errors.values),
        z_label=units.in_units(QUANTITY, exponent),
        z_limits=units.own_limits(z),
    )


def _map(errors: Grid, title: str, scale: float) -> Figure:
    """The heat map; colours reach to the common scale, or less far where all errors are smaller."""
    exponent = units.map_exponent(errors.values)
    values = errors.values / 10.0**exponent
    limit = min(scale / 10.0**exponent, units.largest(values)) or 1.0
    return heat_map(
        errors,
        values,
        title=title,
        note=units.range_of(errors.values) + _blanks(errors.values),
        label=units.in_units(QUANTITY, exponent),
        limit=limit,
    )


def _blanks(values: Floats) -> str:
    count = int(np.isnan(values).sum())
    return f"; {count} blank: x never came up" if count else ""
