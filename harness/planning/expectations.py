"""Expectations of a goal at one truth, for many sizes at once.

A table has an axis for the sizes and one for the counts of each sample. ``bounds`` computes the
limits at a few nodes only: where limits rise with the counts, those at the nodes enclose all
between them, and so enclose the expectation. ``means`` computes the limits of every outcome.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Bools, Floats, Positions, distinct_columns
from harness.callers.source import CatalogueSource, Observed, Source
from harness.catalogue import listed_scenarios
from harness.designs.engines.solver import solver_of
from harness.designs.stopping.design import LARGEST_MOST
from harness.designs.stopping.family import rule_of
from harness.distributions.sampling import binomial
from harness.families.combination import Span
from harness.families.family import Family
from harness.methods.method import LimitPair
from harness.planning.arguments import limits_of
from harness.planning.goals import Goal
from harness.planning.lattice import Rule, binomial_rule, next_rule, poisson_rule, product_rule

LimitsOf = Callable[[tuple[Floats, ...]], LimitPair]
"""The limits at m rows of the family's data, arrays of shape (m,)."""

Window = tuple[Floats, Floats]
"""The first and the last possible outcome of a sample at each size, shape (N,) each."""

CELLS = 1 << 19
"""The most cells of one table."""
_RISES = ("rises with x", "is monotone")
"""The properties of which a method needs one, so that few limits bound many."""
_CORE = (0.24, 0.76)
"""The part of a window of possible outcomes, nine standard deviations to each side, that most
nodes lie in. Where they lie decides how narrow the bounds are, and not whether they hold."""


@dataclass(frozen=True)
class Expectations:
    """The expectations of a goal for one method."""

    family: Family
    goal: Goal
    limits: LimitsOf
    are_products: ClassVar[bool] = True
    """Whether outcomes are all combinations of independent counts, the data of the family."""

    def windows(self, sizes: Floats, truths: Sequence[float]) -> list[Window]:
        """Return the first and the last possible outcome of each sample, shape (N,) each.

        Args:
            sizes: the sizes of each sample, shape (N, samples).
            truths: the true value of each sample.
        """
        return [self._window(sizes[:, i], truth) for i, truth in enumerate(truths)]

    def _window(self, sizes: Floats, truth: float) -> Window:
        """The first and the last possible outcome of one sample."""
        window = self.family.model.SAMPLING.window
        ends = np.array([window(truth, truth, size) for size in sizes.tolist()], float)
        return ends[:, 0], ends[:, 1]

    def outcomes(self, sizes: Floats, truths: Sequence[float], *, alone: bool = False) -> Floats:
        """Return the number of possible outcomes at each size, shape (N,).

        Args:
            sizes: the sizes of each sample, shape (N, samples).
            truths: the true value of each sample.
            alone: whether the size is decided without its neighbours, which may share outcomes.
        """
        widths = [last - first + 1.0 for first, last in self.windows(sizes, truths)]
        return np.asarray(np.prod(widths, axis=0))

    def means(self, sizes: Floats, truths: Sequence[float]) -> Floats:
        """Return E[g] at each size, shape (N,), from the limits of every possible outcome.

        Args:
            sizes: the sizes of each sample, shape (N, samples).
            truths: the true value of each sample.
        """
        windows = self.windows(sizes, truths)
        widths = [last - first + 1.0 for first, last in windows]
        means, start = np.empty(len(sizes)), 0
        while start < len(sizes):
            # As many sizes as make a table of a bounded number of cells.
            largest, stop = [width[start] for width in widths], start + 1
            while stop < len(sizes):
                wider = [max(a, width[stop]) for a, width in zip(largest, widths, strict=True)]
                if np.prod(wider) * (stop + 1 - start) > CELLS:
                    break
                largest, stop = wider, stop + 1
            rows = slice(start, stop)
            here = [(first[rows], last[rows]) for first, last in windows]
            means[rows] = self._means_of_table(sizes[rows], truths, here)
            start = stop
        return means

    def _means_of_table(
        self, sizes: Floats, truths: Sequence[float], windows: Sequence[Window]
    ) -> Floats:
        """E[g] at sizes that are few enough for one table."""
        counts, inside, probability = [], [], []
        for i, (truth, (first, last)) in enumerate(zip(truths, windows, strict=True)):
            x = first[:, np.newaxis] + np.arange(int((last - first).max()) + 1)
            possible = x <= last[:, np.newaxis]
            x = np.minimum(x, last[:, np.newaxis])
            pmf = self.family.model.SAMPLING.pmf(x, truth, sizes[:, i, np.newaxis])
            counts.append(x)
            inside.append(possible)
            probability.append(np.where(possible, pmf, 0.0))
        lower, upper = self._table(sizes, counts, inside)
        return _expectation(self.goal.values(lower, upper), probability)

    def values_at(self, sizes: Floats, columns: Sequence[Floats]) -> Floats:
        """Return g at all combinations of counts, an axis for each sample.

        Args:
            sizes: the size of each sample, shape (samples,).
            columns: the counts of each sample.
        """
        counts = [column[np.newaxis] for column in columns]
        inside = [np.ones(x.shape, bool) for x in counts]
        lower, upper = self._table(sizes[np.newaxis], counts, inside)
        return np.asarray(self.goal.values(lower, upper)[0])

    def rule(self, sizes: Floats, truths: Sequence[float], m: int) -> Rule:
        """Return rows of data and their weights, shape (N, m^d) each, that have the mean of g."""
        rules = []
        for i, truth in enumerate(truths):
            p, size = np.full(len(sizes), truth), sizes[:, i]
            is_count = self.family.model.SIZE_IS_COUNT
            rules.append(binomial_rule(p, size, m) if is_count else poisson_rule(p * size, m))
        counts, weights = product_rule(rules)
        columns = []
        for i, count in enumerate(counts):
            columns += [count, np.broadcast_to(sizes[:, i, np.newaxis], count.shape)]
        return tuple(columns), weights

    def bounds(self, sizes: Floats, truths: Sequence[float], nodes: int) -> tuple[Floats, Floats]:
        """Return numbers that enclose E[g] at each size, shape (N,) each.

        The limits must rise with the count of a sample whose parameter increases the family's,
        and fall with that of one whose parameter decreases it.

        Args:
            sizes: the sizes of each sample, shape (N, samples).
            truths: the true value of each sample.
            nodes: the number of counts of each sample whose limits are computed.
        """
        low, high = np.empty((2, len(sizes)))
        windows = self.windows(sizes, truths)
        at_once = max(1, CELLS // nodes ** len(truths))
        for start in range(0, len(sizes), at_once):
            rows = slice(start, start + at_once)
            here = [(first[rows], last[rows]) for first, last in windows]
            low[rows], high[rows] = self._bounds_of_table(sizes[rows], truths, here, nodes)
        return low, high

    def _bounds_of_table(
        self, sizes: Floats, truths: Sequence[float], windows: Sequence[Window], nodes: int
    ) -> tuple[Floats, Floats]:
        """Numbers that enclose E[g] at sizes that are few enough for one table."""
        # Counts from the first to the last, most of them in the middle.
        places = np.concatenate([[0.0], np.linspace(*_CORE, nodes - 2), [1.0]])
        counts, probability = [], []
        for i, (truth, (first, last)) in enumerate(zip(truths, windows, strict=True)):
            x = np.floor(first[:, np.newaxis] + (last - first)[:, np.newaxis] * places)
            below = self._cdf(x[:, 1:-1], x[:, -1], truth, sizes[:, i])
            edges = [np.zeros((len(x), 1)), below, np.ones((len(x), 1))]
            counts.append(x)
            probability.append(np.diff(np.concatenate(edges, axis=1), axis=1))
        inside = [np.ones(x.shape, bool) for x in counts]
        table = self._table(sizes, counts, inside)
        lower, upper = (self._corners(limits) for limits in table)
        least, most = self.goal.between(lower, upper)
        return _expectation(least, probability), _expectation(most, probability)

    def _cdf(self, x: Floats, last: Floats, truth: float, sizes: Floats) -> Floats:
        """Return Pr(X ≤ x), which is 1 from the last possible outcome on; shape of x."""
        cdf, below = np.ones(x.shape), x < last[:, np.newaxis]
        size, at = np.broadcast_to(sizes[:, np.newaxis], x.shape)[below], x[below]
        cdf[below] = self.family.model.SAMPLING.cdf(at, np.full(at.size, truth), size)
        return cdf

    def _corners(self, table: Floats) -> tuple[Floats, Floats]:
        """Return the smallest and the largest limit between neighbouring nodes."""
        low, high = table, table
        for axis, direction in enumerate(self.family.combination.directions, 1):
            ahead = [slice(None)] * table.ndim
            behind = [slice(None)] * table.ndim
            ahead[axis], behind[axis] = slice(1, None), slice(None, -1)
            first, second = (behind, ahead) if direction > 0 else (ahead, behind)
            low, high = low[tuple(first)], high[tuple(second)]
        return low, high

    def _table(self, sizes: Floats, counts: Sequence[Floats], inside: Sequence[Bools]) -> LimitPair:
        """Return the limits at all combinations of counts, shape (N, …); 0 at padding."""
        shape = (len(sizes), *(x.shape[1] for x in counts))
        wanted, columns = np.ones(shape, bool), []
        for axis, (x, possible) in enumerate(zip(counts, inside, strict=True), 1):
            place = tuple(n if i in (0, axis) else 1 for i, n in enumerate(shape))
            size = sizes[:, axis - 1].reshape(-1, *[1] * len(counts))
            wanted &= possible.reshape(place)
            columns += [x.reshape(place), size]
        lower, upper = np.zeros((2, *shape))
        data = tuple(np.broadcast_to(column, shape)[wanted] for column in columns)
        lower[wanted], upper[wanted] = self.limits(data)
        return lower, upper


def _expectation(values: Floats, probability: Sequence[Floats]) -> Floats:
    """Return the sum of values by the product of probabilities, shape (N,)."""
    weight = probability[0]
    for pmf in probability[1:]:
        weight = weight[..., np.newaxis] * pmf[:, np.newaxis, :]
    with np.errstate(invalid="ignore"):
        terms = np.where(weight > 0, values * weight, 0.0)
    return np.asarray(terms.reshape(len(terms), -1).sum(axis=1))


@dataclass(frozen=True)
class PairedExpectations(Expectations):
    """The expectations of a goal for one method of pairs.

    The outcomes are pairs of the discordant counts, or where the limits depend on it these with the
    number of pairs that are right in both.
    """

    are_products: ClassVar[bool] = False
    with_both: bool = True
    """Whether the limits depend on how many pairs are right in both."""

    def outcomes(self, sizes: Floats, truths: Sequence[float], *, alone: bool = False) -> Floats:
        """Return the number of possible outcomes at each size, shape (N,).

        Args:
            sizes: the numbers of pairs, shape (N, 1).
            truths: p11, p10 and p01.
            alone: whether the size is decided without its neighbours.
        """
        p11, p10, p01 = truths
        asked = (p10, p01, p11) if self.with_both else (p10, p01)
        return super().outcomes(np.repeat(sizes[:, :1], len(asked), axis=1), asked)

    def means(self, sizes: Floats, truths: Sequence[float]) -> Floats:
        """Return E[g] at each size, shape (N,), from the limits of every possible outcome.

        Args:
            sizes: the numbers of pairs, shape (N, 1).
            truths: p11, p10 and p01.
        """
        return np.array([self._mean(size, *truths) for size in sizes[:, 0].tolist()])

    def rule(self, sizes: Floats, truths: Sequence[float], m: int) -> Rule:
        """Return tables and their weights, shape (N, m² or m³) each, that have the mean of g."""
        p11, p10, p01 = truths
        left, weights, rest = sizes[:, :1], np.ones((len(sizes), 1)), 1.0
        counts: list[Floats] = []
        for cell in (p10, p01, p11) if self.with_both else (p10, p01):
            share = min(cell / rest, 1.0) if rest > 0 else 0.0
            rest -= cell
            left, weights, count, places = next_rule(left, weights, share, m)
            counts = [cell_counts[:, places] for cell_counts in counts] + [count]
        if not self.with_both:
            counts.append(np.zeros(left.shape))
        first_only, second_only, both = counts
        return (both, first_only, second_only, left), weights

    def _mean(self, size: float, p11: float, p10: float, p01: float) -> float:
        """E[g] at one number of pairs, cell by cell of the tables that can occur."""
        first_only, weight, _ = _next(np.array([size]), np.ones(1), p10, 1.0)
        left = size - first_only
        second_only, weight, place = _next(left, weight, p01, 1.0 - p10)
        first_only, left = first_only[place], left[place] - second_only
        both = np.zeros_like(left)
        if self.with_both:
            both, weight, place = _next(left, weight, p11, 1.0 - p10 - p01)
            first_only, second_only = first_only[place], second_only[place]
            left = left[place] - both
        lower, upper = self.limits((both, first_only, second_only, left))
        values = self.goal.values(lower, upper)
        with np.errstate(invalid="ignore"):
            return float(np.where(weight > 0, values * weight, 0.0).sum())


@dataclass(frozen=True)
class ShareExpectations(Expectations):
    """The expectations of a goal whose limits depend on x of N cases, where N is random.

    N of the n cases of a table is binomial, and x given N is. So E[g] = Σ Pr(N) E[g | N], and the
    second factor serves all sizes.
    """

    are_products: ClassVar[bool] = False

    def outcomes(self, sizes: Floats, truths: Sequence[float], *, alone: bool = False) -> Floats:
        """Return about how many limits decide each size, shape (N,); see ``Expectations.outcomes``.

        Nearly all N of neighbouring sizes are the same.
        """
        q, share = truths
        first, last = self._window(sizes[:, 0], q)
        low, high = self._window(last, share)
        numbers, counts = last - first + 1.0, high - low + 1.0
        return numbers * counts if alone else numbers + counts

    def means(self, sizes: Floats, truths: Sequence[float]) -> Floats:
        """Return E[g] at each size, shape (N,).

        Args:
            sizes: the numbers of cases, shape (N, 1).
            truths: the probability of one of the N cases, and that of x among them.
        """
        q, share = truths
        order = np.argsort(sizes[:, 0], kind="stable")
        first, last = self._window(sizes[order, 0], q)
        # Sizes whose N have none in common are computed apart, so that no number between is.
        apart = np.flatnonzero(first[1:] > np.maximum.accumulate(last)[:-1]) + 1
        means = np.empty(order.size)
        for part in np.split(np.arange(order.size), apart):
            if not part.size:
                continue
            cases = np.arange(first[part[0]], last[part].max() + 1.0)
            by_cases = super().means(np.maximum(cases, 1.0)[:, np.newaxis], (share,))
            if cases[0] == 0.0:
                by_cases[0] = self.goal.values(*self.limits((np.zeros(1), np.zeros(1))))[0]
            for place in part:
                inside = slice(int(first[place] - cases[0]), int(last[place] - cases[0]) + 1)
                weight = binomial.pmf(cases[inside], q, sizes[order[place], 0])
                means[order[place]] = weight @ by_cases[inside]
        return means

    def rule(self, sizes: Floats, truths: Sequence[float], m: int) -> Rule:
        """Return x and N and their weights, shape (N, m²) each, that have the mean of g."""
        q, share = truths
        _, weights, cases, _ = next_rule(sizes[:, :1], np.ones((len(sizes), 1)), q, m)
        _, weights, x, places = next_rule(cases, weights, share, m)
        return (x, cases[:, places]), weights


def _next(
    left: Floats, weight: Floats, cell: float, rest: float
) -> tuple[Floats, Floats, Positions]:
    """Return the counts of the next cell among the pairs that are left.

    Args:
        left: how many pairs the cells before leave, shape (m,).
        weight: the probability of the counts before, shape (m,).
        cell: the probability of the cell.
        rest: the probability that the cells before leave.

    Returns:
        The counts, their probability together with the counts before, and the places of these.
    """
    share = min(cell / rest, 1.0) if rest > 0 else 0.0
    counts, places = [], []
    for number, pairs in enumerate(left.tolist()):
        first, last = binomial.window(share, share, pairs)
        counts.append(np.arange(first, last + 1.0))
        places.append(np.full(counts[-1].size, number))
    count, place = np.concatenate(counts), np.concatenate(places)
    return count, weight[place] * binomial.pmf(count, share, left[place]), place


class StoppedExpectations(Expectations):
    """The expectations of a goal where trials end by a stopping rule; the size is the most trials.

    They are sums over all outcomes of the rule at each size.
    """

    are_products: ClassVar[bool] = False

    def outcomes(self, sizes: Floats, truths: Sequence[float], *, alone: bool = False) -> Floats:
        """Return the number of trials by counts that the paths of each size take, shape (N,)."""
        return np.asarray(0.5 * sizes[:, 0] ** 2)

    def means(self, sizes: Floats, truths: Sequence[float]) -> Floats:
        """Return E[g] at each size, shape (N,); of a size that the rule does not have ∞."""
        return np.array([self._mean(size, truths[0]) for size in sizes[:, 0].tolist()])

    def _mean(self, most: float, truth: float) -> float:
        """E[g] at one number of most trials."""
        try:
            ((scenario, *_),) = listed_scenarios(self.family, (most,), [np.array([truth])])
        except InputError:
            return np.inf if self.goal.at_most else 0.0
        ((_, outcomes, probability),) = solver_of(scenario).listed()
        counts = tuple(count.astype(np.float64) for count in scenario.counts(outcomes))
        limits = self.limits(self.family.columns(counts, (most,)))
        return float((self.goal.values(*limits) * probability).sum())


def expectations_of(
    family: Family, goal: Goal, source: Source, alpha: float, ranges: tuple[Span, ...]
) -> tuple[Expectations, tuple[Span, ...]]:
    """Return the expectations of a goal, and the ranges of the truths that they take.

    Args:
        family: the family.
        goal: what a size is to reach.
        source: the method.
        alpha: the probability outside the interval.
        ranges: the range of each true value of the family.

    Raises:
        InputError: there is a range of true values, or no such size, with a stopping rule.
    """
    limits = _limits(family, source, goal.side, alpha)
    if family.stops:
        if ranges[0][0] < ranges[0][1]:
            raise InputError("p should be one number with a stopping rule, found a range")
        # A size before the first look has no rule; a rule that no size has is refused here.
        rule_of(family).up_to(LARGEST_MOST)
        return StoppedExpectations(family, goal, limits), ranges
    if not family.shares_size:
        return Expectations(family, goal, limits), ranges
    view = family.as_pairs
    if view is None:
        return PairedExpectations(family, goal, limits, source.uses_both), ranges
    truths = family.all_truths([np.array(low) for low, _ in ranges])
    cells = [float(cell) for cell in view.arranged(truths)]

    def of_pairs(data: tuple[Floats, ...]) -> LimitPair:
        return limits(view.restored(data))

    if source.uses_both:
        return PairedExpectations(family, goal, of_pairs), tuple((p, p) for p in cells[:3])
    cases, share = view.share_at(view.restored(cells))

    def of_share(data: tuple[Floats, ...]) -> LimitPair:
        return limits(view.table_of(*data))

    return ShareExpectations(family, goal, of_share), ((cases, cases), (share, share))


def _limits(family: Family, source: Source, side: str, alpha: float) -> LimitsOf:
    """Return what computes the limits at rows of data."""
    if isinstance(source, CatalogueSource):
        return partial(source.method.limits, alpha=alpha, side=side, prior=source.prior)

    # Another source is asked for outcomes of one size.
    def of_size(data: tuple[Floats, ...]) -> LimitPair:
        if family.shares_size:
            # All tables of a call have the same number of pairs.
            size, counts = float(sum(column[0] for column in data)), data
        else:
            # The most trials of a stopping rule stand after both counts.
            size, counts = float(data[2][0]), data[:2]
        return limits_of(source, Observed(family, (size,), counts), alpha, side)

    def by_size(data: tuple[Floats, ...]) -> LimitPair:
        lower, upper = np.empty((2, data[0].size))
        sizes, number = distinct_columns(*data[1::2])
        for place, row in enumerate(sizes.T.tolist()):
            here = number == place
            observed = Observed(family, tuple(row), tuple(x[here] for x in data[::2]))
            lower[here], upper[here] = limits_of(source, observed, alpha, side)
        return lower, upper

    return of_size if family.shares_size or family.stops else by_size


def limits_rise(family: Family, source: Source) -> bool:
    """Whether the limits rise and fall with each count, so that few of them bound many."""
    if not isinstance(source, CatalogueSource) or len(family.counts) != family.samples:
        return False
    return not any(name in source.method.exceptions for name in _RISES)
