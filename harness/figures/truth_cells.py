"""The cells per truth that the curves over p are drawn from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from harness.figures import selection
from harness.figures.drawing import stem


@dataclass(frozen=True)
class Curves:
    """What one drawing over p shows."""

    stem: str
    n: int
    alpha: float
    methods: tuple[str, ...]
    cells: pl.DataFrame
    """Of this n and alpha, sorted by truth."""

    def of(self, method: str, engine: str) -> pl.DataFrame:
        """One method's rows by one engine; may be empty."""
        return self.cells.filter((pl.col("method") == method) & (pl.col("engine") == engine))


def curves(
    results: selection.Tables,
    kind: str,
    n: int | None,
    methods: Sequence[str] | None,
    alpha: float | None,
    engines: Sequence[str],
) -> list[Curves]:
    """One drawing per alpha, all methods in it."""
    cells = selection.given(results, "truth", engines, kind)
    several_alphas = cells["alpha"].n_unique() > 1
    size = selection.size(cells, n, kind)
    labels = tuple(selection.methods(cells, methods, kind))
    return [
        Curves(
            stem(kind, f"n{size}", *([f"alpha{level:g}"] if several_alphas else [])),
            size,
            level,
            labels,
            cells.filter((pl.col("n") == size) & (pl.col("alpha") == level)).sort("truth"),
        )
        for level in selection.alphas(cells, alpha, kind)
    ]
