"""Enumeration for two samples: sums the probability of every pair of outcomes that misses."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import Scenario
from harness.designs.limits import Limits
from harness.designs.listed import enumerate_listed, with_worst_cases
from harness.designs.one_sample.exact import outcome_weights as sample_weights
from harness.designs.one_sample.exact import possible_outcomes
from harness.designs.posterior import enumerate_by_posterior
from harness.designs.results import Enumerated, sums_by
from harness.designs.two_samples.quadrature import (
    block_outcomes,
    blocks,
    has_smooth_density,
    integrate_pairs,
    is_whole,
)
from harness.designs.two_samples.worst_case import search_worst_case
from harness.families.catalogue import family_of
from harness.families.family import ENUMERATION


def enumerate_two_samples(
    scenario: Scenario,
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


def _enumerate(scenario: Scenario, limits: Limits, reported: Integers) -> Enumerated:
    """Return the miss probabilities by outcome, by truth and overall, without worst cases."""
    unknown = (None,) * limits.lower.shape[0]
    if scenario.truth.is_discrete:
        keys, _ = scenario.listed_truths()
        return enumerate_listed(listed_pairs(scenario), keys, limits, reported)
    if is_integrated(scenario):
        (block,) = blocks(scenario)
        by_outcome = integrate_pairs(scenario, block, limits.at(block_outcomes(scenario, block)))
        # The weights of all pairs of counts sum to 1.
        mean = sums_by(by_outcome, by_outcome.weight)
        shown = np.intersect1d(by_outcome.conditions, reported)
        return Enumerated(by_outcome.at(shown), None, mean, ENUMERATION, unknown, unknown)
    return enumerate_by_posterior(scenario, limits, reported)


def is_integrated(scenario: Scenario) -> bool:
    """Whether enumeration integrates over the distributions of the truths by quadrature.

    It does so for tables of at most ``LARGEST_TABLE`` pairs of counts, where the densities of the
    truths are smooth at the ends of their ranges. Elsewhere the engine ``posterior``'s integrals
    under the truths' distributions take their place.
    """
    return (
        not scenario.truth.is_discrete
        and not family_of(scenario.family).is_ratio
        and all(has_smooth_density(sample) for sample in scenario.samples())
        and is_whole(scenario)
    )


def pair_weights(scenario: Scenario, outcomes: Integers) -> Floats:
    """Return Pr(X1 = x1, X2 = x2) under the scenario's truths, shape (m,)."""
    weight = np.ones(outcomes.size)
    for sample, x in zip(scenario.samples(), scenario.counts(outcomes), strict=True):
        distinct, back = np.unique(x, return_inverse=True)
        weight = weight * sample_weights(sample, distinct)[back]
    return weight


def possible_pairs(scenario: Scenario) -> Integers:
    """Return the outcomes that can occur under the truths, but for 1e-15 of them; ascending."""
    first, second = (possible_outcomes(sample) for sample in scenario.samples())
    return scenario.outcomes(first[:, np.newaxis], second[np.newaxis, :]).ravel()


def listed_pairs(scenario: Scenario) -> Iterator[tuple[float, Integers, Floats]]:
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
