"""What is wrong with the tail of a limit, and the choice of the one fault that is reported."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Bools, Positions
from harness.checks.places import Places
from harness.checks.report import FAIL, Verdict
from harness.checks.tails.record import LimitName, LimitTails
from harness.families.catalogue import family_of
from harness.methods.expected_failures import SIDE

_USUAL_ALPHA = 0.05


@dataclass(frozen=True)
class Fault:
    """Something that is wrong with limits of one size, alpha and side."""

    verdict: Verdict
    """A failure or a remark."""
    message: str
    """One sentence with the first counter-example."""
    cell: dict[str, float | int | str]
    count: int = 1
    """The number of limits that it holds for."""
    all_places: Places | None = None
    """All of them; None where it is about many limits together."""

    @property
    def places(self) -> Places:
        """All limits that it holds for, or the size and alpha of its message."""
        if self.all_places is not None:
            return self.all_places
        return Places({name: np.array([value]) for name, value in self.cell.items()})

    @property
    def is_failure(self) -> bool:
        """Whether it is a failure and no remark."""
        return self.verdict == FAIL


@dataclass(frozen=True)
class Place:
    """One limit."""

    tails: LimitTails
    name: LimitName
    index: tuple[int, ...]
    """Its place in the arrays."""

    @property
    def cell(self) -> dict[str, float | int | str]:
        """The outcome, alpha and limit."""
        limit = float(self.tails.limit(self.name)[self.index])
        return {**self.tails.cell(self.index), self.name: limit}


Rule = Callable[[LimitTails, LimitName], Bools]
"""Where limits break a rule; shape of the limits."""


def first_place(records: Sequence[LimitTails], rule: Rule) -> tuple[Place | None, Places]:
    """The first limit that breaks a rule, and all that do.

    It is the one of the smallest size, with the alpha nearest to 0.05.
    """
    first, parts = None, []
    for tails, name in limits_of(records):
        broken = rule(tails, name)
        if broken.any():
            parts.append(_places(tails, np.argwhere(broken)))
        if first is None and broken.any():
            places = [tuple(map(int, each)) for each in np.argwhere(broken)]
            index = min(
                places,
                key=lambda each: (abs(math.log(tails.alphas[each[0]] / _USUAL_ALPHA)), each),
            )
            first = Place(tails, name, index)
    return first, Places.joined(parts)


def _places(tails: LimitTails, indices: Positions) -> Places:
    """The outcomes, sizes, alphas and limits at places in the arrays, shape (k, d)."""
    cells = np.ravel_multi_index(tuple(indices[:, 1:].T), tails.outcomes.shape)
    family, count = family_of(tails.outcomes.family), len(indices)
    columns = dict(zip(family.counts, (x[cells] for x in tails.outcomes.flat()), strict=True))
    named = zip(family.sizes, tails.outcomes.sizes, strict=True)
    columns |= {size: np.full(count, value) for size, value in named}
    columns["alpha"] = np.array(tails.alphas)[indices[:, 0]]
    at = tuple(indices.T)
    limits = {"lower": tails.lower[at], "upper": tails.upper[at]}
    return Places({**columns, SIDE: np.full(count, tails.side), **limits})


def limits_of(records: Sequence[LimitTails]) -> Iterator[tuple[LimitTails, LimitName]]:
    """Each record with the names of its limits."""
    for tails in records:
        for name in tails.names:
            yield tails, name
