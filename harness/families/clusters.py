"""A proportion of clustered cases: counts x of n in each cluster, whose cases are alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Floats
from harness.families.family import Data
from harness.families.list_counts import counts_of_lists, refuse_empty
from harness.families.lists import ListData, validate_names

NAME = "clustered_proportion"
LISTS = ("x", "n")


@dataclass(frozen=True)
class ClusterData(ListData):
    """Counts and sizes of clusters, shape (m, C); a cluster of 0 cases is not there."""

    def validate(self, given: Mapping[str, npt.ArrayLike]) -> Data:
        validate_names(NAME, LISTS, given)
        x, n = counts_of_lists(LISTS, given, "cluster")
        refuse_empty("n", n, "cluster")
        return x, n

    def estimate(self, data: Data) -> Floats:
        x, n = data
        return np.asarray(x.sum(axis=-1) / n.sum(axis=-1))

    def mirrored(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        return 1.0 - upper, 1.0 - lower


CLUSTER_DATA = ClusterData(
    data=LISTS,
    sizes=("clusters", "size"),
    size_in_words="number of clusters",
    truths=("truth", "rho"),
    symbols=("p", "ρ"),
    quantity="proportion ",
    support=(0.0, 1.0),
)
