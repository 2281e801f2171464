"""Which part of the results a figure is drawn from; what is asked for and absent is an error."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

import polars as pl

from harness.errors import InputError

Level = TypeVar("Level", int, float, str)


class Tables(Protocol):
    """What figures read of the results."""

    @property
    def cells(self) -> pl.DataFrame: ...


def given(results: Tables, condition: str, engines: Sequence[str], kind: str) -> pl.DataFrame:
    """Cells conditioned on ``outcome`` or ``truth`` by these engines."""
    cells = results.cells.filter(
        (pl.col("given") == condition) & pl.col("engine").is_in(list(engines))
    )
    if cells.is_empty():
        wanted = " or ".join(engines)
        raise InputError(f"{kind}: the results hold no cells per {condition} by {wanted}")
    return cells


def levels(cells: pl.DataFrame, column: str) -> list[object]:
    """Distinct values of a column, in the order in which they appear."""
    return cells[column].unique(maintain_order=True).to_list()


def pick(cells: pl.DataFrame, column: str, asked: Level | None, kind: str) -> list[Level]:
    """The level asked for, or all of them."""
    return pick_several(cells, column, None if asked is None else (asked,), kind)


def pick_several(
    cells: pl.DataFrame, column: str, asked: Sequence[Level] | None, kind: str
) -> list[Level]:
    """The levels asked for, in that order, or all of them."""
    present: list[Level] = cells[column].unique(maintain_order=True).to_list()
    for level in asked or ():
        if level not in present:
            raise InputError(f"{kind}: {_absent(column, level, present)}")
    return present if asked is None else list(asked)


def pick_one(cells: pl.DataFrame, column: str, asked: Level | None, kind: str) -> Level:
    """The level asked for, or the only one there is."""
    found = pick(cells, column, asked, kind)
    if len(found) > 1:
        choices = ", ".join(str(level) for level in found)
        raise InputError(f"{kind}: say which {column} to draw, one of {choices}")
    return found[0]


def side_of(cells: pl.DataFrame, label: str) -> str:
    """Side of the method with this label."""
    return str(cells.filter(pl.col("method") == label)["side"][0])


def title_of(cells: pl.DataFrame, label: str) -> str:
    """A method's label, with its side where it has only one."""
    side = side_of(cells, label)
    return label if side == "two-sided" else f"{label} ({side} limit)"


def _absent(column: str, level: object, present: Sequence[object]) -> str:
    choices = ", ".join(str(one) for one in present)
    return f"the results hold no {column} {level} for it, only {choices}"
