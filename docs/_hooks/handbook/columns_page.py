"""The page of the columns of the tables of a run."""

from __future__ import annotations

from handbook.text import cell, code, table
from harness.families.catalogue import FAMILIES
from harness.tables.columns import TABLES
from harness.tables.dictionary import columns_of

_HEAD = """# Columns

The tables of a run, in `results/<name>/`, and their columns in order. What an engine does not know
is empty. `columns.csv` beside the tables has the same for the columns that are there, and so has
the Parquet file in its metadata ([results](results.md)).
"""

_ROWS = {
    "summary": "A row per method × alpha × size × engine.",
    "cells": "In `cells.parquet`, a row per method × alpha × size × engine × condition.",
    "ranking": "A row per alpha × method, from the best to the worst.",
    "recommendation": "A row per alpha × size × question.",
    "near_nominal": "A row per method × alpha × engine × true value; of families without a worst "
    "case.",
    "choice_truths": "In the `truths.csv` of a [choice](config.md#which-interval-to-use), a row "
    "per truth × method × alpha × size.",
    "choice_summary": "In its `summary.csv`, a row per side × alpha × method, in the order of the "
    "rule.",
    "choice_answers": "In its `answers.csv`, a row per side × alpha × allowance.",
    "calibration_summary": "In the `summary.csv` of a calibration, a row per reference.",
    "calibration_cells": "In the `cells.parquet` of a calibration, a row per reference × bin.",
    "simulation_summary": "In the `summary.csv` of a [simulation study](simulation.md), a row per "
    "scenario × method × measure; its factors are columns too.",
    "simulation_solve": "Of one with `solve` in its `solve.csv`, a row per scenario × method.",
    "simulation_differences": "In its `differences.csv`, a row per scenario × method × measure.",
    "simulation_replicates": "In its `replicates.parquet`, a row per scenario × method × trial.",
}
"""What a row of each table is."""


def page() -> str:
    """The page: each table with the type, the unit and the meaning of its columns."""
    parts = [_HEAD]
    for name in TABLES:
        parts += [f"## {name.replace('_', ' ').capitalize()}\n", f"{_ROWS[name]}\n", _columns(name)]
    return "\n".join(parts)


def _columns(name: str) -> str:
    """The columns of a table with the families that have them, where not all have."""
    having: dict[str, list[str]] = {}
    for family in FAMILIES:
        for column in columns_of(name, family):
            having.setdefault(column.name, []).append(family)
    most = max(map(len, having.values()))
    rows = (
        (
            code(column.name),
            column.type,
            column.unit,
            cell(column.meaning)
            + ("" if len(having[column.name]) == most else f" {_only(having[column.name])}"),
        )
        for column in columns_of(name)
    )
    return table(("column", "type", "unit", "meaning"), rows)


def _only(families: list[str]) -> str:
    return f"*Of {', '.join(map(code, families))}.*"
