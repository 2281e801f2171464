"""What the exact engines publish of a scenario, and the comparisons that are made of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from harness.designs import posterior
from harness.designs.posterior import Integrated
from harness.designs.solvers import solver_of
from harness.designs.verification import Published


def published(scenario, limits, prior, engines=("posterior", "enumeration"), mean=True):
    """The results of the engines for all outcomes with limits, without worst cases."""
    enumerated = integrated = None
    if "enumeration" in engines:
        enumerated = solver_of(scenario).enumerate(limits, worst=False)
    if "posterior" in engines:
        under_prior = posterior.integrate_under_prior(scenario, limits, prior)
        if scenario.truth.is_discrete:
            weight = solver_of(scenario).outcome_weights(limits.outcomes)
            cells = replace(under_prior, weight=weight)
            integrated = Integrated(cells, cells.mean() if mean else None, None)
        else:
            cells = posterior.integrate_under_truth(scenario, limits)
            under_prior = under_prior.at(cells.conditions)
            integrated = Integrated(cells, cells.mean() if mean else None, under_prior)
    return Published(enumerated, integrated, prior)


def verdicts(scenario, limits, known):
    """The largest discrepancy of each kind of comparison."""
    found = {}
    for each in solver_of(scenario).verify(limits, known):
        assert each.discrepancy.shape == (limits.lower.shape[0],)
        found[each.of] = max(found.get(each.of, 0.0), float(np.max(each.discrepancy)))
    return found


def compared(scenario, limits, prior, **options):
    """The largest discrepancy of each kind of comparison of what the engines publish."""
    return verdicts(scenario, limits, published(scenario, limits, prior, **options))
