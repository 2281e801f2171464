"""The answer of a run: its conclusion in words, and a table of its methods from best to worst."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import polars as pl

from harness.base.text import first_few
from harness.catalogue import family_in
from harness.families.family import MONTE_CARLO
from harness.findings.conclusion import advice, sentences
from harness.findings.judgements import (
    MARGIN,
    AtAlpha,
    MethodJudgement,
    SummaryRow,
    first_largest,
    judgements,
    mean_ratio,
    size_of,
)
from harness.findings.manifest import agrees, failed_methods, missed_precision, unsteady_methods
from harness.findings.verdicts import (
    ABOUT,
    KINDS,
    NEVER_ABOVE,
    NO_INTERVAL,
    ON_AVERAGE,
    UNDERSTATES,
    Verdict,
    verdict,
)
from harness.tables.answers import rounding_of
from harness.tables.formats import NOTHING, Entry, TextTable, text_table
from harness.tables.results import Results
from harness.tables.wording import (
    coverage,
    covered,
    method_titles,
    nominal,
    place_text,
    significant,
    whole,
)

METHOD, VERDICT = "Method", "Verdict"
WORST, OUTCOME, MEAN = "Worst-case coverage", "Lowest coverage of an outcome", "Mean coverage"
ESTIMATE, LENGTH = "by Monte Carlo", "Relative length"
COLUMNS = (METHOD, VERDICT, WORST, OUTCOME, MEAN, ESTIMATE, LENGTH)
"""The headings of the table of methods."""

Row = dict[str, Entry]


@dataclass(frozen=True)
class Answer:
    """What a run has found, before all details."""

    sentences: Sequence[str]
    warnings: Sequence[str]
    """What makes its numbers doubtful: failed methods, engines that disagree."""
    rankings: Mapping[str, TextTable] = field(default_factory=dict)
    """The methods at each alpha, the best first, by words that say of what the table is."""
    advice: Sequence[str] = ()
    """Which method to use, a line for each alpha."""
    references: Sequence[Mapping[str, Any]] = field(default=())
    """The rows of the summary of a calibration."""


def found_answer(results: Results) -> Answer:
    """What a run has found, in words and as a table for each alpha."""
    judged, manifest = judgements(results), results.manifest
    titles = method_titles(manifest)
    rankings: dict[str, TextTable] = {}
    for at_alpha in judged:
        methods, unit = at_alpha.methods, None
        if len(methods) > 1:
            kept = [method for method in methods if method.keeps]
            unit = at_alpha.shortest(kept) or at_alpha.shortest(methods)
        rows = [_row(results, method, at_alpha, unit, titles) for method in methods]
        rows += [_row_of_outcomes(results, row, titles) for row in at_alpha.outcomes.values()]
        rows = _with_unanswered_sizes(results, at_alpha.alpha, rows, titles)
        rows.sort(key=_order)
        for place, row in enumerate(rows, 1):
            row[VERDICT] = replace(row[VERDICT], value=float(place))
        if rows:
            caption = _caption(rows, at_alpha, unit, titles)
            words = f"At {nominal(at_alpha.alpha)} nominal coverage"
            rankings[words] = text_table(caption, rows, (METHOD, VERDICT))
    failures = (*failed_methods(manifest), *unsteady_methods(manifest))
    warnings = [f"Failed: {sentence}." for sentence in failures]
    wide = missed_precision(manifest)
    if wide:
        warnings.append(f"{wide}.")
    if not agrees(manifest):
        warnings.append("The engines disagree; the last section of this result says in what.")
    return Answer(
        sentences(results, judged),
        warnings,
        rankings,
        list(advice(judged)),
    )


def _order(row: Row) -> tuple[Any, ...]:
    """Best first: by the verdict, then by the length or by how little a method covers."""
    worst, outcome, mean = (row[name].value for name in (WORST, OUTCOME, MEAN))
    lowest = outcome if worst is None else worst
    missed, missed_on_average = (math.inf if value is None else -value for value in (lowest, mean))
    length = row[LENGTH].value
    length = math.inf if length is None else length
    keys = {
        NEVER_ABOVE: (length, missed),
        ON_AVERAGE: (missed, length),
        ABOUT: (missed_on_average, missed),
        UNDERSTATES: (missed_on_average, missed),
        NO_INTERVAL: (),
    }
    kind = row[VERDICT].kind
    return KINDS.index(kind), *keys[kind], row[METHOD].note or row[METHOD].text


def _caption(
    rows: Sequence[Row], judged: AtAlpha, unit: MethodJudgement | None, titles: Mapping[str, str]
) -> str:
    """How the methods are ranked, and what the words of the table mean."""
    said = [
        "The methods by their verdict, the best first; nominal coverage is "
        f"{nominal(judged.alpha)}."
    ]
    if unit is not None:
        title = titles.get(unit.method, unit.method)
        kept = [method for method in judged.with_lengths if method.keeps]
        if kept and any(method.worst_case is None for method in kept):
            which = "that was not found to cover too little on average"
        elif kept:
            never = (
                "never covers"
                if all(method.is_proven for method in kept)
                else "was not found to cover"
            )
            which = f"that {never} too little"
        else:
            is_some = any(method.keeps for method in judged.methods)
            which = "of all whose lengths are known" if is_some else "of all"
        said.append(f"Lengths are relative to those of {title}, the shortest {which}.")
    if any(row[MEAN].place for row in rows):
        said.append("Each column shows the method's worst size, named below the number.")
    if any(row[VERDICT].kind == ABOUT for row in rows):
        least = nominal((1 + MARGIN) * judged.alpha)
        said.append(f"About right is a mean coverage of {least} or more.")
    places = [row[name].place for row in rows for name in (WORST, OUTCOME)]
    for end, where in (("0+", "above 0"), ("1−", "below 1")):
        if any(place.endswith(end) or f"{end}," in place for place in places):
            said.append(f"{end} is a true value just {where}.")
    return " ".join(said)


def _empty_row(label: str, verdict: Verdict, titles: Mapping[str, str]) -> Row:
    """The row of a method of which nothing is known but its verdict."""
    title = titles.get(label, label)
    row = dict.fromkeys(COLUMNS, NOTHING)
    row[METHOD] = Entry(title, note="" if title == label else label)
    row[VERDICT] = Entry(verdict.words, kind=verdict.kind)
    return row


def _with_unanswered_sizes(
    results: Results, alpha: float, rows: Sequence[Row], titles: Mapping[str, str]
) -> list[Row]:
    """The rows, with the sizes at which a method has no interval in any trial in its verdict.

    A method that has none at any size gets a row of its own.
    """
    by_method = {row[METHOD].note or row[METHOD].text: row for row in rows}
    unanswered = results.summary.filter(
        pl.col("alpha") == alpha, pl.col("trials") > 0, pl.col("actual_alpha").is_null()
    )
    for part in unanswered.partition_by("method", maintain_order=True):
        method = part["method"][0]
        if method not in by_method:
            by_method[method] = _empty_row(method, Verdict(NO_INTERVAL, NO_INTERVAL), titles)
            continue
        row = by_method[method]
        sizes = first_few([size_of(row) for row in part.iter_rows(named=True)])
        words = f"{row[VERDICT].text}; {NO_INTERVAL} at {sizes}"
        by_method[method] = {**row, VERDICT: replace(row[VERDICT], text=words)}
    return list(by_method.values())


def _row(
    results: Results,
    method: MethodJudgement,
    judged: AtAlpha,
    unit: MethodJudgement | None,
    titles: Mapping[str, str],
) -> Row:
    """The row of a method whose mean alpha is known."""
    row = _empty_row(method.method, verdict(results, method, judged), titles)
    # The first of the sizes at which coverage is lowest, but for rounding.
    least = method.rows[first_largest(np.array(method.means))]
    sizes = family_in(least).sizes
    several = results.summary.select(sizes).unique().height > 1
    row[MEAN] = _mean_entry(least, size_of(least) if several else "")
    with_worst = [of_size for of_size in method.rows if of_size.get("worst_alpha") is not None]
    if with_worst:
        worst = max(with_worst, key=lambda of_size: float(of_size["worst_alpha"]))
        family, places = family_in(worst), [size_of(worst)] if several else []
        truths = [worst.get(name) for name in family.numbered("worst_truth")]
        for symbol, truth in zip(family.symbols, truths, strict=False):
            if truth is not None:
                places.append(f"{symbol} = {place_text(truth, family.model.SUPPORT)}")
        value = 1 - worst["worst_alpha"]
        row[WORST] = Entry(coverage(value), value, ", ".join(places))
    if least["engine"] != MONTE_CARLO:
        same = {name: least[name] for name in ("method", "alpha", *sizes)}
        for drawn in results.summary.filter(engine=MONTE_CARLO, **same).iter_rows(named=True):
            row[ESTIMATE] = _mean_entry(drawn)
    if unit is not None and unit.lengths is not None and method.lengths is not None:
        rows = (*method.rows, *unit.rows)
        trials = [of_size["trials"] for of_size in rows if of_size["engine"] == MONTE_CARLO]
        note = f"mean of {whole(min(trials))} trials" if trials else ""
        ratio = mean_ratio(method.lengths, unit.lengths)
        row[LENGTH] = Entry(significant(ratio), ratio, note=note)
    return row


def _mean_entry(row: SummaryRow, place: str = "") -> Entry:
    """The coverage of a row: its column where it stands, else 1 − actual alpha."""
    value, low, high = row.get("coverage"), row.get("ci_lower"), row.get("ci_upper")
    if value is None:
        value = 1 - row["actual_alpha"]
    interval = None if low is None or high is None else (1 - high, 1 - low)
    return Entry(coverage(value, row.get("std_error"), interval), float(value), place)


def _row_of_outcomes(results: Results, row: SummaryRow, titles: Mapping[str, str]) -> Row:
    """The row of a method where the posterior alone has been asked.

    It names the outcome that misses most often, where cells are stored.
    """
    alpha, size, family = row["alpha"], size_of(row), family_in(row)
    place = f"an outcome of {size}"
    same = {name: row[name] for name in ("method", "alpha", "engine", *family.sizes)}
    cells = results.cells.filter(given="outcome", **same).drop_nulls("actual_alpha")
    counts = [name for name in family.counts if name in cells.columns]
    if counts and not cells.is_empty():
        worst = cells.row(int(cells["actual_alpha"].arg_max() or 0), named=True)
        counts_there = [
            f"{name} = {worst[name]:.12g}" for name in counts if worst[name] is not None
        ]
        place = ", ".join([*counts_there, size])
    reached = alpha - row["alpha_error_min"]
    words = f"covers as little as {covered(reached, alpha)} at {place}, by the posterior"
    kind = UNDERSTATES
    if reached <= alpha + rounding_of(alpha):
        words = f"covers {nominal(alpha)} or more at every outcome, by the posterior"
        kind = ON_AVERAGE
    entries = _empty_row(row["method"], Verdict(kind, words), titles)
    entries[OUTCOME] = Entry(coverage(1 - reached), 1 - reached, place)
    return entries
