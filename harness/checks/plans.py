"""What a check asks the methods of each design by default.

A plan has the sizes and alphas, the truths that exact numbers are computed under, and for lists the
data sets and the scenarios that are simulated. ``register`` adds the plan of another design.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Bools, Floats
from harness.catalogue import design_for, scenario_for
from harness.designs.design import Design, Scenario
from harness.designs.stopping.family import A_STOPPING_RULE
from harness.distributions.clustered_truths import (
    AnyListTruth,
    ClusteredPairTruth,
    ClusteredScoreTruth,
)
from harness.distributions.judge_truths import JudgedTruth, LabelledTruth
from harness.distributions.list_truths import (
    BetaRuns,
    ClusterTruth,
    NormalRuns,
    RunTruth,
    StratumTruth,
)
from harness.distributions.paired_truths import (
    ConfusionTruth,
    DirichletTruth,
    PairedTruth,
    TableTruth,
    table_of_cells,
)
from harness.distributions.score_truths import PairedScoreTruth, ScoreTruth
from harness.distributions.task_truths import BetaTasks, TaskTruth
from harness.distributions.truths import PairTruth, UniformTruth
from harness.families.clustered_scores import CLUSTERED_PAIRS, CLUSTERED_SCORES, by_clusters
from harness.families.confusion import CONFUSION
from harness.families.family import POSTERIOR, Family
from harness.families.judged import JUDGE
from harness.families.labelled import SOME_LABELLED
from harness.families.lists import BOUNDED_RUNS, CLUSTERS, RUNS, STRATA
from harness.families.paired import PAIRS
from harness.families.samples import SINGLE_SAMPLE, TWO_SAMPLES
from harness.families.scores import PAIRED_SCORES, SCORES
from harness.families.tasks import TASKS

DataSet = tuple[Sequence[float], ...]
"""One data set: its lists in the order of the family's data."""


@dataclass(frozen=True)
class Alphas:
    """The alphas of a check by default, ascending."""

    exact: tuple[float, ...]
    """The alphas of exact numbers."""
    thorough: tuple[float, ...]
    """The alphas of exact numbers in a thorough check: of several counts they take seconds each."""
    properties: tuple[float, ...]
    """The alphas at which limits should have every property."""
    in_full: tuple[float, ...] = ()
    """The alphas at which a baseline keeps limits in full."""
    in_sums: tuple[float, ...] = ()
    """The alphas at which a baseline keeps sums of limits."""


@dataclass(frozen=True)
class CheckedAt:
    """The sizes of a check by default, for families of one design with one kind of size.

    Those of two samples and of pairs are fewer, since the search for their worst case takes longer.
    """

    alphas: Alphas
    called: int
    """How many of the sizes of properties, from the first on, have calls checked."""
    exact: tuple[Any, ...] = ()
    """The sizes of exact numbers."""
    trials: tuple[Any, ...] = ()
    """The sizes of trials, which take longer than exact numbers."""
    properties: tuple[Any, ...] = ()
    """The sizes at which limits should have every property: small, large and uneven ones."""
    in_full: tuple[Any, ...] = ()
    """The sizes at which a baseline keeps limits in full."""
    in_sums: tuple[Any, ...] = ()
    """The sizes at which a baseline keeps sums of limits."""
    rungs: int = 3
    """The number of sizes, each four times the one before, at which lengths should shrink; fewer of
    several counts, which take longer."""
    spread: int = 9
    """The most outcomes, spread over the range, that a mean length is taken over there."""


@dataclass(frozen=True)
class CheckedLists:
    """Where methods for the lists of a design are checked; nowhere by default."""

    data_sets: tuple[DataSet, ...] = ()
    """The data sets at which limits should have every property."""
    image: Callable[[Sequence[Floats]], tuple[Floats, ...]] = tuple
    """Return the mirror image of the lists of a data set."""
    differ: Callable[[Sequence[Floats]], Bools] = lambda lists: np.ones(len(lists[0]), np.bool_)
    """Return whether the values, or the proportions, of each data set differ, shape (m,)."""
    simulated: tuple[tuple[str, Any, AnyListTruth | TaskTruth], ...] = ()
    """The words for each scenario of trials, its sizes and its truth."""


@dataclass(frozen=True)
class CheckPlan:
    """What a check asks the methods of one design."""

    at: Mapping[bool, CheckedAt]
    """The sizes and alphas, by whether the parameter is bounded, as sizes are then counts."""
    truth: Callable[[Family], Any] | None = None
    """Return the truth of exact numbers, over the whole range of the parameters or over that of a
    check; None of lists."""
    lists: CheckedLists = field(default_factory=CheckedLists)


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
_OF_LISTS = CheckedAt(
    Alphas(exact=(0.05, 0.2), thorough=(0.05, 0.2), properties=(1e-10, 0.05, 0.95)), called=3
)
LISTS_AT = {False: _OF_LISTS, True: _OF_LISTS}
"""The sizes and alphas of a plan for lists, whose sizes are those of its data sets."""

_ONE_SAMPLE_AT = {
    True: CheckedAt(
        _OF_ONE,
        called=5,
        exact=(*range(1, 31), 50, 100, 200, 500, 1000),
        trials=_TRIALS_OF_ONE,
        properties=(1, 2, 3, 5, 10, 17, 51, 1000, 10**6),
        in_full=(1, 2, 5, 10, 20, 50),
        in_sums=(*range(1, 61), 80, 100, 200, 500, 1000),
        rungs=8,
        spread=17,
    ),
    False: CheckedAt(
        _OF_ONE,
        called=5,
        exact=(0.5, 1.0, 5.0),
        trials=_TRIALS_OF_ONE,
        properties=(1.0, 1e-6, 50.0, 1e6),
        in_full=(1.0,),
        in_sums=(0.1, 0.5, 1.0, 5.0, 50.0),
        rungs=8,
        spread=17,
    ),
}
_STOPPED_AT = {True: replace(_ONE_SAMPLE_AT[True], rungs=3, spread=9)}
_TWO_SAMPLES_AT = {
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
_TABLES_AT = {
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

_JUDGE_AT = {
    True: CheckedAt(
        _OF_SEVERAL,
        called=2,
        exact=((20, 10, 10),),
        trials=((20, 10, 10),),
        # At the last one some data contradict the labels.
        properties=((1, 1, 1), (4, 3, 3), (30, 1, 14)),
        in_full=((3, 2, 2),),
        in_sums=((3, 2, 2), (6, 4, 3)),
    ),
}
"""A judge: n, positives and negatives."""


RATES, RATES_OF_TWO = (0.0, 20.0), (0.0, 5.0)
"""The true rates of a check, since the support of a rate is unbounded."""
_DISCORDANT, _SHARES_OF_BOTH = (0.01, 0.05, 0.15, 0.35), (0.3, 0.8)
"""The discordant cells of the tables of a check, and the shares of both in the concordant ones."""


def _uniform_truth(family: Family) -> UniformTruth | PairTruth:
    """Return the uniform truth of one sample, or of each of two."""
    low, high = family.model.SUPPORT
    if family.samples == 1:
        return UniformTruth(low, min(high, RATES[1]))
    truth = UniformTruth(low, min(high, RATES_OF_TWO[1]))
    return PairTruth(truth, truth)


def _truth_of_tables(family: Family) -> PairedTruth:
    """Return the uniform truth over all tables, or without a posterior a list of tables."""
    if POSTERIOR in family.engines:
        return DirichletTruth((1.0, 1.0, 1.0, 1.0))
    # No exact mean under a distribution is known without a posterior.
    tables = [
        table_of_cells(a, b, (1.0 - a - b) * share)
        for a, b, share in product(_DISCORDANT, _DISCORDANT, _SHARES_OF_BOTH)
    ]
    view = family.as_pairs
    return TableTruth.of(tables) if view is None else ConfusionTruth.of(map(view.restored, tables))


def _truth_of_judge(family: Family) -> JudgedTruth:
    """Return shares over the whole range with judges of several error rates."""
    rates = ((0.9, 0.85), (0.75, 0.95), (0.7, 0.7))
    shares = (0.0, 0.05, 0.1, 0.3, 0.5, 0.7, 0.9, 0.95, 1.0)
    return JudgedTruth.of((share, *pair) for share, pair in product(shares, rates))


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
        ([1e12 + each for each in range(18)], _LARGE_AND_SMALL),
        ([1e-9 * each for each in range(18)], _LARGE_AND_SMALL),
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


def _judged_of_failures(lists: Sequence[Floats]) -> tuple[Floats, ...]:
    """Wrong cases in place of right ones, and no in place of yes."""
    table, verdicts = lists
    return table[..., ::-1], verdicts[..., ::-1]


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
    image=_judged_of_failures,
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

PLANS: dict[str, CheckPlan] = {
    SINGLE_SAMPLE: CheckPlan(_ONE_SAMPLE_AT, _uniform_truth),
    A_STOPPING_RULE: CheckPlan(_STOPPED_AT, _uniform_truth),
    TWO_SAMPLES: CheckPlan(_TWO_SAMPLES_AT, _uniform_truth),
    PAIRS: CheckPlan(_TABLES_AT, _truth_of_tables),
    CONFUSION: CheckPlan(_TABLES_AT, _truth_of_tables),
    JUDGE: CheckPlan(_JUDGE_AT, _truth_of_judge),
    RUNS: CheckPlan(LISTS_AT, lists=_RUNS_LISTS),
    BOUNDED_RUNS: CheckPlan(LISTS_AT, lists=_BOUNDED_LISTS),
    CLUSTERS: CheckPlan(LISTS_AT, lists=_CLUSTERS_LISTS),
    CLUSTERED_SCORES: CheckPlan(LISTS_AT, lists=_CLUSTERED_LISTS),
    CLUSTERED_PAIRS: CheckPlan(LISTS_AT, lists=_CLUSTERED_PAIRS_LISTS),
    STRATA: CheckPlan(LISTS_AT, lists=_STRATA_LISTS),
    TASKS: CheckPlan(LISTS_AT, lists=_TASKS_LISTS),
    SCORES: CheckPlan(LISTS_AT, lists=_SCORES_LISTS),
    PAIRED_SCORES: CheckPlan(LISTS_AT, lists=_PAIRED_SCORES_LISTS),
    SOME_LABELLED: CheckPlan(LISTS_AT, lists=_LABELLED_LISTS),
}
"""The plan of each design, by its name."""


def register(design: Design, plan: CheckPlan) -> None:
    """Add the plan of a design that was added to those of the package.

    Args:
        design: as ``harness.designs.catalogue.register`` takes it.
        plan: what a check asks the methods of its families; that of another design, which
            ``plan_of`` returns, with what differs replaced.
    """
    PLANS[design.name] = plan


def plan_of(family: Family) -> CheckPlan:
    """Return the plan of a family's design.

    Raises:
        InputError: the design has no plan.
    """
    design = design_for(family)
    if design.name not in PLANS:
        raise InputError(
            f"a check has no plan for the design {design.name}; harness.checks.plans.register "
            "adds one"
        )
    return PLANS[design.name]


def checked_at(family: Family) -> CheckedAt:
    """Return the sizes and alphas at which methods of a family are checked by default."""
    return plan_of(family).at[family.is_bounded]


def scenario_of(family: Family, size: Any) -> Scenario:
    """Return the scenario of a size under the truth of a check.

    Of pairs the size is a whole number in keys and cells, as a config has it.
    """
    plan = plan_of(family)
    assert plan.truth is not None
    of_design = design_for(family).size_of(np.ravel(size).tolist())
    return scenario_for(family, of_design, plan.truth(family))
