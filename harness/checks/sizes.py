"""The sizes and alphas of a check: validated, and restricted to those of the option ``--grid``.

A method may be meant for one alpha only, or be a table with a few sizes. A restricted check asks it
for limits at these sizes and alphas and nowhere else, whatever the check is about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.base.arguments import quoted
from harness.base.errors import InputError
from harness.base.text import enumerated
from harness.config.models.sizes import paired
from harness.families.data import levels_of
from harness.families.family import Family

Size = float | tuple[float, ...]
"""n or an exposure; for several samples one of each."""

ALPHA = "alpha"
_RANGE = re.compile(r"(\d+)\.\.(\d+)")
_MOST_OF_RANGE = 10_000


def validate_sizes(family: Family, sizes: Sequence[Any]) -> tuple[Size, ...]:
    """Return the sizes as numbers, or as pairs of floats for two samples.

    Raises:
        InputError: there are no sizes, or one of them is no size of the family.
    """
    if np.ndim(sizes) == 0 or len(sizes) == 0:
        raise InputError(f"sizes of {family.name} should be a list of them, found {sizes!r}")
    samples, is_count = len(family.outcome_sizes), family.model.SIZE_IS_COUNT
    is_row = samples > 1
    for size in sizes:
        if np.shape(size) != ((samples,) if is_row else ()):
            row = "pairs" if samples == 2 else f"rows of {samples}"
            wanted = f"{row} of numbers" if is_row else "numbers"
            raise InputError(f"sizes of {family.name} should be {wanted}, found {size!r}")
        for number in np.ravel(size).tolist():
            is_size = isinstance(number, int | float) and 0 < number < np.inf
            if not is_size or (is_count and not float(number).is_integer()):
                wanted = "whole numbers above 0" if is_count else "numbers above 0"
                raise InputError(f"sizes of {family.name} should be {wanted}, found {size!r}")
    if is_row:
        return tuple(tuple(map(float, size)) for size in sizes)
    return tuple(np.asarray(size).item() for size in sizes)


def validate_alphas(alphas: Sequence[Any]) -> tuple[float, ...]:
    """Return the alphas as floats.

    Raises:
        InputError: there are no alphas, or one of them is not between 0 and 1.
    """
    chosen = np.ravel(alphas).tolist()
    if not chosen or not all(isinstance(alpha, float) and 0 < alpha < 1 for alpha in chosen):
        raise InputError(f"alphas should lie between 0 and 1, found {chosen}")
    levels_of(chosen)
    return tuple(chosen)


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


def restriction_of_grid(family: Family, grid: str | Mapping[str, Any]) -> Restriction:
    """The restriction of a grid.

    Two samples have pairs of sizes of equal index; one size goes with all of the other sample.

    Args:
        family: the family.
        grid: a text as ``n=10,50;alpha=0.05``, in which ``n=1..30`` stands for all whole numbers
            from 1 to 30; or a mapping as ``{"n": [10, 50], "alpha": 0.05}``.

    Raises:
        InputError: a part of the grid cannot be read, its name is not known or stands twice, it
            has a size or an alpha that is none, or the sizes of two samples do not go together.
    """
    numbers = _read_grid(family, grid)
    names = family.sizes
    columns = [numbers[name] for name in names if name in numbers]
    if columns and len(columns) < len(names):
        raise InputError(f"grid of {family.name} should name {' and '.join(names)}, or neither")
    if len(columns) > 1:
        lengths = [*map(len, columns)]
        if len({*lengths} - {1}) > 1:
            given = enumerated(map(str, lengths))
            raise InputError(
                f"grid should have as many {names[0]} as {' and '.join(names[1:])}, or one of "
                f"either, found {given}"
            )
        columns = [paired(columns, cross=False)]
    return Restriction(
        tuple(sorted({*validate_sizes(family, columns[0])})) if columns else None,
        tuple(sorted({*validate_alphas(numbers[ALPHA])})) if ALPHA in numbers else None,
    )


def _read_grid(family: Family, grid: str | Mapping[str, Any]) -> dict[str, list[Any]]:
    """The numbers of a grid by name: those of the family's sizes, and ``alpha``."""
    numbers: dict[str, list[Any]] = {}
    if isinstance(grid, str):
        for part in grid.split(";"):
            name, equals, text = (word.strip() for word in part.partition("="))
            if not part.strip():
                continue
            try:
                if not equals:
                    raise ValueError
                pieces = [_read_piece(piece.strip()) for piece in text.split(",")]
            except ValueError:
                raise InputError(
                    'grid should be as "n=10,50;alpha=0.05" or "n=1..30", found '
                    f"{quoted(part.strip())} in {quoted(grid)}"
                ) from None
            if name in numbers:
                raise InputError(f"grid has {name} twice: {quoted(grid)}")
            numbers[name] = [number for piece in pieces for number in piece]
    elif isinstance(grid, Mapping):
        for key, value in grid.items():
            numbers[str(key)] = [value] if isinstance(value, int | float) else list(value)
    else:
        raise InputError(f'grid should be as "n=10,50;alpha=0.05", found {quoted(grid)}')
    names = [*family.outcome_sizes, ALPHA]
    for name in numbers:
        if name not in names:
            raise InputError(
                f"grid of {family.name} should name {' or '.join(names)}, found {quoted(name)}"
            )
    if not numbers:
        raise InputError(f"grid should name {' or '.join(names)}, found {quoted(grid)}")
    return numbers


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
