"""A design: how the data of a scenario arise, and what differs between designs."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Design:
    """How data arise, with all that differs between designs; what one lacks is None."""

    name: str
    """In words, as a family names it: ``one sample``."""
    outcomes_at_once: int | None
    """The number of outcomes whose limits are asked for together; None where they have no numbers.

    It keeps the temporary arrays of a large table small, and spreads over the cores what takes
    long, as pairs of counts do.
    """
    small_cells: int
    """A run of fewer cells takes seconds."""
    probed_counts: tuple[int, ...] = ()
    """The largest mean counts of two scenarios that are solved exactly, to measure the time."""
