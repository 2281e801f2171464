"""The folder of a result: its manifest, its content hash, and which files are its own."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from fnmatch import fnmatch
from importlib.metadata import version
from pathlib import Path
from typing import Any

from harness.base.errors import InputError
from harness.base.files import read_regular
from harness.tables.columns import columns_of_run

CELLS_FILE, SUMMARY_FILE, MANIFEST_FILE = "cells.parquet", "summary.csv", "manifest.json"
RANKING_FILE, RECOMMENDATION_FILE = "ranking.csv", "recommendation.csv"
CONFIG_FILE, RUN_FILE, FIGURES_FOLDER = "config.yaml", "run.json", "figures"
NEAR_NOMINAL_FILE, COLUMNS_FILE = "near_nominal.csv", "columns.csv"
TABLE_FILES = (
    CELLS_FILE,
    SUMMARY_FILE,
    RANKING_FILE,
    RECOMMENDATION_FILE,
    NEAR_NOMINAL_FILE,
    COLUMNS_FILE,
    "differences.csv",
    "replicates.parquet",
    "solve.csv",
    "truths.csv",
    "answers.csv",
)
REPORT_FILE = "report.html"
"""The page of the results, which `report` writes beside them."""
FILES_KEY = "files"
"""The key of manifest.json that lists the tables, with their digests, and the figures."""

JOURNAL_FILE, LOCK_FILE = "journal.sqlite", ".lock"
NEW_PREFIX, READY_FOLDER = ".new-", ".ready"
"""The hidden folders of a new result within its folder: while it is written, and once complete."""

RESULTS_PAGE, EXPLORER_PAGE = "results", "explorer"
"""The kinds of pages that are replaced, without being asked, by a later one of their kind."""
_PAGE_MARK, _PAGE_HEAD = b'<meta name="coverage-harness-page" content="%s">', 1 << 13
"""What a page of a kind has in its first bytes."""
_FIGURES = (".png", ".svg", ".pdf")
_FORMER_FILES, _FORMER_PREFIX = (f".{MANIFEST_FILE}",), f".{FIGURES_FOLDER}-"
"""What a plot of an older version leaves when it is killed."""


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read ``manifest.json`` and check everything that is later read from it.

    Raises:
        InputError: the file cannot be read, or is not what a run writes.
    """
    path = folder / MANIFEST_FILE
    try:
        content = json.loads(read_regular(path).decode("utf-8"))
    except RecursionError:
        raise InputError(f"{path} is not the manifest of a run") from None
    except (OSError, ValueError) as fault:
        raise InputError(f"{path} cannot be read: {fault}") from None
    if not _is_manifest(content):
        raise InputError(f"{path} is not the manifest of a run")
    return dict(content)


def is_result(folder: Path) -> bool:
    """Whether a folder holds the manifest of a run."""
    return written_files_if_any(folder) is not None


def _is_manifest(content: Any) -> bool:
    """Whether the content is a manifest's; paths in it lead to nowhere but tables and figures."""
    if columns_of_run(content) is None:
        return False
    figures, files = content["experiment"].get("figures"), content.get(FILES_KEY, {})
    if not isinstance(files, dict):
        return False
    tables, drawn = files.get("tables", {}), files.get("figures", [])
    return (
        content.get("name") == content["experiment"].get("name")
        and all(isinstance(content.get(key), str) for key in ("name", "title", "content_hash"))
        and isinstance(content.get("versions"), dict)
        and isinstance(content.get("trials"), dict)
        and isinstance(figures, list)
        and all(isinstance(spec, dict) and isinstance(spec.get("kind"), str) for spec in figures)
        and isinstance(tables, dict)
        and all(name in TABLE_FILES and isinstance(tables[name], str) for name in tables)
        and isinstance(drawn, list)
        and all(isinstance(name, str) and name == Path(name).name for name in drawn)
    )


def write_manifest(folder: Path, content: Mapping[str, Any], figures: Iterable[str] = ()) -> None:
    """Write ``manifest.json`` with the digests of the tables beside it and the names of figures.

    Args:
        folder: the folder, which holds its tables already.
        content: the manifest; a former list of files in it is replaced.
        figures: file names in ``figures/`` that the harness wrote.
    """
    tables = content.get(FILES_KEY, {}).get("tables", {}) or {
        name: digest(folder / name) for name in TABLE_FILES if (folder / name).is_file()
    }
    files = {"tables": tables, "figures": sorted(figures)}
    write_json(folder / MANIFEST_FILE, {**content, FILES_KEY: files})


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
    return {
        *(MANIFEST_FILE, CONFIG_FILE, RUN_FILE, CELLS_FILE, SUMMARY_FILE),
        *files.get("tables", TABLE_FILES),
        *(f"{FIGURES_FOLDER}/{name}" for name in files.get("figures", ())),
    }


def written_files_if_any(folder: Path) -> set[str] | None:
    """What ``written_files`` gives; None for a folder without a result."""
    try:
        return written_files(folder) if (folder / MANIFEST_FILE).exists() else None
    except (InputError, OSError):
        return None


def foreign_file(folder: Path, written: Iterable[str]) -> str | None:
    """The first file in a folder that is not the harness's, as a path within the folder.

    Args:
        folder: a folder of a result, or of a run that has not finished.
        written: the files of its result; its page, the journal, the lock and hidden folders go
            without saying.
    """
    own = set(written)
    if MANIFEST_FILE in own and is_page(folder / REPORT_FILE):
        own.add(REPORT_FILE)
    for path in sorted(folder.iterdir()):
        # The run's journal, those of its parts, and SQLite's own journals beside them.
        journal = path.name.removesuffix("-journal")
        is_journal = journal == JOURNAL_FILE or fnmatch(journal, part_file("*", "*"))
        if is_leftover(path) or (is_journal and path.is_file() and not path.is_symlink()):
            continue
        if path.name == FIGURES_FOLDER and path.is_dir() and not path.is_symlink():
            names = [f"{path.name}/{file.name}" for file in sorted(path.iterdir())]
        else:
            names = [path.name]
        for name in names:
            if name not in own or (folder / name).is_dir():
                return name
    return None


def files_without_manifest(folder: Path) -> set[str]:
    """The files of a result that lacks its manifest; none where the folder holds others too.

    Tables and a config beside them tell a result; its figures are known by their endings alone.
    """
    names = {MANIFEST_FILE, CONFIG_FILE, RUN_FILE, *TABLE_FILES, REPORT_FILE}
    figures = (folder / FIGURES_FOLDER).glob("*.*")
    drawn = {f"{FIGURES_FOLDER}/{path.name}" for path in figures if path.suffix in _FIGURES}
    is_whole = all((folder / name).is_file() for name in (CONFIG_FILE, CELLS_FILE, SUMMARY_FILE))
    if not is_whole or foreign_file(folder, names | drawn) is not None:
        return set()
    return {name for name in names | drawn if (folder / name).is_file()}


def files_to_be(folder: Path) -> set[str] | None:
    """What ``written_files`` gives once a complete new result has been moved; None without one."""
    ready = folder / READY_FOLDER
    return written_files_if_any(ready) if is_complete(ready) else None


def is_page(path: Path, kind: str = RESULTS_PAGE) -> bool:
    """Whether a file is a page of a kind that the harness wrote."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return _PAGE_MARK % kind.encode() in file.read(_PAGE_HEAD)


def part_file(number: int | str, count: int | str) -> str:
    """The name of the journal of one part of a run; a pattern where numbers are "*"."""
    return f"part-{number}-of-{count}.sqlite"


def is_unfinished(folder: Path) -> bool:
    """Whether a folder holds what a run makes before its first result, and nothing else."""
    return folder.is_dir() and any(folder.iterdir()) and foreign_file(folder, ()) is None


def is_leftover(path: Path) -> bool:
    """Whether a path is a lock or a hidden folder that a run makes and removes again."""
    name = path.name
    if path.is_symlink():
        return False
    if path.is_dir():
        if name == READY_FOLDER:
            return is_complete(path)
        return name.startswith((NEW_PREFIX, _FORMER_PREFIX))
    return name == LOCK_FILE or name.startswith(f"{LOCK_FILE}-") or name in _FORMER_FILES


def is_complete(ready: Path) -> bool:
    """Whether a hidden folder holds a new result or figures, and nothing else, or nothing more."""
    if not ready.is_dir():
        return False
    try:
        return foreign_file(ready, written_files_if_any(ready) or ()) is None
    except FileNotFoundError:
        # Its process removes it just now.
        return False


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


_PACKAGES = ("coverage-harness", "numpy", "scipy", "polars", "matplotlib")


def manifest_of(
    document: Mapping[str, Any], sources: Mapping[str, str], content: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the content of manifest.json with what that of every kind of experiment has.

    Args:
        document: the resolved config.
        sources: the digest of each file that holds a user function, by what it is in the config.
        content: what the kind of experiment has of its own.
    """
    return {
        "name": document["name"],
        "title": document["title"],
        **({"kind": document["kind"]} if "kind" in document else {}),
        "seed": document["seed"],
        "content_hash": content_hash(document, sources),
        "versions": versions(),
        **content,
        "experiment": {key: value for key, value in document.items() if key != "execution"},
    }


def versions() -> dict[str, str]:
    """The versions of the packages that the numbers and the figures depend on."""
    return {package: version(package) for package in _PACKAGES}


def content_hash(document: Mapping[str, Any], sources: Mapping[str, str]) -> str:
    """The SHA-256 of all that decides the numbers of a run.

    The name, the title, the figures and the execution of an experiment change no number.
    """
    aside = {"execution", "figures", "title", "name"}
    content = {key: value for key, value in document.items() if key not in aside}
    content["sources"] = dict(sources)
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()
