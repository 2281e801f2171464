"""What the engines work on: a scenario, and the limits of every method at its outcomes."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from harness.numerics.arrays import Floats, Integers
from harness.truths import Truth


@dataclass(frozen=True)
class Column:
    """One method at one alpha: a row of the limits."""

    method: str
    """The label of the method."""
    side: str
    alpha: float


@dataclass(frozen=True)
class Scenario:
    """One size with one truth."""

    family: str
    size: int
    truth: Truth

    def stream(self, seed: int, shard: int) -> np.random.Generator:
        """The generator of one shard, keyed by what the scenario is and by nothing else.

        The key is made of fixed-width words, a digest of family, size and truth followed by the
        shard, so that adding a size, a method or a worker changes no draw of another scenario.
        """
        content = {"family": self.family, "size": self.size, "truth": dict(self.truth.content())}
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
    """Shape (k, m)."""
    upper: Floats

    @property
    def length(self) -> Floats:
        return self.upper - self.lower

    def at(self, outcomes: Integers) -> Limits:
        """The limits at some of the outcomes."""
        index = np.searchsorted(self.outcomes, outcomes)
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
