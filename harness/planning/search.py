"""Which sizes reach a goal: by bounds, from the limits at few counts, or from all limits.

Where truths are a range, the expectation is that at the truth where it is worst.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Bools, Floats, Integers
from harness.callers.source import Source
from harness.designs.engines.listed import consecutive_probabilities
from harness.families.combination import Span
from harness.planning.decisions import LEFT_OUT
from harness.planning.estimates import chances, estimates, limits_of_rules
from harness.planning.expectations import Expectations
from harness.planning.goals import (
    AssuredWidth,
    Bound,
    LadderQuestion,
    Tried,
    Width,
    is_reached,
)

_NODES = 12
"""Nodes of the first bounds; each further round has four times as many."""
_MOST_NODES = {1: 1 << 16, 2: 1 << 8}
"""The most nodes by the number of samples."""
_FEWER = 2
"""Bounds are tried where all limits are more than so many times as many."""
_CLEAR = 1e-9
"""Bounds decide where they are this far from the target, relative to it."""
LARGEST_WORK = 1 << 26
"""The most limits that a search computes."""
_USUAL_COST = 16.0
"""Limits of at most this cost count as one each."""
SUMMED = 1 << 20
"""The most limits, times their cost, that are summed at a size of smooth limits."""
_ALONE = 16
"""So many times as many of the size that is the answer."""
CLOSE = 1e-8
"""The error of an expectation from few counts, relative to the target, that is small enough."""
_NEAR = 1e-11
"""The error below which a mean from few counts is taken for exact, relative to the target."""
CLOSE_IN_CURVE = 1e-4
"""The same where the expectations of many sizes are asked for."""

_AT_ONCE = 512
"""Sizes that are decided before it is said how many were."""
_STEP = 0.5
"""Distance of the truths of the first round on the scale on which a count has a standard
deviation of about one. The expectation is a mean over that standard deviation, so that no peak of
it is narrower."""
_ROUNDS, _POINTS = 4, 9
"""Rounds about the worst truth of the round before, and the truths of each sample in them."""


class TooLargeError(InputError):
    """The sizes about the answer are too many to be checked."""


@dataclass(frozen=True)
class Question(LadderQuestion):
    """Which sizes reach a goal, at one truth or at every truth of a range?"""

    expectations: Expectations
    ranges: tuple[Span, ...]
    """The range of each sample's true value; both ends are equal at a single one."""
    rises: bool
    """Whether limits rise and fall with the counts, so that those at nodes bound all others."""
    smooth: bool = False
    """Whether limits are smooth in the counts, so that the mean of few is that of all."""
    cost: float = 1.0
    """How many times as long a limit takes as one of Wilson's."""
    source: Source | None = field(default=None, repr=False, compare=False)
    """The method."""
    tried: Tried = field(default_factory=Tried, repr=False, compare=False)
    """The sizes that were decided."""

    @property
    def most(self) -> float:
        """The most limits that are computed: of a bound fewer where each of them takes long."""
        of_bound = isinstance(self.goal, Bound)
        return LARGEST_WORK * (min(1.0, _USUAL_COST / self.cost) if of_bound else 1.0)

    @property
    def called_one_by_one(self) -> bool:
        """Whether each limit takes a call of a user's function."""
        return self.source is not None and self.source.called_one_by_one

    @property
    def takes_few(self) -> bool:
        """Whether expectations from the limits at few counts decide sizes."""
        return self.smooth and isinstance(self.goal, Width)

    @property
    def interpolates(self) -> bool:
        """Whether widths between those at few counts decide the probability of a narrow one."""
        is_assured = isinstance(self.goal, AssuredWidth)
        return self.smooth and is_assured and self.expectations.are_products

    @property
    def is_range(self) -> bool:
        return any(low < high for low, high in self.ranges)

    def reached(self, numbers: Integers) -> Floats:
        """Return the expectation at each size, shape (N,): of a range at the worst truth."""
        sizes = self.sizes(numbers)
        if self.is_range:
            return np.array([self.worst_mean(row) for row in sizes])
        truths, summed = [low for low, _ in self.ranges], np.ones(numbers.size, bool)
        alone = numbers.size == 1
        if self.takes_few or self.interpolates:
            outcomes = self.expectations.outcomes(sizes, truths, alone=True)
            summed = outcomes * self.cost * numbers.size <= SUMMED * (_ALONE if alone else 1)
        means = np.empty(numbers.size)
        if summed.any():
            means[summed] = self.expectations.means(sizes[summed], truths)
        if summed.all():
            return means
        if self.interpolates:
            means[~summed] = chances(self.expectations, sizes[~summed], truths)
            return means
        room = self.target * (CLOSE if alone else CLOSE_IN_CURVE)
        most = np.inf if alone else SUMMED / (4.0 * self.cost)
        means[~summed] = estimates(self.expectations, sizes[~summed], truths, room, most)[0]
        return means

    def is_reached(self, numbers: Integers) -> Bools:
        """Return whether each size reaches the goal, shape (N,)."""
        reached = np.zeros(numbers.size, bool)
        for start in range(0, numbers.size, _AT_ONCE):
            part = numbers[start : start + _AT_ONCE]
            possible = self.is_reached_at_some(part)
            if self.is_range:
                sizes = self.sizes(part[possible])
                worst = np.array([self.worst_mean(row, in_full=False) for row in sizes])
                possible[possible] = is_reached(self.goal, worst)
            reached[start : start + part.size] = possible
            if self.is_range:
                self.tried.add(self.goal.words, self.ladder.sizes(part), possible)
        return reached

    def is_reached_at_some(self, numbers: Integers) -> Bools:
        """Return whether each size reaches the goal at a few truths of the range, shape (N,).

        They are the middle of the range and its corners.
        """
        some_truths = [[low for low, _ in self.ranges]]
        if self.is_range:
            corners = np.meshgrid(*[sorted(set(span)) for span in self.ranges])
            middle = [0.5 * (low + high) for low, high in self.ranges]
            some_truths = [middle, *np.stack([end.ravel() for end in corners], axis=1).tolist()]
        possible = np.ones(numbers.size, bool)
        for truths in some_truths:
            possible[possible] = self._is_reached_at(numbers[possible], truths)
        decided = ~possible if self.is_range else np.ones(numbers.size, bool)
        self.tried.add(self.goal.words, self.ladder.sizes(numbers[decided]), possible[decided])
        return possible

    def _is_reached_at(self, numbers: Integers, truths: Sequence[float]) -> Bools:
        """Return whether each size reaches the goal at a truth: by bounds, or from all limits."""
        reached = np.zeros(numbers.size, bool)
        if not numbers.size:
            return reached
        sizes = self.sizes(numbers)
        outcomes = self.expectations.outcomes(sizes, truths)
        pending, nodes = np.ones(numbers.size, bool), _NODES
        rows = np.flatnonzero(outcomes > limits_of_rules(len(truths)))
        if self.takes_few and rows.size:
            means, error = estimates(self.expectations, sizes[rows], truths)
            reached[rows] = is_reached(self.goal, means)
            # Not even the rounding of limits decides where the error is that small.
            pending[rows] = error >= np.maximum(np.abs(means - self.target), _NEAR * self.target)
        if self.interpolates:
            means = chances(self.expectations, sizes, truths)
            reached[:] = is_reached(self.goal, means)
            pending = np.abs(means - self.target) <= 2.0 * LEFT_OUT
        while self.rises and not self.interpolates and nodes <= _MOST_NODES[len(truths)]:
            rows = np.flatnonzero(pending & (outcomes > _FEWER * nodes ** len(truths)))
            if not rows.size:
                break
            low, high = self.expectations.bounds(sizes[rows], truths, nodes)
            room = _CLEAR * abs(self.target)
            if self.goal.at_most:
                yes, no = high <= self.target - room, low > self.target + room
            else:
                yes, no = low >= self.target + room, high < self.target - room
            reached[rows] = yes
            pending[rows] = ~(yes | no)
            nodes *= 4
        rows = np.flatnonzero(pending)
        if rows.size:
            means = self.expectations.means(sizes[rows], truths)
            reached[rows] = is_reached(self.goal, means)
        return reached

    def work(self, number: int, *, alone: bool = False) -> float:
        """Return about how many limits it takes to decide one size with this number.

        Args:
            number: of the size.
            alone: whether its neighbours are not decided too.
        """
        ends = [[low for low, _ in self.ranges], [high for _, high in self.ranges]]
        sizes = self.sizes(np.array([number]))
        outcomes = max(
            float(self.expectations.outcomes(sizes, truths, alone=alone)[0]) for truths in ends
        )
        if not self.is_range:
            return min(outcomes, float(2 * _NODES ** len(ends[0]))) if self.rises else outcomes
        sampling = self.family.model.SAMPLING
        windows = [
            sampling.window(*span, float(size))
            for span, size in zip(self.ranges, sizes[0], strict=True)
        ]
        return float(np.prod([last - first + 1.0 for first, last in windows]))

    def worst_mean(self, sizes: Floats, *, in_full: bool = True) -> float:
        """Return the largest E[g] over the truths of a range, or the smallest if g is to be large.

        At a fixed size E[g] is a smooth function of the truths. It is computed at truths that lie
        half a standard deviation of the count apart, and then ever nearer to the worst of them. Its
        second derivative on that scale is at most the spread of g, so that a line through two
        neighbouring values is off by at most an eighth of the spread times the square of their
        distance.

        Args:
            sizes: the size of each sample, shape (samples,).
            in_full: whether the worst value itself is wanted; otherwise the search ends where it is
                clear whether the goal is reached.
        """
        sampling = self.family.model.SAMPLING
        samples = list(zip(self.ranges, sizes.tolist(), strict=True))
        windows = [sampling.window(*span, size) for span, size in samples]
        columns = [np.arange(first, last + 1.0) for first, last in windows]
        values = self.expectations.values_at(sizes, columns)
        grids = []
        for span, size in samples:
            low, high = np.asarray(sampling.variance_stabilized(np.array(span), size))
            grids.append(np.linspace(low, high, 1 + int(np.ceil((high - low) / _STEP))))
        sign, worst = (1.0 if self.goal.at_most else -1.0), -np.inf
        room = len(self.ranges) * 0.125 * _STEP**2 * float(np.ptp(values))
        for _ in range(1 + _ROUNDS):
            means = values
            for i, (span, size) in enumerate(samples):
                truths = np.clip(sampling.from_variance_stabilized(grids[i], size), *span)
                pmf = _probabilities(self.expectations, truths, windows[i], size)
                means = np.moveaxis(np.tensordot(pmf, means, axes=(1, i)), 0, i)
            place = np.unravel_index(np.argmax(sign * means), means.shape)
            worst = max(worst, sign * float(means[place]))
            beyond = worst - sign * self.target
            if not in_full and (beyond > 0 or beyond + room < 0):
                break
            # The next truths lie between the neighbours of the worst ones.
            for i, at in enumerate(map(int, place)):
                low, high = grids[i][max(at - 1, 0)], grids[i][min(at + 1, grids[i].size - 1)]
                grids[i] = np.linspace(low, high, _POINTS if high > low else 1)
        return float(sign * worst)


def work_of_all(question: Question, number: int, last: int) -> float:
    """Return about how many limits decide the sizes of a search that ends at a number."""
    below = question.ladder.answers(np.arange(1, number)).size
    works = [question.work(number + (last - number) * tenth // 10) for tenth in range(11)]
    return below * works[0] + (last + 1 - number) * sum(works) / len(works)


def too_large(question: Question, number: int) -> TooLargeError:
    family, sizes = question.family, question.sizes(np.array([number]))[0]
    answer = family.size_text(sizes.tolist(), 6)
    return TooLargeError(
        f"{family.public_name}: the answer is above {answer}, and to check every size up to "
        f"1.25 times as much would take more than {question.most:,.0f} intervals"
    )


def _probabilities(
    expectations: Expectations, truths: Floats, window: tuple[int, int], size: float
) -> Floats:
    """Return Pr(X = x | truth) for every count x of a window, shape (t, m)."""
    sampling, (low, high) = expectations.family.model.SAMPLING, expectations.family.model.SUPPORT
    table = np.zeros((truths.size, window[1] + 1 - window[0]))
    inside = np.flatnonzero((truths > low) & (truths < high))
    blocks = consecutive_probabilities(sampling, *window, truths[inside], size)
    for rows, columns, probabilities in blocks:
        table[inside[rows], columns] = probabilities
    for row in np.flatnonzero((truths <= low) | (truths >= high)):
        table[row] = sampling.pmf(np.arange(window[0], window[1] + 1), truths[row], size)
    return table
