"""Which outcomes have a limit beyond a value, and their probability, without any other limit.

The outcomes of a size are *lines*: the first count moves along a line, and all others are held. A
method's limits mostly rise with the first count, so that a line has one border, from which on the
lower limit is above the value, or the upper one no longer below it. It takes two decisions to know
a border that was guessed well. The probability of a line is then a binomial or Poisson tail. Of
other methods every outcome of a line is decided.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Bools, Floats, Positions, Rows
from harness.distributions.sampling import binomial
from harness.distributions.sampling.law import Sampling
from harness.families.combination import Span
from harness.families.family import AsPairs, Family

Decide = Callable[[tuple[Floats, ...]], Bools]
"""Whether the limit is beyond the value at m rows of the family's data."""

LEFT_OUT = 1e-10
"""The largest total probability of the outcomes that are left out."""
NATS = 25.0
"""Three windows of counts leave out 6·exp(−25) = 8.3e-11."""
_COARSE = 8
"""One line in so many has its border found without a guess, between which others are guessed."""
_AT_ONCE = 1 << 17
"""The most outcomes that are decided in one call."""


@dataclass(frozen=True)
class Lines(Rows):
    """L lines of outcomes, in the order of their sizes."""

    row: Positions
    """The place of the size of each line."""
    group: Positions
    """Lines of one group have borders that change smoothly from one to the next."""
    trials: Floats
    """The trials or the exposure of the first count."""
    first: Floats
    """The smallest first count that matters."""
    last: Floats
    """The largest one."""
    total: Floats
    """The size of the second sample, or the number of pairs."""
    second: Floats
    """The second count; of pairs those right in the second only. 0 of one sample."""
    both: Floats
    """The pairs right in both, where they matter; otherwise 0."""


class Layout(ABC):
    """How the outcomes of a design are lines."""

    @abstractmethod
    def lines(self, sizes: Floats, spans: Sequence[Span], nats: float) -> Lines:
        """Return the lines of each size.

        Args:
            sizes: the sizes of each sample, shape (N, samples).
            spans: the range of each true value.
            nats: minus the logarithm of half the probability that a window of counts leaves out.
        """

    @abstractmethod
    def data(self, lines: Lines, x: Floats) -> tuple[Floats, ...]:
        """Return the family's columns for a first count on each line, shape (L,)."""

    @abstractmethod
    def weight(self, lines: Lines, truths: Sequence[float]) -> tuple[Floats, float]:
        """Return the probability of each line, and the parameter of the first count on it."""

    @property
    def sampling(self) -> Sampling:
        """The distribution of the first count X on a line."""
        return binomial

    def tail(self, x: Floats, truth: float, trials: Floats, *, above: bool) -> Floats:
        """Return Pr(X > x), or Pr(X ≤ x), for x from −1 on; shape (L,)."""
        sampling, largest = self.sampling, self.sampling.largest_outcome(trials)  # type: ignore[arg-type]
        tail = np.where((x < 0) == above, 1.0, 0.0)
        inner = np.flatnonzero((x >= 0) & (x < largest))
        function = sampling.sf if above else sampling.cdf
        given: tuple[Floats, Floats, Floats] = x[inner], np.full(inner.size, truth), trials[inner]
        tail[inner] = function(*given)  # type: ignore[arg-type]
        return tail

    def pmf(self, x: Floats, truth: float, trials: Floats) -> Floats:
        """Return Pr(X = x), shape (L,)."""
        return self.sampling.pmf(x, truth, trials)


@dataclass(frozen=True)
class SampleLayout(Layout):
    """A line holds the count of the second sample; of one sample a size is a line."""

    family: Family

    def lines(self, sizes: Floats, spans: Sequence[Span], nats: float) -> Lines:
        window = self.sampling.window
        firsts = np.array([window(*spans[0], size, nats) for size in sizes[:, 0].tolist()], float)
        first, last = firsts.T
        row = np.arange(len(sizes))
        nothing = np.zeros(len(sizes))
        if self.family.samples == 1:
            group = np.zeros(len(sizes), int)
            return Lines(row, group, sizes[:, 0], first, last, nothing, nothing, nothing)
        ends = [window(*spans[1], size, nats) for size in sizes[:, 1].tolist()]
        row, second = _in_ranges(ends)
        return Lines(
            row,
            row,
            sizes[row, 0],
            first[row],
            last[row],
            sizes[row, 1],
            second,
            np.zeros_like(second),
        )

    def data(self, lines: Lines, x: Floats) -> tuple[Floats, ...]:
        first = x, lines.trials
        return first if self.family.samples == 1 else (*first, lines.second, lines.total)

    def weight(self, lines: Lines, truths: Sequence[float]) -> tuple[Floats, float]:
        if self.family.samples == 1:
            return np.ones_like(lines.trials), truths[0]
        return self.sampling.pmf(lines.second, truths[1], lines.total), truths[0]

    @property
    def sampling(self) -> Sampling:
        return self.family.model.SAMPLING


@dataclass(frozen=True)
class PairedLayout(Layout):
    """A line holds the pairs right in the second only, and those right in both where they matter.

    The true values are p11, p10 and p01. Given the counts that are held, the pairs right in the
    first only are binomial among those that are left.
    """

    with_both: bool

    def lines(self, sizes: Floats, spans: Sequence[Span], nats: float) -> Lines:
        p11, p10, p01 = spans
        n = sizes[:, 0]
        of_first, of_second, of_both = (
            [binomial.window(*span, size, nats) for size in n.tolist()] for span in (p10, p01, p11)
        )
        row, second = _in_ranges(of_second)
        group, both = row, np.zeros_like(second)
        if self.with_both:
            left = n[row] - second
            ends = np.array(of_both, float)[row]
            ends = np.minimum(ends, left[:, np.newaxis])
            place, both = _in_ranges(ends.astype(int).tolist())
            row, second, group = row[place], second[place], place
        firsts = np.array(of_first, float)[row]
        trials = n[row] - second - both
        first, last = np.minimum(firsts, trials[:, np.newaxis]).T
        return Lines(row, group, trials, first, last, n[row], second, both)

    def data(self, lines: Lines, x: Floats) -> tuple[Floats, ...]:
        return lines.both, x, lines.second, lines.trials - x

    def weight(self, lines: Lines, truths: Sequence[float]) -> tuple[Floats, float]:
        p11, p10, p01 = truths
        weight, left = binomial.pmf(lines.second, p01, lines.total), 1.0 - p01
        if self.with_both:
            share = min(p11 / left, 1.0) if left > 0 else 0.0
            weight = weight * binomial.pmf(lines.both, share, lines.total - lines.second)
            left -= p11
        return weight, min(p10 / left, 1.0) if left > 0 else 0.0


@dataclass(frozen=True)
class ShareLayout(Layout):
    """Limits depend on x of N cases, where N of the n cases of a table is binomial.

    A line holds N; x is binomial among these. The true values are the probability of one of the N
    cases, and that of x among them.
    """

    view: AsPairs

    def lines(self, sizes: Floats, spans: Sequence[Span], nats: float) -> Lines:
        of_cases, of_share = spans
        n = sizes[:, 0]
        row, cases = _in_ranges([binomial.window(*of_cases, size, nats) for size in n.tolist()])
        ends = [binomial.window(*of_share, count, nats) if count else (0, 0) for count in cases]
        first, last = np.array(ends, float).T
        nothing = np.zeros_like(cases)
        return Lines(row, row, cases, first, last, n[row], nothing, nothing)

    def data(self, lines: Lines, x: Floats) -> tuple[Floats, ...]:
        return self.view.table_of(x, lines.trials)

    def weight(self, lines: Lines, truths: Sequence[float]) -> tuple[Floats, float]:
        return binomial.pmf(lines.trials, truths[0], lines.total), truths[1]


def _in_ranges(ends: Sequence[Sequence[int]]) -> tuple[Positions, Floats]:
    """Return every whole number of each range, the last included, and the place of its range."""
    counts = [np.arange(first, last + 1.0) for first, last in ends]
    place = np.repeat(np.arange(len(counts)), [count.size for count in counts])
    return place, np.concatenate(counts) if counts else np.empty(0)


@dataclass(frozen=True)
class Decisions:
    """What was decided on the lines of some sizes, whatever the true values are."""

    layout: Layout
    lines: Lines
    x: Floats
    """The border of each line, or the first counts whose limit is beyond the value."""
    place: Positions | None
    """The line of each of these counts; None where x are borders."""
    above: bool
    """Whether it is the lower limit that is to be above the value."""

    def probabilities(self, truths: Sequence[float], sizes: int) -> Floats:
        """Return the probability that the limit is beyond the value at each size, shape (sizes,).

        Args:
            truths: the true values.
            sizes: how many sizes there are.
        """
        weight, truth = self.layout.weight(self.lines, truths)
        if self.place is None:
            tail = self.layout.tail(self.x - 1.0, truth, self.lines.trials, above=self.above)
            return np.bincount(self.lines.row, weight * tail, sizes).astype(np.float64)
        pmf = self.layout.pmf(self.x, truth, self.lines.trials[self.place])
        row, weight = self.lines.row[self.place], weight[self.place]
        return np.bincount(row, weight * pmf, sizes).astype(np.float64)


def borders(layout: Layout, lines: Lines, decide: Decide, *, above: bool) -> Decisions:
    """Return the border of each line of a method whose limits rise with the first count.

    It is the smallest count whose lower limit is above the value, or whose upper limit is not below
    it; one more than the last where there is none.
    """

    def is_past(places: Positions, x: Floats) -> Bools:
        return np.equal(decide(layout.data(lines.at(places), x)), above)

    number = np.arange(lines.row.size)
    edge = np.flatnonzero(np.diff(lines.group, prepend=-1, append=-1))
    inside = number - np.repeat(edge[:-1], np.diff(edge))
    coarse = inside % _COARSE == 0
    coarse[edge[1:] - 1] = True
    x = np.empty(number.size)
    some, others = np.flatnonzero(coarse), np.flatnonzero(~coarse)
    x[some] = _search(is_past, some, lines, np.full(some.size, np.nan))
    x[others] = _search(is_past, others, lines, np.round(np.interp(others, some, x[some])))
    return Decisions(layout, lines, x, None, above)


def _search(
    is_past: Callable[[Positions, Floats], Bools], places: Positions, lines: Lines, guess: Floats
) -> Floats:
    """Return the borders of some lines: from a guess by steps that double, else by halving."""
    low, high = lines.first[places] - 1.0, lines.last[places] + 1.0
    step, at = np.where(np.isnan(guess), np.inf, 1.0), guess
    active = np.flatnonzero(high - low > 1.0)
    while active.size:
        middle = np.floor(0.5 * (low[active] + high[active]))
        here = at[active]
        here = np.where((here > low[active]) & (here < high[active]), here, middle)
        past = np.empty(active.size, bool)
        for start in range(0, active.size, _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            past[part] = is_past(places[active[part]], here[part])
        high[active[past]], low[active[~past]] = here[past], here[~past]
        at[active] = np.where(past, here - step[active], here + step[active])
        step[active] *= 2.0
        active = active[high[active] - low[active] > 1.0]
    return high


def all_outcomes(layout: Layout, lines: Lines, decide: Decide, *, above: bool) -> Decisions:
    """Return the outcomes whose limit is beyond the value, of a method whose limits may fall."""
    counts = (lines.last - lines.first + 1.0).astype(int)
    ends = np.cumsum(counts)
    x, places, start = [], [], 0
    while start < counts.size:
        stop = max(start + 1, int(np.searchsorted(ends, ends[start] - counts[start] + _AT_ONCE)))
        number = counts[start:stop]
        place = np.repeat(np.arange(start, start + number.size), number)
        offset = np.arange(place.size) - np.repeat(np.cumsum(number) - number, number)
        count = lines.first[place] + offset
        beyond = decide(layout.data(lines.at(place), count))
        x.append(count[beyond])
        places.append(place[beyond])
        start = stop
    return Decisions(
        layout,
        lines,
        np.concatenate(x) if x else np.empty(0),
        np.concatenate(places) if places else np.empty(0, int),
        above,
    )
