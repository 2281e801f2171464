"""Enumeration for two samples: sums the probability of every pair of outcomes that misses."""

from __future__ import annotations

import numpy as np

from harness.engines.exact.one_sample import NOTHING_LEFT_OUT, possible_outcomes
from harness.engines.exact.one_sample import outcome_weights as sample_weights
from harness.engines.posterior import integrate_under_truth
from harness.engines.results import Enumerated, Exact, Mean, WorstCase, weighted
from harness.engines.worst_case.two_samples import search_worst_case
from harness.families.catalogue import family_of
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Limits, PairScenario


def enumerate_two_samples(
    scenario: PairScenario,
    limits: Limits,
    reported: Integers | None = None,
    worst: bool = True,
) -> Enumerated:
    """Miss probabilities per pair of outcomes, per pair of truths and overall; the worst case.

    Exact but for the worst case, which is sought over a grid of truths and from there.

    Args:
        scenario: sizes and truths.
        limits: the limits of all outcomes that can occur under the truths.
        reported: the outcomes that values are wanted for; None for all there are limits for.
        worst: whether the worst case is wanted.
    """
    wanted = limits.outcomes if reported is None else reported
    if scenario.truth.is_discrete:
        by_outcome, by_truth = _of_values(scenario, limits)
        mean: Mean | None = by_truth.mean()
    else:
        by_outcome, by_truth = integrate_under_truth(scenario, limits), None
        complete = by_outcome.weight.sum() > 1.0 - NOTHING_LEFT_OUT
        mean = by_outcome.mean() if complete else None
    by_outcome = by_outcome.at(np.intersect1d(by_outcome.conditions, wanted))
    cases = search_worst_case(scenario, limits) if worst else None
    if cases is None:
        return Enumerated(by_outcome, by_truth, mean, (None,) * limits.lower.shape[0])
    if by_truth is not None:
        cases = [_or_listed(case, scenario, by_truth, row) for row, case in enumerate(cases)]
    return Enumerated(by_outcome, by_truth, mean, tuple(cases))


def _or_listed(case: WorstCase, scenario: PairScenario, by_truth: Exact, row: int) -> WorstCase:
    """The worst of the listed truths where that is worse than what the search has found."""
    missed = by_truth.below[row] + by_truth.above[row]
    place = int(np.argmax(missed))
    if missed[place] <= case.alpha:
        return case
    first, second = scenario.truth.values
    truths = float(first[place]), float(second[place])
    return WorstCase(float(missed[place]), truths, "at", truths, "the truths listed")


def pair_weights(scenario: PairScenario, outcomes: Integers) -> Floats:
    """Pr(X1 = x1, X2 = x2) under the scenario's truths, shape (m,)."""
    weight = np.ones(outcomes.size)
    for sample, x in zip(scenario.samples(), scenario.counts(outcomes), strict=True):
        distinct, back = np.unique(x, return_inverse=True)
        weight = weight * sample_weights(sample, distinct)[back]
    return weight


def possible_pairs(scenario: PairScenario) -> Integers:
    """The outcomes that can occur under the truths, but for a probability of 1e-15; ascending."""
    first, second = (possible_outcomes(sample) for sample in scenario.samples())
    return scenario.outcomes(first[:, np.newaxis], second[np.newaxis, :]).ravel()


def _of_values(scenario: PairScenario, limits: Limits) -> tuple[Exact, Exact]:
    """Given each pair of outcomes, and at each pair of listed values.

    Given the outcomes it is the share of their probability that comes from values they miss.
    """
    values = scenario.truth.values
    parameter = family_of(scenario.family).value(values)
    sampling, sizes = scenario.model.SAMPLING, scenario.sizes
    (k, m), t = limits.lower.shape, parameter.size
    weight, below, above = np.zeros(m), np.zeros((k, m)), np.zeros((k, m))
    below_at, above_at, length_at = np.zeros((3, k, t))
    for place in range(t):
        counts, probabilities = [], []
        for value, size in zip(values, sizes, strict=True):
            low, high = sampling.window(value[place], value[place], size)
            counts.append(np.arange(low, high + 1))
            probabilities.append(sampling.pmf(counts[-1], value[place], size))
        pairs = scenario.outcomes(counts[0][:, np.newaxis], counts[1][np.newaxis, :]).ravel()
        index = np.searchsorted(limits.outcomes, pairs)
        probability = (probabilities[0][:, np.newaxis] * probabilities[1][np.newaxis, :]).ravel()
        weight[index] += probability
        for row in range(k):
            lower, upper = limits.lower[row, index], limits.upper[row, index]
            missed_below, missed_above = split_missed(parameter[place], probability, lower, upper)
            below[row, index] += missed_below
            above[row, index] += missed_above
            below_at[row, place], above_at[row, place] = missed_below.sum(), missed_above.sum()
            length_at[row, place] = weighted(upper - lower, probability).sum()
    possible = weight > 0
    share = weight[possible]
    by_outcome = Exact(
        limits.outcomes[possible],
        share / t,
        below[:, possible] / share,
        above[:, possible] / share,
        limits.length[:, possible],
    )
    by_truth = Exact(np.arange(t), np.full(t, 1.0 / t), below_at, above_at, length_at)
    return by_outcome, by_truth


def split_missed(
    parameter: Floats | float, probability: Floats, lower: Floats, upper: Floats
) -> tuple[Floats, Floats]:
    """The probabilities of the outcomes whose limits lie above the parameter, and below it.

    The others are 0: intervals are closed, a parameter equal to a limit is covered. Broadcast.
    """
    below = np.where(parameter < lower, probability, 0.0)
    above = np.where(parameter > upper, probability, 0.0)
    return below, above
