"""A drawing, and the file name it goes by."""

from __future__ import annotations

import re
from dataclasses import dataclass

from matplotlib.figure import Figure

LONGEST = 80
"""Letters of a label in a file name; file systems end at 255 for the whole."""


@dataclass(frozen=True)
class Drawing:
    """One figure, not yet written."""

    stem: str
    """File name without its ending."""
    figure: Figure


def stem(*parts: str) -> str:
    """A file name from parts; what may trouble a file system becomes an underscore."""
    return "-".join(re.sub(r"[^A-Za-z0-9._]+", "_", part)[:LONGEST] for part in parts)
