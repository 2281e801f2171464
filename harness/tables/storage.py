"""The folder of a result: its manifest, the digests of its tables, and which files are its own."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from harness.errors import InputError
from harness.tables.schema import columns_of

CELLS_FILE, SUMMARY_FILE, MANIFEST_FILE = "cells.parquet", "summary.csv", "manifest.json"
RANKING_FILE, RECOMMENDATION_FILE = "ranking.csv", "recommendation.csv"
CONFIG_FILE, RUN_FILE, FIGURES_FOLDER = "config.yaml", "run.json", "figures"
TABLE_FILES = (CELLS_FILE, SUMMARY_FILE, RANKING_FILE, RECOMMENDATION_FILE)
FILES_KEY = "files"
"""The key of manifest.json that lists the tables, with their digests, and the figures."""

_HALF_DRAWN = f".{FIGURES_FOLDER}-"


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read ``manifest.json`` and check everything that is later read from it.

    Raises:
        InputError: the file cannot be read, or is not what a run writes.
    """
    path = folder / MANIFEST_FILE
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except RecursionError:
        raise InputError(f"{path} is not the manifest of a run") from None
    except (OSError, ValueError) as fault:
        raise InputError(f"{path} cannot be read: {fault}") from None
    if not _is_manifest(content):
        raise InputError(f"{path} is not the manifest of a run")
    return dict(content)


def is_result(folder: Path) -> bool:
    """Whether a folder holds the manifest of a run."""
    try:
        read_manifest(folder)
    except InputError:
        return False
    return True


def _is_manifest(content: Any) -> bool:
    if columns_of(content) is None:
        return False
    figures = content["experiment"].get("figures")
    return (
        content.get("name") == content["experiment"].get("name")
        and all(isinstance(content.get(key), str) for key in ("name", "title", "content_hash"))
        and isinstance(content.get("versions"), dict)
        and isinstance(content.get("trials"), dict)
        and isinstance(figures, list)
        and all(isinstance(each, dict) and isinstance(each.get("kind"), str) for each in figures)
        and _is_list_of_files(content.get(FILES_KEY, {}))
    )


def _is_list_of_files(files: Any) -> bool:
    """Whether the list names tables and figures only, and no path that leads elsewhere."""
    if not isinstance(files, dict):
        return False
    tables, figures = files.get("tables", {}), files.get("figures", [])
    return (
        isinstance(tables, dict)
        and all(name in TABLE_FILES and isinstance(tables[name], str) for name in tables)
        and isinstance(figures, list)
        and all(isinstance(name, str) and name == Path(name).name for name in figures)
    )


def write_manifest(folder: Path, content: Mapping[str, Any], figures: Iterable[str] = ()) -> None:
    """Write ``manifest.json`` with the digests of the tables beside it and the names of figures.

    Args:
        folder: the folder, which holds its tables already.
        content: the manifest; a former list of files in it is replaced.
        figures: file names in ``figures/`` that the harness wrote.
    """
    known = content.get(FILES_KEY, {}).get("tables", {})
    tables = known or {
        name: digest(folder / name) for name in TABLE_FILES if (folder / name).is_file()
    }
    files = {"tables": tables, "figures": sorted(figures)}
    aside = folder / f".{MANIFEST_FILE}"
    write_json(aside, {**content, FILES_KEY: files})
    aside.replace(folder / MANIFEST_FILE)


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def refuse_changed(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Check the tables of a folder against the digests in its manifest.

    Raises:
        InputError: a table was cut or changed after the run; the message names its file.
    """
    for name, written in manifest.get(FILES_KEY, {}).get("tables", {}).items():
        path = folder / name
        if path.is_file() and digest(path) != written:
            raise InputError(
                f"{path} was cut or changed after the run that wrote it; run its config again"
            )


def written_files(folder: Path) -> set[str]:
    """The files in the folder of a result that the harness wrote, as paths within the folder.

    A manifest without a list of files, of an older version, names no figures.
    """
    files = read_manifest(folder).get(FILES_KEY, {})
    # What a run or a plot was writing when it was killed.
    left = (*folder.glob(f"{_HALF_DRAWN}*/*"), *folder.glob(f".{MANIFEST_FILE}"))
    return {
        *(MANIFEST_FILE, CONFIG_FILE, RUN_FILE, CELLS_FILE, SUMMARY_FILE),
        *files.get("tables", TABLE_FILES),
        *(f"{FIGURES_FOLDER}/{name}" for name in files.get("figures", ())),
        *(str(path.relative_to(folder)) for path in left),
    }


def foreign_file(folder: Path, written: Iterable[str]) -> str | None:
    """The first file in a folder that is not among those written, as a path within the folder."""
    known = set(written)
    for path in sorted(folder.iterdir()):
        folders = path.name == FIGURES_FOLDER or path.name.startswith(_HALF_DRAWN)
        if folders and path.is_dir() and not path.is_symlink():
            names = [f"{path.name}/{each.name}" for each in sorted(path.iterdir())]
        else:
            names = [path.name]
        for name in names:
            if name not in known or (folder / name).is_dir():
                return name
    return None


def add_figures(folder: Path, draw: Callable[[Path], list[Path]]) -> list[Path]:
    """Draw figures aside, list them in the manifest, and move them to ``figures/``.

    An error while they are drawn leaves the folder as it was. Other files in ``figures/`` stay.

    Args:
        folder: the folder of a result.
        draw: writes figures into the folder that it is given and returns their paths.

    Returns:
        The paths of the figures.

    Raises:
        InputError: a file of the same name was not written by the harness.
    """
    manifest = read_manifest(folder)
    listed = set(manifest.get(FILES_KEY, {}).get("figures", ()))
    aside = Path(tempfile.mkdtemp(prefix=_HALF_DRAWN, dir=folder))
    figures = folder / FIGURES_FOLDER
    try:
        drawn = draw(aside)
        for path in drawn:
            taken = figures / path.name
            if FILES_KEY in manifest and path.name not in listed and os.path.lexists(taken):
                raise InputError(f"{taken} was written by no run; move it and draw again")
        figures.mkdir(exist_ok=True)
        write_manifest(folder, manifest, listed | {path.name for path in drawn})
        return [path.replace(figures / path.name) for path in drawn]
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def hidden_folder(target: Path) -> Path:
    """Make an empty folder beside ``target``, from which a rename to ``target`` is one step."""
    return Path(tempfile.mkdtemp(prefix=f".{target.name[:32]}-", dir=target.parent))


def replace_folder(target: Path, fill: Callable[[Path], None], written: Iterable[str] = ()) -> None:
    """Fill a new folder beside ``target`` and rename it to ``target`` once it is complete.

    An existing ``target`` is replaced only then; an error before that leaves it as it was.

    Args:
        target: the folder to make or to replace.
        fill: writes all files into the folder that it is given.
        written: the files of an existing ``target`` that are deleted, as paths within it; all
            others are moved to the new folder.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    aside = hidden_folder(target)
    try:
        aside.chmod(0o755)
        fill(aside)
        if target.exists():
            old = hidden_folder(target)
            former = old / target.name
            target.rename(former)
            try:
                aside.rename(target)
            except BaseException:
                former.rename(target)
                old.rmdir()
                raise
            # The new result is complete; what cannot be cleared stays in the hidden folder.
            with suppress(OSError):
                _clear(former, target, written)
                old.rmdir()
        else:
            aside.rename(target)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _clear(former: Path, target: Path, written: Iterable[str]) -> None:
    """Delete what was written; move what is left to ``target``, where its name is not taken."""
    known = set(written)
    # Python 3.11 has no Path.walk.
    for folder, inner, names in os.walk(former, topdown=False):
        links = [name for name in inner if Path(folder, name).is_symlink()]
        for path in (Path(folder, name) for name in (*names, *links)):
            within = path.relative_to(former)
            place = target / within
            if str(within) in known:
                path.unlink()
            elif not os.path.lexists(place):
                place.parent.mkdir(parents=True, exist_ok=True)
                path.rename(place)
        with suppress(OSError):
            Path(folder).rmdir()


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
