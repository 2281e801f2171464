"""The numbers by which methods are compared, and from which difference on one is worse."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from harness.checks.behaviour import LENGTH, MEAN, WORST
from harness.checks.tolerance import Tolerance

SEARCHED, SEARCHED_LARGE = 1e-6, 0.05
"""What the search for the worst alpha of two samples may miss, relative to the reference's.

At sizes up to ``LARGEST`` it goes along the lines of all limits. Against an independent search of
every line and gap, over 804 cells of the catalogue's methods up to n = (40, 30) and exposures
(10, 2), it missed at most 1e-11; the rest is for limits that differ by rounding. Beyond, where it
climbs from many starts, it missed nothing that counts in 36 of 37 cells, and 0.6 % in one.
"""
LARGEST = {"n1": 60.0, "n2": 60.0, "exposure1": 5.0, "exposure2": 5.0}


@dataclass(frozen=True)
class Measure:
    """A number by which methods are compared."""

    column: str
    title: str
    badness: Callable[[float], float]
    """Of two numbers the one with the larger badness is worse."""
    is_relative: bool

    def excess(
        self, row: Mapping[str, float], keys: Sequence[str], tolerance: Tolerance
    ) -> float | None:
        """By how much a method is worse than its reference; None where it is not worse.

        Args:
            row: the measure of both at one size and alpha, the reference's with the suffix
                ``_reference``.
            keys: the names of the sizes and of alpha.
            tolerance: the largest differences that are none.
        """
        new, old = row[self.column], row[f"{self.column}_reference"]
        if new == old:
            # One-sided limits of an unbounded parameter are infinitely long.
            return None
        allowed = tolerance.length * self.badness(old) if self.is_relative else tolerance.alpha
        if self.column == WORST and len(keys) > len(("n", "alpha")):
            allowed = max(_searched(row) * old, allowed)
        excess = self.badness(new) - self.badness(old)
        return None if excess <= allowed else excess

    def swapped(self, row: Mapping[str, float]) -> dict[str, float]:
        """The row with the measure of the method and that of its reference exchanged."""
        other = f"{self.column}_reference"
        return {**row, self.column: row[other], other: row[self.column]}


MEASURES = (
    Measure(WORST, "worst alpha", float, False),
    Measure(MEAN, "mean alpha error", abs, False),
    Measure(LENGTH, "length", float, True),
)


def _searched(row: Mapping[str, float]) -> float:
    """What share of a worst alpha the search may miss at the sizes of a row."""
    is_large = any(row[name] > most for name, most in LARGEST.items() if name in row)
    return SEARCHED_LARGE if is_large else SEARCHED
