"""The results of a run: in memory, and in files that are read back unchanged."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import polars as pl

from harness.base.arguments import validate_path
from harness.base.errors import InputError
from harness.base.frames import Library, data_frame
from harness.designs.simulation import SIMULATION
from harness.tables.answers import LEAST_LENGTHS, near_nominal, ranking, recommendation
from harness.tables.columns import (
    CELLS,
    DIFFERENCES,
    NEAR_NOMINAL,
    RANKING,
    RECOMMENDATION,
    REPLICATES,
    SUMMARY,
    columns_of_run,
)
from harness.tables.commit import settle
from harness.tables.dictionary import dictionary, parquet_metadata
from harness.tables.storage import (
    CELLS_FILE,
    COLUMNS_FILE,
    FILES_KEY,
    MANIFEST_FILE,
    READY_FOLDER,
    SUMMARY_FILE,
    is_result,
    is_unfinished,
    read_manifest,
    refuse_changed,
    write_manifest,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure


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
        return ranking(self.summary)

    @property
    def recommendation(self) -> pl.DataFrame | None:
        """Which two-sided method to take at each alpha and size; None if they are not compared."""
        return recommendation(self.summary)

    @property
    def near_nominal(self) -> pl.DataFrame | None:
        """From which size on coverage is near nominal; None for families with a worst case."""
        return near_nominal(self.cells)

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables that the results have, by the names of their files without the ending."""
        found = {
            SUMMARY: self.summary,
            CELLS: self.cells,
            RANKING: self.ranking,
            RECOMMENDATION: self.recommendation,
            NEAR_NOMINAL: self.near_nominal,
        }
        return {name: table for name, table in found.items() if table is not None}

    @property
    def dictionary(self) -> pl.DataFrame:
        """A row per column of the tables: ``table, column, type, unit, meaning``."""
        return dictionary(self.tables, self.manifest["experiment"])


@dataclass(frozen=True)
class SimulationResults(Results):
    """The tables and the manifest of a simulation study.

    ``cells`` has a row per scenario × trial × method, and no row unless replicates are kept;
    ``summary`` has one per scenario × method × measure.
    """

    differences: pl.DataFrame = field(default_factory=pl.DataFrame)
    """A row per scenario × method × measure: the method minus the reference."""
    calls: Mapping[str, Any] = field(default_factory=dict, compare=False)
    """Of the calls of this run, not of those that were recorded: their number and their seconds."""
    redraw: Callable[[Any, int, int], Any] | None = field(default=None, compare=False)
    """Draws the data of a scenario and a trial again."""

    @property
    def tables(self) -> dict[str, pl.DataFrame]:
        """The tables of the study, by the names of their files without the ending."""
        found = {SUMMARY: self.summary, DIFFERENCES: self.differences, REPLICATES: self.cells}
        return {name: table for name, table in found.items() if table.height or name == SUMMARY}

    @property
    def ranking(self) -> None:
        """None: the methods of a study are not ranked."""

    @property
    def recommendation(self) -> None:
        """None: no method of a study is recommended."""

    @property
    def near_nominal(self) -> None:
        """None: a study has no sizes."""

    def data(self, scenario: int, trial: int) -> Any:
        """Draw the data of one trial again, as the model returned them.

        The model is called in this process.

        Args:
            scenario: the number of the scenario, from 1 on.
            trial: the number of the trial, from 1 on.

        Returns:
            What the model returns; of a study in batches the part of this trial.

        Raises:
            InputError: there is no such scenario, the results are not written, or the model
                cannot be loaded.
        """
        if self.redraw is None:
            raise InputError("data: harness.load reads results whose trials are drawn again")
        return self.redraw(self, scenario, trial)


_LATER_COLUMNS = ("mean_length_std_error", "length_std_error", *LEAST_LENGTHS)
"""Columns that results of former versions do not have."""

_ROW_GROUP = 1 << 17


def write_tables(results: Results, folder: Path) -> None:
    """Write tables and manifest to a folder; the same results give the same bytes.

    The manifest lists the tables with their digests, under ``files``.

    Raises:
        OSError: a file cannot be written.
    """
    described = results.dictionary
    with _disk_errors():
        for name, table in results.tables.items():
            if name not in (CELLS, REPLICATES):
                table.write_csv(folder / f"{name}.csv")
                continue
            table.rechunk().write_parquet(
                folder / f"{name}.parquet",
                compression="zstd",
                compression_level=3,
                statistics=False,
                row_group_size=_ROW_GROUP,
                metadata=parquet_metadata(described, name),
            )
        described.write_csv(folder / COLUMNS_FILE)
    write_manifest(folder, results.manifest)


@contextmanager
def _disk_errors() -> Iterator[None]:
    """Raise what polars says of the disk as the OSError that it was."""
    try:
        yield
    except (pl.exceptions.PolarsError, OSError) as fault:
        number = re.search(r"\(os error (\d+)\)", str(fault))
        if number is None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1]))) from None


def load(path: str | Path) -> Results:
    """Read the results of a run from its folder, as ``harness.load`` does."""
    return _load(path, (CELLS_FILE, SUMMARY_FILE, MANIFEST_FILE))


def load_tables(path: str | Path) -> Results:
    """Read the results of a run, without its cells where ``cells.parquet`` is not there.

    The table of cells then has no rows.

    Args and raises: as of ``harness.load``.
    """
    return _load(path, (SUMMARY_FILE, MANIFEST_FILE))


def _load(path: str | Path, needed: Sequence[str]) -> Results:
    folder = validate_path("path", path, "the path of a folder of results")
    if not is_result(folder) and not (folder / READY_FOLDER).exists():
        return _read(folder, needed)
    settle(folder)
    before = _identity(folder)
    try:
        return _read(folder, needed)
    except InputError:
        # A run may have moved a new result to its place in the meantime.
        if not settle(folder) and _identity(folder) == before:
            raise
        return _read(folder, needed)


def _identity(folder: Path) -> tuple[int, int] | None:
    """What a new manifest does not share with the former one."""
    try:
        found = (folder / MANIFEST_FILE).stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns


def _read(folder: Path, needed: Sequence[str]) -> Results:
    if (folder / MANIFEST_FILE).is_file():
        manifest = read_manifest(folder)
        if manifest["experiment"].get("kind") == SIMULATION:
            return _read_simulation(folder, manifest)
    missing = [name for name in needed if not (folder / name).is_file()]
    if missing and is_unfinished(folder):
        raise InputError(
            f"{folder} holds no results yet: its run has not finished, and goes on when its config "
            "is run again"
        )
    if missing:
        raise InputError(f"{folder} holds no results: {', '.join(missing)} missing")
    manifest = read_manifest(folder)
    known = columns_of_run(manifest)
    if known is None:
        raise InputError(f"{folder / MANIFEST_FILE} is not the manifest of a run")
    try:
        refuse_changed(folder, manifest)
        # A folder's name may have brackets and a tilde in it, which Polars would expand.
        place = folder.absolute()
        has_cells = CELLS_FILE in needed or (place / CELLS_FILE).is_file()
        empty = pl.DataFrame(schema=known[CELLS])
        cells = pl.read_parquet(place / CELLS_FILE, glob=False) if has_cells else empty
        cells = _with_later_columns(cells, known[CELLS])
        types = known[SUMMARY]
        summary = pl.read_csv(place / SUMMARY_FILE, schema_overrides=types, glob=False)
        summary = _with_later_columns(summary, types)
        if dict(summary.schema) != types:
            raise InputError(f"{folder / SUMMARY_FILE} has other columns than a summary")
    except (pl.exceptions.PolarsError, ValueError, OSError) as fault:
        raise InputError(f"{folder}: the results cannot be read: {fault}") from None
    if dict(cells.schema) != known[CELLS]:
        raise InputError(f"{folder / CELLS_FILE} has other columns than a table of cells")
    content = {key: value for key, value in manifest.items() if key != FILES_KEY}
    return Results(cells, summary, content, folder)


def _with_later_columns(table: pl.DataFrame, known: Mapping[str, Any]) -> pl.DataFrame:
    """A table with the columns that results of former versions lack, empty, in their places."""
    later = [name for name in _LATER_COLUMNS if name in known and name not in table.columns]
    if not later:
        return table
    empty = (pl.lit(None, known[name]).alias(name) for name in later)
    there = {*table.columns, *later}
    others = [name for name in table.columns if name not in known]
    return table.with_columns(*empty).select(*(name for name in known if name in there), *others)


def _read_simulation(folder: Path, manifest: Mapping[str, Any]) -> SimulationResults:
    known = columns_of_run(manifest)
    assert known is not None
    found = {}
    try:
        refuse_changed(folder, manifest)
        for name, columns in known.items():
            csv, parquet = ((folder / f"{name}.{end}").absolute() for end in ("csv", "parquet"))
            if csv.is_file():
                found[name] = pl.read_csv(csv, schema=columns, glob=False)
            elif parquet.is_file():
                found[name] = pl.read_parquet(parquet, glob=False)
            else:
                found[name] = pl.DataFrame(schema=columns)
    except (pl.exceptions.PolarsError, ValueError, OSError) as fault:
        raise InputError(f"{folder}: the results cannot be read: {fault}") from None
    if found[SUMMARY].is_empty():
        raise InputError(f"{folder} holds no results: {SUMMARY_FILE} missing")
    content = {key: value for key, value in manifest.items() if key != FILES_KEY}
    return SimulationResults(
        found[REPLICATES], found[SUMMARY], content, folder, differences=found[DIFFERENCES]
    )
