"""A calibration on the screen and on pages: its tests, and how often an event held."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import polars as pl
from rich import box
from rich.console import RenderableType
from rich.table import Table

from harness.base.numerics.arrays import Floats
from harness.catalogue import family_in
from harness.families.catalogue import family_of
from harness.findings.answer import Answer
from harness.findings.manifest import BAD, DOUBTFUL, GOOD, RunRemark
from harness.kinds.calibration.engine import PRIOR
from harness.kinds.coverage.screen import marked
from harness.report.page import Section
from harness.report.still_picture import CurveLine, still_picture
from harness.screen.console import escape_markup
from harness.tables.results import Results
from harness.tables.wording import format_number, whole


def calibration_remarks(manifest: Mapping[str, Any]) -> Iterator[RunRemark]:
    """Yield the result of a calibration's test under each reference.

    Only a failure under the distribution of the truths is a fault of the harness.
    """
    references, level = manifest["calibration"]["references"], manifest["calibration"]["level"]
    for row in references:
        under = reference_text(row["reference"], len(references))
        if row["p_value"] is None:
            rest = ": too few uncertain trials."
            yield RunRemark(DOUBTFUL, f"Not tested under {under}", rest)
            continue
        test = (
            f": chi-squared {row['chi_squared']:.1f} on {row['degrees_of_freedom']} degrees of "
            f"freedom, p = {row['p_value']:.2g}."
        )
        if row["p_value"] >= level:
            yield RunRemark(GOOD, f"Calibrated under {under}", test)
        else:
            meaning = BAD if row is references[-1] else DOUBTFUL
            yield RunRemark(meaning, f"Not calibrated under {under}", test)


def reference_text(reference: str, count: int) -> str:
    """A distribution of the truths, of so many under which a run is tested."""
    if reference != PRIOR:
        return "the truths' own distribution"
    return "the prior" if count > 1 else "the truths' own prior"


_NAMES = {"prior": "under the prior", "truth": "under the truths' distribution"}
_SERIES = {"prior": 1, "truth": 2}
_HALF_DASH = 0.008


def found_answer(results: Results) -> Answer:
    """The results of the tests, and the summary."""
    said = [remark.sentence for remark in calibration_remarks(results.manifest)]
    return Answer(said, [], references=results.summary.to_dicts())


def calibration_picture(results: Results) -> list[Section]:
    """The picture of a calibration; none for other results, or without cells."""
    needed = {"reference", "bin", "mean_probability", "fraction", "trials"}
    if not needed <= set(results.cells.columns):
        return []
    cells = results.cells.filter(pl.col("trials") > 0)
    if cells.is_empty():
        return []
    parts = {
        name: cells.filter(reference=name).sort("bin")
        for name in cells["reference"].unique(maintain_order=True).to_list()
    }
    event = f"Pr({family_of(cells['family'][0]).parameter} ≥ δ)"
    sentence = "; ".join(_held(_NAMES[name], part) for name, part in parts.items()) + "."
    sentence = sentence[:1].upper() + sentence[1:]
    diagonal = CurveLine(
        "the computed probability itself", np.array([0.0, 1.0]), np.array([0.0, 1.0])
    )
    lines = [diagonal, *(_marks(name, part) for name, part in parts.items())]
    x_label = f"computed {event}, mean of each bin"
    picture = still_picture(sentence, (x_label, "fraction in which it held"), lines, (0.0, 1.0))
    differences = still_picture(
        f"Fraction − computed probability. {sentence}",
        (x_label, "fraction − computed"),
        [_marks(name, part, difference=True) for name, part in parts.items()],
        marked=0.0,
    )
    rows = [
        {"name": _NAMES[name], **row}
        for name, part in parts.items()
        for row in part.iter_rows(named=True)
    ]
    context = {
        "sentence": sentence,
        "pictures": [picture, differences],
        "rows": rows,
        "event": event,
    }
    title = "Computed probabilities and how often the event held"
    return [
        Section("calibration", title, "calibration.html", context, styles=("curves.css",)),
    ]


def _held(name: str, part: pl.DataFrame) -> str:
    """How many of the intervals hold the computed probability."""
    intervals = part.drop_nulls(["ci_lower", "ci_upper"])
    computed = pl.col("mean_probability")
    inside = intervals.filter(pl.col("ci_lower") <= computed, computed <= pl.col("ci_upper")).height
    trials = whole(int(part["trials"].sum()))
    return (
        f"{name} {inside} of {intervals.height} of the 95 % intervals hold the mean computed "
        f"probability of their bin, in {trials} trials"
    )


def _marks(name: str, part: pl.DataFrame, difference: bool = False) -> CurveLine:
    """Draw the interval of each bin as an upright line, with a dash across it at the fraction."""
    x, y, low, high = (
        part[column].cast(pl.Float64).fill_null(float("nan")).to_numpy()
        for column in ("mean_probability", "fraction", "ci_lower", "ci_upper")
    )
    if difference:
        y, low, high = y - x, low - x, high - x
    gap = np.full_like(x, np.nan)
    across: Floats = np.stack([x, x, x, x - _HALF_DASH, x + _HALF_DASH, x + _HALF_DASH], axis=1)
    height: Floats = np.stack([low, high, gap, y, y, gap], axis=1)
    return CurveLine(_NAMES[name], across.ravel(), height.ravel(), _SERIES[name])


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
