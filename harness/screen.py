"""What a person reads on the screen: results, catalogue and intervals as rich renderables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from rich import box
from rich.console import RenderableType
from rich.table import Table

from harness.tables.results import Results
from harness.tables.schema import ENUMERATION, MONTE_CARLO, POSTERIOR

_MOST_ROWS = 64
_Row = Mapping[str, Any]


def results_screen(results: Results) -> Iterator[RenderableType]:
    """Title, summary, agreement of the engines, and where the files are."""
    manifest = results.manifest
    yield f"[bold]{_escaped(manifest['title'])}[/bold]"
    yield _summary(results)
    if manifest["overall"]:
        yield _overall(manifest)
    if manifest["agreement"]["checked"]:
        yield _agreement(manifest["agreement"])
    yield from _verdicts(manifest)
    if results.path is not None:
        yield f"Written to {_escaped(str(results.path))}"


def _table(title: str, *names: str) -> Table:
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, pad_edge=False)
    for number, name in enumerate(names):
        table.add_column(name, justify="left" if number == 0 else "right", no_wrap=True)
    return table


def _summary(results: Results) -> Table:
    """A row per method, alpha and size; or per method and alpha where that would be too long."""
    summary = results.summary
    keys = ["method", "alpha", "n"]
    wide = summary.select(keys).unique(maintain_order=True)
    if wide.height > _MOST_ROWS:
        return _summary_over_sizes(results)
    table = _table(
        "Alpha by size (misses; exact values have no error)",
        "method",
        "alpha",
        "n",
        "Monte Carlo (95 %)",
        "exact mean",
        "worst case",
        "at p",
        "mean length",
    )
    engines = {name: part for (name,), part in summary.group_by("engine")}
    rows = {
        engine: {tuple(row[key] for key in keys): row for row in part.iter_rows(named=True)}
        for engine, part in engines.items()
    }
    last = None
    for key in wide.iter_rows():
        if last is not None and key[:2] != last[:2]:
            table.add_section()
        drawn = rows.get(MONTE_CARLO, {}).get(key)
        exact = rows.get(ENUMERATION, {}).get(key) or rows.get(POSTERIOR, {}).get(key) or {}
        table.add_row(
            _escaped(key[0]) if last is None or key[:2] != last[:2] else "",
            f"{key[1]:g}",
            str(key[2]),
            _estimate(drawn),
            _number(exact.get("actual_alpha")),
            _number(exact.get("worst_alpha")),
            _place(exact.get("worst_truth")),
            _number((exact or drawn or {}).get("mean_length")),
        )
        last = key
    return table


def _summary_over_sizes(results: Results) -> Table:
    """The range over all sizes: the whole table is in summary.csv."""
    table = _table(
        "Range over all sizes (size by size in summary.csv)",
        "method",
        "alpha",
        "engine",
        "sizes",
        "alpha error",
        "worst case",
    )
    grouped = results.summary.group_by("method", "alpha", "engine", maintain_order=True).agg(
        pl.len(),
        pl.col("alpha_error_min").min(),
        pl.col("alpha_error_max").max(),
        pl.col("worst_alpha").max(),
    )
    for row in grouped.iter_rows(named=True):
        table.add_row(
            _escaped(row["method"]),
            f"{row['alpha']:g}",
            row["engine"],
            str(row["len"]),
            f"{_number(row['alpha_error_min'])} … {_number(row['alpha_error_max'])}",
            _number(row["worst_alpha"]),
        )
    return table


def _overall(manifest: _Row) -> Table:
    table = _table(
        "Monte Carlo over all sizes", "method", "alpha", "trials", "misses", "alpha (95 %)"
    )
    for row in manifest["overall"]:
        table.add_row(
            _escaped(row["method"]),
            f"{row['alpha']:g}",
            f"{row['trials']:,}",
            f"{row['misses']:,}",
            f"{row['actual_alpha']:.6f} ({row['ci_lower']:.4f}, {row['ci_upper']:.4f})",
        )
    return table


def _agreement(agreement: _Row) -> Table:
    table = _table(
        "Monte Carlo against exact, cell by cell",
        "method",
        "cells",
        "tests",
        "smallest p",
        "after Holm",
        "95 % intervals that miss",
        "that should",
    )
    for line in agreement["methods"]:
        table.add_row(
            _escaped(line["method"]),
            str(line["cells"]),
            str(line["tests"]),
            f"{line['smallest_p']:.2g}",
            f"{line['smallest_p_adjusted']:.2g}",
            str(line["intervals_missing"]),
            f"{line['expected_missing']:.1f}",
        )
    return table


def _verdicts(manifest: _Row) -> Iterator[str]:
    agreement, identity = manifest["agreement"], manifest["identity"]
    if agreement["checked"]:
        worst = min(agreement["methods"], key=lambda line: line["smallest_p_adjusted"])
        if agreement["agrees"]:
            yield f"[green]Monte Carlo and exact agree[/green] in {agreement['tests']} tests."
        else:
            yield (
                "[bold red]Monte Carlo and exact disagree[/bold red]: "
                f"{_escaped(worst['method'])}, n = {worst['at_n']}, p = {worst['smallest_p']:.2g}."
            )
    size = f"largest difference {identity['largest_discrepancy']:.1g}"
    if identity["holds"]:
        yield f"[green]Posterior and enumeration meet[/green]: {size}."
    else:
        yield (
            f"[bold red]Posterior and enumeration do not meet[/bold red]: {size}, "
            f"more than {identity['tolerance']:g}."
        )


def _estimate(row: _Row | None) -> str:
    if row is None or row["actual_alpha"] is None:
        return ""
    return f"{row['actual_alpha']:.4f} ({row['ci_lower']:.4f}, {row['ci_upper']:.4f})"


def _place(truth: float | None) -> str:
    """A truth, with the sign 0+ or 1− where the worst case is approached at an end."""
    if truth is None:
        return ""
    if truth < 1e-300:
        return "0+"
    if truth > 1 - 1e-15:
        return "1−"
    return _number(truth)


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.4f}" if value == 0 or abs(value) >= 1e-3 else f"{value:.2e}"


def _escaped(text: str) -> str:
    return text.replace("[", r"\[")


def records_table(records: Sequence[_Row]) -> Table:
    """Records as a table, numbers to the right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, value in records[0].items():
        table.add_column(name, justify="right" if isinstance(value, int | float) else "left")
    for row in records:
        table.add_row(
            *(_number(v) if isinstance(v, float) else _escaped(str(v)) for v in row.values())
        )
    return table
