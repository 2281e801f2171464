"""Which part of the results a figure is drawn from; an absent level raises an error."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.catalogue import family_in
from harness.families.family import Family
from harness.figures.kind import EVERY_ENGINE
from harness.figures.options import listed_sizes

if TYPE_CHECKING:
    import polars as pl

    from harness.tables.results import Results


Size = tuple[float, ...]
"""The size of each sample."""
Level = TypeVar("Level")


@dataclass(frozen=True)
class Selection:
    """The cells that a figure may show, and those of their levels that its options ask for.

    A level that is asked for and absent raises InputError, which names those that there are.
    """

    kind: str
    cells: pl.DataFrame
    asked: Any
    """The options of the figure."""

    @classmethod
    def conditioned(
        cls,
        results: Results,
        kind: str,
        asked: Any,
        condition: str,
        engines: Sequence[str] = EVERY_ENGINE,
    ) -> Selection:
        """The cells conditioned on ``outcome`` or ``truth`` by these engines.

        Raises:
            InputError: there are none.
        """
        cells = results.cells.filter(results.cells["engine"].is_in(list(engines)), given=condition)
        if cells.is_empty():
            wanted = " or ".join(engines)
            raise InputError(f"{kind}: the results hold no cells per {condition} by {wanted}")
        return cls(kind, cells, asked)

    @classmethod
    def with_lengths(cls, results: Results, kind: str, asked: Any) -> Selection:
        """The cells per outcome of the first engine that the results have.

        Every engine gives the lengths; Monte Carlo only of the outcomes that were drawn.
        """
        cells = cls.conditioned(results, kind, asked, "outcome").cells
        engine = next(name for name in EVERY_ENGINE if name in cells["engine"])
        return cls(kind, cells.filter(engine=engine), asked)

    @property
    def family(self) -> Family:
        """The family whose results the cells are."""
        return family_in(self.cells)

    @property
    def sampling(self) -> str:
        """How outcomes arise, as the end of a heading; empty where it is the family's own law."""
        return f", {self.cells['sampling'][0]}" if "sampling" in self.cells.columns else ""

    @property
    def methods(self) -> list[str]:
        """The label or labels asked for, in that order, or all of them."""
        return self.levels("method", self._named_methods)

    @property
    def compared(self) -> list[str]:
        """The methods asked for, or all others of the same side as the reference.

        Raises:
            InputError: a method is absent, or there is none to compare with.
        """
        (reference,) = self.levels("method", [self.asked.reference])
        if self._named_methods is not None:
            return self.methods
        sides = {label: _first_row(self.cells, label)["side"] for label in self.methods}
        side = sides.pop(reference)
        others = [label for label in sides if sides[label] == side]
        if not others:
            raise InputError(f"{self.kind}: the results hold no {side} method besides {reference}")
        return others

    @property
    def _named_methods(self) -> Sequence[str] | None:
        """The labels in the options, of one method or of several; None where all are meant."""
        method: str | None = getattr(self.asked, "method", None)
        methods: Sequence[str] | None = getattr(self.asked, "methods", None)
        return methods if method is None else [method]

    @property
    def alphas(self) -> list[tuple[float, list[str]]]:
        """The nominal alpha asked for, or all of them.

        Each has its part of the file name: none if the cells have only one alpha.
        """
        asked = self.asked.alpha
        several = self.cells["alpha"].n_unique() > 1
        levels = self.levels("alpha", None if asked is None else [asked])
        return [(alpha, [f"alpha{alpha:g}"] if several else []) for alpha in levels]

    def levels(self, column: str, asked: Sequence[Any] | None) -> list[Any]:
        """The levels of a column that are asked for, in that order, or all of them."""
        present = self.cells[column].unique(maintain_order=True).to_list()
        return levels_of(self.kind, column, asked, present)

    @property
    def size(self) -> Size:
        """The size asked for, or the only one."""
        return self._size(self.asked.n)

    @property
    def sizes(self) -> list[Size]:
        """The sizes asked for, one or several, or the only one."""
        sizes = [self._size(n) for n in listed_sizes(self.asked.n, len(self.family.sizes))]
        if len(set(sizes)) < len(sizes):
            raise InputError(f"{self.kind}: each n may be named once")
        return sizes

    def _size(self, asked: float | Sequence[float] | None) -> Size:
        """A size that is asked for, or the only one."""
        present: list[Size] = (
            self.cells.select(self.family.sizes).unique(maintain_order=True).rows()
        )
        wanted = tuple(asked) if isinstance(asked, Sequence) else (asked,)
        fitting = present if asked is None else [size for size in present if size == wanted]
        if len(fitting) == 1:
            return fitting[0]
        choices = ", ".join(format_level(size) for size in present)
        if fitting:
            raise InputError(f"{self.kind}: say which n to draw, one of {choices}")
        missing = format_level([n for n in wanted if n is not None])
        raise InputError(f"{self.kind}: the results hold no n {missing}, only {choices}")

    def some_sizes(self, asked: Sequence[Any] | None, most: int) -> list[Size]:
        """The sizes asked for, or so many at most, from the smallest to the largest."""
        present: list[Size] = sorted(self.cells.select(self.family.sizes).unique().rows())
        if asked is None:
            return spread(present, most)
        wanted = [size if isinstance(size, tuple) else (size,) for size in asked]
        return levels_of(self.kind, "size", wanted, present, format_level)

    def at_size(self, size: Size) -> pl.DataFrame:
        """The cells of one size."""
        return self.cells.filter(at(self.family.sizes, size))


def levels_of(
    kind: str,
    what: str,
    asked: Sequence[Any] | None,
    present: Sequence[Any],
    text: Callable[[Any], str] = str,
) -> list[Any]:
    """The levels that a figure of a kind asks for, in that order, or all that are present.

    Raises:
        InputError: one of them is absent.
    """
    for level in asked or ():
        if level not in present:
            several = isinstance(present, range)
            choices = f"1 to {len(present)}" if several else ", ".join(map(text, present))
            raise InputError(f"{kind}: the results hold no {what} {text(level)}, only {choices}")
    return list(present if asked is None else asked)


def format_level(level: Sequence[float]) -> str:
    """A size or an outcome as a config writes it: one number, or two in brackets."""
    numbers = [f"{value:.12g}" for value in level]
    return numbers[0] if len(numbers) == 1 else f"[{', '.join(numbers)}]"


def at(names: Sequence[str], level: Sequence[float]) -> pl.Expr:
    """Whether the columns of these names have these values: a size, or an outcome."""
    import polars as pl

    return reduce(and_, (pl.col(name) == n for name, n in zip(names, level, strict=True)))


def true_values(column: pl.Series, asked: float | None) -> tuple[list[float], str]:
    """The true values that may be meant, one or all, and a text of those that there are."""
    present: list[float] = column.unique().sort().to_list()
    # A point of a grid, as 0.3 of tenths, may differ from the number a person writes.
    meant = [p for p in present if asked is None or math.isclose(p, asked, rel_tol=1e-9)]
    choices = ", ".join(f"{p:.12g}" for p in present[:12]) + (", …" if len(present) > 12 else "")
    return meant, choices


def method_title(cells: pl.DataFrame, label: str) -> str:
    """The title of a method, with its side if that is one limit only."""
    title, side = plain_title(cells, label), _first_row(cells, label)["side"]
    return title if side == "two-sided" else f"{title} ({side} limit)"


def plain_title(cells: pl.DataFrame, label: str) -> str:
    """The title of a method.

    The cells have a column of titles while figures are drawn; elsewhere it is the label.
    """
    return str(_first_row(cells, label).get("title", label))


def _first_row(cells: pl.DataFrame, label: str) -> dict[str, Any]:
    """The first row of a method, by column."""
    return cells.filter(method=label).row(0, named=True)


def spread(levels: Sequence[Level], most: int) -> list[Level]:
    """All levels, or so many of them, evenly spread from the first to the last."""
    places = np.linspace(0, len(levels) - 1, min(len(levels), most))
    return [levels[place] for place in sorted({round(place) for place in places})]


def error_bars(rows: pl.DataFrame, estimate: str) -> Floats:
    """The lengths of the error bars below and above a column of estimates, shape (2, m)."""
    centre = rows[estimate].to_numpy()
    # Rounding may leave an estimate slightly outside its interval; a length is never negative.
    down = np.maximum(centre - rows["ci_lower"].to_numpy(), 0)
    up = np.maximum(rows["ci_upper"].to_numpy() - centre, 0)
    return np.stack([down, up])


def percent_longer(lengths: Floats, reference: Floats) -> Floats:
    """100·(length − reference)/reference; NaN if the reference is 0 or either is unknown."""
    percent = np.full(lengths.shape, np.nan)
    comparable = np.isfinite(lengths) & np.isfinite(reference) & (reference > 0)
    base = reference[comparable]
    percent[comparable] = 100 * (lengths[comparable] - base) / base
    return percent
