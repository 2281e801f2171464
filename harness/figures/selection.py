"""Which part of the results a figure is drawn from; what is asked for and absent is an error."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_
from typing import Protocol, TypeVar

import polars as pl

from harness.errors import InputError
from harness.figures.data_names import Size, as_written, data_names

Level = TypeVar("Level", float, str)


class Tables(Protocol):
    """What figures read of the results."""

    @property
    def cells(self) -> pl.DataFrame: ...

    @property
    def summary(self) -> pl.DataFrame: ...


def given(results: Tables, condition: str, engines: Sequence[str], kind: str) -> pl.DataFrame:
    """Cells conditioned on ``outcome`` or ``truth`` by these engines."""
    cells = results.cells.filter(
        (pl.col("given") == condition) & pl.col("engine").is_in(list(engines))
    )
    if cells.is_empty():
        wanted = " or ".join(engines)
        raise InputError(f"{kind}: the results hold no cells per {condition} by {wanted}")
    return cells


def methods(cells: pl.DataFrame, asked: str | Sequence[str] | None, kind: str) -> list[str]:
    """The label or labels asked for, in that order, or all of them."""
    asked = [asked] if isinstance(asked, str) else asked
    return _present("method", cells["method"].unique(maintain_order=True).to_list(), asked, kind)


def alphas(cells: pl.DataFrame, asked: float | None, kind: str) -> list[float]:
    """The nominal alpha asked for, or all of them."""
    present: list[float] = cells["alpha"].unique(maintain_order=True).to_list()
    return _present("alpha", present, None if asked is None else [asked], kind)


def size(cells: pl.DataFrame, asked: float | Sequence[float] | None, kind: str) -> Size:
    """The size asked for, or the only one there is."""
    names = data_names(cells).sizes
    present: list[Size] = cells.select(names).unique(maintain_order=True).rows()
    wanted = tuple(asked) if isinstance(asked, Sequence) else (asked,)
    found = present if asked is None else [one for one in present if one == wanted]
    if len(found) == 1:
        return found[0]
    choices = ", ".join(as_written(one) for one in present)
    if found:
        raise InputError(f"{kind}: say which n to draw, one of {choices}")
    written = as_written([n for n in wanted if n is not None])
    raise InputError(f"{kind}: the results hold no n {written}, only {choices}")


def at(names: Sequence[str], level: Sequence[float]) -> pl.Expr:
    """Rows of that size, or of another level of one column or two."""
    return reduce(and_, (pl.col(name) == n for name, n in zip(names, level, strict=True)))


def side_of(cells: pl.DataFrame, label: str) -> str:
    """Side of the method with this label."""
    return str(cells.filter(pl.col("method") == label)["side"][0])


def title_of(cells: pl.DataFrame, label: str) -> str:
    """A method's label as text for a figure, with its side where it has only one."""
    side = side_of(cells, label)
    return label if side == "two-sided" else f"{label} ({side} limit)"


def compared_with(
    cells: pl.DataFrame, asked: str | Sequence[str] | None, reference: str, kind: str
) -> list[str]:
    """The methods asked for, or all of the reference's side but the reference."""
    (reference,) = methods(cells, reference, kind)
    if asked is not None:
        return methods(cells, asked, kind)
    side = side_of(cells, reference)
    others = [
        label
        for label in methods(cells, None, kind)
        if label != reference and side_of(cells, label) == side
    ]
    if not others:
        raise InputError(f"{kind}: the results hold no {side} method besides {reference}")
    return others


def _present(
    column: str, present: list[Level], asked: Sequence[Level] | None, kind: str
) -> list[Level]:
    for level in asked or ():
        if level not in present:
            choices = ", ".join(str(one) for one in present)
            raise InputError(f"{kind}: the results hold no {column} {level}, only {choices}")
    return present if asked is None else list(asked)
