"""The folder of one run: made, checked and locked before anything is computed."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.base.errors import FolderInUseError, InputError, WriteError
from harness.base.text import enumerated
from harness.config.form import AnyExperiment
from harness.config.shared_keys import USUAL_KIND as COVERAGE
from harness.runner.commit import commit, recover
from harness.runner.lock import Lock, hold
from harness.runner.storage import (
    CONFIG_FILE,
    JOURNAL_FILE,
    MANIFEST_FILE,
    NEW_PREFIX,
    RECOMMENDATION_FILE,
    RUN_FILE,
    TABLE_FILES,
    files_to_be,
    files_without_manifest,
    foreign_file,
    is_result,
    is_unfinished,
    read_manifest,
    written_files_if_any,
)

_TRIES = 20
"""How often a folder is made again that another run, which has made it too, removes."""


@dataclass(frozen=True)
class RunFolder:
    """The folder of a run, which no other process writes to."""

    path: Path
    """The folder, as its path was given."""
    journal: Path
    """Where the journal of finished tasks belongs; the folder of this file exists."""
    note: str | None
    """A sentence for the user where the file system cannot lock; None elsewhere."""
    former: Mapping[str, Any] | None
    """The resolved config of the results in the folder; None where there are none to be read."""
    _replaced: frozenset[str]
    """The files of a result whose manifest is lost, as paths within the folder."""
    _place: Path
    _lock: Lock

    def commit(self, fill: Callable[[Path], None]) -> None:
        """Write a new result in place of the former one; all of its files or none.

        Args:
            fill: writes the files into the folder that it is given.

        Raises:
            InputError: a file that no run wrote is in the way, or another process has taken the
                folder over.
            WriteError: a file cannot be written; the message says what is still good.
        """
        if not self._lock.is_held():
            raise FolderInUseError(f"{self.path} was taken over by another run; nothing is written")
        try:
            commit(self._place, fill, self._replaced)
        except OSError as fault:
            good = "no half-written file is left"
            if files_to_be(self._place) is not None:
                good = "the new result is complete, and the next run, plot or load puts it there"
            elif self.former is not None:
                good = f"the former result in {self.path} is as it was"
            if self.journal.exists():
                good += f", and {self.journal.name} keeps what is computed"
            raise WriteError(f"{self.path} cannot be written: {reason(fault)}; {good}") from None


@contextmanager
def open_run_folder(
    experiment: AnyExperiment, out: Path, take_over: bool = False, fresh: bool = False
) -> Iterator[RunFolder]:
    """Make or open the folder of a run and hold its lock while the block runs.

    What a dead run has left is completed or removed first. A folder that was made here and is
    empty at the end is removed again.

    Args:
        experiment: the experiment, whose name is the path of the folder within ``out``.
        out: the folder that holds the results of all experiments.
        take_over: whether to take over the lock of a process of another host.
        fresh: whether the run replaces a result whose manifest is lost.

    Yields:
        The folder.

    Raises:
        FolderInUseError: another process writes to the folder; the message names it.
        InputError: it is a file, holds something that no run wrote, leads to nothing, or cannot
            be made or written.
    """
    target = out / experiment.name
    with ExitStack() as stack:
        with writing(target):
            refuse_foreign(target, out, fresh)
            place = target.absolute().resolve()
            _refuse_unwritable(target, place)
            lock = _make_and_hold(place, take_over, stack)
            recover(place)
            replaced = refuse_foreign(target, out, fresh)
            # No permission, a read-only disk or no space shows now, under a name as long as any
            # that a run writes.
            trial = Path(tempfile.mkdtemp(prefix=NEW_PREFIX, dir=place))
            try:
                (trial / RECOMMENDATION_FILE).write_bytes(b"{}")
            finally:
                shutil.rmtree(trial, ignore_errors=True)
            journal, note = _journal(target, place, lock)
        former = None
        with suppress(InputError):
            former = read_manifest(place)["experiment"]
        if not isinstance(former, Mapping):
            former = None
        yield RunFolder(target, journal, note, former, replaced, place, lock)


def refuse_foreign(target: Path, out: Path, fresh: bool = False) -> frozenset[str]:
    """Refuse a folder that holds anything but what runs of one experiment have written.

    Args:
        target: the folder of the run.
        out: the folder above, for results of all experiments.
        fresh: whether a result without its manifest may be replaced.

    Returns:
        The files of such a result, as paths within the folder.

    Raises:
        InputError: it is a file or a link to nothing, holds a file that no run wrote or another
            result, or lies within another result.
        OSError: it cannot be read.
    """
    for place in (target, *target.parents):
        if place.is_symlink() and not place.exists():
            raise InputError(f"{place} is a link to {place.readlink()}, which does not exist")
    above = (parent for parent in target.parents if out in parent.parents)
    within = next((folder for folder in above if is_result(folder) or is_unfinished(folder)), None)
    if within is not None:
        raise InputError(f"{target} would lie within the result {within}; choose another name")
    if target.exists() and not target.is_dir():
        raise InputError(f"{target} is a file; move it or choose another name")
    if not target.is_dir():
        return frozenset()
    entries = sorted(target.iterdir())
    for entry in entries:
        if not entry.name.startswith(".") and is_result(entry):
            raise InputError(f"{target} holds another result, {entry.name}; choose another name")
    fixed = {MANIFEST_FILE, CONFIG_FILE, RUN_FILE, *TABLE_FILES}
    # Of a run that was killed while it moved its files, some are in their places.
    moving = files_to_be(target)
    written = written_files_if_any(target)
    tables = [entry for entry in entries if entry.name in fixed]
    is_lost = bool(tables) and written is None and moving is None
    lost = files_without_manifest(target) if is_lost else set()
    if lost and not fresh:
        raise InputError(
            f"{target} holds a result whose {MANIFEST_FILE} is missing or damaged: put the file "
            "back, or replace the result with --fresh (in Python fresh=True)"
        )
    if lost:
        return frozenset(lost)
    foreign = foreign_file(target, (written or fixed) | (moving or set()))
    if foreign is not None:
        raise InputError(
            f"{target} holds {foreign}, which no run wrote; move it or choose another name"
        )
    if is_lost:
        raise InputError(f"{target} exists and holds no results; move it or choose another name")
    return frozenset()


@contextmanager
def writing(path: Path, kind: type[InputError] = WriteError) -> Iterator[None]:
    """Raise what keeps a file or folder from being written as an error of this kind."""
    try:
        yield
    except OSError as fault:
        raise kind(f"{path} cannot be written: {reason(fault)}") from None


def reason(fault: OSError) -> str:
    """What the system says is wrong, without the name of the file."""
    return fault.strerror or str(fault) or type(fault).__name__


def _refuse_unwritable(target: Path, place: Path) -> None:
    """Refuse a folder that may not be made or changed, which ``mkdir`` would not say as clearly.

    Raises:
        InputError: a file is in the way, or a permission is missing.
    """
    if place.exists():
        if not os.access(place, os.W_OK | os.X_OK):
            raise InputError(f"{target} cannot be written: it may not be changed")
        return
    existing = next(parent for parent in place.parents if parent.exists())
    if not existing.is_dir() or not os.access(existing, os.W_OK | os.X_OK):
        raise InputError(f"{target} cannot be written: {existing} is no folder to write to")


def _make_and_hold(place: Path, take_over: bool, stack: ExitStack) -> Lock:
    """Make the folder where it is missing and lock it, until the stack is closed."""
    for _ in range(_TRIES):
        made = [folder for folder in (place, *place.parents) if not folder.exists()]
        stack.callback(_remove_empty, made)
        try:
            place.mkdir(parents=True, exist_ok=True)
            return stack.enter_context(hold(place, take_over))
        except FileNotFoundError:
            # Another run, which ends now, has removed a folder that it had made.
            continue
    raise FileNotFoundError(f"{place} is removed again and again")


def _remove_empty(folders: list[Path]) -> None:
    for folder in folders:
        with suppress(OSError):
            folder.rmdir()


def _journal(target: Path, place: Path, lock: Lock) -> tuple[Path, str | None]:
    """Where the journal belongs, and a sentence if that is not in the folder."""
    # Without fcntl there is no lock to try; SQLite has its own.
    if lock.by_system or sys.platform == "win32":
        return place / JOURNAL_FILE, None
    name = hashlib.sha256(os.fsencode(place)).hexdigest()[:32]
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not cache.is_absolute():
        cache = Path.home() / ("Library/Caches" if sys.platform == "darwin" else ".cache")
    local = cache / "coverage-harness" / "journals" / name
    local.mkdir(parents=True, exist_ok=True)
    return local / JOURNAL_FILE, (
        f"the file system of {target} cannot lock files, so that the journal of the run is kept "
        f"in {local}"
    )


FRESH_REPLACES = ", or replace them with --fresh (in Python fresh=True)"
"""What allows a run to replace the results of another experiment."""

_NO_NUMBERS = frozenset({"name", "title", "execution", "figures"})
"""Keys that change no number."""
_WHAT = ("kind", "family")
"""Keys by which two experiments are different ones, and not one that was changed."""


def refuse_other_experiment(experiment: AnyExperiment, folder: RunFolder, allowed_by: str) -> None:
    """Refuse a folder with the results of another kind of experiment or of another family.

    Args:
        experiment: the experiment to run.
        folder: the open folder of the run.
        allowed_by: the end of the message: what replaces them, or nothing.

    Raises:
        InputError: the results in the folder are of another experiment.
    """
    if folder.former is None:
        return
    new = _plain(experiment.document)
    for key in _WHAT:
        was, now = (document.get(key, COVERAGE) for document in (folder.former, new))
        if was != now:
            raise InputError(
                f"{folder.path} holds the results of another experiment ({key} {was}, not {now}); "
                f"choose another name or folder{allowed_by}"
            )


def replaced_results(experiment: AnyExperiment, folder: RunFolder) -> str:
    """Say that the results in a folder are those of another config; nothing if they are not.

    Args:
        experiment: the experiment to run.
        folder: the open folder of the run.

    Returns:
        A sentence with the keys of the config that differ and change numbers; or nothing where
        there are no results or no such keys.
    """
    former, new = folder.former, _plain(experiment.document)
    if former is None:
        return ""
    keys = [key for key in {**new, **former} if former.get(key) != new.get(key)]
    changed = [key for key in keys if key not in _NO_NUMBERS]
    if not changed:
        return ""
    return (
        f"{folder.path} holds the results of a config with another {enumerated(changed)}, which "
        "this run replaces when it is complete; another name or --out keeps them"
    )


def _plain(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document as JSON gives it back, so that it compares with one that was stored."""
    plain: dict[str, Any] = json.loads(json.dumps(document))
    return plain
