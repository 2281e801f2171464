"""The looks all figures share: sizes in millimetres, colours, line styles and rc settings.

Figures are built without pyplot, on settings of their own: matplotlib's shipped defaults and the
few below, so that neither a user's matplotlibrc nor a plot made before changes a byte.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import matplotlib
import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

COLUMN = 85.0
"""Width of a journal's column, in mm."""
PAGE = 175.0
"""Width of a journal's page of two columns, in mm."""
DPI = 300
TEXT = 7.0
"""Size of labels and legends, in points."""
SMALL = 6.5
"""Size of tick labels and notes, in points; nothing is printed under 6."""

# Okabe & Ito (2008), colours told apart by all kinds of colour vision. Their yellow is left out:
# it does not stand out from white paper.
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
"""Red below zero, blue above, white at it; safe for red-green blindness."""

# What decides how matplotlib runs rather than how a picture looks. Reading "backend" from the
# defaults would even import pyplot.
_NOT_LOOKS = frozenset({"backend", "backend_fallback", "interactive", "toolbar", "timezone"})

_LOOKS: dict[str, Any] = {
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
def looks() -> Iterator[None]:
    """Settings under which every figure is built and saved."""
    defaults = matplotlib.rcParamsDefault
    settings: dict[Any, Any] = {key: defaults[key] for key in defaults if key not in _NOT_LOOKS}
    with matplotlib.rc_context(settings | _LOOKS):
        yield


def new_figure(width: float, height: float, *, constrained: bool = True) -> Figure:
    """An empty figure of `width` × `height` mm."""
    figure = Figure(
        figsize=(width / 25.4, height / 25.4),
        layout=ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03) if constrained else None,
    )
    FigureCanvasAgg(figure)
    return figure


def settle(figure: Figure) -> None:
    """Lay the figure out once and keep it so, whatever formats it is saved in and in what order."""
    figure.draw_without_rendering()
    figure.set_layout_engine("none")


_NO_BREAK = "\N{NO-BREAK SPACE}"


def wrapped(text: str, width: float) -> str:
    """`text` broken into lines that fit into `width` mm at the size of labels.

    An equation and a number with its per cent sign stay on one line.
    """
    letters = max(8, int(width / (0.58 * TEXT * 25.4 / 72)))
    held = text.replace(" = ", f"{_NO_BREAK}={_NO_BREAK}").replace(" %", f"{_NO_BREAK}%")
    return "\n".join(textwrap.wrap(held, letters)).replace(_NO_BREAK, " ")


def short(label: str) -> str:
    """A label for where there is no room to wrap it."""
    return label if len(label) <= 24 else label[:23] + "…"


def legend_columns(names: list[str], width: float) -> int:
    """How many columns of a legend with these names fit into `width` mm."""
    point = 25.4 / 72
    letters = [max(map(len, name.split("\n"))) for name in names]
    sizes = [(0.57 * count + 4.2) * SMALL * point for count in letters]
    for columns in range(len(names), 1, -1):
        # A legend is filled column by column, the first ones being longer.
        if sum(max(part) for part in np.array_split(sizes, columns)) <= width:
            return columns
    return 1
