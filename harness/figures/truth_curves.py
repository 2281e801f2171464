"""The cells per truth from which curves over the true value are drawn."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from harness.errors import InputError
from harness.families.family import Family
from harness.figures import labels, selection
from harness.figures.kind import file_stem
from harness.figures.options import Size
from harness.numerics.arrays import Floats

if TYPE_CHECKING:
    import polars as pl


class CurveOptions(Protocol):
    """The options that say which curves to draw."""

    @property
    def n(self) -> Size | None: ...

    @property
    def methods(self) -> tuple[str, ...] | None: ...

    @property
    def alpha(self) -> float | None: ...

    @property
    def second(self) -> float | None: ...


@dataclass(frozen=True)
class TruthCurves:
    """What one drawing over the true value shows."""

    stem: str
    """File name of the drawing."""
    family: Family
    setting: str
    """The size, the true value of the second sample if there are two, and the sampling where it is
    not the family's own, in words."""
    alpha: float
    methods: tuple[str, ...]
    cells: pl.DataFrame
    """The cells of this setting and alpha, sorted by the true value."""

    def rows(self, method: str, engine: str) -> pl.DataFrame:
        """The rows of one method by one engine; there may be none."""
        return self.cells.filter(method=method, engine=engine)

    def truths(self, rows: pl.DataFrame) -> Floats:
        """The true values of rows, of the first sample if there are two, shape (m,)."""
        return rows[self.family.curve_truths[0][0]].to_numpy()

    @property
    def range(self) -> tuple[float, float]:
        """The limits of the axis: the support if it is bounded, else the range of the data."""
        if self.family.is_bounded and self.family.truth_is_of_sample:
            return self.family.model.SUPPORT
        values = self.truths(self.cells)
        low, high = float(values.min()), float(values.max())
        return (low, high) if low < high else (0.0, 2.0 * high or 1.0)


def truth_curves(
    results: selection.Tables, kind: str, asked: CurveOptions, engines: Sequence[str]
) -> list[TruthCurves]:
    """What the drawings show: one per alpha, with all methods."""
    cells = selection.cells_given(results, "truth", engines, kind)
    family = selection.family_in(cells)
    size = selection.size(cells, asked.n, kind)
    methods = tuple(selection.methods(cells, asked.methods, kind))
    setting, parts = labels.size_text(family, size), labels.size_in_stem(family, size)
    here = cells.filter(selection.at(family.sizes, size))
    # Curves go over the truth of the first sample; those of the others are held.
    (axis, _), *held = family.curve_truths
    for column, symbol in held:
        several = here[column].n_unique() > 1
        second = _held_truth(here[column], asked.second, kind)
        here = here.filter(here[column] == second)
        setting += f", {symbol} = {second:.12g}"
        parts += [f"second{second:.12g}"] if several else []
    setting += selection.sampling_text(cells)
    of_one = here.filter(method=here["method"][0], engine=here["engine"][0], alpha=here["alpha"][0])
    if of_one[axis].is_duplicated().any():
        raise InputError(f"{kind}: the results hold several tables with the same {axis}")
    return [
        TruthCurves(
            file_stem(kind, *parts, *part),
            family,
            setting,
            alpha,
            methods,
            here.filter(alpha=alpha).sort(axis),
        )
        for alpha, part in selection.alphas(cells, asked.alpha, kind)
    ]


def _held_truth(column: pl.Series, asked: float | None, kind: str) -> float:
    """The true value of the second sample: the one asked for, or the only one."""
    present: list[float] = column.unique().sort().to_list()
    # A point of a grid, as 0.3 of tenths, may differ from the number a person writes.
    found = [
        value for value in present if asked is None or math.isclose(value, asked, rel_tol=1e-9)
    ]
    if len(found) == 1:
        return found[0]
    choices = ", ".join(f"{value:.12g}" for value in present[:12])
    choices += ", …" if len(present) > 12 else ""
    if found:
        raise InputError(f"{kind}: say which true value of the second sample, one of {choices}")
    raise InputError(f"{kind}: the results hold no second true value {asked:g}, only {choices}")
