"""The tails that limits leave, around the outcome that a finding is about."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from scipy.special import ndtr

from harness.base.numerics.arrays import Floats
from harness.checks.counter_examples.records import TailExample
from harness.checks.report import Finding, format_cell
from harness.checks.tails.record import LimitName, LimitTails
from harness.families.catalogue import family_of
from harness.families.family import PAIRS
from harness.methods.expected_failures import SIDE

_BESIDE = 15
"""The most outcomes on each side of that of the finding."""
_MOST = 201
"""The most outcomes where a finding is about all of a size."""
_ALPHAS_BESIDE = 1


def tail_example(finding: Finding, records: Sequence[LimitTails]) -> TailExample | None:
    """The tails at the size and alpha of a finding; None where it has no such place.

    Args:
        finding: about tail probabilities, or that neighbours disagree.
        records: the tails that the finding was made by.
    """
    cell = finding.cell
    for tails in records:
        names = dict(zip(tails.outcomes.size_cell, tails.outcomes.sizes, strict=True))
        if any(cell.get(name) != size for name, size in names.items()):
            continue
        if cell.get(SIDE, tails.side) != tails.side or cell.get("alpha") not in tails.alphas:
            continue
        found = _of_size(finding, tails)
        if found is not None:
            return found
    return None


def _of_size(finding: Finding, tails: LimitTails) -> TailExample | None:
    """The tails along one count, where the finding names all others."""
    cell, outcomes = finding.cell, tails.outcomes
    number = tails.alphas.index(float(cell["alpha"]))
    family = family_of(outcomes.family)
    *others, axis = family.counts
    if family.design == PAIRS:
        # A pair moves from second_only to first_only, while the other two cells stay.
        others, axis = ["both", "neither"], "first_only"
    columns = dict(zip(family.counts, outcomes.flat(), strict=True))
    places = np.arange(columns[axis].size)
    for each in others:
        if each not in cell:
            return None
        places = places[columns[each][places] == cell[each]]
    places = places[np.argsort(columns[axis][places])]
    x, here = columns[axis][places], cell.get(axis)
    if here is None and x.size > _MOST:
        return None
    if here is not None and here not in x:
        return None
    limit: LimitName = "upper" if "upper" in cell else "lower"
    names = tails.names
    if here is not None:
        middle = int(np.flatnonzero(x == here)[0])
        near = slice(max(0, middle - _BESIDE), middle + _BESIDE + 1)
        x, places, names = x[near], places[near], (limit,)
    is_bound = here is not None and "found" in cell and "r" not in cell
    values = {each: _tails(tails, each, number, is_bound).ravel()[places] for each in names}
    expected = tails.alphas[number] if is_bound else float(tails.expected[number])
    held = {each: cell[each] for each in others}
    held |= {**outcomes.size_cell, "alpha": tails.alphas[number]}
    return TailExample(
        sentence=_sentence(finding, axis, limit, values, x, expected, is_bound),
        count=axis,
        held=format_cell(held),
        outcomes=x,
        tails={str(each): column for each, column in values.items()},
        expected=expected,
        is_bound=is_bound,
        is_half=not is_bound,
        place=None if here is None else (limit, float(here)),
        grid=_grid(finding, tails, number),
    )


def _tails(tails: LimitTails, name: LimitName, number: int, is_bound: bool) -> Floats:
    """The tails of one limit at one alpha: whole ones under a bound, else half of the outcome's."""
    if is_bound:
        return np.asarray(tails.tail(name)[number])
    return np.asarray(ndtr(-tails.r(name)[number] * tails.z.ravel()[number]))


def _sentence(
    finding: Finding,
    axis: str,
    name: LimitName,
    values: Mapping[LimitName, Floats],
    x: Floats,
    expected: float,
    is_bound: bool,
) -> str:
    words = f"{expected:.3g} {'allowed' if is_bound else 'expected'} (the line)"
    here = finding.cell.get(axis)
    if here is None:
        return (
            f"Each mark is the tail that one limit leaves; {words}. The finding is about all of "
            "them together."
        )
    found = float(values[name][x == here][0])
    if math.isnan(found):
        return f"The {name} limit at {axis} = {here} leaves no tail; {words}."
    side = "above" if name == "upper" else "below"
    return f"The {name} limit at {axis} = {here} leaves {found:.3g} {side}, {words}."


def _grid(finding: Finding, tails: LimitTails, number: int) -> dict[str, tuple[float, ...]]:
    """Where a check finds it again: a finding about all limits is about neighbours as well."""
    named = zip(tails.outcomes.size_cell, tails.outcomes.sizes, strict=True)
    sizes: dict[str, tuple[float, ...]] = {name: (size,) for name, size in named}
    alphas: tuple[float, ...] = (tails.alphas[number],)
    if not any(name in finding.cell for name in tails.names):
        low = max(0, number - _ALPHAS_BESIDE)
        alphas = tails.alphas[low : number + _ALPHAS_BESIDE + 1]
        if "factor" in finding.cell:
            alphas = tails.alphas
        if len(sizes) == 1 and finding.check == "neighbours agree":
            sizes = {name: (size[0] - 1.0, size[0]) for name, size in sizes.items()}
    return {**sizes, "alpha": alphas}
