"""The points that a check asks a method for, so that another program can fill in its limits."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.callers.table import ALPHA
from harness.checks.check import check
from harness.distributions.truths import Prior
from harness.families.catalogue import family_of
from harness.methods.catalogue import methods_for
from harness.methods.method import TWO_SIDED, LimitPair, Method

_QUICK = ("Wald", "score")
"""Categories of methods in closed form."""


@dataclass(frozen=True)
class _Recorder(Method):
    """A method of the catalogue that notes the data and the alpha of each call."""

    calls: list[tuple[tuple[Floats, ...], float]] = field(default_factory=list)

    def limits(
        self,
        data: tuple[Floats, ...],
        alpha: float,
        side: str = TWO_SIDED,
        prior: Prior | None = None,
        rng: np.random.Generator | None = None,
    ) -> LimitPair:
        self.calls.append((data, alpha))
        return super().limits(data, alpha, side, prior, rng)


def asked_points(family: str = "proportion", **options: Any) -> str:
    """The points that a check of a family asks for, as CSV: the family's data and alpha.

    A check of the table with columns ``lower`` and ``upper`` added finds all points that it needs,
    if it has the same options.

    Args:
        family: the family.
        options: those of ``check``.

    Raises:
        InputError: there is no such family, its data are lists, or an option is wrong.
    """
    known = family_of(family)
    if not known.has_outcomes:
        raise InputError(f"a check of {family} has no grid of points: its data are lists")
    methods = methods_for(family).values()
    chosen = next(
        each
        for each in methods
        if each.category in _QUICK and each.deterministic and TWO_SIDED in each.sides
    )
    copied = {each.name: getattr(chosen, each.name) for each in fields(Method)}
    recorder = replace(_Recorder(**copied), sides=(TWO_SIDED,))
    check(recorder, family=family, **options)
    rows: set[tuple[float, ...]] = set()
    for data, alpha in recorder.calls:
        columns = (*data, np.full(len(data[0]), alpha))
        rows |= set(zip(*(column.tolist() for column in columns), strict=True))
    places = [known.data.index(name) for name in known.sizes if name in known.data]
    places += [len(known.data)]
    ordered = sorted(rows, key=lambda row: ([row[place] for place in places], row))
    lines = (",".join(map(_text, row)) for row in ordered)
    return "\n".join((",".join((*known.data, ALPHA)), *lines))


def _text(value: float) -> str:
    return str(int(value)) if float(value).is_integer() else repr(value)
