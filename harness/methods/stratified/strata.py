"""The strata of m outcomes, as methods read them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Self

import numpy as np

from harness.families.stratified import weighted_mean, weights
from harness.numerics.arrays import Floats, Positions


@dataclass(frozen=True)
class Strata:
    """Counts by outcome and stratum, shape (m, S) each.

    A stratum that an outcome does not have is a stratum of weight 0, with no success in one case of
    each sample.
    """

    x1: Floats
    n1: Floats
    x2: Floats
    n2: Floats
    weight: Floats
    """The Mantel-Haenszel weights w = n₁n₂/(n₁ + n₂)."""
    share: Floats
    """The weights divided by their sum."""

    @classmethod
    def of(cls, data: tuple[Floats, ...]) -> Self:
        """The strata of outcomes.

        Args:
            data: x₁, n₁, x₂ and n₂, shape (m, S) each; strata of no cases do not count.
        """
        there = (data[1] > 0) & (data[3] > 0)
        x1, n1, x2, n2 = (
            np.where(there, column, other)
            for column, other in zip(data, (0.0, 1.0, 0.0, 1.0), strict=True)
        )
        weight = weights(data[1], data[3])
        return cls(x1, n1, x2, n2, weight, weight / weight.sum(axis=1, keepdims=True))

    def at(self, index: Positions | slice) -> Self:
        """The outcomes at ``index``."""
        return type(self)(*(getattr(self, each.name)[index] for each in fields(self)))

    @property
    def swapped(self) -> Self:
        """The strata with the samples exchanged."""
        return type(self)(self.x2, self.n2, self.x1, self.n1, self.weight, self.share)

    def sum(self, values: Floats) -> Floats:
        """Σ v, shape (m,), over the strata that count."""
        return np.asarray(np.where(self.weight > 0, values, 0.0).sum(axis=1))

    @property
    def estimate(self) -> Floats:
        """D = Σ w (p̂₁ − p̂₂)/Σ w, shape (m,), exact where the strata have one difference."""
        return weighted_mean(self.weight, self.x1 / self.n1 - self.x2 / self.n2)

    @property
    def distance(self) -> Floats:
        """D + 1, shape (m,), likewise."""
        apart = self.x1 / self.n1 + (self.n2 - self.x2) / self.n2
        return np.clip(weighted_mean(self.weight, apart), 0.0, 2.0)
