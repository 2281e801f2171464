"""What a method is worth in words: never above alpha, right on average, or missing too often."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from harness.catalogue import family_in
from harness.designs.miss_curve import MissCurve
from harness.families.combination import Span
from harness.families.family import MONTE_CARLO, Family
from harness.figures import selection
from harness.figures.method_limits import exact_curve
from harness.findings.judgements import (
    AtAlpha,
    MethodJudgement,
    SummaryRow,
    is_clearly_above,
    size_of,
)
from harness.tables.answers import rounding_of
from harness.tables.results import Results
from harness.tables.wording import covered, nominal

KINDS = ("never above", "on average", "about right", "understates", "no interval")
"""What a verdict is, from the best to the worst."""
NEVER_ABOVE, ON_AVERAGE, ABOUT, UNDERSTATES, NO_INTERVAL = KINDS
_MOST_RANGES = 2
"""The most ranges of true values that a verdict names; of more it has the share."""
_DIGITS = 3
"""The significant digits of a true value's distance to the nearer end of the parameter's range."""

_MOST_DECIMALS = 12
_NEARLY_ALL = 0.99


@dataclass(frozen=True)
class Verdict:
    """A judgement of one method at one alpha, over all sizes, in words."""

    kind: str
    words: str


@dataclass(frozen=True)
class _Place:
    """Where a method misses more often than alpha at one size."""

    share: float
    """The share of the true values."""
    words: str


def verdict(results: Results, method: MethodJudgement, judged: AtAlpha) -> Verdict:
    """Return the verdict on a method.

    Args:
        results: of the run.
        method: the judgement to put into words.
        judged: all judgements at its alpha.
    """
    alpha, bound = judged.alpha, nominal(judged.alpha)
    scope = f" {method.scope}" if method.scope else ""
    if method.keeps and method.worst_case is not None:
        never = "never covers" if method.is_proven else "was not found to cover"
        return Verdict(NEVER_ABOVE, f"{never} less than {bound}{scope}")
    rows = () if method.about else method.above or method.rows
    where = _where(results, rows, alpha, several=len(method.rows) > 1)
    if method.above or method.about:
        size = ""
        if len(method.rows) > 1:
            worst_row = max(method.rows, key=lambda row: float(row["actual_alpha"]))
            size = f" at {size_of(worst_row)}{',' if method.scope.startswith('at') else ''}"
        lowest = f"{covered(method.mean, alpha)} on average{size}{scope}"
        if method.about:
            return Verdict(ABOUT, f"about right: {lowest}")
        how = f"less than {bound}{where}" if where else lowest
        return Verdict(UNDERSTATES, f"covers too little: {how}")
    only = "right on average only:"
    if where:
        return Verdict(ON_AVERAGE, f"{only} less than {bound}{where}")
    if method.worst_case is not None:
        which = "at worst" if method.is_exact else "at the worst found"
        return Verdict(ON_AVERAGE, f"{only} {covered(method.worst_case, alpha)} {which}{scope}")
    if any(row["engine"] == MONTE_CARLO for row in method.rows):
        return Verdict(ON_AVERAGE, "right on average, as far as the trials tell")
    return Verdict(ON_AVERAGE, "right on average; its worst case is not known")


def _where(results: Results, rows: Sequence[SummaryRow], alpha: float, several: bool) -> str:
    """Where a method misses more often than alpha, at the size with most such true values.

    Args:
        results: of the run.
        rows: of the sizes to look at.
        alpha: the nominal alpha.
        several: whether the run has other sizes, so that the size has to be named.
    """
    most, words = 0.0, ""
    for row in rows:
        family = family_in(row)
        size = tuple(float(row[name]) for name in family.sizes)
        place = _on_curve(results, row, family, size) or _listed(results, row, family, size)
        if place is not None and place.share > most:
            at = f" at {size_of(row)}" if several else ""
            most, words = place.share, f" {place.words}{at}"
    return words


def _on_curve(
    results: Results, row: SummaryRow, family: Family, size: selection.Size
) -> _Place | None:
    """Where the exact curve over the true values of one sample lies above alpha."""
    if not family.has_single_count or row.get("worst_alpha") is None:
        return None
    over, alpha, method = (row["worst_from"], row["worst_to"]), row["alpha"], row["method"]
    curve = exact_curve(results, method, alpha, family, size, over)
    if curve is None:
        return None
    ranges = ranges_above(curve, alpha + rounding_of(alpha))
    share = sum(high - low for low, high in ranges) / (over[1] - over[0])
    symbol, support = family.symbols[0], family.model.SUPPORT
    whole = f"{symbol} in {over[0]:g} … {over[1]:g}"
    is_all = over == tuple(support)
    if share > _NEARLY_ALL and ranges != [over]:
        return _Place(share, f"for nearly every {symbol if is_all else whole}")
    if len(ranges) > _MOST_RANGES:
        return _Place(share, f"for {100 * share:.3g} % of {whole}")
    if ranges == [over]:
        return _Place(share, f"for every {symbol if is_all else whole}")
    words = " and ".join(range_text(span, support, symbol) for span in ranges)
    return _Place(share, f"for {words}{'' if is_all else f', of {whole}'}")


def ranges_above(curve: MissCurve, bound: float) -> list[Span]:
    """The ranges of the truth in which a curve lies above a bound, ascending.

    Between two points the curve is taken as a straight line.
    """
    truths, over = curve.truths, curve.missed - bound
    above = over > 0
    starts: list[float] = []
    stops: list[float] = []
    for place in np.flatnonzero(above[1:] != above[:-1]):
        step = over[place] / (over[place] - over[place + 1])
        cut = float(truths[place] + step * (truths[place + 1] - truths[place]))
        (stops if above[place] else starts).append(cut)
    if above[0]:
        starts.insert(0, float(truths[0]))
    if above[-1]:
        stops.append(float(truths[-1]))
    ranges: list[Span] = []
    for start, stop in zip(starts, stops, strict=True):
        # A jump from above the bound to above the bound does not end a range.
        if ranges and ranges[-1][1] == start:
            ranges[-1] = (ranges[-1][0], stop)
        elif stop > start:
            ranges.append((start, stop))
    return ranges


def range_text(range_: Span, support: Span, symbol: str) -> str:
    """A range of a parameter, with the digits that its ends need to be told from the support's.

    >>> range_text((0.9894761, 0.989751), (0, 1), "p"), range_text((0, 0.12345), (0, 1), "p")
    ('0.9895 < p < 0.9898', 'p < 0.123')
    """
    low, high = range_
    below, above = low <= support[0], high >= support[1]
    if below and above:
        return f"every {symbol}"
    first, last = _end(low, support, high - low), _end(high, support, high - low)
    if below:
        return f"{symbol} < {last}"
    return f"{symbol} > {first}" if above else f"{first} < {symbol} < {last}"


def _end(value: float, support: Span, width: float) -> str:
    """An end of a range, with ``_DIGITS`` of its distance to the nearer end of the support."""
    distances = [abs(value - end) for end in support if math.isfinite(end)]
    nearest = min((distance for distance in distances if distance > 0), default=0.0)
    if nearest <= 0:
        return f"{value:g}"
    decimals = max(0, _DIGITS - 1 - math.floor(math.log10(nearest)))
    # The ends of a narrow range have to be told from each other.
    while width > 0 and decimals < _MOST_DECIMALS and 10.0**-decimals > width:
        decimals += 1
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _listed(
    results: Results, row: SummaryRow, family: Family, size: selection.Size
) -> _Place | None:
    """At which listed true values a method misses too often, from the cells of one size."""
    alpha, engine = row["alpha"], row["engine"]
    of_engine = results.cells.filter(given="truth", engine=engine, alpha=alpha)
    cells = of_engine.filter(selection.at(family.sizes, size), method=row["method"])
    if cells.height < 2:
        return None
    above = [
        is_clearly_above(cell, alpha, of_engine.height) for cell in cells.iter_rows(named=True)
    ]
    truths = {
        symbol: cells[name].to_list()
        for name, symbol in zip(family.truths, family.symbols, strict=False)
        if name in cells.columns
    }
    return _Place(sum(above) / cells.height, listed_words(truths, above))


def listed_words(truths: Mapping[str, Sequence[float]], above: Sequence[bool]) -> str:
    """At which of the listed true values a method misses too often.

    Args:
        truths: by the symbol of each parameter, its value at each place.
        above: whether the method misses too often, at each place.
    """
    count, every = sum(above), len(above)
    if count in (0, every):
        return f"at {'all' if count else 'none of'} {every} true values"
    varied = {symbol: values for symbol, values in truths.items() if len(set(values)) > 1}
    parts, whole = [], len(varied) == 1
    for symbol, values in varied.items():
        listed = sorted(set(values))
        met = sorted({value for value, is_above in zip(values, above, strict=True) if is_above})
        whole = whole and len(met) == sum(met[0] <= value <= met[-1] for value in listed)
        if (met[0], met[-1]) != (listed[0], listed[-1]):
            if len(met) == 1:
                parts.append(f"{symbol} = {met[0]:.6g}")
            elif met[0] == listed[0]:
                parts.append(f"{symbol} ≤ {met[-1]:.6g}")
            elif met[-1] == listed[-1]:
                parts.append(f"{symbol} ≥ {met[0]:.6g}")
            else:
                parts.append(f"{met[0]:.6g} ≤ {symbol} ≤ {met[-1]:.6g}")
    if parts and whole and count > 1:
        return f"at the {count} of {every} true values with {parts[0]}"
    if parts and whole:
        return f"at one of {every} true values, {parts[0]}"
    words = f"at {count} of {every} true values"
    return f"{words}, all with {' and '.join(parts)}" if parts else words
