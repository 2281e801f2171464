"""How many cases and how many labels shares need that a judge reports.

Of a judged share labels are of other cases, as many positives as negatives; of a labelled share
some of the cases have them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.distributions.paired_truths import LabelledTruth
from harness.families.judged import TRUTHS, probabilities_of_yes
from harness.methods.catalogue import find
from harness.planning.cheapest import FEWEST, LARGEST, LabelQuestion


@dataclass(frozen=True)
class JudgeQuestion(LabelQuestion):
    """Of a judged share: n cases, and labels of each kind."""

    @property
    def yes(self) -> list[float]:
        """The probability of each count."""
        return [float(p) for p in probabilities_of_yes([np.array(self.given[t]) for t in TRUTHS])]

    def data(self, uniform: Floats, n: int, labels: int) -> tuple[Floats, ...]:
        from scipy.stats import binom  # 0.6 s, which no other question needs

        columns: list[Floats] = []
        for u, size, p in zip(uniform, (n, labels, labels), self.yes, strict=True):
            columns += [binom.ppf(u, size, p), np.full(u.size, float(size))]
        return tuple(columns)

    def price(self, n: int, labels: int) -> float:
        """Return the cost of n cases and of so many labels of each kind, in that of a case."""
        return n + 2 * self.cost * labels

    def usual_labels(self) -> float:
        """Return the labels of each kind at the least cost by the delta method.

        The half-width is z √(A/n + B/m)/(se + sp − 1), with A = q(1 − q) of the cases and
        B = θ² se(1 − se) + (1 − θ)² sp(1 − sp) of the labels. With the cost n + 2c m it is reached
        most cheaply with m = z² (√A + √(2cB)) √(B/(2c))/(half-width · (se + sp − 1))².
        """
        share, se, sp = (self.given[name] for name in TRUTHS)
        q, both = self.yes[0], 2 * self.cost
        of_labels = share**2 * se * (1 - se) + (1 - share) ** 2 * sp * (1 - sp)
        reach = self.deviation * (se + sp - 1)
        total = math.sqrt(q * (1 - q)) + math.sqrt(both * of_labels)
        return total * math.sqrt(of_labels / both) / reach**2

    def sizes(self, n: int, labels: int) -> tuple[int, ...]:
        return n, labels, labels

    @property
    def assumes(self) -> str:
        return f"a label at {self.cost:g} times the cost of a case, as many of each kind"


_BESIDE = "ppi_plus"
"""A closed form with nearly the widths of the posterior, which takes a millisecond each."""


@dataclass(frozen=True)
class LabelledQuestion(LabelQuestion):
    """Of a labelled share: cases with a verdict alone, and cases with a label too."""

    counts: ClassVar[int] = 4

    @property
    def cells(self) -> list[float]:
        """The probabilities of right and yes, right and no, wrong and yes, wrong and no."""
        truth = LabelledTruth(*((self.given[name],) for name in TRUTHS))
        return [float(p) for p in truth.cells(0)]

    def data(self, uniform: Floats, n: int, labels: int) -> tuple[Floats, ...]:
        from scipy.stats import binom

        cells, left, rest = self.cells, np.full(uniform.shape[1], float(labels)), 1.0
        table: list[Floats] = []
        for u, p in zip(uniform, cells[:3], strict=False):
            drawn = np.clip(binom.ppf(u, left, min(p / rest, 1.0) if rest > 0 else 0.0), 0.0, left)
            table.append(drawn)
            left, rest = left - drawn, rest - p
        yes = binom.ppf(uniform[3], n, min(cells[0] + cells[2], 1.0))
        return np.stack((*table, left), axis=1), np.stack((yes, n - yes), axis=1)

    def price(self, n: int, labels: int) -> float:
        """Return the cost of n cases without and of others with a label, in that of a case."""
        return n + labels * (1.0 + self.cost)

    def _variances(self) -> tuple[float, float]:
        """A = (a − b)² q(1 − q) of all cases, B = q a(1 − a) + (1 − q) b(1 − b) of labelled ones.

        a and b are the shares that are right given the judge's yes and its no.
        """
        right_yes, right_no, wrong_yes, wrong_no = self.cells
        q = right_yes + wrong_yes
        a, b = (
            right / total if total > 0 else 0.5
            for right, total in ((right_yes, q), (right_no, right_no + wrong_no))
        )
        return (a - b) ** 2 * q * (1 - q), q * a * (1 - a) + (1 - q) * b * (1 - b)

    def usual_labels(self) -> float:
        """Return the labelled cases m at the least cost by the variances of large samples.

        The half-width is z √(A/N + B/m) with N cases in all. With the cost N + c m it is reached
        most cheaply with m = z² (√A + √(cB)) √(B/c)/half-width², or with no others where that is
        above N.
        """
        of_all, of_labels = self._variances()
        total = math.sqrt(of_all) + math.sqrt(self.cost * of_labels)
        most = (of_all + of_labels) / self.deviation**2
        return min(total * math.sqrt(of_labels / self.cost) / self.deviation**2, most)

    def usual_cases(self, labels: int) -> int:
        of_all, of_labels = self._variances()
        left = self.deviation**2 - of_labels / labels
        return LARGEST if left <= 0 else max(math.ceil(of_all / left) - labels, FEWEST)

    def chosen_from(self) -> Self:
        """Return the question of a closed form, with its width where this method has the target."""
        if self.method.category != "Bayes":
            return self
        method, labels = find(self.family, _BESIDE), math.ceil(self.usual_labels())
        cases = min(self.usual_cases(labels), LARGEST)
        ratio = replace(self, method=method).width(cases, labels)[0] / self.width(cases, labels)[0]
        return replace(self, method=method, target=ratio * self.target)

    def sizes(self, n: int, labels: int) -> tuple[int, ...]:
        return labels, n

    @property
    def assumes(self) -> str:
        cost = f"a label at {self.cost:g} times the cost of a case"
        return f"cases that are labelled at random, {cost}"
