"""A second computation of what the exact engines publish of pairs.

The engine multiplies conditional binomial probabilities in saddle-point form. Here a table is seen
as independent Poisson counts of each cell, given that their sum is n, with probabilities from a
recurrence.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from harness.engines.exact.probabilities import probability_rows
from harness.engines.exact.tables import outcomes_within, windows_of
from harness.engines.verification.comparisons import Comparison, Published, compare_worst_cases
from harness.engines.verification.listed import Rows, compare_listed
from harness.numerics.arrays import Floats, Integers
from harness.paired_scenario import PairedScenario
from harness.sampling import poisson
from harness.scenario import Limits


def verify(scenario: PairedScenario, limits: Limits, published: Published) -> list[Comparison]:
    """Compare all that the exact engines publish of a scenario with a second computation.

    Args:
        scenario: size and truth.
        limits: those that the engines used.
        published: what they computed.
    """
    found = []
    if scenario.truth.is_discrete:
        found += compare_listed(scenario, rows_of_pairs(scenario, limits), limits, published)
    return found + compare_worst_cases(published)


def rows_of_pairs(scenario: PairedScenario, limits: Limits) -> Iterator[Rows]:
    """Yield the probabilities of the possible outcomes at each listed truth."""
    assert scenario.truth.is_discrete
    for number, cells in enumerate(scenario.truth.tables):
        outcomes = outcomes_within(scenario, windows_of(scenario, [(p, p) for p in cells]))
        probability = poisson_probabilities(scenario, cells, outcomes)
        yield np.array([number]), limits.positions(outcomes), probability[np.newaxis]


def poisson_probabilities(
    scenario: PairedScenario, cells: tuple[float, ...], outcomes: Integers
) -> Floats:
    """Return Pr(outcome) as ∏ Poisson(count; n p) / Poisson(n; n), shape (m,)."""
    n, counts = scenario.size, scenario.counts(outcomes)
    parts = list(zip(counts, cells, strict=True))
    if not scenario.with_both:
        (both, p), first, second, (neither, q) = parts
        parts = [first, second, (both + neither, p + q)]
    probability = np.full(outcomes.size, 1.0 / float(poisson.pmf(n, float(n), 1.0)))
    for count, p in parts:
        low, high = int(count.min()), int(count.max())
        if p == 0.0:
            probability = probability * (count == 0)
            continue
        likely = int(np.clip(np.rint(n * p), low, high))
        rows = probability_rows(poisson, (low, likely, high), np.array([n * p]), 1.0)
        probability = probability * rows[0][count - low]
    return probability
