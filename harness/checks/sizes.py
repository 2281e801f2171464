"""The sizes and alphas at which a check asks a method by default, and the validation of others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.checks.restriction import Size
from harness.families.catalogue import family_of
from harness.families.family import CLUSTERS, PAIRS, RUNS, SINGLE_SAMPLE, STRATA, TWO_SAMPLES

LARGEST_OF_NUMBERS = 200
"""The largest size with exact numbers of a method that answers one outcome at a time: all outcomes
of a larger n would take it longer than the rest of the check."""


@dataclass(frozen=True)
class Alphas:
    """The alphas of a check by default, ascending."""

    exact: tuple[float, ...]
    """Of exact numbers."""
    thorough: tuple[float, ...]
    """Of exact numbers, where the check is thorough: those of several counts take seconds each."""
    properties: tuple[float, ...]
    """At which limits have every property."""
    in_full: tuple[float, ...] = ()
    """At which a baseline keeps limits in full."""
    in_sums: tuple[float, ...] = ()
    """At which a baseline keeps sums of limits."""


@dataclass(frozen=True)
class CheckedAt:
    """The sizes of a check by default, for families of one design with one kind of size.

    Those of two samples and of pairs are fewer, since the search for their worst case takes longer.
    """

    alphas: Alphas
    called: int
    """How many of the sizes of properties, from the first on, have calls checked."""
    exact: tuple[Size, ...] = ()
    """Of exact numbers."""
    trials: tuple[Size, ...] = ()
    """Of trials, which take longer than exact numbers."""
    properties: tuple[Size, ...] = ()
    """At which limits have every property: small, large and uneven sizes."""
    in_full: tuple[Size, ...] = ()
    """At which a baseline keeps limits in full."""
    in_sums: tuple[Size, ...] = ()
    """At which a baseline keeps sums of limits."""


_OF_ONE = Alphas(
    exact=(0.01, 0.05, 0.1),
    thorough=(0.01, 0.05, 0.1),
    properties=(1e-10, 1e-6, 1e-3, 0.05, 0.3, 0.5, 0.7, 0.9),
    in_full=(0.01, 0.05, 0.1),
    in_sums=(0.001, 0.01, 0.05, 0.1, 0.2),
)
_OF_SEVERAL = Alphas(
    exact=(0.05,),
    thorough=(0.01, 0.05, 0.2),
    properties=(1e-10, 0.05, 0.95),
    in_full=(0.05,),
    in_sums=(0.01, 0.05, 0.2),
)
_SIZES_OF_TWO = ((5.0, 5.0), (10.0, 10.0), (10.0, 20.0))
_TRIALS_OF_ONE, _TRIALS_OF_TWO = (10.0, 30.0, 100.0), ((10.0, 10.0), (10.0, 20.0))
_LISTS = CheckedAt(
    Alphas(exact=(0.05, 0.2), thorough=(0.05, 0.2), properties=(1e-10, 0.05, 0.95)), 3
)

_CHECKED_AT: Mapping[tuple[str, bool], CheckedAt] = {
    (SINGLE_SAMPLE, True): CheckedAt(
        _OF_ONE,
        called=5,
        exact=(*range(1, 31), 50, 100, 200, 500, 1000),
        trials=_TRIALS_OF_ONE,
        properties=(1, 2, 3, 5, 10, 17, 51, 1000, 10**6),
        in_full=(1, 2, 5, 10, 20, 50),
        in_sums=(*range(1, 61), 80, 100, 200, 500, 1000),
    ),
    (SINGLE_SAMPLE, False): CheckedAt(
        _OF_ONE,
        called=5,
        exact=(0.5, 1.0, 5.0),
        trials=_TRIALS_OF_ONE,
        properties=(1.0, 1e-6, 50.0, 1e6),
        in_full=(1.0,),
        in_sums=(0.1, 0.5, 1.0, 5.0, 50.0),
    ),
    (TWO_SAMPLES, True): CheckedAt(
        _OF_SEVERAL,
        called=2,
        exact=_SIZES_OF_TWO,
        trials=_TRIALS_OF_TWO,
        properties=((1, 1), (3, 40), (5, 200), (1000, 50), (1, 10**6)),
        in_full=((3.0, 4.0), (5.0, 5.0)),
        in_sums=(
            *((float(a), float(b)) for a, b in product(range(1, 5), repeat=2)),
            *_SIZES_OF_TWO,
        ),
    ),
    (TWO_SAMPLES, False): CheckedAt(
        _OF_SEVERAL,
        called=2,
        exact=((1.0, 1.0),),
        trials=_TRIALS_OF_TWO,
        properties=((1.0, 1.0), (50.0, 0.25), (1e6, 1e6)),
        in_full=((1.0, 1.0),),
        in_sums=((1.0, 1.0), (5.0, 0.5)),
    ),
    (PAIRS, True): CheckedAt(
        _OF_SEVERAL,
        called=2,
        exact=(5, 10, 20),
        trials=(10, 20),
        properties=(1, 2, 3, 6, 40, 1000, 10**6),
        in_full=(1, 2, 3, 5),
        in_sums=(*range(1, 9), 10),
    ),
    (RUNS, False): _LISTS,
    (CLUSTERS, True): _LISTS,
    (STRATA, True): _LISTS,
}
"""By the design, and by whether the parameter is bounded, as sizes are then counts."""


def checked_at(family: str) -> CheckedAt:
    """The sizes and alphas at which methods of a family are checked by default."""
    known = family_of(family)
    return _CHECKED_AT[known.design, known.is_bounded]


def sizes_of_numbers(sizes: Sequence[Size]) -> tuple[Size, ...]:
    """Those of the default sizes for a method that answers one outcome at a time."""
    return tuple(size for size in sizes if np.max(size) <= LARGEST_OF_NUMBERS)


def validate_sizes(family: str, sizes: Sequence[Any]) -> tuple[Size, ...]:
    """Return the sizes as numbers, or as pairs of floats for two samples.

    Raises:
        InputError: there are no sizes, or one of them is no size of the family.
    """
    known = family_of(family)
    if np.ndim(sizes) == 0 or len(sizes) == 0:
        raise InputError(f"sizes of {family} should be a list of them, found {sizes!r}")
    is_pair = known.samples == 2
    for size in sizes:
        if np.shape(size) != ((2,) if is_pair else ()):
            wanted = "pairs of numbers" if is_pair else "numbers"
            raise InputError(f"sizes of {family} should be {wanted}, found {size!r}")
        is_count = known.model.SIZE_IS_COUNT
        if not all(_is_size(each, is_count) for each in np.ravel(size).tolist()):
            wanted = "whole numbers above 0" if is_count else "numbers above 0"
            raise InputError(f"sizes of {family} should be {wanted}, found {size!r}")
    if is_pair:
        return tuple((float(a), float(b)) for a, b in sizes)
    return tuple(np.asarray(size).item() for size in sizes)


def _is_size(size: Any, is_count: bool) -> bool:
    if not isinstance(size, int | float) or not 0 < size < np.inf:
        return False
    return float(size).is_integer() or not is_count


def validate_alphas(alphas: Sequence[Any]) -> tuple[float, ...]:
    """Return the alphas as floats.

    Raises:
        InputError: there are no alphas, or one of them is not between 0 and 1.
    """
    chosen = np.ravel(alphas).tolist()
    if not chosen or not all(isinstance(each, float) and 0 < each < 1 for each in chosen):
        raise InputError(f"alphas should lie between 0 and 1, found {chosen}")
    return tuple(chosen)
