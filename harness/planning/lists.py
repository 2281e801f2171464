"""How many runs, clusters or cases of strata suffice for an interval of an expected width.

Of runs with normal values the expected length has a closed form. Of clusters and strata it is the
mean over data sets that are drawn, with its standard error; the same seed serves every number.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from harness.base.arguments import validate_number, validate_whole
from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.base.text import first_few
from harness.catalogue import design_for, scenario_for
from harness.designs.design import Scenario
from harness.designs.lists import closed_form
from harness.families.family import Family, validate_names
from harness.families.lists import list_of_numbers
from harness.methods.catalogue import find
from harness.methods.method import TWO_SIDED, Method
from harness.planning.goals import second_sizes

LARGEST = 10**6
"""The largest answer that is looked for."""
FEW = 2048
"""The largest number that is looked at beyond one that has the width."""
LONGEST = 100
"""The most strata, and the most sizes of clusters that are repeated in turn."""
TRIALS = 4096
"""Data sets that are drawn for each number of clusters or cases."""
SEED = 2003


@dataclass(frozen=True)
class ListQuestion:
    """Which numbers of runs, clusters or cases have intervals of an expected width?"""

    family: Family
    method: Method
    alpha: float
    target: float
    """The width that is asked for."""
    halves: bool
    """Whether it is a half-width."""
    given: Mapping[str, Any]
    """The sd of a run; p, rho and the sizes of clusters in turn; or of strata p1, p2 and the shares
    of the cases."""
    ratio: float
    """Of strata: the cases of the second sample over those of the first."""

    def width(self, number: int) -> tuple[float, float]:
        """Return the expected width at a number, and its standard error."""
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

    @property
    def period(self) -> int:
        """How many numbers in turn are looked at together: as many as there are sizes."""
        return len(self.given.get("size", (1,)))

    def strata(self, number: int) -> dict[str, tuple[int, ...]]:
        """Return the cases of each stratum of both samples; of other lists none."""
        if "shares" not in self.given:
            return {}
        shares = np.array(self.given["shares"]) / math.fsum(self.given["shares"])
        second = int(second_sizes(self.family, np.array([float(number)]), self.ratio)[0])
        both = (cases_of_strata(each, shares) for each in (number, second))
        return dict(zip(self.family.sizes, both, strict=True))

    def scenario(self, number: int) -> Scenario:
        """Return the scenario of clusters or strata."""
        lists = design_for(self.family).lists
        assert lists is not None
        assert lists.truth_at is not None
        truth = lists.truth_at(**{name: self.given[name] for name in lists.words})
        strata = tuple(self.strata(number).values())
        size: Any = strata or (number, *self.given["size"])
        return scenario_for(self.family, size, truth)

    @property
    def assumes(self) -> str:
        """What the answer rests on, in words."""
        if "sd" in self.given:
            return "normal values of runs"
        if "shares" in self.given:
            return "cases of strata in the given shares, at least one in each"
        sizes = first_few([str(each) for each in self.given["size"]], 5)
        turn = " in turn" if self.period > 1 else ""
        return f"clusters of {sizes} cases{turn}, with proportions from a beta distribution"


def cases_of_strata(cases: int, shares: Floats) -> tuple[int, ...]:
    """Return the whole cases of each stratum that come closest to its share, and at least one.

    What is left after rounding down goes to the strata with the largest remainders.

    >>> cases_of_strata(20, np.array([0.5, 0.33, 0.17]))
    (10, 7, 3)
    """
    exact = cases * shares
    whole = np.floor(exact + 1e-9).astype(np.int64)
    largest = np.argsort(whole - exact, kind="stable")[: cases - int(whole.sum())]
    whole[largest] += 1
    return tuple(np.maximum(whole, 1).tolist())


@cache
def _simulated(scenario: Scenario, method: str, alpha: float) -> tuple[float, float]:
    """Return the mean length over data sets drawn, and its standard error."""
    rng, lengths = scenario.stream(SEED, 0), []
    chosen = find(scenario.family, method)
    for observed in scenario.draw_observed(0, TRIALS, rng):
        lower, upper = chosen.limits(observed.columns(), alpha, TWO_SIDED)
        lengths.append(upper - lower)
    drawn = np.concatenate(lengths)
    return float(drawn.mean()), float(drawn.std(ddof=1) / math.sqrt(drawn.size))


def _length(question: ListQuestion, number: int) -> tuple[float, float]:
    """Return the expected length, and its standard error."""
    method = question.method
    if "sd" in question.given:
        assert method.standard_errors is not None
        sd, alpha = question.given["sd"], question.alpha
        return closed_form(method.standard_errors, float(number), alpha, TWO_SIDED, sd)[2], 0.0
    return _simulated(question.scenario(number), method.name, question.alpha)


def find_number(question: ListQuestion) -> int:
    """Return the smallest number that has the width, and from which on larger ones have it.

    The width falls with the number but for its noise; so it is doubled and bisected. Data of a few
    cases may by chance have hardly any width, so that twice and four times the number have it too.
    Where clusters of several sizes come in turn, a large one may widen it: each number of a whole
    turn from the answer on has the width.

    Raises:
        InputError: no number up to 10^6 has it.
    """
    low, high = 1, 2
    while not all(question.does(n) for n in (high, 2 * high, 4 * high) if n <= max(high, FEW)):
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
    while wider := [n for n in range(high, high + question.period) if not question.does(n)]:
        high = wider[-1] + 1
    return high


def list_question(
    family: Family,
    method: Any,
    alpha: float,
    target: float,
    halves: bool,
    given: Mapping[str, Any],
    ratio: float,
) -> ListQuestion:
    """Return the question about a family of lists.

    Raises:
        InputError: the family has no such answer, the method cannot be planned for, or a number
            is missing, unknown or out of range.
    """
    design = design_for(family)
    needed = design.size_needs
    if not needed:
        raise InputError(
            f"size takes no {family.name}, whose classes may grow in many ways; run an experiment "
            f"at several n1 and n2"
        )
    if not isinstance(method, str):
        raise InputError(f"size of {family.name} needs the name of a method, found a function")
    chosen = find(family, method)
    if not chosen.deterministic:
        raise InputError(f"{chosen.name} draws its limits; size needs one that does not")
    if ratio != 1 and not design.sizes_are_lists:
        raise InputError(f"size of {family.name} takes half_width or length, found ratio")
    validate_names(f"size of {family.name}", needed, given, "needs")
    checked: dict[str, Any]
    if design.sizes_are_lists:
        checked = strata_in_range({name: given[name] for name in needed})
    else:
        checked = {
            name: sizes_of_clusters(given[name]) if name == "size" else number_in_range(name, value)
            for name, value in given.items()
        }
    return ListQuestion(family, chosen, alpha, target, halves, checked, ratio)


_Range = tuple[Callable[[float], bool], str]
_BETWEEN: _Range = (lambda value: 0 < value < 1, "between 0 and 1")
_ABOVE_0: _Range = (lambda value: 0 < value < math.inf, "above 0")
RANGES: Mapping[str, _Range] = {
    **dict.fromkeys(("p", "p1", "p2"), (lambda value: 0 <= value <= 1, "from 0 to 1")),
    "rho": (lambda value: 0 <= value < 1, "from 0 to below 1"),
    "sd": _ABOVE_0,
    "shares": _ABOVE_0,
    **dict.fromkeys(("auc", "auc1", "auc2"), _BETWEEN),
    "sd_ratio": (lambda value: 1e-6 <= value <= 1e6, "from 1e-6 to 1e6"),
    "correlation": (lambda value: -1 <= value <= 1, "from -1 to 1"),
}
"""Whether a number of a truth of lists is in its range, and the range in words."""


def number_in_range(name: str, value: Any) -> float:
    """Return a number of a truth.

    Raises:
        InputError: it is none, or out of its range.
    """
    validate_number(name, value)
    inside, words = RANGES.get(name, (lambda value: abs(value) <= 1e100, "up to 1e100"))
    if not inside(value):
        raise InputError(f"{name} should be a number {words}, found {value:g}")
    return float(value)


def strata_in_range(given: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    """Return a number of each stratum, by name.

    Raises:
        InputError: one is no list, a number is out of range, or the lists differ in length.
    """
    found = {
        name: tuple(number_in_range(name, each) for each in _list(name, value, "stratum"))
        for name, value in given.items()
    }
    if len({len(each) for each in found.values()}) > 1:
        words = ", ".join(f"{name} has {len(each)}" for name, each in found.items())
        raise InputError(f"expected a number for each stratum in every list, found that {words}")
    return found


def sizes_of_clusters(value: Any) -> tuple[int, ...]:
    """Return the size of all clusters, or the sizes that are repeated in turn.

    Raises:
        InputError: a size is no whole number of at least 1.
    """
    sizes: list[Any] = (
        [value] if isinstance(value, int | float) else _list("size", value, "cluster")
    )
    for place, each in enumerate(sizes):
        whole = int(each) if isinstance(each, float) and each.is_integer() else each
        validate_whole("size", whole, 1)
        sizes[place] = whole
    return tuple(sizes) if len(set(sizes)) > 1 else (sizes[0],)


def _list(name: str, value: Any, each: str) -> list[Any]:
    found = list_of_numbers(name, value, each)
    if found.ndim > 1 or found.size > LONGEST:
        raise InputError(
            f"{name} should be one list of at most {LONGEST} numbers, found shape {found.shape}"
        )
    numbers: list[Any] = found.tolist()
    return numbers
