"""Where the true values of a family of lists come from: always finitely many.

The values of the k runs of an outcome are independent draws from one law (`list_laws`). The mean of
the law is the true value that an interval of their mean is for; intervals of a median, or of
another quantile, are for that of the law. The true values of pass@k and pass^k are moments of the
law of the probabilities of tasks.

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
from harness.distributions.list_laws import NormalRuns, RunsTruth, TasksLaw
from harness.distributions.paired_truths import LabelledTruth
from harness.distributions.score_truths import PairedScoreTruth, ScoreTruth
from harness.distributions.truths import CrossedTruth

MEAN, MEDIAN, QUANTILE = "mean", "median", "quantile"
"""What may be estimated of the law of a run, as a config writes it: with `QUANTILE` a mapping."""


@dataclass(frozen=True)
class LawTruth:
    """One law of what differs between the runs, or the tasks."""

    law: Any
    is_discrete: ClassVar[Literal[True]] = True
    count: ClassVar[int] = 1
    """The number of true values."""

    def content(self) -> Mapping[str, Any]:
        """The law as plain data, as random streams are keyed by it: draws are for any estimand."""
        content: Mapping[str, Any] = self.law.content()
        return content


@dataclass(frozen=True)
class RunTruth(LawTruth):
    """One law of the values of runs, of which the mean or a quantile is estimated.

    >>> from harness.distributions.list_laws import GammaRuns
    >>> RunTruth(GammaRuns(1.0, 1.0, 2.0), 0.5).estimand
    {'estimand': 'median'}
    """

    law: RunsTruth
    quantile: float | None = None
    """The probability of the quantile that is estimated, in (0, 1); None for the mean."""

    @property
    def values(self) -> tuple[Floats]:
        """The mean or the quantile of the law, shape (1,)."""
        p = self.quantile
        return (np.array([self.law.mean if p is None else self.law.quantile(p)]),)

    @property
    def has_closed_form(self) -> bool:
        """Whether the law is normal, and its mean estimated."""
        return self.law.is_normal and self.quantile is None

    @property
    def estimand(self) -> Mapping[str, Any]:
        """What is estimated, as a config writes it; empty of a mean."""
        return {} if self.quantile is None else {"estimand": written_estimand(self.quantile)}


def written_estimand(quantile: float | None) -> str | dict[str, float]:
    """Return what is estimated of a law as a config writes it.

    >>> written_estimand(None), written_estimand(0.5), written_estimand(0.9)
    ('mean', 'median', {'quantile': 0.9})
    """
    if quantile is None:
        return MEAN
    return MEDIAN if quantile == 0.5 else {QUANTILE: quantile}


@dataclass(frozen=True)
class TaskTruth(LawTruth):
    """One law of the probabilities of tasks."""

    law: TasksLaw


@dataclass(frozen=True)
class ClusterTruth(CrossedTruth):
    """Proportions p and correlations ρ within a cluster, crossed.

    >>> ClusterTruth((0.5, 0.8), (0.0, 0.1, 0.2)).count
    6
    """

    p: tuple[float, ...]
    """Proportions, in [0, 1]."""
    rho: tuple[float, ...]
    """Correlations of two cases of a cluster, in [0, 1)."""


Strata = tuple[float, ...]
"""A probability for each stratum."""


@dataclass(frozen=True)
class StratumTruth:
    """Probabilities in each stratum of both samples: finitely many, with equal weights."""

    tables: tuple[tuple[Strata, Strata], ...]
    """p1 and p2 of each true value, in its strata."""
    differences: tuple[float, ...] | None = None
    """p1 − p2 of each true value, where it is the same in all strata."""
    is_discrete: ClassVar[Literal[True]] = True

    @classmethod
    def of_differences(cls, second: Strata, differences: tuple[float, ...]) -> StratumTruth:
        """Return the truths with one difference p1 − p2 in all strata.

        Raises:
            InputError: a probability p1 = p2 + difference is outside 0 … 1.
        """
        tables = []
        for difference in differences:
            first = []
            for p in second:
                p1 = p + difference
                # 0.7 + 0.3 − 1 may round to a little more than 0.
                if abs(p1 - round(p1)) < 1e-12:
                    p1 = float(round(p1))
                if not 0.0 <= p1 <= 1.0:
                    raise InputError(
                        f"expected p1 = p2 + difference from 0 to 1 in every stratum, found "
                        f"{p:.6g} + {difference:.6g} = {p1:.6g}"
                    )
                first.append(p1)
            tables.append((tuple(first), second))
        return cls(tuple(tables), tuple(differences))

    @property
    def count(self) -> int:
        """The number of true values."""
        return len(self.tables)

    @property
    def values(self) -> tuple[Floats]:
        """The mean difference over the strata, shape (count,).

        The parameter of a scenario weights the strata by their sizes; the two are the same where
        all strata have one difference.
        """
        if self.differences is not None:
            return (np.array(self.differences),)
        first, second = (np.array(column) for column in zip(*self.tables, strict=True))
        return ((first - second).mean(axis=1),)

    @property
    def strata(self) -> int:
        """The number of strata."""
        return len(self.tables[0][0])

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        return {"tables": [[list(first), list(second)] for first, second in self.tables]}


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

    >>> from harness.distributions.list_laws import BetaRuns
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


ListTruth = (
    RunTruth
    | TaskTruth
    | ClusterTruth
    | StratumTruth
    | ClusteredScoreTruth
    | ScoreTruth
    | PairedScoreTruth
    | LabelledTruth
)
"""Where the true values of a family of lists come from."""
