"""The results of a run: in memory, and in files that are read back unchanged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol

import polars as pl

from harness.base.errors import InputError
from harness.base.frames import Library, data_frame
from harness.tables.answers import near_nominal, ranking, recommendation
from harness.tables.columns import (
    CELLS,
    NEAR_NOMINAL,
    RANKING,
    RECOMMENDATION,
    SUMMARY,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure
from harness.tables.dictionary import dictionary


class Views(Protocol):
    """What shows results, which is made of modules that read them."""

    def draw(self, results: Any, kind: str | None, options: Mapping[str, Any]) -> dict[str, Figure]:
        """The figures of a kind by their names; without a kind those that the config asks for."""

    def html(self, results: Any) -> str:
        """The summary as a table of HTML."""


@dataclass(frozen=True)
class Results:
    """The two tables and the manifest of a run."""

    cells: pl.DataFrame
    """A row per method × alpha × size × engine × condition."""
    summary: pl.DataFrame
    """A row per method × alpha × size × engine."""
    manifest: Mapping[str, Any] = field(repr=False)
    """Seed, content hash, versions, trials, and how the engines agree."""
    path: Path | None = None
    """The folder that holds the results; None if they are not written."""
    curves: dict[Any, Any] = field(default_factory=dict, compare=False, repr=False, kw_only=True)
    """Exact curves that were computed from the tables, which figures and pages share."""
    views: Views | None = field(default=None, compare=False, repr=False, kw_only=True)
    """What shows the results; None of those that neither ``run`` nor ``load`` has returned."""
    compares: ClassVar[bool] = True
    """Whether methods are compared by their coverage, size by size."""

    def to_frame(self, library: Library = "polars") -> Any:
        """Return ``summary`` as a data frame of "polars", "pandas" or "pyarrow"."""
        return data_frame(self.summary, library)

    def _repr_html_(self) -> str:
        """What most readers want of the summary, as a table."""
        return self._views.html(self)

    @cached_property
    def figures(self) -> Mapping[str, Figure]:
        """The figures that the config asks for, by their names; drawn when first asked for.

        Raises:
            InputError: the results hold no data for a figure.
            FigureError: a figure could not be drawn.
        """
        return self._views.draw(self, None, {})

    def plot(self, kind: str, **options: Any) -> Figure:
        """Draw a figure of the results, which the config need not name.

        Args:
            kind: the kind of figure, such as "coverage_curve".
            **options: its options as in a config, such as ``n=50`` or ``methods=["wilson"]``;
                ``width`` and ``height`` are in mm, ``font_size`` in points.

        Returns:
            A figure of matplotlib, which a notebook shows and ``savefig`` writes.

        Raises:
            ConfigError: there is no such kind or option, or the experiment has no such figure.
            InputError: the results hold no data for it, or it is several figures.
            FigureError: it could not be drawn.

        Example:
            >>> import harness
            >>> config = {
            ...     "name": "two", "family": "proportion", "n": [10, 20], "methods": ["wilson"],
            ...     "truth": {"grid": {"start": 0.1, "stop": 0.9, "count": 9}},
            ...     "engines": ["enumeration"],
            ... }
            >>> figure = harness.run(config, out=None).plot("coverage_curve", n=20)
            >>> round(figure.get_figwidth() * 25.4)
            85
        """
        drawn = self._views.draw(self, kind, options)
        if len(drawn) != 1:
            raise InputError(
                f"{kind} is {len(drawn)} figures of these results ({', '.join(drawn)}): an option "
                "such as n or alpha chooses one"
            )
        return next(iter(drawn.values()))

    @property
    def _views(self) -> Views:
        if self.views is None:
            raise InputError("only results that harness.run or harness.load returns can be shown")
        return self.views

    @property
    def ranking(self) -> pl.DataFrame | None:
        """The two-sided methods from best to worst at each alpha; None if they are not ranked."""
        return ranking(self.summary) if self.compares else None

    @property
    def recommendation(self) -> pl.DataFrame | None:
        """Which two-sided method to take at each alpha and size; None if they are not compared."""
        return recommendation(self.summary) if self.compares else None

    @property
    def near_nominal(self) -> pl.DataFrame | None:
        """From which size on coverage is near nominal; None for families with a worst case."""
        return near_nominal(self.cells) if self.compares else None

    @cached_property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables that the results have, by the names of their files without the ending."""
        tables = {
            SUMMARY: self.summary,
            CELLS: self.cells,
            RANKING: self.ranking,
            RECOMMENDATION: self.recommendation,
            NEAR_NOMINAL: self.near_nominal,
        }
        return {name: table for name, table in tables.items() if table is not None}

    @property
    def dictionary(self) -> pl.DataFrame:
        """A row per column of the tables: ``table, column, type, unit, meaning``."""
        return dictionary(self.tables, self.manifest["experiment"])
