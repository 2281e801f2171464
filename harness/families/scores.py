"""Families of scores of cases: areas under the ROC curve, and means of scores in clusters.

The area (AUC) is the probability that a positive has a larger score than a negative, a tie counting
one half: Pr(X > Y) + ½ Pr(X = Y). Its data are the scores of positives and of negatives.

The data of a mean, or of a mean difference of two systems, are a score of each case and the label
of its cluster. Methods take what is left of them: the mean ȳ, the sizes n_c of the clusters and
their residuals r_c = Σ_{i in c} (y_i − ȳ).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np
import numpy.typing as npt

from harness.base.arguments import quoted
from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.base.text import enumerated
from harness.families.combination import Span
from harness.families.data import LARGEST_COUNT, broadcast_columns, is_masked, validate_values
from harness.families.family import MONTE_CARLO, Data, Family, validate_names
from harness.families.lists import LARGEST, RUN, list_of_numbers, refuse_lengths, refuse_tiny
from harness.families.model import model_like

SCORES, PAIRED_SCORES = "scores", "two scores of the same cases"
"""The designs: a score of each case, or two."""


def placements(positives: Floats, negatives: Floats) -> tuple[Floats, Floats]:
    """Return the share of negatives below each positive, and of positives above each negative.

    A tie counts one half. The mean of either is the AUC; they are the structural components V10
    and V01 of DeLong, DeLong and Clarke-Pearson (1988), found by midranks in O(n log n).

    Sun and Xu (2014), IEEE Signal Process. Lett. 21, 1389–1393, for the midranks.

    Args:
        positives: scores, shape (…, n1).
        negatives: scores, shape (…, n2), with the same shape before the last axis.

    Example:
        >>> above, below = placements(np.array([3.0, 1.0]), np.array([1.0, 0.0]))
        >>> above.tolist(), below.tolist()
        ([1.0, 0.75], [0.75, 1.0])
    """
    n1, n2 = positives.shape[-1], negatives.shape[-1]
    # It takes longer to load than an interval takes.
    from scipy.stats import rankdata

    ranks = rankdata(np.concatenate((positives, negatives), axis=-1), axis=-1)
    above = (ranks[..., :n1] - rankdata(positives, axis=-1)) / n2
    below = (n1 - (ranks[..., n1:] - rankdata(negatives, axis=-1))) / n1
    return above, below


def area(positives: Floats, negatives: Floats) -> Floats:
    """Return the AUC of each row of scores, shape (…,)."""
    return np.asarray(placements(positives, negatives)[0].mean(axis=-1))


def _validated_scores(
    family: str, names: tuple[str, ...], given: Mapping[str, npt.ArrayLike]
) -> Data:
    """The lists, of which those of the same cases are equally long, with one shape of rows."""
    validate_names(family, names, given)
    lists = [list_of_numbers(name, given[name], name[:8]) for name in names]
    for first, second in zip(range(len(lists)), range(2, len(lists)), strict=False):
        lengths = [lists[place].shape[-1] for place in (first, second)]
        if lengths[0] != lengths[1]:
            raise InputError(
                f"{names[first]} and {names[second]} should have a score for each of the same "
                f"cases, found {lengths[0]} and {lengths[1]}"
            )
    try:
        rows = np.broadcast_shapes(*(scores.shape[:-1] for scores in lists))
    except ValueError:
        shapes = (
            f"{name} of shape {scores.shape}" for name, scores in zip(names, lists, strict=True)
        )
        raise InputError(f"{enumerated(shapes)} do not fit together") from None
    return tuple(np.broadcast_to(scores, (*rows, scores.shape[-1])) for scores in lists)


_MODEL = model_like(RUN, NAME="scores", COUNTED="positives", PARAMETER="AUC", IS_BOUNDED=True)
_OF_ONE = ("positives", "negatives")
_OF_TWO = ("positives1", "negatives1", "positives2", "negatives2")

AUC = Family(
    "auc",
    "an area under the ROC curve: scores of positives and of negatives",
    "AUC",
    model_like(_MODEL, SUPPORT=(0.0, 1.0)),
    SCORES,
    engines=(MONTE_CARLO,),
    data=_OF_ONE,
    sizes=("n1", "n2"),
    size_in_words="number of positives",
    sizes_in_words=("Numbers of positives", "Numbers of negatives"),
    truths=("truth", "sd_ratio"),
    symbols=("AUC", "sd ratio"),
    support=(0.0, 1.0),
    validate_data=partial(_validated_scores, "auc", _OF_ONE),
    estimate=lambda data: area(*data),
    mirrored=lambda lower, upper: (1.0 - upper, 1.0 - lower),
    lists_are_counts=False,
)
"""Scores of n1 positives, shape (m, n1), and of n2 negatives, shape (m, n2)."""

AUC_DIFFERENCE = replace(
    AUC,
    name="auc_difference",
    title="the difference of two areas under the ROC curve: two scores of each positive and "
    "negative",
    parameter="AUC1 − AUC2",
    model=model_like(_MODEL, SUPPORT=(-1.0, 1.0)),
    design=PAIRED_SCORES,
    data=_OF_TWO,
    truths=("truth", "auc2", "correlation"),
    symbols=("AUC1 − AUC2", "AUC2", "correlation"),
    support=(-1.0, 1.0),
    validate_data=partial(_validated_scores, "auc_difference", _OF_TWO),
    estimate=lambda data: area(*data[:2]) - area(*data[2:]),
    mirrored=lambda lower, upper: (-upper, -lower),
    quantity="difference ",
    truth_is_of_sample=False,
)
"""First scores of the positives and of the negatives, then second scores of the same cases."""


CLUSTERED_SCORES, CLUSTERED_PAIRS = "scores in clusters", "two scores of cases in clusters"
"""The designs: a score of each case, or the scores of two systems."""

CLUSTER = "cluster"
"""The name of the labels of clusters, one for each case."""
TOTALS = ("total", "n")
"""The names of the summary: the sum of the scores of each cluster, and its number of cases."""


def range_of_means(*scores: npt.ArrayLike) -> Span | None:
    """0 … 1 where all scores are 0 or 1; None of others, whose range is not known."""
    every = (np.isin(np.asarray(sample), (0, 1)).all() for sample in scores)
    return (0.0, 1.0) if scores and all(every) else None


def range_of_differences(*scores: npt.ArrayLike) -> Span | None:
    """−1 … 1 where all scores are 0 or 1; None of others, whose range is not known."""
    return None if range_of_means(*scores) is None else (-1.0, 1.0)


def labels_of_clusters(given: npt.ArrayLike) -> Floats:
    """Return the labels of clusters as whole numbers, in the order of the sorted labels.

    Args:
        given: numbers or texts, a list or an array whose last axis is that of the cases.

    Raises:
        InputError: there is no list, it is ragged or masked, or a label is missing.

    >>> labels_of_clusters(["b", "a", "b"])
    array([1., 0., 1.])
    """
    expected = f"{CLUSTER} should be a list with the label of the cluster of each case"
    if is_masked(given):
        raise InputError(f"{expected}, found a masked array")
    try:
        labels = np.asarray(given)
    except ValueError:
        raise InputError(f"{expected}, found a ragged one") from None
    if labels.ndim == 0 or labels.shape[-1] == 0:
        text = "an empty one" if labels.ndim else quoted(given)
        raise InputError(f"{expected}, found {text}")
    if labels.dtype.kind == "O":
        if any(label is None or label != label for label in labels.ravel().tolist()):
            raise InputError(f"{expected}, found a case without one")
        labels = labels.astype(np.str_)
    if labels.dtype.kind not in "iufbU":
        raise InputError(f"{expected}, found {quoted(given)}")
    if labels.dtype.kind == "f" and not np.isfinite(labels).all():
        raise InputError(f"{expected}, found a case without one")
    _, codes = np.unique(labels, return_inverse=True)
    return codes.reshape(labels.shape).astype(np.float64)


def by_clusters(scores: Floats, cluster: Floats) -> Data:
    """Return the mean, the sizes n_c and the residuals r_c = Σ_{i in c} (y_i − ȳ) of clusters.

    A cluster of size 0 is one that a data set does not have. Scores that are all equal have
    residuals of exactly 0.

    Args:
        scores: y, shape (…, w).
        cluster: the label of the cluster of each case, of the same shape.

    Returns:
        The mean, shape (…,), then sizes and residuals, shape (…, C).

    >>> by_clusters(np.array([1.0, 2.0, 6.0]), np.array([5.0, 5.0, 7.0]))
    (array(3.), array([2., 1.]), array([-3.,  3.]))
    """
    *outer, width = scores.shape
    rows, labels = scores.reshape(-1, width), cluster.reshape(-1, width)
    # Sums of deviations from one score keep the digits that scores of one magnitude share.
    first = rows[:, :1]
    deviations = rows - first
    if (labels[:, 1:] < labels[:, :-1]).any():
        order = np.argsort(labels, axis=1, kind="stable")
        labels = np.take_along_axis(labels, order, axis=1)
        deviations = np.take_along_axis(deviations, order, axis=1)
    place = np.zeros(labels.shape, np.int64)
    np.cumsum(labels[:, 1:] > labels[:, :-1], axis=1, out=place[:, 1:])
    count = int(place.max(initial=0)) + 1
    cells = (place + count * np.arange(len(rows))[:, np.newaxis]).ravel()
    n = np.bincount(cells, minlength=len(rows) * count).reshape(-1, count).astype(np.float64)
    total = np.bincount(cells, deviations.ravel(), len(rows) * count).reshape(-1, count)
    centre = deviations.mean(axis=1, keepdims=True)
    # Scores that are all equal deviate by 0, and so do their clusters.
    residual = total - n * centre
    mean = (first + centre).reshape(outer)
    return mean, n.reshape(*outer, count), residual.reshape(*outer, count)


def _of_totals(given: Mapping[str, npt.ArrayLike]) -> Data:
    """The columns of the totals and the sizes of clusters."""
    total, n = (list_of_numbers(name, given[name], "cluster") for name in TOTALS)
    validate_values(total, np.abs(total) > LARGEST, "total", "numbers up to 1e100")
    outside = (np.floor(n) != n) | (n < 0) | (n > LARGEST_COUNT)
    validate_values(n, outside, "n", "whole numbers from 0 to 10^9")
    if total.shape[-1] != n.shape[-1]:
        raise InputError(
            f"expected a number for each cluster in every list, found that total has "
            f"{total.shape[-1]} and n has {n.shape[-1]}"
        )
    total, n = broadcast_columns(TOTALS, (total, n))
    validate_values(total, (n == 0) & (total != 0), "total", "0 of a cluster without cases")
    _refuse_one_cluster(n, "total and n")
    mean = total.sum(axis=-1) / n.sum(axis=-1)
    residual = total - n * mean[..., np.newaxis]
    refuse_tiny("total", np.abs(residual).max(axis=-1))
    return mean, n, residual


def _refuse_one_cluster(n: Floats, name: str) -> None:
    """Refuse a data set of fewer than two clusters, which does not tell how clusters differ."""
    counts = np.count_nonzero(n, axis=-1)
    if (counts < 2).any():
        raise InputError(
            f"{name} should be of at least 2 clusters, found {int(counts[counts < 2].flat[0])}"
        )


def _validated_cases(family: Family, given: Mapping[str, npt.ArrayLike]) -> Data:
    if set(family.summary) & set(given) and not set(family.data) & set(given):
        validate_names(f"{family.name} (or {', '.join(family.data)})", family.summary, given)
        return _of_totals(given)
    validate_names(family.name, family.data, given)
    *names, _ = family.data
    lists = [list_of_numbers(name, given[name], "case") for name in names]
    for name, values in zip(names, lists, strict=True):
        validate_values(values, np.abs(values) > LARGEST, name, "numbers up to 1e100")
    lists.append(labels_of_clusters(given[CLUSTER]))
    refuse_lengths(family.data, lists, "an entry for each case")
    columns = family.columns(broadcast_columns(family.data, lists), ())
    _refuse_one_cluster(columns[1], CLUSTER)
    refuse_tiny(" and ".join(names), np.abs(columns[2]).max(axis=-1))
    return columns


CLUSTERED_MEAN: Family = Family(
    "clustered_mean",
    "the mean of scores of cases in clusters: a score and a cluster for each case",
    "mean",
    model_like(RUN, NAME="case", SIZE="size", COUNTED="cases"),
    CLUSTERED_SCORES,
    engines=(MONTE_CARLO,),
    data=("values", CLUSTER),
    summary=TOTALS,
    summary_is_lists=True,
    sizes=("clusters", "size"),
    sizes_in_words=("Numbers of clusters", "Cases of each cluster"),
    size_in_words="number of clusters",
    truths=("truth", "rho"),
    symbols=("mean", "ρ"),
    support=RUN.SUPPORT,
    validate_data=lambda given: _validated_cases(CLUSTERED_MEAN, given),
    range_of_data=lambda data: range_of_means(*([data["values"]] if "values" in data else [])),
    columns=lambda lists, _: by_clusters(*lists),
    estimate=lambda data: data[0],
    mirrored=lambda lower, upper: (-upper, -lower),
    lists_are_counts=False,
    has_curves=False,
    names_sampling=True,
    own_columns={"truth": "True mean of the score of a case."},
    sampling_remark="Coverage depends on the law of the scores and on the sizes of the clusters.",
)
"""Methods take the mean, shape (m,), and the sizes and the residuals of clusters, shape (m, C).

A cluster of size 0 is one that a data set does not have. The residual of a cluster is the sum of
its scores less their mean, Σ_{i in c} (y_i − ȳ) = total_c − n_c ȳ.
"""

CLUSTERED_DIFFERENCE: Family = replace(
    CLUSTERED_MEAN,
    name="clustered_difference",
    title="the mean difference of two systems on cases in clusters: two scores and a cluster each",
    parameter="mean difference",
    design=CLUSTERED_PAIRS,
    data=("first", "second", CLUSTER),
    summary=(),
    symbols=("mean difference", "ρ"),
    validate_data=lambda given: _validated_cases(CLUSTERED_DIFFERENCE, given),
    range_of_data=lambda data: range_of_differences(data["first"], data["second"]),
    columns=lambda lists, _: by_clusters(lists[0] - lists[1], lists[2]),
    own_columns={"truth": "True mean of the first score of a case less the second."},
    quantity="difference ",
    truth_is_of_sample=False,
)
"""Methods take what those of `CLUSTERED_MEAN` take, of the differences first − second.

Several samples of an item are several differences of one cluster: a row for each sample, with the
item, or what contains it, as cluster.
"""
