"""What a reader could stumble over in a figure: texts that overlap, leave the page or are tiny."""

from dataclasses import dataclass
from itertools import combinations
from typing import Any
from unittest import mock

import numpy as np
import polars as pl
from matplotlib.artist import Artist
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.text import Text
from matplotlib.transforms import Bbox
from numpy.typing import NDArray

from harness.figures.draw import drawings
from harness.figures.kind import Drawing
from harness.figures.look import layout, style
from tests.figures.tables import FakeResults, Spec

SMALLEST = 6.0
"""The smallest text a reader of a printed column is asked to read, in points."""


@dataclass(frozen=True)
class Printed:
    """A text as it was drawn."""

    words: str
    points: float
    box: Bbox
    ink: NDArray[np.bool_] | None
    """Where its pixels are, for a text that is neither level nor upright."""


def printed(figure: Figure) -> list[Printed]:
    """All texts that are really drawn; hidden labels and ticks out of range are not."""
    found: list[Printed] = []
    draw = Text.draw

    def recording(text: Text, renderer: Any, *rest: Any, **named: Any) -> None:
        draw(text, renderer, *rest, **named)
        if text.get_visible() and text.get_text().strip():
            box = text.get_window_extent(renderer)
            points = float(text.get_fontsize())
            found.append(Printed(text.get_text(), points, box, _ink(text, figure, draw)))

    with style.drawing_settings(), mock.patch.object(Text, "draw", recording):
        figure.draw_without_rendering()
    return found


def overlapping(texts: list[Printed]) -> list[tuple[str, str]]:
    """Pairs of texts that share room on the page."""
    return [(one.words, other.words) for one, other in combinations(texts, 2) if _share(one, other)]


def outside(figure: Figure, texts: list[Printed]) -> list[str]:
    """Texts that are cut off by the edge of the page."""
    page = figure.bbox
    return [
        text.words
        for text in texts
        if text.box.x0 < page.x0
        or text.box.y0 < page.y0
        or text.box.x1 > page.x1
        or text.box.y1 > page.y1
    ]


def over_data(figure: Figure) -> list[str]:
    """Legends that lie on an axes, where they could cover data."""
    with style.drawing_settings():
        boxes = [axes.get_window_extent() for axes in figure.axes]
        return [
            legend.get_title().get_text()
            for legend in figure.legends
            if any(legend.get_window_extent().overlaps(box) for box in boxes)
        ]


def _share(one: Printed, other: Printed) -> bool:
    if not one.box.overlaps(other.box):
        return False
    if one.ink is None and other.ink is None:
        return True
    return bool((_area(one, other) & _area(other, one)).any())


def _area(text: Printed, other: Printed) -> NDArray[np.bool_]:
    if text.ink is not None:
        return text.ink
    assert other.ink is not None
    filled = np.zeros_like(other.ink)
    height = len(filled)
    box = text.box
    filled[
        height - int(np.ceil(box.y1)) : height - int(box.y0), int(box.x0) : int(np.ceil(box.x1))
    ] = True
    return filled


def _ink(text: Text, figure: Figure, draw: Any) -> NDArray[np.bool_] | None:
    if text.get_rotation() % 90 == 0:
        return None
    renderer = RendererAgg(int(figure.bbox.width), int(figure.bbox.height), figure.dpi)
    draw(text, renderer)
    return np.asarray(renderer.buffer_rgba())[:, :, 3] > 0


# Drawing figures from tables, and finding what was drawn by the name it was given.


def draw(
    cells: pl.DataFrame, kind: str, *, laid_out: bool = False, **options: Any
) -> list[Drawing]:
    """The drawings of these cells.

    To lay them out takes most of the time, and changes places alone.
    """
    asked = FakeResults(cells), [Spec(kind, options)]
    if laid_out:
        return drawings(*asked)
    with mock.patch.object(layout, "fix_layout"):
        return drawings(*asked)


def draw_one(cells: pl.DataFrame, kind: str, *, laid_out: bool = False, **options: Any) -> Figure:
    """The only figure of these cells."""
    (drawing,) = draw(cells, kind, laid_out=laid_out, **options)
    return drawing.figure


def stems(cells: pl.DataFrame, kind: str, **options: Any) -> list[str]:
    """The file names of the drawings of these cells."""
    return [drawing.stem for drawing in draw(cells, kind, **options)]


def named(figure: Figure, gid: str) -> Any:
    """The only artist of that name."""
    (found,) = all_named(figure, gid)
    return found


def all_named(figure: Figure, gid: str) -> list[Any]:
    """Every artist of that name, in the order in which they were drawn."""

    def match(artist: Artist) -> bool:
        return artist.get_gid() == gid

    return list(figure.findobj(match))


def legend_names(figure: Figure) -> list[str]:
    """The entries of the figure's only legend."""
    (legend,) = figure.legends
    return [text.get_text() for text in legend.get_texts()]


def heading(figure: Figure) -> str:
    """The title of the figure's only legend, on one line."""
    (legend,) = figure.legends
    return " ".join(legend.get_title().get_text().split())
