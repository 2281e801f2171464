"""Worker processes that end when the process that started them has ended."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time

_PERIOD = 1.0
"""The seconds between two looks at the parent process."""


def end_with_driver(driver: int) -> None:
    """End this worker process once the process that hands out its tasks has ended.

    A worker of loky whose driver was killed would otherwise wait minutes for its next task.

    Args:
        driver: the number of that process, the parent of this one.
    """
    threading.Thread(target=_watch, args=(driver,), daemon=True).start()


def _watch(driver: int) -> None:
    while os.getppid() == driver:
        time.sleep(_PERIOD)
    os._exit(1)


def end_with_input(folder: str) -> None:
    """End this process with its group, and delete the folder, once standard input has closed.

    It closes with the process that writes to it, however that ends.
    """
    threading.Thread(target=_await_end_of_input, args=(folder,), daemon=True).start()


def _await_end_of_input(folder: str) -> None:
    sys.stdin.buffer.read()
    shutil.rmtree(folder, ignore_errors=True)
    if os.name == "posix":
        os.killpg(0, signal.SIGKILL)
    os._exit(1)
