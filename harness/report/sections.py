"""The sections that results of several kinds have: the answer, every cell, and how it was made."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from harness.base.plain_data import dump
from harness.base.text import enumerated
from harness.catalogue import family_in
from harness.findings.answer import Answer
from harness.findings.manifest import engine_remarks, engine_tables, remarked_methods
from harness.report.packing import packed_columns
from harness.report.page import Section
from harness.runner.storage import CELLS_FILE
from harness.tables.columns import CELLS, SAMPLING
from harness.tables.formats import markdown_table
from harness.tables.formats import markdown_text as escaped
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


def answer_section(answer: Answer) -> Section:
    """The section with the answer of a run."""
    return Section(
        kind="answer",
        title="The answer",
        template="answer.html",
        context={"answer": answer},
        scripts=("answer.js",),
        styles=("answer.css",),
    )


def paragraphs(answer: Answer, manifest: Mapping[str, Any]) -> Iterator[str]:
    """The answer in Markdown: sentences, the methods, and how the engines agree."""
    for sentence in answer.warnings:
        yield f"**{escaped(sentence)}**"
    for sentence in answer.sentences:
        yield escaped(sentence)
    for words, ranking in answer.rankings.items():
        heading = f"{escaped(words)}:\n\n" if len(answer.rankings) > 1 else ""
        yield heading + markdown_table(ranking)
    for remark in engine_remarks(manifest):
        yield escaped(remark.sentence)
    for sentence in answer.advice:
        yield escaped(sentence)
    seed = "" if manifest["seed"] is None else f", seed {manifest['seed']}"
    versions = ", ".join(f"{name} {number}" for name, number in manifest["versions"].items())
    yield escaped(f"{manifest['name']}{seed}; {versions}.")


def facts(results: Results, command: str, cells_file: str = CELLS_FILE) -> Section:
    """The section that says how the results were made.

    Args:
        results: of the run.
        command: the command that makes the page again.
        cells_file: the file that has the cells, which results may lack; empty if there is none.
    """
    manifest = results.manifest
    experiment = manifest["experiment"]
    file = f"{manifest['name'].rpartition('/')[2]}.yaml"
    context = {
        "config": dump(experiment),
        "file": file,
        "run": f"python -m harness run {shlex.quote(file)}",
        "command": command,
        "hash": manifest["content_hash"],
        "versions": manifest["versions"],
        "cells_file": "" if results.cells.height else cells_file,
        "seed": manifest["seed"],
        "trials": manifest["trials"].get("total"),
        "trials_by_size": manifest["trials"].get("by_size", {}),
        "remarks": list(remarked_methods(manifest)),
        "verdicts": [remark.sentence for remark in engine_remarks(manifest)],
        "tables": engine_tables(manifest),
    }
    return Section("facts", "How it was made", "facts.html", context, styles=("facts.css",))


def cells_file(results: Results, folder: Path | None) -> str:
    """The file of the cells, as a path from the folder of the page."""
    if results.path is None or folder is None:
        return CELLS_FILE
    return Path(os.path.relpath(results.path / CELLS_FILE, folder)).as_posix()


def cells(results: Results, file: str = CELLS_FILE) -> Section:
    """Return the section with the cells of a run, of a calibration its bins.

    They stand in a table to choose from, filter, sort and download.

    Args:
        results: the tables; where the cells are not stored, the section says how to have them.
        file: the file of the cells, as a path from the folder of the page.
    """
    table = results.cells
    family = family_in(results.manifest["experiment"])
    size_names = [name for name in family.sizes if name in table.columns]
    shown, left_out = _cells_in_page(table, size_names, family.model.SIZE_IS_COUNT)
    names = shown.columns
    records = results.dictionary.filter(pl.col("table") == CELLS, pl.col("column").is_in(names))
    context = {
        "file": file,
        "what": "bins" if "bin" in names else "cells",
        "count": shown.height,
        "every": table.height,
        "left_out": left_out,
        "columns": records.select("column", "unit", "meaning").to_dicts(),
    }
    title = "Cells of the smaller sizes" if left_out else "Every cell"
    if shown.is_empty():
        return Section("cells", title, "cells.html", context, styles=("cells.css",))
    several = {name for name in names if shown[name].n_unique() > 1}
    constant = [name for name in _IN_TITLE if name in names and name not in several]
    data = {
        "rows": shown.height,
        "columns": packed_columns(shown),
        "choices": [name for name in names if name in {*_CHOICES, *family.sizes} & several],
        "tested": "fraction" if "fraction" in names else "actual_alpha",
        "hidden": [*constant, *(name for name in names if not shown[name].count())],
        "all": " and ".join(f"{name} {shown[name][0]}" for name in constant if name != "family"),
        "download": f"{results.manifest['name'].replace('/', '-')}-cells.csv",
    }
    return Section("cells", title, "cells.html", context, data, ("cells.js",), ("cells.css",))


def _cells_in_page(
    table: pl.DataFrame, names: Sequence[str], size_is_count: bool
) -> tuple[pl.DataFrame, str]:
    """The rows that stand in the page, and the sizes that do not, in words.

    Args:
        table: the cells of a run.
        names: the columns that have the size.
        size_is_count: whether a size is a count, of which large ones have many outcomes.
    """
    if not names or table.is_empty():
        return table.head(MOST_CELLS), ""
    counts = table.group_by(names, maintain_order=True).len()
    every: list[tuple[Size, int]] = [(tuple(row[:-1]), int(row[-1])) for row in counts.rows()]
    kept: list[Size] = []
    room = MOST_CELLS
    for size, count in sorted(every, key=lambda pair: (sum(pair[0]), pair[0])):
        if size_is_count and max(size) > LARGEST:
            continue
        if count > room:
            break
        room -= count
        kept.append(size)
    wanted = pl.DataFrame(kept, {name: table.schema[name] for name in names}, orient="row")
    shown = table.join(wanted, on=names, how="semi", maintain_order="left")
    left_out = [size for size, _ in every if size not in kept]
    if not left_out:
        return shown, ""
    values = [_together([f"{value:.12g}" for value in size]) for size in left_out]
    few = enumerated(values) if len(values) <= 12 else ", ".join([*values[:5], "…", values[-1]])
    return shown, f"{_together(names)} = {few}"


def _together(texts: Sequence[str]) -> str:
    return texts[0] if len(texts) == 1 else f"({', '.join(texts)})"
