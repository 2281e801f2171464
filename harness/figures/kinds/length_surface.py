"""Length over that of a reference method, over n and x/n (Ross 2003, Figs. 9 and 10)."""

from __future__ import annotations

import numpy as np
from pydantic import Field

from harness.base.errors import NothingToDrawError
from harness.families.family import SINGLE_SAMPLE
from harness.figures import options, selection
from harness.figures.kind import EVERY_ENGINE, Drawing, FigureKind, file_stem
from harness.figures.look import labels, style
from harness.figures.relative_length import cells_with_lengths, compared_methods, percent_longer
from harness.figures.surface import ROUNDING, Grid, grid_of, heat_map, wireframe

NAME = "length_surface"


class LengthSurface(options.FigureOptions):
    """Options of `length_surface`."""

    method: options.Label | None = Field(
        None,
        description="Label of the method to draw; left out, one set of drawings per method of "
        "the reference's side, the reference itself left out.",
    )
    alpha: options.Alpha | None = Field(None, description=options.ALPHA_OF_A_SET)
    reference: options.Label = Field("minimal_length", description=options.REFERENCE)
    fractions: options.Fractions = Field(21, description=options.FRACTIONS)


def draw(results: selection.Tables, asked: LengthSurface) -> list[Drawing]:
    """A heat map and a wireframe per method and alpha."""
    cells = cells_with_lengths(results, NAME)
    reference = asked.reference
    drawings = []
    for label in compared_methods(cells, asked.method, reference, NAME):
        for alpha, part in selection.alphas(cells, asked.alpha, NAME):
            here = cells.filter(alpha=alpha)
            lengths, base = (
                grid_of(here.filter(method=name), "length", asked.fractions, NAME)
                for name in (label, reference)
            )
            if np.isnan(lengths.values).all():
                continue
            percent = Grid(
                lengths.sizes, lengths.fractions, percent_longer(lengths.values, base.values)
            )
            name = file_stem(NAME, label, "over", reference, *part)
            title = f"{selection.method_title(cells, label)}, nominal α = {alpha:g}"
            mine, its = (
                style.shorten(selection.method_title(cells, each)) for each in (label, reference)
            )
            blanks = _blanks(mine, lengths, its, percent)
            drawings += _pair(percent, name, title, its, blanks)
    if not drawings:
        raise NothingToDrawError(f"{NAME}: no method has a length anywhere")
    return drawings


def _blanks(label: str, lengths: Grid, reference: str, percent: Grid) -> str:
    """How many places have no value, and whose length is missing there, in words."""
    missing = int(np.isnan(lengths.values).sum())
    others = int(np.isnan(percent.values).sum()) - missing
    reasons = [(missing, f"{label} has no interval"), (others, f"{reference} has no length")]
    return "".join(f"; {count} blank: {why}" for count, why in reasons if count)


def _pair(percent: Grid, name: str, title: str, reference: str, blanks: str) -> list[Drawing]:
    if np.isnan(percent.values).all():
        raise NothingToDrawError(f"{NAME}: {reference} has no length anywhere to compare with")
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


KIND = FigureKind(
    name=NAME,
    title="Per cent longer than a reference method over n and x/n",
    options=LengthSurface,
    over="outcome",
    needs=EVERY_ENGINE,
    designs=(SINGLE_SAMPLE,),
    bounded_only=True,
    requires=("grid_of_fractions", "lengths"),
    draw=draw,
)
