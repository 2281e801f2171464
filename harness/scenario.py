"""What the engines work on: a scenario, and the limits of every method at its outcomes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from harness.errors import HarnessError
from harness.families.catalogue import family_of
from harness.families.data import MOST
from harness.families.family import Data, Model
from harness.numerics.arrays import Bools, Floats, Integers, Positions
from harness.truths import PairTruth, Truth


@dataclass(frozen=True)
class Column:
    """One method at one alpha: a row of the limits."""

    method: str
    """The label of the method."""
    side: str
    alpha: float
    place: int = 0
    """Where it stands among all columns of the tables."""


@dataclass(frozen=True)
class SingleScenario:
    """One size with one truth."""

    family: str
    size: float
    """n, a whole number; or an exposure."""
    truth: Truth

    @property
    def sizes(self) -> tuple[float, ...]:
        return (self.size,)

    @property
    def model(self) -> Model:
        """The model of the sample."""
        return family_of(self.family).model

    def counts(self, outcomes: Integers) -> tuple[Integers, ...]:
        """The count of each sample."""
        return (outcomes,)

    def content(self) -> Mapping[str, Any]:
        """What the scenario is, as plain data."""
        return {"family": self.family, "size": self.size, "truth": dict(self.truth.content())}

    def stream(self, seed: int, shard: int) -> np.random.Generator:
        """The generator of one shard, keyed by what the scenario is and by nothing else."""
        return keyed_stream(self.content(), seed, shard)


@dataclass(frozen=True)
class PairScenario:
    """Two sizes with two truths.

    An outcome is one whole number that stands for both counts, x1·stride + x2.
    """

    family: str
    sizes: tuple[float, float]
    truth: PairTruth

    @property
    def model(self) -> Model:
        """The model of each sample."""
        return family_of(self.family).model

    @property
    def stride(self) -> int:
        """One more than the largest x2."""
        largest = self.model.SAMPLING.largest_outcome(self.sizes[1])
        return int(min(largest, MOST)) + 1

    def outcomes(self, first: Integers, second: Integers) -> Integers:
        """The outcomes of these counts."""
        return first * self.stride + second

    def counts(self, outcomes: Integers) -> tuple[Integers, ...]:
        """The count of each sample."""
        first, second = np.divmod(outcomes, self.stride)
        return first, second

    def samples(self) -> tuple[SingleScenario, SingleScenario]:
        """Each sample by itself."""
        name = self.model.NAME
        return (
            SingleScenario(name, self.sizes[0], self.truth.first),
            SingleScenario(name, self.sizes[1], self.truth.second),
        )

    def content(self) -> Mapping[str, Any]:
        """What the scenario is, as plain data."""
        return {
            "family": self.family,
            "sizes": list(self.sizes),
            "truth": dict(self.truth.content()),
        }

    def stream(self, seed: int, shard: int) -> np.random.Generator:
        """The generator of one shard, keyed by what the scenario is and by nothing else."""
        return keyed_stream(self.content(), seed, shard)


Scenario = SingleScenario | PairScenario


def data_of(scenario: Scenario, outcomes: Integers) -> Data:
    """The family's columns at the outcomes, as methods take them."""
    columns: list[Floats] = []
    for count, size in zip(scenario.counts(outcomes), scenario.sizes, strict=True):
        columns += [count.astype(np.float64), np.full(count.size, float(size))]
    return tuple(columns)


def sizes_by_name(scenario: Scenario) -> dict[str, float]:
    """The sizes under the names of the family's columns."""
    return dict(zip(family_of(scenario.family).sizes, scenario.sizes, strict=True))


def keyed_stream(content: Mapping[str, Any], seed: int, shard: int) -> np.random.Generator:
    """A stream of its own for the content and the shard.

    The key is made of fixed-width words, a digest of the content followed by the shard, so that
    adding a size, a method or a worker changes no draw of another scenario.
    """
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    digest = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype=">u4")
    key = (*digest.tolist(), shard >> 32, shard & 0xFFFFFFFF)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=key))


@dataclass(frozen=True)
class Limits:
    """The limits of k columns at m outcomes."""

    outcomes: Integers
    """Ascending and distinct, shape (m,)."""
    lower: Floats
    """Shape (k, m); not a number where a method gave no limits."""
    upper: Floats

    @property
    def length(self) -> Floats:
        return self.upper - self.lower

    @property
    def failed(self) -> Bools:
        """Where a method gave no limits, shape (k, m)."""
        return np.isnan(self.lower)

    def instead(self, lower: float, upper: float) -> Limits:
        """The same with these limits where a method gave none."""
        low, high = (
            np.where(self.failed, lower, self.lower),
            np.where(self.failed, upper, self.upper),
        )
        return Limits(self.outcomes, low, high)

    def places(self, outcomes: Integers) -> Positions:
        """Where the outcomes stand among those of the table.

        Raises:
            HarnessError: one of them is not there, so that nothing is known of its limits.
        """
        index = np.searchsorted(self.outcomes, outcomes)
        missing = np.append(self.outcomes, -1)[index] != outcomes
        if missing.any():
            raise HarnessError(f"no limits are at hand for the outcome {outcomes[missing][0]}")
        return index

    def at(self, outcomes: Integers) -> Limits:
        """The limits at some of the outcomes."""
        index = self.places(outcomes)
        return Limits(outcomes, self.lower[:, index], self.upper[:, index])

    def segments(self) -> list[slice]:
        """Slices over runs of consecutive outcomes."""
        breaks = np.flatnonzero(np.diff(self.outcomes) > 1) + 1
        bounds = [0, *breaks.tolist(), self.outcomes.size]
        return [slice(a, b) for a, b in pairwise(bounds)]


def fractions_of(n: int, count: int) -> Integers:
    """The outcomes x = ⌊n·f + ½⌋ at ``count`` equally spaced f from 0 to 1, without duplicates."""
    steps = np.arange(count, dtype=np.int64)
    return np.unique((2 * n * steps + (count - 1)) // (2 * (count - 1)))
