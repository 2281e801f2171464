"""The points of a baseline: the outcomes, sizes and alphas at which it keeps limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.checks.conformance.grid import OutcomeList
from harness.checks.scenarios import Size
from harness.families.catalogue import family_of
from harness.families.family import PAIRS

SIZES_IN_FULL, SIZES_IN_SUMS = (1, 2, 5, 10, 20, 50), (*range(1, 61), 80, 100, 200, 500, 1000)
EXPOSURES_IN_FULL, EXPOSURES_IN_SUMS = (1.0,), (0.1, 0.5, 1.0, 5.0, 50.0)
ALPHAS_IN_FULL, ALPHAS_IN_SUMS = (0.01, 0.05, 0.1), (0.001, 0.01, 0.05, 0.1, 0.2)

SIZES_OF_TWO_IN_FULL = ((3.0, 4.0), (5.0, 5.0))
SIZES_OF_TWO_IN_SUMS = (
    *((float(a), float(b)) for a, b in product(range(1, 5), repeat=2)),
    (5.0, 5.0),
    (10.0, 10.0),
    (10.0, 20.0),
)
EXPOSURES_OF_TWO = ((1.0, 1.0), (5.0, 0.5))
SIZES_OF_PAIRS_IN_FULL, SIZES_OF_PAIRS_IN_SUMS = (1, 2, 3, 5), (*range(1, 9), 10)
ALPHAS_OF_TWO_IN_FULL, ALPHAS_OF_TWO_IN_SUMS = (0.05,), (0.01, 0.05, 0.2)

MOST_IN_FULL = 64
"""The largest number of outcomes of a size whose limits are kept in full."""

_EVENTS, _EVENTS_OF_TWO = 51, 11
"""Events from 0 on, of one rate and of each of two."""
_MOST_COUNTS, _MOST_COUNTS_OF_TWO, _MOST_COUNTS_OF_PAIRS = 1001, 41, 13
"""The largest number of counts of a sample; of a larger one those near 0 and n and some between."""


@dataclass(frozen=True)
class Points:
    """The sizes and alphas at which a baseline keeps limits in full, and sums of them."""

    sizes_in_full: tuple[Size, ...]
    alphas_in_full: tuple[float, ...]
    sizes_in_sums: tuple[Size, ...]
    alphas_in_sums: tuple[float, ...]


def default_points(
    family: str,
    sizes: Sequence[Size] | None = None,
    alphas: Sequence[float] | None = None,
    largest_size: float | None = None,
) -> Points:
    """The points of a baseline.

    Args:
        family: a family whose outcomes are counts.
        sizes: the only sizes that the method was checked at; None for those of the family.
        alphas: the only alphas that the method was checked at; None for those of the family.
        largest_size: the largest size of a sample that the method takes; None for any.
    """
    known = family_of(family)
    in_full: Sequence[Size]
    in_sums: Sequence[Size]
    if known.design == PAIRS:
        in_full, in_sums = SIZES_OF_PAIRS_IN_FULL, SIZES_OF_PAIRS_IN_SUMS
    elif known.samples == 2 and known.is_bounded:
        in_full, in_sums = SIZES_OF_TWO_IN_FULL, SIZES_OF_TWO_IN_SUMS
    elif known.samples == 2:
        in_full, in_sums = EXPOSURES_OF_TWO[:1], EXPOSURES_OF_TWO
    elif known.is_bounded:
        in_full, in_sums = SIZES_IN_FULL, SIZES_IN_SUMS
    else:
        in_full, in_sums = EXPOSURES_IN_FULL, EXPOSURES_IN_SUMS
    if sizes is not None:
        in_sums = tuple(sizes)
        in_full = [size for size in sizes if outcomes_at(family, size).shape[0] <= MOST_IN_FULL]
    kept_in_full, kept_in_sums = (
        tuple(size for size in chosen if largest_size is None or np.max(size) <= largest_size)
        for chosen in (in_full, in_sums)
    )
    single = known.has_single_count
    return Points(
        kept_in_full,
        tuple(alphas or (ALPHAS_IN_FULL if single else ALPHAS_OF_TWO_IN_FULL)),
        kept_in_sums,
        tuple(alphas or (ALPHAS_IN_SUMS if single else ALPHAS_OF_TWO_IN_SUMS)),
    )


def outcomes_at(family: str, size: Size) -> OutcomeList:
    """The outcomes of one size in an order that stays: all of a small size, some of a large one."""
    known = family_of(family)
    sizes = tuple(float(each) for each in np.atleast_1d(size))
    if known.design == PAIRS:
        return OutcomeList(family, sizes, _tables(int(sizes[0])))
    if known.is_bounded:
        most = _MOST_COUNTS if known.samples == 1 else _MOST_COUNTS_OF_TWO
        counts = [_counts(int(each), most) for each in sizes]
    else:
        counts = [np.arange(float(_EVENTS if known.samples == 1 else _EVENTS_OF_TWO))] * len(sizes)
    flat = tuple(each.ravel() for each in np.meshgrid(*counts, indexing="ij"))
    return OutcomeList(family, sizes, flat)


def _counts(n: int, most: int) -> Floats:
    """Counts from 0 to n; of more than ``most`` of them a third near each end, and some between."""
    if n < most:
        return np.arange(n + 1.0)
    few = most // 3
    between = np.round(np.linspace(0, n, few))
    return np.unique(np.concatenate([np.arange(few), n - np.arange(few), between]).astype(float))


def _tables(n: int) -> tuple[Floats, ...]:
    """Tables of n pairs, in the order of their counts."""
    counts = _counts(n, _MOST_COUNTS_OF_PAIRS)
    rows = [
        (both, first, second, n - both - first - second)
        for both, first, second in product(counts, repeat=3)
        if both + first + second <= n
    ]
    return tuple(np.array(rows, np.float64).T)
