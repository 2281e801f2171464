"""This machine: its memory, and worker processes that end with the process that started them."""

from __future__ import annotations

import math
import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from harness.base.errors import InputError


def machine_memory() -> float:
    """Return the memory that this process may use, in bytes; inf where that is not known."""
    limits = [math.inf]
    with suppress(AttributeError, ValueError, OSError):
        limits.append(float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError):
        # The limit of a container under Linux; "max" where there is none.
        limits.append(float(Path("/sys/fs/cgroup/memory.max").read_text("ascii")))
    return min(limits)


@contextmanager
def memory_for(what: str) -> Iterator[None]:
    """Say in an error what was being made when the memory did not suffice.

    Args:
        what: what the block makes, as in "the tables".

    Raises:
        InputError: the block raised a MemoryError.
    """
    try:
        yield
    except MemoryError as fault:
        reason = f": {fault}" if str(fault) else ""
        raise InputError(f"the memory did not suffice for {what}{reason}") from None


_PERIOD = 1.0
"""The seconds between two looks at the parent process."""


def end_with_driver(driver: int) -> None:
    """End this worker process once the process that hands out its tasks has ended.

    A worker of loky whose driver was killed would otherwise wait minutes for its next task.

    Args:
        driver: the number of that process, the parent of this one.
    """

    def watch() -> None:
        while os.getppid() == driver:
            time.sleep(_PERIOD)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def end_with_input(folder: str) -> None:
    """End this process with its group, and delete the folder, once standard input has closed.

    It closes with the process that writes to it, however that ends.
    """

    def await_end_of_input() -> None:
        sys.stdin.buffer.read()
        shutil.rmtree(folder, ignore_errors=True)
        if os.name == "posix":
            os.killpg(0, signal.SIGKILL)
        os._exit(1)

    threading.Thread(target=await_end_of_input, daemon=True).start()
