"""The results of a run: in memory, and in files that are read back unchanged."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from harness.base.arguments import validate_path
from harness.base.errors import InputError
from harness.tables.answers import near_nominal, ranking, recommendation
from harness.tables.columns import (
    CELLS,
    NEAR_NOMINAL,
    RANKING,
    RECOMMENDATION,
    SUMMARY,
    ColumnRecord,
    columns_of_run,
)
from harness.tables.commit import settle
from harness.tables.dictionary import dictionary, parquet_metadata, records_in
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


@dataclass(frozen=True)
class Results:
    """The two tables and the manifest of a run."""

    cells: pl.DataFrame
    """A row per method × alpha × size × engine × condition."""
    summary: pl.DataFrame
    """A row per method × alpha × size × engine."""
    manifest: Mapping[str, Any]
    """Seed, content hash, versions, trials, and how the engines agree."""
    path: Path | None = None
    """The folder that holds the results; None if they are not written."""

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
        return dictionary(self.tables, *_kind_of(self.manifest))


def _kind_of(manifest: Mapping[str, Any]) -> tuple[str, bool]:
    """The family of a run, and whether it is a calibration."""
    experiment = manifest["experiment"]
    return str(experiment["family"]), experiment.get("kind") == "calibration"


def column_records(results: Results, table: str) -> dict[str, ColumnRecord]:
    """What is said of the columns of a table by their names; nothing of those of columns.csv."""
    return records_in(table, *_kind_of(results.manifest))


_ROW_GROUP = 1 << 17


def write_tables(results: Results, folder: Path) -> None:
    """Write tables and manifest to a folder; the same results give the same bytes.

    The manifest lists the tables with their digests, under ``files``.

    Raises:
        OSError: a file cannot be written.
    """
    tables = results.tables
    described = dictionary(tables, *_kind_of(results.manifest))
    with _disk_errors():
        tables[CELLS].rechunk().write_parquet(
            folder / CELLS_FILE,
            compression="zstd",
            compression_level=3,
            statistics=False,
            row_group_size=_ROW_GROUP,
            metadata=parquet_metadata(described, CELLS),
        )
        for name, table in tables.items():
            if name != CELLS:
                table.write_csv(folder / f"{name}.csv")
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
    """Read the results of a run from its folder.

    Args:
        path: the folder that ``run`` wrote, ``results/<name>``.

    Returns:
        The results as they were when they were written.

    Raises:
        InputError: the folder or one of its files is missing, cannot be read, or was changed
            after the run.

    Example:
        >>> import tempfile, harness
        >>> config = {
        ...     "name": "wald_at_ten",
        ...     "family": "proportion",
        ...     "n": 10,
        ...     "methods": ["wald"],
        ...     "truth": {"values": [0.5]},
        ...     "engines": ["enumeration"],
        ... }
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     written = harness.run(config, out=folder)
        ...     read = harness.load(written.path)
        >>> read.summary.equals(written.summary)
        True
    """
    return _load(path, (CELLS_FILE, SUMMARY_FILE, MANIFEST_FILE))


def load_tables(path: str | Path) -> Results:
    """Read the results of a run, without its cells where ``cells.parquet`` is not there.

    The table of cells then has no rows.

    Args and raises: as of ``load``.
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
        summary = pl.read_csv(place / SUMMARY_FILE, schema=known[SUMMARY], glob=False)
    except (pl.exceptions.PolarsError, ValueError, OSError) as fault:
        raise InputError(f"{folder}: the results cannot be read: {fault}") from None
    if dict(cells.schema) != known[CELLS]:
        raise InputError(f"{folder / CELLS_FILE} has other columns than a table of cells")
    content = {key: value for key, value in manifest.items() if key != FILES_KEY}
    return Results(cells, summary, content, folder)
