"""The posterior engine: integrates the posterior outside the limits (Ross 2003, section 5.2.1)."""

from __future__ import annotations

import numpy as np

from harness.engines.records import Exact
from harness.families import proportion
from harness.scenario import Limits, Scenario


def integrate(scenario: Scenario, limits: Limits, reference_prior: tuple[float, float]) -> Exact:
    """Posterior mass below and above the limits at each outcome, under the reference prior.

    The weights are left at one: what weight an outcome has is for the truth to say.
    """
    x = limits.outcomes.astype(np.float64)
    posterior = proportion.posterior(x, np.full(x.size, float(scenario.size)), reference_prior)
    below = np.array([posterior.cdf(lower) for lower in limits.lower])
    above = np.array([posterior.sf(upper) for upper in limits.upper])
    return Exact(limits.outcomes, np.ones(x.size), below, above, limits.length)
