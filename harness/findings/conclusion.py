"""What a run has found, in two sentences that stand before its tables."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl

from harness.base.numerics.arrays import Floats
from harness.base.text import first_few
from harness.catalogue import family_in
from harness.distributions.sampling import binomial
from harness.families.family import EXACT_ENGINES, MONTE_CARLO
from harness.findings.numbers import covered, nominal, span_text
from harness.methods.method import TWO_SIDED
from harness.tables.answers import rounding_of
from harness.tables.columns import table_kind, worst_range_columns
from harness.tables.wording import estimand_words

_FALSE_ALARM = 0.025
"""The probability that some estimate of Monte Carlo is called above alpha where none is."""
MARGIN = 0.05
"""A mean alpha of up to so much of alpha above it counts as about right on average."""
_TIED = 1e-9
"""The relative difference of two values that differ by rounding only, as those of x and n − x."""
_MOST_NAMED = 3
_MOST_SPANS = 2
_Row = Mapping[str, Any]


@dataclass(frozen=True)
class Found:
    """What is known of one method at one alpha, over all sizes."""

    method: str
    rows: tuple[_Row, ...]
    """The row of each size that says it: of an exact engine where there is one."""
    keeps: bool
    """Whether it misses no more often than alpha: at worst where that is known, else on average,
    as far as the estimates of Monte Carlo tell."""
    above: tuple[_Row, ...]
    """The rows of the sizes at which it misses clearly more often on average: by more than the
    ``MARGIN``, and where it is estimated by more than chance explains."""
    about: bool
    """Whether its mean alpha exceeds alpha at some size, but nowhere by more than the margin."""
    mean: float
    """The largest mean alpha of a size."""
    worst: float | None
    lengths: tuple[float, ...] | None
    """The mean length at each size; None where one is not known, or where there is one limit."""
    scope: str = ""
    """Of which true values the worst case is: ``for p in 0.1 … 0.9``; empty where it is all."""


def sentences(summary: pl.DataFrame, worst_is_exact: bool) -> Iterator[str]:
    """Yield a line for each alpha: the shortest method that keeps it, and those that do not.

    Args:
        summary: of a run of the kind ``coverage``.
        worst_is_exact: whether worst cases are proven suprema, and not found by a search.
    """
    for alpha in summary["alpha"].unique(maintain_order=True).to_list():
        found = found_at(summary, alpha)
        if found:
            line = _line(found, alpha, worst_is_exact)
        else:
            line = _by_posterior(summary.filter(pl.col("alpha") == alpha), alpha)
        if line:
            yield line


def scored_against(manifest: Mapping[str, Any]) -> Iterator[str]:
    """Yield what intervals are scored against, unless it is a mean and all methods are for means.

    Args:
        manifest: of a run of the kind ``coverage``.
    """
    experiment, words = manifest["experiment"], estimand_words(manifest)
    if words:
        value = manifest["scored_against"]["value"]
        yield f"Intervals are scored against the {words} of the truth's law: {value:.6g}."
    elif family_in(experiment).has_estimands and table_kind(experiment).may_fail:
        yield (
            "Intervals are scored against the mean of the truth's law (estimand: median scores "
            "against its median)."
        )


def found_at(summary: pl.DataFrame, alpha: float) -> list[Found]:
    """What is known of the methods at an alpha, without those of which only a posterior knows."""
    rows = summary.filter(pl.col("alpha") == alpha)
    estimates = rows.filter(engine=MONTE_CARLO).height
    parts = rows.partition_by("method", maintain_order=True)
    each_found = (_found(part.to_dicts(), alpha, estimates) for part in parts)
    return [each for each in each_found if each is not None]


def _found(rows: Sequence[_Row], alpha: float, estimates: int) -> Found | None:
    """What the rows of a method say: at each size those of an exact engine, else of Monte Carlo.

    Args:
        rows: of the method at the alpha.
        alpha: the nominal alpha.
        estimates: the number of estimates of Monte Carlo of all methods at the alpha.
    """
    tolerance = rounding_of(alpha)
    by_size: dict[Any, _Row] = {}
    sizes = family_in(rows[0]).sizes
    for engine in (MONTE_CARLO, *EXACT_ENGINES):
        for row in rows:
            if row["engine"] == engine and row["actual_alpha"] is not None:
                by_size[tuple(row[name] for name in sizes)] = row
    used = list(by_size.values())
    if not used:
        return None
    over = [row for row in used if is_clearly_above(row, alpha, estimates)]
    bound = (1 + MARGIN) * alpha + tolerance
    above = tuple(row for row in over if row["actual_alpha"] > bound)
    worst = [row["worst_alpha"] for row in used if row.get("worst_alpha") is not None]
    lengths = [row.get("mean_length") for row in used]
    usable = rows[0]["side"] == TWO_SIDED and all(
        each is not None and math.isfinite(each) for each in lengths
    )
    return Found(
        method=rows[0]["method"],
        rows=tuple(used),
        keeps=not over and max(worst, default=0.0) <= alpha + tolerance,
        above=above,
        about=bool(over) and not above,
        mean=max(row["actual_alpha"] for row in used),
        worst=max(worst) if len(worst) == len(used) else None,
        lengths=tuple(float(each) for each in lengths if each is not None) if usable else None,
        scope=next(filter(None, map(scope_of, used)), ""),
    )


def size_of(row: _Row) -> str:
    """The size of a row of the summary in words."""
    family = family_in(row)
    return family.size_text([row[name] for name in family.sizes], digits=12)


def scope_of(row: _Row) -> str:
    """Of which true values the worst case of a row is; empty where of all, or where none is known.

    It is as in ``for p in 0.1 … 0.9`` or ``at p = 0.3``.
    """
    family = family_in(row)
    parts = []
    ranges = worst_range_columns(family)
    for symbol, (low, high) in zip(family.symbols, ranges, strict=False):
        first, last = row.get(low), row.get(high)
        if first is None or last is None:
            continue
        if (first, last) != tuple(family.model.SUPPORT):
            parts.append(span_text(symbol, first, last))
    if len(parts) > _MOST_SPANS:
        return "for the true values of this run"
    every_is_a_value = all(" = " in each for each in parts)
    return f"{'at' if every_is_a_value else 'for'} {', '.join(parts)}" if parts else ""


def is_clearly_above(row: _Row, alpha: float, estimates: int) -> bool:
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


def _by_posterior(rows: pl.DataFrame, alpha: float) -> str:
    """A sentence on the outcomes, where only the posterior has been asked."""
    known = rows.drop_nulls("alpha_error_min")
    if known.is_empty():
        return ""
    least = known.group_by("method", maintain_order=True).agg(pl.col("alpha_error_min").min())
    reached = {method: alpha - error for method, error in least.rows()}
    above = [name for name, value in reached.items() if value > alpha + rounding_of(alpha)]
    if not above:
        return f"By the posterior no method covers less than {nominal(alpha)} at an outcome."
    highest = max(reached[name] for name in above)
    return (
        f"By the posterior {first_few(above)} {'covers' if len(above) == 1 else 'cover'} as "
        f"little as {covered(highest, alpha)} at an outcome, where {nominal(alpha)} is nominal."
    )


def _line(found: Sequence[Found], alpha: float, worst_is_exact: bool) -> str:
    """The sentences of one alpha."""
    if len(found) == 1:
        return _of_one(found[0], alpha, worst_is_exact)
    bound = nominal(alpha)
    kept = [each for each in found if each.keeps]
    least = shortest([each for each in kept if each.lengths is not None])
    proven = worst_is_exact and all(each.worst is not None for each in kept)
    never = "never covers" if proven else "was not found to cover"
    scope = _after(next((each.scope for each in found if each.scope), ""))
    if least is not None:
        which = "the shortest that" if len(kept) > 1 else "the only one that"
        first = f"Of {len(found)} methods, {least.method} is {which} {never} less than"
        first += f" {bound}{scope}."
    elif kept:
        names = first_few([each.method for each in kept])
        several = "never cover" if proven else "were not found to cover"
        first = f"{names} {never if len(kept) == 1 else several} less than {bound}{scope}."
    else:
        # A mean says less than a worst case, so that one is not held against the other.
        known = [each for each in found if each.worst is not None] or found
        best = min(known, key=lambda each: max(each.mean, each.worst or 0.0))
        most = "" if best.worst is None or scope.startswith(" at") else " at worst"
        reached = covered(max(best.mean, best.worst or 0.0), alpha)
        first = f"None of {len(found)} methods covers {bound}{most}{scope}; {best.method} comes "
        first += f"nearest, with {reached}."
    return f"{first} {_too_low_on_average(found, alpha)}"


def _after(scope: str) -> str:
    """A scope behind other words."""
    return f" {scope}" if scope else ""


def _too_low_on_average(found: Sequence[Found], alpha: float) -> str:
    """Which methods cover less than the nominal coverage on average, each with how much."""
    above = sorted((each for each in found if each.above), key=lambda each: -each.mean)
    about = sorted((each for each in found if each.about), key=lambda each: -each.mean)
    bound = nominal(alpha)
    if above:
        return f"Coverage is too low on average: {_each_mean(above, alpha)}."
    if about:
        return f"On average none covers clearly less than {bound}: {_each_mean(about, alpha)}."
    return f"On average none covers less than {bound}."


def _each_mean(found: Sequence[Found], alpha: float) -> str:
    """The lowest mean coverage of each of a few methods, the first of them if there are many."""
    others = len(found) - _MOST_NAMED
    parts = [f"{each.method} {covered(each.mean, alpha)}" for each in found[:_MOST_NAMED]]
    rest = f", and {'another' if others == 1 else f'{others} others'}" if others > 0 else ""
    return f"{', '.join(parts)}{rest}"


def _of_one(one: Found, alpha: float, worst_is_exact: bool) -> str:
    """The sentence of a run of one method."""
    worst = ""
    if one.worst is not None:
        where = "worst" if worst_is_exact else "the worst found"
        worst = f", and {covered(one.worst, alpha)} at {where}{_after(one.scope)}"
    verdict = "never too little" if one.worst is not None else "not too little on average"
    if one.above:
        verdict = "too little"
    elif one.about:
        verdict = "about right on average"
    elif not one.keeps and one.worst is not None:
        verdict = "right on average only"
    lowest = "as little as " if len(one.rows) > 1 else ""
    return (
        f"{one.method} covers {lowest}{covered(one.mean, alpha)} on average{worst}, where "
        f"{nominal(alpha)} is nominal: {verdict}."
    )


def shortest(found: Sequence[Found]) -> Found | None:
    """The method with the smallest length relative to the shortest one, averaged over the sizes."""
    every = [each.lengths for each in found if each.lengths is not None]
    least = [min(column) for column in zip(*every, strict=True)]

    def relative(each: Found) -> float:
        lengths = each.lengths or ()
        return sum(one / of if of > 0 else 1.0 for one, of in zip(lengths, least, strict=True))

    return min(found, key=lambda each: (relative(each), each.method), default=None)
