"""New files of a result come to their places in one step, or not at all, whatever is killed."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from harness.base.errors import FolderInUseError, InputError
from harness.runner.lock import PATIENCE, hold
from harness.runner.storage import (
    FIGURES_FOLDER,
    FILES_KEY,
    LOCK_FILE,
    MANIFEST_FILE,
    NEW_PREFIX,
    READY_FOLDER,
    REPORT_FILE,
    is_complete,
    is_leftover,
    is_page,
    read_manifest,
    written_files,
    written_files_if_any,
)

_MOVING_FOR = 10.0
"""Seconds to wait for a process that moves the files of its new result."""


def commit(folder: Path, fill: Callable[[Path], None], replaced: Collection[str] = ()) -> None:
    """Write new files to a hidden folder within ``folder`` and move them to their places.

    Once all are written the hidden folder is renamed to ``.ready``, which is the one step that
    decides: before it an error, or the end of the process, leaves the former files as they were;
    after it ``finish`` completes what is left to do. The caller holds the lock of the folder.

    Args:
        folder: the folder of a result.
        fill: writes new files, a manifest among them, into the folder that it is given.
        replaced: files of a result without a manifest that make room, as paths in the folder.

    Raises:
        InputError: a file that no run wrote has the name of a new one.
        OSError: a file cannot be written.
    """
    new = Path(tempfile.mkdtemp(prefix=NEW_PREFIX, dir=folder))
    ready = folder / READY_FOLDER
    try:
        fill(new)
        _refuse_taken(folder, new, replaced)
        for path in (*new.rglob("*"), new):
            _make_durable(path)
        new.rename(ready)
        _move(folder, ready)
        if replaced:
            for name in set(replaced) - written_files(folder):
                (folder / name).unlink(missing_ok=True)
            with suppress(OSError):
                (folder / FIGURES_FOLDER).rmdir()
    except BaseException:
        if ready.exists():
            finish(folder)
        raise
    finally:
        shutil.rmtree(new, ignore_errors=True)


def finish(folder: Path) -> None:
    """Move the files of a complete new result, if there is one, from ``.ready`` to their places.

    The files that the former manifest lists and the new one does not are deleted first, and so is
    the page of results other than the new ones; the manifest moves last, so that this can be done
    again where it was broken off.

    Raises:
        OSError: a file cannot be moved or deleted.
    """
    ready = folder / READY_FOLDER
    if ready.exists() and is_complete(ready):
        _move(folder, ready)


def _move(folder: Path, ready: Path) -> None:
    """Move the files of a complete new result to their places, as ``finish`` does."""
    _make_durable(folder)
    if (ready / MANIFEST_FILE).exists():
        former = written_files_if_any(folder) or set()
        if former:
            if _shown(folder) != _shown(ready) and is_page(folder / REPORT_FILE):
                former.add(REPORT_FILE)
            for name in sorted(former - written_files(ready)):
                if not (folder / name).is_dir():
                    (folder / name).unlink(missing_ok=True)
        # False, the manifest's, comes after True.
        new = sorted(_files(ready), key=lambda path: (path.name == MANIFEST_FILE, path))
        moved = [folder / path.relative_to(ready) for path in new]
        for path, place in zip(new, moved, strict=True):
            place.parent.mkdir(exist_ok=True)
            os.replace(path, place)  # noqa: PTH105
        for changed in {place.parent for place in moved} | {folder}:
            _make_durable(changed)
    with suppress(OSError):
        (folder / FIGURES_FOLDER).rmdir()
    shutil.rmtree(ready)


def recover(folder: Path) -> None:
    """Finish or clear what dead processes have left in a folder whose lock the caller holds.

    Raises:
        OSError: a complete new result cannot be moved to its place.
    """
    finish(folder)
    for path in folder.iterdir():
        if path.is_dir():
            if is_leftover(path):
                shutil.rmtree(path, ignore_errors=True)
        elif is_leftover(path) and path.name != LOCK_FILE:
            path.unlink(missing_ok=True)


def settle(folder: Path) -> bool:
    """Recover the folder of a result that is to be read, unless a process writes to it.

    Returns:
        Whether files were, or were being, moved.

    Raises:
        FolderInUseError: another process moves files, and does not end.
        InputError: a complete new result waits in the folder and cannot be moved to its place.
    """
    ready = folder / READY_FOLDER
    deadline = time.monotonic() + _MOVING_FOR
    while True:
        moving = ready.is_dir() and is_complete(ready)
        if not moving and not any(is_leftover(path) for path in folder.iterdir()):
            return False
        try:
            with hold(folder, patience=PATIENCE if moving else 0.0):
                recover(folder)
            return moving
        except FolderInUseError:
            # A process that writes may compute for hours; to move its files takes a moment.
            if not moving:
                return False
            if time.monotonic() > deadline:
                raise
        except (OSError, InputError) as fault:
            # A folder may be read where nothing can be written, or beside another program's lock.
            if not moving:
                return False
            raise InputError(
                f"{folder} holds a new result that cannot be moved to its place: "
                f"{getattr(fault, 'strerror', None) or fault}"
            ) from None


def _shown(folder: Path) -> dict[str, Any]:
    """What the page of a result shows, as far as its manifest tells: all but the figures."""
    manifest = read_manifest(folder)
    files = manifest.pop(FILES_KEY, {})
    return {**manifest, FILES_KEY: files.get("tables")}


def _files(folder: Path) -> Iterator[Path]:
    """The files below a folder."""
    return (path for path in folder.rglob("*") if path.is_file())


def _refuse_taken(folder: Path, new: Path, replaced: Collection[str]) -> None:
    """Raise InputError if a new file has the name of one that no run wrote."""
    former = written_files_if_any(folder)
    written = set(replaced) if former is None else former
    # A manifest of an older version lists no figures.
    lists_figures = former is None or FILES_KEY in read_manifest(folder)
    if (folder / FIGURES_FOLDER).is_symlink():
        raise InputError(
            f"{folder} holds {FIGURES_FOLDER}, which no run wrote; move it or choose another name"
        )
    for path in _files(new):
        place = folder / path.relative_to(new)
        is_written = str(path.relative_to(new)) in written
        figure = path.parent.name == FIGURES_FOLDER
        if os.path.lexists(place) and not is_written and (lists_figures or not figure):
            raise InputError(f"{place} was written by no run; move it and try again")


def _make_durable(path: Path) -> None:
    """Wait until a file, or the names in a folder, are on the disk.

    Raises:
        OSError: the disk is full or fails.
    """
    if path.is_dir() and os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    try:
        os.fsync(handle)
    except OSError as fault:
        # Some file systems do not do this for folders.
        if not path.is_dir() or fault.errno not in (errno.EINVAL, errno.EBADF, errno.ENOTSUP):
            raise
    finally:
        os.close(handle)
