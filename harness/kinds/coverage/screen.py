"""The results of an experiment on the screen, of coverage and of calibration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import polars as pl
from rich.console import RenderableType
from rich.table import Table

from harness.catalogue import family_in
from harness.families.family import EXACT_ENGINES, MONTE_CARLO, POSTERIOR, Family
from harness.findings.choice import advice
from harness.findings.conclusion import scored_against, sentences
from harness.findings.engines import BAD, DOUBTFUL, GOOD, PLAIN, Remark, engine_remarks
from harness.findings.least_length import least_lengths
from harness.findings.manifest import (
    failed_methods,
    missed_precision,
    unsteady_methods,
    worst_cases_are_exact,
)
from harness.findings.numbers import coverage_number, format_number, nominal, worst_range
from harness.screen.comparisons import near_nominal_screen, ranking_screen, recommendation_screen
from harness.screen.console import escape_markup
from harness.screen.records import narrow_table
from harness.tables.columns import SAMPLING
from harness.tables.results import Results
from harness.tables.wording import place_text

_MOST_ROWS = 45
_STYLES = {GOOD: "green", DOUBTFUL: "yellow", BAD: "bold red", PLAIN: ""}
_Row = Mapping[str, Any]


def results_screen(results: Results) -> Iterator[RenderableType]:
    """The title, what was found in words, the tables, the verdicts, and the folder of the files."""
    manifest = results.manifest
    yield f"[bold]{escape_markup(manifest['title'])}[/bold]"
    yield from _sampling(results.summary)
    yield from scored_against(manifest)
    exact, summary = worst_cases_are_exact(manifest), results.summary
    for line in (*sentences(summary, exact), *least_lengths(summary)):
        yield escape_markup(line)
    answers = results.recommendation
    if answers is not None:
        yield from recommendation_screen(answers, exact)
    yield _summary(results)
    ranking = results.ranking
    if ranking is not None:
        yield ranking_screen(ranking, manifest["experiment"]["truth"])
    if results.near_nominal is not None:
        yield near_nominal_screen(results.near_nominal)
    if manifest["overall"]:
        yield _overall(manifest)
    if manifest["agreement"]["checked"]:
        yield _agreement(manifest["agreement"])
    wide = missed_precision(manifest)
    if wide:
        yield f"[bold]{wide}[/bold]."
    for sentence in (*failed_methods(manifest), *unsteady_methods(manifest)):
        yield f"[bold red]Failed[/bold red]: {escape_markup(sentence)}."
    yield from map(_marked, engine_remarks(manifest))
    for line in advice(results):
        yield f"[bold]{escape_markup(line)}[/bold]"
    if results.path is not None:
        yield f"Written to {escape_markup(str(results.path))}"


def _marked(remark: Remark) -> str:
    """A remark with the colour of its meaning, as markup."""
    beginning, rest = escape_markup(remark.beginning), escape_markup(remark.rest)
    style = _STYLES[remark.meaning]
    return f"[{style}]{beginning}[/{style}]{rest}" if style else rest


def _sampling(summary: pl.DataFrame) -> Iterator[str]:
    """How outcomes arise, where it is not the family's own law, which methods are made for."""
    if SAMPLING in summary.columns:
        remark = family_in(summary).sampling_remark
        yield f"Sampling: {summary[SAMPLING][0]}. {remark}"


def _table(title: str, rows: Sequence[Sequence[str]], *names: str) -> Table:
    """A table without empty columns, and with a rule where the first column changes."""
    used = [place for place in range(len(names)) if any(row[place] for row in rows)]
    table = narrow_table(title, names=[names[place] for place in used])
    sections = len({row[0] for row in rows}) < len(rows)
    last = None
    for row in rows:
        repeated = row[0] == last
        if sections and last is not None and not repeated:
            table.add_section()
        table.add_row(
            "" if repeated else escape_markup(row[0]), *(row[place] for place in used[1:])
        )
        last = row[0]
    return table


def _summary(results: Results) -> Table:
    """A table with a row per method, alpha and size; if too long, per method, alpha and engine."""
    family = family_in(results.summary)
    keys = ("method", "alpha", *family.sizes)
    by_engine: dict[str, dict[tuple[Any, ...], _Row]] = {}
    order: dict[tuple[Any, ...], None] = {}
    for row in results.summary.iter_rows(named=True):
        key = tuple(row[name] for name in keys)
        by_engine.setdefault(row["engine"], {})[key] = row
        order[key] = None
    if len(order) > _MOST_ROWS:
        return _summary_over_sizes(results)
    several = len({key[1] for key in order}) > 1
    rows = []
    for key in order:
        drawn = by_engine.get(MONTE_CARLO, {}).get(key, {})
        integrated = by_engine.get(POSTERIOR, {}).get(key, {})
        exact = next(
            (by_engine[each][key] for each in EXACT_ENGINES if key in by_engine.get(each, {})),
            integrated,
        )
        rows.append(
            (
                key[0],
                f"{key[1]:g}" if several else "",
                *(f"{size:.15g}" for size in key[2:]),
                _estimated_coverage(drawn, key[1]),
                coverage_number(exact.get("actual_alpha"), key[1]),
                coverage_number(exact.get("worst_alpha"), key[1]),
                _places(exact, family),
                _span(integrated) if exact.get("actual_alpha") is None else "",
                format_number((exact or drawn).get("mean_length")),
            )
        )
    at = "at " + (family.symbols[0] if len(family.symbols) == 1 else "truths")
    names = ("method", "alpha", *family.sizes, "Monte Carlo (95 %)", "exact", "worst case", at)
    more = ("by outcome", "length")
    title = "Coverage in %" if several else f"Coverage in %, {nominal(key[1])} nominal"
    return _table(title + worst_range(results.summary), rows, *names, *more)


def _summary_over_sizes(results: Results) -> Table:
    """A table of the ranges over all sizes; the whole table is in summary.csv.

    The rows of ``monte_carlo`` have no extremes, and stand there only if there are no others.
    """
    grouped = results.summary.group_by("method", "alpha", "engine", maintain_order=True).agg(
        pl.len(),
        pl.col("alpha_error_min").min(),
        pl.col("alpha_error_max").max(),
        pl.col("worst_alpha").max(),
    )
    exact = grouped.filter(pl.col("engine") != MONTE_CARLO)
    grouped = grouped if exact.is_empty() else exact
    rows = [
        (
            row["method"],
            f"{row['alpha']:g}",
            row["engine"],
            str(row["len"]),
            _span(row),
            coverage_number(row["worst_alpha"], row["alpha"]),
        )
        for row in grouped.iter_rows(named=True)
    ]
    title = "Coverage in %, range over all sizes (size by size in summary.csv)"
    title += worst_range(results.summary)
    return _table(title, rows, "method", "alpha", "engine", "sizes", "coverage", "worst case")


def _overall(manifest: _Row) -> Table:
    rows = [
        (
            row["method"],
            f"{row['alpha']:g}",
            f"{row['trials']:,}",
            f"{row['misses']:,}",
            _estimated_coverage(row, row["alpha"]),
        )
        for row in manifest["overall"]
    ]
    title = "Monte Carlo over all sizes"
    return _table(title, rows, "method", "alpha", "trials", "misses", "coverage in % (95 %)")


def _agreement(agreement: _Row) -> Table:
    rows = [
        (
            line["method"],
            str(line["cells"]),
            str(line["tests"]),
            f"{line['smallest_p']:.2g}",
            f"{line['smallest_p_adjusted']:.2g}",
            "" if line["intervals_missing"] is None else str(line["intervals_missing"]),
            "" if line["expected_missing"] is None else f"{line['expected_missing']:.1f}",
        )
        for line in agreement["methods"]
    ]
    title = "Monte Carlo against exact: tests, and 95 % intervals that miss"
    names = ("method", "cells", "tests", "smallest p", "after Holm", "missing", "expected")
    return _table(title, rows, *names)


def _estimated_coverage(row: _Row, alpha: float) -> str:
    """An estimate with its interval; there is none over sizes whose trials stopped at looks."""
    if row.get("actual_alpha") is None:
        return ""
    found = coverage_number(row["actual_alpha"], alpha)
    low, high = row["ci_lower"], row["ci_upper"]
    if low is None:
        return found
    return f"{found} ({coverage_number(high, alpha)}, {coverage_number(low, alpha)})"


def _span(row: _Row) -> str:
    """The smallest and the largest coverage, over the outcomes or the listed truths."""
    if row.get("alpha_error_min") is None:
        return ""
    alpha = row["alpha"]
    ends = (
        coverage_number(alpha - row[name], alpha) for name in ("alpha_error_min", "alpha_error_max")
    )
    return " … ".join(ends)


def _places(row: _Row, family: Family) -> str:
    """The truth of the worst case, one for each sample."""
    names = family.numbered("worst_truth")
    places = [place_text(row.get(name), family.model.SUPPORT) for name in names]
    return ", ".join(place for place in places if place)
