"""How the methods of a run keep alpha: one table of judgements.

Each sentence, verdict and table about methods is made from it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.catalogue import family_in
from harness.distributions.sampling import binomial
from harness.families.catalogue import FAMILIES
from harness.families.family import CLOSED_FORM, EXACT_ENGINES, MONTE_CARLO, STOPPING
from harness.findings.manifest import worst_cases_are_exact
from harness.methods.catalogue import methods_of
from harness.methods.method import TWO_SIDED
from harness.tables.answers import rounding_of
from harness.tables.columns import SAMPLING, TRUTH, worst_range_columns
from harness.tables.results import Results
from harness.tables.wording import span_text

MARGIN = 0.05
"""A mean alpha of up to so much of alpha above it counts as about right on average."""
_FALSE_ALARM = 0.025
"""The probability that some estimate of Monte Carlo is called above alpha where none is."""
_TIED = 1e-9
"""Worst cases, lengths and alphas that differ by at most so much, or such a part, are ties."""
_MOST_SPANS = 2

SummaryRow = Mapping[str, Any]
Lengths = tuple[float, ...]


@dataclass(frozen=True)
class MethodJudgement:
    """What the tables of a run say of one method at one alpha, over all sizes."""

    method: str
    rows: tuple[SummaryRow, ...]
    """The row of each size that says it: of an exact engine where there is one."""
    above: tuple[SummaryRow, ...]
    """The rows of the sizes at which it misses clearly more often on average: by more than the
    ``MARGIN``, and where it is estimated by more than chance explains."""
    about: bool
    """Whether its mean alpha exceeds alpha at some size, but nowhere by more than the margin."""
    worst_case: float | None
    """The largest worst alpha of a size; None where it is not known at every size."""
    worst: float
    """The largest alpha at a truth that is known: the worst case, or else that of the listed
    truths, or else that on average over a distribution."""
    std_error: float
    """The standard error of ``worst`` where it is estimated from trials; else 0."""
    keeps: bool
    """Whether ``worst`` is at most alpha, or an estimate that is not above it but by chance."""
    is_exact: bool
    """Whether ``worst`` is proven to be the largest: an exact worst case, or a closed form that
    depends on no truth. What a search found, or trials at listed truths, is not."""
    promises: bool
    """Whether a theorem, that of the method's promise, says that no truth is missed too often."""
    lengths: Lengths | None
    """The mean length at each size; None where one is not known, or where there is one limit."""
    scope: str
    """The true values that the worst case is of: ``for p in 0.1 … 0.9``; empty where of all."""

    @property
    def is_proven(self) -> bool:
        """Whether more than a search or an estimate says how often a truth is missed at most."""
        return self.is_exact or self.promises

    @property
    def means(self) -> tuple[float, ...]:
        """The mean alpha at each size."""
        return tuple(float(row["actual_alpha"]) for row in self.rows)

    @property
    def mean(self) -> float:
        """The largest mean alpha of a size."""
        return max(self.means)


@dataclass(frozen=True)
class AtAlpha:
    """The judgements on all methods of a run at one alpha."""

    alpha: float
    methods: tuple[MethodJudgement, ...]
    """The methods in the order of the run, without those that the posterior alone knows."""
    outcomes: Mapping[str, SummaryRow]
    """The row with the worst outcome of each method, where the posterior alone was asked."""

    @property
    def with_lengths(self) -> list[MethodJudgement]:
        """The two-sided methods whose mean length is known at every size."""
        return [method for method in self.methods if method.lengths is not None]

    def relative_length(self, method: MethodJudgement) -> float:
        """The mean length over the shortest one at the same size, averaged over the sizes."""
        columns = zip(*(judgement.lengths or () for judgement in self.with_lengths), strict=True)
        return mean_ratio(method.lengths or (), tuple(min(column) for column in columns))

    def shortest(self, methods: Iterable[MethodJudgement]) -> MethodJudgement | None:
        """The shortest of the methods whose lengths are known; of ties the first by name."""
        relative = {
            method.method: (self.relative_length(method), method)
            for method in methods
            if method.lengths is not None
        }
        least = min((length for length, _ in relative.values()), default=0.0) + _TIED
        tied = [name for name, (length, _) in relative.items() if length <= least]
        return relative[min(tied)][1] if tied else None


def judgements(results: Results) -> list[AtAlpha]:
    """Judge the methods of a run of coverage at each of its alphas, in their order."""
    judged = []
    is_exact = worst_cases_are_exact(results.manifest)
    promising = _methods_that_promise(results)
    for rows in results.summary.partition_by("alpha", maintain_order=True):
        alpha, estimates = rows["alpha"][0], rows.filter(engine=MONTE_CARLO).height
        parts = [part.to_dicts() for part in rows.partition_by("method", maintain_order=True)]
        of_sizes = filter(None, map(_row_of_each_size, parts))
        methods = tuple(
            _judgement(results, rows, alpha, estimates, is_exact, promising) for rows in of_sizes
        )
        outcomes: dict[str, SummaryRow] = {}
        for row in [] if methods else rows.drop_nulls("alpha_error_min").to_dicts():
            worst = outcomes.setdefault(row["method"], row)
            if row["alpha_error_min"] < worst["alpha_error_min"]:
                outcomes[row["method"]] = row
        judged.append(AtAlpha(alpha, methods, outcomes))
    return judged


def mean_ratio(lengths: Lengths, unit: Lengths) -> float:
    """Lengths over those of a unit at the same size, averaged over the sizes."""
    pairs = zip(lengths, unit, strict=True)
    return sum(length / of if of > 0 else 1.0 for length, of in pairs) / len(lengths)


def _row_of_each_size(rows: Sequence[SummaryRow]) -> tuple[SummaryRow, ...]:
    """The row of each size that has the mean alpha of one method, if possible an exact one."""
    sizes = family_in(rows[0]).sizes
    by_size: dict[Any, SummaryRow] = {}
    for engine in (MONTE_CARLO, *EXACT_ENGINES):
        for row in rows:
            if row["engine"] == engine and row["actual_alpha"] is not None:
                by_size[tuple(row[name] for name in sizes)] = row
    return tuple(by_size.values())


def _methods_that_promise(results: Results) -> frozenset[str]:
    """The labels of the methods of the catalogue that promise to miss no truth too often.

    The promise is for outcomes that arise in the family's own way. Under another law none holds,
    and where trials end by a rule only those of methods for such trials.
    """
    experiment = results.manifest["experiment"]
    if SAMPLING in experiment:
        return frozenset()
    catalogue = methods_of(family_in(experiment))
    # Beside a rule, a method of the family that ends by it no longer says that it needs one.
    unstopped = methods_of(FAMILIES[experiment["family"]])
    labels = []
    for spec in experiment["methods"]:
        method = catalogue.get(spec.get("name"))
        if method is None or method.promise != "at-least":
            continue
        if STOPPING not in experiment or unstopped[method.name].is_for_stopping:
            labels.append(spec["label"])
    return frozenset(labels)


def _judgement(
    results: Results,
    rows: tuple[SummaryRow, ...],
    alpha: float,
    estimates: int,
    worst_is_exact: bool,
    promising: Collection[str],
) -> MethodJudgement:
    """Judge one method.

    Args:
        results: of the run.
        rows: of each size the row that has the method's mean alpha.
        alpha: the nominal alpha.
        estimates: the number of estimates of Monte Carlo of all methods at the alpha.
        worst_is_exact: whether the worst cases of the run are exact.
        promising: the labels of the methods that promise to miss no truth too often.
    """
    name, exact_worst_case = rows[0]["method"], worst_is_exact
    tolerance = rounding_of(alpha)
    over = [row for row in rows if is_clearly_above(row, alpha, estimates)]
    above = tuple(row for row in over if row["actual_alpha"] > (1 + MARGIN) * alpha + tolerance)
    worst_cases = [row["worst_alpha"] for row in rows if row.get("worst_alpha") is not None]
    worst_case = max(worst_cases) if len(worst_cases) == len(rows) else None
    if worst_case is None:
        # A closed form is the same at every truth.
        exact_worst_case = rows[0]["engine"] == CLOSED_FORM
        worst, std_error, keeps = _worst_of_truths(results, rows, alpha, estimates)
    else:
        worst, std_error, keeps = worst_case, 0.0, worst_case <= alpha + tolerance
    lengths = [row.get("mean_length") for row in rows]
    finite_lengths = [
        float(length) for length in lengths if length is not None and math.isfinite(length)
    ]
    drawn = results.summary.filter(method=name, alpha=alpha, engine=MONTE_CARLO)
    # At a size where it has no interval in any trial it has no mean alpha.
    answers = drawn.drop_nulls("trials")["actual_alpha"].null_count() == 0
    has_lengths = answers and len(finite_lengths) == len(rows) and rows[0]["side"] == TWO_SIDED
    return MethodJudgement(
        method=name,
        rows=rows,
        above=above,
        about=bool(over) and not above,
        worst_case=worst_case,
        worst=worst,
        std_error=std_error,
        keeps=keeps,
        is_exact=exact_worst_case,
        promises=name in promising,
        lengths=tuple(finite_lengths) if has_lengths else None,
        scope=next(filter(None, map(scope_of, rows)), ""),
    )


def _worst_of_truths(
    results: Results, rows: Sequence[SummaryRow], alpha: float, estimates: int
) -> tuple[float, float, bool]:
    """The largest alpha at a listed truth, its error, and whether no truth is clearly above alpha.

    Without listed truths it is that on average over a distribution, from the rows of the summary.
    """
    engine = rows[0]["engine"]
    cells = results.cells.filter(given=TRUTH, engine=engine, alpha=alpha)
    listed = cells.filter(method=rows[0]["method"]).drop_nulls("actual_alpha").to_dicts() or rows
    worst = max(listed, key=lambda row: float(row["actual_alpha"]))
    count = cells.height or estimates
    keeps = not any(is_clearly_above(row, alpha, count) for row in listed)
    return float(worst["actual_alpha"]), float(worst["std_error"] or 0.0), keeps


def is_clearly_above(row: SummaryRow, alpha: float, estimates: int) -> bool:
    """Whether an alpha is above the nominal one by more than rounding, or chance, explains.

    The interval of an estimate has to be above alpha, and so many misses to have a probability of
    at most ``_FALSE_ALARM`` over the number of estimates if alpha were kept: one of forty 95 %
    intervals lies above the value that it is for. The interval allows for the looks of a run that
    stopped by looking.
    """
    if row["engine"] != MONTE_CARLO:
        return bool(row["actual_alpha"] > alpha + rounding_of(alpha))
    if (row["ci_lower"] or 0.0) <= alpha:
        return False
    trials = row["trials"]
    misses = np.array(round(row["actual_alpha"] * trials))
    chance = binomial.sf(misses - 1, np.array(alpha), trials)
    return float(chance) * estimates <= _FALSE_ALARM


def first_largest(values: Floats) -> int:
    """Where the largest finite value is, the first of those that differ by rounding only."""
    top = float(values[np.isfinite(values)].max())
    return int(np.flatnonzero(values >= top - _TIED * abs(top))[0])


def size_of(row: SummaryRow) -> str:
    """The size of a row of the summary in words."""
    family = family_in(row)
    return family.size_text([row[name] for name in family.sizes], digits=12)


def scope_of(row: SummaryRow) -> str:
    """The true values that the worst case of a row is of; empty where of all, or not known.

    It is as in ``for p in 0.1 … 0.9`` or ``at p = 0.3``.
    """
    family = family_in(row)
    spans = []
    ranges = worst_range_columns(family)
    for symbol, (low, high) in zip(family.symbols, ranges, strict=False):
        first, last = row.get(low), row.get(high)
        if first is None or last is None:
            continue
        if (first, last) != tuple(family.model.SUPPORT):
            spans.append(span_text(symbol, first, last))
    if len(spans) > _MOST_SPANS:
        return "for the true values of this run"
    every_is_a_value = all(" = " in span for span in spans)
    return f"{'at' if every_is_a_value else 'for'} {', '.join(spans)}" if spans else ""
