"""The sizes and alphas that a check is restricted to, as the option ``--grid`` gives them.

A method may be meant for one alpha only, or be a table with a few sizes. A restricted check asks it
for limits at these sizes and alphas and nowhere else, whatever the check is about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from harness.base.arguments import quoted
from harness.base.errors import InputError
from harness.families.catalogue import family_of
from harness.kinds.coverage.resolve import pairs

Size = float | tuple[float, float]
"""n or an exposure; for two samples a pair of these."""

ALPHA = "alpha"
_RANGE = re.compile(r"(\d+)\.\.(\d+)")
_MOST_OF_RANGE = 10_000


@dataclass(frozen=True)
class Restriction:
    """The only sizes and the only alphas that a check asks a method for; None where any may be.

    Every part of a check that chooses sizes or alphas of its own takes a restriction, ``ANYWHERE``
    by default, and replaces its choice by that of the restriction::

        for size in restriction.sizes_or(SIZES):
            for alpha in restriction.alphas_or(ALPHAS):

    Sizes that are drawn, or that lie between or beyond the ones of a grid, are the part's own
    choice as well: they are given as the default, and are not added to those of a restriction.
    What needs more alphas or sizes than there are passes with a message that it does not apply.
    Which outcomes of a size are asked is left to the part.
    """

    sizes: tuple[Size, ...] | None = None
    """Ascending, each once; for two samples pairs of sizes."""
    alphas: tuple[float, ...] | None = None
    """Ascending, each once."""

    def sizes_or(self, default: Sequence[Size]) -> tuple[Size, ...]:
        """The sizes of the restriction, or the default where it has none."""
        return tuple(default) if self.sizes is None else self.sizes

    def alphas_or(self, default: Sequence[float]) -> tuple[float, ...]:
        """The alphas of the restriction, or the default where it has none."""
        return tuple(default) if self.alphas is None else self.alphas

    def allows(self, size: Size, alpha: float) -> bool:
        """Whether a method may be asked for limits at a size and an alpha."""
        is_size = self.sizes is None or size in self.sizes
        return is_size and (self.alphas is None or alpha in self.alphas)


ANYWHERE = Restriction()
"""No restriction."""


def read_grid(family: str, grid: str | Mapping[str, Any]) -> dict[str, list[Any]]:
    """The numbers of a grid by name: those of the family's sizes, and ``alpha``.

    Args:
        family: the family.
        grid: a text as ``n=10,50;alpha=0.05``, in which ``n=1..30`` stands for all whole numbers
            from 1 to 30; or a mapping as ``{"n": [10, 50], "alpha": 0.05}``.

    Returns:
        Lists of numbers, which are not validated yet.

    Raises:
        InputError: a part of the grid cannot be read, or its name is not known or stands twice.
    """
    if isinstance(grid, str):
        parts = [_read_part(part, grid) for part in grid.split(";") if part.strip()]
        names = [name for name, _ in parts]
        for name in names:
            if names.count(name) > 1:
                raise InputError(f"grid has {name} twice: {quoted(grid)}")
        found = dict(parts)
    elif isinstance(grid, Mapping):
        found = {
            str(name): [values] if isinstance(values, int | float) else list(values)
            for name, values in grid.items()
        }
    else:
        raise InputError(f'grid should be as "n=10,50;alpha=0.05", found {quoted(grid)}')
    known = family_of(family)
    names = [*(known.sizes if known.has_outcomes else ()), ALPHA]
    for name in found:
        if name not in names:
            raise InputError(
                f"grid of {family} should name {' or '.join(names)}, found {quoted(name)}"
            )
    if not found:
        raise InputError(f"grid should name {' or '.join(names)}, found {quoted(grid)}")
    return found


def sizes_of_grid(family: str, grid: Mapping[str, list[Any]]) -> list[Any] | None:
    """The sizes of a grid: numbers, or pairs for two samples; None where it names none.

    Two samples have pairs of sizes of equal index; one size goes with all of the other sample.

    Raises:
        InputError: the sizes of one sample are missing, or there are not as many of both.
    """
    names = family_of(family).sizes
    given = [grid[name] for name in names if name in grid]
    if not given:
        return None
    if len(given) < len(names):
        raise InputError(f"grid of {family} should name {' and '.join(names)}, or neither")
    if len(given) == 1:
        return given[0]
    first, second = given
    if len(first) != len(second) and 1 not in (len(first), len(second)):
        raise InputError(
            f"grid should have as many {names[0]} as {names[1]}, or one of either, found "
            f"{len(first)} and {len(second)}"
        )
    return pairs(first, second, cross=False)


def _read_part(part: str, grid: str) -> tuple[str, list[float]]:
    """A name and its numbers, as of ``n=1..30,50``."""
    name, equals, text = (each.strip() for each in part.partition("="))
    try:
        if not equals:
            raise ValueError
        values = [value for piece in text.split(",") for value in _read_piece(piece.strip())]
    except ValueError:
        raise InputError(
            f'grid should be as "n=10,50;alpha=0.05" or "n=1..30", found {quoted(part.strip())} '
            f"in {quoted(grid)}"
        ) from None
    return name, values


def _read_piece(text: str) -> Sequence[float]:
    """One number, or all of a range.

    Raises:
        ValueError: it is neither, or the range is empty or has more than 10 000 numbers.
    """
    span = _RANGE.fullmatch(text)
    if span is None:
        return [int(text) if text.isdecimal() else float(text)]
    first, last = map(int, span.groups())
    if not 0 <= last - first < _MOST_OF_RANGE:
        raise ValueError
    return range(first, last + 1)
