"""A proportion of clustered cases: counts x of n in each cluster, whose cases are alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.families.combination import Span
from harness.families.family import CLUSTERS, Data
from harness.families.list_counts import counts_of_lists, refuse_empty
from harness.families.lists import validate_names
from harness.numerics.arrays import Floats

NAME = "clustered_proportion"
LISTS = ("x", "n")


@dataclass(frozen=True)
class ClusterData:
    """Counts and sizes of clusters, shape (m, C); a cluster of 0 cases is not there."""

    @property
    def design(self) -> str:
        return CLUSTERS

    @property
    def data(self) -> tuple[str, ...]:
        return LISTS

    @property
    def options(self) -> tuple[str, ...]:
        return LISTS

    @property
    def sizes(self) -> tuple[str, ...]:
        return "clusters", "size"

    @property
    def size_in_words(self) -> str:
        return "number of clusters"

    @property
    def truths(self) -> tuple[str, ...]:
        return "truth", "rho"

    @property
    def symbols(self) -> tuple[str, ...]:
        return "p", "ρ"

    @property
    def quantity(self) -> str:
        return "proportion "

    @property
    def support(self) -> Span:
        return 0.0, 1.0

    @property
    def exact_engine(self) -> str | None:
        return None

    @property
    def counts_are_whole(self) -> bool:
        return True

    def validate(self, given: Mapping[str, npt.ArrayLike]) -> Data:
        validate_names(NAME, LISTS, given)
        x, n = counts_of_lists(LISTS, given, "cluster")
        refuse_empty("n", n, "cluster")
        return x, n

    def columns(self, lists: Sequence[Floats]) -> Data:
        return tuple(lists)

    def estimate(self, data: Data) -> Floats:
        x, n = data
        return np.asarray(x.sum(axis=-1) / n.sum(axis=-1))

    def mirrored(self, lower: Floats, upper: Floats) -> tuple[Floats, Floats] | None:
        return 1.0 - upper, 1.0 - lower
