"""Where the true values of scores in clusters come from: a law of the scores, and correlations.

Two scores of a cluster have the correlation ρ, and each score has the law. Normal scores are

    y = mean + √ρ (z_c − mean) + √(1 − ρ) (z − mean)

of independent values z_c of the cluster and z of the case. Of every other law a case takes the
common value of its cluster with probability √ρ, and a value of its own otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.distributions.list_truths import ListTruth, NormalRuns, RunsTruth


def draw_scores(
    law: RunsTruth, rho: float, cluster: Integers, trials: int, rng: np.random.Generator
) -> Floats:
    """Return scores in clusters, shape (trials, N).

    Args:
        law: of a score.
        rho: the correlation ρ of two scores of a cluster, in [0, 1).
        cluster: the place of the cluster of each case, from 0 on, shape (N,).
        trials: the number of data sets.
        rng: the source of randomness.
    """
    own = law.draw(rng, (trials, cluster.size))
    if rho == 0:
        return own
    common = law.draw(rng, (trials, int(cluster.max()) + 1))[:, cluster]
    if law.is_normal:
        root = math.sqrt(rho)
        return law.mean + root * (common - law.mean) + math.sqrt(1.0 - rho) * (own - law.mean)
    return np.where(rng.random(own.shape) < math.sqrt(rho), common, own)


def cluster_sizes(clusters: int, size: int, largest_share: float | None) -> Integers:
    """Return the sizes of clusters with ``size`` cases on average, shape (clusters,).

    Args:
        clusters: C, 2 or more where a share is given.
        size: the mean size.
        largest_share: the share of the cases that the first cluster holds, rounded to a whole
            number; the others share the rest evenly, and have a case each at least. None for
            clusters of one size.

    >>> cluster_sizes(5, 10, 0.3).tolist()
    [15, 9, 9, 9, 8]
    """
    if largest_share is None:
        return np.full(clusters, size)
    cases = clusters * size
    largest = min(max(math.floor(largest_share * cases + 0.5), 1), cases - clusters + 1)
    rest, more = divmod(cases - largest, clusters - 1)
    others = rest + (np.arange(clusters - 1) < more)
    return np.concatenate(([largest], others))


@dataclass(frozen=True)
class ClusteredScoreTruth:
    """A law of scores with correlations ρ within a cluster, which have equal weights.

    >>> from harness.distributions.list_truths import BetaRuns
    >>> ClusteredScoreTruth(BetaRuns(9, 1), (0.0, 0.1)).values
    (array([0.9, 0.9]), array([0. , 0.1]))
    """

    law: RunsTruth
    rho: tuple[float, ...]
    """Ascending and distinct, in [0, 1)."""
    largest_share: float | None = None
    """The share of the cases in the largest cluster, in (0, 1); None for clusters of one size."""
    is_discrete: ClassVar[Literal[True]] = True

    @property
    def laws(self) -> Mapping[str, RunsTruth]:
        """The laws of the scores by their keys in a config."""
        return {"scores": self.law}

    @property
    def mean(self) -> float:
        """The mean that is estimated."""
        return self.law.mean

    @property
    def sd(self) -> float:
        """The standard deviation of what is averaged, where all laws are normal."""
        return math.hypot(*(law.sd for law in self.laws.values() if isinstance(law, NormalRuns)))

    @property
    def count(self) -> int:
        """The number of true values: one for each correlation."""
        return len(self.rho)

    @property
    def values(self) -> tuple[Floats, Floats]:
        """The mean and ρ of each true value, shape (count,) each."""
        return np.full(self.count, self.mean), np.array(self.rho)

    @property
    def title(self) -> str:
        """The laws and the sizes of clusters, for tables and figures."""
        laws = " less ".join(law.title.replace("runs", "scores") for law in self.laws.values())
        if self.largest_share is None:
            return laws
        return f"{laws}; {100 * self.largest_share:g} % of the cases in one cluster"

    def draw(
        self, number: int, sizes: Integers, trials: int, rng: np.random.Generator
    ) -> tuple[Floats, ...]:
        """Return lists of scores and the cluster of each case, shape (trials, N) each.

        Args:
            number: of the true value.
            sizes: of the clusters, shape (C,).
            trials: the number of data sets.
            rng: the source of randomness.
        """
        cluster = np.repeat(np.arange(sizes.size), sizes)
        lists = [
            draw_scores(law, self.rho[number], cluster, trials, rng) for law in self.laws.values()
        ]
        return (*lists, np.broadcast_to(cluster.astype(np.float64), lists[0].shape))

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        share = {} if self.largest_share is None else {"largest_share": self.largest_share}
        laws = {name: law.content() for name, law in self.laws.items()}
        return {**laws, "rho": {"values": list(self.rho)}, **share}


@dataclass(frozen=True)
class ClusteredPairTruth(ClusteredScoreTruth):
    """Laws of the scores of two systems, of which the mean difference first − second is estimated.

    The scores of the two are independent of each other, and both have the correlation ρ within a
    cluster, which then is that of two differences too where both laws are normal. What the scores
    of a case have in common cancels in the difference.
    """

    second: RunsTruth = None  # type: ignore[assignment]
    """The law of the second system; ``law`` is that of the first."""

    @property
    def laws(self) -> Mapping[str, RunsTruth]:
        """The laws of the scores by their keys in a config."""
        return {"first": self.law, "second": self.second}

    @property
    def mean(self) -> float:
        """The mean difference."""
        return self.law.mean - self.second.mean


def refuse_share(clusters: int, largest_share: float | None) -> None:
    """Refuse a share of the largest cluster that is below that of clusters of one size.

    Raises:
        InputError: there is such a share.
    """
    if largest_share is not None and largest_share * clusters < 1.0 - 1e-9:
        raise InputError(
            f"largest_share should be at least 1/{clusters}, the share of each of {clusters} "
            f"clusters of one size, found {largest_share:g}"
        )


AnyListTruth = ListTruth | ClusteredScoreTruth
"""Where the true values of a family of lists come from, those of clustered scores included."""
