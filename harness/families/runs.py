"""The mean of repeated runs: a value for each of k runs, or their mean, sd and k."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.families.data import (
    LARGEST_COUNT,
    broadcast_columns,
    numbers,
    validate_values,
    whole_numbers,
)
from harness.families.family import Data
from harness.families.lists import ListData, list_of_numbers, validate_names

NAME = "mean"
LARGEST = 1e100
"""The largest magnitude of a value, so that squares of values are doubles."""
VALUES = ("values",)
SUMMARY = ("mean", "sd", "k")


@dataclass(frozen=True)
class RunData(ListData):
    """Values of runs. Methods take the columns mean, sd, k and values.

    The sd has the divisor k − 1. The values have shape (m, k), or (m, 0) where only their summary
    is known.
    """

    def validate(self, given: Mapping[str, npt.ArrayLike]) -> Data:
        if VALUES[0] not in given and set(given) & set(SUMMARY):
            return _summary(given)
        validate_names(f"{NAME} (or mean, sd and k)", VALUES, given)
        values = list_of_numbers("values", given["values"], "run")
        if values.shape[-1] < 2:
            raise InputError("values should be of at least 2 runs, found 1")
        validate_values(values, np.abs(values) > LARGEST, "values", "numbers up to 1e100")
        return _with_moments(values)

    def columns(self, lists: Sequence[Floats]) -> Data:
        return _with_moments(lists[0])

    def estimate(self, data: Data) -> Floats:
        return data[0]

    def mirrored(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        return -upper, -lower


RUN_DATA = RunData(
    data=VALUES,
    summary=SUMMARY,
    sizes=("k",),
    size_in_words="number of runs",
    truths=("truth",),
    symbols=("mean",),
    quantity="",
    support=(-np.inf, np.inf),
    counts_are_whole=False,
)


def _with_moments(values: Floats) -> Data:
    """Return the columns mean, sd, k and values."""
    size = values.shape[-1]
    mean = values.mean(axis=-1)
    # Runs that are all equal have no spread, whatever rounding makes of their mean.
    varies = values.max(axis=-1) > values.min(axis=-1)
    sd = np.where(varies, values.std(axis=-1, ddof=1), 0.0)
    return np.where(varies, mean, values[..., 0]), sd, np.full(mean.shape, float(size)), values


def _summary(given: Mapping[str, npt.ArrayLike]) -> Data:
    validate_names(f"{NAME} (or values)", SUMMARY, given)
    mean, sd = (numbers(name, given[name], "a number") for name in SUMMARY[:2])
    validate_values(mean, ~(np.abs(mean) <= LARGEST), "mean", "a number up to 1e100")
    validate_values(sd, ~((sd >= 0) & (sd <= LARGEST)), "sd", "a number from 0 to 1e100")
    size = whole_numbers("k", given["k"])
    outside = (size < 2) | (size > LARGEST_COUNT)
    validate_values(size, outside, "k", "a whole number from 2 to 10^9")
    columns = broadcast_columns(SUMMARY, (mean, sd, size))
    return (*columns, np.empty((*columns[0].shape, 0)))
