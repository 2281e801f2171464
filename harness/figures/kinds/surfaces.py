"""Alpha error, and length over that of a reference, over n and x/n.

They are Figs. 5 to 7, 9 and 10 of Ross (2003): heat maps, and wireframes on a common and on an own
scale.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field

from harness.base.errors import InputError, NothingToDrawError
from harness.base.numerics.arrays import Floats
from harness.families.family import MONTE_CARLO, POSTERIOR
from harness.figures import options, selection
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.look import labels, style
from harness.figures.selection import Selection, percent_longer

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from harness.tables.results import Results

VALUE = 6.0
"""Size of the values printed in a heat map, in points."""
CELL = 6.3
"""The narrowest cell in mm with room for a value of that size."""
TICK = 6.5
"""The least distance of two tick labels below a heat map, in mm."""
ROUNDING = 1e-9
"""Values no larger than this are zero up to rounding."""


@dataclass(frozen=True)
class Grid:
    """Values over ascending n, in rows, and x/n from 0 to 1, in columns."""

    sizes: tuple[int, ...]
    fractions: tuple[float, ...]
    values: Floats
    """The values, shape (sizes, fractions); NaN if there is none."""


def outcome_at(n: int, step: int, steps: int) -> int:
    """x = n·step/steps rounded half up, in integers: ⌊n·f + ½⌋ in floats misses some ties."""
    return (2 * n * step + steps) // (2 * steps)


def is_flat(values: Floats) -> bool:
    """Whether all values are zero up to rounding."""
    return labels.largest(values) < ROUNDING


def flat_text(values: Floats, what: str) -> str:
    """A sentence that says so, where all values are zero up to rounding; else an empty text."""
    if not is_flat(values):
        return ""
    largest = labels.largest(values)
    if largest == 0:
        return f"flat: {what} is zero everywhere"
    bound = labels.power_text(math.floor(math.log10(largest)) + 1)
    return f"flat: {what} is zero up to rounding everywhere, within ±{bound}"


def asymmetry_text(grid: Grid) -> str:
    """A sentence about rounded outcomes, where they alone break the symmetry of f and 1 − f.

    Where n·f ends in ½, both x(f) and x(1 − f) are rounded up, and do not add up to n.
    """
    steps = len(grid.fractions) - 1
    tied = np.array(
        [
            [outcome_at(n, step, steps) + outcome_at(n, steps - step, steps) != n
             for step in range(steps + 1)]
            for n in grid.sizes
        ]
    )  # fmt: skip
    apart = np.abs(grid.values - grid.values[:, ::-1])
    if not (apart[tied] > ROUNDING).any() or not (apart[~tied] <= ROUNDING).all():
        return ""
    return (
        "x/n and 1 − x/n differ only where x = n·f is rounded, "
        f"half up ({int(tied.sum())} of {tied.size} places)"
    )


def grid_of(cells: pl.DataFrame, column: str, fractions: int, kind: str) -> Grid:
    """A column of the cells of one method, alpha and engine, on the grid.

    Monte Carlo has no cell for an outcome that was never drawn: its value is NaN.

    Raises:
        InputError: there is only one size, or another engine lacks a cell.
    """
    sizes = sorted(cells["n"].unique().to_list())
    if len(sizes) < 2:
        raise InputError(f"{kind}: a surface needs at least two sizes n, the results hold {sizes}")
    steps = fractions - 1
    by_outcome = {(n, x): value for n, x, value in cells.select("n", "x", column).iter_rows()}
    simulated = cells["engine"][0] == MONTE_CARLO
    values = np.full((len(sizes), fractions), np.nan)
    for row, n in enumerate(sizes):
        for step in range(fractions):
            x = outcome_at(n, step, steps)
            value = by_outcome.get((n, x))
            if value is not None:
                values[row, step] = value
            elif (n, x) not in by_outcome and not simulated:
                raise InputError(
                    f"{kind}: the results hold no cell x = {x} of n = {n}; "
                    f"the experiment needs `outcomes: all` or fractions that hold these {fractions}"
                )
    return Grid(tuple(sizes), tuple(step / steps for step in range(fractions)), values)


def wireframe(
    grid: Grid,
    z: Floats,
    *,
    title: str,
    note: str,
    z_label: str,
    z_limits: tuple[float, float],
    z_ticks: list[float] | None = None,
) -> Figure:
    """Draw lines through ``z``, shape (sizes, fractions); those behind the surface are hidden.

    The axes are those of Ross (2003): log10 n, x/n, and the quantity.
    """
    parts = filter(None, (title, *note.split("\n")))
    heading = "\n".join(style.wrap(part, style.COLUMN) for part in parts)
    # Two lines of the heading stand beside the highest corner of the box.
    strip = style.line_height() * (1 + heading.count("\n")) - 6.5
    figure = style.new_figure(style.COLUMN, 74 + strip, constrained=False)
    top = 1 - strip / (figure.get_figheight() * 25.4)
    figure.text(0.02, 0.985, heading, va="top", ha="left", linespacing=1.3)
    axes: Any = figure.add_axes((-0.07, 0.03, 1.0, top - 0.05), projection="3d")
    across, along = np.meshgrid(grid.fractions, np.log10(grid.sizes))
    axes.plot_surface(
        along,
        across,
        z,
        rstride=1,
        cstride=1,
        color="white",
        edgecolor=style.BLUE,
        linewidth=0.4,
        shade=False,
        gid="mesh",
    )
    axes.set_zlim(*z_limits)
    if z_ticks is not None:
        axes.set_zticks(z_ticks)
    # mplot3d has no log axis: the axis is one of log10 n, and the ticks say n.
    first, last = grid.sizes[0], grid.sizes[-1]
    decades = [10**k for k in range(12) if first <= 10**k <= last]
    ticks = decades if len(decades) > 1 else [first, last]
    axes.set_xlim(np.log10(first), np.log10(last))
    axes.set_xticks(np.log10(ticks), [labels.integer_text(n) for n in ticks])
    axes.set_xlabel("n (log scale)", labelpad=-4)
    axes.set_ylim(0, 1)
    axes.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0", "0.25", "0.5", "0.75", "1"])
    axes.set_ylabel("x/n", labelpad=-1.5)
    axes.zaxis.set_rotate_label(False)
    axes.set_zlabel(z_label, rotation=90, labelpad=3)
    axes.xaxis.set_tick_params(pad=-2.5)
    axes.yaxis.set_tick_params(pad=0.5)
    axes.zaxis.set_tick_params(pad=1)
    for axis in (axes.xaxis, axes.yaxis, axes.zaxis):
        axis.set_pane_color((1, 1, 1, 0))
    axes.view_init(elev=25, azim=-60)
    axes.set_box_aspect((1, 1, 0.72), zoom=1.02)
    return figure


def heat_map(
    grid: Grid,
    values: Floats,
    *,
    title: str,
    note: str,
    label: str,
    limits: tuple[float, float],
    exponent: int = 0,
) -> Figure:
    """Draw values as colours, and as numbers where there is room for them.

    Args:
        grid: the sizes and fractions.
        values: shape (sizes, fractions).
        title: the method and its setting.
        note: sentences about the values, a line each.
        label: the name of the colours.
        limits: the values of the first and the last colour; where the first is 0, the colours go
            from white to dark, otherwise white is in the middle.
        exponent: the power of ten in which the numbers are printed.
    """
    from matplotlib.colors import Normalize

    rows, columns = values.shape
    usual, room = style.width_of(style.PAGE), 32.0 * style.font_factor()
    cell = (usual - room) / columns
    # A surface that is zero everywhere has a sentence that says so instead of as many zeros.
    printed = cell >= CELL * style.font_factor() and not is_flat(values)
    dark = values < -limits[1] / 10
    parts = [title, *note.split("\n")]
    if not printed and dark.any():
        parts.append(f"{labels.NARROW_MINUS} marks the darker cells below zero")
    if exponent and printed:
        parts.append(f"numbers in units of {labels.power_text(exponent)}")
    lines = "\n".join(style.wrap(part, style.PAGE - 8) for part in parts if part)
    height = 23 + max(4.0 * rows, 44) + style.line_height() * (1 + lines.count("\n"))
    figure = style.new_figure(style.PAGE, height)
    axes = figure.add_subplot()
    edges_x, edges_y = np.arange(columns + 1) - 0.5, np.arange(rows + 1) - 0.5
    axes.set_facecolor("#E6E6E6")
    colours = axes.pcolormesh(
        edges_x,
        edges_y,
        np.ma.masked_invalid(values),
        cmap=style.SEQUENTIAL if limits[0] == 0 else style.DIVERGING,
        norm=Normalize(*limits),
        edgecolors="white",
        linewidth=0.3,
        gid="map",
    )
    if printed:
        _print_values(axes, np.asarray(colours.cmap(colours.norm(values))), values, exponent)
    else:
        # Grey print shows cells below zero as dark as those above.
        for place in np.argwhere(dark):
            look = {"va": "center_baseline", "color": "white"}
            _print(axes, place, labels.NARROW_MINUS, "sign", look)
    _name_cells(axes, grid, cell)
    finite = values[np.isfinite(values)]
    beyond = bool((finite < limits[0]).any()), bool((finite > limits[1]).any())
    arrows = {(True, True): "both", (True, False): "min", (False, True): "max"}
    bar = figure.colorbar(
        colours,
        ax=axes,
        location="right",
        pad=0.015,
        aspect=35,
        extend=arrows.get(beyond, "neither"),
    )
    bar.set_label(label)
    bar.outline.set_linewidth(0.4)
    axes.set_title(lines, loc="left")
    return figure


def _print_values(axes: Axes, painted: Floats, values: Floats, exponent: int) -> None:
    """Write the values into cells that are painted with colours, shape (rows, columns, 4)."""
    for place, value in np.ndenumerate(values / 10.0**exponent):
        text = labels.cell_text(value)
        if text:
            red, green, blue, _ = painted[place]
            dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
            look = {"va": "center", "color": "white" if dark else "black"}
            _print(axes, place, text, "value", look)


def _print(axes: Axes, place: Iterable[int], text: str, what: str, look: dict[str, Any]) -> None:
    """Write a text into a cell, given by its row and its column."""
    row, column = place
    size, gid = VALUE * style.font_factor(), f"{what}-{row}-{column}"
    axes.text(column, row, text, ha="center", fontsize=size, gid=gid, **look)


def _name_cells(axes: Axes, grid: Grid, cell: float) -> None:
    """Name columns of the width ``cell``, in mm, and all rows."""
    stride = math.ceil(TICK * style.font_factor() / cell)
    columns = range(0, len(grid.fractions), stride)
    axes.set_xticks(columns, [f"{grid.fractions[i]:.3g}" for i in columns])
    axes.set_yticks(range(len(grid.sizes)), [str(n) for n in grid.sizes])
    axes.set_xlabel("x/n")
    axes.set_ylabel("n")
    axes.tick_params(length=0)
    for spine in axes.spines.values():
        spine.set_visible(False)


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


def draw_alpha(results: Results, asked: AlphaSurfaceOptions) -> Iterator[Drawing]:
    """Yield three drawings per method and alpha, two of them where the error is flat."""
    selected = Selection.conditioned(results, ALPHA, asked, "outcome", (asked.engine,))
    other_engine = [asked.engine] if asked.engine != POSTERIOR else []
    for label in selected.methods:
        for alpha, part in selected.alphas:
            here = selected.cells.filter(method=label, alpha=alpha)
            errors = grid_of(here, "alpha_error", asked.fractions, ALPHA)
            title = f"{selection.method_title(here, label)}, nominal α = {alpha:g}"
            title += "".join(f", by {engine}" for engine in other_engine) + selected.sampling
            stem = file_stem(ALPHA, label, *part, *other_engine)
            for scale, figure in _alpha_figures(errors, title, alpha, asked.scale).items():
                yield Drawing(f"{stem}-{scale}", figure)


def _alpha_figures(errors: Grid, title: str, alpha: float, scale: float) -> dict[str, Figure]:
    """The heat map, and the wireframes on the common scale and on the scale of the errors.

    Errors of rounding alone have no wireframe on their own scale.
    """
    values = errors.values
    flat = flat_text(values, "the α error")
    sentences = [flat, asymmetry_text(errors)]
    count = int(np.isnan(values).sum())
    blanks = f"; {count} blank: x never came up" if count else ""

    def note(first: str) -> str:
        return "\n".join(filter(None, (first + blanks, *sentences)))

    limit = max(alpha, scale)
    heat = heat_map(
        errors,
        0 * values if flat else values,
        title=title,
        note=note(labels.range_text(values)),
        label=QUANTITY,
        limits=(-limit, limit),
        exponent=0 if flat else labels.map_exponent(values),
    )
    # Values beyond the common scale are drawn at its nearer end.
    low, high = labels.number_text(-scale), labels.number_text(scale)
    beyond = (("below", low, values < -scale), ("above", high, values > scale))
    cut = [
        f"{outside.sum()} of {values.size} values {where} {end} drawn at {end}"
        for where, end, outside in beyond
        if outside.any()
    ]
    common = wireframe(
        errors,
        np.clip(values, -scale, scale),
        title=title,
        note=note("; ".join(cut) or f"no value beyond ±{high}"),
        z_label=QUANTITY,
        z_limits=(-scale, scale),
        z_ticks=[-scale, -scale / 2, 0, scale / 2, scale],
    )
    if flat:
        return {"map": heat, "common": common}
    exponent = labels.axis_exponent(values)
    z = values / 10.0**exponent
    own = wireframe(
        errors,
        z,
        title=title,
        note=note(labels.range_text(values)),
        z_label=f"{QUANTITY}, in {labels.power_text(exponent)}" if exponent else QUANTITY,
        z_limits=labels.axis_limits(z),
    )
    return {"map": heat, "common": common, "own": own}


ALPHA_KIND = FigureKind(
    name=ALPHA,
    title="Alpha error over n and x/n: a heat map with values and two wireframes",
    options=AlphaSurfaceOptions,
    drawn_for=attrgetter("has_fractions"),
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
    selected = Selection.with_lengths(results, LENGTH, asked)
    cells, reference = selected.cells, asked.reference
    drawings = []
    for label in selected.compared:
        short, base_short = (
            style.shorten(selection.method_title(cells, name)) for name in (label, reference)
        )
        for alpha, part in selected.alphas:
            here = cells.filter(alpha=alpha)
            lengths, base = (
                grid_of(here.filter(method=name), "length", asked.fractions, LENGTH)
                for name in (label, reference)
            )
            if np.isnan(lengths.values).all():
                continue
            percent = replace(lengths, values=percent_longer(lengths.values, base.values))
            missing = int(np.isnan(lengths.values).sum())
            others = int(np.isnan(percent.values).sum()) - missing
            blanks = f"; {missing} blank: {short} has no interval" if missing else ""
            blanks += f"; {others} blank: {base_short} has no length" if others else ""
            stem = file_stem(LENGTH, label, "over", reference, *part)
            title = f"{selection.method_title(cells, label)}, nominal α = {alpha:g}"
            figures = _length_figures(percent, title, base_short, blanks)
            drawings += [Drawing(f"{stem}-{name}", figure) for name, figure in figures.items()]
    if not drawings:
        raise NothingToDrawError(f"{LENGTH}: no method has a length anywhere")
    return drawings


def _length_figures(percent: Grid, title: str, reference: str, blanks: str) -> dict[str, Figure]:
    """The heat map and the wireframe of per cent over a reference; the map alone if it is flat."""
    if np.isnan(percent.values).all():
        raise NothingToDrawError(f"{LENGTH}: {reference} has no length anywhere to compare with")
    quantity = f"length (% over {reference})"
    flat = flat_text(percent.values, "the difference in length")
    note = "\n".join(filter(None, (labels.range_text(percent.values, "%") + blanks, flat)))
    top = 1.0 if flat else labels.largest(percent.values)
    negative = bool((percent.values < -ROUNDING).any())
    heat = heat_map(
        percent,
        percent.values if negative else np.maximum(percent.values, 0),
        title=title,
        note=note,
        label=quantity,
        limits=(-top if negative else 0, top),
        exponent=max(0, labels.map_exponent(percent.values)),
    )
    if flat:
        return {"map": heat}
    mesh = wireframe(
        percent,
        percent.values,
        title=title,
        note=note,
        z_label=quantity,
        z_limits=labels.axis_limits(percent.values),
    )
    return {"map": heat, "mesh": mesh}


LENGTH_KIND = FigureKind(
    name=LENGTH,
    title="Per cent longer than a reference method over n and x/n",
    options=LengthSurfaceOptions,
    drawn_for=attrgetter("has_fractions"),
    requires=("grid_of_fractions", "lengths"),
    draw=draw_length,
)
