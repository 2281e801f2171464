"""From which size on coverage is near nominal, on the screen."""

from __future__ import annotations

from typing import Any

import polars as pl
from rich.table import Table

from harness.families.catalogue import family_of
from harness.screen.records import escape_markup, narrow_table

_MOST_COLUMNS = 6


def near_nominal_screen(table: pl.DataFrame) -> Table:
    """A table with a row per method and a column per true value.

    Args:
        table: ``near_nominal`` of a run.
    """
    family = family_of(table["family"][0])
    axis = family.sizes[0]
    alphas = table["alpha"].unique(maintain_order=True).to_list()
    keys = [name for name in (*family.sizes[1:], *family.truths) if table[name].n_unique() > 1]
    settings = table.select(keys).unique(maintain_order=True).rows() if keys else [()]
    shown = settings[:_MOST_COLUMNS]
    title = f"The {axis} from which on coverage is within alpha/5 of nominal"
    if len(settings) > len(shown):
        title += f" (the first {len(shown)} of {len(settings)} settings; all in near_nominal.csv)"
    out = narrow_table(title, "–: not even at the largest. Monte Carlo is taken as it is.")
    several = len(alphas) > 1, table["engine"].n_unique() > 1
    names = ["method", *(["alpha"] * several[0]), *(["engine"] * several[1])]
    names += [_words(keys, setting) or axis for setting in shown]
    for place, name in enumerate(names):
        out.add_column(name, justify="right" if place else "left", no_wrap=True)
    for part in table.partition_by(["method", "alpha", "engine"], maintain_order=True):
        here = part.select(keys).rows() if keys else [()] * part.height
        found = dict(zip(here, part["near_from"], strict=True))
        first = part.row(0, named=True)
        out.add_row(
            escape_markup(first["method"]),
            *([f"{first['alpha']:g}"] * several[0]),
            *([first["engine"]] * several[1]),
            *(_size(found[setting]) for setting in shown),
        )
    return out


def _words(keys: list[str], setting: tuple[Any, ...]) -> str:
    """A setting in words: ``rho = 0.1``."""
    return ", ".join(f"{key} = {value:g}" for key, value in zip(keys, setting, strict=True))


def _size(value: float | None) -> str:
    return "–" if value is None else f"{value:.15g}"
