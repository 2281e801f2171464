"""Enumeration at listed truths, from the probabilities of the outcomes at each of them.

It serves every scenario whose probabilities of outcomes can be listed, whatever an outcome is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.exact.miss_sets import split_missed
from harness.designs.results import Enumerated, Exact, WorstCase, weighted
from harness.designs.scenario import Limits, Scenario
from harness.designs.worst_case.two_samples import AT_LISTED
from harness.families.family import ENUMERATION

Listed = Iterable[tuple[float, Integers, Floats]]
"""The parameter at each listed truth, and the outcomes that can occur there with their
probabilities, shape (m,) each."""


def enumerate_listed(
    listed: Listed, keys: Integers | Floats, limits: Limits, reported: Integers
) -> Enumerated:
    """Return exact miss probabilities by outcome, by truth and overall, without worst cases.

    Args:
        listed: the probabilities at each of the t truths.
        keys: of the truths, as in the conditions of tallies, shape (t,).
        limits: the limits of all outcomes that can occur under the truths.
        reported: the outcomes in the result.
    """
    unknown = (None,) * limits.lower.shape[0]
    by_outcome, by_truth = misses_at_listed(listed, keys, limits)
    shown = np.intersect1d(by_outcome.conditions, reported)
    mean = by_truth.mean()
    return Enumerated(by_outcome.at(shown), by_truth, mean, ENUMERATION, unknown, unknown)


def with_worst_cases(
    scenario: Scenario, found: Enumerated, cases: Sequence[WorstCase] | None
) -> Enumerated:
    """Return the results with the worst cases of a search, or of the listed truths if worse.

    Args:
        scenario: with the truths.
        found: the results without worst cases.
        cases: what the search finds for each column; None where there was none.
    """
    if cases is None:
        return found
    if found.by_truth is not None:
        keys, missed = found.by_truth.conditions, found.by_truth.below + found.by_truth.above
        cases = [
            _worse_of_listed(scenario, case, keys, row)
            for case, row in zip(cases, missed, strict=True)
        ]
    return replace(found, worst=tuple(cases))


def misses_at_listed(
    listed: Listed, keys: Integers | Floats, limits: Limits
) -> tuple[Exact, Exact]:
    """Return the miss probabilities given each outcome, and at each listed truth.

    Given the outcome, it is the share of its probability that comes from truths it misses.

    Args:
        listed: the parameter at each of the t truths, and the outcomes with their probability.
        keys: of the truths, shape (t,).
        limits: of all outcomes that can occur.
    """
    (k, m), t = limits.lower.shape, keys.size
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
        keys,
        np.full(t, 1.0 / t),
        below_at,
        above_at,
        length_at,
        infinite=None if infinite is None else infinite_at,
    )
    return by_outcome, by_truth


def _worse_of_listed(
    scenario: Scenario, case: WorstCase, keys: Integers | Floats, missed: Floats
) -> WorstCase:
    """Return the worst case at the listed truths where it is worse than the one of the search."""
    worst = int(np.argmax(missed))
    if missed[worst] <= case.alpha:
        return case
    truths = tuple(float(each[0]) for each in scenario.truths_of(keys[[worst]]))
    return WorstCase(float(missed[worst]), truths, "at", truths, AT_LISTED)
