"""The outcomes of two samples and of pairs at which limits are asked for beside the fixed grid.

At some sizes all outcomes are listed, or all with few events, so that the tail of each limit is a
sum over them. At more sizes, large and drawn ones, there are a few outcomes each, with many counts
of both kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.checks.conformance.grid import Outcomes, Tables
from harness.families.catalogue import family_of
from harness.families.family import PAIRS

ALL_ALPHAS = (0.0003, 0.001, 0.003, 0.01, 0.05, 0.1, 0.2, 0.3173)
SOME_ALPHAS, FEW_ALPHAS = (0.015, 0.05, 0.1), (0.001, 0.01, 0.05, 0.2, 0.3173)
LARGEST_SIZE = 10**6
SHARES = (0.1, 0.3, 0.5)
"""The counts of a sample as shares of its size, where there are a few of them; and of failures."""
SHARES_OF_DISCORDANT = (0.02, 0.1, 0.3)
SHARES_OF_BOTH = (0.2, 0.8)
"""The same of pairs: of each discordant cell, and of both in the concordant ones."""
EVENTS = (20, 40, 200, 5000, 10**6)
"""The counts of a rate, where there are a few of them."""

Grid = Iterator[tuple[Outcomes, tuple[float, ...]]]
"""Outcomes of one size of each sample, with the alphas at which limits are asked for."""


@dataclass(frozen=True)
class _Extent:
    """How wide a grid is."""

    first: tuple[int, int]
    """Sizes with all outcomes and all alphas."""
    full: tuple[tuple[int, int], ...]
    """Sizes with all outcomes and some alphas."""
    drawn_full: int
    """The number of such sizes that are drawn, up to ``largest_full``."""
    largest_full: int
    few_events: int
    """All counts up to this one of rare events, at some alphas."""
    rare: tuple[tuple[int, int], ...]
    """Large sizes with these counts only."""
    large: tuple[tuple[int, int], ...]
    """Sizes with a few outcomes."""
    drawn: int
    """The number of such sizes that are drawn, up to a million."""
    pairs: tuple[int, ...]
    """Sizes of pairs with all tables, the first with all alphas."""


_LARGE = ((40, 40), (50, 100), (100, 100), (200, 200), (1000, 300), (10**5, 10**5), (10**6, 10**6))
_RARE = ((1000, 400), (10**5, 2 * 10**5))
_OF_ARRAYS = _Extent((20, 25), ((37, 21),), 1, 40, 26, _RARE, _LARGE, 12, (15, 21))
_OF_NUMBERS = _Extent((16, 21), ((24, 22),), 1, 24, 20, _RARE[1:], _LARGE, 6, (12, 17))
_OF_SLOW = _Extent((14, 18), (), 0, 0, 12, (), (), 0, (12,))
_THOROUGH = _Extent(
    (20, 25), ((37, 21), (50, 50), (100, 40)), 6, 70, 60, _RARE, _LARGE, 60, (15, 21, 30)
)


def several_count_grid(
    family: str,
    rng: np.random.Generator,
    *,
    takes_arrays: bool = True,
    takes_long: bool = False,
    thorough: bool = False,
) -> Grid:
    """The wider grid of a family of two samples or of pairs.

    Args:
        family: the family.
        rng: what sizes are drawn from.
        takes_arrays: whether the method answers many outcomes in one call.
        takes_long: whether a hundred outcomes take it a good part of a second.
        thorough: whether to ask at more sizes, whatever the method takes.
    """
    extent = _OF_ARRAYS if takes_arrays else _OF_NUMBERS
    if takes_long:
        extent = _OF_SLOW
    if thorough:
        extent = _THOROUGH
    known = family_of(family)
    if known.design == PAIRS:
        return _pairs(family, extent, rng)
    return (_proportions if known.is_bounded else _rates)(family, extent, rng)


def _proportions(family: str, extent: _Extent, rng: np.random.Generator) -> Grid:
    yield _two(family, extent.first, [range(n + 1) for n in extent.first], ALL_ALPHAS)
    drawn = rng.integers(10, extent.largest_full + 1, (extent.drawn_full, 2)).tolist()
    for sizes in (*extent.full, *drawn):
        yield _two(family, sizes, [range(n + 1) for n in sizes], SOME_ALPHAS)
    for sizes in extent.rare:
        yield _two(family, sizes, [range(extent.few_events + 1)] * 2, SOME_ALPHAS)
    logs = rng.uniform(np.log(50.0), np.log(LARGEST_SIZE), (extent.drawn, 2))
    for sizes in (*extent.large, *np.exp(logs).astype(int).tolist()):
        low = [{round(share * n) for share in SHARES} for n in sizes]
        counts = [{*few, *(n - x for x in few)} for few, n in zip(low, sizes, strict=True)]
        yield _two(family, sizes, counts)


def _rates(family: str, extent: _Extent, rng: np.random.Generator) -> Grid:
    few = [range(extent.few_events + 1)] * 2
    drawn = np.exp(rng.uniform(np.log(1e-3), np.log(1e5), (1 + extent.drawn, 2)))
    exposures = [[float(f"{each:.4g}") for each in pair] for pair in drawn.tolist()]
    yield _two(family, (1.0, 2.5), few, ALL_ALPHAS)
    if extent.drawn:
        yield _two(family, exposures[0], few, SOME_ALPHAS)
    for pair in ((1.0, 1.0), *exposures[1:])[: 1 + extent.drawn]:
        yield _two(family, pair, [EVENTS] * 2)


def _pairs(family: str, extent: _Extent, rng: np.random.Generator) -> Grid:
    for n in extent.pairs:
        tables = [
            (both, first, second, n - both - first - second)
            for first, second in product(range(n + 1), range(n + 1))
            for both in range(n - first - second + 1)
        ]
        yield _tables(family, n, tables, ALL_ALPHAS if n == extent.pairs[0] else SOME_ALPHAS)
    drawn = np.exp(rng.uniform(np.log(50.0), np.log(LARGEST_SIZE), extent.drawn))
    for n in (*(sizes[0] for sizes in extent.large), *drawn.astype(int).tolist()):
        cells = product(SHARES_OF_DISCORDANT, SHARES_OF_DISCORDANT, SHARES_OF_BOTH)
        discordant = [(round(a * n), round(b * n), share) for a, b, share in cells]
        rest = [(round((n - a - b) * share), a, b) for a, b, share in discordant]
        yield _tables(family, n, [(both, a, b, n - both - a - b) for both, a, b in rest])


def _two(
    family: str,
    sizes: Sequence[float],
    counts: Sequence[Iterable[int]],
    alphas: tuple[float, ...] = FEW_ALPHAS,
) -> tuple[Outcomes, tuple[float, ...]]:
    ascending = tuple(np.array(sorted(each), np.float64) for each in counts)
    return Outcomes(family, tuple(map(float, sizes)), ascending), alphas


def _tables(
    family: str,
    n: int,
    tables: Sequence[tuple[int, ...]],
    alphas: tuple[float, ...] = FEW_ALPHAS,
) -> tuple[Outcomes, tuple[float, ...]]:
    columns: tuple[Floats, ...] = tuple(np.array(sorted({*tables}), np.float64).T)
    return Tables(family, (float(n),), columns), alphas
