"""What a map shows, in numbers for each size and in a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.families.family import MONTE_CARLO
from harness.report.maps.frames import Frame
from harness.report.numbers import percent, significant
from harness.tables.answers import rounding_of


@dataclass(frozen=True)
class Finding:
    """What stands out in the values of a map, over all cells of the tables."""

    cells: int
    """The number of cells with a value."""
    least: float
    largest: float
    where: str
    """Where the largest value is."""
    above: int
    """The number of values above the bound."""
    mean: float


@dataclass(frozen=True)
class SizeFindings:
    """The same of each size and method, each of shape (methods, sizes)."""

    least: Floats
    largest: Floats
    places: Floats
    """The first place of the largest value."""
    above: Floats
    """The share of the values above the bound."""


def by_size(frame: Frame, values: list[Floats], bound: float) -> SizeFindings:
    """Sum up the values of each size, of shape (methods, m), against a bound."""
    shape = (len(frame.methods), len(frame.rows))
    found = [np.full(shape, np.nan) for _ in range(4)]
    least, largest, places, above = found
    for column, (row, each) in enumerate(zip(frame.rows, values, strict=True)):
        known = np.isfinite(each)
        for line in np.flatnonzero(known.any(axis=1)):
            mine = each[line][known[line]]
            least[line, column] = mine.min()
            largest[line, column] = mine.max()
            places[line, column] = row.places[_first_largest(each[line])]
            above[line, column] = float((mine > bound).mean())
    return SizeFindings(*found)


def finding(frame: Frame, values: list[Floats], method: int, bound: float) -> Finding | None:
    """Sum up the values of one method over all sizes; None where there are none."""
    mine = [each[method] for each in values]
    together = np.concatenate(mine)
    known = together[np.isfinite(together)]
    if not known.size:
        return None
    tops = np.array([np.max(each[np.isfinite(each)], initial=-np.inf) for each in mine])
    at = _first_largest(tops)
    place = float(frame.rows[at].places[_first_largest(mine[at])])
    return Finding(
        cells=int(known.size),
        least=float(known.min()),
        largest=float(known.max()),
        where=frame.place_text(frame.rows[at], place),
        above=int((known > bound).sum()),
        mean=float(known.mean()),
    )


def _first_largest(values: Floats) -> int:
    """Where the largest value is, the first of those that differ by rounding only."""
    top = float(values[np.isfinite(values)].max())
    return int(np.flatnonzero(values >= top - _TIED * abs(top))[0])


_TIED = 1e-9
"""The relative difference of two values that differ by rounding only, as those of x and n − x."""


def alpha_sentence(frame: Frame, values: list[Floats], method: int, title: str) -> str:
    """Where actual alpha is largest and how much, and how many cells are above alpha."""
    alpha, tolerance = frame.alpha, rounding_of(frame.alpha)
    found = finding(frame, values, method, alpha + tolerance)
    if found is None:
        return f"{title} has no values here."
    nominal = f"the nominal {percent(alpha)}"
    apart = max(found.largest - alpha, alpha - found.least)
    if apart <= tolerance:
        return (
            f"{title}: actual alpha is {nominal} in all {found.cells} cells, up to rounding; no "
            f"cell is further from it than {significant(apart, 2)}."
        )
    if frame.engine == MONTE_CARLO:
        return _estimated(frame, values, method, title, found)
    if not found.above:
        return (
            f"{title}: actual alpha is above {nominal} in none of {found.cells} cells; it is from "
            f"{percent(found.least)} to {percent(found.largest)}, the most at {found.where}."
        )
    return (
        f"{title}: actual alpha is above {nominal} in {share(found.above, found.cells)}, and "
        f"reaches {percent(found.largest)} at {found.where}."
    )


def _estimated(frame: Frame, values: list[Floats], method: int, title: str, found: Finding) -> str:
    """The sentence for estimates of Monte Carlo, which chance alone lifts above alpha."""
    lower = [row.values["ci_lower"][method] for row in frame.rows]
    clearly = sum(int((each > frame.alpha).sum()) for each in lower)
    most = [float(np.max(each[method][np.isfinite(each[method])], initial=-1)) for each in values]
    row = frame.rows[int(np.argmax(most))]
    error = row.values["std_error"][method][int(np.nanargmax(row.values["actual_alpha"][method]))]
    spread = f" ± {percent(error, 2)}" if np.isfinite(error) else ""
    return (
        f"{title}: the 95 % interval of the estimate lies above the nominal "
        f"{percent(frame.alpha)} in {share(clearly, found.cells)}; the largest estimate is "
        f"{percent(found.largest)}{spread} at {found.where}."
    )


def length_sentence(
    frame: Frame, values: list[Floats], method: int, title: str, reference: str
) -> str:
    """How much longer the intervals are than those of a reference, and where the most."""
    found = finding(frame, values, method, 0.0)
    if found is None:
        return f"{title} has no lengths to compare with those of {reference}."
    if max(abs(found.least), abs(found.largest)) < _SAME:
        return f"{title}: intervals are as long as those of {reference} in all {found.cells} cells."
    return (
        f"{title}: intervals are {longer(found.mean)} than those of {reference} on average over "
        f"{found.cells} cells: from {signed(found.least)} to {signed(found.largest)}, the most at "
        f"{found.where}."
    )


_SAME = 1e-7
"""Lengths that differ by less, in per cent, differ by rounding."""


def share(part: int, whole: int) -> str:
    """How many cells, in percent where that is neither none nor all.

    >>> share(1, 3), share(0, 3), share(3, 3), share(9999, 10000)
    ('33 % of 3 cells', 'none of 3 cells', 'all 3 cells', '99.99 % of 10000 cells')
    """
    if part in (0, whole):
        return f"all {whole} cells" if part else f"none of {whole} cells"
    value = 100 * part / whole
    return f"{value:.{2 if value < 99 else 4}g} % of {whole} cells"


def signed(value: float) -> str:
    """A percentage with its sign."""
    sign = "+" if value > 0 else ""
    return f"{sign}{significant(value, 3)} %"


def longer(value: float) -> str:
    """A percentage in words: ``3.2 % longer``."""
    return f"{significant(abs(value), 3)} % {'longer' if value >= 0 else 'shorter'}"
