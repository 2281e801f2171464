"""The posterior engine: integrates the posterior outside the limits (Ross 2003, section 5.2.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Integers
from harness.designs.design import Scenario, data_of
from harness.designs.limits import Limits
from harness.designs.results import Enumerated, Exact, Mean
from harness.distributions.truths import Prior
from harness.families.family import POSTERIOR

NOTHING_LEFT_OUT = 1e-9
"""Outcomes with this probability together may have no limits, and the mean is still overall."""


@dataclass(frozen=True)
class Integrated:
    """The results of the engine ``posterior`` for k columns."""

    by_outcome: Exact
    """Under the reference prior, or under the posterior that the truth's distribution implies."""
    mean: Mean | None
    """Weighted by the truth's outcome probabilities; None where not all outcomes are covered."""
    under_prior: Exact | None
    """Under the reference prior, where ``by_outcome`` is under the truth's posterior."""


def integrate_under_prior(scenario: Scenario, limits: Limits, reference_prior: Prior) -> Exact:
    """Return the posterior mass below and above the limits of each outcome under a prior.

    The weight of each outcome is 1, since outcomes have a probability only under a truth.
    """
    family = scenario.family
    return mass_outside(
        family.posterior(data_of(scenario, limits.outcomes), reference_prior), limits
    )


def integrate_under_truth(scenario: Scenario, limits: Limits) -> Exact:
    """Return the posterior mass below and above the limits under the truth's own distribution.

    The weights are the probabilities of the outcomes; impossible outcomes are left out.
    """
    weight = scenario.distribution_weights(limits.outcomes)
    possible = np.flatnonzero(weight > 0)
    posterior = scenario.distributed.posterior(scenario, limits.outcomes[possible])
    masses = mass_outside(posterior, limits.at(limits.outcomes[possible]))
    return replace(masses, weight=weight[possible])


def mass_outside(posterior: Any, limits: Limits) -> Exact:
    """Return the mass of the posterior below and above the limits; the weight of each is 1."""
    below = np.array([posterior.cdf(lower) for lower in limits.lower])
    above = np.array([posterior.sf(upper) for upper in limits.upper])
    weight = np.ones(limits.outcomes.size)
    return Exact(limits.outcomes, weight, below, above, limits.length, infinite=limits.infinite)


def enumerate_by_posterior(scenario: Scenario, limits: Limits, reported: Integers) -> Enumerated:
    """Return the posterior's integrals under the truth in place of sums, without worst cases.

    Args:
        scenario: its truth is a distribution.
        limits: of the outcomes that can occur; where some are missing there is no overall mean.
        reported: the outcomes in the result.
    """
    by_outcome = integrate_under_truth(scenario, limits)
    complete = by_outcome.weight.sum() > 1.0 - NOTHING_LEFT_OUT
    overall = by_outcome.mean() if complete else None
    return Enumerated.of(by_outcome, None, overall, POSTERIOR, reported)


def is_under_prior(scenario: Scenario, prior: Prior) -> bool:
    """Whether the truth of each independent sample comes from the prior."""
    samples = scenario.samples() if scenario.law is None else ()
    return len(samples) > 0 and all(is_own_prior(sample, prior) for sample in samples)


def is_own_prior(sample: Scenario, prior: Prior) -> bool:
    """Whether the distribution of the truth of one sample is the prior."""
    truth, model = sample.truth, sample.model
    if truth.is_discrete:
        return False
    own = truth.conjugate_prior
    if own is None:
        return bool(prior == model.FLAT_PRIOR and truth.support == model.SUPPORT)
    return bool(prior == own)
