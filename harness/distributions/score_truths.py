"""Where the true areas under the ROC curve come from: binormal scores, rounded or not.

The scores of negatives are normal with mean 0 and standard deviation 1, those of positives with
mean μ and standard deviation σ, so that AUC = Φ(μ/√(1 + σ²)). Given AUC and σ, μ follows.

With a number k of levels each score is rounded to the nearest of k equally spaced levels from
m − 2s to m + 2s, with the mean m and the standard deviation s of the law of a case that is a
positive or a negative with probability ½ each; scores beyond the ends get the outermost levels. The
true value is then the AUC of the rounded scores, Pr(X > Y) + ½ Pr(X = Y), computed from the normal
probabilities of the levels: it is what data of these scores estimate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri

from harness.base.numerics.arrays import Floats
from harness.distributions.truths import CrossedTruth


@dataclass(frozen=True)
class Binormal:
    """The law of one score.

    >>> round(Binormal(0.8, 1.0, None).area(), 12), round(Binormal(0.8, 1.0, 5).area(), 4)
    (0.8, 0.7753)
    """

    auc: float
    """The area under the curve of the scores before they are rounded, in (0, 1)."""
    sd: float
    """σ, above 0."""
    levels: int | None
    """k, 2 or more; None for scores that are not rounded."""

    @property
    def mean(self) -> float:
        """μ = √(1 + σ²) Φ⁻¹(AUC)."""
        return float(np.sqrt(1.0 + self.sd**2) * ndtri(self.auc))

    def area(self) -> float:
        """The true AUC of the scores as they are drawn."""
        if self.levels is None:
            return self.auc
        first, step = self._scale(self.levels)
        edges = first + step * (np.arange(self.levels - 1) + 0.5)
        positive, negative = (
            np.diff(ndtr(deviates), prepend=0.0, append=1.0)
            for deviates in ((edges - self.mean) / self.sd, edges)
        )
        below = np.cumsum(negative) - 0.5 * negative
        return float(positive @ below)

    def scores(self, positives: Floats, negatives: Floats) -> tuple[Floats, Floats]:
        """Return the scores of cases with these standard normal deviates; levels as 0 … k − 1."""
        drawn = self.mean + self.sd * positives, negatives
        if self.levels is None:
            return drawn
        first, step = self._scale(self.levels)
        last = self.levels - 1
        positives, negatives = (np.clip(np.rint((x - first) / step), 0, last) for x in drawn)
        return positives, negatives

    def _scale(self, levels: int) -> tuple[float, float]:
        """The first level, and the distance of two levels."""
        s = float(np.sqrt(0.5 * (1.0 + self.sd**2) + 0.25 * self.mean**2))
        return 0.5 * self.mean - 2.0 * s, 4.0 * s / (levels - 1)


@dataclass(frozen=True)
class _BinormalTruth(CrossedTruth):
    """Parts of the laws of binormal scores, crossed."""

    levels: int | None = field(default=None, kw_only=True)

    def content(self) -> Mapping[str, Any]:
        """The truth as plain data, as random streams are keyed by it."""
        content = super().content()
        return content if self.levels is None else {**content, "levels": self.levels}


@dataclass(frozen=True)
class ScoreTruth(_BinormalTruth):
    """Areas and ratios σ of the standard deviations of positives and negatives, crossed.

    >>> ScoreTruth((0.8, 0.9), (1.0, 2.0)).values[0].tolist()
    [0.8, 0.8, 0.9, 0.9]
    """

    auc: tuple[float, ...]
    """Ascending and distinct, in (0, 1)."""
    sd_ratio: tuple[float, ...] = (1.0,)
    """Ascending and distinct, above 0."""

    def law(self, number: int) -> Binormal:
        """Return the law of the score at a listed truth."""
        auc, sd = (values[number] for values in self.crossed)
        return Binormal(float(auc), float(sd), self.levels)

    @property
    def values(self) -> tuple[Floats, Floats]:
        """The true AUC and the ratio of each pair, shape (count,) each."""
        areas = [self.law(number).area() for number in range(self.count)]
        return np.array(areas), self.crossed[1]

    def draw(
        self, number: int, shapes: Sequence[tuple[int, int]], rng: np.random.Generator
    ) -> tuple[Floats, ...]:
        """Return scores of positives and of negatives, in arrays of these two shapes."""
        positives, negatives = (rng.standard_normal(shape) for shape in shapes)
        return self.law(number).scores(positives, negatives)


@dataclass(frozen=True)
class PairedScoreTruth(_BinormalTruth):
    """Areas of two scores and the correlation of both scores of a case of one class, crossed.

    All standard deviations are 1 before scores are rounded.

    >>> PairedScoreTruth((0.9,), (0.8,), (0.0, 0.5)).values[0].tolist()
    [0.1, 0.1]
    """

    auc1: tuple[float, ...]
    """Ascending and distinct, in (0, 1)."""
    auc2: tuple[float, ...]
    correlation: tuple[float, ...]
    """Ascending and distinct, in [−1, 1]; of the scores before they are rounded."""

    def laws(self, number: int) -> tuple[Binormal, Binormal]:
        """Return the laws of both scores at a listed truth."""
        first, second = (
            Binormal(float(areas[number]), 1.0, self.levels) for areas in self.crossed[:2]
        )
        return first, second

    @property
    def values(self) -> tuple[Floats, ...]:
        """AUC1 − AUC2, AUC2 and the correlation of each triple, shape (count,) each."""
        areas = [[law.area() for law in self.laws(number)] for number in range(self.count)]
        first, second = np.array(areas).T
        # 0.9 − 0.8 is 0.09999999999999998 in doubles.
        return np.round(first - second, 15), second, self.crossed[2]

    def draw(
        self, number: int, shapes: Sequence[tuple[int, int]], rng: np.random.Generator
    ) -> tuple[Floats, ...]:
        """Return first scores of positives and negatives, then second scores of the same cases."""
        r = float(self.crossed[2][number])
        first = [rng.standard_normal(shape) for shape in shapes]
        rest = [np.sqrt(1.0 - r * r) * rng.standard_normal(shape) for shape in shapes]
        second = [r * shared + own for shared, own in zip(first, rest, strict=True)]
        law1, law2 = self.laws(number)
        return *law1.scores(*first), *law2.scores(*second)
