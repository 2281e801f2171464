"""Over the size of the data: coverage, expected length, and limits at one fraction of successes.

Coverage and length have a page of small panels, one for each true value.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.families.family import EXACT_ENGINES, MONTE_CARLO, Family
from harness.figures import options, selection
from harness.figures.kind import Drawing, FigureKind, file_stem
from harness.figures.look import axes as coverage_axis
from harness.figures.look import labels, layout, style
from harness.figures.look.axes import LEAST_SPAN, set_few_ticks, set_log_axis, set_log_outcomes
from harness.figures.selection import Selection
from harness.figures.size_panels import (
    ENGINES,
    OverSizeOptions,
    SizePanel,
    SizePanels,
    by_method,
    size_panels,
    transposed,
)

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    from harness.tables.results import Results

HEIGHTS = {1: 40.0, 2: 32.0}
"""The height of the axes of a panel, in mm, where there are one or two of them."""
ROW = 24.0
"""The height where there are more."""
LONG_LEGEND, WIDE_ROW = 5, 36.0
"""With more entries, more than two panels are as wide as a page, and as high as this."""
CROWD = 25
"""The most markers on a line."""
MOST_LINES = 5
"""With more methods, each has a panel, with a line for each true value if these are no more, or
panels of its own."""
MOST_BESIDE, LOW_ROW, SIDE = 4, 13.0, 34.0
"""Then at most so many stand beside each other, so high, with names so wide beside them, in mm."""
MOST_APART = 60
"""More panels of one method each are not legible on a page."""
MARGIN = 0.05
"""The room at each end of an axis, as a part of its length."""
_BESIDE = 13.0
"""The width of the numbers and the name of the vertical axis, in mm."""
DECADE = 10.0
"""Sizes that span more than this factor have a logarithmic axis in a figure of coverage."""


@dataclass(frozen=True)
class PanelPage:
    """A figure with the axes of each panel, which all have the same limits."""

    figure: Figure
    shown: SizePanels
    columns: int
    """How many panels stand in a row."""
    panels: tuple[tuple[SizePanel, Axes], ...]
    width: float
    """The width of the axes of a panel, in mm."""
    height: float
    """The height of the axes of a panel, in mm."""


def new_page(
    shown: SizePanels,
    heading: str,
    notes: Sequence[str],
    extra: Sequence[Line2D] = (),
    columns: int | None = None,
) -> PanelPage:
    """Return a page as wide as a journal's column or page, with its legend.

    Args:
        shown: the panels.
        heading: the heading of the legend.
        notes: a note for the title of each panel, which may be empty.
        extra: entries of the legend after those of the methods.
        columns: panels in a row; None for one or two.
    """
    from matplotlib.lines import Line2D

    handles = [
        Line2D(
            [],
            [],
            **_look(shown, method, filled=shown.has(method, [MONTE_CARLO])),
            label=selection.method_title(shown.cells, method),
        )
        for method in shown.methods
    ]
    at = [panel.place for panel in shown.panels if panel.place is not None]
    # Panels of one method each have its name beside them.
    handles = [*extra] if at else [*handles, *extra]
    count = len(shown.panels)
    is_wide = bool(at) or (len(handles) > LONG_LEGEND and count > 2)
    across = style.PAGE if is_wide else style.COLUMN
    names = [style.wrap(str(handle.get_label()), style.COLUMN - 10) for handle in handles]
    beside = style.legend_columns(names, across)
    legend = style.legend_above(beside, style.wrap(heading, across))
    if at:
        columns = 1 + max(column for _, column in at)
    else:
        columns = layout.panel_columns(count, columns, 4 if is_wide else 2)
    width = (across - _BESIDE - (SIDE if at else 0)) / columns - 3
    titles = []
    for panel, note in zip(shown.panels, notes, strict=True):
        title = style.wrap("; ".join(filter(None, [panel.title, note])), width)
        if note and "\n" in title:
            title = f"{style.wrap(panel.title, width)}\n{style.wrap(note, width)}"
        titles.append(title)
    rows: dict[int, list[str]] = {}
    for i, title in enumerate(titles):
        rows.setdefault(at[i][0] if at else i // columns, []).append(title)
    lines = 1 + legend["title"].count("\n")
    lines += math.ceil(sum(1 + name.count("\n") for name in names) / max(beside, 1))
    lines += sum(1 + max(title.count("\n") for title in row) for row in rows.values() if any(row))
    height = LOW_ROW if at else HEIGHTS.get(count, WIDE_ROW if is_wide else ROW)
    figure = style.new_figure(across, 12 + (height + 2) * len(rows) + style.line_height() * lines)
    places = layout.placed_panels(figure, at) if at else layout.panels(figure, count, columns)
    for axes, title, panel in zip(places, titles, shown.panels, strict=True):
        axes.set_title(title, loc="left", pad=2)
        name = style.wrap(panel.side, SIDE)
        axes.text(1.04, 0.5, name, transform=axes.transAxes, va="center", gid="side")
    figure.supxlabel(labels.size_label(shown.family))
    figure.legend(handles, names, **legend)
    panels = tuple(zip(shown.panels, places, strict=True))
    return PanelPage(figure, shown, columns, panels, style.width_of(width), height)


def _look(shown: SizePanels, method: str, *, filled: bool) -> dict[str, Any]:
    """The line and the marks of a method: filled ones of Monte Carlo, others of exact values."""
    look = shown.look(method)
    return look.line | look.points(filled=filled) | {"linewidth": 0.9}


def plot_methods(
    page: PanelPage,
    values: Callable[[pl.DataFrame], Floats],
    bars: Callable[[pl.DataFrame], Floats] | None = None,
) -> None:
    """Draw each method in each panel: exact values as a line, Monte Carlo as points.

    Points are joined by a thin line where a method has no exact values, and exact values are
    marked where a method has no points.

    Args:
        page: the page.
        values: gives the values of m rows, shape (m,).
        bars: gives the lengths of their error bars below and above, shape (2, m).
    """
    shown = page.shown
    for panel, axes in page.panels:
        for index, method in enumerate(shown.methods):
            exact = panel.rows(method, EXACT_ENGINES)
            simulated = panel.rows(method, [MONTE_CARLO])
            if not exact.is_empty():
                look = _look(shown, method, filled=False)
                if not simulated.is_empty():
                    look["marker"] = ""
                axes.plot(
                    exact[shown.size].to_numpy(),
                    values(exact),
                    **look,
                    markevery=math.ceil(exact.height / CROWD),
                    zorder=3,
                    gid=f"exact-{index}",
                )
            if not simulated.is_empty():
                look = _look(shown, method, filled=True) | {"linewidth": 0.5}
                if not exact.is_empty():
                    look["linestyle"] = "none"
                drawn = axes.errorbar(
                    simulated[shown.size].to_numpy(),
                    values(simulated),
                    yerr=None if bars is None else bars(simulated),
                    **look,
                    elinewidth=0.6,
                    zorder=4,
                )
                drawn[0].set_gid(f"simulated-{index}")


def finish_page(page: PanelPage, asked: OverSizeOptions, longest: float, label: str) -> Figure:
    """Set the axes of sizes, the ranges that are asked for and the name of the vertical axis.

    Args:
        page: the page.
        asked: the options of the figure.
        longest: sizes that span more than this factor have a logarithmic axis.
        label: the name of the vertical axis.
    """
    sizes = page.shown.cells[page.shown.size].to_numpy().astype(np.float64)
    low, high = float(sizes.min()), float(sizes.max())
    for _, axes in page.panels:
        if high / low > longest:
            room = (high / low) ** MARGIN
            set_log_axis(axes, "x", low / room, high * room, page.width)
        else:
            axes.set_xlim(low - MARGIN * (high - low), high + MARGIN * (high - low))
            whole = bool((sizes == np.round(sizes)).all())
            set_few_ticks(axes, integer=whole)
    layout.set_asked_limits([axes for _, axes in page.panels], asked, page.columns)
    page.figure.supylabel(label)
    return page.figure


COVERAGE = "coverage_over_size"


class CoverageOverSizeOptions(OverSizeOptions):
    """Options of `coverage_over_size`."""

    lowest: float | None = options.LOWEST_COVERAGE


def draw_coverage(results: Results, asked: CoverageOverSizeOptions) -> list[Drawing]:
    """One drawing per alpha, a panel per true value."""
    from matplotlib.lines import Line2D

    drawings = []
    for shown in size_panels(results, COVERAGE, asked, "actual_alpha"):
        lowest = asked.lowest if asked.ylim is None else asked.ylim[0]
        reached = coverage_axis.lowest_coverage(shown.cells, shown.alpha)
        stretched = lowest is None and coverage_axis.breaks_down(reached, shown.alpha)
        lowest = reached if lowest is None else lowest
        shown = _apart(shown, asked)
        look = coverage_axis.nominal_style(shown.alpha)
        page = new_page(
            shown,
            shown.heading("coverage", "95 % intervals"),
            [_hidden(shown, panel, lowest) for panel in shown.panels],
            [Line2D([], [], **look)],
            asked.columns,
        )
        # Coverage is mirrored: the bar above alpha is the one below coverage.
        plot_methods(page, _coverage, lambda rows: selection.error_bars(rows, "actual_alpha")[::-1])
        for _, axes in page.panels:
            axes.axhspan(-1, 1 - shown.alpha, facecolor=style.SHADE, linewidth=0, zorder=0)
            axes.axhline(1 - shown.alpha, **look, zorder=5, gid="nominal")
            name = coverage_axis.set_coverage(axes, shown.alpha, lowest, stretched)
        figure = finish_page(page, asked, DECADE, name)
        drawings.append(Drawing(shown.stem, figure))
    return drawings


def _apart(shown: SizePanels, asked: OverSizeOptions) -> SizePanels:
    """The panels, of one method each where the lines of all would cover each other."""
    count = len(shown.panels)
    if len(shown.methods) <= MOST_LINES or len(shown.methods) * count > MOST_APART:
        return shown
    if count <= MOST_LINES:
        return transposed(shown)
    beside = math.ceil(count / math.ceil(count / MOST_BESIDE))
    return by_method(shown, asked.columns or beside)


def _coverage(rows: pl.DataFrame) -> Floats:
    return np.asarray(1 - rows["actual_alpha"].to_numpy())


def _hidden(shown: SizePanels, panel: SizePanel, lowest: float) -> str:
    """Which methods go below the axis, and how far, in words."""
    reached = {}
    for method in shown.methods:
        exact = panel.rows(method, EXACT_ENGINES)
        rows = panel.rows(method, [MONTE_CARLO]) if exact.is_empty() else exact
        if not rows.is_empty() and (least := float(_coverage(rows).min())) < lowest:
            reached[method] = least
    if not reached:
        return ""
    lowest_text = labels.percent_text(100 * min(reached.values()))
    return f"{shown.who(list(reached))} down to {lowest_text}"


COVERAGE_KIND = FigureKind(
    name=COVERAGE,
    title="Coverage over the size, exact and by Monte Carlo, a panel per true value",
    options=CoverageOverSizeOptions,
    over="truth",
    needs=ENGINES,
    drawn_for=lambda _: True,
    requires=("panels_over_size",),
    draw=draw_coverage,
)


LENGTH = "length_over_size"


def draw_length(results: Results, asked: OverSizeOptions) -> list[Drawing]:
    """One drawing per alpha, a panel per true value."""
    return [
        Drawing(shown.stem, _length_figure(shown, asked))
        for shown in size_panels(results, LENGTH, asked, "length")
    ]


def _length_figure(shown: SizePanels, asked: OverSizeOptions) -> Figure:
    lengths = shown.cells["length"].to_numpy()
    high = float(lengths.max())
    low = float(lengths.min(initial=high, where=lengths > 0))
    logarithmic = high > LEAST_SPAN * low > 0
    shown = _apart(shown, asked)
    heading = shown.heading(f"expected length at nominal α = {shown.alpha:g}")
    notes = []
    for panel in shown.panels:
        # A logarithmic axis leaves lengths of 0 out, which the title of the panel says.
        zeros = panel.cells.filter(panel.cells["length"] <= 0)
        if zeros.is_empty() or not logarithmic:
            notes.append("")
            continue
        sizes = sorted(zeros[shown.size].unique())
        where = f"{shown.size} = {sizes[0]:.6g}" if len(sizes) == 1 else f"{len(sizes)} sizes"
        who = shown.who(zeros["method"].unique().to_list())
        notes.append(f"{who} of length 0 at {where}")
    page = new_page(shown, heading, notes, columns=asked.columns)

    def values(rows: pl.DataFrame) -> Floats:
        drawn = rows["length"].to_numpy()
        return np.where(drawn > 0, drawn, np.nan) if logarithmic else np.asarray(drawn)

    plot_methods(page, values)
    for _, axes in page.panels:
        if logarithmic:
            room = (high / low) ** MARGIN
            set_log_axis(axes, "y", low / room, high * room, page.height)
        else:
            axes.set_ylim(0, 1.1 * high or 1.0)
    return finish_page(page, asked, LEAST_SPAN, labels.length_label(shown.family))


LENGTH_KIND = FigureKind(
    name=LENGTH,
    title="Expected interval length over the size, a panel per true value",
    options=OverSizeOptions,
    over="truth",
    needs=ENGINES,
    drawn_for=lambda _: True,
    requires=("mean_lengths", "panels_over_size"),
    draw=draw_length,
)


LIMITS = "limits_over_size"


class LimitsOverSizeOptions(options.AxesOptions):
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


def draw_limits(results: Results, asked: LimitsOverSizeOptions) -> Iterator[Drawing]:
    """Yield one drawing per alpha."""
    selected = Selection.conditioned(results, LIMITS, asked, "outcome")
    family, methods = selected.family, selected.methods
    (size,) = family.sizes
    for alpha, part in selected.alphas:
        rows = _at_fraction(selected.cells.filter(alpha=alpha), family, asked.fraction)
        title = f"limits at x/n = {asked.fraction:g}, nominal α = {alpha:g}"
        names = [
            style.wrap(selection.method_title(rows, method), style.COLUMN - 10)
            for method in methods
        ]
        figure, legend = style.curve_figure(names, style.wrap(title, style.COLUMN), 58)
        axes = figure.add_subplot()
        handles = []
        for index, method in enumerate(methods):
            of_method = rows.filter(method=method)
            look = style.style_of(method, methods)
            sizes, drawn = of_method[size].to_numpy(), look.marked_line | {"markevery": 1}
            if index == 0:
                lower, upper = of_method["lower"].to_numpy(), of_method["upper"].to_numpy()
                axes.fill_between(
                    sizes, lower, upper, color=style.PALE_BLUE, alpha=0.5, linewidth=0
                )
            (line,) = axes.plot(sizes, of_method["lower"].to_numpy(), **drawn, gid=f"lower-{index}")
            axes.plot(sizes, of_method["upper"].to_numpy(), **drawn, gid=f"upper-{index}")
            handles.append(line)
        axes.axhline(
            asked.fraction, color=style.BLACK, linewidth=0.8, linestyle=":", gid="fraction"
        )
        all_sizes = rows[size].to_numpy()
        set_log_outcomes(axes, float(all_sizes.min()), float(all_sizes.max()))
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
        yield Drawing(file_stem(LIMITS, f"{asked.fraction:g}", *part), figure)


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


LIMITS_KIND = FigureKind(
    name=LIMITS,
    title="Limits at one fraction of successes over the size",
    options=LimitsOverSizeOptions,
    drawn_for=attrgetter("has_fractions"),
    draw=draw_limits,
)
