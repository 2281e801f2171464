"""How many cases and how many labels a judged share needs: the cheapest pair with a width.

Labels are as many positives as negatives. The expected width is a mean over drawn data sets, whose
uniform numbers are the same at all sizes, so that it falls with each of them.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from scipy.special import ndtri

from harness.base.arguments import validate_number
from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.families.family import Family, validate_names
from harness.families.judged import TRUTHS, probabilities_of_yes
from harness.methods.method import TWO_SIDED, Method
from harness.planning.lists import SEED, planned_method
from harness.planning.tried import Tried

COST = "label_cost"
DATA_SETS = 1024
"""Data sets that are drawn at each pair of sizes."""
_LARGEST, _FEWEST = 10**6, 2
_STEPS = 12


@dataclass(frozen=True)
class JudgeQuestion:
    """Which n cases and labels have intervals of an expected width at the least cost?"""

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
    tried: Tried = field(default_factory=Tried, repr=False, compare=False)

    @property
    def yes(self) -> list[float]:
        """The probability of each count."""
        return [float(p) for p in probabilities_of_yes([np.array(self.given[t]) for t in TRUTHS])]

    @cached_property
    def _uniform(self) -> Floats:
        return np.random.default_rng(SEED).random((3, DATA_SETS))

    def width(self, n: int, labels: int) -> tuple[float, float]:
        """Return the expected width, and its standard error, with ``labels`` of each kind."""
        from scipy.stats import binom  # 0.6 s, which no other question needs

        columns: list[Floats] = []
        for u, size, p in zip(self._uniform, (n, labels, labels), self.yes, strict=True):
            columns += [binom.ppf(u, size, p), np.full(DATA_SETS, float(size))]
        lower, upper = self.method.limits(tuple(columns), self.alpha, TWO_SIDED)
        drawn = (upper - lower) * (0.5 if self.halves else 1.0)
        return float(drawn.mean()), float(drawn.std(ddof=1) / math.sqrt(drawn.size))

    def cases(self, labels: int) -> int | None:
        """Return the fewest cases with the width beside so many labels; None where none has."""
        low, high = 0, 16
        while self.width(high, labels)[0] > self.target:
            low, high = high, 4 * high
            if high > _LARGEST:
                return None
        while high - low > 1:
            middle = (low + high) // 2
            if self.width(middle, labels)[0] <= self.target:
                high = middle
            else:
                low = middle
        return high

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
        reach = self.target * (1.0 if self.halves else 0.5) * (se + sp - 1)
        total = math.sqrt(q * (1 - q)) + math.sqrt(both * of_labels)
        return float(ndtri(self.alpha / 2)) ** 2 * total * math.sqrt(of_labels / both) / reach**2

    @cached_property
    def cheapest(self) -> tuple[int, int]:
        """The n and the labels of each kind with the least cost.

        Labels from a sixth of the usual ones to six times as many are looked at, then those
        between the neighbours of the best.

        Raises:
            InputError: no n up to 10^6 has the width at any of them.
        """
        usual = self.usual_labels()
        ladder = np.geomspace(max(usual / 6, _FEWEST), min(6 * usual + 60, _LARGEST), _STEPS)
        cases: dict[int, int] = {}
        for _ in range(3):
            for labels in np.unique(np.rint(ladder).astype(np.int64)).tolist():
                if labels not in cases and (n := self.cases(labels)) is not None:
                    cases[labels] = n
            if not cases:
                raise InputError(
                    f"{self.family.name}: no n and labels up to {_LARGEST:,} have the width "
                    f"{self.target:g}"
                )
            best = min(cases, key=lambda labels: self.price(cases[labels], labels))
            tried = sorted(cases)
            place = tried.index(best)
            ends = tried[max(place - 1, 0)], tried[min(place + 1, len(tried) - 1)]
            ladder = np.linspace(*ends, 8)
        return cases[best], best

    def curve(self, answer: float) -> tuple[Floats, Floats]:
        """Return numbers of cases about an answer, and the expected width beside its labels."""
        _, labels = self.cheapest
        numbers = np.unique(np.geomspace(2, 2 * answer, 40).round()).astype(np.int64)
        widths = [self.width(n, labels)[0] for n in numbers.tolist()]
        return numbers.astype(np.float64), np.array(widths)


def judge_question(
    family: Family, method: Any, alpha: float, target: float, halves: bool, given: Mapping[str, Any]
) -> JudgeQuestion:
    """Return the question about a judged share.

    Args:
        given: the share, sensitivity and specificity, and perhaps ``label_cost``, by default 1.

    Raises:
        InputError: a number is missing, unknown or out of range; or the method is a function, or
            the judge has se + sp of less than 1.2, near which no number of labels suffices.
    """
    chosen = planned_method(family, method)
    cost = given.get(COST, 1.0)
    truths = {name: value for name, value in given.items() if name != COST}
    validate_names(f"size of {family.name}", TRUTHS, truths, "needs")
    for name, value in truths.items():
        validate_number(name, value)
        if not 0 <= value <= 1:
            raise InputError(f"{name} should be a number from 0 to 1, found {value:g}")
    validate_number(COST, cost)
    if not 1e-3 <= cost <= 1e3:
        raise InputError(f"{COST} should be a number from 0.001 to 1000, found {cost:g}")
    gain = truths["sensitivity"] + truths["specificity"]
    if gain < 1.2:
        raise InputError(
            f"sensitivity and specificity should have a sum of at least 1.2, found {gain:g}: near "
            "1 the judge says nothing of a case"
        )
    return JudgeQuestion(family, chosen, float(alpha), target, halves, truths, float(cost))
