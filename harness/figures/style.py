"""The style that all figures share: sizes in millimetres, colours, line styles and rc settings.

Figures are built without pyplot and with fixed settings: matplotlib's defaults and the few below,
so that neither a user's matplotlibrc nor an earlier plot changes a byte. Matplotlib is imported
when the first figure is drawn, so that the kinds of figure can be listed without it.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLUMN = 85.0
"""Width of a journal's column, in mm."""
PAGE = 175.0
"""Width of a journal's page of two columns, in mm."""
DPI = 300
TEXT = 7.0
"""Size of labels and legends, in points."""
SMALL = 6.5
"""Size of tick labels and notes, in points; nothing is printed under 6."""
_POINT = 25.4 / 72
"""A point, in mm."""

# Okabe & Ito (2008): colours that all kinds of colour vision can distinguish. Their yellow is left
# out because its contrast with white paper is too small.
BLACK = "#000000"
ORANGE = "#E69F00"
SKY = "#56B4E9"
GREEN = "#009E73"
BLUE = "#0072B2"
VERMILION = "#D55E00"
PURPLE = "#CC79A7"
PALE_BLUE = "#A6CBE3"

CURVE_COLOURS = (BLUE, VERMILION, GREEN, BLACK, PURPLE, ORANGE, SKY)
CURVE_DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)))
# Seven colours and four line styles have no common factor: 28 curves before one repeats.

DIVERGING = "RdBu"
"""The colour map of errors: red below zero, white at zero, blue above; safe for red-green
blindness."""

# Settings of how matplotlib runs, not of how a figure looks. Reading "backend" from the defaults
# would import pyplot.
_RUNTIME_SETTINGS = frozenset({"backend", "backend_fallback", "interactive", "toolbar", "timezone"})

_SETTINGS: dict[str, Any] = {
    "font.family": ["sans-serif"],
    "font.sans-serif": ["DejaVu Sans"],  # comes with matplotlib, so it is the same everywhere
    "font.size": TEXT,
    "axes.labelsize": TEXT,
    "axes.titlesize": TEXT,
    "figure.titlesize": TEXT,
    "legend.fontsize": SMALL,
    "legend.title_fontsize": TEXT,
    "legend.frameon": False,
    "legend.borderpad": 0.2,
    "legend.columnspacing": 1.2,
    "legend.handlelength": 1.8,
    "legend.handletextpad": 0.5,
    "xtick.labelsize": SMALL,
    "ytick.labelsize": SMALL,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.major.size": 2.5,
    "ytick.major.size": 2.5,
    "lines.linewidth": 1.0,
    "grid.linewidth": 0.3,
    "grid.color": "#CCCCCC",
    "figure.dpi": DPI,
    "savefig.dpi": "figure",
    "text.parse_math": False,  # a dollar sign in a label is a dollar sign
    "svg.fonttype": "path",
    "svg.hashsalt": "harness",
    "pdf.fonttype": 42,
}


@contextmanager
def drawing_settings() -> Iterator[None]:
    """Set the rc settings under which every figure is built and saved."""
    import matplotlib

    defaults = matplotlib.rcParamsDefault
    settings: dict[Any, Any] = {
        key: defaults[key] for key in defaults if key not in _RUNTIME_SETTINGS
    }
    with matplotlib.rc_context(settings | _SETTINGS):
        yield


def new_figure(width: float, height: float, *, constrained: bool = True) -> Figure:
    """Return an empty figure of ``width`` × ``height`` mm."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = Figure(
        figsize=(width / 25.4, height / 25.4),
        layout=ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03) if constrained else None,
    )
    FigureCanvasAgg(figure)
    return figure


def curve_figure(
    names: Sequence[str], heading: str, height: float, heading_lines: int = 0
) -> tuple[Figure, Axes, dict[str, Any]]:
    """Return a figure of one panel, as wide as a column, with room for a legend above it.

    Args:
        names: the wrapped names of the curves.
        heading: the wrapped heading of the legend.
        height: the height in mm, without the names of the legend.
        heading_lines: the lines of the heading for which ``height`` has no room.

    Returns:
        The figure, its axes, and the arguments of the legend.
    """
    columns = legend_columns(names, COLUMN)
    lines = sum(1 + name.count("\n") for name in names) / columns + heading_lines
    figure = new_figure(COLUMN, height + 3.2 * math.ceil(lines))
    return figure, figure.add_subplot(), legend_above(columns, heading)


def legend_above(columns: int, heading: str | None = None) -> dict[str, Any]:
    """Return the arguments of a legend above all panels, its wrapped heading on the left."""
    place: dict[str, Any] = {"loc": "outside upper left", "ncols": columns}
    return place if heading is None else place | {"title": heading, "alignment": "left"}


def curve_style(index: int) -> dict[str, Any]:
    """Return the colour and the line style of a curve by its place among all curves."""
    return {
        "color": CURVE_COLOURS[index % len(CURVE_COLOURS)],
        "linestyle": CURVE_DASHES[index % len(CURVE_DASHES)],
    }


def fix_layout(figure: Figure) -> None:
    """Lay the figure out once and for all, whatever formats it is saved in and in what order."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


_NO_BREAK = "\N{NO-BREAK SPACE}"


def wrap(text: str, width: float) -> str:
    """Break a text into lines that fit into ``width`` mm at the size of labels.

    An equation stays on one line, as does a number with its per cent sign.
    """
    letters = max(8, int(width / (0.58 * TEXT * 25.4 / 72)))
    held = text.replace(" = ", f"{_NO_BREAK}={_NO_BREAK}").replace(" %", f"{_NO_BREAK}%")
    return "\n".join(textwrap.wrap(held, letters)).replace(_NO_BREAK, " ")


def shorten(label: str) -> str:
    """Cut a label that stands where there is no room to wrap it."""
    return label if len(label) <= 24 else label[:23] + "…"


def legend_columns(names: Sequence[str], width: float) -> int:
    """Return how many columns of a legend with these names fit into ``width`` mm."""
    letters = [max(map(len, name.split("\n"))) for name in names]
    sizes = [(0.57 * count + 4.2) * SMALL * _POINT for count in letters]
    for columns in range(len(names), 1, -1):
        # A legend is filled column by column, the first ones being longer.
        if sum(max(part) for part in np.array_split(sizes, columns)) <= width:
            return columns
    return 1
