"""Tables of limits at the outcomes of a scenario."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from harness.base.errors import HarnessError
from harness.base.numerics.arrays import Bools, Floats, Integers, Positions
from harness.designs.design import Scenario
from harness.families.combination import IDENTITY, ParameterScale


@dataclass(frozen=True)
class Column:
    """One method at one alpha, which is a row of the table of limits."""

    method: str
    """The label of the method."""
    side: str
    alpha: float
    position: int = 0
    """The position among all columns of the tables."""


@dataclass(frozen=True)
class Limits:
    """The limits of k columns at m outcomes."""

    outcomes: Integers
    """Ascending and distinct, shape (m,)."""
    lower: Floats
    """Shape (k, m); NaN where a method gave no limits."""
    upper: Floats
    scale: ParameterScale = IDENTITY
    """The scale of the parameter, on which lengths are."""

    @classmethod
    def of(cls, scenario: Scenario, outcomes: Integers, lower: Floats, upper: Floats) -> Limits:
        """Return the limits of the scenario's parameter."""
        return cls(outcomes, lower, upper, scenario.family.scale)

    @property
    def length(self) -> Floats:
        """The lengths, shape (k, m), with 0 for infinite ones of a ratio, which are counted."""
        return self.scale.finite_length(self.lower, self.upper)

    @property
    def infinite(self) -> Floats | None:
        """1 where the interval of a ratio has an infinite length, else 0; None of no ratio."""
        return self.scale.infinite(self.lower, self.upper)

    @property
    def failed(self) -> Bools:
        """Whether a method gave no limits, shape (k, m)."""
        return np.isnan(self.lower)

    def filled(self, lower: float, upper: float) -> Limits:
        """Return the table with these limits in place of missing ones."""
        failed = self.failed
        low, high = np.where(failed, lower, self.lower), np.where(failed, upper, self.upper)
        return replace(self, lower=low, upper=high)

    def positions(self, outcomes: Integers) -> Positions:
        """Return the positions of the outcomes in the table.

        Raises:
            HarnessError: the table has no limits for an outcome.
        """
        index = np.searchsorted(self.outcomes, outcomes)
        missing = np.append(self.outcomes, -1)[index] != outcomes
        if missing.any():
            raise HarnessError(f"the table has no limits for the outcome {outcomes[missing][0]}")
        return index

    def at(self, outcomes: Integers) -> Limits:
        """Return the part of the table at the outcomes; it raises what ``positions`` does."""
        index = self.positions(outcomes)
        return Limits(outcomes, self.lower[:, index], self.upper[:, index], self.scale)

    def known_at(self, outcomes: Integers) -> Limits | None:
        """Return the part of the table at the outcomes; None where it has no limits for one."""
        index = np.searchsorted(self.outcomes, outcomes)
        if not (np.append(self.outcomes, -1)[index] == outcomes).all():
            return None
        return self.at(outcomes)

    def run(self, first: int, last: int) -> Limits | None:
        """Return the part from one outcome to another, which are not listed: there may be 10^9.

        None where the table lacks one of them.
        """
        start, stop = np.searchsorted(self.outcomes, [first, last + 1])
        if int(stop - start) != last + 1 - first:
            return None
        run = slice(start, stop)
        return Limits(self.outcomes[run], self.lower[:, run], self.upper[:, run], self.scale)

    def rows(self, rows: Sequence[int]) -> Limits:
        """Return the table of the columns in these rows; itself if these are all of them."""
        if list(rows) == list(range(self.lower.shape[0])):
            return self
        index = list(rows)
        return replace(self, lower=self.lower[index], upper=self.upper[index])

    def segments(self) -> list[slice]:
        """Return a slice over each run of consecutive outcomes."""
        breaks = np.flatnonzero(np.diff(self.outcomes) > 1) + 1
        bounds = [0, *breaks.tolist(), self.outcomes.size]
        return [slice(a, b) for a, b in pairwise(bounds)]


def outcomes_at_fractions(n: int, count: int) -> Integers:
    """Return the distinct outcomes ⌊n·f + ½⌋ at ``count`` equally spaced f from 0 to 1."""
    steps = np.arange(count, dtype=np.int64)
    return np.unique((2 * n * steps + (count - 1)) // (2 * (count - 1)))
