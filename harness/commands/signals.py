"""Signals that end a command: what is half done is cleaned up before the process ends."""

from __future__ import annotations

import logging
import signal
import threading
import warnings
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import TypeVar

T = TypeVar("T")

ENDINGS = {"SIGINT": "interrupted", "SIGTERM": "terminated", "SIGHUP": "the terminal was closed"}
"""The signals that end a command, and how it says so; those that this system has are used."""


class Ended(KeyboardInterrupt):
    """The process was sent one of these signals."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self.number = number


@contextmanager
def cleaning_up() -> Iterator[None]:
    """Let signals that end the process raise ``Ended`` while the block runs.

    A signal that is ignored, as SIGHUP under ``nohup``, stays ignored. After the first one only
    SIGINT is heard, until the process has ended: a terminal that closes sends SIGHUP twice.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in ENDINGS if hasattr(signal, name)]
    former = {number: signal.getsignal(number) for number in numbers}
    heard = {number for number in numbers if former[number] not in (signal.SIG_IGN, None)}

    def end(number: int, frame: object) -> None:
        for other in heard - {signal.SIGINT}:
            signal.signal(other, signal.SIG_IGN)
            former.pop(other, None)
        # Of what libraries say about work that is broken off.
        logging.disable()
        warnings.simplefilter("ignore")
        raise Ended(number)

    for number in heard:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in heard & set(former):
            signal.signal(number, former[number])


@contextmanager
def on_terminal(shown: AbstractContextManager[T]) -> Iterator[T]:
    """Enter a bar or a spinner, whose terminal may be gone when an interrupt ends it."""
    with ExitStack() as stack:
        entered = stack.enter_context(shown)
        try:
            yield entered
        except KeyboardInterrupt:
            with suppress(OSError):
                stack.close()
            raise


def ending(stop: KeyboardInterrupt) -> tuple[str, int]:
    """What ended a command, in a clause, and its exit code: 128 + the number of the signal."""
    number = stop.number if isinstance(stop, Ended) else signal.SIGINT
    return ENDINGS[signal.Signals(number).name], 128 + number
