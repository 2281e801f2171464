"""The figures that a notebook shows.

The class stands by itself, as this module loads matplotlib, and the style is to be loaded without.
"""

from __future__ import annotations

from io import BytesIO

from matplotlib.figure import Figure

_PIXELS_PER_INCH = 150


class PageFigure(Figure):
    """A figure that a notebook shows, also where pyplot is not loaded."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        """The figure as PNG, with the width in pixels at which it is shown."""
        file = BytesIO()
        self.savefig(file, format="png")
        return file.getvalue(), {"width": round(self.get_figwidth() * _PIXELS_PER_INCH)}
