"""The tail probabilities that the limits of a method leave, at the outcomes of one size.

Of one sample the lower limit L at an outcome leaves Pr(X ≥ x | L), the upper limit U leaves
Pr(X ≤ x | U). Of two samples and of pairs the tails are those at the truths nearest to the data.

The nearest truths are the most likely ones: of two samples the pair on the line θ(θ₁, θ₂) = L, of
pairs the table of probabilities with θ = L, at which the probability of the observed counts is
largest.

A truth just below a lower limit L is missed by all outcomes whose own lower limit is at least L.
The tail of L is their probability at the most likely truth with the parameter L: the probability
with which the method's lower limits miss that truth. Of one sample it is Pr(X ≥ x | L). Where the
listed outcomes do not hold nearly all probability there is no tail, but for large counts an r: that
of the score test of L, whose statistic is Pearson's χ of the counts and those expected.

Measured for the methods of the catalogue, at alpha = 0.01 … 0.2 and the sizes of the grid, by the
tails of all outcomes of 20 and 25, 37 and 21 and drawn sizes, by few events of large samples, and
by the score at counts up to 10^6: r is within 0.81 … 1.25 and |r − 1| z √m at most 2 for scores,
MOVER, mid-P and odds ratios, with m the least count. Exact conditional limits have r up to 1.33,
Wald intervals of differences, of their logarithms and with additions to the counts 0.75 … 1.37 and
|r − 1| z √m up to 5. The Wald interval of a difference of rates has 1.54, and a union bound of four
limits 2.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.special import gammaln, ndtri

from harness.base.numerics.arrays import Bools, Floats, Positions
from harness.checks.conformance.properties import Evaluation, SideLimits
from harness.families.combination import Combination, PairedParameter
from harness.families.family import Family
from harness.methods.method import LOWER, UPPER
from harness.methods.remarks import rounding

LimitName = Literal["lower", "upper"]

_SMALLEST = 1e-300
"""A smaller tail counts as this one: its normal quantile is 37."""
_LARGEST = 1.0 - 1e-16


@dataclass(frozen=True)
class LimitTails(SideLimits):
    """The tail that each limit of one side of a method leaves, at all outcomes of one size.

    The lower limit L at an outcome leaves Pr(X ≥ x | L), the upper limit U leaves Pr(X ≤ x | U).
    An equal-tailed exact interval has alpha/2 for both.
    """

    tail: Mapping[LimitName, Floats]
    """The tail of each limit; not a number where there is none: the limit is missing, is at its
    own end of the range or beyond, or belongs to the open side."""
    r: Mapping[LimitName, Floats]
    """z(tail with half of x's probability) / z(alpha/2), of one-sided limits / z(alpha), which is
    near 1 for a sound method; not a number where there is no tail."""
    least: Floats
    """The smallest of the counts of successes and of failures, or of events, on which it depends
    how near r is to 1; shape of the outcomes."""

    @property
    def names(self) -> tuple[LimitName, ...]:
        """The limits that are not the open side."""
        sides: dict[str, tuple[LimitName, ...]] = {LOWER: ("lower",), UPPER: ("upper",)}
        return sides.get(self.side, ("lower", "upper"))

    @property
    def expected(self) -> Floats:
        """The tail that a limit should leave at each alpha: alpha/2, or alpha if one-sided."""
        return np.array(self.alphas) / (2.0 if self.is_two_sided else 1.0)

    def limit(self, name: LimitName) -> Floats:
        """The limits of this name."""
        return self.lower if name == "lower" else self.upper

    def has_tail(self, name: LimitName) -> Bools:
        """Where the limits of this name have a tail."""
        return ~np.isnan(self.tail[name])

    @property
    def z(self) -> Floats:
        """z(alpha/2), of one-sided limits z(alpha), in a shape that broadcasts over the arrays."""
        return np.asarray(self.by_alpha(upper_quantile(self.expected)))


def upper_quantile(tail: Floats) -> Floats:
    """z(tail), the standard normal quantile with this probability above it; of any shape."""
    return np.asarray(-ndtri(np.clip(tail, _SMALLEST, _LARGEST)))


def r_of(half_tail: Floats, expected: Floats) -> Floats:
    """z(half_tail) / z(expected), which broadcast; not a number where half_tail is not.

    Args:
        half_tail: the tails with half of the outcome's own probability.
        expected: alpha/2, or alpha for one-sided limits; below one half.
    """
    return np.asarray(upper_quantile(half_tail) / -ndtri(expected))


LARGEST_ALPHA = 0.4
"""Above it the quantile that r divides by is near 0."""


def tails_of_one_sample(evaluation: Evaluation) -> LimitTails:
    """The tails of all limits of one size, those of alphas up to 0.4.

    The lower limit L has Pr(X ≥ x | L), the upper limit U has Pr(X ≤ x | U).

    Args:
        evaluation: limits of a family with a single count, shape (a, k).
    """
    outcomes, family = evaluation.outcomes, evaluation.family
    kept = evaluation.at_alphas(np.array(evaluation.alphas) <= LARGEST_ALPHA)
    lower, upper = kept.lower, kept.upper
    (counts,), (size,) = outcomes.flat(), outcomes.sizes
    low, high = family.support
    expected = np.array(kept.alphas)[:, np.newaxis] / (2.0 if kept.is_two_sided else 1.0)
    lower_used, upper_used = lower > low, upper < high
    if family.law is not None:
        # A limit beyond the range is clipped to either end of it.
        lower_used, upper_used = lower_used & (lower < high), upper_used & (upper > low)
    lower_tail, lower_half = _tails(family, counts, lower, size, lower_used, from_below=False)
    upper_tail, upper_half = _tails(family, counts, upper, size, upper_used, from_below=True)
    return LimitTails(
        **vars(kept),
        tail={"lower": lower_tail, "upper": upper_tail},
        r={"lower": r_of(lower_half, expected), "upper": r_of(upper_half, expected)},
        least=np.minimum.reduce(family.model.counts_of(counts, size)),
    )


def _tails(
    family: Family, counts: Floats, limits: Floats, size: float, used: Bools, *, from_below: bool
) -> tuple[Floats, Floats]:
    """The tail at each limit, and the tail with half of the outcome's own probability.

    Args:
        family: of a single count.
        counts: shape (k,).
        limits: shape (a, k).
        size: the size of the sample.
        used: the limits that have a tail, if they are finite; shape (a, k).
        from_below: Pr(X ≤ x), or else Pr(X ≥ x).
    """
    tail, half = np.full((2, *limits.shape), np.nan)
    low, high = family.support
    places = used & np.isfinite(limits)
    x = np.broadcast_to(counts, limits.shape)[places]
    truth = family.model_parameter(np.clip(limits[places], low, high))
    sampling = family.model.SAMPLING
    whole = np.ones(x.size)
    if from_below:
        some = x < sampling.largest_outcome(size)
        whole[some] = sampling.cdf(x[some], truth[some], size)
    else:
        some = x > 0
        whole[some] = sampling.sf(x[some] - 1.0, truth[some], size)  # type: ignore[arg-type]
    tail[places] = whole
    half[places] = np.maximum(whole - 0.5 * sampling.pmf(x, truth, size), 0.0)
    return tail, half


Truths = tuple[Floats, ...]
"""The truth of each sample, or the probability of each cell of pairs; shape (m,) each."""

_HALVINGS = 40
"""Halvings of the bracket of the most likely truth: it need not be as exact as a limit is, since a
tail changes slowly along the line."""
_NO_PAIR = 1e-6
"""Stands for a count of 0 in a table, whose most likely probability may still be above 0."""


def nearest_truths(
    family: Family, counts: Truths, sizes: tuple[float, ...], parameter: Floats
) -> Truths:
    """Return the most likely truths with these values of the parameter.

    Of two samples it is the pair (θ₁, θ₂) with w₁g(θ₁) + w₂g(θ₂) = h(L). The log likelihood of each
    sample is concave in its coordinate g, so that its derivative along the line falls, and the root
    lies between the points where one of the samples fits best.

    Args:
        family: of two samples or of pairs.
        counts: the counts of each sample, or of each cell, shape (m,) each.
        sizes: the size of each sample.
        parameter: inside the range of the family's parameter, shape (m,).
    """
    if family.of_pairs is not None:
        return _nearest_tables(family.of_pairs, counts, parameter)
    combination = family.combination
    first_weight, second_weight = combination.weights
    height = combination.scale.of(parameter)
    spans = [combination.inside(family.model.SUPPORT, size) for size in sizes]
    best = [
        combination.coordinate(np.clip(x / size, *span))
        for x, size, span in zip(counts, sizes, spans, strict=True)
    ]
    ends = [combination.coordinate(np.array(span, np.float64)) for span in spans]
    others = [(height - second_weight * end) / first_weight for end in (best[1], *ends[1])]
    low = np.maximum(ends[0][0], np.minimum(others[1], others[2]))
    high = np.minimum(ends[0][1], np.maximum(others[1], others[2]))
    left = np.clip(np.minimum(best[0], others[0]), low, high)
    right = np.clip(np.maximum(best[0], others[0]), low, high)
    for _ in range(_HALVINGS):
        middle = 0.5 * (left + right)
        truths = _on_line(combination, height, middle, spans)
        with np.errstate(divide="ignore", invalid="ignore"):
            slopes = []
            for x, size, truth in zip(counts, sizes, truths, strict=True):
                slopes.append(family.model.score(x, size, truth) / combination.slope(truth))
            rises = slopes[0] - slopes[1] * first_weight / second_weight > 0
        left, right = np.where(rises, middle, left), np.where(rises, right, middle)
    return _on_line(combination, height, 0.5 * (left + right), spans)


def _on_line(
    combination: Combination, height: Floats, first: Floats, spans: list[tuple[float, float]]
) -> Truths:
    """The truths of both samples where the first one has this coordinate."""
    first_weight, second_weight = combination.weights
    second = (height - first_weight * first) / second_weight
    return tuple(
        np.clip(combination.from_coordinate(coordinate), *span)
        for coordinate, span in zip((first, second), spans, strict=True)
    )


def _nearest_tables(of_pairs: PairedParameter, counts: Truths, parameter: Floats) -> Truths:
    """The table pᵢ = nᵢ/(n(1 + λaᵢ)) with Σ aᵢpᵢ = 0, where Σ aᵢpᵢ falls with λ.

    It is the most likely one under the linear constraint that the parameter is.
    """
    assert of_pairs.constraint is not None
    weights = np.array(of_pairs.constraint(parameter))
    filled = np.maximum(np.array(counts), _NO_PAIR)
    left, right = -1.0 / weights.max(axis=0), -1.0 / weights.min(axis=0)
    for _ in range(_HALVINGS):
        middle = 0.5 * (left + right)
        is_left = (filled * weights / (1.0 + middle * weights)).sum(axis=0) > 0
        left, right = np.where(is_left, middle, left), np.where(is_left, right, middle)
    cells = filled / (1.0 + 0.5 * (left + right) * weights)
    return tuple(cells / cells.sum(axis=0))


FEWEST_OF_SCORE = 20.0
"""The least count from which on the score statistic stands for the tail: it is off by the skewness
of the counts, which moves an exact limit by (z² − 1)/(6z √m) relative to z, 0.11 at most here."""
SMALLEST_ALPHA = 0.0002
"""Below it limits are so near to the ends of the range that rounding counts."""
MOST_LIMITS = 900
"""The limits of one size whose tails are computed, where all outcomes are listed; of more limits
these are equally spaced."""
LEFT_OUT = 0.01
"""The most probability of outcomes that are not listed, as a multiple of the expected tail."""
_NUMBERS_AT_ONCE = 1 << 20


def tails_of_several_counts(evaluation: Evaluation) -> LimitTails:
    """The tails of all limits of one size, those of alphas from 0.0002 to 0.4.

    Args:
        evaluation: limits of a family of two samples or of pairs, shape (a, k₁, k₂) or (a, m).
    """
    outcomes = evaluation.outcomes
    usual = np.array([SMALLEST_ALPHA <= alpha <= LARGEST_ALPHA for alpha in evaluation.alphas])
    kept = evaluation.at_alphas(usual)
    alphas, lower, upper = kept.alphas, kept.lower, kept.upper
    family, counts = evaluation.family, outcomes.flat()
    view = family.as_pairs
    if view is not None:
        family, counts = view.family, view.arranged(counts)
    listed = _ListedCounts(family, outcomes.sizes, counts)
    limits = np.array((lower, upper)).reshape(2 * len(alphas), -1)
    signs = np.repeat((1.0, -1.0), len(alphas))
    expected = np.tile(alphas, 2) / (2.0 if kept.is_two_sided else 1.0)
    tails, r = listed.tails(signs, limits, expected)
    tails, r = tails.reshape(2, *lower.shape), r.reshape(2, *lower.shape)
    return LimitTails(
        **vars(kept),
        tail={"lower": tails[0], "upper": tails[1]},
        r={"lower": r[0], "upper": r[1]},
        least=np.where(listed.chosen, listed.least_counts, 0.0).reshape(lower.shape[1:]),
    )


@dataclass(frozen=True)
class _ListedCounts:
    """The m outcomes of one size at which there are limits."""

    family: Family
    sizes: tuple[float, ...]
    counts: Truths
    """The counts of each sample, or of each cell of pairs, shape (m,) each."""

    @cached_property
    def least_counts(self) -> Floats:
        """The least of the counts that matter at each outcome, shape (m,)."""
        if self.family.shares_size:
            both, first, second, neither = self.counts
            return np.asarray(np.minimum.reduce((first, second, both + neither)))
        sized = zip(self.counts, self.sizes, strict=True)
        parts = [part for x, size in sized for part in self.family.model.counts_of(x, size)]
        return np.asarray(np.minimum.reduce(parts))

    @property
    def chosen(self) -> Bools:
        """The outcomes whose limits are looked at, shape (m,)."""
        chosen = np.zeros(self.counts[0].size, np.bool_)
        chosen[:: -(-chosen.size // MOST_LIMITS)] = True
        return chosen

    @cached_property
    def estimate(self) -> Floats:
        """The estimate of the parameter at each outcome, shape (m,)."""
        return self.family.estimate(self.family.columns(self.counts, self.sizes))

    def tails(self, signs: Floats, limits: Floats, expected: Floats) -> tuple[Floats, Floats]:
        """The tail of each limit and its r, not numbers where there is none; shape (k, m) each.

        Args:
            signs: 1 of lower limits, −1 of upper ones, shape (k,).
            limits: at each outcome, shape (k, m).
            expected: the tail that a limit should leave, shape (k,).
        """
        low, high = self.family.support
        tail, half = np.full((2, *limits.shape), np.nan)
        rows, places = np.nonzero((limits > low) & (limits < high) & self.chosen)
        counts = tuple(column[places] for column in self.counts)
        truths = nearest_truths(self.family, counts, self.sizes, limits[rows, places])
        for row in np.unique(rows):
            outward, level = signs[row] * limits[row], float(expected[row])
            for block in self._blocks(np.flatnonzero(rows == row)):
                at, here = tuple(truth[block] for truth in truths), places[block]
                tail[row, here], half[row, here] = self._missed(at, outward, here, level)
        r = r_of(half, expected[:, np.newaxis])
        unlisted = np.flatnonzero(np.isnan(tail).all(axis=1)[rows])
        rows, places = rows[unlisted], places[unlisted]
        score = self._score(places, tuple(truth[unlisted] for truth in truths))
        above = np.sign(self.estimate[places] - limits[rows, places])
        r[rows, places] = signs[rows] * above * score / -ndtri(expected[rows])
        return tail, r

    def _blocks(self, places: Positions) -> Iterator[Positions]:
        """The places in blocks, so that a number for each of them and each outcome fits memory."""
        size = max(1, _NUMBERS_AT_ONCE // max(1, self.counts[0].size))
        for start in range(0, places.size, size):
            yield places[start : start + size]

    def _missed(
        self, truths: Truths, outward: Floats, block: Positions, expected: float
    ) -> tuple[Floats, Floats]:
        """The probability of limits as far as that of each place; and with half of those equal.

        Args:
            truths: nearest to the limits of the block.
            outward: the limits, or upper ones with their signs changed, shape (m,).
            block: the places of the limits.
            expected: the tail that a limit should leave.
        """
        at, ordered = outward[block], np.argsort(outward)  # missing ones come last
        outward = outward[ordered]
        count = np.searchsorted(outward, np.nan)
        tolerance = rounding(at, self.family, self.sizes)
        probability = self._probability(truths, ordered[:count])
        ties = np.searchsorted(outward[:count], at - tolerance)
        beyond = np.searchsorted(outward[:count], at + tolerance, "right")
        # The sums of each row over its parts below, among and above the ties; no part is empty, as
        # a number of 0 stands before and after each row.
        starts = np.arange(block.size) * probability.shape[1]
        edges = np.array((starts, starts + 1 + ties, starts + 1 + beyond)).T.ravel()
        below, tied, above = np.add.reduceat(probability.ravel(), edges).reshape(-1, 3).T
        is_listed = below + tied + above >= 1.0 - LEFT_OUT * expected
        whole, half = tied + above, 0.5 * tied + above
        return np.where(is_listed, whole, np.nan), np.where(is_listed, half, np.nan)

    def _probability(self, truths: Truths, places: Positions) -> Floats:
        """The probability of outcomes at each of k truths, between two columns of 0.

        Args:
            truths: shape (k,) each.
            places: of the outcomes, shape (m,).

        Returns:
            Shape (k, m + 2).
        """
        probability = np.zeros((truths[0].size, places.size + 2))
        inner = probability[:, 1:-1]
        counts = [column[places] for column in self.counts]
        if self.family.shares_size:
            inner += gammaln(self.sizes[0] + 1.0) - sum(gammaln(x + 1.0) for x in counts)
            inner += np.log(np.array(truths)).T @ np.array(counts)
            np.exp(inner, out=inner)
            return probability
        pmf = self.family.model.SAMPLING.pmf
        inner += 1.0
        for x, truth, size in zip(counts, truths, self.sizes, strict=True):
            values, back = np.unique(x, return_inverse=True)
            inner *= pmf(values, truth[:, np.newaxis], size)[:, back]
        return probability

    def _score(self, places: Positions, truths: Truths) -> Floats:
        """Pearson's χ of large counts at these places, not a number of others."""
        square = np.zeros(places.size)
        sizes = self.family.size_of_counts(self.sizes)
        for column, truth, size in zip(self.counts, truths, sizes, strict=True):
            mean = size * truth
            variance = self.family.model.count_variance(mean, truth)
            with np.errstate(divide="ignore", invalid="ignore"):
                square += (column[places] - mean) ** 2 / variance
        return np.where(self.least_counts[places] >= FEWEST_OF_SCORE, np.sqrt(square), np.nan)
