"""Fourfold tables, and what tables with the same margins have to do with the odds ratio."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from harness.base.numerics.arrays import Bools, Floats, Positions, Rows, distinct_columns
from harness.base.numerics.root_finding import newton_roots
from harness.families.family import Data

# The logits between which the share of the room that a root takes lies.
_FARTHEST_LOGIT = 600.0


@dataclass(frozen=True)
class Tables(Rows):
    """m tables [[a, b], [c, d]] with the samples as rows; the odds ratio is ad / (bc).

    A *shift* by s leaves the margins as they are: a + s, b − s, c − s, d + s. The odds ratio rises
    with s. Given the sum of the successes, the expected cells at any odds ratio are a shift of the
    observed ones.
    """

    a: Floats
    b: Floats
    c: Floats
    d: Floats

    @classmethod
    def of(cls, data: Data) -> Tables:
        """The tables of x₁ of n₁ and x₂ of n₂.

        Exchange of a and d, or of b and c, changes nothing that depends on the odds ratio and the
        margins. They are in order, so that tables that agree in this have the same limits to the
        last bit.
        """
        x1, n1, x2, n2 = data
        return cls(x1, n1 - x1, x2, n2 - x2).ordered()

    def ordered(self) -> Tables:
        """The tables with a ≤ d and b ≤ c."""
        return Tables(
            np.minimum(self.a, self.d),
            np.minimum(self.b, self.c),
            np.maximum(self.b, self.c),
            np.maximum(self.a, self.d),
        )

    @property
    def cells(self) -> tuple[Floats, Floats, Floats, Floats]:
        """The four cells, shape (m,) each."""
        return self.a, self.b, self.c, self.d

    @property
    def size(self) -> int:
        """The number m of tables."""
        return int(self.a.size)

    @property
    def total(self) -> Floats:
        """The sum of the cells."""
        return (self.a + self.d) + (self.b + self.c)

    @property
    def room(self) -> Floats:
        """The largest shift: it leaves b or c empty."""
        return np.minimum(self.b, self.c)

    @property
    def room_below(self) -> Floats:
        """The largest shift in the other direction: it leaves a or d empty."""
        return np.minimum(self.a, self.d)

    @property
    def fixed(self) -> Bools:
        """Whether no other table has these margins; one margin is 0."""
        return np.asarray((self.room == 0) & (self.room_below == 0))

    @property
    def odds_ratio(self) -> Floats:
        """ad / (bc); inf where bc is 0."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return (self.a * self.d) / (self.b * self.c)

    def mirrored(self) -> Tables:
        """The tables with successes and failures exchanged, whose odds ratios are the inverse."""
        return Tables(self.b, self.a, self.d, self.c)

    def plus(self, increment: float) -> Tables:
        """The tables with a number added to each cell."""
        return Tables(*(cell + increment for cell in self.cells))

    def shifted(self, shift: Floats) -> Tables:
        """The tables with the same margins and a + ``shift``."""
        return Tables(self.a + shift, self.b - shift, self.c - shift, self.d + shift)

    def shifted_by_share(self, share: Floats, rest: Floats) -> Tables:
        """The tables shifted by ``share`` of their room; ``rest`` is 1 − share.

        Cells that are nearly emptied keep their relative accuracy.
        """
        shift, left = self.room * share, self.room * rest
        return Tables(
            self.a + shift,
            (self.b - self.room) + left,
            (self.c - self.room) + left,
            self.d + shift,
        )


def both_sides(tables: Tables) -> tuple[Tables, Positions]:
    """The distinct ones of the mirrored tables and the tables themselves, and the way back.

    The upper limit u of each of them is to be found: the lower limit of a table is 1/u of its
    mirrored one.

    Returns:
        The tables, and of each of the m mirrored and the m tables the position among them.
    """
    mirrored = tables.mirrored()
    both = (np.concatenate(pair) for pair in zip(mirrored.cells, tables.cells, strict=True))
    distinct, back = distinct_columns(*both)
    return Tables(*distinct), back


def shifted_by_statistic(tables: Tables, target: Floats) -> Tables:
    """The tables shifted by the s > 0 with s² (1/(a+s) + 1/(b−s) + 1/(c−s) + 1/(d+s)) = ``target``.

    Each of the four terms rises with s, so that there is one root up to the room. It is found by
    the logit of its share of the room.

    Args:
        tables: m tables that have room.
        target: > 0, shape (m,).

    Raises:
        IntervalNotFoundError: the iteration has not ended.
    """
    log_target = np.log(target)

    def excess(logit: Floats, index: Positions) -> tuple[Floats, Floats]:
        here = tables.at(index)
        share, rest = expit(logit), expit(-logit)
        moved, shift = here.shifted_by_share(share, rest), here.room * share
        inverse, rise = np.zeros_like(share), np.zeros_like(share)
        for cell, sign in zip(moved.cells, (-1.0, 1.0, 1.0, -1.0), strict=True):
            inverse += 1.0 / cell
            rise += sign * (shift / cell) * (rest / cell)
        value = log_target[index] - 2.0 * np.log(shift) - np.log(inverse)
        return value, -2.0 * rest - rise / inverse

    far = np.full(tables.size, _FARTHEST_LOGIT)
    near = np.sqrt(target / sum(1.0 / cell for cell in tables.plus(0.5).cells))
    start, missing = np.log(near) - np.log(tables.room), "no root of the score equation"
    logit = newton_roots(excess, -far, far, start, missing)
    return tables.shifted_by_share(expit(logit), expit(-logit))
