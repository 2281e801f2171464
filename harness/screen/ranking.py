"""The ranking of methods on the screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from rich.table import Table

from harness.families.catalogue import family_of
from harness.families.family import Family
from harness.screen.records import escape_markup, format_number, narrow_table, worst_range
from harness.tables.answers import ORDERED_BY

_MOST_ROWS, _TOP = 45, 10
_NOISE = 1e-12
_BELOW = "below: the share of the misses in which the truth lies below the interval."
_Row = Mapping[str, Any]


def ranking_screen(ranking: pl.DataFrame, truth: Mapping[str, Any]) -> Table:
    """A table with a row per method and alpha; if that is too long, the first ten of each alpha.

    Args:
        ranking: of a run.
        truth: as the resolved config of the run has it; the caption names it.
    """
    family = family_of(ranking["family"][0])
    sizes = family.sizes
    title = f"Two-sided methods, ranked by {ORDERED_BY}{worst_range(ranking)}"
    if ranking.height > _MOST_ROWS and ranking["alpha"].n_unique() > 1:
        ranking = ranking.group_by("alpha", maintain_order=True).head(_TOP).select(ranking.columns)
        title += f" (the first {_TOP} at each alpha; all in ranking.csv)"
    table = narrow_table(title, f"{_mean_over(truth, family)} {_BELOW}")
    several = ranking["alpha"].n_unique() > 1
    names = ("worst", f"at {', '.join(sizes)}", "alpha error", "rms error")
    more = ("length", *(["infinite"] if family.is_ratio else []), "below", "score")
    for place, name in enumerate(("", "method", *(["alpha"] * several), *names, *more)):
        table.add_column(name, justify="left" if place == 1 else "right", no_wrap=True)
    for row in ranking.iter_rows(named=True):
        table.add_row(
            "" if row["rank"] is None else str(row["rank"]),
            escape_markup(row["method"]),
            *([f"{row['alpha']:g}"] * several),
            format_number(row["worst_alpha"]),
            _place(row, sizes),
            format_number(_without_noise(row["alpha_error"])),
            format_number(row["rms_alpha_error"]),
            format_number(row["relative_length"]),
            *([_share(row["infinite_length"])] if family.is_ratio else []),
            _share(row["below_share"]),
            format_number(row["relative_score"]),
        )
    return table


def _mean_over(truth: Mapping[str, Any], family: Family) -> str:
    """A sentence on what the score is a mean over; a distribution also decides what is first."""
    symbols = family.truth_parts
    parts = {symbols[key]: each for key, each in truth.items() if key in symbols}
    parts = parts or {", ".join(family.symbols): truth}
    words = " and ".join(_truth_words(*part) for part in parts.items())
    first = "" if _LISTS & set(next(iter(parts.values()))) else _FIRST
    return f"A mean score is only as good as the truth it averages over, here {words}{first}."


_LISTS = {"values", "grid"}
_FIRST = ", under which the equal tails of its own posterior come first by construction"


def _truth_words(symbol: str, truth: Mapping[str, Any]) -> str:
    """A truth of one sample in words."""
    ((kind, content),) = truth.items()
    if kind == "grid":
        return f"{content['count']} values of {symbol} in {content['start']} … {content['stop']}"
    if kind == "values":
        if len(content) == 1:
            return f"{symbol} = {content[0]}"
        return f"{len(content)} values of {symbol} in {content[0]} … {content[-1]}"
    if kind == "uniform":
        return f"{symbol} uniform on {content[0]} … {content[1]}"
    return f"{symbol} from {kind.capitalize()}({', '.join(map(str, content))})"


def _without_noise(error: float | None) -> float | None:
    """The error, or 0 if it is only what rounding left of tails that cancel."""
    return 0.0 if error is not None and abs(error) < _NOISE else error


def _place(row: _Row, sizes: Sequence[str]) -> str:
    if row["worst_alpha"] is None:
        return ""
    return ", ".join(f"{row[f'worst_{name}']:.15g}" for name in sizes)


def _share(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.0f} %"
