"""Bayesian methods of the paired difference: a criterion over its posterior."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from harness import criteria
from harness.methods.bayes import methods_of_criteria
from harness.methods.method import TWO_SIDED, Formula, LimitPair, Method, documented
from harness.numerics.arrays import Floats
from harness.numerics.points import SignedLogitPoints
from harness.posteriors.paired.posterior import FLAT_PRIOR, paired_difference_posterior
from harness.truths import Prior


def over_dirichlet(criterion: criteria.Criterion[SignedLogitPoints]) -> Formula:
    """The formula of a criterion over the posterior of p₁ − p₂ under a Dirichlet prior."""
    return documented(partial(_over_dirichlet, criterion), criterion)


def _over_dirichlet(
    criterion: criteria.Criterion[SignedLogitPoints],
    data: tuple[Floats, ...],
    alpha: float,
    side: str,
    prior: Prior,
) -> LimitPair:
    both, first, second, neither = data
    _, of_first, of_second, _ = prior
    same = both + neither
    # Where the prior does not tell the first from the second, swapped pairs are one problem.
    swapped = (second > first) & (side == TWO_SIDED) & (of_first == of_second)
    larger, smaller = np.where(swapped, second, first), np.where(swapped, first, second)
    tables, back = np.unique(np.stack((same, larger, smaller)), axis=1, return_inverse=True)
    same, larger, smaller = tables
    posterior = paired_difference_posterior((same, larger, smaller, np.zeros_like(same)), prior)
    # A trial point may leave the range; the caller refuses limits that are no numbers in the end.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        found = criterion(posterior, alpha, side)
    lower, upper = (limits.value[back] for limits in found)
    return np.where(swapped, -upper, lower), np.where(swapped, -lower, upper)


def four_criteria() -> dict[str, Method]:
    """The methods by name: one-sided, minimal length, balanced width, balanced tails.

    Their default prior is Dirichlet(1, 1, 1, 1). At 0 of 30 discordant pairs the two-sided limits
    of alpha = 0.05 are ± 0.087 under it, and ± 0.067 under Dirichlet(½, ½, ½, ½).
    """
    found = methods_of_criteria(over_dirichlet, FLAT_PRIOR, compares=True)
    return {name: replace(method, uses_both=False) for name, method in found.items()}
