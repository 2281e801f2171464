"""The data sets and the scenarios at which methods for lists are checked, of each design."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Bools, Floats
from harness.distributions.list_laws import BetaRuns, BetaTasks, NormalRuns
from harness.distributions.list_truths import (
    ClusteredPairTruth,
    ClusteredScoreTruth,
    ClusterTruth,
    ListTruth,
    RunTruth,
    StratumTruth,
    TaskTruth,
)
from harness.distributions.paired_truths import LabelledTruth
from harness.distributions.score_truths import PairedScoreTruth, ScoreTruth
from harness.families.judged import SOME_LABELLED
from harness.families.lists import BOUNDED_RUNS, CLUSTERS, RUNS, STRATA
from harness.families.scores import (
    CLUSTERED_PAIRS,
    CLUSTERED_SCORES,
    PAIRED_SCORES,
    SCORES,
    by_clusters,
)
from harness.families.tasks import TASKS

DataSet = tuple[Sequence[float], ...]
"""One data set: its lists in the order of the family's data."""


@dataclass(frozen=True)
class CheckedLists:
    """Where methods for the lists of a design are checked; nowhere by default."""

    data_sets: tuple[DataSet, ...] = ()
    """The data sets at which limits should have every property."""
    image: Callable[[Sequence[Floats]], tuple[Floats, ...]] = tuple
    """Return the mirror image of the lists of a data set."""
    differ: Callable[[Sequence[Floats]], Bools] = lambda lists: np.ones(len(lists[0]), np.bool_)
    """Return whether the values, or the proportions, of each data set differ, shape (m,)."""
    simulated: tuple[tuple[str, Any, ListTruth], ...] = ()
    """The words for each scenario of trials, its sizes and its truth."""


def _negated(lists: Sequence[Floats]) -> tuple[Floats, ...]:
    return tuple(-column for column in lists)


def _failures(lists: Sequence[Floats]) -> tuple[Floats, ...]:
    """Counts of failures in place of successes, each with its size."""
    columns: list[Floats] = []
    for count, size in zip(lists[::2], lists[1::2], strict=True):
        columns += [size - count, size]
    return tuple(columns)


def _has_variance(lists: Sequence[Floats]) -> Bools:
    """Whether a proportion of a stratum is neither 0 nor 1."""
    pairs = zip(lists[::2], lists[1::2], strict=True)
    inside = [((count > 0) & (count < size)).any(axis=1) for count, size in pairs]
    return np.asarray(np.any(inside, axis=0))


def _clusters_differ(scores: Floats, cluster: Floats) -> Bools:
    """Whether the means of the clusters of each data set differ, shape (m,)."""
    _, _, residual = by_clusters(scores, cluster)
    return np.asarray((residual != 0).any(axis=1))


_RUNS_LISTS = CheckedLists(
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
_BOUNDED_LISTS = CheckedLists(
    data_sets=(
        ([0.1, 0.4],),
        ([1.0, 1.0, 0.97],),
        ([0.9, 0.91, 0.2, 0.92, 0.9],),
        ([0.0, 0.0, 0.0, 0.0, 0.0],),
        ([0.5, 0.5, 0.5],),
        ([0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0],),
        ([2e-9, 3e-9, 1e-9, 5e-9, 4e-9],),
        ([0.5 + 0.01 * ((7 * i) % 30) for i in range(30)],),
    ),
    image=lambda lists: tuple(1.0 - column for column in lists),
    differ=lambda lists: np.asarray(np.ptp(lists[0], axis=1) > 0),
    simulated=tuple(
        (f"k = {k}, values of a beta distribution", k, RunTruth(BetaRuns(s, t)))
        for k in (5, 10, 30)
        for s, t in ((9.0, 0.5), (1.0, 1.0))
    ),
)
_CLUSTERS_LISTS = CheckedLists(
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
_LARGE_AND_SMALL: list[float] = [*[1] * 9, 2, 3, 3, 4, 4, 5, 6, 6, 6]
_CLUSTER_LABELS: tuple[Sequence[float], ...] = (
    [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6],
    [3, 1, 2, 5, 1, 4, 4, 2, 6, 6, 6, 7],
    _LARGE_AND_SMALL,
    [float(i % 15) for i in range(40)],
)
"""The clusters of cases: of one size, of several in any order, one with half of them, and many."""
_FEW_CLUSTERS = ((6, 0.0), (6, 0.3), (10, 0.1))
"""Numbers of clusters of one size with a correlation: Student's interval is exact of normal scores,
and what forgets that few clusters are few is told from it."""


def _scores(cases: int, step: int) -> list[float]:
    return [0.5 + 0.01 * ((step * i) % 31) for i in range(cases)]


_CLUSTERED_LISTS = CheckedLists(
    data_sets=(
        *((_scores(len(labels), 7), labels) for labels in _CLUSTER_LABELS),
        ([float(i % 4 == 0) for i in range(18)], _LARGE_AND_SMALL),
        ([1e12 + step for step in range(18)], _LARGE_AND_SMALL),
        ([1e-9 * step for step in range(18)], _LARGE_AND_SMALL),
        ([2.0] * 12, _CLUSTER_LABELS[0]),
        ([0.1, 0.4, 0.3], [1, 2, 2]),
    ),
    image=lambda lists: (-lists[0], lists[1]),
    differ=lambda lists: _clusters_differ(lists[0], lists[1]),
    simulated=tuple(
        (
            f"{clusters} clusters of 5, normal scores, rho = {rho:g}",
            (clusters, 5),
            ClusteredScoreTruth(NormalRuns(0.7, 0.2), (rho,)),
        )
        for clusters, rho in _FEW_CLUSTERS
    ),
)
_CLUSTERED_PAIRS_LISTS = CheckedLists(
    data_sets=(
        *(
            (_scores(len(labels), 7), _scores(len(labels), 11), labels)
            for labels in _CLUSTER_LABELS
        ),
        (_scores(18, 5), _scores(18, 5), _LARGE_AND_SMALL),
        ([0.1, 0.4, 0.3], [1.0, 0.0, 1.0], [1, 2, 2]),
    ),
    image=lambda lists: (lists[1], lists[0], lists[2]),
    differ=lambda lists: _clusters_differ(lists[0] - lists[1], lists[2]),
    simulated=tuple(
        (
            f"{clusters} clusters of 5, differences of normal scores, rho = {rho:g}",
            (clusters, 5),
            ClusteredPairTruth(NormalRuns(0.7, 0.2), (rho,), None, NormalRuns(0.6, 0.3)),
        )
        for clusters, rho in _FEW_CLUSTERS
    ),
)
_TASKS_LISTS = CheckedLists(
    data_sets=(
        ([3, 5, 2, 4, 6], [10, 10, 10, 10, 10]),
        ([0, 0, 0, 0, 1], [10, 10, 10, 10, 10]),
        ([0, 0, 0, 0, 0], [10, 10, 10, 10, 10]),
        ([0, 5, 0, 5, 5], [5, 5, 5, 5, 5]),
        ([1, 9, 3, 40, 2], [2, 10, 3, 60, 5]),
        ([5, 5, 5, 5, 5], [10, 10, 10, 10, 10]),
        ([10, 9], [10, 10]),
        ([(3 * i) % 11 for i in range(40)], [10] * 40),
    ),
    image=_failures,
    differ=lambda lists: np.asarray(np.ptp(lists[0] / lists[1], axis=1) > 0),
    simulated=tuple(
        (f"{tasks} tasks of {samples}, Beta({s:g}, {t:g})", (tasks, samples), TaskTruth(law))
        for tasks, samples in ((100, 5), (100, 10))
        for s, t in ((1.0, 1.0), (2.0, 4.0))
        for law in (BetaTasks(s, t),)
    ),
)
_STRATA_LISTS = CheckedLists(
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
_SCORES_LISTS = CheckedLists(
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
_PAIRED_SCORES_LISTS = CheckedLists(
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


_LABELLED_LISTS = CheckedLists(
    data_sets=(
        ([70, 10, 5, 15], [700, 300]),
        ([12, 3, 1, 4], [80, 20]),
        ([18, 0, 0, 2], [900, 100]),
        ([18, 0, 0, 2], [30, 0]),
        ([20, 0, 0, 0], [800, 200]),
        ([0, 0, 0, 10], [30, 30]),
        ([1, 0, 0, 0], [3, 1]),
        ([0, 2, 1, 0], [1, 1]),
        ([400, 30, 60, 110], [150, 50]),
    ),
    # Wrong cases in place of right ones, and no in place of yes.
    image=lambda lists: tuple(column[..., ::-1] for column in lists),
    differ=lambda lists: np.asarray((lists[0] > 0).sum(axis=1) > 1),
    simulated=tuple(
        (
            f"{labelled} labelled cases and {unlabelled} others, share = {share:g}",
            (labelled, unlabelled),
            LabelledTruth((share,), (0.9,), (0.85,)),
        )
        for labelled, unlabelled in ((50, 200), (200, 200))
        for share in (0.5, 0.8)
    ),
)

LISTS_OF_DESIGNS: dict[str, CheckedLists] = {
    RUNS: _RUNS_LISTS,
    BOUNDED_RUNS: _BOUNDED_LISTS,
    CLUSTERS: _CLUSTERS_LISTS,
    CLUSTERED_SCORES: _CLUSTERED_LISTS,
    CLUSTERED_PAIRS: _CLUSTERED_PAIRS_LISTS,
    STRATA: _STRATA_LISTS,
    TASKS: _TASKS_LISTS,
    SCORES: _SCORES_LISTS,
    PAIRED_SCORES: _PAIRED_SCORES_LISTS,
    SOME_LABELLED: _LABELLED_LISTS,
}
"""What a check asks methods for lists, by the names of their designs."""
