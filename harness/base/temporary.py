"""Folders and files in the folder for temporary ones, which name the process that they belong to.

What a process leaves that was killed is removed by the next one.
"""

from __future__ import annotations

import hashlib
import os
import platform
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path


def _machine() -> str:
    """What numbers of processes belong to: the machine, and under Linux its space of numbers."""
    space = ""
    with suppress(OSError):
        space = str(Path("/proc/self/ns/pid").readlink())
    return hashlib.blake2b(f"{platform.node()} {space}".encode(), digest_size=4).hexdigest()


def temporary_prefix(what: str) -> str:
    """How the name of a temporary folder or file of this process begins.

    Args:
        what: its content, in a word.
    """
    return f"harness-{_machine()}-{os.getpid()}-{what}-"


def remove_left_behind() -> None:
    """Remove the temporary folders and files of processes that have ended."""
    if os.name != "posix":
        return
    for path in Path(tempfile.gettempdir()).glob(f"harness-{_machine()}-*"):
        process = path.name.split("-")[2]
        if not process.isdecimal() or _runs(int(process)):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # of another user; or no number of a process
        pass
    return True
