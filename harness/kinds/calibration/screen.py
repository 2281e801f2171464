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
    parameter = family_in(results.cells).parameter
    for row in references:
        under = reference_text(row["reference"], len(references))
        table = Table(
            title=f"{parameter} ≥ delta: how often, by its probability under {under}",
            title_justify="left",
            box=box.SIMPLE_HEAD,
            pad_edge=False,
        )
        for heading in ("bin", "trials", "mean probability", "fraction (95 %)"):
            table.add_column(heading, justify="right", no_wrap=True)
        cells = results.cells.filter(pl.col("reference") == row["reference"])
        for cell in cells.iter_rows(named=True):
            fraction = ""
            if cell["fraction"] is not None:
                interval = f"({cell['ci_lower']:.4f}, {cell['ci_upper']:.4f})"
                fraction = f"{cell['fraction']:.4f} {interval}"
            table.add_row(
                f"{cell['bin_lower']:.4g} … {cell['bin_upper']:.4g}",
                f"{cell['trials']:,}",
                format_number(cell["mean_probability"]),
                fraction,
            )
        yield table
    if results.path is not None:
        yield f"Written to {escape_markup(str(results.path))}"
