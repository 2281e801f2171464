"""The memory of this machine, and the sentence that names what did not fit into it."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from harness.base.errors import InputError


def machine_memory() -> float:
    """Return the memory that this process may use, in bytes; inf where that is not known."""
    known = [math.inf]
    with suppress(AttributeError, ValueError, OSError):
        known.append(float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE"))
    with suppress(OSError, ValueError):
        # The limit of a container under Linux; "max" where there is none.
        known.append(float(Path("/sys/fs/cgroup/memory.max").read_text("ascii")))
    return min(known)


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
