"""Enumeration for one sample whose count arises by a law of its own, and its verification.

At listed truths the law gives the probabilities of all outcomes, which are summed where an interval
misses. Under a distribution of truths there is no closed form, and nothing is enumerated.

The engine adds up the probabilities of the outcomes that miss, truth by truth. The second
computation holds the probabilities themselves against the closed forms of the law: their sum
against 1, their mean and their variance; and an outcome misses by its place among the sorted
truths.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import Scenario
from harness.designs.limits import Limits
from harness.designs.listed import blocks_of_truths, with_worst_cases
from harness.designs.one_sample.exact import whole_range
from harness.designs.one_sample.law_worst_case import worst_cases
from harness.designs.results import Enumerated, WorstCase
from harness.designs.verification import (
    SECOND,
    Comparison,
    Published,
    Rows,
    compare_listed,
    compare_worst_cases,
    relative_difference,
)
from harness.distributions.sampling.law import Law
from harness.families.family import ENUMERATION


def law_of(scenario: Scenario) -> Law:
    """Return the law of a scenario that has one."""
    assert scenario.law is not None
    return scenario.law


def with_worst_cases_by_law(scenario: Scenario, limits: Limits, found: Enumerated) -> Enumerated:
    """Return the results with worst cases, where limits suffice for them.

    Those with ``found_by`` are the largest ones that a search finds.

    Args:
        scenario: size, truths and law.
        limits: the limits of all outcomes that can occur under a truth in the hull of the truths.
        found: the results without worst cases.
    """
    hull, whole = scenario.truth.effective_support, whole_range(scenario)
    cases = worst_cases(scenario, limits, hull)
    if cases is None:
        return found
    searched = with_worst_cases(scenario, found, cases).worst
    found = replace(found, worst=_exact_or(cases, searched))
    if not scenario.model.IS_BOUNDED:
        return found
    anywhere = cases if hull == whole else worst_cases(scenario, limits, whole)
    unknown = (None,) * len(cases)
    return replace(found, worst_anywhere=_exact_or(anywhere or unknown, unknown))


def _exact_or(
    cases: Sequence[WorstCase | None], others: Sequence[WorstCase | None]
) -> tuple[WorstCase | None, ...]:
    """Return the cases that are exact, and the others in place of those that are not."""
    return tuple(
        case if case is not None and case.found_by is None else other
        for case, other in zip(cases, others, strict=True)
    )


def listed_values(scenario: Scenario) -> Iterator[tuple[float, Integers, Floats]]:
    """Yield each listed truth, and the outcomes with their probability there."""
    law, (values, _) = law_of(scenario), scenario.listed_truths()
    truths = values.astype(np.float64)
    for part, first, last in blocks_of_truths(law, truths, scenario.size):
        outcomes = np.arange(first, last + 1)
        rows = law.probabilities(truths[part], scenario.size, first, last)
        for value, probability in zip(truths[part].tolist(), rows, strict=True):
            yield value, outcomes, probability


def verify(scenario: Scenario, limits: Limits, published: Published) -> list[Comparison]:
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


def rows_by_law(scenario: Scenario, limits: Limits, truths: Floats | None = None) -> Iterator[Rows]:
    """Yield the probabilities of the possible outcomes at ascending truths, in blocks.

    Args:
        scenario: size and law, and the listed truths that stand where none are given.
        limits: of the possible outcomes.
        truths: shape (t,).
    """
    law = law_of(scenario)
    if truths is None:
        truths = scenario.listed_truths()[0].astype(np.float64)
    for part, first, last in blocks_of_truths(law, truths, scenario.size):
        rows = law.probabilities(truths[part], scenario.size, first, last)
        positions = limits.positions(np.arange(first, last + 1))
        yield np.arange(part.start, part.stop), positions, rows


def moments_apart(scenario: Scenario, limits: Limits) -> float:
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
