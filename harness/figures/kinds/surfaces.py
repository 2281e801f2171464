"""Alpha error, and length over that of a reference, over n and x/n.

They are Figs. 5 to 7, 9 and 10 of Ross (2003): heat maps, and wireframes on a common and on an own
scale.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np
from pydantic import Field

from harness.base.errors import NothingToDrawError
from harness.base.numerics.arrays import Floats
from harness.families.family import POSTERIOR
from harness.figures import options, selection
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.look import labels, style
from harness.figures.selection import Selection, percent_longer
from harness.figures.surface import (
    ROUNDING,
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

    from harness.tables.results import Results

ALPHA = "alpha_surface"
QUANTITY = "α error (nominal − actual)"


class AlphaSurfaceOptions(options.FigureOptions):
    """Options of `alpha_surface`."""

    method: options.Label | None = Field(
        None, description="Label of the method to draw; left out, one set of drawings per method."
    )
    alpha: options.Alpha | None = options.ALPHA_OF_A_SET
    engine: Literal["posterior", "enumeration", "monte_carlo"] = Field(
        "posterior", description="Engine whose alpha error is drawn."
    )
    fractions: options.Fractions = options.FRACTIONS
    scale: float = Field(
        0.05,
        gt=0,
        le=1,
        description="The common z axis, a difference of probabilities, runs from -scale to "
        "scale, and values beyond are cut to it; "
        "the colours of the map reach as far, and at least to alpha.",
    )


def draw_alpha(results: Results, asked: AlphaSurfaceOptions) -> list[Drawing]:
    """Three drawings per method and alpha."""
    found = Selection.given(results, ALPHA, asked, "outcome", (asked.engine,))
    other_engine = [asked.engine] if asked.engine != POSTERIOR else []
    drawings = []
    for label in found.methods:
        for alpha, part in found.alphas:
            here = found.cells.filter(method=label, alpha=alpha)
            errors = grid_of(here, "alpha_error", asked.fractions, ALPHA)
            title = f"{selection.method_title(here, label)}, nominal α = {alpha:g}"
            title += "".join(f", by {engine}" for engine in other_engine) + found.sampling
            name = file_stem(ALPHA, label, *part, *other_engine)
            drawings += [
                Drawing(f"{name}-map", _map(errors, title, max(alpha, asked.scale))),
                Drawing(f"{name}-common", _common(errors, title, asked.scale)),
                Drawing(f"{name}-own", _own(errors, title)),
            ]
    return drawings


def _common(errors: Grid, title: str, scale: float) -> Figure:
    """The wireframe between -scale and scale; values beyond are drawn at the nearer limit."""
    low, high = labels.number_text(-scale), labels.number_text(scale)
    beyond = (("below", low, errors.values < -scale), ("above", high, errors.values > scale))
    notes = [
        f"{cut.sum()} of {cut.size} values {where} {end} drawn at {end}"
        for where, end, cut in beyond
        if cut.any()
    ]
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


ALPHA_KIND = FigureKind(
    name=ALPHA,
    title="Alpha error over n and x/n: a heat map with values and two wireframes",
    options=AlphaSurfaceOptions,
    bounded_only=True,
    requires=("grid_of_fractions",),
    draw=draw_alpha,
)


LENGTH = "length_surface"


class LengthSurfaceOptions(options.FigureOptions):
    """Options of `length_surface`."""

    method: options.Label | None = Field(
        None,
        description="Label of the method to draw; left out, one set of drawings per method of "
        "the reference's side, the reference itself left out.",
    )
    alpha: options.Alpha | None = options.ALPHA_OF_A_SET
    reference: options.Label = options.REFERENCE
    fractions: options.Fractions = options.FRACTIONS


def draw_length(results: Results, asked: LengthSurfaceOptions) -> list[Drawing]:
    """A heat map and a wireframe per method and alpha."""
    found = Selection.with_lengths(results, LENGTH, asked)
    cells, reference = found.cells, asked.reference
    drawings = []
    for label in found.compared:
        for alpha, part in found.alphas:
            here = cells.filter(alpha=alpha)
            lengths, base = (
                grid_of(here.filter(method=name), "length", asked.fractions, LENGTH)
                for name in (label, reference)
            )
            if np.isnan(lengths.values).all():
                continue
            percent = Grid(
                lengths.sizes, lengths.fractions, percent_longer(lengths.values, base.values)
            )
            name = file_stem(LENGTH, label, "over", reference, *part)
            title = f"{selection.method_title(cells, label)}, nominal α = {alpha:g}"
            mine, its = (
                style.shorten(selection.method_title(cells, each)) for each in (label, reference)
            )
            blanks = _length_blanks(mine, lengths, its, percent)
            drawings += _pair(percent, name, title, its, blanks)
    if not drawings:
        raise NothingToDrawError(f"{LENGTH}: no method has a length anywhere")
    return drawings


def _length_blanks(label: str, lengths: Grid, reference: str, percent: Grid) -> str:
    """How many places have no value, and whose length is missing there, in words."""
    missing = int(np.isnan(lengths.values).sum())
    others = int(np.isnan(percent.values).sum()) - missing
    reasons = [(missing, f"{label} has no interval"), (others, f"{reference} has no length")]
    return "".join(f"; {count} blank: {why}" for count, why in reasons if count)


def _pair(percent: Grid, name: str, title: str, reference: str, blanks: str) -> list[Drawing]:
    if np.isnan(percent.values).all():
        raise NothingToDrawError(f"{LENGTH}: {reference} has no length anywhere to compare with")
    quantity = f"length (% over {reference})"
    note = labels.range_text(percent.values, "%") + blanks
    wire = wireframe(
        percent,
        percent.values,
        title=title,
        note=note,
        z_label=quantity,
        z_limits=labels.axis_limits(percent.values),
    )
    top = labels.largest(percent.values) or 1.0
    negative = bool((percent.values < -ROUNDING).any())
    colours = heat_map(
        percent,
        percent.values if negative else np.maximum(percent.values, 0),
        title=title,
        note=note,
        label=quantity,
        limits=(-top if negative else 0, top),
        exponent=max(0, labels.map_exponent(percent.values)),
    )
    return [Drawing(f"{name}-map", colours), Drawing(f"{name}-mesh", wire)]


LENGTH_KIND = FigureKind(
    name=LENGTH,
    title="Per cent longer than a reference method over n and x/n",
    options=LengthSurfaceOptions,
    bounded_only=True,
    requires=("grid_of_fractions", "lengths"),
    draw=draw_length,
)
