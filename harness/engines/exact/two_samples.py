"""Enumeration for two samples: sums the probability of every pair of outcomes that misses."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from harness.engines.exact.miss_sets import split_missed
from harness.engines.exact.one_sample import enumerate_by_posterior, possible_outcomes
from harness.engines.exact.one_sample import outcome_weights as sample_weights
from harness.engines.quadrature.samples import has_smooth_density
from harness.engines.quadrature.two_samples import (
    block_outcomes,
    blocks,
    integrate_pairs,
    is_whole,
)
from harness.engines.results import Enumerated, Exact, Mean, WorstCase, weighted
from harness.engines.worst_case.two_samples import AT_LISTED, search_worst_case
from harness.families.catalogue import family_of
from harness.families.family import ENUMERATION
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Limits, PairScenario, Scenario


def enumerate_two_samples(
    scenario: PairScenario,
    limits: Limits,
    reported: Integers | None = None,
    worst: bool = True,
) -> Enumerated:
    """Return exact miss probabilities by pair of counts, by pair of truths and overall.

    The worst case comes with them; it is not exact, but the worst one that a search finds.

    Args:
        scenario: sizes and truths.
        limits: the limits of all outcomes that can occur under the truths.
        reported: the outcomes in the result; None for all that have limits.
        worst: whether to search for the worst case.
    """
    found = _enumerate(scenario, limits, limits.outcomes if reported is None else reported)
    return with_worst_cases(scenario, found, search_worst_case(scenario, limits) if worst else None)


def with_worst_cases(
    scenario: Scenario, found: Enumerated, cases: Sequence[WorstCase] | None
) -> Enumerated:
    """Return the results with the worst cases of a search, or of the listed truths if worse.

    Args:
        scenario: sizes and truths.
        found: the results without worst cases.
        cases: what the search finds for each column; None where there was none.
    """
    if cases is None:
        return found
    if found.by_truth is not None:
        missed = found.by_truth.below + found.by_truth.above
        cases = [
            _worse_of_listed(scenario, case, row) for case, row in zip(cases, missed, strict=True)
        ]
    return replace(found, worst=tuple(cases))


def _enumerate(scenario: PairScenario, limits: Limits, reported: Integers) -> Enumerated:
    """Return the miss probabilities by outcome, by truth and overall, without worst cases."""
    unknown = (None,) * limits.lower.shape[0]
    if scenario.truth.is_discrete:
        by_outcome, by_truth = _by_outcome_and_truth(scenario, limits)
        shown = np.intersect1d(by_outcome.conditions, reported)
        mean = by_truth.mean()
        return Enumerated(by_outcome.at(shown), by_truth, mean, ENUMERATION, unknown, unknown)
    if is_integrated(scenario):
        (block,) = blocks(scenario)
        by_outcome = integrate_pairs(scenario, block, limits.at(block_outcomes(scenario, block)))
        shown, mean = np.intersect1d(by_outcome.conditions, reported), _mean(by_outcome)
        return Enumerated(by_outcome.at(shown), None, mean, ENUMERATION, unknown, unknown)
    return enumerate_by_posterior(scenario, limits, reported)


def is_integrated(scenario: PairScenario) -> bool:
    """Whether enumeration integrates over the distributions of the truths by quadrature.

    It does so for tables of at most ``LARGEST_TABLE`` pairs of counts, where the densities of the
    truths are smooth at the ends of their ranges. Elsewhere the engine ``posterior``'s integrals
    under the truths' distributions take their place.
    """
    return (
        not scenario.truth.is_discrete
        and family_of(scenario.family).is_weighted_sum
        and all(has_smooth_density(sample) for sample in scenario.samples())
        and is_whole(scenario)
    )


def _mean(by_outcome: Exact) -> Mean:
    """Return the sums over all pairs of counts, whose weights sum to 1."""
    weight = by_outcome.weight
    below, above, length = (
        np.array([weighted(row, weight).sum() for row in values])
        for values in (by_outcome.below, by_outcome.above, by_outcome.length)
    )
    return Mean(below, above, length)


def _worse_of_listed(scenario: Scenario, case: WorstCase, missed: Floats) -> WorstCase:
    """Return the worst case at the listed truths where it is worse than the one of the search."""
    worst = int(np.argmax(missed))
    if missed[worst] <= case.alpha:
        return case
    truths = tuple(float(each[0]) for each in scenario.truths_of(np.array([worst])))
    return WorstCase(float(missed[worst]), truths, "at", truths, AT_LISTED)


def pair_weights(scenario: PairScenario, outcomes: Integers) -> Floats:
    """Return Pr(X1 = x1, X2 = x2) under the scenario's truths, shape (m,)."""
    weight = np.ones(outcomes.size)
    for sample, x in zip(scenario.samples(), scenario.counts(outcomes), strict=True):
        distinct, back = np.unique(x, return_inverse=True)
        weight = weight * sample_weights(sample, distinct)[back]
    return weight


def possible_pairs(scenario: PairScenario) -> Integers:
    """Return the outcomes that can occur under the truths, but for 1e-15 of them; ascending."""
    first, second = (possible_outcomes(sample) for sample in scenario.samples())
    return scenario.outcomes(first[:, np.newaxis], second[np.newaxis, :]).ravel()


def listed_pairs(scenario: PairScenario) -> Iterator[tuple[float, Integers, Floats]]:
    """Yield the parameter at each listed pair of truths, and the outcomes with their probability.

    The outcomes are those that can occur there, shape (m,), and so are their probabilities.
    """
    values, sampling = scenario.truth.values, scenario.model.SAMPLING
    for index, theta in enumerate(family_of(scenario.family).parameter_at(values)):
        counts, probabilities = [], []
        for value, size in zip(values, scenario.sizes, strict=True):
            low, high = sampling.window(value[index], value[index], size)
            counts.append(np.arange(low, high + 1))
            probabilities.append(sampling.pmf(counts[-1], value[index], size))
        outcomes = scenario.outcomes(counts[0][:, np.newaxis], counts[1][np.newaxis, :])
        joint = probabilities[0][:, np.newaxis] * probabilities[1][np.newaxis, :]
        yield theta, outcomes.ravel(), joint.ravel()


def _by_outcome_and_truth(scenario: PairScenario, limits: Limits) -> tuple[Exact, Exact]:
    """Return the miss probabilities given each pair of counts and at each listed truth."""
    return misses_at_listed(listed_pairs(scenario), scenario.truth.count, limits)


def misses_at_listed(
    listed: Iterable[tuple[float, Integers, Floats]], count: int, limits: Limits
) -> tuple[Exact, Exact]:
    """Return the miss probabilities given each outcome, and at each listed truth.

    Given the outcome, it is the share of its probability that comes from truths it misses.

    Args:
        listed: the parameter at each listed truth, and the outcomes with their probability there.
        count: the number of truths.
        limits: of all outcomes that can occur.
    """
    (k, m), t = limits.lower.shape, count
    weight, below, above = np.zeros(m), np.zeros((k, m)), np.zeros((k, m))
    below_at, above_at, length_at, infinite_at = np.zeros((4, k, t))
    infinite = limits.infinite
    for number, (theta, outcomes, probability) in enumerate(listed):
        index = limits.positions(outcomes)
        weight[index] += probability
        for row in range(k):
            lower, upper = limits.lower[row, index], limits.upper[row, index]
            missed_below, missed_above = split_missed(theta, probability, lower, upper)
            below[row, index] += missed_below
            above[row, index] += missed_above
            below_at[row, number], above_at[row, number] = missed_below.sum(), missed_above.sum()
            length_at[row, number] = weighted(limits.between(lower, upper), probability).sum()
            if infinite is not None:
                infinite_at[row, number] = (infinite[row, index] * probability).sum()
    possible = weight > 0
    share = weight[possible]
    by_outcome = Exact(
        limits.outcomes[possible],
        share / t,
        below[:, possible] / share,
        above[:, possible] / share,
        limits.length[:, possible],
        infinite=None if infinite is None else infinite[:, possible],
    )
    by_truth = Exact(
        np.arange(t),
        np.full(t, 1.0 / t),
        below_at,
        above_at,
        length_at,
        infinite=None if infinite is None else infinite_at,
    )
    return by_outcome, by_truth
