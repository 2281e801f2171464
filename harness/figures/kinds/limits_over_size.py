"""Limits at one fraction of successes over the size: how fast an interval closes in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from harness.base.errors import InputError
from harness.families.family import SINGLE_SAMPLE, Family
from harness.figures import options, selection
from harness.figures.kind import EVERY_ENGINE, Drawing, FigureKind, file_stem
from harness.figures.look import labels, layout, style
from harness.figures.outcome_axis import set_log_outcomes

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from matplotlib.figure import Figure

NAME = "limits_over_size"


class LimitsOverSize(options.AxesOptions):
    """Options of `limits_over_size`."""

    fraction: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Fraction f of successes: the limits drawn are those at the whole number x "
        "next to n·f.",
    )
    methods: options.Labels | None = Field(None, description=options.METHODS)
    alpha: options.Alpha | None = Field(None, description=options.ALPHA)


def draw(results: selection.Tables, asked: LimitsOverSize) -> list[Drawing]:
    """One drawing per alpha."""
    cells = selection.cells_given(results, "outcome", EVERY_ENGINE, NAME)
    family = selection.family_in(cells)
    methods = selection.methods(cells, asked.methods, NAME)
    drawings = []
    for alpha, part in selection.alphas(cells, asked.alpha, NAME):
        rows = _at_fraction(cells.filter(alpha=alpha), family, asked.fraction)
        title = f"limits at x/n = {asked.fraction:g}, nominal α = {alpha:g}"
        stem = file_stem(NAME, f"{asked.fraction:g}", *part)
        drawings.append(Drawing(stem, _figure(rows, family, methods, title, asked)))
    return drawings


def _at_fraction(cells: pl.DataFrame, family: Family, fraction: float) -> pl.DataFrame:
    """The rows at the whole number next to n·f, halves up, a row for each method and size."""
    import polars as pl

    (size,), (count,) = family.sizes, family.counts
    nearest = (pl.col(size) * fraction + 0.5).floor()
    rows = cells.filter((pl.col(count) == nearest) & pl.col("lower").is_not_null())
    if rows.n_unique(size) < 2:
        raise InputError(
            f"{NAME}: the results should hold the outcome at x/n = {fraction:g} for two sizes or "
            f"more, found {rows.n_unique(size)}"
        )
    return rows.unique(["method", size], keep="first", maintain_order=True).sort(size)


def _figure(
    rows: pl.DataFrame, family: Family, methods: Sequence[str], title: str, asked: LimitsOverSize
) -> Figure:
    (size,) = family.sizes
    names = [
        style.wrap(selection.method_title(rows, method), style.COLUMN - 10) for method in methods
    ]
    heading = style.wrap(title, style.COLUMN)
    figure, axes, legend = style.curve_figure(names, heading, 58)
    handles = []
    for index, method in enumerate(methods):
        part = rows.filter(method=method)
        look = style.style_of(method, methods)
        sizes, drawn = part[size].to_numpy(), look.marked_line | {"markevery": 1}
        if index == 0:
            lower, upper = part["lower"].to_numpy(), part["upper"].to_numpy()
            axes.fill_between(sizes, lower, upper, color=style.PALE_BLUE, alpha=0.5, linewidth=0)
        (line,) = axes.plot(sizes, part["lower"].to_numpy(), **drawn, gid=f"lower-{index}")
        axes.plot(sizes, part["upper"].to_numpy(), **drawn, gid=f"upper-{index}")
        handles.append(line)
    axes.axhline(asked.fraction, color=style.BLACK, linewidth=0.8, linestyle=":", gid="fraction")
    every = rows[size].to_numpy()
    set_log_outcomes(axes, float(every.min()), float(every.max()))
    axes.set_xlabel(f"{size} (number of trials)")
    axes.set_ylabel(f"limits of the {labels.parameter_label(family)}")
    layout.set_asked_limits([axes], asked)
    if len(methods) >= layout.DIRECT:
        for method in methods:
            values = rows.filter(method=method)["upper"].to_list()
            title = selection.method_title(rows, method)
            layout.label_end(axes, title, values, style.style_of(method, methods))
    figure.legend(handles, names, **legend)
    return figure


KIND = FigureKind(
    name=NAME,
    title="Limits at one fraction of successes over the size",
    options=LimitsOverSize,
    over="outcome",
    needs=EVERY_ENGINE,
    designs=(SINGLE_SAMPLE,),
    bounded_only=True,
    draw=draw,
)
