"""Where a method is looked at: outcomes of small, large and uneven sizes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from harness.families.catalogue import family_of
from harness.families.family import Data
from harness.numerics.arrays import Floats

EVERY_OUTCOME_UP_TO = 60
SIZES = (1, 2, 3, 5, 10, 17, 51, 1000, 10**6)
EXPOSURES = (1.0, 1e-6, 50.0, 1e6)
EVENTS = (*range(31), 99, 100, 101, 999, 1000, 1001, 10**6 - 1, 10**6, 10**6 + 1)
ALPHAS = (1e-10, 1e-6, 1e-3, 0.05, 0.3, 0.5, 0.7, 0.9)

COUNTS_OF_TWO: dict[tuple[int, int], tuple[Sequence[int], Sequence[int]]] = {
    (1, 1): (range(2), range(2)),
    (3, 40): (range(4), (0, 1, 2, 20, 38, 39, 40)),
    (5, 200): ((0, 1, 4, 5), (0, 1, 4, 5, 100, 195, 196, 199, 200)),
    (1000, 50): ((0, 1, 500, 999, 1000), (0, 1, 25, 49, 50)),
    (1, 10**6): (range(2), (0, 1, 500_000, 999_999, 10**6)),
}
"""Counts of two proportions, by their sizes."""
EXPOSURES_OF_TWO = ((1.0, 1.0), (50.0, 0.25), (1e6, 1e6))
EVENTS_OF_TWO = (0, 1, 2, 10, 1000)
ALPHAS_OF_TWO = (1e-10, 0.05, 0.95)


@dataclass(frozen=True)
class Outcomes:
    """All combinations of some counts at one size, or one pair of sizes."""

    family: str
    sizes: tuple[float, ...]
    counts: tuple[Floats, ...]
    """Of each sample, ascending; for n trials as many from n down as from 0 up."""

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(each.size for each in self.counts)

    def flat(self) -> tuple[Floats, ...]:
        """The counts of each sample at every outcome, shape (m,)."""
        return tuple(each.ravel() for each in np.meshgrid(*self.counts, indexing="ij"))

    def data(self) -> Data:
        """The family's columns, as methods of the catalogue take them."""
        columns: list[Floats] = []
        for count, size in zip(self.flat(), self.sizes, strict=True):
            columns += [count, np.full(count.size, float(size))]
        return tuple(columns)

    def cell(self, place: Sequence[int]) -> dict[str, float | int]:
        """The data of one outcome by name, sizes last."""
        family = family_of(self.family)
        counts = [int(each[i]) for each, i in zip(self.counts, place, strict=True)]
        sizes = [int(size) if size == int(size) else size for size in self.sizes]
        return {
            **dict(zip(family.counts, counts, strict=True)),
            **dict(zip(family.sizes, sizes, strict=True)),
        }


@dataclass(frozen=True)
class Listed(Outcomes):
    """Outcomes one by one: of two samples pairs of counts, and not all combinations of them."""

    @property
    def shape(self) -> tuple[int, ...]:
        return self.counts[0].shape

    def flat(self) -> tuple[Floats, ...]:
        return self.counts

    def cell(self, place: Sequence[int]) -> dict[str, float | int]:
        return super().cell([*place] * len(self.counts))


def conformance_grid(family: str) -> list[Outcomes]:
    """The outcomes that every method should have sound limits at, the small sizes first."""
    known = family_of(family)
    is_rate = known.model.SUPPORT[1] == np.inf
    if known.samples == 1:
        return [
            Outcomes(family, (float(size),), (_floats(EVENTS) if is_rate else _successes(size),))
            for size in (EXPOSURES if is_rate else SIZES)
        ]
    if is_rate:
        return [
            Outcomes(family, sizes, (_floats(EVENTS_OF_TWO),) * 2) for sizes in EXPOSURES_OF_TWO
        ]
    return [
        Outcomes(family, tuple(map(float, sizes)), tuple(map(_floats, counts)))
        for sizes, counts in COUNTS_OF_TWO.items()
    ]


def conformance_alphas(family: str) -> tuple[float, ...]:
    """The levels that go with it, ascending."""
    return ALPHAS if family_of(family).samples == 1 else ALPHAS_OF_TWO


def _successes(n: float) -> Floats:
    """Every count of a small n; else those at both ends, and some between."""
    if n <= EVERY_OUTCOME_UP_TO:
        return np.arange(n + 1.0)
    low = [*range(11), n // 20, n // 8, n // 4, n // 2 - 1]
    return _floats({*low, *(n - x for x in low), n // 2})


def _floats(counts: Iterable[float]) -> Floats:
    return np.array(sorted(counts), dtype=np.float64)
