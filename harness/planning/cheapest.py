"""The cheapest numbers of cases and of labels with which intervals have an expected width.

The expected width is a mean over drawn data sets, whose uniform numbers are the same at all sizes,
so that it falls with each of them. Of a judged share labels are of other cases, as many positives
as negatives; of a labelled share some of the cases have them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import ndtri

from harness.base.arguments import validate_number
from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.distributions.paired_truths import LabelledTruth
from harness.families.family import Family, validate_names
from harness.families.judged import TRUTHS, probabilities_of_yes
from harness.methods.catalogue import find
from harness.methods.method import TWO_SIDED, Method
from harness.planning.arguments import COST
from harness.planning.drawn import tables_by_inversion
from harness.planning.goals import Tried, Width, curve_about
from harness.planning.lists import SEED, number_in_range, planned_method

DATA_SETS = 1024
"""Data sets that are drawn at each pair of sizes."""
LARGEST, FEWEST = 10**6, 2
_STEPS = 12


@dataclass(frozen=True)
class LabelQuestion(ABC):
    """Which cases and labels have intervals of an expected width at the least cost?"""

    family: Family
    method: Method
    alpha: float
    goal: Width
    given: Mapping[str, float]
    """The share, the sensitivity and the specificity."""
    cost: float
    """The cost of a label over that of a case."""
    count: int = DATA_SETS
    tried: Tried = field(default_factory=Tried, repr=False, compare=False)

    counts: ClassVar[int] = 3
    """How many counts a data set has, each from a uniform number."""

    @abstractmethod
    def data(self, uniform: Floats, n: int, labels: int) -> tuple[Floats, ...]:
        """Return data sets as methods take them, from uniform numbers, shape (counts, m)."""

    @abstractmethod
    def price(self, n: int, labels: int) -> float:
        """Return the cost of cases and labels, in that of a case."""

    @abstractmethod
    def usual_labels(self) -> float:
        """Return the labels at the least cost by the variances of large samples."""

    @abstractmethod
    def sizes(self, n: int, labels: int) -> tuple[int, ...]:
        """Return the sizes of the family."""

    @property
    @abstractmethod
    def assumes(self) -> str:
        """What the answer rests on, in words."""

    def usual_cases(self, labels: int) -> int:
        """Return about how many cases have the width beside so many labels."""
        return 16

    @property
    def deviation(self) -> float:
        """The standard error at which an interval of large samples has the width."""
        return self.goal.target * (0.5 / self.goal.share) / -float(ndtri(self.alpha / 2))

    @cached_property
    def _uniform(self) -> Floats:
        return np.random.default_rng(SEED).random((self.counts, self.count))

    def width(self, n: int, labels: int) -> tuple[float, float]:
        """Return the expected width, and its standard error, with so many cases and labels."""
        data = self.data(self._uniform, n, labels)
        lower, upper = self.method.limits(data, self.alpha, TWO_SIDED)
        drawn = (upper - lower) * self.goal.share
        return float(drawn.mean()), float(drawn.std(ddof=1) / math.sqrt(drawn.size))

    def cases(self, labels: int) -> int | None:
        """Return the fewest cases with the width beside so many labels; None where none has."""
        if self.width(LARGEST, labels)[0] > self.goal.target:
            return None
        low, high = 0, min(self.usual_cases(labels), LARGEST)
        while self.width(high, labels)[0] > self.goal.target:
            low, high = high, min(2 * high, LARGEST)
        while low == 0 and high > 1 and self.width(high // 2, labels)[0] <= self.goal.target:
            high //= 2
        low = max(low, high // 2)
        while high - low > 1:
            middle = (low + high) // 2
            if self.width(middle, labels)[0] <= self.goal.target:
                high = middle
            else:
                low = middle
        return high

    def chosen_from(self) -> Self:
        """Return the question by which the number of labels is chosen."""
        return self

    @cached_property
    def cheapest(self) -> tuple[int, int]:
        """The cases and the labels with the least cost.

        Labels from a sixth of the usual ones to six times as many are looked at, then those
        between the neighbours of the best.

        Raises:
            InputError: no number of cases up to 10^6 has the width at any of them.
        """
        choice = self.chosen_from()
        usual = self.usual_labels()
        ladder = np.geomspace(max(usual / 6, FEWEST), min(6 * usual + 60, LARGEST), _STEPS)
        cases: dict[int, int] = {}
        best = 0
        for _ in range(3):
            for labels in np.unique(np.rint(ladder).astype(np.int64)).tolist():
                if labels not in cases and (n := choice.cases(labels)) is not None:
                    cases[labels] = n
            if not cases:
                raise InputError(
                    f"{self.family.name}: no cases and labels up to {LARGEST:,} have the width "
                    f"{self.goal.target:g}"
                )
            best = min(cases, key=lambda labels: self.price(cases[labels], labels))
            tried = sorted(cases)
            place = tried.index(best)
            ends = tried[max(place - 1, 0)], tried[min(place + 1, len(tried) - 1)]
            ladder = np.linspace(*ends, 8)
        if choice is self:
            return cases[best], best
        while (n := self.cases(best)) is None:
            best += math.ceil(best / 100)
        return n, best

    def curve(self, answer: float) -> tuple[Floats, Floats]:
        """Return numbers of cases about an answer, and the expected width beside its labels."""
        n, labels = self.cheapest
        return curve_about(n, lambda number: self.width(number, labels)[0])


def label_question(
    kind: type[LabelQuestion],
    family: Family,
    method: Any,
    alpha: float,
    goal: Width,
    given: Mapping[str, Any],
) -> LabelQuestion:
    """Return the question about cases and labels.

    Args:
        kind: of the question.
        given: the share, sensitivity and specificity, and perhaps ``label_cost``, by default 1.

    Raises:
        InputError: a number is missing, unknown or out of range; or the method is a function, or
            the judge has se + sp of less than 1.2, near which no number of labels suffices.
    """
    chosen = planned_method(family, method)
    cost = given.get(COST, 1.0)
    truths = {name: value for name, value in given.items() if name != COST}
    validate_names(f"size of {family.name}", TRUTHS, truths, "needs")
    numbers = {name: number_in_range(name, value) for name, value in truths.items()}
    validate_number(COST, cost)
    if not 1e-3 <= cost <= 1e3:
        raise InputError(f"{COST} should be a number from 0.001 to 1000, found {cost:g}")
    gain = numbers["sensitivity"] + numbers["specificity"]
    if gain < 1.2:
        raise InputError(
            f"sensitivity and specificity should have a sum of at least 1.2, found {gain:g}: near "
            "1 the judge says nothing of a case"
        )
    return kind(family, chosen, float(alpha), goal, numbers, float(cost))


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

        cells = self.cells
        table = tables_by_inversion(uniform[:3], labels, cells)
        yes = binom.ppf(uniform[3], n, min(cells[0] + cells[2], 1.0))
        return np.stack(table, axis=1), np.stack((yes, n - yes), axis=1)

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
        return replace(
            self, method=method, goal=replace(self.goal, target=ratio * self.goal.target)
        )

    def sizes(self, n: int, labels: int) -> tuple[int, ...]:
        return labels, n

    @property
    def assumes(self) -> str:
        cost = f"a label at {self.cost:g} times the cost of a case"
        return f"cases that are labelled at random, {cost}"
