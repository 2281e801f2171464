"""How many runs or clusters suffice for an interval of an expected width.

Of runs with normal values the expected length has a closed form. Of clusters it is the mean over
data sets that are drawn, with its standard error; the same seed serves every number of clusters.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from harness.base.arguments import validate_number, validate_whole
from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.designs.design import Scenario, design_for
from harness.designs.lists import closed_form
from harness.distributions.list_truths import ClusterTruth
from harness.families.family import Family
from harness.methods.catalogue import find
from harness.methods.method import TWO_SIDED, Method

LARGEST = 10**6
"""The largest answer that is looked for."""
TRIALS = 4096
"""Data sets that are drawn for each number of clusters."""
SEED = 2003


@dataclass(frozen=True)
class ListQuestion:
    """Which numbers of runs or clusters have intervals of an expected width?"""

    family: Family
    method: Method
    alpha: float
    target: float
    """The width that is asked for."""
    halves: bool
    """Whether it is a half-width."""
    given: Mapping[str, float]
    """The sd of a run; or p, rho and the size of a cluster."""

    def width(self, number: int) -> tuple[float, float]:
        """Return the expected width at a number of runs or clusters, and its standard error."""
        length, error = _length(self, number)
        share = 0.5 if self.halves else 1.0
        return share * length, share * error

    def does(self, number: int) -> bool:
        """Whether a number reaches the width."""
        return self.width(number)[0] <= self.target

    def curve(self, answer: float) -> tuple[Floats, Floats]:
        """Return numbers about an answer, and the expected width at each of them."""
        last = 2.0 * answer
        numbers = np.unique(np.geomspace(2, max(last, 3), 40).round()).astype(np.int64)
        return numbers.astype(np.float64), np.array([self.width(int(each))[0] for each in numbers])


@cache
def _simulated(
    family: str, method: str, alpha: float, p: float, rho: float, size: int, clusters: int
) -> tuple[float, float]:
    """Return the mean length over data sets drawn, and its standard error."""
    scenario = Scenario(family, (clusters, size), ClusterTruth((p,), (rho,)))
    rng, lengths = scenario.stream(SEED, 0), []
    chosen = find(family, method)
    for observed in scenario.draw_observed(0, TRIALS, rng):
        lower, upper = chosen.limits(observed.columns(), alpha, TWO_SIDED)
        lengths.append(upper - lower)
    drawn = np.concatenate(lengths)
    return float(drawn.mean()), float(drawn.std(ddof=1) / math.sqrt(drawn.size))


def _length(question: ListQuestion, number: int) -> tuple[float, float]:
    """Return the expected length, and its standard error."""
    given, method = question.given, question.method
    if "sd" in given:
        assert method.standard_errors is not None
        found = closed_form(
            method.standard_errors, float(number), question.alpha, TWO_SIDED, given["sd"]
        )
        return found[2], 0.0
    return _simulated(
        question.family.name,
        method.name,
        question.alpha,
        given["p"],
        given["rho"],
        int(given["size"]),
        number,
    )


def find_number(question: ListQuestion) -> int:
    """Return the smallest number from which on every one up to twice it has the width.

    The width falls with the number but for its noise; so it is doubled and bisected.

    Raises:
        InputError: no number up to 10^6 has it.
    """
    low, high = 1, 2
    while not question.does(high):
        low, high = high, 2 * high
        if high > LARGEST:
            name = question.family.sizes[0]
            raise InputError(
                f"{question.family.name}: no {name} up to {LARGEST:,} has the width "
                f"{question.target:g}"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if question.does(middle) else (middle, high)
    return high


def list_question(
    family: Family, method: Any, alpha: float, target: float, halves: bool, given: Mapping[str, Any]
) -> ListQuestion:
    """Return the question about a family of lists.

    Raises:
        InputError: the family has no such answer, the method cannot be planned for, or a number
            is missing, unknown or out of range.
    """
    needed = design_for(family.name).size_needs
    if not needed:
        what = "classes" if family.scores else "strata"
        raise InputError(
            f"size takes no {family.name}, whose {what} may grow in many ways; run an experiment "
            f"at several n1 and n2"
        )
    if not isinstance(method, str):
        raise InputError(f"size of {family.name} needs the name of a method, found a function")
    chosen = find(family.name, method)
    if not chosen.deterministic:
        raise InputError(f"{chosen.name} draws its limits; size needs one that does not")
    if set(given) != set(needed):
        found = ", ".join(sorted(given)) or "nothing"
        raise InputError(f"size of {family.name} needs {' and '.join(needed)}, found {found}")
    numbers = {name: _validated(name, given[name]) for name in needed}
    return ListQuestion(family, chosen, alpha, target, halves, numbers)


def _validated(name: str, value: Any) -> float:
    if name == "size":
        whole = int(value) if isinstance(value, float) and value.is_integer() else value
        validate_whole("size", whole, 1)
        return float(whole)
    validate_number(name, value)
    inside, words = {
        "sd": (0 < value < math.inf, "above 0"),
        "p": (0 < value < 1, "between 0 and 1"),
        "rho": (0 <= value < 1, "from 0 to below 1"),
    }[name]
    if not inside:
        raise InputError(f"{name} should be a number {words}, found {value:g}")
    return float(value)
