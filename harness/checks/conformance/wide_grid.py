"""The sizes, counts and alphas at which limits are asked for beside those of the fixed grid.

A method that is wrong at one n only, from some n on, or at one alpha, has all properties elsewhere.

Of two samples and of pairs all outcomes are listed at some sizes, or all with few events, so that
the tail of each limit is a sum over them. At more sizes, large and drawn ones, there are a few
outcomes each, with many counts of both kinds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from harness.checks.conformance.grid import (
    CountGrid,
    GridBlock,
    TableList,
    conformance_grid,
)
from harness.checks.findings import USUAL_ALPHA
from harness.checks.plans import ANY_EVENTS, CASES, checked_at
from harness.checks.sizes import ANYWHERE, Restriction
from harness.families.family import Family

WIDE_ALPHAS = (0.001, 0.01, USUAL_ALPHA, 0.1, 0.2, 0.3173)
ALL_ALPHAS = (0.0003, 0.001, 0.003, 0.01, 0.05, 0.1, 0.2, 0.3173)
SOME_ALPHAS, FEW_ALPHAS = (0.015, 0.05, 0.1), (0.001, 0.01, 0.05, 0.2, 0.3173)
"""The alphas of families with several counts."""
DRAWN_ALPHAS = 2
"""The number of alphas that are drawn between the smallest and the largest of these."""
LARGEST_DRAWN = 10**6
"""The largest size that is drawn."""

Alphas = tuple[float, ...]


@dataclass(frozen=True)
class OneCount:
    """How wide the grid of a proportion is, and how many counts there are of a rate."""

    all_counts_up_to: int
    """All counts of every n up to this one; of a larger n some of them."""
    two_alphas_up_to: int
    """Up to this n 0.05 and another alpha in turn, then 0.05 alone."""
    all_alphas_at: tuple[int, ...]
    """Sizes with all counts and all alphas."""
    large: tuple[int, ...]
    drawn: int
    """The number of larger sizes, and of exposures, that are drawn."""
    events_up_to: int
    """All numbers of events up to this one."""
    places: tuple[int, ...]
    """Counts of a large n are three in a row at n divided by each of these."""
    next_to_ends: int
    """Counts next to 0 and n."""
    drawn_counts: int
    """The number of counts of a large n that are drawn, three in a row each."""

    def of_proportions(
        self, family: Family, alphas: Alphas, rng: np.random.Generator
    ) -> list[GridBlock]:
        """Every n up to 200, larger ones, and drawn ones."""
        others = tuple(alpha for alpha in alphas if alpha != USUAL_ALPHA)
        blocks = []
        for n in range(1, EVERY_N_UP_TO + 1):
            has_all = n <= self.all_counts_up_to or n in self.all_alphas_at
            counts = range(n + 1) if has_all else self.some_counts(n, rng)
            some = {USUAL_ALPHA, *(others[n % len(others) :][: n <= self.two_alphas_up_to])}
            chosen = alphas if n in self.all_alphas_at else tuple(sorted(some))
            blocks.append(_block(family, (n,), [counts], chosen))
        logs = rng.uniform(np.log(EVERY_N_UP_TO + 1), np.log(LARGEST_DRAWN), self.drawn)
        larger = (*self.large, *map(int, np.exp(logs)))
        blocks += [_block(family, (n,), [self.some_counts(n, rng)], alphas) for n in larger]
        return blocks

    def of_rates(self, family: Family, alphas: Alphas, rng: np.random.Generator) -> list[GridBlock]:
        """Many events, at an exposure of 1 and at drawn ones."""
        span = np.log(SMALLEST_EXPOSURE), np.log(LARGEST_EXPOSURE)
        drawn = [float(f"{exposure:.4g}") for exposure in np.exp(rng.uniform(*span, self.drawn))]
        starts = [*EVENTS, *np.exp(rng.uniform(5.0, 14.0, 3)).astype(int).tolist()]
        some = {start + i for start in starts for i in (-1, 0, 1)}
        few = range(min(self.events_up_to, 40) + 1)
        others = (*drawn, 1e-6, 50.0, 1e6)
        blocks = [_block(family, (exposure,), [{*few, *some}], alphas) for exposure in others]
        return [_block(family, (1.0,), [{*range(self.events_up_to + 1), *some}], alphas), *blocks]

    def some_counts(self, n: int, rng: np.random.Generator) -> Iterable[int]:
        """Counts next to 0 and n, three in a row at some places, and drawn ones."""
        starts = [n // place for place in self.places] + rng.integers(
            0, n + 1, self.drawn_counts
        ).tolist()
        low = {*range(self.next_to_ends), *(start + i for start in starts for i in (-1, 0, 1))}
        some = {x for x in low if 0 <= x <= n}
        return {*some, *(n - x for x in some)}


@dataclass(frozen=True)
class SeveralCounts:
    """How wide the grid of two samples or of pairs is."""

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

    def of_pairs(self, family: Family, rng: np.random.Generator) -> Iterator[GridBlock]:
        """All tables of small sizes, and a few of larger ones."""
        for n in self.pairs:
            tables = [
                (both, first, second, n - both - first - second)
                for first, second in product(range(n + 1), range(n + 1))
                for both in range(n - first - second + 1)
            ]
            yield _tables(family, n, tables, ALL_ALPHAS if n == self.pairs[0] else SOME_ALPHAS)
        drawn = np.exp(rng.uniform(np.log(50.0), np.log(LARGEST_SIZE), self.drawn))
        for n in (*(sizes[0] for sizes in self.large), *drawn.astype(int).tolist()):
            cells = product(SHARES_OF_DISCORDANT, SHARES_OF_DISCORDANT, SHARES_OF_BOTH)
            discordant = [(round(a * n), round(b * n), share) for a, b, share in cells]
            rest = [(round((n - a - b) * share), a, b) for a, b, share in discordant]
            yield _tables(family, n, [(both, a, b, n - both - a - b) for both, a, b in rest])

    def of_two_proportions(self, family: Family, rng: np.random.Generator) -> Iterator[GridBlock]:
        """All outcomes of small sizes, rare events, and a few outcomes of large sizes."""
        yield _block(family, self.first, [range(n + 1) for n in self.first], ALL_ALPHAS)
        drawn = rng.integers(10, self.largest_full + 1, (self.drawn_full, 2)).tolist()
        for sizes in (*self.full, *drawn):
            yield _block(family, sizes, [range(n + 1) for n in sizes], SOME_ALPHAS)
        for sizes in self.rare:
            yield _block(family, sizes, [range(self.few_events + 1)] * 2, SOME_ALPHAS)
        logs = rng.uniform(np.log(50.0), np.log(LARGEST_SIZE), (self.drawn, 2))
        for sizes in (*self.large, *np.exp(logs).astype(int).tolist()):
            low = [{round(share * n) for share in SHARES} for n in sizes]
            counts = [{*few, *(n - x for x in few)} for few, n in zip(low, sizes, strict=True)]
            yield _block(family, sizes, counts)

    def of_two_rates(self, family: Family, rng: np.random.Generator) -> Iterator[GridBlock]:
        """Few events, and many at some exposures."""
        few = [range(self.few_events + 1)] * 2
        drawn = np.exp(rng.uniform(np.log(1e-3), np.log(1e5), (1 + self.drawn, 2)))
        exposures = [[float(f"{exposure:.4g}") for exposure in pair] for pair in drawn.tolist()]
        yield _block(family, (1.0, 2.5), few, ALL_ALPHAS)
        if self.drawn:
            yield _block(family, exposures[0], few, SOME_ALPHAS)
        for pair in ((1.0, 1.0), *exposures[1:])[: 1 + self.drawn]:
            yield _block(family, pair, [EVENTS_OF_RATES] * 2)


@dataclass(frozen=True)
class Extent:
    """How wide the grid is."""

    one: OneCount
    several: SeveralCounts


EVERY_N_UP_TO = 200
_EVERY_N = tuple(range(1, EVERY_N_UP_TO + 1))
_LARGE = (500, 1000, 10**4, 10**5, 10**6)
_USUAL_OF_TWO = ((40, 40), (50, 100), (100, 100), (200, 200), (1000, 300))
_LARGE_OF_TWO = (*_USUAL_OF_TWO, (10**5, 10**5), (10**6, 10**6))
_RARE = ((1000, 400), (10**5, 2 * 10**5))
_FULL = ((37, 21), (50, 50), (100, 40))

OF_ARRAYS = Extent(
    OneCount(200, 100, (30, 60, 100, 200), _LARGE, 6, 200, (20, 8, 4, 3, 2), 11, 2),
    SeveralCounts((20, 25), _FULL[:1], 1, 40, 26, _RARE, _LARGE_OF_TWO, 12, (15, 21)),
)
"""The grid of a method that answers many outcomes in one call."""
OF_NUMBERS = Extent(
    OneCount(40, 60, (30, 60), (500, 1000, 10**4, 10**6), 4, 60, (8, 2), 4, 1),
    SeveralCounts((16, 21), ((24, 22),), 1, 24, 20, _RARE[1:], _LARGE_OF_TWO, 6, (12, 17)),
)
"""The grid of a method that does not, which is asked at all counts of small n only."""
OF_SLOW = Extent(OF_NUMBERS.one, SeveralCounts((14, 18), (), 0, 0, 12, (), (), 0, (12,)))
"""The grid of a method that a hundred outcomes of several counts take a good part of a second."""
THOROUGH = Extent(
    OneCount(200, 200, _EVERY_N, _LARGE, 20, 400, (50, 20, 12, 8, 6, 5, 4, 3, 2), 31, 2),
    SeveralCounts((20, 25), _FULL, 6, 70, 60, _RARE, _LARGE_OF_TWO, 60, (15, 21, 30)),
)
"""All alphas and counts, whatever the method takes."""

EVENTS = (99, 170, 171, 172, 250, 500, 1000, 10**4, 10**5, 10**6)
"""Numbers of events beyond those that are all asked for, three in a row at each."""
SMALLEST_EXPOSURE, LARGEST_EXPOSURE = 1e-3, 1e5
"""The range of drawn exposures."""


def wide_grid(
    family: Family,
    seed: int,
    extent: Extent | None = None,
    *,
    largest_size: float | None = None,
    restriction: Restriction = ANYWHERE,
) -> list[GridBlock]:
    """The fixed grid and the wider one, by size.

    A restricted check has the fixed grid only.

    Args:
        family: the family.
        seed: what the sizes, counts and alphas are drawn from beside the fixed ones.
        extent: how wide the grid is; None for that of a method that answers arrays.
        largest_size: the largest size of a sample that the method takes; None for any.
        restriction: the sizes and alphas that the check is restricted to.

    Returns:
        A block for each size.
    """
    chosen = extent or OF_ARRAYS
    fixed = conformance_grid(family, largest_size, restriction)
    if restriction != ANYWHERE or not (family.has_counts_of_samples or family.shares_size):
        return fixed
    rng = np.random.default_rng((seed, 7))
    blocks = list(fixed)
    most = np.inf if largest_size is None else largest_size
    if not family.has_single_count:
        blocks += several_count_grid(family, rng, chosen.several)
        taken = [block for block in blocks if max(block.outcomes.sizes) <= most]
        return sorted(taken, key=lambda block: max(block.outcomes.sizes))
    logs = rng.uniform(np.log(WIDE_ALPHAS[0]), np.log(WIDE_ALPHAS[-1]), DRAWN_ALPHAS)
    drawn = [float(f"{alpha:.3g}") for alpha in np.exp(logs)]
    of_one = {CASES: chosen.one.of_proportions, ANY_EVENTS: chosen.one.of_rates}
    blocks += of_one[checked_at(family).counts](family, tuple(sorted({*WIDE_ALPHAS, *drawn})), rng)
    by_size: dict[float, GridBlock] = {}
    for block in blocks:
        (size,) = block.outcomes.sizes
        if size > most:
            continue
        other = by_size.setdefault(size, block)
        counts = np.union1d(other.outcomes.counts[0], block.outcomes.counts[0])
        alphas = tuple(sorted({*other.alphas, *block.alphas}))
        by_size[size] = GridBlock(replace(other.outcomes, counts=(counts,)), alphas)
    # Exposures keep their order, as the usual one of 1 stands first.
    return [by_size[size] for size in (sorted(by_size) if family.has_fractions else by_size)]


def _block(
    family: Family,
    sizes: Sequence[float],
    counts: Sequence[Iterable[int]],
    alphas: Alphas = FEW_ALPHAS,
) -> GridBlock:
    ascending = tuple(np.array(sorted(column), np.float64) for column in counts)
    return GridBlock(CountGrid(family, tuple(map(float, sizes)), ascending), alphas)


LARGEST_SIZE = 10**6
SHARES = (0.1, 0.3, 0.5)
"""The counts of a sample as shares of its size, where there are a few of them; and of failures."""
SHARES_OF_DISCORDANT = (0.02, 0.1, 0.3)
SHARES_OF_BOTH = (0.2, 0.8)
"""The same of pairs: of each discordant cell, and of both in the concordant ones."""
EVENTS_OF_RATES = (20, 40, 200, 5000, 10**6)
"""The counts of a rate, where there are a few of them."""


def several_count_grid(
    family: Family, rng: np.random.Generator, extent: SeveralCounts = OF_ARRAYS.several
) -> Iterator[GridBlock]:
    """The wider grid of a family of two samples or of pairs, with sizes that are drawn."""
    if family.shares_size:
        return extent.of_pairs(family, rng)
    of_two = {CASES: extent.of_two_proportions, ANY_EVENTS: extent.of_two_rates}
    return of_two[checked_at(family).counts](family, rng)


def _tables(
    family: Family, n: int, tables: Sequence[tuple[int, ...]], alphas: Alphas = FEW_ALPHAS
) -> GridBlock:
    return GridBlock(TableList.of_pairs(family, n, tables), alphas)
