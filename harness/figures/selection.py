"""Which part of the results a figure is drawn from; an absent level raises an error."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.families.catalogue import family_of
from harness.families.family import Family
from harness.figures.kind import EVERY_ENGINE
from harness.figures.options import listed_sizes

if TYPE_CHECKING:
    import polars as pl

    from harness.tables.results import Results


Size = tuple[float, ...]
"""The size of each sample."""
Level = TypeVar("Level", float, str)


def cells_given(
    results: Results, condition: str, engines: Sequence[str], kind: str
) -> pl.DataFrame:
    """The cells conditioned on ``outcome`` or ``truth`` by these engines.

    Raises:
        InputError: there are none.
    """
    cells = results.cells.filter(results.cells["engine"].is_in(list(engines)), given=condition)
    if cells.is_empty():
        wanted = " or ".join(engines)
        raise InputError(f"{kind}: the results hold no cells per {condition} by {wanted}")
    return cells


def family_in(cells: pl.DataFrame) -> Family:
    """The family whose results the cells are."""
    return family_of(str(cells["family"][0]))


def sampling_text(cells: pl.DataFrame) -> str:
    """How outcomes arise, as the end of a heading; empty where it is the family's own law."""
    return f", {cells['sampling'][0]}" if "sampling" in cells.columns else ""


def methods(cells: pl.DataFrame, asked: str | Sequence[str] | None, kind: str) -> list[str]:
    """The label or labels asked for, in that order, or all of them."""
    asked = [asked] if isinstance(asked, str) else asked
    return _present("method", cells["method"].unique(maintain_order=True).to_list(), asked, kind)


def alphas(cells: pl.DataFrame, asked: float | None, kind: str) -> list[tuple[float, list[str]]]:
    """The nominal alpha asked for, or all of them.

    Returns:
        Each alpha with its part of the file name: none if the cells have only one alpha.
    """
    present: list[float] = cells["alpha"].unique(maintain_order=True).to_list()
    levels = _present("alpha", present, None if asked is None else [asked], kind)
    return [(alpha, [f"alpha{alpha:g}"] if len(present) > 1 else []) for alpha in levels]


def size(cells: pl.DataFrame, asked: float | Sequence[float] | None, kind: str) -> Size:
    """The size asked for, or the only one."""
    names = family_in(cells).sizes
    present: list[Size] = cells.select(names).unique(maintain_order=True).rows()
    wanted = tuple(asked) if isinstance(asked, Sequence) else (asked,)
    found = present if asked is None else [one for one in present if one == wanted]
    if len(found) == 1:
        return found[0]
    choices = ", ".join(format_level(one) for one in present)
    if found:
        raise InputError(f"{kind}: say which n to draw, one of {choices}")
    missing = format_level([n for n in wanted if n is not None])
    raise InputError(f"{kind}: the results hold no n {missing}, only {choices}")


def sizes(cells: pl.DataFrame, asked: Any, kind: str) -> list[Size]:
    """The sizes asked for, one or several, or the only one."""
    listed = listed_sizes(asked, len(family_in(cells).sizes))
    found = [size(cells, each, kind) for each in listed]
    if len(set(found)) < len(found):
        raise InputError(f"{kind}: each n may be named once")
    return found


def format_level(level: Sequence[float]) -> str:
    """A size or an outcome as a config writes it: one number, or two in brackets."""
    numbers = [f"{value:.12g}" for value in level]
    return numbers[0] if len(numbers) == 1 else f"[{', '.join(numbers)}]"


def at(names: Sequence[str], level: Sequence[float]) -> pl.Expr:
    """Whether the columns of these names have these values: a size, or an outcome."""
    import polars as pl

    return reduce(and_, (pl.col(name) == n for name, n in zip(names, level, strict=True)))


def side_of(cells: pl.DataFrame, label: str) -> str:
    """The side of the method with this label."""
    return str(cells.filter(method=label)["side"][0])


def method_title(cells: pl.DataFrame, label: str) -> str:
    """The title of a method, with its side if that is one limit only.

    The cells have a column of titles while figures are drawn; elsewhere it is the label.
    """
    row = cells.filter(method=label).row(0, named=True)
    title, side = str(row.get("title", label)), row["side"]
    return title if side == "two-sided" else f"{title} ({side} limit)"


def error_bars(rows: pl.DataFrame, estimate: str) -> Floats:
    """The lengths of the error bars below and above a column of estimates, shape (2, m)."""
    centre = rows[estimate].to_numpy()
    # Rounding may leave an estimate slightly outside its interval; a length is never negative.
    down = np.maximum(centre - rows["ci_lower"].to_numpy(), 0)
    up = np.maximum(rows["ci_upper"].to_numpy() - centre, 0)
    return np.stack([down, up])


def _present(
    column: str, present: list[Level], asked: Sequence[Level] | None, kind: str
) -> list[Level]:
    for level in asked or ():
        if level not in present:
            choices = ", ".join(str(one) for one in present)
            raise InputError(f"{kind}: the results hold no {column} {level}, only {choices}")
    return present if asked is None else list(asked)


def cells_with_lengths(results: Results, kind: str) -> pl.DataFrame:
    """The cells per outcome of the first engine that the results have.

    Every engine gives the lengths; Monte Carlo only of the outcomes that were drawn.
    """
    cells = cells_given(results, "outcome", EVERY_ENGINE, kind)
    engine = next(name for name in EVERY_ENGINE if name in cells["engine"])
    return cells.filter(engine=engine)


def compared_methods(
    cells: pl.DataFrame, asked: str | Sequence[str] | None, reference: str, kind: str
) -> list[str]:
    """The methods asked for, or all others of the same side as the reference.

    Raises:
        InputError: a method is absent, or there is none to compare with.
    """
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


def percent_longer(lengths: Floats, reference: Floats) -> Floats:
    """100·(length − reference)/reference; NaN if the reference is 0 or either is unknown."""
    percent = np.full(lengths.shape, np.nan)
    known = np.isfinite(lengths) & np.isfinite(reference) & (reference > 0)
    percent[known] = 100 * (lengths[known] - reference[known]) / reference[known]
    return percent
