"""The results of a run, read back from its folder unchanged."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from harness.base.arguments import validate_path
from harness.base.errors import InputError
from harness.kinds.catalogue import kind_of_config
from harness.runner.commit import settle
from harness.runner.storage import (
    CELLS_FILE,
    FILES_KEY,
    MANIFEST_FILE,
    READY_FOLDER,
    SUMMARY_FILE,
    is_result,
    is_unfinished,
    read_manifest,
    refuse_changed,
)
from harness.tables.answers import LEAST_LENGTHS
from harness.tables.columns import CELLS, SUMMARY, Columns, columns_of_run
from harness.tables.results import Results

_LATER_COLUMNS = ("mean_length_std_error", "length_std_error", *LEAST_LENGTHS)
"""Columns that results of former versions do not have."""


_WORDS = {SUMMARY: "a summary", CELLS: "a table of cells"}


def load(path: str | Path, with_cells: bool = True) -> Results:
    """Read the results of a run from its folder, as ``harness.load`` does.

    Args:
        path: of the folder.
        with_cells: whether it has to have ``cells.parquet``; the table of cells has no rows where
            that file is not there.
    """
    folder = validate_path("path", path, "the path of a folder of results")
    if not is_result(folder) and not (folder / READY_FOLDER).exists():
        return _read(folder, with_cells)
    settle(folder)
    before = _identity(folder)
    try:
        return _read(folder, with_cells)
    except InputError:
        # A run may have moved a new result to its place in the meantime.
        if not settle(folder) and _identity(folder) == before:
            raise
        return _read(folder, with_cells)


def _identity(folder: Path) -> tuple[int, int] | None:
    """What a new manifest does not share with the former one."""
    try:
        status = (folder / MANIFEST_FILE).stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns


def _read(folder: Path, with_cells: bool) -> Results:
    manifest = read_manifest(folder) if (folder / MANIFEST_FILE).is_file() else {}
    by_table = columns_of_run(manifest) or {CELLS: {}, SUMMARY: {}}
    cells = (CELLS_FILE,) if with_cells and CELLS in by_table else ()
    needed = (*cells, SUMMARY_FILE, MANIFEST_FILE)
    missing = [name for name in needed if not (folder / name).is_file()]
    if missing and is_unfinished(folder):
        raise InputError(
            f"{folder} holds no results yet: its run has not finished, and goes on when its config "
            "is run again"
        )
    if missing:
        raise InputError(f"{folder} holds no results: {', '.join(missing)} missing")
    try:
        refuse_changed(folder, manifest)
        tables = {name: _table(folder, name, columns) for name, columns in by_table.items()}
    except (pl.exceptions.PolarsError, ValueError, OSError) as fault:
        raise InputError(f"{folder}: the results cannot be read: {fault}") from None
    content = {key: value for key, value in manifest.items() if key != FILES_KEY}
    return kind_of_config(content["experiment"]).results(tables, content, folder)


def _table(folder: Path, name: str, columns: Columns) -> pl.DataFrame:
    """A table of a folder; without rows where there is no file of it."""
    # A folder's name may have brackets and a tilde in it, which Polars would expand.
    csv, parquet = ((folder / f"{name}.{end}").absolute() for end in ("csv", "parquet"))
    if csv.is_file():
        table = pl.read_csv(csv, schema_overrides=columns, glob=False)
    elif parquet.is_file():
        table = pl.read_parquet(parquet, glob=False)
    else:
        return pl.DataFrame(schema=columns)
    later = [name for name in _LATER_COLUMNS if name in columns and name not in table.columns]
    if later:
        # Results of former versions lack these columns; they are empty, in their places.
        empty = (pl.lit(None, columns[name]).alias(name) for name in later)
        there = {*table.columns, *later}
        others = [name for name in table.columns if name not in columns]
        named = (name for name in columns if name in there)
        table = table.with_columns(*empty).select(*named, *others)
    if dict(table.schema) != columns:
        file = csv.name if csv.is_file() else parquet.name
        what = _WORDS.get(name, f"a table of {name}")
        raise InputError(f"{folder / file} has other columns than {what}")
    return table
