"""Families whose data are lists: values of runs, counts of clusters, or counts of strata.

A trial draws a whole data set, which is no whole number that limits could be looked up by. The
methods of these families compute their limits for every trial, and there are cells given the
truth, and none given the outcome.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
import numpy.typing as npt

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.families import proportion
from harness.families.data import (
    LARGEST_COUNT,
    broadcast_columns,
    numbers,
    validate_values,
    whole_numbers,
)
from harness.families.family import (
    CLOSED_FORM,
    ENUMERATION,
    MONTE_CARLO,
    Data,
    Family,
    validate_names,
)
from harness.families.model import model_like

RUNS, BOUNDED_RUNS = "repeated runs", "repeated runs in a range"
CLUSTERS, STRATA = "clusters", "strata"
"""The designs: a list of values, of values in a range, of clusters or of strata."""


def list_of_numbers(name: str, given: npt.ArrayLike, each: str) -> Floats:
    """Return a list of finite numbers, or an array whose last axis is that of the lists.

    Args:
        name: the name of the data in a message.
        given: the list.
        each: what the list has a number for: run, cluster, stratum.

    Raises:
        InputError: a value is no finite number, or there is no list.
    """
    values = numbers(name, given, f"a list of numbers, one for each {each}")
    if values.ndim == 0 or values.shape[-1] == 0:
        text = "an empty one" if values.ndim else f"{float(values):g}"
        raise InputError(f"{name} should be a list with a number for each {each}, found {text}")
    if not np.isfinite(values).all():
        text = f"{values[~np.isfinite(values)][0]:g}"
        raise InputError(f"{name} should be finite numbers, found {text}")
    return values


def counts_of_lists(
    names: Sequence[str], given: Mapping[str, npt.ArrayLike], each: str
) -> tuple[Floats, ...]:
    """Return lists of counts and of sizes, as arrays of one shape.

    Args:
        names: of counts and sizes in turn: x, n.
        given: the lists by name.
        each: what a list has a number for: cluster, stratum.

    Raises:
        InputError: a value is no whole number, a size is outside 0 … 10^9, a count outside
            0 … its size, or the lists differ in length.
    """
    lists = []
    for name in names:
        values = list_of_numbers(name, given[name], each)
        outside = (np.floor(values) != values) | (values < 0) | (values > LARGEST_COUNT)
        validate_values(values, outside, name, "whole numbers from 0 to 10^9")
        lists.append(values)
    refuse_lengths(names, lists, f"a number for each {each}")
    columns = broadcast_columns(names, lists)
    for place in range(0, len(columns), 2):
        count, size = columns[place], columns[place + 1]
        above = count > size
        if above.any():
            where = int(np.argwhere(above)[0][-1]) + 1
            raise InputError(
                f"{names[place]} = {count[above][0]:.0f} of {each} {where} is larger than "
                f"{names[place + 1]} = {size[above][0]:.0f}"
            )
    return columns


def refuse_lengths(names: Sequence[str], lists: Sequence[Floats], expected: str) -> None:
    """Refuse lists of different lengths.

    Args:
        names: of the lists.
        lists: arrays whose last axis is that of the lists.
        expected: what every list should have, in the message.

    Raises:
        InputError: the lengths differ.
    """
    lengths = [values.shape[-1] for values in lists]
    if len(set(lengths)) > 1:
        text = ", ".join(f"{name} has {k}" for name, k in zip(names, lengths, strict=True))
        raise InputError(f"expected {expected} in every list, found that {text}")


def refuse_empty(name: str, sizes: Floats, each: str) -> None:
    """Refuse data without any case, and a single data set with an empty cluster or stratum.

    In an array of several data sets a size of 0 stands for one that a data set does not have.

    Raises:
        InputError: there is such a data set.
    """
    if sizes.ndim == 1 and not sizes.all():
        where = int(np.flatnonzero(sizes == 0)[0]) + 1
        raise InputError(f"{name} should be at least 1 in every {each}, found 0 in {each} {where}")
    if not sizes.any(axis=-1).all():
        raise InputError(f"{name} should be above 0 in some {each}, found 0 in all of them")


LARGEST = 1e100
"""The largest magnitude of a value, so that squares of values are doubles."""
SMALLEST = 1e-140
"""The smallest difference of values that are not equal, so that its square is a double."""
VALUES = ("values",)
SUMMARY = ("mean", "sd", "k")


def refuse_tiny(name: str, difference: Floats) -> None:
    """Refuse values whose largest difference is above 0 and too small to be squared.

    Raises:
        InputError: there are such values.
    """
    expected = "numbers that differ by 0 or by at least 1e-140"
    validate_values(difference, (difference > 0) & (difference < SMALLEST), name, expected)


def _validate_runs(given: Mapping[str, npt.ArrayLike]) -> Data:
    if VALUES[0] not in given and set(given) & set(SUMMARY):
        validate_names("mean (or values)", SUMMARY, given)
        mean, sd = (numbers(name, given[name], "a number") for name in SUMMARY[:2])
        validate_values(mean, ~(np.abs(mean) <= LARGEST), "mean", "a number up to 1e100")
        validate_values(sd, ~((sd >= 0) & (sd <= LARGEST)), "sd", "a number from 0 to 1e100")
        size = whole_numbers("k", given["k"])
        outside = (size < 2) | (size > LARGEST_COUNT)
        validate_values(size, outside, "k", "a whole number from 2 to 10^9")
        columns = broadcast_columns(SUMMARY, (mean, sd, size))
        return (*columns, np.empty((*columns[0].shape, 0)))
    validate_names("mean (or mean, sd and k)", VALUES, given)
    values = list_of_numbers("values", given["values"], "run")
    if values.shape[-1] < 2:
        raise InputError("values should be of at least 2 runs, found 1")
    validate_values(values, np.abs(values) > LARGEST, "values", "numbers up to 1e100")
    refuse_tiny("values", np.ptp(values, axis=-1))
    return with_moments(values)


RUN = model_like(
    proportion,
    NAME="run",
    COUNT="values",
    SIZE="k",
    COUNTED="runs",
    PARAMETER="mean",
    QUANTITY="",
    IS_BOUNDED=False,
    SUPPORT=(-np.inf, np.inf),
    FLAT_PRIOR=(),
    PRIOR="",
    PRIOR_SYMBOLS=(),
    PRIOR_RANGE="none",
)
"""The model of a run, as far as a family of runs has one: the names of its size and its mean."""

MEAN = Family(
    "mean",
    "the mean of repeated runs: a value for each of k runs",
    "mean",
    RUN,
    RUNS,
    engines=(MONTE_CARLO, CLOSED_FORM),
    data=VALUES,
    summary=SUMMARY,
    sizes=("k",),
    size_in_words="number of runs",
    truths=("truth",),
    symbols=("mean",),
    support=RUN.SUPPORT,
    validate_data=_validate_runs,
    columns=lambda lists, sizes: with_moments(lists[0]),
    estimate=lambda data: data[0],
    mirrored=lambda lower, upper: (-upper, -lower),
    lists_are_counts=False,
    has_curves=False,
    names_sampling=True,
    own_columns={
        "truth": "True mean of a run's values; with an estimand their median or quantile."
    },
    has_estimands=True,
    sampling_remark="Student's interval is exact for normal values; other values need Monte Carlo.",
)
"""Methods take the columns mean, sd, k and values.

The sd has the divisor k − 1. The values have shape (m, k), or (m, 0) where only their summary is
known.
"""


RANGE = "range"
"""The setting of a bounded mean: the ends between which every value lies."""


@cache
def bounded_mean(low: float = 0.0, high: float = 1.0) -> Family:
    """Return the family of the mean of values between ``low`` and ``high``."""

    def validate(given: Mapping[str, npt.ArrayLike]) -> Data:
        validate_names("bounded_mean", VALUES, given)
        mean, sd, k, values = _validate_runs(given)
        between = f"numbers from {low:g} to {high:g}"
        validate_values(values, (values < low) | (values > high), "values", between)
        return mean, sd, k, values

    is_unit = (low, high) == (0.0, 1.0)
    return replace(
        MEAN,
        name="bounded_mean" if is_unit else f"bounded_mean({low:g} ... {high:g})",
        title=f"the mean of values from {low:g} to {high:g}: one for each of k cases or runs",
        design=BOUNDED_RUNS,
        engines=(MONTE_CARLO,),
        summary=(),
        support=(low, high),
        any_number=float(np.clip(2.0, low, high)),
        validate_data=validate,
        mirrored=lambda lower, upper: (low + high - upper, low + high - lower),
        has_estimands=False,
        sampling_remark="Coverage depends on the law of the values.",
        settings={} if is_unit else {RANGE: (low, high)},
        base=None if is_unit else bounded_mean(),
    )


def with_moments(values: Floats) -> Data:
    """Return the columns mean, sd, k and values."""
    size = values.shape[-1]
    mean = values.mean(axis=-1)
    # Runs that are all equal have no spread, whatever rounding makes of their mean.
    varies = values.max(axis=-1) > values.min(axis=-1)
    sd = np.where(varies, values.std(axis=-1, ddof=1), 0.0)
    return np.where(varies, mean, values[..., 0]), sd, np.full(mean.shape, float(size)), values


def _validate_clusters(given: Mapping[str, npt.ArrayLike]) -> Data:
    validate_names(CLUSTERED_PROPORTION.name, CLUSTERED_PROPORTION.data, given)
    x, n = counts_of_lists(CLUSTERED_PROPORTION.data, given, "cluster")
    refuse_empty("n", n, "cluster")
    return x, n


CLUSTERED_PROPORTION = Family(
    "clustered_proportion",
    "a proportion of clustered cases: x of n in each cluster",
    "p",
    proportion,
    CLUSTERS,
    engines=(MONTE_CARLO,),
    data=("x", "n"),
    sizes=("clusters", "size"),
    size_in_words="number of clusters",
    sizes_in_words=("Numbers of clusters", "Cases of each cluster"),
    truths=("truth", "rho"),
    symbols=("p", "ρ"),
    support=proportion.SUPPORT,
    validate_data=_validate_clusters,
    estimate=lambda data: np.asarray(data[0].sum(axis=-1) / data[1].sum(axis=-1)),
    mirrored=lambda lower, upper: (1.0 - upper, 1.0 - lower),
    quantity=proportion.QUANTITY,
)
"""Counts and sizes of clusters, shape (m, C); a cluster of 0 cases is not there."""


def _validate_strata(given: Mapping[str, npt.ArrayLike]) -> Data:
    validate_names(STRATIFIED_DIFFERENCE.name, STRATIFIED_DIFFERENCE.data, given)
    x1, n1, x2, n2 = counts_of_lists(STRATIFIED_DIFFERENCE.data, given, "stratum")
    for name, sizes in (("n1", n1), ("n2", n2)):
        refuse_empty(name, sizes, "stratum")
    alone = (n1 > 0) != (n2 > 0)
    if alone.any():
        where = int(np.argwhere(alone)[0][-1]) + 1
        raise InputError(
            f"n1 and n2 should both be above 0 in every stratum, found 0 in one of them in "
            f"stratum {where}"
        )
    return x1, n1, x2, n2


STRATIFIED_DIFFERENCE = Family(
    "stratified_difference",
    "the difference of two proportions over strata: x1 of n1 less x2 of n2 in each",
    "p1 − p2",
    proportion,
    STRATA,
    engines=(MONTE_CARLO, ENUMERATION),
    data=("x1", "n1", "x2", "n2"),
    sizes=("n1", "n2"),
    size_in_words="number of trials in all strata",
    truths=("truth",),
    symbols=("p1 − p2",),
    support=(-1.0, 1.0),
    validate_data=_validate_strata,
    estimate=lambda data: weighted_difference(*data),
    mirrored=lambda lower, upper: (-upper, -lower),
    quantity="difference ",
    truth_is_of_sample=False,
)
"""Counts and sizes of both samples in each stratum, shape (m, S).

A stratum of 0 cases is not there.
"""


def weights(n1: Floats, n2: Floats) -> Floats:
    """Return the Mantel-Haenszel weights n₁n₂/(n₁ + n₂) of the strata; 0 for one of no cases."""
    total = n1 + n2
    return np.asarray(n1 * (n2 / np.where(total > 0, total, 1.0)))


def weighted_mean(weight: Floats, values: Floats) -> Floats:
    """Return Σ w v/Σ w over the last axis, exactly v where all values of some weight are one v."""
    place = (weight > 0).argmax(axis=-1, keepdims=True)
    first = np.take_along_axis(values, np.broadcast_to(place, (*values.shape[:-1], 1)), axis=-1)
    excess = (weight * (values - first)).sum(axis=-1) / weight.sum(axis=-1)
    return np.asarray(first[..., 0] + excess)


def weighted_difference(x1: Floats, n1: Floats, x2: Floats, n2: Floats) -> Floats:
    """Return Σ w (x₁/n₁ − x₂/n₂)/Σ w over the last axis, with w = n₁n₂/(n₁ + n₂)."""
    difference = x1 / np.where(n1 > 0, n1, 1.0) - x2 / np.where(n2 > 0, n2, 1.0)
    return weighted_mean(weights(n1, n2), difference)
