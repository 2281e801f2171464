"""Finding what was drawn, by the name it was given."""

from __future__ import annotations

from typing import Any

from matplotlib.artist import Artist
from matplotlib.figure import Figure


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
