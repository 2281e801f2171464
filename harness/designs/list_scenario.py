"""Scenarios of lists: a trial draws a whole data set, as an array of a row for each trial.

A subclass for each design says how a data set arises at a true value.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from harness.base.errors import HarnessError
from harness.base.numerics.arrays import Floats, Integers
from harness.callers.source import Observed
from harness.designs.scenario import Draws, SingleScenario, keyed_stream
from harness.distributions.list_truths import ClusterTruth, ListTruth, RunTruth, StratumTruth
from harness.distributions.sampling.laws.clusters import draw_clusters
from harness.families.catalogue import family_of
from harness.families.family import Model
from harness.families.stratified import weighted_mean, weights

NUMBERS_AT_ONCE = 1 << 20
"""The most numbers of a list of all trials that are drawn together."""


@dataclass(frozen=True)
class ListScenario:
    """One size with its truths. Its only outcome is 0, which stands for every data set."""

    family: str
    size: Any
    """k; the number and the size of clusters; or the sizes of both samples in each stratum."""
    truth: ListTruth

    @property
    @abstractmethod
    def sizes(self) -> tuple[float, ...]:
        """The sizes as the tables have them."""

    @property
    @abstractmethod
    def width(self) -> int:
        """The number of numbers in each list."""

    @abstractmethod
    def true_values(self) -> tuple[Floats, ...]:
        """Return the columns of the true values, the parameter first, shape (t,) each."""

    @abstractmethod
    def draw_lists(self, number: int, trials: int, rng: np.random.Generator) -> tuple[Floats, ...]:
        """Draw data sets at one listed truth: its lists, shape (trials, width) each."""

    def draw_observed(
        self, number: int, trials: int, rng: np.random.Generator
    ) -> Iterator[Observed]:
        """Yield the data sets of trials at one listed truth, some at once."""
        at_once = max(1, NUMBERS_AT_ONCE // self.width)
        for start in range(0, trials, at_once):
            lists = self.draw_lists(number, min(at_once, trials - start), rng)
            yield Observed(self.family, self.sizes, lists)

    @property
    def law(self) -> None:
        """None: the design says how data sets arise."""

    @property
    def sampling_title(self) -> str | None:
        return None

    @property
    def model(self) -> Model:
        return family_of(self.family).model

    @property
    def outcome_count(self) -> float:
        return 1.0

    @property
    def trials_unit(self) -> int:
        return 1

    def samples(self) -> tuple[SingleScenario, ...]:
        """None: the data are no counts of independent samples."""
        return ()

    def listed_truths(self) -> tuple[Integers | Floats, Floats]:
        return np.arange(self.truth.count), self.true_values()[0]

    def truths_of(self, keys: Integers | Floats) -> tuple[Floats, ...]:
        numbers = keys.astype(np.int64)
        return tuple(each[numbers] for each in self.true_values())

    def named_counts(self, outcomes: Integers) -> dict[str, Integers]:
        return {}

    def content(self) -> Mapping[str, Any]:
        size = np.asarray(self.size).tolist()
        return {"family": self.family, "size": size, "truth": dict(self.truth.content())}

    def stream(self, seed: int, shard: int) -> np.random.Generator:
        return keyed_stream(self.content(), seed, shard)

    def outcomes(self, *counts: Integers) -> Integers:
        self._refuse()

    def counts(self, outcomes: Integers) -> tuple[Integers, ...]:
        self._refuse()

    def distribution_weights(self, outcomes: Integers) -> Floats:
        self._refuse()

    def implied_posterior(self, outcomes: Integers) -> Any:
        self._refuse()

    def draw(self, trials: int, rng: np.random.Generator) -> Draws:
        self._refuse()

    def draw_truths(self, trials: int, rng: np.random.Generator) -> tuple[Floats, ...]:
        self._refuse()

    def draw_outcomes(self, truths: Sequence[Floats], rng: np.random.Generator) -> Integers:
        self._refuse()

    def draw_at(
        self, index: int, trials: int, rng: np.random.Generator
    ) -> tuple[Integers, Integers]:
        self._refuse()

    def beside(self, truths: Sequence[float], step: float) -> tuple[float, ...]:
        self._refuse()

    def with_truths(self, truths: Sequence[float]) -> ListScenario:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise HarnessError(f"the data of {self.family} are no outcomes that can be numbered")


@dataclass(frozen=True)
class RunScenario(ListScenario):
    """k runs, whose values are drawn from one law."""

    truth: RunTruth

    @property
    def sampling_title(self) -> str:
        return self.truth.law.title

    @property
    def sizes(self) -> tuple[float, ...]:
        return (float(self.size),)

    @property
    def width(self) -> int:
        return int(self.size)

    def true_values(self) -> tuple[Floats, ...]:
        return (np.array([self.truth.law.mean]),)

    def draw_lists(self, number: int, trials: int, rng: np.random.Generator) -> tuple[Floats, ...]:
        return (self.truth.law.draw(rng, (trials, self.width)),)


@dataclass(frozen=True)
class ClusterScenario(ListScenario):
    """Clusters of one size, each with a probability of its own from a Beta distribution."""

    truth: ClusterTruth

    @property
    def sizes(self) -> tuple[float, ...]:
        clusters, size = self.size
        return float(clusters), float(size)

    @property
    def width(self) -> int:
        return int(self.size[0])

    def true_values(self) -> tuple[Floats, ...]:
        return self.truth.values

    def draw_lists(self, number: int, trials: int, rng: np.random.Generator) -> tuple[Floats, ...]:
        p, rho = (np.full(trials, each[number]) for each in self.truth.values)
        return draw_clusters(p, rho, self.width, int(self.size[1]), rng)


@dataclass(frozen=True)
class StratumScenario(ListScenario):
    """Two samples in each stratum, all independent."""

    truth: StratumTruth

    @property
    def of_strata(self) -> tuple[Floats, Floats]:
        """The sizes of both samples in each stratum, shape (S,) each."""
        first, second = self.size
        return np.array(first, np.float64), np.array(second, np.float64)

    @property
    def sizes(self) -> tuple[float, ...]:
        first, second = self.of_strata
        return float(first.sum()), float(second.sum())

    @property
    def width(self) -> int:
        return len(self.size[0])

    def true_values(self) -> tuple[Floats, ...]:
        if self.truth.differences is not None:
            return self.truth.values
        first, second = (np.array(each) for each in zip(*self.truth.tables, strict=True))
        return (weighted_mean(weights(*self.of_strata), first - second),)

    def draw_lists(self, number: int, trials: int, rng: np.random.Generator) -> tuple[Floats, ...]:
        drawn: list[Floats] = []
        for p, n in zip(self.truth.tables[number], self.of_strata, strict=True):
            shape = trials, n.size
            x = rng.binomial(n.astype(np.int64), np.array(p), shape).astype(np.float64)
            drawn += [x, np.broadcast_to(n, shape)]
        return tuple(drawn)
