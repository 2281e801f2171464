"""Files of data: as they are, compressed, or from standard input."""

from __future__ import annotations

import gzip
import sys
import zlib
from functools import cache
from pathlib import Path
from typing import BinaryIO

from harness.base.errors import InputError
from harness.base.files import read_regular

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
