"""Worker processes that end when the process that started them has ended."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable
from functools import cache
from typing import TypeVar

T = TypeVar("T")

_PERIOD = 1.0
"""The seconds between two looks at the parent process."""


def call_while_driven(driver: int, function: Callable[..., T], *arguments: object) -> T:
    """Return ``function(*arguments)``; a worker process ends once its driver has ended.

    A worker of loky whose driver was killed would otherwise wait minutes for its next task.

    Args:
        driver: the process that hands out the tasks. Elsewhere than in a child of it, as in a
            thread or on another machine, nothing is watched.
        function: the task.
        arguments: of the task.
    """
    if os.getppid() == driver:
        _end_with(driver)
    return function(*arguments)


@cache
def _end_with(driver: int) -> None:
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
