"""The identity between the posterior and the enumeration engine, for one sample.

With the truth drawn from a distribution, the mean over p of the exact miss probability equals the
mean over x of the posterior mass outside the limits, under that same distribution and weighted by
the probabilities of the outcomes; per side, and likewise for the length. The first mean sums
probabilities of outcomes, the second one integrates a posterior: no error in one alone survives.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from harness.engines import posterior
from harness.engines.exact.miss_sets import AT, miss_probabilities
from harness.engines.exact.one_sample import probability_blocks
from harness.engines.results import Enumerated, Mean, weighted
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Limits, SingleScenario
from harness.truths import UniformTruth, as_distribution

# Both means are sums of thousands of terms, each good to about 1e-13.
TOLERANCE = 1e-9

_SMALL = 1e-3
_WHOLE_RANGE_UP_TO = 2000
# With more outcomes than this, those that are possible at a truth of one half are too many too.
_STRIPS_UP_TO = 1_000_000
# The range of expected counts of each strip.
_STRIP = 1000.0


@dataclass(frozen=True)
class Identity:
    """The two means that are equal by the identity, of k columns."""

    over_truths: Mean
    """The mean of the enumeration over p."""
    over_outcomes: Mean
    """The weighted mean of the posterior mass over x."""

    def discrepancy(self) -> Floats:
        """Return the largest discrepancy of below, above and length of each column, shape (k,)."""
        return mean_discrepancy(self.over_truths, self.over_outcomes)


def mean_discrepancy(a: Mean, b: Mean) -> Floats:
    """Return the relative difference of two means, the largest of its three parts; shape (k,).

    The difference of miss probabilities below 1e-3 is relative to 1e-3.
    """
    below, above = (
        np.abs(first - second) / np.maximum(np.maximum(first, second), _SMALL)
        for first, second in ((a.below, b.below), (a.above, b.above))
    )
    with np.errstate(invalid="ignore"):
        longer = np.maximum(a.length, b.length)
        length = np.where(a.length == b.length, 0.0, np.abs(a.length - b.length) / longer)
    return np.maximum(np.maximum(below, above), length)


def weight_discrepancy(scenario: SingleScenario) -> float:
    """Return by how much the outcome probabilities miss a sum of 1 or the mean of the truth."""
    truth, size = as_distribution(scenario.truth), scenario.size
    x = _possible_outcomes(scenario)
    weight = scenario.model.outcome_weights(truth, x, size)
    estimate = scenario.model.estimate(x.astype(np.float64), np.full(x.size, float(size)))
    total, mean = float(weight.sum()), float((weight * estimate).sum())
    return max(abs(total - 1), abs(mean / truth.mean - 1))


def _possible_outcomes(scenario: SingleScenario) -> Integers:
    first, last = scenario.model.SAMPLING.window(*scenario.truth.effective_support, scenario.size)
    return np.arange(first, last + 1)


def enumeration_discrepancies(enumerated: Enumerated) -> list[Floats]:
    """Return the discrepancies within one enumeration, shape (k,) each.

    The mean over listed truths equals the mean over all outcomes, and neither a truth nor the mean
    is missed more often than the worst case.
    """
    found = []
    by_outcome, by_truth = enumerated.by_outcome, enumerated.by_truth
    if by_truth is not None and by_outcome.weight.sum() > 1.0 - TOLERANCE:
        found.append(mean_discrepancy(by_truth.mean(), by_outcome.mean()))
    if enumerated.mean is not None and all(case is not None for case in enumerated.worst):
        worst = np.array([case.alpha for case in enumerated.worst if case is not None])
        missed = enumerated.mean.below + enumerated.mean.above
        if by_truth is not None:
            missed = np.maximum(missed, (by_truth.below + by_truth.above).max(axis=1))
        found.append(np.maximum(missed - worst, 0.0))
    return found


def scenarios_to_check(scenario: SingleScenario) -> list[SingleScenario]:
    """Return the scenario under each distribution for which the identity is checked.

    The distribution is the truth's own, or a flat one for listed truths. At large sizes the
    integral over all gaps between limits takes too long: there it is flat on strips of the range
    with thousands of gaps, one next to 0 and one in the middle, which the largest sizes leave out.
    """
    truth, size = scenario.truth, scenario.size
    is_bounded = scenario.model.IS_BOUNDED
    largest = size if is_bounded else size * truth.effective_support[1]
    if largest > _WHOLE_RANGE_UP_TO:
        width = _STRIP / size
        middle = 0.5 if is_bounded else 0.5 * truth.effective_support[1]
        strips = [UniformTruth(0.0, width)]
        if largest <= _STRIPS_UP_TO:
            strips.append(UniformTruth(middle, middle + width))
        return [replace(scenario, truth=strip) for strip in strips]
    return [replace(scenario, truth=flat_truth(scenario))] if truth.is_discrete else [scenario]


def flat_truth(scenario: SingleScenario) -> UniformTruth:
    """Return a flat distribution over the range of the parameter, or as far as the truth goes."""
    if scenario.model.IS_BOUNDED:
        return UniformTruth(*scenario.model.SUPPORT)
    return UniformTruth(0.0, max(scenario.truth.effective_support[1], 1.0 / scenario.size))


def evaluate_identity(scenario: SingleScenario, limits: Limits) -> Identity:
    """Return the two means of the identity under the scenario's truth, a distribution.

    Args:
        scenario: one of ``scenarios_to_check``.
        limits: the limits of all outcomes that can occur.
    """
    limits = limits.at(_possible_outcomes(scenario))
    missed = []
    for lower, upper in zip(limits.lower, limits.upper, strict=True):
        below, above, weights = misses_between_limits(
            scenario, int(limits.outcomes[0]), lower, upper
        )
        missed.append((float((below * weights).sum()), float((above * weights).sum())))
    mean_below, mean_above = np.array(missed).T
    over_truths = Mean(mean_below, mean_above, _mean_length(scenario, limits))
    return Identity(over_truths, _over_outcomes(scenario, limits))


def _over_outcomes(scenario: SingleScenario, limits: Limits) -> Mean:
    """Return the mean of the posterior engine over the outcomes, weighted by their probability."""
    truth, model, size = as_distribution(scenario.truth), scenario.model, scenario.size
    weight = model.outcome_weights(truth, limits.outcomes, size)
    if truth.conjugate_prior is not None:
        integrated = posterior.integrate_under_prior(scenario, limits, truth.conjugate_prior)
        return replace(integrated, weight=weight).mean()
    low, high = truth.support
    scale = model.evidence(size) / (high - low)
    if scale > 1.0:
        # A difference of tails would have no correct digits left over so short a range.
        return posterior.integrate_under_truth(scenario, limits).mean()
    # On [a, b] the mass below is F(L) − F(a) and the mass above S(U) − S(b), each times Pr(X = x)
    # under a flat density of one, over b − a.
    inside = Limits(
        limits.outcomes, np.clip(limits.lower, low, high), np.clip(limits.upper, low, high)
    )
    boundary = Limits(
        limits.outcomes, np.full_like(limits.lower, low), np.full_like(limits.upper, high)
    )
    missed, beyond = (
        posterior.integrate_under_prior(scenario, part, model.FLAT_PRIOR)
        for part in (inside, boundary)
    )
    return Mean(
        (missed.below - beyond.below).sum(axis=1) * scale,
        (missed.above - beyond.above).sum(axis=1) * scale,
        weighted(limits.length, weight).sum(axis=1) / weight.sum(),
    )


def misses_between_limits(
    scenario: SingleScenario, first: int, lower: Floats, upper: Floats
) -> tuple[Floats, Floats, Floats]:
    """Return the miss probabilities of one column at the nodes of an integral over the truth.

    Between neighbouring limits they are smooth in the truth, and the nodes lie gap by gap.

    Args:
        scenario: its truth is a distribution.
        first: the first outcome with limits.
        lower, upper: limits at the outcomes first, first + 1, …, shape (m,).

    Returns:
        The miss probabilities below and above and the weight of each node, shape (t,) each.
    """
    low, high = scenario.truth.effective_support
    inside = np.concatenate((lower, upper))
    inside = inside[(inside > low) & (inside < high)]
    nodes, weights = truth_quadrature(scenario, np.unique(np.concatenate(([low, high], inside))))
    below, above = miss_probabilities(
        scenario.size, first, lower, upper, nodes, AT, scenario.model.SAMPLING
    )
    return below, above, weights


def _mean_length(scenario: SingleScenario, limits: Limits) -> Floats:
    """Return the mean over the truths of the expected length, shape (k,)."""
    nodes, weights = truth_quadrature(scenario, np.array(scenario.truth.effective_support))
    total = np.zeros(limits.lower.shape[0])
    for nodes_at, outcomes_at, probability in probability_blocks(scenario, nodes, limits.outcomes):
        weight = (probability * weights[nodes_at, np.newaxis]).sum(axis=0)
        total += weighted(limits.length[:, outcomes_at], weight).sum(axis=1)
    return total


def truth_quadrature(scenario: SingleScenario, breaks: Floats) -> tuple[Floats, Floats]:
    """Return nodes and weights of the truth's distribution, for an integrand that has breaks."""
    truth, model = as_distribution(scenario.truth), scenario.model
    prior = truth.conjugate_prior
    if prior is not None:
        return model.prior_rule(breaks, prior, scenario.size)
    nodes, weights = model.prior_rule(breaks, model.FLAT_PRIOR, scenario.size)
    low, high = truth.support
    return nodes, weights / (high - low)
