"""What a person reads of a ranking on the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from rich import box
from rich.table import Table

from harness.screen.records import escaped, number
from harness.tables.ranking import ORDERED_BY

_MOST_ROWS, _TOP = 45, 10
_NOISE = 1e-12
_Row = Mapping[str, Any]


def ranking_screen(ranking: pl.DataFrame, sizes: Sequence[str]) -> Table:
    """A row per method and alpha; the first ten of each alpha where that is too long."""
    title = f"Two-sided methods, ranked by {ORDERED_BY}"
    if ranking.height > _MOST_ROWS and ranking["alpha"].n_unique() > 1:
        ranking = ranking.group_by("alpha", maintain_order=True).head(_TOP).select(ranking.columns)
        title += f" (the first {_TOP} at each alpha; all in ranking.csv)"
    table = Table(
        title=title,
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )
    several = ranking["alpha"].n_unique() > 1
    names = ("worst", f"at {', '.join(sizes)}", "alpha error", "rms error")
    more = ("length", "below", "score")
    for place, name in enumerate(("", "method", *(["alpha"] * several), *names, *more)):
        table.add_column(name, justify="left" if place == 1 else "right", no_wrap=True)
    for row in ranking.iter_rows(named=True):
        table.add_row(
            "" if row["rank"] is None else str(row["rank"]),
            escaped(row["method"]),
            *([f"{row['alpha']:g}"] * several),
            number(row["worst_alpha"]),
            _place(row, sizes),
            number(_without_noise(row["alpha_error"])),
            number(row["rms_alpha_error"]),
            number(row["relative_length"]),
            _share(row["below_share"]),
            number(row["relative_score"]),
        )
    return table


def _without_noise(error: float | None) -> float | None:
    """A mean of tails that cancel is 0, and not what rounding leaves of it."""
    return 0.0 if error is not None and abs(error) < _NOISE else error


def _place(row: _Row, sizes: Sequence[str]) -> str:
    if row["worst_alpha"] is None:
        return ""
    return ", ".join(f"{row[f'worst_{name}']:.15g}" for name in sizes)


def _share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f} %"
