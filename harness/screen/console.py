"""The console of tables and progress bars."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from harness.base.text import printable


class PrintableConsole(Console):
    """A console that prints its own escape codes and those of no text.

    Texts are made printable before they are measured, by ``escape_markup``; here none is left out.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the segments of something to be printed."""
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(printable(segment.text), segment.style)
