"""Reading of files: no pipe, socket or device, which would block or never end.

Files of data are read as they are, compressed, or from standard input.
"""

from __future__ import annotations

import errno
import gzip
import os
import stat
import sys
import zlib
from functools import cache
from pathlib import Path
from typing import BinaryIO

from harness.base.errors import InputError

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


STANDARD_INPUT = Path("-")


def file_ending(file: Path) -> str:
    """Return the ending of a file's name in small letters, without that of compression."""
    return Path(file.name.lower().removesuffix(".gz")).suffix


def read_text(file: Path) -> str:
    """Return the text of a file.

    Raises:
        InputError: it cannot be read, or is not in UTF-8.
    """
    raw = read_bytes(file)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{file}:{line}: expected UTF-8, found the byte {raw[error.start]:#04x}"
        ) from None


def read_bytes(file: Path) -> bytes:
    """Return what is in a file, uncompressed if its name ends in .gz, or in standard input.

    Raises:
        InputError: it cannot be read.
    """
    try:
        if file == STANDARD_INPUT:
            return _read_stream(sys.stdin.buffer)
        content = read_regular(file)
        return gzip.decompress(content) if file.suffix.lower() == ".gz" else content
    except (EOFError, zlib.error) as error:
        raise InputError(f"{file} cannot be read: {error}") from None
    except (OSError, ValueError) as error:
        # The message of an OSError repeats the path.
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"{file} cannot be read: {reason}") from None


@cache
def _read_stream(stream: BinaryIO) -> bytes:
    """What is in a stream, which can be read once."""
    return stream.read()
