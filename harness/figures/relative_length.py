"""Lengths of intervals relative to those of a reference method."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.figures import selection
from harness.figures.kind import EVERY_ENGINE

if TYPE_CHECKING:
    import polars as pl


def cells_with_lengths(results: selection.Tables, kind: str) -> pl.DataFrame:
    """The cells per outcome of the first engine that the results have.

    Every engine gives the lengths; Monte Carlo only of the outcomes that were drawn.
    """
    cells = selection.cells_given(results, "outcome", EVERY_ENGINE, kind)
    engine = next(name for name in EVERY_ENGINE if name in cells["engine"])
    return cells.filter(engine=engine)


def compared_methods(
    cells: pl.DataFrame, asked: str | Sequence[str] | None, reference: str, kind: str
) -> list[str]:
    """The methods asked for, or all others of the same side as the reference.

    Raises:
        InputError: a method is absent, or there is none to compare with.
    """
    (reference,) = selection.methods(cells, reference, kind)
    if asked is not None:
        return selection.methods(cells, asked, kind)
    side = selection.side_of(cells, reference)
    others = [
        label
        for label in selection.methods(cells, None, kind)
        if label != reference and selection.side_of(cells, label) == side
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
