"""How often a method may miss to be recommended."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Allowance:
    """How many times alpha a method may miss to be recommended."""

    mean: float = 1.1
    """How many times alpha it may miss on average over a truth, at each size. To miss less is no
    fault."""
    worst: float = 2.5
    """How many times alpha it may miss at the true value where it misses most often."""


USUAL = Allowance()
