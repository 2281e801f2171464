"""What a check asks of methods for lists: data sets, and scenarios that are simulated."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Bools, Floats
from harness.distributions.list_truths import (
    ClusterTruth,
    ListTruth,
    NormalRuns,
    RunTruth,
    StratumTruth,
)
from harness.distributions.score_truths import PairedScoreTruth, ScoreTruth

DataSet = tuple[Sequence[float], ...]
"""One data set: its lists in the order of the family's data."""


@dataclass(frozen=True)
class CheckedLists:
    """Where methods for the lists of a design are checked; nowhere by default."""

    data_sets: tuple[DataSet, ...] = ()
    """At which limits have every property."""
    image: Callable[[Sequence[Floats]], tuple[Floats, ...]] = tuple
    """Return the mirror image of the lists of a data set."""
    differ: Callable[[Sequence[Floats]], Bools] = lambda lists: np.ones(len(lists[0]), np.bool_)
    """Return whether the values, or the proportions, of each data set differ, shape (m,)."""
    simulated: tuple[tuple[str, Any, ListTruth], ...] = ()
    """The words for each scenario of trials, its sizes and its truth."""


def _negated(lists: Sequence[Floats]) -> tuple[Floats, ...]:
    return tuple(-each for each in lists)


def _failures(lists: Sequence[Floats]) -> tuple[Floats, ...]:
    """Counts of failures in place of successes, each with its size."""
    pairs = zip(lists[::2], lists[1::2], strict=True)
    return tuple(each for count, size in pairs for each in (size - count, size))


def _has_variance(lists: Sequence[Floats]) -> Bools:
    """Whether a proportion of a stratum is neither 0 nor 1."""
    pairs = zip(lists[::2], lists[1::2], strict=True)
    inside = [((count > 0) & (count < size)).any(axis=1) for count, size in pairs]
    return np.asarray(np.any(inside, axis=0))


NOWHERE = CheckedLists()
OF_RUNS = CheckedLists(
    data_sets=(
        ([0.1, 0.4],),
        ([3.0, 5.0, 4.0],),
        ([75.0, 72.0, 78.0, 73.0, 77.0],),
        ([0.9, 0.91, 0.2, 0.92, 0.9],),
        ([1e12, 1e12 + 3, 1e12 - 5, 1e12 + 2, 1e12 + 7],),
        ([2e-9, 3e-9, 1e-9, 5e-9, 4e-9],),
        ([2.0, 2.0, 2.0, 2.0, 2.0],),
        ([0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 2.0, 0.0, 9.0],),
        ([0.5 + 0.01 * ((7 * i) % 30) for i in range(30)],),
    ),
    image=_negated,
    differ=lambda lists: np.asarray(np.ptp(lists[0], axis=1) > 0),
    simulated=tuple(
        (f"k = {k}, normal runs", k, RunTruth(NormalRuns(0.75, 0.02))) for k in (5, 10, 30)
    ),
)
OF_CLUSTERS = CheckedLists(
    data_sets=(
        ([3, 5, 2, 4, 6], [10, 10, 10, 10, 10]),
        ([0, 0, 0, 0, 1], [10, 10, 10, 10, 10]),
        ([0, 0, 0, 0, 0], [10, 10, 10, 10, 10]),
        ([0, 5, 0, 5, 0], [5, 5, 5, 5, 5]),
        ([1, 9, 3, 40, 2], [2, 10, 3, 60, 5]),
        ([5, 5, 5, 5, 5], [10, 10, 10, 10, 10]),
        ([8, 8, 8, 8, 9], [10, 10, 10, 10, 10]),
        ([3], [7]),
        ([0], [1]),
        ([1, 0], [1, 1]),
        ([7, 9], [10, 10]),
        ([(3 * i) % 11 for i in range(40)], [10] * 40),
    ),
    image=_failures,
    differ=lambda lists: np.asarray(np.ptp(lists[0] / lists[1], axis=1) > 0),
    simulated=tuple(
        (
            f"50 clusters of 10, p = {p:g}, rho = {rho:g}",
            (50, 10),
            ClusterTruth((p,), (rho,)),
        )
        for p in (0.5, 0.8)
        for rho in (0.0, 0.1, 0.3)
    ),
)
OF_STRATA = CheckedLists(
    data_sets=(
        ([4, 9, 3], [10, 20, 6], [2, 7, 3], [12, 18, 8]),
        ([0, 0, 0], [10, 20, 6], [0, 0, 0], [12, 18, 8]),
        ([10, 20, 6], [10, 20, 6], [0, 0, 0], [12, 18, 8]),
        ([0, 20, 1], [10, 20, 6], [12, 0, 1], [12, 18, 8]),
        ([5], [9], [3], [10]),
        ([1, 0], [1, 1], [0, 1], [1, 1]),
        ([30, 400], [50, 1000], [20, 350], [60, 900]),
        ([1, 0], [60, 40], [0, 0], [3, 2]),
    ),
    image=_failures,
    differ=_has_variance,
    simulated=tuple(
        (
            f"3 strata of 30 to 40, difference {difference:g}",
            ((30, 40, 30), (30, 30, 40)),
            StratumTruth.of_differences((0.2, 0.4, 0.6), (difference,)),
        )
        for difference in (0.0, 0.2)
    ),
)
_POSITIVES, _NEGATIVES = [0.9, 0.4, 0.7, 0.8, 0.6], [0.1, 0.5, 0.3, 0.65]
_TIED = [3, 2, 3, 1, 2, 3], [1, 2, 1, 0, 3]
OF_SCORES = CheckedLists(
    data_sets=(
        (_POSITIVES, _NEGATIVES),
        _TIED,
        ([5, 4, 3], [2, 1, 0]),
        ([1, 1, 1], [1, 1, 1, 1]),
        ([0.7], [0.2, 0.9, 0.4]),
        ([2, 0], [1]),
        ([(7 * i) % 30 + 9 for i in range(30)], [(11 * i) % 30 for i in range(40)]),
    ),
    image=_negated,
    simulated=tuple(
        (f"60 of each class, AUC = {auc:g}", (60, 60), ScoreTruth((auc,))) for auc in (0.7, 0.9)
    ),
)
OF_PAIRED_SCORES = CheckedLists(
    data_sets=(
        (_POSITIVES, _NEGATIVES, [3, 5, 1, 2, 4], [2, 3, 1, 0]),
        (*_TIED, [1, 2, 3, 2, 1, 3], [1, 0, 2, 3, 1]),
        (_POSITIVES, _NEGATIVES, _POSITIVES, _NEGATIVES),
        ([5, 4, 3], [2, 1, 0], [2, 1, 0], [5, 4, 3]),
        ([0.7], [0.2, 0.9, 0.4], [0.1], [0.3, 0.2, 0.0]),
        (
            [(7 * i) % 30 + 9 for i in range(30)],
            [(11 * i) % 30 for i in range(40)],
            [(13 * i) % 30 + 5 for i in range(30)],
            [(17 * i) % 30 for i in range(40)],
        ),
    ),
    image=_negated,
    simulated=tuple(
        (
            f"60 of each class, AUC = {auc:g} and 0.8, correlation 0.5",
            (60, 60),
            PairedScoreTruth((auc,), (0.8,), (0.5,)),
        )
        for auc in (0.8, 0.9)
    ),
)
