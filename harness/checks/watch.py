"""How far a check is, and how long it may take: what the parts of a check report while they run.

A part that takes time goes through its sizes by ``steps``, in a stage of the check::

    with stage(0.3):
        for size in steps(sizes):
            ...

Outside of ``watching`` this does nothing else than iterate.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TypeVar

from harness.base.errors import HarnessError

T = TypeVar("T")

Tell = Callable[[float], None]
"""Is told which fraction of a check is done, from 0 to 1."""


class TimeUpError(HarnessError):
    """A check has taken longer than it may."""


@dataclass
class _Watch:
    """How far a check is, and when it should have ended."""

    tell: Tell
    deadline: float = math.inf
    """The time at which it should have ended."""
    start: float = 0.0
    """The fraction at which what runs now begins."""
    end: float = 1.0
    """The fraction at which it ends."""


_NOBODY = _Watch(lambda _: None)
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
    deadline = math.inf if seconds is None else time.monotonic() + seconds
    token = _WATCH.set(_Watch(tell, deadline))
    try:
        yield
    finally:
        _WATCH.reset(token)


@contextmanager
def stage(share: float) -> Iterator[None]:
    """Say of what runs in the block which share it is of what is left of the stage around it."""
    watch = _WATCH.get()
    start, end = watch.start, watch.end
    watch.end = start + share * (end - start)
    watch.tell(start)
    try:
        yield
    finally:
        watch.start, watch.end = watch.end, end
    watch.tell(watch.start)


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
    if time.monotonic() > _WATCH.get().deadline:
        raise TimeUpError("the time of the check was over before all of it was done")
