"""The size that suffices where too many data sets are possible for a sum: they are drawn.

The data sets of all sizes are made from the same random numbers: those of a table by inversion, and
those of scores so that a larger one begins with the scores of a smaller one. What they reach then
rises or falls with the size nearly as its expectation does.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Bools, Floats, Positions
from harness.callers.source import CatalogueSource, Source
from harness.catalogue import design_for, scenario_for
from harness.families.data import LARGEST_COUNT
from harness.families.family import Family, validate_names
from harness.methods.catalogue import find
from harness.methods.method import TWO_SIDED
from harness.planning.arguments import source_of
from harness.planning.estimates import cost
from harness.planning.expectations import expectations_of
from harness.planning.goals import (
    Bound,
    Goal,
    Tried,
    Width,
    curve_about,
    is_reached,
    second_sizes,
)
from harness.planning.lists import SEED, clusters_of, planned_method, size_or_number

_SUMMED_TO, _SOLVED_TO = 256, 16
"""Up to so many cases of a table the answer is a sum over all tables, where that is possible: of
any, and of widths by limits that take milliseconds. Sums of these took 9 to 12 s for 58 to 242
cases, and draws 2 to 4 s, with the same answers."""
_FEW = 16
"""Data sets at each size that are to tell the order of magnitude of the answer."""
_TABLES, _CALLS, _SOLVED, _DECIDED = 1 << 13, 1000, 128, 1 << 12
"""Tables at each size: of formulas, of a user's function, of limits that take milliseconds, and
where such a limit is beyond a value or not."""
_SLOW = 1024.0
"""The cost of such a limit, over that of one of Wilson's."""
_APART = 32
"""Tables of which one is decided where those beside it agree."""
_SCORES, _FEWEST, _MOST = 1 << 20, 8, 1 << 12
"""Scores at each size, and the data sets that they make."""
_FEWEST_OF_CHANCES = 512
"""The fewest where they tell a probability."""
_LARGEST_OF_SCORES = 10**6


@dataclass(frozen=True)
class DrawnQuestion:
    """Which sizes reach a goal, by the mean over data sets that are drawn?"""

    family: Family
    goal: Goal
    draw: Callable[[int, int], tuple[Floats, ...]]
    """Return the data of the size with a number, of so many data sets."""
    values: Callable[[tuple[Floats, ...]], Floats]
    """Return g of data sets."""
    count_at: Callable[[int], int]
    """Return how many data sets are drawn where the answer is about a number."""
    largest: int
    """The largest size of the first sample."""
    ratio: float = 1.0
    names: tuple[str, ...] = ("n",)
    """The names of the sizes that grow."""
    smallest: int = 1
    """The smallest size that has an interval."""
    assumes: str | None = None
    """What the answer rests on, in words."""
    count: int = _FEW
    """The data sets at each size."""
    nearly: Callable[[tuple[Floats, ...]], Floats] | None = None
    """Return nearly g of data sets, in far less time; None where that is not known."""
    summed_to: int = 0
    """Up to this size of the first sample a sum over all data sets is the answer."""
    computed: dict[int, tuple[float, float]] = field(
        default_factory=dict, repr=False, compare=False
    )
    """What sizes reach, by number, and the standard errors."""
    tried: Tried = field(default_factory=Tried, repr=False, compare=False)

    def sizes(self, number: int) -> list[int]:
        """Return the size of each sample."""
        if len(self.names) == 1:
            return [number]
        return [number, int(second_sizes(self.family, np.array([float(number)]), self.ratio)[0])]

    def reached(self, number: int) -> tuple[float, float]:
        """Return the mean of g at a size, and its standard error.

        Where something is nearly g, it is the mean of that over many more data sets, and of what is
        left over those of g: the error of a difference is a part of that of g. The error is above 0
        where all data sets reach what is asked for, or none does, which is no exact 1 or 0.
        """
        if number not in self.computed:
            data, size = self.draw(number, self.count), np.array([float(number)])
            parts = [self.values(data)]
            if self.nearly is not None:
                parts[0] = parts[0] - self.nearly(data)
                parts.append(self.nearly(self.draw(number, _TABLES)))
            mean = np.array([sum(part.mean() for part in parts)])
            errors = [float(part.std(ddof=1)) / math.sqrt(part.size) for part in parts]
            if not isinstance(self.goal, Width):
                mean = np.clip(mean, 0.0, 1.0)
                if mean[0] in (0.0, 1.0):
                    errors.append(math.sqrt((self.count + 1) / self.count) / (self.count + 2))
            self.tried.add(self.goal.words, size, is_reached(self.goal, mean), mean)
            self.computed[number] = float(mean[0]), math.hypot(*errors)
        return self.computed[number]

    def curve(self, answer: float) -> tuple[Floats, Floats]:
        """Return sizes about an answer, and what each of them reaches."""
        return curve_about(answer, lambda number: self.reached(number)[0])

    def distance(self, number: int) -> float:
        """Return how far a size is from what is asked for: above 0 if it does not reach it."""
        beyond = self.reached(number)[0] - self.goal.target
        return beyond if self.goal.at_most else -beyond

    def about_answer(self) -> tuple[DrawnQuestion, int]:
        """Return the question with as many data sets as the answer allows, and the answer.

        Raises:
            InputError: no size reaches the goal.
        """
        low, high = self.smallest - 1, 8
        two = replace(self, count=2, computed={})
        if isinstance(self.goal, Width) and two.distance(self.largest) > 0:
            raise self._unanswered()
        # Few cases may have hardly any width by chance.
        while self.distance(high) > 0 or self.distance(min(4 * high, self.largest)) > 0:
            if high >= self.largest:
                raise self._unanswered()
            low, high = high, min(4 * high, self.largest)
        question = replace(self, count=self.count_at(high), computed={})
        while question.distance(high) > 0:
            low, high = high, min(4 * high, self.largest)
        while low >= self.smallest and question.distance(low) <= 0:
            low, high = max(low // 4, self.smallest - 1), low
        return question, question._crossing(low, high)

    def _unanswered(self) -> InputError:
        names, cases = " and ".join(self.names), sum(self.sizes(self.largest))
        together = " cases together have" if len(self.names) > 1 else " has"
        return InputError(
            f"{self.family.name}: no {names} of up to {cases:,}{together} {self.goal.words}"
        )

    def _crossing(self, low: int, high: int) -> int:
        """Return the size above which the goal is reached, between one that fails and another.

        A line through both distances over 1/√n tells the next size; the distance of an end that
        stays is halved (the Illinois method), and each third size halves what is left.
        """
        ends = {number: self.distance(number) for number in (low, high) if number >= self.smallest}
        ends.setdefault(low, max(ends[high], 1.0))
        steps = 0
        while high - low > 1:
            steps += 1
            below, above = ends[low], -ends[high]
            share = below / (below + above) if below + above > 0 else 0.5
            first, last = (1.0 / math.sqrt(max(number, 0.5)) for number in (low, high))
            middle = round((first + share * (last - first)) ** -2)
            if steps % 3 == 0:
                middle = (low + high) // 2
            middle = min(max(middle, low + 1), high - 1)
            distance = self.distance(middle)
            if distance > 0:
                low, ends[high] = middle, ends[high] / 2
            else:
                high, ends[low] = middle, ends[low] / 2
            ends[middle] = distance
        return high

    def sentence(self, number: int, error: float) -> str:
        """Say what was drawn, and how well the answer is known.

        Args:
            number: the answer.
            error: the standard error of what it reaches.
        """
        step = max(number // 10, 1)
        less = max(number - step, self.smallest)
        slope = abs(self.distance(number + step) - self.distance(less))
        name = self.names[0]
        said = (
            f"{self.count:,} data sets were drawn at each size that was tried, with the seed "
            f"{SEED}; two standard errors are {2.0 * error:.2g}"
        )
        if slope == 0:
            return f"{said}, and the sizes near the answer reach the same"
        uncertainty = math.ceil(2.0 * error / slope * (number + step - less))
        return f"{said}, so that {name} = {number:,} is known to ±{uncertainty:,}"


def question_of_table(
    family: Family, goal: Goal, source: Source, alpha: float, truths: Sequence[float]
) -> DrawnQuestion | None:
    """Return the question about a table; None where the limits depend on fewer than all cells.

    Args:
        family, goal, source, alpha: as of ``expectations_of``.
        truths: the probabilities of the free cells.
    """
    view = family.as_pairs
    if view is None or not source.uses_both:
        return None
    expectations, _ = expectations_of(family, goal, source, alpha, tuple((p, p) for p in truths))
    cells = [float(p) for p in view.arranged(family.all_truths([np.array(p) for p in truths]))]
    is_slow = cost(family, source) >= _SLOW

    def draw(n: int, count: int) -> tuple[Floats, ...]:
        uniform = np.random.default_rng(SEED).random((_TABLES, 3)).T
        return tables_by_inversion(uniform[:, :count], n, cells)

    def values(data: tuple[Floats, ...]) -> Floats:
        if not isinstance(goal, Bound) or not isinstance(source, CatalogueSource):
            return goal.values(*expectations.limits(data))
        method, table = source.method, view.restored(data)

        def is_beyond(places: Positions) -> Bools:
            some = tuple(counts[places] for counts in table)
            return method.is_beyond(some, goal.value, alpha, goal.side, source.prior)

        lower, upper = find(family, "delta").limits(table, alpha, TWO_SIDED)
        order = np.argsort(lower if goal.is_above else upper, kind="stable")
        return _in_order(order, is_beyond).astype(np.float64)

    def count_at(_: int) -> int:
        if source.called_one_by_one:
            return _CALLS
        if is_slow:
            return _DECIDED if isinstance(goal, Bound) else _SOLVED
        return _TABLES

    def nearly(data: tuple[Floats, ...]) -> Floats:
        limits = find(family, "delta").limits(view.restored(data), alpha, TWO_SIDED)
        return goal.values(*limits)

    question = DrawnQuestion(
        family, goal, draw, values, count_at, LARGEST_COUNT, summed_to=_SUMMED_TO
    )
    if is_slow and not isinstance(goal, Bound):
        question = replace(question, nearly=nearly, summed_to=_SOLVED_TO)
    return question


def tables_by_inversion(uniform: Floats, n: int, cells: Sequence[float]) -> tuple[Floats, ...]:
    """Return the four cells of tables of n cases, shape (m,) each.

    Args:
        uniform: uniform numbers, shape (3, m), each of which becomes the count of a cell.
        n: the number of cases.
        cells: the probabilities of the first three cells, or of all.
    """
    from scipy.stats import binom  # 0.6 s, which few questions need

    left, rest = np.full(uniform.shape[1], float(n)), 1.0
    counts: list[Floats] = []
    for u, p in zip(uniform, cells, strict=False):
        share = min(p / rest, 1.0) if rest > 0 else 0.0
        drawn = np.clip(binom.ppf(u, left, share), 0.0, left)
        counts.append(drawn)
        left, rest = left - drawn, rest - p
    return (*counts, left)


def _in_order(order: Positions, is_beyond: Callable[[Positions], Bools]) -> Bools:
    """Return a decision on each of some data sets, which nearly changes once in an order of them.

    Every 32nd is decided, and all from two before to two after where neighbours differ.
    """
    places = np.append(np.arange(0, order.size - 1, _APART), order.size - 1)
    decided = is_beyond(order[places])
    differ = np.convolve(decided[1:] != decided[:-1], np.ones(5), "same") > 0
    between = np.searchsorted(places[1:], np.arange(order.size)).clip(max=differ.size - 1)
    decisions = np.empty(order.size, bool)
    decisions[order] = decided[between]
    decisions[order[places]] = decided
    open_places = order[differ[between]]
    decisions[open_places] = is_beyond(open_places)
    return decisions


def question_of_scores(
    family: Family, method: Any, goal: Goal, alpha: float, given: Mapping[str, Any], ratio: float
) -> DrawnQuestion:
    """Return the question about lists of two samples, or clusters, that grow.

    Args:
        family, goal, alpha: as of ``expectations_of``.
        method: a name.
        given: the numbers of the truth, by name, and the size of clusters.
        ratio: the size of the second sample over that of the first.

    Raises:
        InputError: a number is missing, unknown or out of range; or the method is a function, or
            draws its limits.
    """
    source = source_of(family, planned_method(family, method).name, goal.side, None)
    design = design_for(family)
    lists, beside = design.lists, design.size_needs
    assert lists is not None
    assert lists.truth_at is not None
    assert lists.draw_growing is not None
    is_bound = isinstance(goal, Bound)
    draw_growing, names = lists.draw_growing, family.sizes[: -len(beside) or None]
    if ratio != 1 and len(names) == 1:
        raise InputError(f"size of {family.name} takes no ratio")
    settings: dict[str, Any] = {
        name: value for name, value in lists.words.items() if value is not None
    }
    settings |= lists.restated({name: size_or_number(name, value) for name, value in given.items()})
    # No width depends on a mean of normal scores.
    left_out = () if is_bound or "mean" in given else ("mean",)
    needed = [name for name in (*lists.words, *beside) if name not in left_out]
    validate_names(f"size of {family.name}", needed, settings, "needs")
    numbers = {name: settings.get(name, 0.0) for name in lists.words}
    cases: list[int] = [size for name in beside for size in settings[name]]
    truth = lists.truth_at(**numbers)
    where = ", ".join(f"{name} = {number:.15g}" for name, number in numbers.items())
    parameter = float(scenario_for(family, (2, 2), truth).listed_truths()[1][0])
    refuse_out_of_reach(family, goal, parameter, where)
    fewest = _FEWEST if isinstance(goal, Width) else _FEWEST_OF_CHANCES
    largest = _LARGEST_OF_SCORES if isinstance(goal, Width) else 8 * _SCORES // _FEWEST_OF_CHANCES

    def draw(number: int, count: int) -> tuple[Floats, ...]:
        return draw_growing(truth, [*question.sizes(number), *cases], count, SEED)

    def values(data: tuple[Floats, ...]) -> Floats:
        assert isinstance(source, CatalogueSource)
        return goal.values(*source.method.limits(data, alpha, goal.side))

    def count_at(number: int) -> int:
        return min(max(_SCORES // sum(question.sizes(number)), fewest), _MOST)

    question = DrawnQuestion(
        family,
        goal,
        draw,
        values,
        count_at,
        int(largest / (1.0 + ratio * (len(names) - 1))),
        ratio,
        names,
        design.smallest_size,
        f"{clusters_of(cases)}, with {lists.assumes}" if cases else None,
    )
    return question


def refuse_out_of_reach(family: Family, goal: Goal, parameter: float, where: str) -> None:
    """Refuse a value that the true one is equal to, or on the wrong side of.

    Args:
        family, goal: as of ``expectations_of``.
        parameter: the true value.
        where: the truths it is from, in words.

    Raises:
        InputError: the value is out of reach.
    """
    if not isinstance(goal, Bound):
        return
    # A difference such as 0.8 - 0.85 is off in its last digits.
    parameter = float(f"{parameter:.12g}")
    if parameter > goal.value if goal.is_above else parameter < goal.value:
        return
    relation = "equal to" if parameter == goal.value else "on the wrong side of"
    raise InputError(
        f"{family.name}: no size has {goal.words} where {where}: the true value "
        f"{parameter:.15g} is {relation} {goal.value:.15g}"
    )
