"""The results of a calibration experiment on the screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import polars as pl
from rich import box
from rich.console import RenderableType
from rich.table import Table

from harness.designs.calibration import PRIOR
from harness.families.catalogue import family_of
from harness.screen.records import escape_markup, format_number
from harness.tables.results import Results

_Row = Mapping[str, Any]


def calibration_screen(results: Results) -> Iterator[RenderableType]:
    """The title, the test and the bins under each reference, and the folder of the files."""
    manifest = results.manifest
    yield f"[bold]{escape_markup(manifest['title'])}[/bold]"
    references = manifest["calibration"]["references"]
    yield from test_results(manifest)
    for row in references:
        name = row["reference"]
        yield _bins(
            results.cells.filter(pl.col("reference") == name), _reference_text(row, references)
        )
    if results.path is not None:
        yield f"Written to {escape_markup(str(results.path))}"


def test_results(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield the result of the test under each reference, as a sentence with markup."""
    references = manifest["calibration"]["references"]
    for row in references:
        yield _test_result(row, references, manifest["calibration"]["level"])


def _reference_text(row: _Row, references: list[_Row]) -> str:
    if row["reference"] != PRIOR:
        return "the truths' own distribution"
    return "the prior" if len(references) > 1 else "the truths' own prior"


def _bins(cells: pl.DataFrame, under: str) -> Table:
    parameter = family_of(cells["family"][0]).parameter
    table = Table(
        title=f"{parameter} ≥ delta: how often, by its probability under {under}",
        title_justify="left",
        box=box.SIMPLE_HEAD,
        pad_edge=False,
    )
    for name in ("bin", "trials", "mean probability", "fraction (95 %)"):
        table.add_column(name, justify="right", no_wrap=True)
    for row in cells.iter_rows(named=True):
        table.add_row(
            f"{row['bin_lower']:.4g} … {row['bin_upper']:.4g}",
            f"{row['trials']:,}",
            format_number(row["mean_probability"]),
            _fraction(row),
        )
    return table


def _fraction(row: _Row) -> str:
    if row["fraction"] is None:
        return ""
    return f"{row['fraction']:.4f} ({row['ci_lower']:.4f}, {row['ci_upper']:.4f})"


def _test_result(row: _Row, references: list[_Row], level: float) -> str:
    """The result of the test, in one sentence.

    Only a failure under the distribution of the truths is a fault of the harness.
    """
    under = _reference_text(row, references)
    if row["p_value"] is None:
        return f"[yellow]Not tested under {under}[/yellow]: too few uncertain trials."
    test = (
        f"chi-squared {row['chi_squared']:.1f} on {row['degrees_of_freedom']} degrees of freedom, "
        f"p = {row['p_value']:.2g}"
    )
    if row["p_value"] >= level:
        return f"[green]Calibrated under {under}[/green]: {test}."
    colour = "bold red" if row is references[-1] else "yellow"
    return f"[{colour}]Not calibrated under {under}[/{colour}]: {test}."
