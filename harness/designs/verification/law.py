"""A second computation of enumeration at listed truths under a law.

The engine adds up the probabilities of the outcomes that miss, truth by truth. Here the
probabilities themselves are held against the closed forms of the law: their sum against 1, their
mean and their variance; and an outcome misses by its place among the sorted truths.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from harness.designs.exact.law import law_of
from harness.designs.exact.probabilities import blocks_of_truths
from harness.designs.scenario import Limits, SingleScenario
from harness.designs.verification.comparisons import (
    SECOND,
    Comparison,
    Published,
    compare_worst_cases,
    relative_difference,
)
from harness.designs.verification.listed import Rows, compare_listed
from harness.families.family import ENUMERATION


def verify(scenario: SingleScenario, limits: Limits, published: Published) -> list[Comparison]:
    """Compare what enumeration publishes of a scenario with a second computation.

    Args:
        scenario: size, truths and law.
        limits: those that the engine used.
        published: what it computed; nothing is compared where nothing was enumerated.
    """
    if published.enumerated is None:
        return []
    found = compare_listed(scenario, rows_by_law(scenario, limits), limits, published)
    apart = np.full(limits.lower.shape[0], moments_apart(scenario, limits))
    moments = Comparison(ENUMERATION, SECOND, "moments of the outcome", apart)
    return [*found, moments, *compare_worst_cases(published)]


def rows_by_law(scenario: SingleScenario, limits: Limits) -> Iterator[Rows]:
    """Yield the probabilities of the possible outcomes at the listed truths, in blocks."""
    law, (values, _) = law_of(scenario), scenario.listed_truths()
    truths = values.astype(np.float64)
    for part, first, last in blocks_of_truths(law, truths, scenario.size):
        rows = law.probabilities(truths[part], scenario.size, first, last)
        positions = limits.positions(np.arange(first, last + 1))
        yield np.arange(part.start, part.stop), positions, rows


def moments_apart(scenario: SingleScenario, limits: Limits) -> float:
    """Return the largest relative difference of a sum, a mean or a variance from its closed form.

    Args:
        scenario: size, truths and law.
        limits: at the outcomes that the sums go over.
    """
    law, size = law_of(scenario), scenario.size
    (values, _), largest = scenario.listed_truths(), 0.0
    for truths, positions, rows in rows_by_law(scenario, limits):
        theta, x = values[truths].astype(np.float64), limits.outcomes[positions]
        mean, variance = law.mean(theta, size), law.variance(theta, size)
        away = x - mean[:, np.newaxis]
        for found, closed in (
            (rows.sum(axis=1), np.ones(theta.size)),
            ((rows * x).sum(axis=1), mean),
            ((rows * away * away).sum(axis=1), variance),
        ):
            largest = max(largest, float(relative_difference(found, closed).max(initial=0.0)))
    return largest
