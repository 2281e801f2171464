"""The cells per truth that the curves over the true value are drawn from."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from harness.errors import InputError
from harness.figures import selection
from harness.figures.data_names import DataNames, data_names
from harness.figures.drawing import stem
from harness.figures.options import CoverageCurve, LengthCurve
from harness.numerics.arrays import Floats


@dataclass(frozen=True)
class Curves:
    """What one drawing over the true value shows."""

    stem: str
    names: DataNames
    setting: str
    """The size, and the true value of the second sample where there are two."""
    alpha: float
    methods: tuple[str, ...]
    cells: pl.DataFrame
    """Of this setting and alpha, sorted by the true value."""

    def of(self, method: str, engine: str) -> pl.DataFrame:
        """One method's rows by one engine; may be empty."""
        return self.cells.filter((pl.col("method") == method) & (pl.col("engine") == engine))

    def truth(self, rows: pl.DataFrame) -> Floats:
        """The true values of rows, of the first sample where there are two."""
        return rows[self.names.truths[0]].to_numpy()

    @property
    def range(self) -> tuple[float, float]:
        """The ends of the axis: those of all proportions, of rates those of the data."""
        if not self.names.of_rates:
            return 0.0, 1.0
        values = self.truth(self.cells)
        low, high = float(values.min()), float(values.max())
        return (low, high) if low < high else (0.0, 2.0 * high or 1.0)


def curves(
    results: selection.Tables,
    kind: str,
    options: CoverageCurve | LengthCurve,
    engines: Sequence[str],
) -> list[Curves]:
    """One drawing per alpha, all methods in it."""
    cells = selection.given(results, "truth", engines, kind)
    several_alphas = cells["alpha"].n_unique() > 1
    names = data_names(cells)
    size = selection.size(cells, options.n, kind)
    labels = tuple(selection.methods(cells, options.methods, kind))
    setting, parts = names.sized(size), names.size_in_stem(size)
    here = cells.filter(selection.at(names.sizes, size))
    if len(names.truths) == 2:
        several = here[names.truths[1]].n_unique() > 1
        second = _held(here, names, options.second, kind)
        here = here.filter(pl.col(names.truths[1]) == second)
        setting += f", {names.parameters()[1]} = {second:.12g}"
        parts += [f"second{second:.12g}"] if several else []
    return [
        Curves(
            stem(kind, *parts, *([f"alpha{level:g}"] if several_alphas else [])),
            names,
            setting,
            level,
            labels,
            here.filter(pl.col("alpha") == level).sort(names.truths[0]),
        )
        for level in selection.alphas(cells, options.alpha, kind)
    ]


def _held(cells: pl.DataFrame, names: DataNames, asked: float | None, kind: str) -> float:
    """The true value of the second sample: the one asked for, or the only one there is."""
    present: list[float] = cells[names.truths[1]].unique().sort().to_list()
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
