"""How far a check is, and how long it may take: what the parts of a check report while they run.

A part that takes time goes through its sizes by ``steps``, in a stage of the check::

    with stage(0.3):
        for size in steps(sizes):
            ...

Outside of ``watching`` this does nothing else than iterate.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeVar

from harness.base.errors import HarnessError

T = TypeVar("T")

Tell = Callable[[float], None]
"""Is told which fraction of a check is done, from 0 to 1."""


class TimeUpError(HarnessError):
    """A check has taken longer than it may."""


class _Watch:
    """The fraction that is done, and the time at which the check should have ended."""

    def __init__(self, tell: Tell, seconds: float | None) -> None:
        self._tell = tell
        self._end = None if seconds is None else time.monotonic() + seconds
        self._from, self._to = 0.0, 1.0
        """The fractions between which what runs now lies."""

    def refuse_late(self) -> None:
        if self._end is not None and time.monotonic() > self._end:
            raise TimeUpError("the time of the check was over before all of it was done")

    @contextmanager
    def stage(self, share: float) -> Iterator[None]:
        start, end = self._from, self._to
        self._to = start + share * (end - start)
        self._tell(start)
        try:
            yield
        finally:
            self._from, self._to = self._to, end
        self._tell(self._from)


_NOBODY = _Watch(lambda _: None, None)
"""Tells nobody, and knows no end."""
_WATCH = ContextVar("watch", default=_NOBODY)


@contextmanager
def watching(tell: Tell = lambda _: None, seconds: float | None = None) -> Iterator[None]:
    """Report how far the check in the block is, and limit its time.

    The limit holds between steps and between calls of the method, and breaks neither of them off.

    Args:
        tell: is told the fraction that is done.
        seconds: that the block may take; by default any number.
    """
    token = _WATCH.set(_Watch(tell, seconds))
    try:
        yield
    finally:
        _WATCH.reset(token)


def stage(share: float) -> AbstractContextManager[None]:
    """Say of what runs in the block which share it is of what is left of the stage around it."""
    return _WATCH.get().stage(share)


def steps(items: Sequence[T]) -> Iterator[T]:
    """Yield the items; each is a stage that takes about as long as the others.

    Raises:
        TimeUpError: the time of the check is over.
    """
    for number, item in enumerate(items):
        refuse_late()
        with stage(1.0 / (len(items) - number)):
            yield item


def refuse_late() -> None:
    """Raise where the time of the check is over.

    Raises:
        TimeUpError: it is over.
    """
    _WATCH.get().refuse_late()
