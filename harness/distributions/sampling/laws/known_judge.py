"""The yes of a judge whose error rates are known, which says it of n cases."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Floats, Integers
from harness.distributions.sampling import binomial
from harness.distributions.sampling.law import Law


@dataclass(frozen=True)
class KnownJudge(Law):
    """X ~ Binomial(n, q), with q = θ se + (1 − θ)(1 − sp) for a share θ of cases that are right.

    q rises with θ as se + sp > 1, so that the law is unimodal in θ, as the binomial one is in q.
    """

    sensitivity: float
    """The probability se of yes to a case that is right."""
    specificity: float
    """The probability sp of no to a case that is wrong."""
    name: ClassVar[str] = "known_judge"

    @property
    def title(self) -> str:
        return f"sensitivity {self.sensitivity:.6g}, specificity {self.specificity:.6g}"

    def yes(self, parameter: npt.ArrayLike) -> Floats:
        """Return q at each share, shape of the shares."""
        share = np.asarray(parameter, np.float64)
        return share * self.sensitivity + (1.0 - share) * (1.0 - self.specificity)

    def draw(
        self,
        parameter: npt.ArrayLike,
        size: float,
        rng: np.random.Generator,
        count: int | None = None,
    ) -> Integers:
        """Draw one outcome for each share, or ``count`` outcomes for a single share."""
        return binomial.draw(self.yes(parameter), size, rng, count)

    def mean(self, parameter: Floats, size: float) -> Floats:
        """Return n q."""
        return size * self.yes(parameter)

    def variance(self, parameter: Floats, size: float) -> Floats:
        """Return n q (1 − q)."""
        q = self.yes(parameter)
        return size * q * (1.0 - q)

    def window(self, low: float, high: float, size: float) -> tuple[int, int]:
        """The outcomes that count at any share in [low, high]."""
        first, last = self.yes([low, high]).tolist()
        return binomial.window(first, last, size)

    def probabilities(self, parameter: Floats, size: float, first: int, last: int) -> Floats:
        """Pr(X = x) at each share for x = first, …, last; shape (t, last − first + 1)."""
        q = self.yes(parameter)[:, np.newaxis]
        return binomial.pmf(np.arange(first, last + 1), q, size)
