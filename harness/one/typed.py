"""The public function: an interval of a family, a method and data that an editor knows by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Unpack, cast, overload

import numpy.typing as npt

from harness.base.frames import ByMethod
from harness.distributions.truths import Prior
from harness.families.data import alpha_given
from harness.methods.method import TWO_SIDED
from harness.names import (
    AucDifferenceMethod,
    AucMethod,
    BalancedAccuracyMethod,
    BoundedMeanMethod,
    ClusteredDifferenceMethod,
    ClusteredMeanMethod,
    ClusteredProportionMethod,
    FScoreMethod,
    InformednessMethod,
    JaccardMethod,
    JudgedShareMethod,
    LabelledShareMethod,
    MccMethod,
    MeanMethod,
    OddsRatioMethod,
    PairedDifferenceMethod,
    PairedRatioMethod,
    PassAtMethod,
    PrecisionMethod,
    ProportionDifferenceMethod,
    ProportionMethod,
    RateDifferenceMethod,
    RateMethod,
    RateRatioMethod,
    RiskRatioMethod,
    Side,
    StratifiedDifferenceMethod,
)
from harness.one.result import Interval, compute
from harness.one.rows_interval import interval_of_rows
from harness.one.typed_data import (
    ClusterData,
    ClusteredPairs,
    ClusteredScores,
    ClusterTotals,
    Columns,
    Confusion,
    ConfusionAndBeta,
    JudgeData,
    LabelledCounts,
    OneRate,
    PairCounts,
    PairedScores,
    RunSummary,
    RunValues,
    ScoreData,
    StoppedProportion,
    TaskCounts,
    TwoProportions,
    TwoRates,
    ValuesInRange,
)


@overload
def interval(
    family: Literal["proportion"],
    method: ProportionMethod | None = ...,
    **data: Unpack[StoppedProportion],
) -> Interval: ...


@overload
def interval(
    family: Literal["rate"],
    method: RateMethod | None = ...,
    **data: Unpack[OneRate],
) -> Interval: ...


@overload
def interval(
    family: Literal["proportion_difference"],
    method: ProportionDifferenceMethod | None = ...,
    **data: Unpack[TwoProportions],
) -> Interval: ...


@overload
def interval(
    family: Literal["rate_difference"],
    method: RateDifferenceMethod | None = ...,
    **data: Unpack[TwoRates],
) -> Interval: ...


@overload
def interval(
    family: Literal["balanced_accuracy"],
    method: BalancedAccuracyMethod | None = ...,
    **data: Unpack[TwoProportions],
) -> Interval: ...


@overload
def interval(
    family: Literal["risk_ratio"],
    method: RiskRatioMethod | None = ...,
    **data: Unpack[TwoProportions],
) -> Interval: ...


@overload
def interval(
    family: Literal["odds_ratio"],
    method: OddsRatioMethod | None = ...,
    **data: Unpack[TwoProportions],
) -> Interval: ...


@overload
def interval(
    family: Literal["rate_ratio"],
    method: RateRatioMethod | None = ...,
    **data: Unpack[TwoRates],
) -> Interval: ...


@overload
def interval(
    family: Literal["paired_difference"],
    method: PairedDifferenceMethod | None = ...,
    **data: Unpack[PairCounts],
) -> Interval: ...


@overload
def interval(
    family: Literal["paired_ratio"],
    method: PairedRatioMethod | None = ...,
    **data: Unpack[PairCounts],
) -> Interval: ...


@overload
def interval(
    family: Literal["mean"],
    method: MeanMethod | None = ...,
    **data: Unpack[RunValues],
) -> Interval: ...


@overload
def interval(
    family: Literal["mean"],
    method: MeanMethod | None = ...,
    **data: Unpack[RunSummary],
) -> Interval: ...


@overload
def interval(
    family: Literal["bounded_mean"],
    method: BoundedMeanMethod | None = ...,
    **data: Unpack[ValuesInRange],
) -> Interval: ...


@overload
def interval(
    family: Literal["clustered_proportion"],
    method: ClusteredProportionMethod | None = ...,
    **data: Unpack[ClusterData],
) -> Interval: ...


@overload
def interval(
    family: Literal["clustered_mean"],
    method: ClusteredMeanMethod | None = ...,
    **data: Unpack[ClusteredScores],
) -> Interval: ...


@overload
def interval(
    family: Literal["clustered_mean"],
    method: ClusteredMeanMethod | None = ...,
    **data: Unpack[ClusterTotals],
) -> Interval: ...


@overload
def interval(
    family: Literal["clustered_difference"],
    method: ClusteredDifferenceMethod | None = ...,
    **data: Unpack[ClusteredPairs],
) -> Interval: ...


@overload
def interval(
    family: Literal["stratified_difference"],
    method: StratifiedDifferenceMethod | None = ...,
    **data: Unpack[TwoProportions],
) -> Interval: ...


@overload
def interval(
    family: Literal["pass_at", "pass_hat"],
    method: PassAtMethod | None = ...,
    **data: Unpack[TaskCounts],
) -> Interval: ...


@overload
def interval(
    family: Literal["precision", "recall", "specificity", "npv"],
    method: PrecisionMethod | None = ...,
    **data: Unpack[Confusion],
) -> Interval: ...


@overload
def interval(
    family: Literal["f_score"],
    method: FScoreMethod | None = ...,
    **data: Unpack[ConfusionAndBeta],
) -> Interval: ...


@overload
def interval(
    family: Literal["jaccard"],
    method: JaccardMethod | None = ...,
    **data: Unpack[Confusion],
) -> Interval: ...


@overload
def interval(
    family: Literal["mcc", "kappa"],
    method: MccMethod | None = ...,
    **data: Unpack[Confusion],
) -> Interval: ...


@overload
def interval(
    family: Literal["informedness"],
    method: InformednessMethod | None = ...,
    **data: Unpack[Confusion],
) -> Interval: ...


@overload
def interval(
    family: Literal["auc"],
    method: AucMethod | None = ...,
    **data: Unpack[ScoreData],
) -> Interval: ...


@overload
def interval(
    family: Literal["auc_difference"],
    method: AucDifferenceMethod | None = ...,
    **data: Unpack[PairedScores],
) -> Interval: ...


@overload
def interval(
    family: Literal["labelled_share"],
    method: LabelledShareMethod | None = ...,
    **data: Unpack[LabelledCounts],
) -> Interval: ...


@overload
def interval(
    family: Literal["judged_share"],
    method: JudgedShareMethod | None = ...,
    **data: Unpack[JudgeData],
) -> Interval: ...


@overload
def interval(
    family: str,
    method: str | None = ...,
    *,
    rows: Any,
    alpha: float = ...,
    confidence: float | None = ...,
    side: Side = ...,
    prior: Prior | None = ...,
    seed: int | None = ...,
    **columns: Unpack[Columns],
) -> Interval: ...


@overload
def interval(
    family: str, method: list[Any] | tuple[Any, ...], **data: Any
) -> ByMethod[Interval]: ...


def interval(
    family: str,
    method: str | Sequence[str] | None = None,
    *,
    alpha: npt.ArrayLike = 0.05,
    confidence: npt.ArrayLike | None = None,
    side: str = TWO_SIDED,
    prior: Prior | None = None,
    seed: int | None = None,
    rows: Any = None,
    **data: Any,
) -> Interval | ByMethod[Interval]:
    """Compute the interval of a method for data.

    The data and ``alpha`` broadcast against each other. Of the families whose data are lists, the
    last axis of an array is that of the lists: there is an interval for each row, and ``alpha``
    broadcasts against the rows.

    The cases of a proportion, and of what is made of two proportions, count as independent of each
    other. Where several of them come from one document, subject or batch, "clustered_proportion"
    has intervals that allow for that; "mean" is for a score that each of several runs yields.

    Args:
        family: what is estimated, which decides the data: "proportion" (x, n), "rate" (x,
            exposure), "proportion_difference" and "balanced_accuracy" (x1, n1, x2, n2),
            "risk_ratio" and "odds_ratio" likewise, "rate_difference" and "rate_ratio" (x1,
            exposure1, x2, exposure2), "paired_difference" and "paired_ratio" (both, first_only,
            second_only, neither: how many pairs are right in both, in the first only, in the
            second only, in neither), "mean" (values: a list with the value of each run; or mean, sd
            and k, where only a summary of the k runs is known, with the divisor k − 1 in sd),
            "bounded_mean" (values, and ``range``, the ends between which all lie, by default 0, 1),
            "clustered_proportion" (x, n: lists with a count and a size for each cluster),
            "clustered_mean" (values, cluster: a score and the label of its cluster for each case;
            or total and n: the sum of the scores and the number of cases of each cluster),
            "clustered_difference" (first, second, cluster: the scores of two systems; several
            samples of an item are several cases),
            "stratified_difference" (x1, n1, x2, n2: lists with a number for each stratum),
            "pass_at" and "pass_hat" (x: a list of how many samples of each task are right; n: a
            list of how many there are, or one number; k, 2 if left out: of how many samples one is
            right, or all),
            "precision", "recall", "specificity", "npv", "f_score" (with beta, 1 if left out),
            "jaccard", "mcc", "kappa" and "informedness" (tp, fp, fn, tn), "auc" (positives,
            negatives: lists with a score for each case), "auc_difference" (positives1, negatives1,
            positives2, negatives2: two scores of the same cases, in one order), "labelled_share"
            (right_yes, right_no, wrong_yes, wrong_no: labelled cases by label and a judge's
            verdict, and yes of the unlabelled others; or table and verdicts, lists of counts),
            "judged_share" (x, n, positives_right, positives, negatives_right, negatives: a judge's
            yes among n cases, and how many labelled positives and negatives it gets right).
        method: a name of the catalogue, or an alias; or a list of them. By default the method
            that is recommended for the family, the first that ``python -m harness methods --family
            FAMILY`` lists; of one side, or with a prior, that of the posterior if there is one.
        alpha: the probability outside the interval, in both tails together, or in the one tail
            if ``side`` is not "two-sided"; in (0, 1).
        confidence: 1 − alpha, in its place.
        side: "two-sided", "lower" (a lower limit only) or "upper".
        prior: (a, b) of a Beta prior for proportions, both above 0, or of a Gamma prior for
            rates, a > 0 and b ≥ 0; of two samples each has it. (a11, a10, a01, a00) of a Dirichlet
            prior for pairs, in the order of the data, or of tp, fp, fn and tn for the metrics of a
            confusion table. For methods that take a prior; default flat.
        seed: the seed of a stochastic method, a whole number from 0 on; a deterministic method
            ignores it.
        rows: a data frame, a mapping of columns, the path of a file, or a list of these, in which
            the data are the names of columns, as for the command ``interval``: ``x="right"``,
            ``n="questions"`` of counts; of cases ``correct``, with ``cluster``, ``by``, ``key``,
            ``where`` ("COLUMN=VALUE") and ``missing`` ("drop" or "wrong"); ``truth``, ``score`` and
            ``positive`` of scores; of "labelled_share" ``correct`` of the judge and ``truth``,
            which is empty where a case has no label. The interval has a row for each group of
            ``by``, or row of counts, and ``groups`` has their names, which ``to_frame`` puts first.
        **data: the data by name, numbers or arrays: counts are whole numbers from 0 to n or to
            10^9, n from 1 to 10^9, exposures above 0. ``population``, a whole number from n to
            10^15, is the number of cases from which the n were drawn without replacement, for
            "hypergeometric_exact" and "hypergeometric_wang" of a proportion, and for no other.
            ``stopping``, the rule by which the trials of a proportion ended, is a mapping as in a
            config with ``most``, the most trials; n is then the number that was made. In
            an array of several rows of lists, a cluster or stratum of size 0 is not there.

    Returns:
        The estimate and both limits: floats if data and ``alpha`` are scalars, else arrays of
        the shape to which they broadcast. ``to_frame`` makes a data frame of them, and
        ``lower, upper =`` takes the limits; ``remarks`` says in sentences what to know before use,
        as that clusters are few. Of a list of methods a tuple with an interval for
        each, whose ``to_frame`` has the rows of all.

    Raises:
        InputError: the family or the method is unknown; data, alpha, side or prior are out of
            range; the method does not take so large sizes, or needs a population that is not
            given, or takes none, or needs the values and is given a summary; or a stochastic
            method has no seed; or the rule cannot stop at an outcome.
        IntervalNotFoundError: the method finds no interval, or none is valid: of runs whose values
            are all equal, or of clusters whose scores all have one mean.

    Example:
        >>> import harness
        >>> harness.interval("proportion", x=90, n=100)
        <Interval 0.9000 [0.8313, 0.9485]: proportion, minimal_length, alpha 0.05>
        >>> found = harness.interval("proportion", "wilson", x=90, n=100)
        >>> print(f"{found.estimate:.4f} [{found.lower:.4f}, {found.upper:.4f}]")
        0.9000 [0.8256, 0.9448]
        >>> lower, upper = harness.interval("proportion", "wilson", x=90, n=100)
        >>> several = harness.interval("proportion", ["wald", "wilson"], x=0, n=60)
        >>> several.to_frame()["upper"].round(4).to_list()
        [0.0, 0.0602]
        >>> harness.interval("rate", "garwood", x=[0, 3], exposure=2.0).upper.round(4)
        array([1.8444, 4.3836])
        >>> harness.interval("proportion", "hypergeometric_exact", x=3, n=20, population=100).upper
        0.35
        >>> rule = {"boundaries": [{"n": 13, "at_most": 3}], "most": 43}
        >>> harness.interval("proportion", "stagewise", x=12, n=43, stopping=rule)
        <Interval 0.2791 [0.1656, 0.5387]: proportion, stagewise, alpha 0.05>
        >>> harness.interval("mean", values=[75, 72, 78, 73, 77])
        <Interval 75.0000 [71.8344, 78.1656]: mean, student_t, alpha 0.05>
        >>> harness.interval("bounded_mean", values=[75, 72, 78, 73, 77], range=(0, 100))
        <Interval 75.0000 [35.8466, 88.0955]: bounded_mean, gaffke, alpha 0.05>
        >>> clusters = {"x": [[3, 5, 2], [9, 8, 0]], "n": [[10, 10, 10], [10, 10, 0]]}
        >>> harness.interval("clustered_proportion", "saha_wilson", **clusters).upper.round(4)
        array([0.5135, 0.9226])
        >>> harness.interval("pass_at", "student_t", x=[3, 5, 9, 0], n=10, k=5)
        <Interval 0.7282 [0.0000, 1.0000]: pass_at, student_t, alpha 0.05>
        >>> cases = {"model": ["a", "a", "a", "b", "b", "b"], "ok": [1, 1, 0, 0, 1, 0]}
        >>> harness.interval("proportion", "wilson", rows=cases, correct="ok", by="model")
        <Interval, 2 rows: proportion, wilson, alpha 0.05>
         model  x  n  estimate   lower   upper
             a  2  3    0.6667  0.2077  0.9385
             b  1  3    0.3333  0.0615  0.7923
    """
    alpha = alpha_given(alpha, confidence)
    options: Any = {"alpha": alpha, "side": side, "prior": prior, "seed": seed}
    if rows is not None:

        def of_rows(each: str | None) -> Interval:
            return interval_of_rows(family, each, rows, data, **options)

        if isinstance(method, list | tuple):
            return ByMethod.of(of_rows, method)
        return of_rows(cast("str | None", method))
    options |= data
    if isinstance(method, list | tuple):
        return ByMethod.of(lambda name: compute(family, name, **options), method)
    return compute(family, cast("str | None", method), **options)
