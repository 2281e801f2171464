"""The style that all figures share: sizes in millimetres, colours, line styles and rc settings.

Figures are built without pyplot and with fixed settings: matplotlib's defaults and the few below,
so that neither a user's matplotlibrc nor an earlier plot changes a byte. Matplotlib is imported
when the first figure is drawn, so that the kinds of figure can be listed without it.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
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
POINT = 25.4 / 72
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
GREY = "#666666"
PALE_BLUE = "#A6CBE3"
SHADE = "#FBE9E0"
"""What lies below the nominal coverage."""

NOMINAL_LINE: dict[str, Any] = {"color": BLACK, "linestyle": (0, (4, 2)), "linewidth": 0.6}
"""The look of the line at a nominal value."""

CURVE_COLOURS = (BLUE, VERMILION, GREEN, BLACK, PURPLE, ORANGE, SKY)
# Tol's muted colours, which the same kinds of vision can distinguish from each other.
LATER_COLOURS = ("#332288", "#882255", "#117733", "#661100", "#AA4499", "#999933", "#6699CC")
CURVE_DASHES: tuple[Any, ...] = ("-", (0, (4, 1.5)), (0, (1, 1)), (0, (5, 1, 1, 1)))
# Seven colours and four line styles have no common factor: 28 curves before one repeats.

MARKS = ("o", "s", "^", "D", "v", "P", "X", "<", ">")
# Nine marks and four line styles have no common factor: 36 methods before two look alike in grey.
USER_MARKS = ("*", "p", "d", "H", "8")
"""The marks of methods that are not in the catalogue."""
USER_DASHES: tuple[Any, ...] = ((0, (7, 1)), (0, (3, 1, 1, 1, 1, 1)), (0, (2, 0.7)))

# The place of a name decides its style: the place modulo 7 its colour, modulo 9 its mark, modulo 4
# its dashes. After 63 places come the later colours, so that no two names have one colour and one
# mark. A new name goes to the end and no name is moved, so that a method looks the same in
# every figure of every version. Names that are often compared have different colours. A "-" is
# a place that would look like another method of the family without its colour.
_ORDER = """
wilson wald clopper_pearson minimal_length agresti_coull jeffreys balanced_tail
agresti_min newcombe_cc rindskopf feldman_cousins baptista_pike mover_clopper_pearson
wald_cc_fagerland agresti_min_exact wald_log student_t bootstrap_t balanced_width cluster_bootstrap
wald_t mid_p cloglog cornfield tango chebyshev add_four hoeffding
score_cc one_sided sqrt rao_scott logit agresti_caffo hypergeometric_wang
agresti_smoothed gart exact_conditional byar saha_wilson gart_nam cluster_t
z_population walter exact_union baptista_pike_mid_p rss_normal newcombe_uncorrected bonett_price
santner_snell mantel_haenszel katz second_order scas koopman probit
mover_wilson z_sample fagan hypergeometric_exact blaker garwood miettinen_nurminen
wald_log_half chan_zhang cluster_wald wald_cc bootstrap_percentile mover_jeffreys scas_cc
mee sterne newcombe tang price_bonett sato score
tango_corrected saha_scas arcsine likelihood_ratio mover_score woolf jeffreys_minimal_length
jeffreys_equal_tailed wilson_modified wilson_cc jeffreys_modified
delta_atanh delong delong_logit hanley_mcneil - - - delta - - - - delta_logit
- - - - - korn_graubard cluster_logit - effective_wilson - - - - - - -
- - - - - - - - - - cluster_z cr2 wild_bootstrap_t - - - - - - mle_order
- - - gaffke betting - beta_binomial empirical_bernstein
labels_only post_stratified - - - ppi ppi_plus
lang_reiczigel rogan_gladen_delta posterior profile_likelihood lang_reiczigel_modified
"""
_WITHOUT_N = {
    "beta_binomial_mixture": 3,
    "stagewise": 4,
    "bonferroni_looks": 6,
    "stagewise_mid_p": 1,
}
"""The places of methods for trials that may end early, which share a mark of their own."""
_PLACES = {name: place for place, name in enumerate(_ORDER.split()) if name != "-"}

DIVERGING = "RdBu"
"""The colour map of errors: red below zero, white at zero, blue above; safe for red-green
blindness."""

SEQUENTIAL = "Blues"
"""The colour map of values that cannot be negative: white at zero."""

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
    "figure.labelsize": TEXT,
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
    "text.hinting": "none",  # widths of texts do not depend on the resolution
    "text.parse_math": False,  # a dollar sign in a label is a dollar sign
    "svg.fonttype": "path",
    "svg.hashsalt": "harness",
    "pdf.fonttype": 42,
}


@dataclass(frozen=True)
class PageSettings:
    """What the options of a figure change of its page."""

    width_factor: float = 1.0
    """The width that is asked for over the one that the kind of figure would have."""
    height: float | None = None
    """The height in mm that is asked for."""
    font_factor: float = 1.0
    """The size of labels over ``TEXT``."""
    colours: Mapping[str, str] = field(default_factory=dict)
    """The colours of methods that are asked for, by their labels."""


_USUAL = PageSettings()
_page: ContextVar[PageSettings] = ContextVar("_page", default=_USUAL)


@contextmanager
def page_settings(changed: PageSettings) -> Iterator[None]:
    """Build figures of another size than the kind of figure would have."""
    token = _page.set(changed)
    try:
        yield
    finally:
        _page.reset(token)


def font_factor() -> float:
    """The size of labels that is asked for over ``TEXT``."""
    return _page.get().font_factor


def width_of(usual: float) -> float:
    """The width in mm of a figure or a part of it that would usually have this one."""
    return usual * _page.get().width_factor


@contextmanager
def drawing_settings(
    user: Mapping[str, str] | None = None, font_size: float | None = None, dpi: int | None = None
) -> Iterator[None]:
    """Set the rc settings under which every figure is built and saved.

    Args:
        user: settings of the user's style file, which go before those of this module.
        font_size: size of labels in points, which goes before that of the style file.
        dpi: dots per inch, likewise.
    """
    import matplotlib

    defaults = matplotlib.rcParamsDefault
    settings: dict[Any, Any] = {
        key: defaults[key] for key in defaults if key not in _RUNTIME_SETTINGS
    }
    settings |= _SETTINGS
    size = font_size or number_of(user or {}, "font.size")
    if size is not None:
        settings |= {key: value * size / TEXT for key, value in _SETTINGS.items() if _is_size(key)}
    settings |= {key: value for key, value in (user or {}).items() if key not in _RUNTIME_SETTINGS}
    if font_size is not None:
        settings |= {key: _SETTINGS[key] * size / TEXT for key in _SETTINGS if _is_size(key)}
    if dpi is not None:
        settings["figure.dpi"] = dpi
    # Each figure is laid out once, before it is saved, whatever a style file says.
    settings |= {"figure.autolayout": False, "figure.constrained_layout.use": False}
    with matplotlib.rc_context(settings):
        yield


def _is_size(key: str) -> bool:
    """Whether a setting is the size of a text."""
    return key.endswith(("font.size", "labelsize", "titlesize", "fontsize"))


def number_of(settings: Mapping[str, str], key: str) -> float | None:
    """The number of a setting, or None where there is none."""
    try:
        return float(settings[key])
    except (KeyError, ValueError):
        return None


def new_figure(width: float, height: float, *, constrained: bool = True) -> Figure:
    """Return an empty figure of ``width`` × ``height`` mm, unless another size is asked for."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    from harness.figures.look.page_figure import PageFigure

    page = _page.get()
    size = (width_of(width), height if page.height is None else page.height)
    figure = PageFigure(
        figsize=(size[0] / 25.4, size[1] / 25.4),
        layout=ConstrainedLayoutEngine(w_pad=0.03, h_pad=0.03) if constrained else None,
    )
    FigureCanvasAgg(figure)
    return figure


def curve_figure(
    names: Sequence[str],
    heading: str,
    height: float,
    heading_lines: int = 0,
    width: float = COLUMN,
) -> tuple[Figure, dict[str, Any]]:
    """Return an empty figure with room for a legend of curves above its panels.

    Args:
        names: the wrapped names of the curves.
        heading: the wrapped heading of the legend.
        height: the height in mm, without the names of the legend.
        heading_lines: the lines of the heading for which ``height`` has no room.
        width: the width in mm.

    Returns:
        The figure and the arguments of the legend.
    """
    columns = legend_columns(names, width)
    lines = sum(1 + name.count("\n") for name in names) / columns + heading_lines
    figure = new_figure(width, height + line_height() * math.ceil(lines))
    return figure, legend_above(columns, heading)


def dots(colour: str, mark: str, size: float) -> dict[str, Any]:
    """The arguments of ``plot`` for marks without edges, which no line joins."""
    look: dict[str, Any] = {"color": colour, "marker": mark, "markersize": size}
    return look | {"markeredgewidth": 0, "linestyle": "none"}


def line_height() -> float:
    """The height of a line of a legend, in mm."""
    return 3.2 * font_factor()


def legend_above(columns: int, heading: str | None = None) -> dict[str, Any]:
    """Return the arguments of a legend above all panels, its wrapped heading on the left."""
    place: dict[str, Any] = {"loc": "outside upper left", "ncols": columns}
    return place if heading is None else place | {"title": heading, "alignment": "left"}


def add_legend(
    figure: Figure,
    entries: tuple[Iterable[Any], Iterable[str]],
    width: float,
    heading: str = "",
) -> None:
    """Write a legend above all panels of a figure, in as many columns as its width has room for.

    The entries are handles and their names, as ``get_legend_handles_labels`` returns them.
    """
    handles, names = list(entries[0]), list(entries[1])
    above = legend_above(legend_columns(names, width), wrap(heading, width) or None)
    figure.legend(handles, names, **above)


@dataclass(frozen=True)
class Look:
    """The colour, the mark and the dashes of a method."""

    colour: str
    mark: str
    dashes: Any
    """A line style of matplotlib."""
    phase: float
    """Where the first mark of a long line stands, from 0 to 1 of the distance of two marks."""

    @property
    def line(self) -> dict[str, Any]:
        """The arguments of ``plot`` for a line without marks."""
        return {"color": self.colour, "linestyle": self.dashes}

    @property
    def marked_line(self) -> dict[str, Any]:
        """The arguments of ``plot`` for a long line with a few marks, which keep methods apart in
        grey."""
        return self.line | self.points() | {"markevery": (0.2 * self.phase, 0.2)}

    def points(self, *, filled: bool = True) -> dict[str, Any]:
        """The arguments of ``plot`` for marks, filled or white inside."""
        size = {"*": 4.2, "p": 3.2, "H": 3.2, "P": 3.2, "X": 3.2}.get(self.mark, 2.6)
        return {
            "color": self.colour,
            "marker": self.mark,
            "markersize": size,
            "markeredgewidth": 0.0 if filled else 0.6,
            "markerfacecolor": self.colour if filled else "white",
        }


def style_of(method: str, others: Iterable[str] = ()) -> Look:
    """Return the look of a method, which is the same in every figure.

    A method of the catalogue has a fixed look in every family. Any other label has a look that its
    letters decide, with marks and dashes that no method of the catalogue has.

    Args:
        method: the label of the method.
        others: the labels of the experiment, which may hold ``method``. Where the letters of two
            labels lead to the same look, the one that is later in the alphabet takes the next.
    """
    if method in _WITHOUT_N:
        place, mark = _WITHOUT_N[method], "h"
        dashes = CURVE_DASHES[place % len(CURVE_DASHES)]
    elif method in _PLACES:
        place = _PLACES[method]
        mark, dashes = MARKS[place % len(MARKS)], CURVE_DASHES[place % len(CURVE_DASHES)]
    else:
        count = len(CURVE_COLOURS) * len(USER_MARKS) * len(USER_DASHES)
        taken: set[int] = set()
        place = 0
        for label in sorted({method, *others} - _PLACES.keys() - _WITHOUT_N.keys()):
            place = int.from_bytes(blake2b(label.encode(), digest_size=8).digest()) % count
            while place in taken and len(taken) < count:
                place = (place + 1) % count
            taken.add(place)
            if label == method:
                break
        mark, dashes = USER_MARKS[place % len(USER_MARKS)], USER_DASHES[place % len(USER_DASHES)]
    phase = (place * 5 % 13) / 13
    is_later = method in _PLACES and place >= len(CURVE_COLOURS) * len(MARKS)
    colours = LATER_COLOURS if is_later else CURVE_COLOURS
    colour = _page.get().colours.get(method, colours[place % len(colours)])
    return Look(colour, mark, dashes, phase)


def curve_style(index: int) -> dict[str, Any]:
    """Return the colour and the line style of a curve by its place among all curves."""
    return {
        "color": CURVE_COLOURS[index % len(CURVE_COLOURS)],
        "linestyle": CURVE_DASHES[index % len(CURVE_DASHES)],
    }


_NO_BREAK = "\N{NO-BREAK SPACE}"


def wrap(text: str, width: float) -> str:
    """Break a text into lines that fit into ``width`` mm at the size of labels.

    An equation stays on one line, as does a number with its per cent sign.
    """
    letters = max(8, int(width_of(width) / (0.58 * TEXT * font_factor() * POINT)))
    held = text.replace(" = ", f"{_NO_BREAK}={_NO_BREAK}").replace(" %", f"{_NO_BREAK}%")
    return "\n".join(textwrap.wrap(held, letters)).replace(_NO_BREAK, " ")


def shorten(label: str, most: int = 24) -> str:
    """Cut a label that stands where there is no room to wrap it, at the end of a word if it has."""
    if len(label) <= most:
        return label
    cut = label[: most - 1]
    word = cut.rpartition(" ")[0].rstrip(",")
    return (word if len(word) > most // 2 else cut) + "…"


def legend_columns(names: Sequence[str], width: float) -> int:
    """Return how many columns of a legend with these names fit into ``width`` mm."""
    letters = [max(map(len, name.split("\n"))) for name in names]
    sizes = [(0.57 * count + 4.2) * SMALL * font_factor() * POINT for count in letters]
    for columns in range(len(names), 1, -1):
        # A legend is filled column by column, the first ones being longer.
        if sum(max(part) for part in np.array_split(sizes, columns)) <= width_of(width):
            return columns
    return 1
