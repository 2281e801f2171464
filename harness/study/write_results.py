"""Write the results of a run to a folder: tables, manifest, config and figures, all or none."""

from __future__ import annotations

import json
import os
import platform
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from harness.config.experiment import AnyExperiment
from harness.config.serialize import serialize
from harness.errors import InputError
from harness.plain_data import dump
from harness.tables.results import (
    CELLS_FILE,
    MANIFEST_FILE,
    RANKING_FILE,
    RECOMMENDATION_FILE,
    SUMMARY_FILE,
    Results,
    replace_folder,
    write_json,
    write_tables,
)

_CHECKOUT = Path(__file__).resolve().parents[2]

CONFIG_FILE, RUN_FILE, FIGURES_FOLDER = "config.yaml", "run.json", "figures"
_WRITTEN = {
    CONFIG_FILE,
    RUN_FILE,
    FIGURES_FOLDER,
    CELLS_FILE,
    SUMMARY_FILE,
    RANKING_FILE,
    RECOMMENDATION_FILE,
    MANIFEST_FILE,
}
_FIGURE_ENDINGS = (".png", ".svg", ".pdf")


def refuse_unwritable(experiment: AnyExperiment, out: Path) -> None:
    """Check before anything is computed that ``out/<name>`` can be written.

    Raises:
        InputError: it is a file, holds something that no run wrote, or lies in a folder that
            cannot be written to.
    """
    target = out / experiment.name
    _refuse_foreign(target, out)
    existing = next(parent for parent in target.absolute().parents if parent.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise InputError(f"{target} cannot be written: {existing} is no folder to write to")


def write_results(
    results: Results, experiment: AnyExperiment, out: Path, seconds: float
) -> Results:
    """Write results, config and figures to ``out/<name>``.

    An existing result is replaced only when the new one is complete.

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
    _refuse_foreign(target, out)

    def fill(folder: Path) -> None:
        (folder / CONFIG_FILE).write_text(dump(serialize(experiment)), encoding="utf-8")
        write_tables(results, folder)
        write_json(folder / RUN_FILE, _run_record(experiment, seconds))
        if experiment.figures:
            # Matplotlib is loaded only by runs that draw.
            from harness.figures.draw import draw_figures

            draw_figures(results, experiment.figures, folder / FIGURES_FOLDER)

    try:
        replace_folder(target, fill)
    except OSError as fault:
        raise InputError(f"{target} cannot be written: {fault.strerror or fault}") from None
    return replace(results, path=target)


def _refuse_foreign(target: Path, out: Path) -> None:
    """Refuse to replace a folder that holds anything but one result that a run wrote."""
    within = next((p for p in target.parents if out in p.parents and _is_result(p)), None)
    if within is not None:
        raise InputError(f"{target} would lie within the result {within}; choose another name")
    if target.exists() and not target.is_dir():
        raise InputError(f"{target} is a file; move it or choose another name")
    if not target.is_dir():
        return
    entries = sorted(target.iterdir())
    for entry in entries:
        if _is_result(entry):
            raise InputError(f"{target} holds another result, {entry.name}; choose another name")
        figures = entry.iterdir() if entry.name == FIGURES_FOLDER and entry.is_dir() else ()
        foreign = [each for each in figures if each.suffix not in _FIGURE_ENDINGS]
        if entry.name not in _WRITTEN or foreign:
            name = foreign[0].relative_to(target) if foreign else entry.name
            raise InputError(
                f"{target} holds {name}, which no run wrote; move it or choose another name"
            )
    if entries and not _is_result(target):
        raise InputError(f"{target} exists and holds no results; move it or choose another name")


def _is_result(folder: Path) -> bool:
    """Whether a folder holds the manifest of a run."""
    try:
        manifest = json.loads((folder / MANIFEST_FILE).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return False
    return isinstance(manifest, dict) and "experiment" in manifest


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
