"""How often a method may miss to be recommended."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Allowance:
    """How many times alpha a method may miss to be recommended."""

    mean: float = 1.1
    """On average over a truth, under each truth and at each size. To miss less is no fault."""
    worst: float = 2.5
    """At the truth, of all that are searched, where it misses most often."""


USUAL = Allowance()
