"""What a run leaves, in memory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from harness.tables.ranking import ranking


@dataclass(frozen=True)
class Results:
    """Two tables and the manifest of a run."""

    cells: pl.DataFrame
    """A row per method × alpha × size × engine × condition."""
    summary: pl.DataFrame
    """A row per method × alpha × size × engine."""
    manifest: Mapping[str, Any]
    """Seed, content hash, versions, trials, and how the engines agree."""
    path: Path | None = None
    """The folder the results stand in."""

    @property
    def ranking(self) -> pl.DataFrame | None:
        """The two-sided methods from best to worst at each alpha; None where they are not."""
        return ranking(self.summary)
