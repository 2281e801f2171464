"""Alpha error over n and x/n (Ross 2003, Figs. 5 to 7), on a common scale, its own, and as a map."""

from __future__ import annotations

import numpy as np
import polars as pl
from matplotlib.figure import Figure
from numpy.typing import NDArray

from harness.figures import selection, style, units
from harness.figures.catalogue import AlphaSurface
from harness.figures.drawing import Drawing, stem
from harness.figures.grid import Grid, grid
from harness.figures.heat_map import heat_map
from harness.figures.mesh import mesh

KIND = "alpha_surface"
QUANTITY = "α error (nominal − actual)"


def draw(results: selection.Tables, options: AlphaSurface) -> list[Drawing]:
    """Three drawings per method and alpha."""
    cells = selection.given(results, "outcome", (options.engine,), KIND)
    several_alphas = cells["alpha"].n_unique() > 1
    drawings = []
    for label in selection.pick(cells, "method", options.method, KIND):
        for alpha in selection.pick(cells, "alpha", options.alpha, KIND):
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
    cut = np.clip(errors.values, -scale, scale)
    notes = [f"z axis from {_plain(-scale)} to {_plain(scale)}"]
    for count, side, end in (
        (int((errors.values < -scale).sum()), "below", -scale),
        (int((errors.values > scale).sum()), "above", scale),
    ):
        if count:
            of = errors.values.size
            notes.append(f"{count} of {of} values {side} {_plain(end)} drawn at {_plain(end)}")
    return mesh(
        errors,
        cut,
        title=title,
        note="; ".join(notes) + _blanks(errors.values),
        z_label=QUANTITY,
        z_limits=(-scale, scale),
    )


def _own(errors: Grid, title: str) -> Figure:
    """The wireframe on the scale of its own values."""
    exponent = units.axis_exponent(errors.values)
    z = errors.values / 10.0**exponent
    return mesh(
        errors,
        z,
        title=title,
        note=_range(errors.values) + _blanks(errors.values),
        z_label=QUANTITY + units.unit(exponent),
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
        note=_range(errors.values) + _blanks(errors.values),
        label=QUANTITY + units.unit(exponent),
        limit=limit,
    )


def _plain(value: float) -> str:
    return f"{value:g}".replace("-", units.MINUS)


def _range(values: NDArray[np.float64]) -> str:
    low, high = np.nanmin(values), np.nanmax(values)
    return f"values from {_scientific(low)} to {_scientific(high)}"


def _scientific(value: float) -> str:
    return f"{value:.2g}".replace("-", units.MINUS)


def _blanks(values: NDArray[np.float64]) -> str:
    count = int(np.isnan(values).sum())
    return f"; {count} blank, no trial came out so" if count else ""
