"""A table of limits: the points that it has, and the limits there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from harness.arguments import validate_choice, validate_path
from harness.methods.method import ALL_SIDES, TWO_SIDED

Sizes = tuple[float, ...]
Counts = tuple[float, ...]
Pair = tuple[float, float]


_ENDING = ".csv"


def is_table(name: str) -> bool:
    """Whether the name of a method is that of a table, as ``limits.csv``."""
    return name.lower().endswith(_ENDING)


@dataclass(frozen=True)
class LimitTable:
    """A CSV file with limits of any origin: a statistics program, a spreadsheet, a paper.

    Its first line names the columns: the data of the family, ``alpha``, ``lower`` and ``upper``.

    Args:
        path: the file, in UTF-8, with commas between fields and points in decimal numbers.
        side: "two-sided"; or "lower" or "upper" of a table that has that limit, while the other
            one is the end of the parameter's range.

    Raises:
        InputError: the path is no path, or the side is unknown.
    """

    path: str | Path
    side: str = TWO_SIDED

    def __post_init__(self) -> None:
        validate_path("path", self.path)
        validate_choice("side", self.side, ALL_SIDES)


@dataclass(frozen=True)
class TablePoints:
    """The limits of a table by the size of each sample, alpha and the counts of an outcome."""

    label: str
    """What the method is called: the path of the file."""
    family: str
    side: str
    limits: Mapping[Sizes, Mapping[float, Mapping[Counts, Pair]]]

    @property
    def sizes(self) -> tuple[Sizes, ...]:
        """The sizes that have a point, ascending."""
        return tuple(sorted(self.limits))

    @property
    def alphas(self) -> tuple[float, ...]:
        """The alphas that have a point, ascending."""
        return tuple(sorted({alpha for by_alpha in self.limits.values() for alpha in by_alpha}))

    @property
    def count(self) -> int:
        """The number of points."""
        return sum(len(found) for by_alpha in self.limits.values() for found in by_alpha.values())

    def at(self, sizes: Sizes, alpha: float) -> Mapping[Counts, Pair]:
        """The limits at a size and alpha, by the counts of the outcome."""
        return self.limits.get(sizes, {}).get(alpha, {})
