"""The identity in which the posterior and the enumeration engine meet.

With the truth drawn from a distribution, the mean over p of the exact miss probability equals the
mean over x of the posterior mass outside the limits, under that same distribution and weighted by
the outcomes' probabilities; per side, and likewise for the length. One side sums probabilities of
outcomes, the other one integrates a posterior: no error in one alone survives.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from harness.engines import posterior
from harness.engines.exact.miss_sets import AT, miss_probabilities
from harness.engines.exact.one_sample import probability_blocks
from harness.engines.results import Enumerated, Mean, weighted
from harness.numerics.arrays import Floats, Integers
from harness.numerics.quadrature import beta_rule, gamma_rule
from harness.scenario import Limits, SingleScenario
from harness.truths import BetaTruth, GammaTruth, UniformTruth, as_distribution

# Both sides are sums of thousands of terms, each good to about 1e-13.
TOLERANCE = 1e-9

_SMALL = 1e-3
_WHOLE_RANGE_UP_TO = 2000
# Beyond this the outcomes possible at one half are too many too.
_STRIPS_UP_TO = 1_000_000
# The expected counts that each strip spans.
_STRIP = 1000.0


@dataclass(frozen=True)
class Identity:
    """Both sides of the identity for k columns."""

    over_truths: Mean
    """Mean of the enumeration over p."""
    over_outcomes: Mean
    """Weighted mean of the posterior mass over x."""

    def discrepancy(self) -> Floats:
        """The largest discrepancy of below, above and length for each column, shape (k,)."""
        return mean_discrepancy(self.over_truths, self.over_outcomes)


def mean_discrepancy(a: Mean, b: Mean) -> Floats:
    """By how much two means differ: relative where a miss probability is not tiny, shape (k,).

    A miss probability below 1e-3 is judged absolutely on the scale of 1e-3.
    """
    below, above = (
        np.abs(one - other) / np.maximum(np.maximum(one, other), _SMALL)
        for one, other in ((a.below, b.below), (a.above, b.above))
    )
    with np.errstate(invalid="ignore"):
        longer = np.maximum(a.length, b.length)
        length = np.where(a.length == b.length, 0.0, np.abs(a.length - b.length) / longer)
    return np.maximum(np.maximum(below, above), length)


def weight_discrepancy(scenario: SingleScenario) -> float:
    """By how much the outcome probabilities fail to sum to 1, or to have the truth's mean."""
    truth, size = as_distribution(scenario.truth), scenario.size
    x = _possible(scenario)
    weight = scenario.model.outcome_weights(truth, x, size)
    total, mean = float(weight.sum()), float((weight * (x / size)).sum())
    return max(abs(total - 1), abs(mean / truth.mean - 1))


def _possible(scenario: SingleScenario) -> Integers:
    """The outcomes that can occur."""
    first, last = scenario.model.SAMPLING.window(*scenario.truth.effective_support, scenario.size)
    return np.arange(first, last + 1)


def enumeration_discrepancies(known: Enumerated) -> list[Floats]:
    """What must hold within one enumeration, each of shape (k,).

    The mean over a list of truths is the mean over all outcomes; and no truth, nor their mean, is
    missed more often than the worst one.
    """
    found = []
    by_outcome, by_truth = known.by_outcome, known.by_truth
    if by_truth is not None and by_outcome.weight.sum() > 1.0 - TOLERANCE:
        found.append(mean_discrepancy(by_truth.mean(), by_outcome.mean()))
    if known.mean is not None and all(case is not None for case in known.worst):
        worst = np.array([case.alpha for case in known.worst if case is not None])
        missed = known.mean.below + known.mean.above
        if by_truth is not None:
            missed = np.maximum(missed, (by_truth.below + by_truth.above).max(axis=1))
        found.append(np.maximum(missed - worst, 0.0))
    return found


def scenarios_to_check(scenario: SingleScenario) -> list[SingleScenario]:
    """The scenario under the distributions that the identity is checked with at its size.

    The truth's own; a flat one for a list of values; and where all gaps between limits would take
    longer than all the rest, strips of the range that hold thousands of them: one next to 0, and
    unless that is too long too one in the middle.
    """
    truth, size = scenario.truth, scenario.size
    whole = scenario.model.SUPPORT[1] < np.inf
    most = size if whole else size * truth.effective_support[1]
    if most > _WHOLE_RANGE_UP_TO:
        width = _STRIP / size
        middle = 0.5 if whole else 0.5 * truth.effective_support[1]
        strips = [UniformTruth(0.0, width)]
        if most <= _STRIPS_UP_TO:
            strips.append(UniformTruth(middle, middle + width))
        return [replace(scenario, truth=strip) for strip in strips]
    if not truth.is_discrete:
        return [scenario]
    flat = UniformTruth(0.0, 1.0 if whole else max(truth.effective_support[1], 1.0 / size))
    return [replace(scenario, truth=flat)]


def evaluate_identity(scenario: SingleScenario, limits: Limits) -> Identity:
    """The two sides of the identity under the scenario's truth, a distribution.

    ``limits`` hold every outcome that can occur.
    """
    limits = limits.at(_possible(scenario))
    over_outcomes = _over_outcomes(scenario, limits)
    sides = [
        _mean_over_truths(scenario, int(limits.outcomes[0]), lower, upper)
        for lower, upper in zip(limits.lower, limits.upper, strict=True)
    ]
    below, above = np.array(sides).T
    return Identity(Mean(below, above, _mean_length(scenario, limits)), over_outcomes)


def _over_outcomes(scenario: SingleScenario, limits: Limits) -> Mean:
    """Mass outside the limits by the posterior engine, weighted by the outcomes' probabilities."""
    truth, model, size = as_distribution(scenario.truth), scenario.model, scenario.size
    weight = model.outcome_weights(truth, limits.outcomes, size)
    if isinstance(truth, BetaTruth | GammaTruth):
        integrated = posterior.integrate_under_prior(scenario, limits, (truth.s, truth.t))
        return replace(integrated, weight=weight).mean()
    low, high = truth.support
    scale = model.evidence(size) / (high - low)
    if scale > 1.0:
        # So short a range leaves no digits of a difference of tails: the engine's own way.
        return posterior.integrate_under_truth(scenario, limits).mean()
    # On [a, b] the mass below is F(L) − F(a), the one above S(U) − S(b), each times Pr(X = x)
    # under a flat density of one, over b − a.
    inside = Limits(
        limits.outcomes, np.clip(limits.lower, low, high), np.clip(limits.upper, low, high)
    )
    ends = Limits(
        limits.outcomes, np.full_like(limits.lower, low), np.full_like(limits.upper, high)
    )
    missed, beyond = (
        posterior.integrate_under_prior(scenario, part, model.FLAT_PRIOR) for part in (inside, ends)
    )
    return Mean(
        (missed.below - beyond.below).sum(axis=1) * scale,
        (missed.above - beyond.above).sum(axis=1) * scale,
        weighted(limits.length, weight).sum(axis=1) / weight.sum(),
    )


def _mean_over_truths(
    scenario: SingleScenario, first: int, lower: Floats, upper: Floats
) -> tuple[float, float]:
    """The exact miss probabilities below and above, integrated over the truth gap by gap."""
    low, high = scenario.truth.effective_support
    inside = np.concatenate((lower, upper))
    inside = inside[(inside > low) & (inside < high)]
    nodes, weights = truth_quadrature(scenario, np.unique(np.concatenate(([low, high], inside))))
    below, above = miss_probabilities(
        scenario.size, first, lower, upper, nodes, AT, scenario.model.SAMPLING
    )
    return float((below * weights).sum()), float((above * weights).sum())


def _mean_length(scenario: SingleScenario, limits: Limits) -> Floats:
    """The expected length at each truth, integrated over the truth."""
    nodes, weights = truth_quadrature(scenario, np.array(scenario.truth.effective_support))
    total = np.zeros(limits.lower.shape[0])
    for nodes_at, outcomes_at, probability in probability_blocks(scenario, nodes, limits.outcomes):
        weight = (probability * weights[nodes_at, np.newaxis]).sum(axis=0)
        total += weighted(limits.length[:, outcomes_at], weight).sum(axis=1)
    return total


def truth_quadrature(scenario: SingleScenario, breaks: Floats) -> tuple[Floats, Floats]:
    """Nodes and weights of the truth's distribution.

    In arcsin √p a binomial probability varies on the scale 1/(2√n), and times a Beta(s, t)
    density on 1/(2√(n + s + t)); in √r a Poisson probability on 1/(2√exposure), and times a
    Gamma(s, t) density on 1/(2√(exposure + t)).
    """
    truth, size = scenario.truth, scenario.size
    if isinstance(truth, GammaTruth):
        return gamma_rule(breaks, truth.s, truth.t, 0.5 / np.sqrt(size + truth.t))
    low, high = truth.support
    if scenario.model.SUPPORT[1] == np.inf:
        nodes, weights = gamma_rule(breaks, 1.0, 0.0, 0.5 / np.sqrt(size))
    else:
        s, t = (truth.s, truth.t) if isinstance(truth, BetaTruth) else (1.0, 1.0)
        nodes, weights = beta_rule(breaks, s, t, 0.5 / np.sqrt(size + s + t))
    return nodes, weights / (high - low)
