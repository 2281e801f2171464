"""A second computation of enumeration at listed truths.

The engine sums tails at the boundaries of the sets of outcomes that miss, and probabilities in
saddle-point form; here probabilities come from a recurrence, and an outcome misses by its place
among the sorted truths.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Floats, Positions
from harness.designs.exact.probabilities import blocks_of_truths, probability_rows
from harness.designs.results import Exact, weighted
from harness.designs.scenario import Limits, PairScenario, Scenario, SingleScenario
from harness.designs.verification.comparisons import (
    SECOND,
    Comparison,
    Published,
    cells_apart,
    common,
    means_apart,
    weights_apart,
)
from harness.families.family import ENUMERATION

Rows = tuple[Positions, Positions, Floats]
"""The numbers of some truths, the positions of outcomes in a table of limits, and the probabilities
of the outcomes at the truths, of the shape of both."""


@dataclass(frozen=True)
class Sums:
    """The sums of k columns over t listed truths and m outcomes."""

    by_truth: Exact
    by_outcome: Exact
    """Given all outcomes of the table, with weight 0 for those that cannot occur."""


def rows_of_one_sample(scenario: SingleScenario, limits: Limits) -> Iterator[Rows]:
    """Yield the probabilities of the possible outcomes at the listed truths, in blocks."""
    truth, sampling, size = scenario.truth, scenario.model.SAMPLING, scenario.size
    assert truth.is_discrete
    values = np.array(truth.values)
    bottom, top = scenario.model.SUPPORT
    for block, first, last in blocks_of_truths(sampling, values, size):
        part = np.arange(block.start, block.stop)
        likely = np.rint(sampling.mean(values[(block.start + block.stop) // 2], size))
        outcomes = first, int(np.clip(likely, first, last)), last
        theta = values[part]
        inside = (theta > bottom) & (theta < top)
        probability = np.empty((part.size, last + 1 - first))
        probability[inside] = probability_rows(sampling, outcomes, theta[inside], size)
        x = np.arange(first, last + 1)
        probability[~inside] = sampling.pmf(x, theta[~inside, np.newaxis], size)
        yield part, limits.positions(x), probability


def rows_of_two_samples(scenario: PairScenario, limits: Limits) -> Iterator[Rows]:
    """Yield the probabilities of the possible pairs of counts at each listed pair of truths."""
    samples, values = scenario.samples(), scenario.truth.values
    bottom, top = scenario.model.SUPPORT
    sampling = scenario.model.SAMPLING
    for number in range(scenario.truth.count):
        counts, probabilities = [], []
        for sample, value in zip(samples, (each[number] for each in values), strict=True):
            first, last = sampling.window(value, value, sample.size)
            x = np.arange(first, last + 1)
            counts.append(x)
            if bottom < value < top:
                likely = int(np.clip(np.rint(sampling.mean(value, sample.size)), first, last))
                outcomes = first, likely, last
                rows = probability_rows(sampling, outcomes, np.array([value]), sample.size)
                probabilities.append(rows[0])
            else:
                probabilities.append(sampling.pmf(x, value, sample.size))
        pairs = scenario.outcomes(counts[0][:, np.newaxis], counts[1][np.newaxis, :]).ravel()
        joint = np.outer(*probabilities).ravel()
        yield np.array([number]), limits.positions(pairs), joint[np.newaxis]


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
    again = Exact(
        by_truth.conditions,
        sums.by_truth.weight,
        sums.by_truth.below,
        sums.by_truth.above,
        sums.by_truth.length,
    )
    certain = np.ones(by_truth.weight.size)
    by_outcome, given = common(enumerated.by_outcome, sums.by_outcome)
    found = {
        "means": means_apart(enumerated.mean, again.mean()),
        "truths": cells_apart(by_truth, again, certain),
        "outcomes": cells_apart(by_outcome, given, given.weight),
        "weights": weights_apart(by_outcome.weight, given.weight, columns),
    }
    return [Comparison(ENUMERATION, SECOND, what, apart) for what, apart in found.items()]
