"""The sizes and alphas at which a check asks a method by default.

Those of a design are by whether the parameter is bounded, as sizes are then counts.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any


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
    exact: tuple[Any, ...] = ()
    """Of exact numbers."""
    trials: tuple[Any, ...] = ()
    """Of trials, which take longer than exact numbers."""
    properties: tuple[Any, ...] = ()
    """At which limits have every property: small, large and uneven sizes."""
    in_full: tuple[Any, ...] = ()
    """At which a baseline keeps limits in full."""
    in_sums: tuple[Any, ...] = ()
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

OF_ONE_SAMPLE = {
    True: CheckedAt(
        _OF_ONE,
        called=5,
        exact=(*range(1, 31), 50, 100, 200, 500, 1000),
        trials=_TRIALS_OF_ONE,
        properties=(1, 2, 3, 5, 10, 17, 51, 1000, 10**6),
        in_full=(1, 2, 5, 10, 20, 50),
        in_sums=(*range(1, 61), 80, 100, 200, 500, 1000),
    ),
    False: CheckedAt(
        _OF_ONE,
        called=5,
        exact=(0.5, 1.0, 5.0),
        trials=_TRIALS_OF_ONE,
        properties=(1.0, 1e-6, 50.0, 1e6),
        in_full=(1.0,),
        in_sums=(0.1, 0.5, 1.0, 5.0, 50.0),
    ),
}
OF_TWO_SAMPLES = {
    True: CheckedAt(
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
    False: CheckedAt(
        _OF_SEVERAL,
        called=2,
        exact=((1.0, 1.0),),
        trials=_TRIALS_OF_TWO,
        properties=((1.0, 1.0), (50.0, 0.25), (1e6, 1e6)),
        in_full=((1.0, 1.0),),
        in_sums=((1.0, 1.0), (5.0, 0.5)),
    ),
}
OF_PAIRS = {
    True: CheckedAt(
        _OF_SEVERAL,
        called=2,
        exact=(5, 10, 20),
        trials=(10, 20),
        properties=(1, 2, 3, 6, 40, 1000, 10**6),
        in_full=(1, 2, 3, 5),
        in_sums=(*range(1, 9), 10),
    ),
}
OF_LISTS = dict.fromkeys((False, True), _LISTS)
