"""Coverage over the size, several methods in one panel: exact lines and Monte Carlo points."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field

from harness.families.family import ENUMERATION, MONTE_CARLO, SINGLE_SAMPLE
from harness.figures import options, selection, style
from harness.figures.kind import Drawing, FigureKind
from harness.figures.size_panels import TRUTH, Panel, SizePanels, draw_panels, size_panels

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

NAME = "coverage_over_size"
ENGINES = (ENUMERATION, MONTE_CARLO)


class CoverageOverSize(options.FigureOptions):
    """Options of `coverage_over_size`."""

    methods: options.Labels | None = Field(None, description=options.METHODS)
    alpha: options.Alpha | None = Field(None, description=options.ALPHA)
    truth: float | None = Field(None, description=TRUTH)
    lowest: float | None = Field(
        None,
        ge=0,
        lt=1,
        description="Lower end of the coverage axis; left out, 1 - 10 alpha, "
        "or higher where no coverage is that low.",
    )


def draw(results: selection.Tables, asked: CoverageOverSize) -> list[Drawing]:
    """One drawing per alpha, a panel per true value."""
    found = size_panels(results, NAME, asked, ENGINES)
    return [Drawing(panels.stem, _figure(panels, asked.lowest)) for panels in found]


def _figure(found: SizePanels, asked: float | None) -> Figure:
    lowest = _lowest(found) if asked is None else asked
    heading = f"{found.heading('coverage')}, nominal {1 - found.alpha:g}"
    engines = {engine for panel in found.panels for engine in panel.cells["engine"]}
    if MONTE_CARLO in engines:
        heading += "; points: Monte Carlo, 95 % interval"
    if engines - {MONTE_CARLO}:
        heading += "; lines: exact where there are exact values"
    heading += _hidden(found, lowest)

    def plot(axes: Axes, panel: Panel) -> None:
        for index, method in enumerate(found.methods):
            _plot_method(axes, found, panel, index, method)
        axes.axhline(
            1 - found.alpha,
            color=style.BLACK,
            linestyle=(0, (4, 2)),
            linewidth=0.6,
            zorder=1,
            gid="nominal",
        )
        room = 0.02 * (1 - lowest)
        axes.set_ylim(lowest - (room if lowest == 0 else 0), 1 + room)

    return draw_panels(found, heading, "coverage (1 − actual α)", plot)


def _plot_method(axes: Axes, found: SizePanels, panel: Panel, index: int, method: str) -> None:
    look, exact, simulated = style.curve_style(index), panel.exact(method), panel.simulated(method)
    line = simulated if exact.is_empty() else exact
    if not line.is_empty():
        axes.plot(
            line[found.axis].to_numpy(),
            1 - line["actual_alpha"].to_numpy(),
            **look,
            zorder=2,
            gid=f"line-{index}",
        )
    if not simulated.is_empty():
        drawn = axes.errorbar(
            simulated[found.axis].to_numpy(),
            1 - simulated["actual_alpha"].to_numpy(),
            # Coverage is mirrored: the bar above alpha is the one below coverage.
            yerr=selection.error_bars(simulated, "actual_alpha")[::-1],
            fmt="o",
            color=look["color"],
            elinewidth=0.5,
            markersize=2.0,
            markeredgewidth=0,
            zorder=3,
        )
        drawn[0].set_gid(f"simulated-{index}")


def _lowest(found: SizePanels) -> float:
    """The lower end of the coverage axis: 1 − 10·alpha, or higher if no coverage is that low.

    A method that breaks down at the smallest sizes would flatten the curves of all others.
    """
    import polars as pl

    worst = max(
        float(
            panel.cells.filter(pl.col("method").is_in(list(found.methods)))
            .select(pl.max_horizontal("actual_alpha", "ci_upper").max())
            .item()
        )
        for panel in found.panels
    )
    return max(0.0, 1 - 10 * found.alpha, 1 - 1.1 * max(worst, found.alpha))


def _hidden(found: SizePanels, lowest: float) -> str:
    """Which methods have a coverage below the axis, in words."""
    below = []
    for method in found.methods:
        reached = [
            float(1 - panel.cells.filter(method=method).select("actual_alpha").max().item())
            for panel in found.panels
        ]
        if min(reached) < lowest:
            below.append(f"{method} down to {max(min(reached), 0.0):.3g}")
    return f"; below the axis: {', '.join(below)}" if below else ""


KIND = FigureKind(
    name=NAME,
    title="Coverage over the size, exact and by Monte Carlo",
    options=CoverageOverSize,
    over="truth",
    needs=ENGINES,
    designs=(SINGLE_SAMPLE,),
    draw=draw,
)
