"""What a method is worth in words: honest, honest on average, or understating its uncertainty."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.engines.miss_curve import MissCurve
from harness.families.catalogue import family_of
from harness.families.combination import Span
from harness.families.family import MONTE_CARLO, SINGLE_SAMPLE, Family
from harness.figures import selection
from harness.figures.exact_curve import exact_curve
from harness.figures.truth_curves import TruthCurves
from harness.screen.conclusion import Found, is_clearly_above, percent
from harness.tables.recommendation import rounding_of
from harness.tables.results import Results

HONEST, ON_AVERAGE, UNDERSTATES = "honest", "on average", "understates"
"""What a verdict is, from the best to the worst."""
_MOST_RANGES = 2
"""The most ranges of true values that a verdict names; of more it has the share."""

_NEARLY_ALL = 0.99

_Row = Mapping[str, Any]


@dataclass(frozen=True)
class Verdict:
    """A judgement of one method at one alpha, over all sizes."""

    kind: str
    words: str

    @property
    def order(self) -> int:
        """From 0, the best."""
        return (HONEST, ON_AVERAGE, UNDERSTATES).index(self.kind)


@dataclass(frozen=True)
class _Place:
    """Where a method misses more often than alpha at one size."""

    share: float
    """Of the true values."""
    words: str


def verdict(results: Results, found: Found, alpha: float, worst_is_exact: bool) -> Verdict:
    """Return the verdict on a method.

    Args:
        results: of the run.
        found: what the tables say of the method.
        alpha: the nominal alpha.
        worst_is_exact: whether worst cases are proven suprema, and not found by a search.
    """
    bound = percent(alpha)
    if found.keeps and found.worst is not None:
        proven = "never misses" if worst_is_exact else "was not found to miss"
        return Verdict(HONEST, f"honest: {proven} more than {bound}")
    where = _where(results, found, alpha)
    if found.above:
        how = where or f": misses up to {percent(found.mean)} on average{_size(found)}"
        return Verdict(UNDERSTATES, f"understates its uncertainty{how}")
    if where:
        return Verdict(ON_AVERAGE, f"honest on average only: misses more than {bound}{where}")
    if found.worst is not None:
        which = "at worst" if worst_is_exact else "at the worst found"
        most = f"misses {percent(found.worst)} {which}"
        return Verdict(ON_AVERAGE, f"honest on average only: {most}")
    if any(row["engine"] == MONTE_CARLO for row in found.rows):
        return Verdict(ON_AVERAGE, "honest on average, as far as the trials tell")
    return Verdict(ON_AVERAGE, "honest on average; its worst case is not known")


def _size(found: Found) -> str:
    """The size at which a method misses most often on average."""
    if len(found.rows) == 1:
        return ""
    row = max(found.rows, key=lambda row: row["actual_alpha"])
    family = family_of(row["family"])
    return f" at {family.size_text([row[name] for name in family.sizes], digits=12)}"


def _where(results: Results, found: Found, alpha: float) -> str:
    """Where a method misses more often than alpha, at the size with most such true values."""
    family = family_of(found.rows[0]["family"])
    most, words = 0.0, ""
    for row in found.rows:
        size = tuple(float(row[name]) for name in family.sizes)
        place = _on_curve(results, row, family, size) or _listed(results, row, family, size)
        if place is not None and place.share > most:
            at = f" at {family.size_text(size, digits=12)}" if len(found.rows) > 1 else ""
            most, words = place.share, f" {place.words}{at}"
    return words


def _on_curve(results: Results, row: _Row, family: Family, size: selection.Size) -> _Place | None:
    """From the exact curve over the true values of one sample."""
    if family.design != SINGLE_SAMPLE or row.get("worst_alpha") is None:
        return None
    over, alpha, method = (row["worst_from"], row["worst_to"]), row["alpha"], row["method"]
    asked = TruthCurves("", family, "", alpha, (method,), size, (), None, results.cells.clear())
    curve = exact_curve(results, asked, method, over)
    if curve is None:
        return None
    ranges = ranges_above(curve, alpha + rounding_of(alpha))
    share = sum(high - low for low, high in ranges) / (over[1] - over[0])
    return _Place(share, _words(ranges, share, over, family.symbols[0]))


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
    found: list[Span] = []
    for start, stop in zip(starts, stops, strict=True):
        # Of a jump from above the bound to above the bound nothing is in between.
        if found and found[-1][1] == start:
            found[-1] = (found[-1][0], stop)
        elif stop > start:
            found.append((start, stop))
    return found


def _words(ranges: list[Span], share: float, over: Span, symbol: str) -> str:
    """The ranges in words, as in ``for p < 0.12``; of many their share."""
    if share > _NEARLY_ALL and ranges != [over]:
        return f"for nearly every {symbol}"
    if len(ranges) > _MOST_RANGES:
        return f"for {100 * share:.3g} % of {symbol} in {over[0]:g} … {over[1]:g}"
    return "for " + " and ".join(_range(each, over, symbol) for each in ranges)


def _range(range_: Span, over: Span, symbol: str) -> str:
    low, high = range_
    if low <= over[0] and high >= over[1]:
        return f"every {symbol}"
    if low <= over[0]:
        return f"{symbol} < {high:.3g}"
    if high >= over[1]:
        return f"{symbol} > {low:.3g}"
    return f"{low:.3g} < {symbol} < {high:.3g}"


def _listed(results: Results, row: _Row, family: Family, size: selection.Size) -> _Place | None:
    """From the cells at listed true values."""
    alpha, engine = row["alpha"], row["engine"]
    of_engine = results.cells.filter(given="truth", engine=engine, alpha=alpha)
    cells = of_engine.filter(selection.at(family.sizes, size), method=row["method"])
    if cells.height < 2:
        return None
    if engine == MONTE_CARLO:
        rows = cells.iter_rows(named=True)
        above = sum(is_clearly_above(each, alpha, of_engine.height) for each in rows)
    else:
        above = int((cells["actual_alpha"] > alpha + rounding_of(alpha)).sum())
    share = above / cells.height
    return _Place(share, f"at {above} of {cells.height} true values")
