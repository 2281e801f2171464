"""The comparison of published numbers with a second computation of them.

At listed truths the engine sums tails at the boundaries of the sets of outcomes that miss, and
probabilities in saddle-point form; here probabilities come from a recurrence, and an outcome misses
by its place among the sorted truths.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from harness.base.numerics.arrays import Floats, Positions
from harness.designs.design import Scenario
from harness.designs.engines.posterior import Integrated, is_under_prior
from harness.designs.limits import Limits
from harness.designs.results import Enumerated, Exact, Mean, weighted, weighted_mean
from harness.distributions.truths import Prior
from harness.families.family import ENUMERATION, POSTERIOR

TOLERANCE = 1e-11
"""The largest relative difference between two computations of a number that agree."""

# Probabilities below this are compared with an absolute error of this times the tolerance.
_SMALL = 1e-5

SECOND = "second computation"


@dataclass(frozen=True)
class Comparison:
    """How far published numbers are from a second computation of them."""

    published: str
    """The engine that computed the numbers that the tables hold."""
    against: str
    """The engine that computed the others, or ``SECOND``."""
    of: str
    """What is compared: "means", "outcomes", "truths", "weights" or "worst cases"."""
    discrepancy: Floats
    """The largest relative difference of each column, shape (k,)."""


@dataclass(frozen=True)
class Published:
    """What the exact engines computed of one scenario."""

    enumerated: Enumerated | None
    """None where neither the tables nor Monte Carlo need it."""
    integrated: Integrated | None
    """None unless the engine ``posterior`` runs."""
    reference_prior: Prior
    """The prior of ``integrated.under_prior``, or of ``integrated.by_outcome`` if that is None."""

    @property
    def under_prior(self) -> Exact | None:
        """The posterior mass under the reference prior."""
        if self.integrated is None:
            return None
        return self.integrated.under_prior or self.integrated.by_outcome

    def under_truth(self, scenario: Scenario) -> Integrated | None:
        """Return what the engine ``posterior`` publishes, if it is under the truth's distribution.

        Args:
            scenario: of independent samples.
        """
        integrated = self.integrated
        if integrated is None or integrated.under_prior is not None:
            return integrated
        return integrated if is_under_prior(scenario, self.reference_prior) else None


def relative_difference(first: Floats, second: Floats, small: Floats | float = 0.0) -> Floats:
    """Return |a − b| / (max(|a|, |b|) + small), and 0 where both are equal; broadcast."""
    with np.errstate(invalid="ignore"):
        larger = np.maximum(np.abs(first), np.abs(second)) + small
        return np.where(first == second, 0.0, np.abs(first - second) / larger)


def means_apart(first: Mean, second: Mean, small: float = _SMALL) -> Floats:
    """Return the relative difference of two means, the largest of its three parts; shape (k,).

    Args:
        first, second: of the same k columns.
        small: miss probabilities below this are compared with an absolute error.
    """
    return np.asarray(np.max(_differences(first, second, small), axis=0))


def _differences(first: Mean | Exact, second: Mean | Exact, small: Floats | float) -> list[Floats]:
    """Return the relative differences of what is missed below, of what is above, and of lengths."""
    return [
        relative_difference(first.below, second.below, small),
        relative_difference(first.above, second.above, small),
        relative_difference(first.length, second.length),
    ]


def cells_apart(
    first: Exact,
    second: Exact,
    probability: Floats,
    rounding: Floats | float = 0.0,
    least: float = 0.0,
) -> Floats:
    """Return the largest relative difference of the misses given each condition, shape (k,).

    A difference in a cell counts as far as it can be told from the rounding of the probability of
    a miss together with the condition.

    Args:
        first, second: under the same c conditions.
        probability: of each condition, shape (c,).
        rounding: relative differences that do not count, shape (c,).
        least: misses below this are compared with an absolute error whatever the probability.
    """
    small = np.maximum(_SMALL / np.maximum(probability, 1e-300), least)
    parts = np.array(_differences(first, second, small))
    return np.asarray(np.max(parts - rounding, axis=(0, 2), initial=0.0))


def compare_cells(
    engines: tuple[str, str],
    published: Exact,
    other: Exact,
    rounding: Callable[[Exact], Floats] | None = None,
    least: float = 0.0,
    weighted: bool = True,
) -> list[Comparison]:
    """Compare the misses given each outcome, and the probabilities of the outcomes.

    Args:
        engines: which one published the numbers, and which one computed the others.
        published: under some conditions.
        other: under some conditions, with their probabilities as weights; those that both have are
            compared.
        rounding: returns the relative differences that do not count.
        least: misses below this are compared with an absolute error whatever the probability.
        weighted: whether the probabilities of the outcomes are compared.
    """
    columns = published.below.shape[0]
    published, other = common(published, other)
    share = other.weight / other.weight.sum()
    uncounted = 0.0 if rounding is None else rounding(other)
    apart = cells_apart(published, other, share, uncounted, least)
    comparisons = [Comparison(*engines, "outcomes", apart)]
    if weighted:
        apart = weights_apart(published.weight, other.weight, columns)
        comparisons.append(Comparison(*engines, "weights", apart))
    return comparisons


def weights_apart(first: Floats, second: Floats, columns: int) -> Floats:
    """Return the largest relative difference of the weights of conditions, for each column.

    Weights far below the largest one are compared with an absolute error.
    """
    small = _SMALL * second.max(initial=0.0)
    largest = relative_difference(first, second, small).max(initial=0.0)
    return np.full(columns, largest)


def common(first: Exact, second: Exact) -> tuple[Exact, Exact]:
    """Return both under the conditions that they have in common."""
    conditions = np.intersect1d(first.conditions, second.conditions, assume_unique=True)
    return first.at(conditions), second.at(conditions)


def compare_posterior_mean(
    integrated: Integrated, again: Floats, small: float = _SMALL
) -> list[Comparison]:
    """Compare the mean of the posterior with one by other weights, and the weights themselves.

    Args:
        integrated: what the engine ``posterior`` computed, with a mean.
        again: a second computation of the weights of its cells, or these themselves.
        small: as of ``means_apart``.
    """
    cells, comparisons = integrated.by_outcome, []
    if again is not cells.weight:
        apart = weights_apart(cells.weight, again, cells.below.shape[0])
        comparisons.append(Comparison(POSTERIOR, SECOND, "weights", apart))
    parts = (cells.below, cells.above, cells.length)
    mean = Mean(*(np.array([weighted_mean(row, again) for row in rows]) for rows in parts))
    assert integrated.mean is not None
    apart = means_apart(integrated.mean, mean, small)
    return [*comparisons, Comparison(POSTERIOR, SECOND, "means", apart)]


def compare_worst_cases(published: Published) -> list[Comparison]:
    """Compare the worst cases with the truths and the mean, which are missed no more often."""
    enumerated = published.enumerated
    if enumerated is None:
        return []
    worst = np.array([np.inf if case is None else case.alpha for case in enumerated.worst])
    anywhere = [np.inf if case is None else case.alpha for case in enumerated.worst_anywhere]
    missed = np.zeros(worst.size)
    if enumerated.mean is not None:
        missed = enumerated.mean.below + enumerated.mean.above
    if enumerated.by_truth is not None:
        by_truth = enumerated.by_truth
        missed = np.maximum(missed, (by_truth.below + by_truth.above).max(axis=1))
    excess = np.maximum(missed - worst, 0.0)
    beyond = np.where(np.isfinite(worst), worst, -np.inf) - np.array(anywhere)
    return [Comparison(ENUMERATION, ENUMERATION, "worst cases", np.maximum(excess, beyond))]


Rows = tuple[Positions, Positions, Floats]
"""The numbers of some truths, the positions of outcomes in a table of limits, and the probabilities
of the outcomes at the truths, of the shape of both."""


@dataclass(frozen=True)
class Sums:
    """The sums of k columns over t listed truths and m outcomes."""

    by_truth: Exact
    by_outcome: Exact
    """Given all outcomes of the table, with weight 0 for those that cannot occur."""


def sums_over(rows: Iterable[Rows], parameter: Floats, limits: Limits) -> Sums:
    """Return the misses at each truth and given each outcome.

    Args:
        rows: the probabilities of outcomes at the listed truths.
        parameter: the parameter at each listed truth, shape (t,).
        limits: of all outcomes that can occur.
    """
    order = np.argsort(parameter, kind="stable")
    rank = np.empty(parameter.size, np.int64)
    rank[order] = np.arange(parameter.size)
    ascending = parameter[order]
    first_not_below = np.searchsorted(ascending, limits.lower, side="left")
    first_above = np.searchsorted(ascending, limits.upper, side="right")
    (k, m), t = limits.lower.shape, parameter.size
    weight, lengths = np.zeros(m), limits.length
    at_truth, length, with_outcome = np.zeros((2, k, t)), np.zeros((k, t)), np.zeros((2, k, m))
    for truths, outcomes, probability in rows:
        weight[outcomes] += probability.sum(axis=0)
        place = rank[truths, np.newaxis]
        for row in range(k):
            missed = (
                place < first_not_below[row, outcomes],
                place >= first_above[row, outcomes],
            )
            for side in (0, 1):
                chance = probability * missed[side]
                at_truth[side, row, truths] = chance.sum(axis=1)
                with_outcome[side, row, outcomes] += chance.sum(axis=0)
            length[row, truths] = weighted(lengths[row, outcomes], probability).sum(axis=1)
    share = np.where(weight > 0, weight, 1.0)
    by_truth = Exact(np.arange(t), np.full(t, 1.0 / t), at_truth[0], at_truth[1], length)
    given = with_outcome / share
    by_outcome = Exact(limits.outcomes, weight / t, given[0], given[1], lengths)
    return Sums(by_truth, by_outcome)


def weights_of(rows: Iterable[Rows], limits: Limits) -> Floats:
    """Return the mean probability of each outcome of a table of limits over the listed truths."""
    weight, count = np.zeros(limits.outcomes.size), 0
    for truths, outcomes, probability in rows:
        weight[outcomes] += probability.sum(axis=0)
        count += truths.size
    return weight / count


def compare_listed(
    scenario: Scenario, rows: Iterable[Rows], limits: Limits, published: Published
) -> list[Comparison]:
    """Compare enumeration at listed truths with the second computation, cell by cell.

    Args:
        scenario: with listed truths.
        rows: the probabilities of its outcomes at the truths.
        limits: those that the engines used.
        published: what they computed; nothing is compared where nothing was enumerated.
    """
    enumerated = published.enumerated
    if enumerated is None:
        return []
    _, parameter = scenario.listed_truths()
    sums = sums_over(rows, parameter, limits)
    assert enumerated.by_truth is not None
    assert enumerated.mean is not None
    by_truth, columns = enumerated.by_truth, enumerated.by_truth.below.shape[0]
    again = replace(sums.by_truth, conditions=by_truth.conditions)
    certain = np.ones(by_truth.weight.size)
    by_outcome, given = common(enumerated.by_outcome, sums.by_outcome)
    differences = {
        "means": means_apart(enumerated.mean, again.mean()),
        "truths": cells_apart(by_truth, again, certain),
        "outcomes": cells_apart(by_outcome, given, given.weight),
        "weights": weights_apart(by_outcome.weight, given.weight, columns),
    }
    return [Comparison(ENUMERATION, SECOND, what, apart) for what, apart in differences.items()]
