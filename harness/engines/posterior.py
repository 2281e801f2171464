"""The posterior engine: integrates the posterior outside the limits (Ross 2003, section 5.2.1)."""

from __future__ import annotations

from typing import Any

import numpy as np

from harness.engines.results import Exact
from harness.families.catalogue import family_of
from harness.scenario import Limits, Scenario, data_of
from harness.truths import as_distribution


def integrate_under_prior(
    scenario: Scenario, limits: Limits, reference_prior: tuple[float, float]
) -> Exact:
    """Posterior mass below and above the limits at each outcome, under the reference prior.

    The weights are left at one: what weight an outcome has is for the truth to say.
    """
    family = family_of(scenario.family)
    return mass_outside(
        family.posterior(data_of(scenario, limits.outcomes), reference_prior), limits
    )


def integrate_under_truth(scenario: Scenario, limits: Limits) -> Exact:
    """The same under the posterior that the truth's own distribution implies.

    The weights are the outcomes' probabilities.
    """
    counts = scenario.counts(limits.outcomes)
    samples = scenario.samples()
    weight = np.ones(limits.outcomes.size)
    for sample, x in zip(samples, counts, strict=True):
        truth = as_distribution(sample.truth)
        weight = weight * sample.model.outcome_weights(truth, x, sample.size)
    possible = np.flatnonzero(weight > 0)
    implied = (
        sample.model.truth_posterior(as_distribution(sample.truth), x[possible], sample.size)
        for sample, x in zip(samples, counts, strict=True)
    )
    posterior = family_of(scenario.family).combined(*implied)
    found = mass_outside(posterior, limits.at(limits.outcomes[possible]))
    return Exact(found.conditions, weight[possible], found.below, found.above, found.length)


def mass_outside(posterior: Any, limits: Limits) -> Exact:
    """Mass of the posterior below and above the limits, the weights at one."""
    below = np.array([posterior.cdf(lower) for lower in limits.lower])
    above = np.array([posterior.sf(upper) for upper in limits.upper])
    return Exact(limits.outcomes, np.ones(limits.outcomes.size), below, above, limits.length)
