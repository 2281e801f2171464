"""Alpha error over n and x/n (Ross 2003, Figs. 5 to 7): heat map, common scale, own scale."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from harness.base.numerics.arrays import Floats
from harness.families.family import POSTERIOR, SINGLE_SAMPLE
from harness.figures import options, selection
from harness.figures.kind import EVERY_ENGINE, Drawing, FigureKind, file_stem
from harness.figures.look import labels
from harness.figures.surface import (
    Grid,
    asymmetry_text,
    grid_of,
    heat_map,
    is_rounding,
    rounding_text,
    wireframe,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAME = "alpha_surface"
QUANTITY = "α error (nominal − actual)"


class AlphaSurface(options.FigureOptions):
    """Options of `alpha_surface`."""

    method: options.Label | None = Field(
        None, description="Label of the method to draw; left out, one set of drawings per method."
    )
    alpha: options.Alpha | None = Field(None, description=options.ALPHA_OF_A_SET)
    engine: Literal["posterior", "enumeration", "monte_carlo"] = Field(
        "posterior", description="Engine whose alpha error is drawn."
    )
    fractions: options.Fractions = Field(21, description=options.FRACTIONS)
    scale: float = Field(
        0.05,
        gt=0,
        le=1,
        description="The common z axis runs from -scale to scale, and values beyond are cut to it; "
        "the colours of the map reach as far, and at least to alpha.",
    )


def draw(results: selection.Tables, asked: AlphaSurface) -> list[Drawing]:
    """Three drawings per method and alpha."""
    cells = selection.cells_given(results, "outcome", (asked.engine,), NAME)
    other_engine = [asked.engine] if asked.engine != POSTERIOR else []
    drawings = []
    for label in selection.methods(cells, asked.method, NAME):
        for alpha, part in selection.alphas(cells, asked.alpha, NAME):
            here = cells.filter(method=label, alpha=alpha)
            errors = grid_of(here, "alpha_error", asked.fractions, NAME)
            title = f"{selection.method_title(cells, label)}, nominal α = {alpha:g}"
            title += "".join(f", by {engine}" for engine in other_engine)
            title += selection.sampling_text(cells)
            name = file_stem(NAME, label, *part, *other_engine)
            drawings += [
                Drawing(f"{name}-map", _map(errors, title, max(alpha, asked.scale))),
                Drawing(f"{name}-common", _common(errors, title, asked.scale)),
                Drawing(f"{name}-own", _own(errors, title)),
            ]
    return drawings


def _common(errors: Grid, title: str, scale: float) -> Figure:
    """The wireframe between -scale and scale; values beyond are drawn at the nearer limit."""
    low, high = labels.number_text(-scale), labels.number_text(scale)
    below, above = int((errors.values < -scale).sum()), int((errors.values > scale).sum())
    notes = []
    if below:
        notes.append(f"{below} of {errors.values.size} values below {low} drawn at {low}")
    if above:
        notes.append(f"{above} of {errors.values.size} values above {high} drawn at {high}")
    return wireframe(
        errors,
        np.clip(errors.values, -scale, scale),
        title=title,
        note=_note("; ".join(notes) or f"no value beyond ±{high}", errors),
        z_label=QUANTITY,
        z_limits=(-scale, scale),
        z_ticks=[-scale, -scale / 2, 0, scale / 2, scale],
    )


def _own(errors: Grid, title: str) -> Figure:
    """The wireframe on the scale of its own values."""
    exponent = labels.axis_exponent(errors.values)
    z = errors.values / 10.0**exponent
    return wireframe(
        errors,
        z,
        title=title,
        note=_note(labels.range_text(errors.values), errors),
        z_label=labels.with_exponent(QUANTITY, exponent),
        z_limits=labels.axis_limits(z),
    )


def _map(errors: Grid, title: str, limit: float) -> Figure:
    """The heat map; its colours reach from -limit to limit, however small the errors are."""
    values = errors.values
    return heat_map(
        errors,
        values,
        title=title,
        note=_note(labels.range_text(values), errors),
        label=QUANTITY,
        limits=(-limit, limit),
        exponent=0 if is_rounding(values) else labels.map_exponent(values),
    )


def _note(first: str, errors: Grid) -> str:
    """What is to be known about the values, a line for each sentence."""
    more = (rounding_text(errors.values, "the α error"), asymmetry_text(errors))
    return "\n".join(filter(None, (first + _blanks(errors.values), *more)))


def _blanks(values: Floats) -> str:
    """How many places have no value, in words."""
    count = int(np.isnan(values).sum())
    return f"; {count} blank: x never came up" if count else ""


KIND = FigureKind(
    name=NAME,
    title="Alpha error over n and x/n: a heat map with values and two wireframes",
    options=AlphaSurface,
    over="outcome",
    needs=EVERY_ENGINE,
    designs=(SINGLE_SAMPLE,),
    bounded_only=True,
    requires=("grid_of_fractions",),
    draw=draw,
)
