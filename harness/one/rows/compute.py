"""The intervals of rows of data by one method or several."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.base.arguments import validate_whole
from harness.base.errors import HarnessError, InputError, IntervalNotFoundError
from harness.base.numerics.arrays import Floats
from harness.distributions.truths import Prior
from harness.families.family import Family
from harness.methods.catalogue import CATALOGUE, find
from harness.methods.method import Method
from harness.one import Interval, compute, tails
from harness.one.rows.row import Row, row_lists, stacked

ALL = "all"
"""The name that stands for all methods of a family."""


@dataclass(frozen=True)
class Setting:
    """What all intervals of a command have in common."""

    family: Family
    alpha: float
    side: str
    prior: Prior | None = None
    seed: int | None = None

    def validate(self) -> None:
        """Refuse an alpha, a prior or a seed that no method takes.

        Raises:
            InputError: one of them is out of range.
        """
        if not 0 < self.alpha < 1:
            raise InputError(f"alpha should be a number between 0 and 1, found {self.alpha:.15g}")
        self.family.validate_prior(self.prior)
        if self.seed is not None:
            validate_whole("seed", self.seed, 0)

    def interval(self, method: str, rows: Sequence[Row]) -> Interval:
        """Return the intervals of rows, which lack no data."""
        return compute(
            self.family.name,
            method,
            alpha=self.alpha,
            side=self.side,
            prior=self.prior,
            seed=self.seed,
            **stacked(rows),
        )


@dataclass(frozen=True)
class Found:
    """The intervals of all rows by one method."""

    method: Method
    estimate: Floats
    """Shape (rows,); not a number where a row lacks data, or the estimate is 0/0."""
    lower: Floats
    """Shape (rows,), as ``upper``; not a number where there is no interval."""
    upper: Floats
    faults: Mapping[int, HarnessError]
    """Why there is no interval, by the place of the row."""
    seconds: float
    """The time that the intervals took."""

    @property
    def reason(self) -> str:
        """Why there is no interval at the first place without one, less the method's name."""
        message = str(next(iter(self.faults.values())))
        name = self.method.name
        return message.removeprefix(f"{name}: ").removeprefix(f"{name} ")


def methods_asked(family: Family, names: Sequence[str]) -> list[Method]:
    """Return the methods of these names, of which ``all`` stands for each of the family.

    Raises:
        InputError: there is no such method.
    """
    every = CATALOGUE[family.name]
    found: dict[str, Method] = {}
    for name in names:
        if name == ALL:
            found |= every
        else:
            method = find(family.name, name)
            found.setdefault(method.name, method)
    return list(found.values())


def unfit(method: Method, setting: Setting, names: Sequence[str]) -> str:
    """Return in a clause why a method is not asked where all are; empty where it is.

    Args:
        method: of the family.
        setting: the side, and what else is given.
        names: of the data.
    """
    if setting.side not in method.sides:
        return f"no side {setting.side}"
    if not method.deterministic and setting.seed is None:
        return "needs --seed"
    if method.needs_population and "population" not in names:
        return "needs --population"
    if not method.needs_population and "population" in names:
        return "takes no population"
    if setting.prior is not None and not method.takes_prior:
        return "takes no prior"
    if method.needs_values and not set(names) & set(setting.family.data):
        return "needs the values"
    return ""


def find_intervals(method: Method, setting: Setting, rows: Sequence[Row]) -> Found:
    """Return the intervals of all rows by one method, computed in one call where that is possible.

    Args:
        method: of the family.
        setting: what the method is asked.
        rows: validated data.
    """
    estimate, lower, upper = (np.full(len(rows), np.nan) for _ in range(3))
    faults: dict[int, HarnessError] = {}

    def fill(places: list[int]) -> None:
        try:
            found = setting.interval(method.name, [rows[place] for place in places])
        except (InputError, IntervalNotFoundError) as fault:
            if len(places) == 1:
                faults[places[0]] = fault
                return
            half = len(places) // 2
            fill(places[:half])
            fill(places[half:])
            return
        estimate[places], lower[places], upper[places] = found.estimate, found.lower, found.upper

    complete = [place for place, row in enumerate(rows) if not row.missing]
    start = time.perf_counter()
    if complete and row_lists(setting.family, rows[complete[0]].data):
        for place in complete:
            fill([place])
    elif complete:
        fill(complete)
    return Found(method, estimate, lower, upper, faults, time.perf_counter() - start)


def posterior_tails(found: Found, setting: Setting, rows: Sequence[Row]) -> list[Any]:
    """Return the posterior mass below and above each interval; None where there is none."""
    outside: list[Any] = [None] * len(rows)
    has_limits = ~np.isnan(found.lower) & ~np.isnan(found.upper)
    places = [int(place) for place in np.flatnonzero(has_limits)]
    if not places:
        return outside
    data = stacked([rows[place] for place in places])
    known = Interval(
        found.estimate[places],
        found.lower[places],
        found.upper[places],
        family=setting.family.name,
        method=found.method.name,
        alpha=setting.alpha,
        side=setting.side,
        data=data,
    )
    mass = tails(setting.family.name, found.method.name, known, prior=setting.prior, **data)
    both = zip(np.ravel(mass.lower_tail), np.ravel(mass.upper_tail), strict=True)
    for place, each in zip(places, both, strict=True):
        outside[place] = tuple(map(float, each))
    return outside
