"""The root mean square alpha error and the interval score of each column.

The root mean square of alpha − actual_alpha(θ) over the truths, and the mean of Winkler's interval
score, (U − L) + (2/alpha)·((L − θ)⁺ + (θ − U)⁺): the length, and a penalty in proportion to how far
off the truth is where it is missed (Gneiting and Raftery 2007, J. Am. Stat. Assoc. 102, 359–378,
eq. 43).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from harness.engines.exact.miss_sets import AT, miss_probabilities
from harness.engines.exact.one_sample import possible_outcomes, probability_blocks
from harness.engines.identity.one_sample import scenarios_to_check, truth_quadrature
from harness.engines.results import Enumerated
from harness.families.catalogue import family_of
from harness.methods.method import TWO_SIDED
from harness.numerics.arrays import Floats
from harness.posteriors.beta import Beta
from harness.posteriors.gamma import Gamma
from harness.posteriors.truncated import Truncated
from harness.scenario import Column, Limits, PairScenario, SingleScenario
from harness.truths import DiscreteTruth, as_distribution


@dataclass(frozen=True)
class Scores:
    """For k columns, shape (k,) each; not a number where it is not known."""

    rms_alpha_error: Floats
    """√ of the mean over the truths of (alpha − actual_alpha)²."""
    interval_score: Floats
    """The mean of Winkler's score over truths and outcomes, of two-sided intervals."""


def of_one_sample(
    scenario: SingleScenario, limits: Limits, known: Enumerated, columns: Sequence[Column]
) -> Scores:
    """Both numbers under the scenario's own truth, exact.

    The root mean square over a distribution is known where the identity of the engines also
    integrates all gaps between limits; the score where no outcome that can occur is left out.

    Args:
        scenario: size and truth.
        limits: the limits of all outcomes that can occur under the truth.
        known: the results of enumeration.
        columns: the method and alpha of each row of the limits.
    """
    alpha = _alphas(columns)
    rms = _rms_alpha_error(known, alpha)
    if known.by_truth is None and scenarios_to_check(scenario) == [scenario]:
        possible = limits.at(possible_outcomes(scenario))
        rows = zip(possible.lower, possible.upper, alpha, strict=True)
        first = int(possible.outcomes[0])
        rms = np.array([_rms_over_truths(scenario, first, *row) for row in rows])
    return Scores(rms, _interval_score(limits, known, columns, partial(_expected_excess, scenario)))


def of_two_samples(
    scenario: PairScenario, limits: Limits, known: Enumerated, columns: Sequence[Column]
) -> Scores:
    """Both numbers under the scenario's own truths, exact; NaN under distributions.

    Args: as those of ``of_one_sample``.
    """
    rms, score = _rms_alpha_error(known, _alphas(columns)), np.full(len(columns), np.nan)
    if scenario.truth.is_discrete:
        score = _interval_score(limits, known, columns, partial(expected_excess_of_pairs, scenario))
    return Scores(rms, score)


def _alphas(columns: Sequence[Column]) -> Floats:
    return np.array([column.alpha for column in columns])


def _rms_alpha_error(known: Enumerated, alpha: Floats) -> Floats:
    """The root mean square over listed truths; NaN for a distribution."""
    if known.by_truth is None:
        return np.full(alpha.size, np.nan)
    error = alpha[:, np.newaxis] - (known.by_truth.below + known.by_truth.above)
    return np.asarray(np.sqrt((error * error).mean(axis=1)))


def _rms_over_truths(
    scenario: SingleScenario, first: int, lower: Floats, upper: Floats, alpha: float
) -> float:
    """Integrated gap by gap: between two neighbouring limits the miss probability is smooth."""
    low, high = scenario.truth.effective_support
    inside = np.concatenate((lower, upper))
    inside = inside[(inside > low) & (inside < high)]
    nodes, weights = truth_quadrature(scenario, np.unique(np.concatenate(([low, high], inside))))
    below, above = miss_probabilities(
        scenario.size, first, lower, upper, nodes, AT, scenario.model.SAMPLING
    )
    error = alpha - (below + above)
    return float(np.sqrt((error * error * weights).sum()))


def _interval_score(
    limits: Limits,
    known: Enumerated,
    columns: Sequence[Column],
    expected_excess: Callable[[Limits], Floats],
) -> Floats:
    """Winkler's score of the two-sided columns, NaN for the others; shape (k,)."""
    alpha, score = _alphas(columns), np.full(len(columns), np.nan)
    two_sided = np.array([column.side == TWO_SIDED for column in columns])
    if known.mean is None or not two_sided.any():
        return score
    part = Limits(limits.outcomes, limits.lower[two_sided], limits.upper[two_sided])
    penalty = (2.0 / alpha[two_sided]) * expected_excess(part)
    score[two_sided] = known.mean.length[two_sided] + penalty
    return score


def _expected_excess(scenario: SingleScenario, limits: Limits) -> Floats:
    """E[(L − θ)⁺ + (θ − U)⁺], shape (k,)."""
    if isinstance(scenario.truth, DiscreteTruth):
        return _expected_excess_of_values(scenario, np.array(scenario.truth.values), limits)
    truth, model, size = as_distribution(scenario.truth), scenario.model, scenario.size
    weight = model.outcome_weights(truth, limits.outcomes, size)
    possible = np.flatnonzero(weight > 0)
    weight = weight[possible] / weight.sum()
    posterior: Any = model.truth_posterior(truth, limits.outcomes[possible], size)
    rows = zip(limits.lower[:, possible], limits.upper[:, possible], strict=True)
    return np.array([(expected_excess(posterior, *row) * weight).sum() for row in rows])


def _expected_excess_of_values(scenario: SingleScenario, values: Floats, limits: Limits) -> Floats:
    total = np.zeros(limits.lower.shape[0])
    for values_at, outcomes_at, probability in probability_blocks(
        scenario, values, limits.outcomes
    ):
        p = values[values_at, np.newaxis]
        for row in range(total.size):
            below = np.maximum(limits.lower[row, outcomes_at] - p, 0.0)
            above = np.maximum(p - limits.upper[row, outcomes_at], 0.0)
            total[row] += (probability * (below + above)).sum()
    return total / values.size


AnyPosterior = Beta | Gamma | Truncated


def expected_excess(posterior: AnyPosterior, lower: Floats, upper: Floats) -> Floats:
    """E[(L − θ)⁺] + E[(θ − U)⁺] for each outcome, shape (m,).

    The density f of a Beta or a Gamma satisfies (Vf)′ = (μ − θ)f with its mean μ and
    V = θ(1 − θ)/(a + b), or θ/b. Integrated from an end c of the range, that gives

        E[(L − θ)⁺] = (L − μ)F(L) + V(L)f(L) − V(c)f(c)

    and likewise above. It also holds for a part of the range, with μ still the mean of the whole:
    only there is V not 0 at the ends.
    """
    whole = posterior.whole if isinstance(posterior, Truncated) else posterior
    mean = whole.a / (whole.a + whole.b) if isinstance(whole, Beta) else whole.a / whole.b
    low, high = posterior.support
    bottom, top = np.clip(lower, low, high), np.clip(upper, low, high)
    first, last = np.full_like(lower, low), np.full_like(upper, high)
    below = (lower - mean) * posterior.cdf(bottom)
    below += _flow(posterior, whole, bottom) - _flow(posterior, whole, first)
    above = (mean - upper) * posterior.sf(top)
    above += _flow(posterior, whole, top) - _flow(posterior, whole, last)
    return np.asarray(np.maximum(below, 0.0) + np.maximum(above, 0.0))


def _flow(posterior: AnyPosterior, whole: Beta | Gamma, theta: Floats) -> Floats:
    """V(θ)f(θ); 0 at the ends of the whole range, where the density may be infinite."""
    if isinstance(whole, Beta):
        spread = theta * (1.0 - theta) / (whole.a + whole.b)
    else:
        spread = np.where(theta < np.inf, theta, 0.0) / whole.b
    inside = spread > 0
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(inside, spread * np.exp(posterior.logpdf(theta)), 0.0)


def expected_excess_of_pairs(scenario: PairScenario, limits: Limits) -> Floats:
    """E[(L − θ)⁺ + (θ − U)⁺] over the listed truths and all outcomes, shape (k,)."""
    values = scenario.truth.values
    parameter = family_of(scenario.family).value(values)
    sampling, total = scenario.model.SAMPLING, np.zeros(limits.lower.shape[0])
    for place, theta in enumerate(parameter):
        counts, probabilities = [], []
        for value, size in zip(values, scenario.sizes, strict=True):
            low, high = sampling.window(value[place], value[place], size)
            counts.append(np.arange(low, high + 1))
            probabilities.append(sampling.pmf(counts[-1], value[place], size))
        pairs = scenario.outcomes(counts[0][:, np.newaxis], counts[1][np.newaxis, :]).ravel()
        probability = (probabilities[0][:, np.newaxis] * probabilities[1][np.newaxis, :]).ravel()
        at = limits.at(pairs)
        for row in range(total.size):
            below = np.maximum(at.lower[row] - theta, 0.0)
            above = np.maximum(theta - at.upper[row], 0.0)
            total[row] += (probability * (below + above)).sum()
    return total / parameter.size
