"""The results of an experiment on the screen, of coverage and of calibration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import polars as pl
from rich.console import RenderableType

from harness.catalogue import family_in
from harness.families.family import EXACT_ENGINES, MONTE_CARLO, POSTERIOR
from harness.findings.conclusion import advice, sentences
from harness.findings.judgements import SummaryRow, judgements
from harness.findings.manifest import (
    BAD,
    DOUBTFUL,
    GOOD,
    PLAIN,
    RunRemark,
    engine_remarks,
    failed_methods,
    missed_precision,
    tests_table,
    unsteady_methods,
    worst_cases_are_exact,
)
from harness.screen.console import escape_markup
from harness.screen.records import (
    near_nominal_screen,
    ranking_screen,
    recommendation_screen,
    table_screen,
)
from harness.tables.columns import SAMPLING
from harness.tables.formats import Entry, TextTable, text_table
from harness.tables.results import Results
from harness.tables.wording import coverage_number, format_number, nominal, place_text, worst_range

_MOST_ROWS = 45
_STYLES = {GOOD: "green", DOUBTFUL: "yellow", BAD: "bold red", PLAIN: ""}


def results_screen(results: Results, verbose: bool = False) -> Iterator[RenderableType]:
    """The title, the method to use, what was found, two tables or all, and the folder of the files.

    Args:
        results: of a run.
        verbose: whether to show the other methods to choose, the trials over all sizes and the
            tests of the engines as well.
    """
    manifest = results.manifest
    yield f"[bold]{escape_markup(manifest['title'])}[/bold]"
    if SAMPLING in results.summary.columns:
        # It is not the family's own law, which methods are made for.
        remark = family_in(results.summary).sampling_remark
        yield f"Sampling: {results.summary[SAMPLING][0]}. {remark}"
    judged = judgements(results)
    for line in advice(judged):
        yield f"[bold]{escape_markup(line)}[/bold]"
    yield from map(escape_markup, sentences(results, judged))
    yield table_screen(_summary(results), sections=True)
    if results.ranking is not None:
        yield ranking_screen(results.ranking, manifest["experiment"]["truth"])
    others = list(_other_tables(results))
    if verbose:
        yield from others
    wide = missed_precision(manifest)
    if wide:
        yield f"[bold]{wide}[/bold]."
    for sentence in (*failed_methods(manifest), *unsteady_methods(manifest)):
        yield f"[bold red]Failed[/bold red]: {escape_markup(sentence)}."
    yield from map(marked, engine_remarks(manifest))
    if results.path is not None:
        more = "" if verbose or not others else "; --verbose shows more tables"
        yield f"Written to {escape_markup(str(results.path))}{more}"


def _other_tables(results: Results) -> Iterator[RenderableType]:
    """The tables that are shown where more is asked for."""
    answers, manifest = results.recommendation, results.manifest
    if answers is not None:
        yield from recommendation_screen(answers, worst_cases_are_exact(manifest))
    if results.near_nominal is not None:
        yield near_nominal_screen(results.near_nominal)
    if manifest["overall"]:
        counted = [
            {
                "method": Entry(row["method"]),
                "alpha": Entry(f"{row['alpha']:g}"),
                "trials": Entry(f"{row['trials']:,}"),
                "misses": Entry(f"{row['misses']:,}"),
                "coverage in % (95 %)": Entry(_estimated_coverage(row, row["alpha"])),
            }
            for row in manifest["overall"]
        ]
        overall = text_table("Monte Carlo over all sizes", counted, ("method",))
        yield table_screen(overall, sections=True)
    tests = tests_table(manifest)
    if tests.rows:
        yield table_screen(tests, sections=True)


def marked(remark: RunRemark) -> str:
    """Return a remark with the colour of its meaning, as markup."""
    beginning, rest = escape_markup(remark.beginning), escape_markup(remark.rest)
    style = _STYLES[remark.meaning]
    return f"[{style}]{beginning}[/{style}]{rest}" if style else f"{beginning}{rest}"


def _summary(results: Results) -> TextTable:
    """A table with a row per method, alpha and size; if too long, per method, alpha and engine."""
    family = family_in(results.summary)
    keys = ("method", "alpha", *family.sizes)
    rows_of_keys: dict[tuple[Any, ...], dict[str, SummaryRow]] = {}
    for row in results.summary.iter_rows(named=True):
        rows_of_keys.setdefault(tuple(row[name] for name in keys), {})[row["engine"]] = row
    if len(rows_of_keys) > _MOST_ROWS:
        return _summary_over_sizes(results)
    alphas = {alpha for _, alpha, *_ in rows_of_keys}
    at = "at " + (family.symbols[0] if len(family.symbols) == 1 else "truths")
    rows = []
    for (method, alpha, *sizes), by_engine in rows_of_keys.items():
        drawn, integrated = by_engine.get(MONTE_CARLO, {}), by_engine.get(POSTERIOR, {})
        enumerated = (by_engine[engine] for engine in EXACT_ENGINES if engine in by_engine)
        exact = next(enumerated, integrated)
        named_sizes = zip(family.sizes, sizes, strict=True)
        truths = (exact.get(name) for name in family.numbered("worst_truth"))
        places = (place_text(truth, family.model.SUPPORT) for truth in truths)
        rows.append(
            {
                "method": Entry(method),
                "alpha": Entry(f"{alpha:g}" if len(alphas) > 1 else ""),
                **{name: Entry(f"{size:.15g}") for name, size in named_sizes},
                "Monte Carlo (95 %)": Entry(_estimated_coverage(drawn, alpha)),
                "exact": Entry(coverage_number(exact.get("actual_alpha"), alpha)),
                "worst case": Entry(coverage_number(exact.get("worst_alpha"), alpha)),
                at: Entry(", ".join(place for place in places if place)),
                "by outcome": Entry(_span(integrated) if exact.get("actual_alpha") is None else ""),
                "length": Entry(format_number((exact or drawn).get("mean_length"))),
            }
        )
    title = "Coverage in %" if len(alphas) > 1 else f"Coverage in %, {nominal(alpha)} nominal"
    title += worst_range(results.summary)
    shown = [row[at].text for row in rows]
    for end, where in (("0+", "just above 0"), ("1−", "just below 1")):
        if any(end in text for text in shown):
            title += f"; {end}: {where}"
    return text_table(title, rows, ("method",))


def _summary_over_sizes(results: Results) -> TextTable:
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
        {
            "method": Entry(row["method"]),
            "alpha": Entry(f"{row['alpha']:g}"),
            "engine": Entry(row["engine"]),
            "sizes": Entry(str(row["len"])),
            "coverage": Entry(_span(row)),
            "worst case": Entry(coverage_number(row["worst_alpha"], row["alpha"])),
        }
        for row in grouped.iter_rows(named=True)
    ]
    title = "Coverage in %, range over all sizes (size by size in summary.csv)"
    return text_table(title + worst_range(results.summary), rows, ("method",))


def _estimated_coverage(row: SummaryRow, alpha: float) -> str:
    """An estimate with its interval; there is none over sizes whose trials stopped at looks."""
    if row.get("actual_alpha") is None:
        return "no interval" if row.get("trials") else ""
    estimate = coverage_number(row["actual_alpha"], alpha)
    low, high = row["ci_lower"], row["ci_upper"]
    if low is None:
        return estimate
    return f"{estimate} ({coverage_number(high, alpha)}, {coverage_number(low, alpha)})"


def _span(row: SummaryRow) -> str:
    """The smallest and the largest coverage, over the outcomes or the listed truths."""
    if row.get("alpha_error_min") is None:
        return ""
    alpha = row["alpha"]
    ends = (
        coverage_number(alpha - row[name], alpha) for name in ("alpha_error_min", "alpha_error_max")
    )
    return " … ".join(ends)
