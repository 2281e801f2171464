"""The cells per truth from which curves over the size are drawn, a panel for each true value."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Protocol

from harness.errors import InputError
from harness.families.family import MONTE_CARLO, Family
from harness.figures import labels, selection, style
from harness.figures.kind import file_stem

if TYPE_CHECKING:
    import polars as pl
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_PANELS = 12
"""The most panels of one drawing."""
ONE_COLUMN = 6
"""Up to this many panels form one column; more fill two columns of a page."""
_ROOM = 1.08
"""The factor by which the axis goes beyond the sizes."""
_LETTER = 0.02
"""The width of a digit, in the length of the axis."""
TRUTH = "Of several true values, the one to draw; left out, a panel for each."


class SizeOptions(Protocol):
    """The options that say which curves to draw."""

    @property
    def methods(self) -> tuple[str, ...] | None: ...

    @property
    def alpha(self) -> float | None: ...

    @property
    def truth(self) -> float | None: ...


@dataclass(frozen=True)
class Panel:
    """The curves at one true value, and at one size of the rest of the design."""

    title: str
    """What sets the panel apart from the others, in words; empty where it is alone."""
    cells: pl.DataFrame
    """Its cells, in ascending order of the size."""

    def exact(self, method: str) -> pl.DataFrame:
        """The rows of one method by an exact engine; there may be none."""
        return self.cells.filter(self.cells["engine"] != MONTE_CARLO, method=method)

    def simulated(self, method: str) -> pl.DataFrame:
        """The rows of one method by Monte Carlo; there may be none."""
        return self.cells.filter(method=method, engine=MONTE_CARLO)


@dataclass(frozen=True)
class SizePanels:
    """What one drawing over the size shows."""

    stem: str
    """File name of the drawing."""
    family: Family
    setting: str
    """What all panels have in common, in words; may be empty."""
    alpha: float
    methods: tuple[str, ...]
    panels: tuple[Panel, ...]

    def heading(self, what: str) -> str:
        """What is shown, and where, in words."""
        return f"{what} at {self.setting}" if self.setting else what

    @property
    def axis(self) -> str:
        """The column of the sizes that the curves go over."""
        return self.family.sizes[0]


def size_panels(
    results: selection.Tables, kind: str, asked: SizeOptions, engines: Sequence[str]
) -> list[SizePanels]:
    """What the drawings show: one per alpha, with all methods.

    Raises:
        InputError: the results lack what is asked for, or have too many true values.
    """
    cells = selection.cells_given(results, "truth", engines, kind)
    family = selection.family_in(cells)
    methods = tuple(selection.methods(cells, asked.methods, kind))
    axis, *rest = family.sizes
    symbols = dict(zip(family.truths, family.symbols, strict=True))
    names = {name: symbols.get(name, name) for name in (*family.truths, *rest)}
    here = _at_truth(cells, family.truths[0], asked.truth, kind)
    varying = [name for name in names if here[name].n_unique() > 1]
    held = [name for name in names if name not in varying]
    setting = ", ".join(f"{names[name]} = {here[name][0]:.6g}" for name in held)
    part = [] if asked.truth is None else [f"truth{asked.truth:g}"]
    return [
        SizePanels(
            file_stem(kind, *part, *level),
            family,
            setting,
            alpha,
            methods,
            tuple(_panels(here.filter(alpha=alpha).sort(axis), varying, names, kind)),
        )
        for alpha, level in selection.alphas(cells, asked.alpha, kind)
    ]


def _at_truth(cells: pl.DataFrame, column: str, asked: float | None, kind: str) -> pl.DataFrame:
    """The cells at the true value asked for, or all of them."""
    if asked is None:
        return cells
    present: list[float] = cells[column].unique().sort().to_list()
    # A point of a grid, as 0.3 of tenths, may differ from the number a person writes.
    found = [value for value in present if math.isclose(value, asked, rel_tol=1e-9)]
    if not found:
        raise InputError(
            f"{kind}: the results hold no true value {asked:g}, only {_listed(present)}"
        )
    return cells.filter(cells[column].is_in(found))


def _panels(
    cells: pl.DataFrame, varying: Sequence[str], names: dict[str, str], kind: str
) -> list[Panel]:
    if not varying:
        return [Panel("", cells)]
    rows = cells.select(varying).unique().sort(varying).rows()
    if len(rows) > MOST_PANELS:
        raise InputError(
            f"{kind}: say which true value to draw, as at most {MOST_PANELS} panels fit a "
            f"figure, found {len(rows)}"
        )
    return [
        Panel(
            ", ".join(
                f"{names[name]} = {value:.6g}" for name, value in zip(varying, row, strict=True)
            ),
            cells.filter(
                reduce(
                    and_,
                    (cells[name] == value for name, value in zip(varying, row, strict=True)),
                )
            ),
        )
        for row in rows
    ]


def _listed(values: Sequence[float]) -> str:
    few = ", ".join(f"{value:.12g}" for value in values[:12])
    return few + (", …" if len(values) > 12 else "")


def draw_panels(
    found: SizePanels, heading: str, axis_name: str, plot: Callable[[Axes, Panel], None]
) -> Figure:
    """Draw the panels under a legend of the methods, over a logarithmic axis of sizes.

    Args:
        found: what to draw.
        heading: the heading of the legend.
        axis_name: the name of the axis of values.
        plot: draws one panel, each method in the style of its place among all.
    """
    count = len(found.panels)
    columns = 1 if count <= ONE_COLUMN else 2
    rows, width = math.ceil(count / columns), style.COLUMN if columns == 1 else style.PAGE
    names = [
        style.wrap(selection.method_title(found.panels[0].cells, method), style.COLUMN - 10)
        for method in found.methods
    ]
    legend_columns, heading = style.legend_columns(names, width), style.wrap(heading, width)
    lines = sum(1 + name.count("\n") for name in names) / legend_columns
    height = 16 + max(30 * rows, 46) + 3.2 * (math.ceil(lines) + heading.count("\n"))
    figure = style.new_figure(width, height)
    grid = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    places = list(grid.T.flat)
    for axes, panel in zip(places, found.panels, strict=False):
        plot(axes, panel)
        if panel.title:
            axes.set_title(style.wrap(panel.title, style.COLUMN - 13), loc="left", pad=2)
    for axes in places[count:]:
        axes.remove()
        places[places.index(axes) - 1].tick_params(labelbottom=True)
    sizes = {float(size) for panel in found.panels for size in panel.cells[found.axis]}
    _set_sizes(places[0], sorted(sizes))
    figure.supxlabel(labels.size_label(found.family), fontsize=style.TEXT)
    figure.supylabel(axis_name, fontsize=style.TEXT)
    figure.legend(_handles(len(names)), names, **style.legend_above(legend_columns, heading))
    return figure


def _handles(count: int) -> list[Artist]:
    from matplotlib.lines import Line2D

    return [Line2D([], [], **style.curve_style(index)) for index in range(count)]


def _set_sizes(axes: Axes, sizes: Sequence[float]) -> None:
    """Make the x axis logarithmic, with a label at each size that has room for one."""
    from matplotlib.ticker import NullLocator

    axes.set_xscale("log")
    low, high = sizes[0] / _ROOM, sizes[-1] * _ROOM
    axes.set_xlim(low, high)
    ticks: list[float] = []
    for size in reversed(sizes):
        letters = len(f"{size:.6g}")
        if not ticks or math.log(ticks[-1] / size) >= _LETTER * (letters + 1) * math.log(
            high / low
        ):
            ticks.append(size)
    axes.set_xticks(ticks, [f"{size:.6g}" for size in ticks])
    axes.xaxis.set_minor_locator(NullLocator())
