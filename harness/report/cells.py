"""The cells of a run as a table to choose from, filter, sort and download."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from harness.base.text import enumerated
from harness.catalogue import family_in
from harness.report.packing import packed_columns
from harness.report.page import Section
from harness.runner.storage import CELLS_FILE
from harness.tables.columns import CELLS, SAMPLING
from harness.tables.results import Results

LARGEST = 100
"""The largest size, where it is a count, whose cells stand in the page; of two samples of each."""
MOST_CELLS = 60_000
"""The most cells of one run in the page: beyond, those of the largest sizes are left to the file.
A cell takes 10 to 25 letters of the page."""
_CHOICES = ("reference", "method", "side", "alpha", "engine", "given", SAMPLING)
"""The columns besides the sizes whose values are chosen from a list."""
_IN_TITLE = ("family", "side", "alpha", "given", SAMPLING)
"""The columns that are said once where all rows have the same value."""

Size = tuple[float, ...]


def cells(results: Results, file: str = CELLS_FILE) -> list[Section]:
    """Return the section with the cells of a run, of a calibration its bins.

    Args:
        results: the tables; where the cells are not stored, the section says how to have them.
        file: the file of the cells, as a path from the folder of the page.
    """
    table = results.cells
    shown, left_out = _shown(results)
    context = {
        "file": file,
        "what": "bins" if "bin" in table.columns else "cells",
        "count": shown.height,
        "every": table.height,
        "left_out": left_out,
        "columns": _meanings(results, shown.columns),
    }
    return [
        Section(
            kind="cells",
            title="Every cell" if not left_out else "Cells of the smaller sizes",
            template="cells.html",
            context=context,
            data=_data(results, shown) if shown.height else None,
            scripts=("cells.js",) if shown.height else (),
            styles=("cells.css",),
        )
    ]


def _shown(results: Results) -> tuple[pl.DataFrame, str]:
    """The rows that stand in the page, and the sizes that do not, in words."""
    table = results.cells
    family = family_in(results.manifest["experiment"])
    names = [name for name in family.sizes if name in table.columns]
    if not names or table.is_empty():
        return table.head(MOST_CELLS), ""
    counts = table.group_by(names, maintain_order=True).len()
    every: list[tuple[Size, int]] = [(tuple(row[:-1]), int(row[-1])) for row in counts.rows()]
    kept: list[Size] = []
    room = MOST_CELLS
    for size, count in sorted(every, key=lambda each: (sum(each[0]), each[0])):
        if family.model.SIZE_IS_COUNT and max(size) > LARGEST:
            continue
        if count > room:
            break
        room -= count
        kept.append(size)
    wanted = pl.DataFrame(kept, {name: table.schema[name] for name in names}, orient="row")
    shown = table.join(wanted, on=names, how="semi", maintain_order="left")
    return shown, _size_words(names, [size for size, _ in every if size not in set(kept)])


def _size_words(names: Sequence[str], sizes: Sequence[Size]) -> str:
    """Sizes by the names of their columns: ``n = 200, 500 and 1000``."""
    if not sizes:
        return ""
    values = [_together([f"{value:.12g}" for value in size]) for size in sizes]
    if len(values) <= 12:
        return f"{_together(names)} = {enumerated(values)}"
    return f"{_together(names)} = {', '.join([*values[:5], '…', values[-1]])}"


def _together(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"


def _data(results: Results, shown: pl.DataFrame) -> dict[str, Any]:
    """What the script reads."""
    family = family_in(results.manifest["experiment"])
    several = {name for name in shown.columns if shown[name].n_unique() > 1}
    chosen = [name for name in shown.columns if name in {*_CHOICES, *family.sizes}]
    constant = [name for name in _IN_TITLE if name in shown.columns and name not in several]
    return {
        "rows": shown.height,
        "columns": packed_columns(shown),
        "choices": [name for name in chosen if name in several],
        "tested": "fraction" if "fraction" in shown.columns else "actual_alpha",
        "hidden": [*constant, *(name for name in shown.columns if not shown[name].count())],
        "all": " and ".join(f"{name} {shown[name][0]}" for name in constant if name != "family"),
        "download": f"{results.manifest['name'].replace('/', '-')}-cells.csv",
    }


def _meanings(results: Results, names: Sequence[str]) -> list[dict[str, str]]:
    """Name, unit and meaning of each column."""
    rows = results.dictionary.filter(pl.col("table") == CELLS, pl.col("column").is_in(list(names)))
    return rows.select("column", "unit", "meaning").to_dicts()
