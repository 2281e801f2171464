"""Which true values and sizes have a panel over the size; neither a table nor a run is needed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import Field

from harness.base.plain_data import expected_found, flow, plain_number
from harness.families.family import Family
from harness.figures import options
from harness.figures.options import MOST_PANELS

Level = tuple[float, ...]
"""Numbers that belong together: true values, or sizes."""
MOST_LISTED = 12
"""The most levels that a message lists."""


class OverSize(options.PanelOptions):
    """The options of every figure over the size."""

    methods: options.Labels | None = Field(None, description=options.METHODS)
    alpha: options.Alpha | None = Field(None, description=options.ALPHA)
    truths: options.ListedLevels | None = Field(
        None,
        description="True values to draw, a panel each: numbers, or lists of numbers as in the "
        "titles of the panels; a number alone stands for every list that begins with it. "
        "Left out, all of them.",
    )
    other_sizes: options.ListedLevels | None = Field(
        None,
        description="Where there are several sizes: those after the first to draw, numbers or "
        "lists. Left out, all of them.",
    )


@dataclass(frozen=True)
class Chosen:
    """Some of the levels of an experiment."""

    found: tuple[Level, ...]
    """The levels asked for, in that order, or all of them."""
    absent: Level | None
    """The first one asked for that the experiment does not have."""


def chosen(levels: Sequence[Level], asked: Sequence[float | Level] | None) -> Chosen:
    """The levels that begin with one of the numbers, or lists of numbers, asked for."""
    if asked is None:
        return Chosen(tuple(levels), None)
    found: dict[Level, None] = {}
    for each in asked:
        wanted = each if isinstance(each, tuple) else (each,)
        hits = [level for level in levels if _begins_with(level, wanted)]
        if not hits:
            return Chosen(tuple(found), wanted)
        found |= dict.fromkeys(hits)
    return Chosen(tuple(found), None)


def _begins_with(level: Level, wanted: Level) -> bool:
    # A point of a grid, as 0.3 of tenths, may differ from the number a person writes.
    return len(wanted) <= len(level) and all(
        math.isclose(one, other, rel_tol=1e-9) for one, other in zip(level, wanted, strict=False)
    )


def truth_symbols(family: Family) -> dict[str, str]:
    """The columns of the true values with their symbols, those that curves go over first."""
    return dict(family.curve_truths) | dict(zip(family.truths, family.symbols, strict=True))


def other_sizes(sizes: Sequence[Level]) -> list[Level]:
    """The sizes after the first, without repetition, in ascending order."""
    return sorted({size[1:] for size in sizes})


def held_sizes(sizes: Sequence[Level]) -> list[Level]:
    """The sizes after the first that have panels of their own.

    There is one empty level if every first size stands beside one other only, as in equal samples.
    """
    firsts = {size[0] for size in sizes}
    return other_sizes(sizes) if len(firsts) < len(set(sizes)) else [()]


def unmet(
    asked: OverSize, family: Family, sizes: Sequence[Level], truths: Sequence[Level] | int
) -> Iterator[tuple[str, str]]:
    """Yield the options that leave nothing or too much to draw, each with a message.

    Args:
        asked: the options.
        family: the family of the experiment.
        sizes: its sizes, none where they are not known.
        truths: its true values in the order of titles, or how many there are.
    """
    here = sizes
    if sizes:
        others = chosen(other_sizes(sizes), asked.other_sizes)
        here = [size for size in sizes if size[1:] in others.found]
        if others.absent is not None:
            names = ", ".join(family.sizes[1:])
            levels = other_sizes(sizes) if names else []
            yield "other_sizes", _absent(names or "a second size", levels, others.absent)
            return
    if isinstance(truths, int):
        count = truths if asked.truths is None else 1
    else:
        values = chosen(truths, asked.truths)
        count = len(values.found)
        if values.absent is not None:
            yield "truths", _absent("a true value", truths, values.absent)
            return
    held = held_sizes(here) if here else [()]
    several = max((_sizes_beside(here, level) for level in held), default=0)
    if here and several < 2:
        wanted = f"two values or more of {family.sizes[0]} for a figure over the size"
        yield "kind", expected_found(wanted, several)
    panels = count * len(held)
    if panels > MOST_PANELS:
        narrowing = [name for name, n in (("truths", count), ("other_sizes", len(held))) if n > 1]
        yield (
            narrowing[0],
            f"expected at most {MOST_PANELS} panels, found {panels}: name fewer in the option "
            f"{' or '.join(narrowing)}",
        )


def _sizes_beside(sizes: Sequence[Level], held: Level) -> int:
    """How many first sizes stand beside the others that are held."""
    return len({size[0] for size in sizes if size[1:][: len(held)] == held})


def _absent(what: str, levels: Sequence[Level], found: Level) -> str:
    listed = ", ".join(_written(level) for level in levels[:MOST_LISTED])
    more = ", ..." if len(levels) > MOST_LISTED else ""
    wanted = f"{what} of this experiment" + (f" ({listed}{more})" if listed else "")
    return f"expected {wanted}, found {_written(found)}"


def _written(level: Level) -> str:
    """A level as a config writes it."""
    numbers = [plain_number(each) for each in level]
    return flow(numbers[0] if len(numbers) == 1 else numbers)
