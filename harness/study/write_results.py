"""Write the results of a run: config, tables and manifest, all or none, and then figures."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.config.experiment import AnyExperiment
from harness.config.serialize import serialize
from harness.errors import FigureError, HarnessError, InputError
from harness.plain_data import dump
from harness.tables.results import Results, write_tables
from harness.tables.storage import (
    CONFIG_FILE,
    FIGURES_FOLDER,
    MANIFEST_FILE,
    RUN_FILE,
    TABLE_FILES,
    add_figures,
    foreign_file,
    hidden_folder,
    is_result,
    replace_folder,
    write_json,
    written_files,
)

if TYPE_CHECKING:
    from harness.figures.draw import Spec

_CHECKOUT = Path(__file__).resolve().parents[2]


def refuse_unwritable(experiment: AnyExperiment, out: Path) -> None:
    """Check before anything is computed that ``out/<name>`` can be written.

    The folders are made on trial, under a hidden name that is removed again.

    Raises:
        InputError: it is a file, holds something that no run wrote, leads to nothing, or cannot
            be made or replaced.
    """
    target = out / experiment.name
    try:
        _refuse_foreign(target, out)
        _try_folders(target.absolute())
    except OSError as fault:
        raise InputError(f"{target} cannot be written: {_reason(fault)}") from None


def write_results(
    results: Results, experiment: AnyExperiment, out: Path, seconds: float
) -> Results:
    """Write config, tables and manifest to ``out/<name>``, without figures.

    An existing result is replaced only when the new one is complete. Where ``out/<name>`` is a
    link to a folder, that folder is replaced and the link stays. Files that came into an existing
    result since ``refuse_unwritable`` are moved to the new one.

    Args:
        results: the tables and the manifest.
        experiment: the experiment that they belong to.
        out: the folder that holds the results of all experiments.
        seconds: how long the run took.

    Returns:
        The results with the path of their folder.

    Raises:
        InputError: the folder cannot be written, or holds something that is no result.
    """
    target = out / experiment.name

    def fill(folder: Path) -> None:
        (folder / CONFIG_FILE).write_text(dump(serialize(experiment)), encoding="utf-8")
        write_tables(results, folder)
        write_json(folder / RUN_FILE, _run_record(experiment, seconds))

    try:
        # Files that came during the run are kept; they are no reason to lose it.
        written = written_files(target) if is_result(target) else ()
        if not written:
            _refuse_foreign(target, out)
        replace_folder(target.resolve(), fill, written)
    except OSError as fault:
        raise InputError(f"{target} cannot be written: {_reason(fault)}") from None
    return replace(results, path=target)


def write_figures(
    results: Results, specs: Iterable[Spec], folder: Path, formats: Sequence[str] = ("png",)
) -> list[Path]:
    """Draw figures from the tables of a result and write them to its ``figures/``, all or none.

    Args:
        results: the tables to draw from.
        specs: the figures, each with its kind and its options.
        folder: the folder of the result.
        formats: "png", "svg" or "pdf".

    Returns:
        The paths of the files.

    Raises:
        InputError: an option or a format is invalid, or a file cannot be written.
        FigureError: a figure could not be drawn.
    """
    # Matplotlib is loaded only where figures are drawn.
    from harness.figures.draw import draw_figures

    try:
        paths = add_figures(
            folder.resolve(), lambda aside: draw_figures(results, specs, aside, formats)
        )
    except OSError as fault:
        raise InputError(f"{folder / FIGURES_FOLDER} cannot be written: {_reason(fault)}") from None
    return [folder / FIGURES_FOLDER / path.name for path in paths]


def write_figures_asked_for(
    results: Results, experiment: AnyExperiment, folder: Path
) -> list[Path]:
    """Draw the figures of a config once its tables are written, as ``write_figures`` does.

    Raises:
        FigureError: a figure could not be drawn or written; the message says how to draw again.
    """
    if not experiment.figures:
        return []
    try:
        return write_figures(results, experiment.figures, folder)
    except HarnessError as fault:
        raise FigureError(
            f"{fault}; the tables in {folder} are complete and none of its figures is drawn: "
            f"`python -m harness plot {folder}` draws them"
        ) from None


def _reason(fault: OSError) -> str:
    return fault.strerror or str(fault) or type(fault).__name__


def _refuse_foreign(target: Path, out: Path) -> None:
    """Refuse to replace a folder that holds anything but one result that a run wrote."""
    for place in (target, *target.parents):
        if place.is_symlink() and not place.exists():
            raise InputError(f"{place} is a link to {place.readlink()}, which does not exist")
    within = next((p for p in target.parents if out in p.parents and is_result(p)), None)
    if within is not None:
        raise InputError(f"{target} would lie within the result {within}; choose another name")
    if target.exists() and not target.is_dir():
        raise InputError(f"{target} is a file; move it or choose another name")
    if not target.is_dir():
        return
    entries = sorted(target.iterdir())
    for entry in entries:
        if is_result(entry):
            raise InputError(f"{target} holds another result, {entry.name}; choose another name")
    fixed = {MANIFEST_FILE, CONFIG_FILE, RUN_FILE, *TABLE_FILES}
    foreign = foreign_file(target, written_files(target) if is_result(target) else fixed)
    if foreign is not None:
        raise InputError(
            f"{target} holds {foreign}, which no run wrote; move it or choose another name"
        )
    if entries and not is_result(target):
        raise InputError(f"{target} exists and holds no results; move it or choose another name")


def _try_folders(target: Path) -> None:
    """Make the folders of ``target`` under a hidden name, with a file in them; then remove them.

    Raises:
        InputError: a file is in the way, or the folder cannot be renamed.
        OSError: no permission, a read-only disk, a name that is too long, or no space.
    """
    place = target.resolve()
    existing = next(parent for parent in place.parents if parent.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise InputError(f"{target} cannot be written: {existing} is no folder to write to")
    if place.exists() and not os.access(place, os.W_OK | os.X_OK):
        raise InputError(f"{target} cannot be written: it may not be changed")
    if place.exists() and os.path.ismount(place):
        raise InputError(
            f"{target} cannot be replaced: it is the top of a disk; choose a folder below it"
        )
    trial = Path(tempfile.mkdtemp(prefix=".harness-", dir=existing))
    try:
        folder = trial.joinpath(*place.relative_to(existing).parts)
        folder.mkdir(parents=True)
        hidden_folder(folder)
        (folder / MANIFEST_FILE).write_bytes(b"{}")
    finally:
        shutil.rmtree(trial, ignore_errors=True)


def _run_record(experiment: AnyExperiment, seconds: float) -> Mapping[str, Any]:
    """The content of run.json: all that differs between repeated runs."""
    return {
        "seconds": round(seconds, 3),
        "jobs": experiment.execution.jobs,
        "backend": experiment.execution.backend,
        "platform": platform.platform(),
        "python": platform.python_version(),
        "commit": _commit(),
    }


def _commit() -> str | None:
    """The commit of the harness if it runs from its own Git checkout."""
    top, commit = (_git("rev-parse", what) for what in ("--show-toplevel", "HEAD"))
    return commit if top is not None and Path(top) == _CHECKOUT else None


def _git(*words: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", *words], cwd=_CHECKOUT, capture_output=True, text=True, timeout=5
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
