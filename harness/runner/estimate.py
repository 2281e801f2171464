"""What a run is expected to cost."""

from __future__ import annotations

import math
import timeit
from collections.abc import Callable
from dataclasses import dataclass

from harness.base.errors import InputError

DAY = 86_400.0
"""The most seconds that a run may be expected to take."""


WORTH_SAYING = 10.0
"""A run that is expected to take longer, in seconds, says so before it starts."""


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """What a run is expected to cost."""

    scenarios: int
    tasks: int
    """The number of shards of the trials."""
    trials: int
    at_most: bool = False
    """Whether the trials, their tasks and the time are upper bounds, since they may end earlier."""
    cells: int
    """The number of rows of the table of cells, at most."""
    summary: int
    """The number of rows of the summary."""
    memory: float
    """The peak of memory in bytes."""
    seconds: float = 0.0
    without_user_functions: bool = False
    """Whether the run calls functions of the user, whose time is not in ``seconds``."""


BASE = 200e6
"""Bytes of the interpreter with its libraries."""
BYTES_OF_TRIAL = 64
"""Of the arrays in which a shard is drawn and sorted."""


def refuse_too_long(name: str, found: Estimate, parts: int) -> None:
    """Refuse a run that would take more than a day.

    Args:
        name: of the experiment.
        found: what it costs.
        parts: the number of machines, or of runs one after the other, that share the work.

    Raises:
        InputError: it would; the message says what would take less.
    """
    if found.seconds <= parts * DAY:
        return
    fewer = math.ceil(found.seconds / DAY)
    what = "fewer trials" if found.trials else "outcomes: {fractions: 21}"
    what = "a larger half_width, a smaller max" if found.at_most else what
    if found.scenarios > 1:
        what += " or fewer sizes"
    bound = "up to " if found.at_most else ""
    trials = f"{bound}{found.trials:,} trials over {found.scenarios:,} sizes"
    raise InputError(
        f"{name}: {trials} would "
        f"take about {found.seconds / DAY:,.3g} days on this machine, and a run may take one; "
        f"use {what} (about one in {fewer:,}), or --shard i/m with m of at least {fewer:,}"
    )


def fastest(function: Callable[[], object]) -> float:
    """The shorter one of two calls in seconds; the first one may load what it needs."""
    return min(timeit.repeat(function, number=1, repeat=2))
