"""Drawing figures from tables, and finding what was drawn by the name it was given."""

from __future__ import annotations

from typing import Any

import polars as pl
from matplotlib.artist import Artist
from matplotlib.figure import Figure

from harness.figures.draw import drawings
from harness.figures.kind import Drawing
from tests.figures.tables import FakeResults, Spec


def draw(cells: pl.DataFrame, kind: str, **options: Any) -> list[Drawing]:
    """The drawings of these cells."""
    return drawings(FakeResults(cells), [Spec(kind, options)])


def draw_one(cells: pl.DataFrame, kind: str, **options: Any) -> Figure:
    """The only figure of these cells."""
    (drawing,) = draw(cells, kind, **options)
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
