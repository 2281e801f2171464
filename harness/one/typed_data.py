"""The arguments of ``interval`` by name, for editors and type checkers.

A test compares the names of the data with those of the families.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NotRequired, TypedDict

import numpy.typing as npt

from harness.distributions.truths import Prior
from harness.names import Side
from harness.one.file_question import Missing


class Options(TypedDict, total=False):
    """What every family takes beside its data."""

    alpha: npt.ArrayLike
    confidence: npt.ArrayLike | None
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


class PairCounts(Options):
    """How many pairs are right in both, in one of them, and in neither."""

    both: npt.ArrayLike
    first_only: npt.ArrayLike
    second_only: npt.ArrayLike
    neither: npt.ArrayLike


class StoppedProportion(OneProportion):
    """x of the n trials that were made, and the rule by which they ended."""

    stopping: NotRequired[Any]


class RunValues(Options):
    """The value of each run."""

    values: npt.ArrayLike


class ValuesInRange(RunValues):
    """The value of each case or run, and the ends between which all lie."""

    range: NotRequired[tuple[float, float]]


class RunSummary(Options):
    """Mean, standard deviation and number of runs."""

    mean: npt.ArrayLike
    sd: npt.ArrayLike
    k: npt.ArrayLike


class ClusterData(Options):
    """The count and the size of each cluster."""

    x: npt.ArrayLike
    n: npt.ArrayLike


class ClusteredScores(Options):
    """The score and the cluster of each case."""

    values: npt.ArrayLike
    cluster: npt.ArrayLike


class ClusterTotals(Options):
    """The sum of the scores and the number of cases of each cluster."""

    total: npt.ArrayLike
    n: npt.ArrayLike


class ClusteredPairs(Options):
    """The scores of two systems and the cluster of each case."""

    first: npt.ArrayLike
    second: npt.ArrayLike
    cluster: npt.ArrayLike


class TaskCounts(ClusterData):
    """How many samples of each task are right, of how many, and of how many one has to be."""

    k: NotRequired[int]


class Confusion(Options):
    """The counts of a confusion table."""

    tp: npt.ArrayLike
    fp: npt.ArrayLike
    fn: npt.ArrayLike
    tn: npt.ArrayLike


class ConfusionAndBeta(Confusion):
    """The counts of a confusion table, and the β of an F score."""

    beta: NotRequired[float]


class ScoreData(Options):
    """The score of each positive and of each negative."""

    positives: npt.ArrayLike
    negatives: npt.ArrayLike


class JudgeData(Options):
    """The judge's answers to n cases, and to labelled positives and negatives."""

    x: npt.ArrayLike
    n: npt.ArrayLike
    positives_right: npt.ArrayLike
    positives: npt.ArrayLike
    negatives_right: npt.ArrayLike
    negatives: npt.ArrayLike


class PairedScores(Options):
    """Two scores of each positive and of each negative."""

    positives1: npt.ArrayLike
    negatives1: npt.ArrayLike
    positives2: npt.ArrayLike
    negatives2: npt.ArrayLike


class LabelledCounts(Options, total=False):
    """Labelled cases by label and verdict, and verdicts on others; or both as lists of counts."""

    right_yes: npt.ArrayLike
    right_no: npt.ArrayLike
    wrong_yes: npt.ArrayLike
    wrong_no: npt.ArrayLike
    yes: npt.ArrayLike
    unlabelled: npt.ArrayLike
    table: npt.ArrayLike
    verdicts: npt.ArrayLike


class Columns(TypedDict, total=False):
    """Names of columns of ``rows``, as the options of the command ``interval`` have them."""

    correct: str | Sequence[str]
    by: str | Sequence[str]
    key: str | Sequence[str]
    where: str | Sequence[str]
    missing: Missing
    cluster: str
    truth: str
    score: str | Sequence[str]
    positive: str
    decimal: str
    beta: float
    range: tuple[float, float]
    x: str
    n: str | float
    exposure: str | float
    population: str | float
    x1: str
    n1: str | float
    exposure1: str | float
    x2: str
    n2: str | float
    exposure2: str | float
    positives_right: str
    negatives_right: str
    both: str
    first_only: str
    second_only: str
    neither: str
    tp: str
    fp: str
    fn: str
    tn: str
    values: str
    mean: str
    sd: str
    k: str | float
    first: str
    second: str
    total: str
    right_yes: str
    right_no: str
    wrong_yes: str
    wrong_no: str
    yes: str
    unlabelled: str | float
