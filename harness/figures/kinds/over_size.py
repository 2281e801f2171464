"""Over the size of the data: coverage, expected length, and limits at one fraction of successes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pydantic import Field

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.families.family import EXACT_ENGINES, MONTE_CARLO, Family
from harness.figures import options, selection
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.look import axes as coverage_axis
from harness.figures.look import labels, layout, style
from harness.figures.look.axes import LEAST_SPAN, set_log_axis, set_log_outcomes
from harness.figures.look.panel_page import MARGIN, finish_page, new_page, plot_methods
from harness.figures.selection import Selection
from harness.figures.size_panels import ENGINES, OverSize, SizePanel, SizePanels, size_panels

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl
    from matplotlib.figure import Figure

    from harness.tables.results import Results

COVERAGE = "coverage_over_size"
DECADE = 10.0


class CoverageOverSize(OverSize):
    """Options of `coverage_over_size`."""

    lowest: float | None = options.LOWEST_COVERAGE


def draw_coverage(results: Results, asked: CoverageOverSize) -> list[Drawing]:
    """One drawing per alpha, a panel per true value."""
    every = size_panels(results, COVERAGE, asked, "actual_alpha")
    return [Drawing(found.stem, _coverage_figure(found, asked)) for found in every]


def _coverage_figure(found: SizePanels, asked: CoverageOverSize) -> Figure:
    from matplotlib.lines import Line2D

    lowest = asked.lowest if asked.ylim is None else asked.ylim[0]
    reached = coverage_axis.lowest_coverage(found.cells, found.alpha)
    stretched = lowest is None and coverage_axis.breaks_down(reached, found.alpha)
    lowest = reached if lowest is None else lowest
    look = coverage_axis.nominal_style(found.alpha)
    page = new_page(
        found,
        found.heading("coverage", "95 % intervals"),
        [_hidden(found, panel, lowest) for panel in found.panels],
        [Line2D([], [], **look)],
        asked.columns,
    )
    # Coverage is mirrored: the bar above alpha is the one below coverage.
    plot_methods(page, _coverage, lambda rows: selection.error_bars(rows, "actual_alpha")[::-1])
    for _, axes in page.panels:
        axes.axhspan(-1, 1 - found.alpha, facecolor=style.SHADE, linewidth=0, zorder=0)
        axes.axhline(1 - found.alpha, **look, zorder=5, gid="nominal")
        if stretched:
            coverage_axis.stretch(axes, "y", found.alpha, 1 - lowest, coverage=True)
        else:
            coverage_axis.set_coverage_limits(axes, lowest)
    name = coverage_axis.COVERAGE + (",\nstretched near 100" if stretched else "")
    return finish_page(page, asked, DECADE, name)


def _coverage(rows: pl.DataFrame) -> Floats:
    return np.asarray(1 - rows["actual_alpha"].to_numpy())


def _hidden(found: SizePanels, panel: SizePanel, lowest: float) -> str:
    """Which methods go below the axis, and how far, in words."""
    reached = {}
    for method in found.methods:
        exact = panel.rows(method, EXACT_ENGINES)
        rows = panel.rows(method, [MONTE_CARLO]) if exact.is_empty() else exact
        if not rows.is_empty() and (least := float(_coverage(rows).min())) < lowest:
            reached[method] = least
    if not reached:
        return ""
    lowest_text = labels.percent_text(100 * min(reached.values()))
    return f"{found.who(list(reached))} down to {lowest_text}"


COVERAGE_KIND = FigureKind(
    name=COVERAGE,
    title="Coverage over the size, exact and by Monte Carlo, a panel per true value",
    options=CoverageOverSize,
    over="truth",
    needs=ENGINES,
    drawn_for=lambda _: True,
    requires=("panels_over_size",),
    draw=draw_coverage,
)


LENGTH = "length_over_size"


class LengthOverSize(OverSize):
    """Options of `length_over_size`."""


def draw_length(results: Results, asked: LengthOverSize) -> list[Drawing]:
    """One drawing per alpha, a panel per true value."""
    return [
        Drawing(found.stem, _length_figure(found, asked))
        for found in size_panels(results, LENGTH, asked, "length")
    ]


def _length_figure(found: SizePanels, asked: LengthOverSize) -> Figure:
    lengths = found.cells["length"].to_numpy()
    high = float(lengths.max())
    low = float(lengths.min(initial=high, where=lengths > 0))
    logarithmic = high > LEAST_SPAN * low > 0
    heading = found.heading(f"expected length at nominal α = {found.alpha:g}")
    notes = [_zeros(found, panel, logarithmic) for panel in found.panels]
    page = new_page(found, heading, notes, columns=asked.columns)

    def values(rows: pl.DataFrame) -> Floats:
        known = rows["length"].to_numpy()
        return np.where(known > 0, known, np.nan) if logarithmic else np.asarray(known)

    plot_methods(page, values)
    for _, axes in page.panels:
        if logarithmic:
            room = (high / low) ** MARGIN
            set_log_axis(axes, "y", low / room, high * room, page.height)
        else:
            axes.set_ylim(0, 1.1 * high or 1.0)
    return finish_page(page, asked, LEAST_SPAN, labels.length_label(found.family))


def _zeros(found: SizePanels, panel: SizePanel, logarithmic: bool) -> str:
    """Which lengths a logarithmic axis leaves out, in words."""
    rows = panel.cells.filter(panel.cells["length"] <= 0)
    if rows.is_empty() or not logarithmic:
        return ""
    methods, sizes = rows["method"].unique(), sorted(rows[found.size].unique())
    where = f"{found.size} = {sizes[0]:.6g}" if len(sizes) == 1 else f"{len(sizes)} sizes"
    return f"{found.who(methods.to_list())} of length 0 at {where}"


LENGTH_KIND = FigureKind(
    name=LENGTH,
    title="Expected interval length over the size, a panel per true value",
    options=LengthOverSize,
    over="truth",
    needs=ENGINES,
    drawn_for=lambda _: True,
    requires=("mean_lengths", "panels_over_size"),
    draw=draw_length,
)


LIMITS = "limits_over_size"


class LimitsOverSize(options.AxesOptions):
    """Options of `limits_over_size`."""

    fraction: float = Field(
        0.5,
        ge=0,
        le=1,
        description="Fraction f of successes, from 0 to 1: the limits drawn are those at the "
        "whole number x "
        "next to n·f.",
    )
    methods: options.Labels | None = options.METHODS
    alpha: options.Alpha | None = options.ALPHA


def draw_limits(results: Results, asked: LimitsOverSize) -> list[Drawing]:
    """One drawing per alpha."""
    found = Selection.given(results, LIMITS, asked, "outcome")
    methods = found.methods
    drawings = []
    for alpha, part in found.alphas:
        rows = _at_fraction(found.cells.filter(alpha=alpha), found.family, asked.fraction)
        title = f"limits at x/n = {asked.fraction:g}, nominal α = {alpha:g}"
        stem = file_stem(LIMITS, f"{asked.fraction:g}", *part)
        drawings.append(Drawing(stem, _limits_figure(rows, found.family, methods, title, asked)))
    return drawings


def _at_fraction(cells: pl.DataFrame, family: Family, fraction: float) -> pl.DataFrame:
    """The rows at the whole number next to n·f, halves up, a row for each method and size."""
    import polars as pl

    (size,), (count,) = family.sizes, family.counts
    nearest = (pl.col(size) * fraction + 0.5).floor()
    rows = cells.filter((pl.col(count) == nearest) & pl.col("lower").is_not_null())
    if rows.n_unique(size) < 2:
        raise InputError(
            f"{LIMITS}: the results should hold the outcome at x/n = {fraction:g} for two sizes or "
            f"more, found {rows.n_unique(size)}"
        )
    return rows.unique(["method", size], keep="first", maintain_order=True).sort(size)


def _limits_figure(
    rows: pl.DataFrame, family: Family, methods: Sequence[str], title: str, asked: LimitsOverSize
) -> Figure:
    (size,) = family.sizes
    names = [
        style.wrap(selection.method_title(rows, method), style.COLUMN - 10) for method in methods
    ]
    figure, legend = style.curve_figure(names, style.wrap(title, style.COLUMN), 58)
    axes = figure.add_subplot()
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
    layout.label_ends(
        axes,
        {method: rows.filter(method=method)["upper"].to_list() for method in methods},
        [selection.method_title(rows, method) for method in methods],
        methods,
    )
    figure.legend(handles, names, **legend)
    return figure


LIMITS_KIND = FigureKind(
    name=LIMITS,
    title="Limits at one fraction of successes over the size",
    options=LimitsOverSize,
    bounded_only=True,
    draw=draw_limits,
)
