"""Write the results of a run: config, tables and manifest, all or none, and then figures."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from harness.base.errors import FigureError, FolderInUseError, HarnessError, WriteError
from harness.base.plain_data import dump
from harness.config.form import AnyExperiment
from harness.runner.commit import commit, recover
from harness.runner.folder import RunFolder, writing
from harness.runner.lock import hold
from harness.runner.storage import (
    COLUMNS_FILE,
    CONFIG_FILE,
    FIGURES_FOLDER,
    FILES_KEY,
    RUN_FILE,
    read_manifest,
    write_json,
    write_manifest,
)
from harness.tables.columns import CELLS, REPLICATES
from harness.tables.dictionary import parquet_metadata
from harness.tables.results import Results

if TYPE_CHECKING:
    from harness.figures.kind import FigureSpec

_CHECKOUT = Path(__file__).resolve().parents[2]


def write_results(
    results: Results,
    experiment: AnyExperiment,
    folder: RunFolder,
    seconds: float,
    record: Mapping[str, Any],
) -> Results:
    """Write config, tables and manifest to the folder of the run, without figures.

    A former result is replaced only when the new one is complete. Files that no run wrote, and
    that came into the folder during the run, stay.

    Args:
        results: the tables and the manifest.
        experiment: the experiment that they belong to.
        folder: the folder of the run, as ``open_run_folder`` gives it.
        seconds: how long the run took.
        record: what else run.json has of this run.

    Returns:
        The results with the path of their folder.

    Raises:
        InputError: a file that no run wrote is in the way.
        WriteError: a file cannot be written.
    """

    def fill(new: Path) -> None:
        (new / CONFIG_FILE).write_text(dump(experiment.document), encoding="utf-8")
        write_tables(results, new)
        # All that differs between repeated runs.
        top, head = (_git("rev-parse", what) for what in ("--show-toplevel", "HEAD"))
        is_own_checkout = top is not None and Path(top) == _CHECKOUT
        content = {
            "seconds": round(seconds, 3),
            "jobs": experiment.execution.jobs,
            "backend": experiment.execution.backend,
            "platform": platform.platform(),
            "python": platform.python_version(),
            "commit": head if is_own_checkout else None,
            **record,
        }
        write_json(new / RUN_FILE, content)

    folder.commit(fill)
    return replace(results, path=folder.path)


_ROW_GROUP = 1 << 17


def write_tables(results: Results, folder: Path) -> None:
    """Write tables and manifest to a folder; the same results give the same bytes.

    The manifest lists the tables with their digests, under ``files``.

    Raises:
        OSError: a file cannot be written.
    """
    described = results.dictionary
    try:
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
    except (pl.exceptions.PolarsError, OSError) as fault:
        # What polars says of the disk is raised as the OSError that it was.
        number = re.search(r"\(os error (\d+)\)", str(fault))
        if number is None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1]))) from None
    write_manifest(folder, results.manifest)


def write_figures(
    results: Results,
    specs: Iterable[FigureSpec],
    folder: Path,
    formats: Sequence[str] | None = None,
) -> list[Path]:
    """Draw figures from the tables of a result and write them to its ``figures/``, all or none.

    Args:
        results: the tables to draw from.
        specs: the figures, each with its kind and its options.
        folder: the folder of the result.
        formats: "png", "svg" or "pdf"; left out, those of each figure, or png.

    Returns:
        The paths of the files.

    Raises:
        InputError: an option or a format is invalid, or another process writes to the folder.
        WriteError: a file cannot be written.
        FigureError: a figure could not be drawn.
    """
    try:
        return _write_figures(results, specs, folder, formats)
    except WriteError as fault:
        raise WriteError(f"{fault}; the tables and figures in {folder} are as they were") from None


def write_figures_asked_for(
    results: Results, experiment: AnyExperiment, folder: Path
) -> list[Path]:
    """Draw the figures of a config once its tables are written, as ``write_figures`` does.

    Raises:
        FigureError: a figure could not be drawn; the message says how to draw again.
        WriteError: a figure could not be written, as on a full disk; likewise.
        KeyboardInterrupt: the process was interrupted; its text says how to draw again.
    """
    if not experiment.figures:
        return []
    again = f"`python -m harness plot {folder}` draws them"
    try:
        skip = experiment.figures_are_suggested
        return _write_figures(results, experiment.figures, folder, skip_undrawable=skip)
    except HarnessError as fault:
        kind = WriteError if isinstance(fault, WriteError) else FigureError
        raise kind(
            f"{fault}; the tables in {folder} are complete and none of its figures is drawn: "
            f"{again}"
        ) from None
    except KeyboardInterrupt as stop:
        stop.args = (f"the tables in {folder} are complete, without figures: {again}",)
        raise


def _write_figures(
    results: Results,
    specs: Iterable[FigureSpec],
    folder: Path,
    formats: Sequence[str] | None = None,
    skip_undrawable: bool = False,
) -> list[Path]:
    # Matplotlib is loaded only where figures are drawn.
    from harness.figures.draw import draw_figures

    place = folder.resolve()
    drawn: list[Path] = []

    def fill(new: Path) -> None:
        figures = new / FIGURES_FOLDER
        kept = place / FIGURES_FOLDER
        drawn.extend(
            draw_figures(
                results, specs, figures, formats, skip_undrawable=skip_undrawable, kept=kept
            )
        )
        write_manifest(new, manifest, listed | {path.name for path in drawn})

    with writing(folder / FIGURES_FOLDER), hold(place):
        recover(place)
        manifest = read_manifest(place)
        if manifest["content_hash"] != results.manifest["content_hash"]:
            raise FolderInUseError(f"{folder} was written by another run in the meantime")
        listed = set(manifest.get(FILES_KEY, {}).get("figures", ()))
        commit(place, fill)
    return [folder / FIGURES_FOLDER / path.name for path in drawn]


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *words], cwd=_CHECKOUT, capture_output=True, text=True, timeout=5
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
