"""Planning where data are lists: how many cases suffice, and the coverage of a method.

Of runs with normal values the expected length has a closed form. Of clusters and strata it is the
mean over data sets that are drawn, with its standard error; the same seed serves every number of
runs, clusters or cases. The coverage is that of data sets that are drawn.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.arguments import validate_number, validate_whole
from harness.base.errors import InputError, MethodError
from harness.base.numerics.arrays import Floats
from harness.base.text import enumerated, first_few
from harness.base.underway import underway
from harness.callers.source import Source
from harness.catalogue import design_for, scenario_for
from harness.designs.design import Design, Scenario
from harness.designs.engines.monte_carlo import StochasticColumn, shards, simulate_stochastic
from harness.designs.limits import Column
from harness.designs.lists import closed_form
from harness.designs.precision import standard_error
from harness.designs.results import mean_and_error
from harness.families.data import broadcast_columns, numbers, validate_values, whole_numbers
from harness.families.family import Family, validate_names
from harness.families.lists import list_of_numbers
from harness.methods.catalogue import find
from harness.methods.method import TWO_SIDED, Method
from harness.planning.goals import Tried, Width, curve_about, second_sizes

LARGEST = 10**6
"""The largest answer that is looked for."""
FEW = 2048
"""The largest number that is looked at beyond one that has the width."""
LONGEST = 100
"""The most strata, and the most sizes of clusters that are repeated in turn."""
TRIALS_OF_LENGTH = 4096
"""Data sets that are drawn for each number of clusters or cases."""
TRIALS = 20_000
"""Data sets that are drawn at each true value for a coverage, by default."""
SEED = 2003
"""The seed of the random numbers, by default of a coverage."""


@dataclass(frozen=True)
class ListQuestion:
    """Which numbers of runs, clusters or cases have intervals of an expected width?"""

    family: Family
    method: Method
    alpha: float
    goal: Width
    given: Mapping[str, Any]
    """The sd of a run; p, rho and the sizes of clusters in turn; or of strata p1, p2 and the shares
    of the cases."""
    ratio: float
    """The cases of the second sample of strata over those of the first."""
    tried: Tried = field(default_factory=Tried, repr=False, compare=False)
    """The numbers whose width was computed."""

    def width(self, number: int) -> tuple[float, float]:
        """Return the expected width at a number, and its standard error."""
        if "sd" in self.given:
            k, standard_errors = float(number), self.method.standard_errors
            assert standard_errors is not None
            *_, length = closed_form(standard_errors, k, self.alpha, TWO_SIDED, self.given["sd"])
            error = 0.0
        else:
            length, error = _simulated_length(self.scenario(number), self.method.name, self.alpha)
        return self.goal.share * length, self.goal.share * error

    def is_reached(self, number: int) -> bool:
        """Whether a number reaches the width."""
        width = np.array([self.width(number)[0]])
        reached = width <= self.goal.target
        self.tried.add(self.goal.words, np.array([float(number)]), reached, width)
        return bool(reached[0])

    def curve(self, answer: float) -> tuple[Floats, Floats]:
        """Return numbers about an answer, and the expected width at each of them."""
        return curve_about(answer, lambda number: self.width(number)[0])

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
        both = (cases_of_strata(cases, shares) for cases in (number, second))
        return dict(zip(self.family.sizes, both, strict=True))

    def scenario(self, number: int) -> Scenario:
        """Return the scenario of clusters or strata."""
        lists = design_for(self.family).lists
        assert lists is not None
        assert lists.truth_at is not None
        truth = lists.truth_at(**{name: self.given[name] for name in lists.words})
        strata = tuple(self.strata(number).values())
        size: Any = strata or (number, *self.given.get("size", self.given.get("unlabelled", ())))
        return scenario_for(self.family, size, truth)

    @property
    def assumes(self) -> str:
        """What the answer rests on, in words."""
        if "sd" in self.given:
            return "normal values of runs"
        if "shares" in self.given:
            return "cases of strata in the given shares, at least one in each"
        if "unlabelled" in self.given:
            return "cases that are labelled at random"
        return f"{clusters_of(self.given['size'])}, with proportions from a beta distribution"


def clusters_of(sizes: Sequence[int]) -> str:
    """Say of which sizes clusters are, which come in turn."""
    turn = " in turn" if len(sizes) > 1 else ""
    return f"clusters of {first_few([str(size) for size in sizes], 5)} cases{turn}"


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
def _simulated_length(scenario: Scenario, method: str, alpha: float) -> tuple[float, float]:
    """Return the mean length over data sets drawn, and its standard error."""
    rng, lengths = scenario.stream(SEED, 0), []
    chosen = find(scenario.family, method)
    for observed in scenario.draw_observed(0, TRIALS_OF_LENGTH, rng):
        lower, upper = chosen.limits(observed.columns(), alpha, TWO_SIDED)
        lengths.append(upper - lower)
    drawn = np.concatenate(lengths)
    return float(drawn.mean()), float(drawn.std(ddof=1) / math.sqrt(drawn.size))


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
    while not all(
        question.is_reached(n) for n in (high, 2 * high, 4 * high) if n <= max(high, FEW)
    ):
        low, high = high, 2 * high
        if high > LARGEST:
            name = question.family.sizes[0]
            raise InputError(
                f"{question.family.name}: no {name} up to {LARGEST:,} has the width "
                f"{question.goal.target:g}"
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if question.is_reached(middle) else (middle, high)
    while wider := [n for n in range(high, high + question.period) if not question.is_reached(n)]:
        high = wider[-1] + 1
    return high


def planned_method(family: Family, method: Any) -> Method:
    """Return the method of that name, whose limits are not drawn.

    Raises:
        InputError: it is a function, unknown, or draws its limits.
    """
    if not isinstance(method, str):
        raise InputError(f"size of {family.name} needs the name of a method, found a function")
    chosen = find(family, method)
    if not chosen.deterministic:
        raise InputError(f"{chosen.name} draws its limits; size needs one that does not")
    return chosen


def list_question(
    family: Family,
    method: Any,
    alpha: float,
    goal: Width,
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
            f"size takes no {family.name}, whose data may grow in many ways; run an experiment "
            f"at several {enumerated(family.sizes)}"
        )
    chosen = planned_method(family, method)
    if ratio != 1 and not design.sizes_are_lists:
        raise InputError(f"size of {family.name} takes half_width or length, found ratio")
    validate_names(f"size of {family.name}", needed, given, "needs")
    checked: dict[str, Any]
    if design.sizes_are_lists:
        checked = strata_in_range({name: given[name] for name in needed})
    else:
        checked = {name: size_or_number(name, value) for name, value in given.items()}
    return ListQuestion(family, chosen, alpha, goal, checked, ratio)


@dataclass(frozen=True)
class NumberRange:
    """The range in which a number of a truth lies."""

    words: str
    low: float
    high: float
    has_low: bool = True
    """Whether the lower end is in the range."""
    has_high: bool = True

    def holds(self, value: float) -> bool:
        """Whether a number is in the range."""
        from_low = self.low <= value if self.has_low else self.low < value
        return from_low and (value <= self.high if self.has_high else value < self.high)


_SHARE = NumberRange("from 0 to 1", 0, 1)
_BETWEEN = NumberRange("between 0 and 1", 0, 1, has_low=False, has_high=False)
_ABOVE_0 = NumberRange("above 0", 0, math.inf, has_low=False, has_high=False)
RANGES: Mapping[str, NumberRange] = {
    "p": _SHARE,
    "share": _SHARE,
    "sensitivity": _SHARE,
    "specificity": _SHARE,
    "p1": _SHARE,
    "p2": _SHARE,
    "rho": NumberRange("from 0 to below 1", 0, 1, has_high=False),
    "sd": _ABOVE_0,
    "sd_between": NumberRange("from 0 on", 0, math.inf),
    "sd_within": _ABOVE_0,
    "design_effect": NumberRange("from 1 on", 1, math.inf),
    "shares": _ABOVE_0,
    "auc": _BETWEEN,
    "auc1": _BETWEEN,
    "auc2": _BETWEEN,
    "sd_ratio": NumberRange("from 1e-6 to 1e6", 1e-6, 1e6),
    "correlation": NumberRange("from -1 to 1", -1, 1),
}
"""The ranges of the numbers of a truth of lists."""
_ANY = NumberRange("up to 1e100", -1e100, 1e100)


def number_in_range(name: str, value: Any) -> float:
    """Return a number of a truth.

    Raises:
        InputError: it is no number, or out of its range.
    """
    validate_number(name, value)
    number_range = RANGES.get(name, _ANY)
    if not number_range.holds(value):
        raise InputError(f"{name} should be a number {number_range.words}, found {value:g}")
    return float(value)


def strata_in_range(given: Mapping[str, Any]) -> dict[str, tuple[float, ...]]:
    """Return a number of each stratum, by name.

    Raises:
        InputError: a value is no list, a number is out of range, or the lists differ in length.
    """
    lists = {
        name: tuple(number_in_range(name, number) for number in _list(name, value, "stratum"))
        for name, value in given.items()
    }
    if len({len(numbers) for numbers in lists.values()}) > 1:
        words = ", ".join(f"{name} has {len(numbers)}" for name, numbers in lists.items())
        raise InputError(f"expected a number for each stratum in every list, found that {words}")
    return lists


def sizes_of_clusters(value: Any) -> tuple[int, ...]:
    """Return the size of all clusters, or the sizes that are repeated in turn.

    Raises:
        InputError: a size is no whole number of at least 1.
    """
    sizes: list[Any] = (
        [value] if isinstance(value, int | float) else _list("size", value, "cluster")
    )
    sizes = [_whole("size", size) for size in sizes]
    return tuple(sizes) if len(set(sizes)) > 1 else (sizes[0],)


def _whole(name: str, value: Any) -> Any:
    """A whole number of at least 1; 3.0 is one."""
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    validate_whole(name, whole, 1)
    return whole


def size_or_number(name: str, value: Any) -> Any:
    """Return a size that a number is planned for, or a number of a truth.

    Raises:
        InputError: it is out of range.
    """
    if name == "size":
        return sizes_of_clusters(value)
    if name == "unlabelled":
        return (_whole(name, value),)
    return number_in_range(name, value)


def _list(name: str, value: Any, item: str) -> list[Any]:
    """The numbers of a list that has one for each item: a stratum, or a cluster."""
    array = list_of_numbers(name, value, item)
    if array.ndim > 1 or array.size > LONGEST:
        raise InputError(
            f"{name} should be one list of at most {LONGEST} numbers, found shape {array.shape}"
        )
    numbers: list[Any] = array.tolist()
    return numbers


def simulate_lists(
    family: Family,
    source: Source,
    side: str,
    alpha: Floats,
    given: Mapping[str, npt.ArrayLike],
    trials: int,
    seed: int,
) -> Floats:
    """Return the misses below and above, the mean length, and two standard errors.

    The trials are those of a run with as many at one truth and with this seed.

    Args:
        family: of lists.
        source: the method.
        side: of the interval.
        alpha: any shape.
        given: the sizes and the numbers of the truth, by name.
        trials: drawn at each true value.
        seed: of the random numbers.

    Returns:
        The probabilities of a miss below and above, the mean length, the standard error of the
        coverage and that of the mean length, shape (5, ...) of all that broadcasts.

    Raises:
        InputError: a size or a number is missing, unknown or out of range.
        MethodError: the method has no limits in a trial.
    """
    shape, cells = _cells(family, alpha, given)
    answers = np.empty((5, max(1, int(np.prod(shape)))))
    done, count = 0, answers.shape[1]
    with underway(lambda: f"drawing {trials:,} data sets: {done} of {count} truths done"):
        for place, (level, size, truth) in enumerate(cells):
            scenario = scenario_for(family, size, truth)
            column = StochasticColumn(Column(source.label, side, level), source)
            below, above, length, squares = 0, 0, 0.0, 0.0
            for shard in shards(scenario, trials, seed, trials):
                tally, failures = simulate_stochastic(shard, [column])
                for failed in failures.values():
                    raise MethodError(f"{source.label}: {failed.first}")
                counts = tally.by_outcome
                assert counts.length is not None
                assert counts.squares is not None
                below, above = below + int(counts.below[0, 0]), above + int(counts.above[0, 0])
                length, squares = length + counts.length[0, 0], squares + counts.squares[0, 0]
            error = standard_error(np.array(below + above), np.array(trials))
            mean, mean_error = mean_and_error(length, squares, trials)
            answers[:, place] = below / trials, above / trials, mean, error, mean_error
            done = place + 1
    return answers.reshape(5, *shape)


def _cells(
    family: Family, alpha: Floats, given: Mapping[str, npt.ArrayLike]
) -> tuple[tuple[int, ...], Iterator[tuple[float, Any, Any]]]:
    """Return the shape of the answer, and alpha, size and truth of each of its numbers.

    Raises:
        InputError: a size or a number is missing, unknown or out of range.
    """
    design = design_for(family)
    lists = design.lists
    assert lists is not None
    if lists.truth_at is None:
        raise InputError(
            f"coverage has no words for the truths of {family.name}; run an experiment"
        )
    truth_at = lists.truth_at
    values: dict[str, Any] = {**lists.words, **given}
    values = {name: number for name, number in values.items() if number is not None}
    names = (*family.sizes, *lists.words)
    if set(values) != set(names):
        listed = ", ".join(sorted(given)) or "nothing"
        raise InputError(f"{family.name} needs {enumerated(names)}, found {listed}")
    if design.sizes_are_lists:
        strata = strata_in_range({name: values[name] for name in names})
        cases = [_sizes(design, name, strata[name]).astype(int).tolist() for name in family.sizes]
        size = tuple(tuple(of_sample) for of_sample in cases)
        truth = truth_at(*(strata[name] for name in lists.words))
        return alpha.shape, ((level, size, truth) for level in alpha.ravel().tolist())
    columns = [alpha, *(_sizes(design, name, values[name]) for name in family.sizes)]
    for name in lists.words:
        columns.append(numbers(name, values[name], "a number"))
        for number in columns[-1].ravel().tolist():
            number_in_range(name, number)
    columns = list(broadcast_columns(("alpha", *names), columns))
    last = 1 + len(family.sizes)

    def cells() -> Iterator[tuple[float, Any, Any]]:
        for level, *row in zip(*(column.ravel().tolist() for column in columns), strict=True):
            sizes = tuple(int(size) for size in row[: last - 1])
            yield level, sizes if len(sizes) > 1 else sizes[0], truth_at(*row[last - 1 :])

    return columns[0].shape, cells()


def _sizes(design: Design, name: str, given: npt.ArrayLike) -> Floats:
    """Return sizes of one name, whole numbers.

    Raises:
        InputError: a size is out of range.
    """
    values = whole_numbers(name, given)
    least = design.smallest_size
    outside = (values < least) | (values > LARGEST)
    validate_values(values, outside, name, f"a whole number from {least} to {LARGEST}")
    return values
