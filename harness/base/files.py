"""Reading of files that are files: no pipe, socket or device, which would block or never end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

_KINDS = (
    (stat.S_ISFIFO, "a pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def read_regular(path: Path, most: int | None = None) -> bytes:
    """Read a file, or its first ``most`` bytes; links are followed.

    Raises:
        OSError: it cannot be read, or is no regular file; ``strerror`` says what it is.
    """
    _refuse_other(path, path.stat().st_mode)
    # Without waiting for the other end of a pipe that has taken the file's place since.
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    with os.fdopen(descriptor, "rb") as file:
        _refuse_other(path, os.fstat(descriptor).st_mode)
        return file.read(-1 if most is None else most)


def refuse_irregular(path: Path) -> None:
    """Check that a path is a file or nothing yet, before a library opens it and waits.

    Raises:
        OSError: it is something else, or cannot be reached; ``strerror`` says what it is.
    """
    if os.path.lexists(path):
        _refuse_other(path, path.stat().st_mode)


def _refuse_other(path: Path, mode: int) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    for is_kind, kind in _KINDS:
        if is_kind(mode):
            raise OSError(errno.EINVAL, f"it is {kind} and no file", str(path))
