"""A calibration on the screen."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl
from rich import box
from rich.console import RenderableType
from rich.table import Table

from harness.catalogue import family_in
from harness.findings.numbers import format_number
from harness.kinds.calibration.findings import calibration_remarks, reference_text
from harness.kinds.coverage.screen import marked
from harness.screen.console import escape_markup
from harness.tables.results import Results


def calibration_screen(results: Results) -> Iterator[RenderableType]:
    """The title, the test and the bins under each reference, and the folder of the files."""
    manifest = results.manifest
    yield f"[bold]{escape_markup(manifest['title'])}[/bold]"
    references = manifest["calibration"]["references"]
    yield from map(marked, calibration_remarks(manifest))
    for row in references:
        name = row["reference"]
        yield _bins(
            results.cells.filter(pl.col("reference") == name), reference_text(name, len(references))
        )
    if results.path is not None:
        yield f"Written to {escape_markup(str(results.path))}"


def _bins(cells: pl.DataFrame, under: str) -> Table:
    parameter = family_in(cells).parameter
    table = Table(
        title=f"{parameter} ≥ delta: how often, by its probability under {under}",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for name in ("bin", "trials", "mean probability", "fraction (95 %)"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in cells.iter_rows(named=True):
        fraction = ""
        if row["fraction"] is not None:
            fraction = f"{row['fraction']:.4f} ({row['ci_lower']:.4f}, {row['ci_upper']:.4f})"
        table.add_row(
            f"{row['bin_lower']:.4g} … {row['bin_upper']:.4g}",
            f"{row['trials']:,}",
            format_number(row["mean_probability"]),
            fraction,
        )
    return table
