"""The lock of a folder of results: one process at a time writes to it."""

from __future__ import annotations

import errno
import json
import os
import platform
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from harness.base.errors import FolderInUseError, InputError
from harness.runner.storage import LOCK_FILE

if sys.platform != "win32":
    import fcntl

PATIENCE = 0.5
"""Seconds to wait for a lock: ``load`` holds it for a moment while it clears a folder."""

_STEP = 0.02
_UNSIGNED_FOR = 5.0
"""Seconds that a process may take from making its lock file to writing its name into it."""
_NO_LOCKS = {errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOTSUP, errno.ENOSYS, errno.EINVAL}
"""Errors of ``flock`` on file systems that have no locks."""


@dataclass(frozen=True)
class Process:
    """A process that writes to a folder, as its lock file names it."""

    host: str
    pid: int
    boot: str | None
    """The boot of the machine; None where the system does not number them."""
    started: str | None
    """The start of the process in clock ticks after the boot; None where that is not known."""
    since: str
    """When it took the lock, in UTC."""

    def __str__(self) -> str:
        return f"process {self.pid} on {self.host} since {self.since.partition('.')[0]} UTC"

    def lives(self) -> bool:
        """Whether a process of this host still runs."""
        if self.boot != _boot() or not _runs(self.pid):
            return False
        started = _started(self.pid)
        return None in (self.started, started) or self.started == started


class Lock:
    """A lock that this process holds."""

    def __init__(self, path: Path, handle: int, by_system: bool) -> None:
        self.by_system = by_system
        """Whether the file system holds the lock, which then ends with the process."""
        self._path, self._handle = path, handle
        self._owner = this_process()
        try:
            os.lseek(handle, 0, os.SEEK_SET)
            os.ftruncate(handle, 0)
            os.write(handle, json.dumps(asdict(self._owner)).encode())
        except OSError:
            path.unlink(missing_ok=True)
            raise

    def is_held(self) -> bool:
        """Whether no other process has taken the lock over."""
        try:
            return _owner(self._path.read_bytes()) == self._owner
        except (OSError, InputError):
            return False

    def release(self) -> None:
        """Remove the lock file, if it is still that of this process."""
        with suppress(OSError):
            if self.by_system:
                if self.is_held():
                    # Should the file stay, it names nobody.
                    os.ftruncate(self._handle, 0)
                    self._path.unlink()
                if sys.platform != "win32":
                    # For copies of the descriptor as well, in processes that this one has forked.
                    fcntl.flock(self._handle, fcntl.LOCK_UN)
        with suppress(OSError):
            os.close(self._handle)
        with suppress(OSError):
            # Without a lock of the system, the file is the lock; some systems keep open files.
            if not self.by_system and self.is_held():
                self._path.unlink()


@contextmanager
def hold(folder: Path, take_over: bool = False, patience: float = PATIENCE) -> Iterator[Lock]:
    """Hold the lock of a folder while the block runs.

    The file ``.lock`` in it names the process. The lock of a process of this host that has ended
    is taken over.

    Args:
        folder: an existing folder.
        take_over: whether to take over the lock of a process of another host too, unless the file
            system knows that it runs.
        patience: seconds to wait for another process to let go of it.

    Raises:
        FolderInUseError: another process holds the lock; the message names it.
        InputError: the lock file was written by another program.
        OSError: the lock file cannot be made or written.
    """
    deadline = time.monotonic() + patience
    lock = None
    while lock is None:
        try:
            lock = _try(folder, take_over)
        except FolderInUseError:
            if time.monotonic() > deadline:
                raise
            time.sleep(_STEP)
        except _AgainError:
            time.sleep(_STEP)
    try:
        yield lock
    finally:
        lock.release()


def this_process() -> Process:
    """The identity of this process."""
    since = datetime.now(UTC).replace(tzinfo=None).isoformat(" ", "microseconds")
    return Process(platform.node(), os.getpid(), _boot(), _started(os.getpid()), since)


class _AgainError(Exception):
    """The lock file was replaced by another process in the meantime."""


def _try(folder: Path, take_over: bool) -> Lock:
    """Take the lock, or say who has it.

    Of the processes that find the same file only one gets the lock of the system, and only if the
    file is still the one of that name. Without locks of the system, only one makes the file.
    """
    path = folder / LOCK_FILE
    handle, made = _open(path)
    lock, content = None, b""
    try:
        by_system = _lock(handle, folder)
        try:
            has_name = os.path.samestat(os.fstat(handle), path.stat())
        except FileNotFoundError:
            has_name = False
        if not has_name:
            raise _AgainError
        if not made:
            content = os.read(handle, 4096)
            _refuse_held(folder, path, content, take_over, by_system)
        if made or by_system:
            lock = Lock(path, handle, by_system)
    finally:
        if lock is None:
            os.close(handle)
    if lock is None:
        _remove(path, content)
        raise _AgainError
    if not by_system:
        time.sleep(_STEP)
        if not lock.is_held():
            lock.release()
            raise _AgainError
    return lock


def _open(path: Path) -> tuple[int, bool]:
    """Open the lock file; return its descriptor, and whether it was made now."""
    flags = os.O_RDWR | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        return os.open(path, flags | os.O_CREAT | os.O_EXCL, 0o644), True
    except FileExistsError:
        pass
    try:
        return os.open(path, flags), False
    except FileNotFoundError:
        raise _AgainError from None


def _lock(handle: int, folder: Path) -> bool:
    """Take the lock of the file system; False where it has none.

    Raises:
        FolderInUseError: another process holds it.
    """
    if sys.platform == "win32":
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        content = os.read(handle, 4096)
        raise FolderInUseError(_in_use(folder, _owner(content))) from None
    except OSError as fault:
        if fault.errno not in _NO_LOCKS:
            raise
        return False
    return True


def _refuse_held(
    folder: Path, path: Path, content: bytes, take_over: bool, by_system: bool
) -> None:
    """Raise FolderInUseError unless the process that made a lock file has ended."""
    owner = _owner(content, path) if content else None
    if owner is None:
        # It was made a moment ago, or its process ended at once.
        unsigned = 0.0 if by_system else time.time() - path.stat().st_mtime
        if not by_system and unsigned < _UNSIGNED_FOR:
            raise FolderInUseError(_in_use(folder, None))
    elif owner.host != platform.node():
        if not take_over:
            raise FolderInUseError(
                f"{folder} is locked by {owner}, which this host cannot ask whether it still "
                "runs; if it has ended, --take-over (in Python take_over=True) takes the folder"
            )
    elif owner.lives():
        raise FolderInUseError(_in_use(folder, owner))


def _in_use(folder: Path, owner: Process | None) -> str:
    who = "another process" if owner is None else owner
    return f"{folder} is in use by {who}; wait until it has ended, or choose another folder"


def _owner(content: bytes, path: Path | None = None) -> Process | None:
    """The process that a lock file names.

    Raises:
        InputError: it is no lock file; not raised without the path, for the message.
    """
    with suppress(ValueError, TypeError, RecursionError):
        owner = Process(**json.loads(content))
        if isinstance(owner.host, str) and isinstance(owner.pid, int):
            return owner
    if path is not None:
        raise InputError(f"{path} was written by no run; move it or choose another folder")
    return None


def _remove(path: Path, content: bytes) -> None:
    """Remove a lock file that has this content; only one process at a time does so."""
    guard = path.with_name(f"{LOCK_FILE}-takeover")
    try:
        os.close(os.open(guard, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        with suppress(FileNotFoundError):
            if time.time() - guard.stat().st_mtime > _UNSIGNED_FOR:
                guard.unlink()
        return
    try:
        # Another process may have removed it, and made its own, before the guard.
        with suppress(FileNotFoundError):
            if path.read_bytes() == content:
                path.unlink()
    finally:
        guard.unlink(missing_ok=True)


def _boot() -> str | None:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    except (OSError, ValueError):
        return None


def _started(pid: int) -> str | None:
    try:
        # The name of the program, in parentheses, may have spaces.
        return (
            Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2].split()[19]
        )
    except (OSError, IndexError):
        return None


def _runs(pid: int) -> bool:
    """Whether a process of this number runs on this host."""
    if sys.platform == "win32":
        # os.kill would end it.
        import ctypes

        synchronize, timed_out = 0x00100000, 0x102
        handle = ctypes.windll.kernel32.OpenProcess(synchronize, False, pid)
        if not handle:
            return False
        try:
            return bool(ctypes.windll.kernel32.WaitForSingleObject(handle, 0) == timed_out)
        finally:
            ctypes.windll.kernel32.CloseHandle(handle)
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True
