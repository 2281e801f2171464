"""The difference of two proportions over strata: x1 of n1 less x2 of n2 in each of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.families.family import Data
from harness.families.list_counts import counts_of_lists, refuse_empty
from harness.families.lists import ListData, validate_names

NAME = "stratified_difference"
LISTS = ("x1", "n1", "x2", "n2")


@dataclass(frozen=True)
class StratumData(ListData):
    """Counts and sizes of both samples in each stratum, shape (m, S).

    A stratum of 0 cases is not there.
    """

    def validate(self, given: Mapping[str, npt.ArrayLike]) -> Data:
        validate_names(NAME, LISTS, given)
        x1, n1, x2, n2 = counts_of_lists(LISTS, given, "stratum")
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

    def estimate(self, data: Data) -> Floats:
        return weighted_difference(*data)

    def mirrored(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        return -upper, -lower


STRATUM_DATA = StratumData(
    data=LISTS,
    sizes=("n1", "n2"),
    size_in_words="number of trials in all strata",
    truths=("truth",),
    symbols=("p1 − p2",),
    quantity="difference ",
    support=(-1.0, 1.0),
)


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
