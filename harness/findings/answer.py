"""The answer of a run: its conclusion in words, and a table of its methods from best to worst."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any

import numpy as np
import polars as pl

from harness.catalogue import family_in
from harness.families.combination import Span
from harness.families.family import MONTE_CARLO, POSTERIOR, Family
from harness.findings.choice import advice
from harness.findings.conclusion import (
    MARGIN,
    Found,
    first_largest,
    found_at,
    scored_against,
    sentences,
    shortest,
    size_of,
)
from harness.findings.least_length import least_lengths
from harness.findings.manifest import (
    agrees,
    failed_methods,
    missed_precision,
    unsteady_methods,
    worst_cases_are_exact,
)
from harness.findings.numbers import covered, nominal
from harness.findings.verdicts import ABOUT, NEVER_ABOVE, ON_AVERAGE, UNDERSTATES, Verdict, verdict
from harness.tables.answers import rounding_of
from harness.tables.results import Results
from harness.tables.wording import method_titles, place_text

_Row = Mapping[str, Any]


@dataclass(frozen=True)
class Coverage:
    """A coverage; nothing where it is not known."""

    value: float | None = None
    error: float | None = None
    """Its standard error where it is an estimate that has one."""
    interval: Span | None = None
    """Its 95 % interval where it is an estimate."""


@dataclass(frozen=True)
class Method:
    """A row of the table: what the tables of the run say of one method at one alpha."""

    label: str
    title: str
    verdict: Verdict
    worst_alpha: float | None = None
    worst_at: str = ""
    """The size and the true value of the worst case."""
    coverage: Coverage = Coverage()
    """The smallest mean coverage of a size; by an exact engine, or else an estimate."""
    coverage_at: str = ""
    """Its size."""
    estimate: Coverage = Coverage()
    """Monte Carlo's estimate of the same coverage, where it is known exactly."""
    relative_length: float | None = None
    length_trials: int | None = None
    """Where lengths are means of trials: of how many at a size, at least."""
    outcome_alpha: float | None = None
    """The largest alpha of an outcome by the posterior, where that is all that is known."""

    @property
    def worst_coverage(self) -> float | None:
        return None if self.worst_alpha is None else 1 - self.worst_alpha

    @property
    def outcome_coverage(self) -> float | None:
        return None if self.outcome_alpha is None else 1 - self.outcome_alpha

    @property
    def order(self) -> tuple[Any, ...]:
        """Best first: by the verdict, then by the length or by how often it misses."""
        worst = _last(self.outcome_alpha if self.worst_alpha is None else self.worst_alpha)
        missed = _last(None if self.coverage.value is None else -self.coverage.value)
        length = _last(self.relative_length)
        parts = {
            NEVER_ABOVE: (length, worst),
            ON_AVERAGE: (worst, length),
            ABOUT: (missed, worst),
            UNDERSTATES: (missed, worst),
        }
        return self.verdict.order, *parts[self.verdict.kind], self.label


@dataclass(frozen=True)
class Ranking:
    """The methods of a run at one alpha."""

    alpha: float
    methods: Sequence[Method]
    shortest: str = ""
    """The title of the method whose length is the unit of relative lengths."""
    unit: str = ""
    """What that method is, to follow "the shortest"."""

    def has(self, name: str) -> bool:
        """Whether anything is known in a column, as ``worst_alpha`` or ``coverage.value``."""
        return any(attrgetter(name)(each) is not None for each in self.methods)

    def has_kind(self, kind: str) -> bool:
        """Whether a verdict is of a kind."""
        return any(each.verdict.kind == kind for each in self.methods)

    def approaches(self, end: str) -> bool:
        """Whether a worst case is approached at an end of the parameter, ``0+`` or ``1−``."""
        return any(
            each.worst_at.endswith(end) or f"{end}," in each.worst_at for each in self.methods
        )


@dataclass(frozen=True)
class Answer:
    """What a run has found, before all details."""

    sentences: Sequence[str]
    warnings: Sequence[str]
    """What makes its numbers doubtful: failed methods, engines that disagree."""
    rankings: Sequence[Ranking] = ()
    advice: Sequence[str] = ()
    """Which method to use, a line for each alpha."""
    margin: float = MARGIN
    """How much of alpha a mean alpha may exceed it by and be about right on average."""
    references: Sequence[_Row] = field(default=())
    """Of a calibration, the rows of its summary."""


def found_answer(results: Results) -> Answer:
    """What a run has found, in words and as a table for each alpha."""
    manifest, summary = results.manifest, results.summary
    worst_is_exact = worst_cases_are_exact(manifest)
    alphas = summary["alpha"].unique(maintain_order=True).to_list()
    found = [*sentences(summary, worst_is_exact), *least_lengths(summary)]
    return Answer(
        [*scored_against(manifest), *found],
        list(_warnings(manifest)),
        [_ranking(results, alpha, worst_is_exact) for alpha in alphas],
        list(advice(results)),
    )


def _warnings(manifest: _Row) -> Iterator[str]:
    """What a reader has to know before any number."""
    for sentence in (*failed_methods(manifest), *unsteady_methods(manifest)):
        yield f"Failed: {sentence}."
    wide = missed_precision(manifest)
    if wide:
        yield f"{wide}."
    if not agrees(manifest):
        yield "The engines disagree; the last section of this result says in what."


def _ranking(results: Results, alpha: float, worst_is_exact: bool) -> Ranking:
    """The methods at one alpha, the best first."""
    titles = method_titles(results.manifest)
    found = found_at(results.summary, alpha)
    if not found:
        methods = list(_by_posterior(results, alpha, titles))
        return Ranking(alpha, sorted(methods, key=lambda each: each.order))
    kept = [each for each in found if each.keeps and each.lengths is not None]
    unit = None
    if len(found) > 1:
        unit = shortest(kept or [each for each in found if each.lengths is not None])
    methods = [_method(results, each, alpha, worst_is_exact, unit, titles) for each in found]
    return Ranking(
        alpha,
        sorted(methods, key=lambda each: each.order),
        shortest="" if unit is None else titles.get(unit.method, unit.method),
        unit=_unit(found, kept, worst_is_exact),
    )


def _unit(found: Sequence[Found], kept: Sequence[Found], worst_is_exact: bool) -> str:
    """Among which methods the unit of lengths is the shortest."""
    if kept:
        if any(each.worst is None for each in kept):
            return "that was not found to cover too little on average"
        return f"that {'never covers' if worst_is_exact else 'was not found to cover'} too little"
    return "of all whose lengths are known" if any(each.keeps for each in found) else "of all"


def _method(
    results: Results,
    found: Found,
    alpha: float,
    worst_is_exact: bool,
    unit: Found | None,
    titles: Mapping[str, str],
) -> Method:
    """The row of one method."""
    summary, family = results.summary, family_in(found.rows[0])
    known = [row for row in found.rows if row.get("worst_alpha") is not None]
    worst: _Row = max(known, key=lambda row: row["worst_alpha"], default={})
    # The first of the sizes at which coverage is lowest, but for rounding.
    least = found.rows[first_largest(np.array([row["actual_alpha"] for row in found.rows]))]
    estimate: _Row = {}
    if least["engine"] != MONTE_CARLO:
        same = {name: least[name] for name in ("method", "alpha", *family.sizes)}
        rows = summary.filter(engine=MONTE_CARLO, **same).to_dicts()
        estimate = rows[0] if rows else {}
    places = [worst.get(name) for name in family.numbered("worst_truth")]
    truths = [
        f"{symbol} = {place_text(place, family.model.SUPPORT)}"
        for symbol, place in zip(family.symbols, places, strict=False)
        if place is not None
    ]
    several = summary.select(family.sizes).unique().height > 1

    return Method(
        label=found.method,
        title=titles.get(found.method, found.method),
        verdict=verdict(results, found, alpha, worst_is_exact),
        worst_alpha=worst.get("worst_alpha"),
        worst_at=", ".join([*([size_of(worst)] if worst and several else []), *truths]),
        coverage=_coverage(least),
        coverage_at=size_of(least) if several else "",
        estimate=_coverage(estimate),
        relative_length=_relative(found, unit),
        length_trials=_length_trials(found, unit),
    )


def _coverage(row: _Row) -> Coverage:
    """The coverage of a row of the summary; the column where it stands, else 1 − actual alpha."""
    found, low, high = row.get("coverage"), row.get("ci_lower"), row.get("ci_upper")
    if found is None and row.get("actual_alpha") is not None:
        found = 1 - row["actual_alpha"]
    interval = None if low is None or high is None else (1 - high, 1 - low)
    return Coverage(None if found is None else float(found), row.get("std_error"), interval)


def _relative(found: Found, unit: Found | None) -> float | None:
    """The length over the unit's at the same size, averaged over the sizes."""
    if unit is None or found.lengths is None or unit.lengths is None:
        return None
    pairs = list(zip(found.lengths, unit.lengths, strict=True))
    return sum(one / of if of > 0 else 1.0 for one, of in pairs) / len(pairs)


def _length_trials(found: Found, unit: Found | None) -> int | None:
    """Of how many trials lengths are means, where any of them is."""
    rows = [*found.rows, *(unit.rows if unit is not None else ())]
    trials = [row["trials"] for row in rows if row["engine"] == MONTE_CARLO and row["trials"]]
    return None if unit is None or found.lengths is None else min(trials, default=None)


def _by_posterior(results: Results, alpha: float, titles: Mapping[str, str]) -> Iterator[Method]:
    """The rows where only the posterior has been asked."""
    summary = results.summary
    rows = summary.filter(pl.col("alpha") == alpha, pl.col("engine") == POSTERIOR)
    for part in rows.partition_by("method", maintain_order=True):
        label = part["method"][0]
        known = part.drop_nulls("alpha_error_min").to_dicts()
        if not known:
            continue
        family = family_in(known[0])
        least = min(known, key=lambda row: row["alpha_error_min"])
        reached = alpha - least["alpha_error_min"]
        kept = reached <= alpha + rounding_of(alpha)
        at = _outcome(results.cells, least, family)
        least_covered = f"as little as {covered(reached, alpha)} at {at}"
        words = f"covers {nominal(alpha)} or more at every outcome" if kept else ""
        words = f"{words or f'covers {least_covered}'}, by the posterior"
        yield Method(
            label=label,
            title=titles.get(label, label),
            verdict=Verdict(ON_AVERAGE if kept else UNDERSTATES, words),
            outcome_alpha=reached,
            worst_at=at,
        )


def _outcome(cells: pl.DataFrame, row: _Row, family: Family) -> str:
    """The outcome that misses most often by the posterior, where cells are stored, and its size."""
    size = size_of(row)
    same = {name: row[name] for name in ("method", "alpha", "engine", *family.sizes)}
    of_row = cells.filter(given="outcome", **same).drop_nulls("actual_alpha")
    outcomes = [name for name in family.counts if name in of_row.columns]
    if of_row.is_empty() or not outcomes:
        return f"an outcome of {size}"
    first = of_row.row(int(of_row["actual_alpha"].arg_max() or 0), named=True)
    places = [f"{name} = {first[name]:.12g}" for name in outcomes if first[name] is not None]
    return ", ".join([*places, size])


def _last(value: float | None) -> float:
    """A number to sort by, at the end where it is not known."""
    return math.inf if value is None or math.isnan(value) else value
