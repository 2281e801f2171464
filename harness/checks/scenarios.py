"""The scenarios that a method is looked at in: sizes and alphas of one sample or two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from harness.engines.results import Enumerated
from harness.engines.solvers import solver_of
from harness.errors import InputError
from harness.families.catalogue import family_of
from harness.numerics.arrays import Integers
from harness.scenario import Limits, PairScenario, Scenario, SingleScenario
from harness.truths import PairTruth, UniformTruth

Size = float | tuple[float, float]
"""n or an exposure; of two samples a pair of these."""

SIZES = (*range(1, 31), 50, 100, 200, 500, 1000)
EXPOSURES = (0.5, 1.0, 5.0)
ALPHAS = (0.01, 0.05, 0.1)

SIZES_OF_TWO = ((5.0, 5.0), (10.0, 10.0), (10.0, 20.0))
EXPOSURES_OF_TWO = ((1.0, 1.0),)
ALPHAS_OF_TWO = (0.05,)
"""A smaller grid, since the worst case of two samples is searched for and takes longer."""

RATES, RATES_OF_TWO = (0.0, 20.0), (0.0, 5.0)
"""The true rates that are looked at; a rate has no natural end."""

INSIDE = (0.1, 0.9)
"""The true proportions that are not next to an end of the range."""
FEWEST_EVENTS = 1.0
"""Expected ones: of rates, the like of them."""


def default_sizes(family: str) -> tuple[Size, ...]:
    """The sizes that a family is looked at with."""
    if family_of(family).samples == 2:
        return EXPOSURES_OF_TWO if _is_rate(family) else SIZES_OF_TWO
    return EXPOSURES if _is_rate(family) else SIZES


def default_alphas(family: str) -> tuple[float, ...]:
    """The alphas that go with them."""
    return ALPHAS if family_of(family).samples == 1 else ALPHAS_OF_TWO


def checked_sizes(family: str, sizes: Sequence[Any]) -> tuple[Size, ...]:
    """The sizes, of two samples as pairs of floats.

    Raises:
        InputError: one of them is not of the family, or there is none.
    """
    names = family_of(family).sizes
    if np.ndim(sizes) == 0 or len(sizes) == 0:
        raise InputError(f"sizes of {family} should be a list of them, found {sizes!r}")
    for size in sizes:
        if np.shape(size) != (() if len(names) == 1 else (2,)):
            wanted = "numbers" if len(names) == 1 else "pairs of numbers"
            raise InputError(f"sizes of {family} should be {wanted}, found {size!r}")
        if not all(_is_size(family, each) for each in np.ravel(size).tolist()):
            wanted = "numbers above 0" if _is_rate(family) else "whole numbers above 0"
            raise InputError(f"sizes of {family} should be {wanted}, found {size!r}")
    if len(names) == 1:
        return tuple(np.asarray(size).item() for size in sizes)
    return tuple((float(a), float(b)) for a, b in sizes)


def _is_size(family: str, size: Any) -> bool:
    if not isinstance(size, int | float) or not 0 < size < np.inf:
        return False
    return _is_rate(family) or float(size).is_integer()


def checked_alphas(alphas: Sequence[Any]) -> tuple[float, ...]:
    """One or several levels.

    Raises:
        InputError: one of them is none.
    """
    chosen = np.ravel(alphas).tolist()
    if not chosen or not all(isinstance(each, float) and 0 < each < 1 for each in chosen):
        raise InputError(f"alphas should lie between 0 and 1, found {chosen}")
    return tuple(chosen)


def scenario_of(family: str, size: Size) -> Scenario:
    """The size with a uniform truth of each sample."""
    if isinstance(size, tuple):
        truth = UniformTruth(*(RATES_OF_TWO if _is_rate(family) else (0.0, 1.0)))
        return PairScenario(family, size, PairTruth(truth, truth))
    return SingleScenario(family, size, UniformTruth(*(RATES if _is_rate(family) else (0.0, 1.0))))


def truths_inside(scenario: Scenario) -> tuple[tuple[float, float], ...]:
    """The truths of each sample that are not next to an end of the range."""
    if not _is_rate(scenario.family):
        return (INSIDE,) * len(scenario.sizes)
    ends = [(each.size, each.truth.effective_support[1]) for each in scenario.samples()]
    return tuple((min(FEWEST_EVENTS / size, most), most) for size, most in ends)


def outcomes_of(scenario: Scenario) -> Integers:
    """The outcomes that can occur, ascending."""
    return solver_of(scenario).possible_outcomes()


def enumerated(scenario: Scenario, limits: Limits) -> Enumerated:
    """The results of enumeration, from the limits of all outcomes that can occur."""
    return solver_of(scenario).enumerate(limits)


def _is_rate(family: str) -> bool:
    return bool(family_of(family).model.SUPPORT[1] == np.inf)
