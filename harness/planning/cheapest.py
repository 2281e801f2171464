"""The cheapest numbers of cases and of labels with which intervals have an expected width.

The expected width is a mean over drawn data sets, whose uniform numbers are the same at all sizes,
so that it falls with each of them.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from scipy.special import ndtri

from harness.base.arguments import validate_number
from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.families.family import Family, validate_names
from harness.families.judged import TRUTHS
from harness.methods.method import TWO_SIDED, Method
from harness.planning.arguments import COST
from harness.planning.lists import SEED, number_in_range, planned_method
from harness.planning.tried import Tried

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
    target: float
    halves: bool
    """Whether the width is a half-width."""
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
        return self.target * (1.0 if self.halves else 0.5) / -float(ndtri(self.alpha / 2))

    @cached_property
    def _uniform(self) -> Floats:
        return np.random.default_rng(SEED).random((self.counts, self.count))

    def width(self, n: int, labels: int) -> tuple[float, float]:
        """Return the expected width, and its standard error, with so many cases and labels."""
        data = self.data(self._uniform, n, labels)
        lower, upper = self.method.limits(data, self.alpha, TWO_SIDED)
        drawn = (upper - lower) * (0.5 if self.halves else 1.0)
        return float(drawn.mean()), float(drawn.std(ddof=1) / math.sqrt(drawn.size))

    def cases(self, labels: int) -> int | None:
        """Return the fewest cases with the width beside so many labels; None where none has."""
        if self.width(LARGEST, labels)[0] > self.target:
            return None
        low, high = 0, min(self.usual_cases(labels), LARGEST)
        while self.width(high, labels)[0] > self.target:
            low, high = high, min(2 * high, LARGEST)
        while low == 0 and high > 1 and self.width(high // 2, labels)[0] <= self.target:
            high //= 2
        low = max(low, high // 2)
        while high - low > 1:
            middle = (low + high) // 2
            if self.width(middle, labels)[0] <= self.target:
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
                    f"{self.target:g}"
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
        numbers = np.unique(np.geomspace(2, 2 * n, 40).round()).astype(np.int64)
        widths = [self.width(number, labels)[0] for number in numbers.tolist()]
        return numbers.astype(np.float64), np.array(widths)


def label_question(
    kind: type[LabelQuestion],
    family: Family,
    method: Any,
    alpha: float,
    target: float,
    halves: bool,
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
    return kind(family, chosen, float(alpha), target, halves, numbers, float(cost))
