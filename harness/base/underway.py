"""What a long computation is doing, for whoever shows it, and what an interrupted one has found.

A computation says both in words that are asked for while it runs; it knows nothing of a screen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar

Words = Callable[[], str]
Show = Callable[[Words], AbstractContextManager[object]]
"""Shows what is being done until the context exits."""

_SHOW: ContextVar[Show | None] = ContextVar("show", default=None)


@contextmanager
def showing(show: Show | None) -> Iterator[None]:
    """Have what is underway in the block shown; None for nothing."""
    token = _SHOW.set(show)
    try:
        yield
    finally:
        _SHOW.reset(token)


@contextmanager
def underway(doing: Words, found: Words | None = None) -> Iterator[None]:
    """Say what the block does while it runs; of blocks within each other the outermost is shown.

    Args:
        doing: what is being done, in a clause.
        found: what has been found so far; by default how far ``doing`` is.

    Raises:
        KeyboardInterrupt: the block was interrupted; its text says what was found.
    """
    show = _SHOW.get()
    try:
        with showing(None), nullcontext() if show is None else show(doing):
            yield
    except KeyboardInterrupt as stop:
        if not str(stop):
            stop.args = (f"so far: {doing()}" if found is None else found(),)
        raise
