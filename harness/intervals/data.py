"""The arguments of ``interval`` by name, for editors and type checkers.

A test compares the names of the data with those of the families.
"""

from __future__ import annotations

from typing import NotRequired, TypedDict

import numpy.typing as npt

from harness.names import Side
from harness.truths import Prior


class Options(TypedDict, total=False):
    """What every family takes beside its data."""

    alpha: npt.ArrayLike
    side: Side
    prior: Prior | None
    seed: int | None


class OneProportion(Options):
    """A count of successes and a number of trials."""

    x: npt.ArrayLike
    n: npt.ArrayLike
    population: NotRequired[npt.ArrayLike]


class OneRate(Options):
    """A count of events and an exposure."""

    x: npt.ArrayLike
    exposure: npt.ArrayLike


class TwoProportions(Options):
    """Successes and trials of two samples, or lists of them over strata."""

    x1: npt.ArrayLike
    n1: npt.ArrayLike
    x2: npt.ArrayLike
    n2: npt.ArrayLike


class TwoRates(Options):
    """Events and exposures of two samples."""

    x1: npt.ArrayLike
    exposure1: npt.ArrayLike
    x2: npt.ArrayLike
    exposure2: npt.ArrayLike


class Pairs(Options):
    """How many pairs are right in both, in one of them, and in neither."""

    both: npt.ArrayLike
    first_only: npt.ArrayLike
    second_only: npt.ArrayLike
    neither: npt.ArrayLike


class RunValues(Options):
    """The value of each run."""

    values: npt.ArrayLike


class RunSummary(Options):
    """Mean, standard deviation and number of runs."""

    mean: npt.ArrayLike
    sd: npt.ArrayLike
    k: npt.ArrayLike


class Clusters(Options):
    """The count and the size of each cluster."""

    x: npt.ArrayLike
    n: npt.ArrayLike
