"""The scores of intervals of one sample, under its own truth or distribution of truths."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.designs.design import Scenario
from harness.designs.engines.scores import Scores, excess, scores_of
from harness.designs.limits import Column, Limits
from harness.designs.one_sample.exact import probability_blocks
from harness.designs.results import Enumerated
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.posteriors.truncated import Truncated
from harness.families.model import truth_posterior


def scores_of_one_sample(
    scenario: Scenario, limits: Limits, enumerated: Enumerated, columns: Sequence[Column]
) -> Scores:
    """Return both scores under the scenario's own truth, exact.

    The root mean square over a distribution is computed where enumeration integrates over all gaps
    between limits; the interval score where all possible outcomes have limits.

    Args:
        scenario: size and truth.
        limits: the limits of all outcomes that can occur under the truth.
        enumerated: the results of enumeration.
        columns: the method and alpha of each row of the limits.
    """
    scores = scores_of(limits, enumerated, columns, partial(_mean_excess, scenario))
    if enumerated.nodes is None:
        return scores
    rms = []
    for nodes, column in zip(enumerated.nodes, columns, strict=True):
        error = column.alpha - (nodes.below + nodes.above)
        rms.append(float(np.sqrt((error * error * nodes.weight).sum())))
    return replace(scores, rms_alpha_error=np.array(rms))


def _mean_excess(scenario: Scenario, limits: Limits) -> Floats:
    """Return how far the truth is outside the interval on average, for each column."""
    truth, model, size = scenario.truth, scenario.model, scenario.size
    if truth.is_discrete:
        values, total = np.array(truth.values), np.zeros(limits.lower.shape[0])
        for values_at, outcomes_at, probability in probability_blocks(
            scenario, values, limits.outcomes
        ):
            p = values[values_at, np.newaxis]
            for row in range(total.size):
                lower, upper = limits.lower[row, outcomes_at], limits.upper[row, outcomes_at]
                total[row] += (probability * excess(p, lower, upper)).sum()
        return total / values.size
    weight = model.outcome_weights(truth, limits.outcomes, size)
    possible = np.flatnonzero(weight > 0)
    weight = weight[possible] / weight.sum()
    posterior = truth_posterior(model, truth, limits.outcomes[possible], size)
    rows = zip(limits.lower[:, possible], limits.upper[:, possible], strict=True)
    return np.array([(posterior_excess(posterior, *row) * weight).sum() for row in rows])


SinglePosterior = Beta | Gamma | Truncated


def posterior_excess(posterior: SinglePosterior, lower: Floats, upper: Floats) -> Floats:
    """Return E[(L − θ)⁺] + E[(θ − U)⁺] under the posterior of each outcome, shape (m,)."""
    return mean_below(posterior, lower) + mean_above(posterior, upper)


def mean_below(posterior: SinglePosterior, limits: Floats) -> Floats:
    """Return E[(L − θ)⁺] under the posterior of each outcome, shape (m,).

    The density f of a Beta or a Gamma satisfies (Vf)′ = (μ − θ)f with its mean μ and
    V = θ(1 − θ)/(a + b), or θ/b. Integrated from a boundary c of the support, that gives

        E[(L − θ)⁺] = (L − μ)F(L) + V(L)f(L) − V(c)f(c)

    and likewise above. It also holds for a part of the support, with μ still the mean of the whole:
    only then is V not 0 at the boundary.

    Args:
        posterior: of m outcomes.
        limits: L, shape (m,); infinite ones have an infinite mean.
    """
    whole, mean = _whole(posterior)
    low, high = posterior.support
    inside, first = np.clip(limits, low, high), np.full_like(limits, low)
    below = (limits - mean) * posterior.cdf(inside)
    below += _flow(posterior, whole, inside) - _flow(posterior, whole, first)
    return np.asarray(np.maximum(below, 0.0))


def mean_above(posterior: SinglePosterior, limits: Floats) -> Floats:
    """Return E[(θ − U)⁺] under the posterior of each outcome, shape (m,); see ``mean_below``."""
    whole, mean = _whole(posterior)
    low, high = posterior.support
    inside, last = np.clip(limits, low, high), np.full_like(limits, high)
    above = (mean - limits) * posterior.sf(inside)
    above += _flow(posterior, whole, inside) - _flow(posterior, whole, last)
    return np.asarray(np.maximum(above, 0.0))


def _whole(posterior: SinglePosterior) -> tuple[Beta | Gamma, Floats]:
    """Return the posterior that is not truncated, and its mean."""
    whole = posterior.whole if isinstance(posterior, Truncated) else posterior
    return whole, whole.a / (whole.a + whole.b if isinstance(whole, Beta) else whole.b)


def _flow(posterior: SinglePosterior, whole: Beta | Gamma, theta: Floats) -> Floats:
    """Return V(θ)f(θ), which is 0 at the boundary of the whole, where f may be infinite."""
    if isinstance(whole, Beta):
        spread = theta * (1.0 - theta) / (whole.a + whole.b)
    else:
        spread = np.where(theta < np.inf, theta, 0.0) / whole.b
    inside = spread > 0
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(inside, spread * np.exp(posterior.logpdf(theta)), 0.0)
