"""The root mean square alpha error and the interval score of each column.

The first is the root mean square of alpha − actual_alpha(θ) over the truths. The second is the mean
of Winkler's interval score, (U − L) + (2/alpha)·((L − θ)⁺ + (θ − U)⁺): the length, and a penalty in
proportion to the excess, the distance from a truth outside the interval to the interval (Gneiting
and Raftery 2007, J. Am. Stat. Assoc. 102, 359–378, eq. 43).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import Scenario
from harness.designs.limits import Column, Limits
from harness.designs.one_sample.exact import probability_blocks
from harness.designs.one_sample.least_length import LeastLengths
from harness.designs.results import Enumerated, NodeMisses
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.posteriors.truncated import Truncated
from harness.families.family import Family, truth_posterior
from harness.methods.method import TWO_SIDED


@dataclass(frozen=True)
class Scores:
    """The scores of k columns, shape (k,) each; not a number where a score is not computed."""

    rms_alpha_error: Floats
    """√ of the mean over the truths of (alpha − actual_alpha)²."""
    interval_score: Floats
    """The mean of Winkler's score over truths and outcomes, of two-sided intervals."""
    least: LeastLengths | None = None
    """The least lengths possible and how close to them each column comes; None where unknown."""


def of_one_sample(
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
    alpha = _alphas(columns)
    rms = _rms_over_listed_truths(enumerated, alpha)
    if enumerated.nodes is not None:
        rows = zip(enumerated.nodes, alpha, strict=True)
        rms = np.array([_rms_over_distribution(*row) for row in rows])
    excess = _excess_at_listed_truths if scenario.truth.is_discrete else _excess_over_distribution
    return Scores(rms, _interval_score(limits, enumerated, columns, partial(excess, scenario)))


def of_listed_truths(
    family: Family,
    listed: Iterable[tuple[float, Integers, Floats]] | None,
    limits: Limits,
    enumerated: Enumerated,
    columns: Sequence[Column],
) -> Scores:
    """Return both scores over listed truths, exact; NaN under a distribution.

    Args:
        family: of the parameter.
        listed: the parameter at each truth, and the outcomes with their probability there; None
            for a distribution.
        limits, enumerated, columns: as those of ``of_one_sample``.
    """
    rms = _rms_over_listed_truths(enumerated, _alphas(columns))
    if listed is None:
        return Scores(rms, np.full(len(columns), np.nan))
    excess = partial(_excess_at_listed, family, listed)
    return Scores(rms, _interval_score(limits, enumerated, columns, excess))


def _alphas(columns: Sequence[Column]) -> Floats:
    return np.array([column.alpha for column in columns])


def _rms_over_listed_truths(enumerated: Enumerated, alpha: Floats) -> Floats:
    """Return the root mean square over listed truths, shape (k,); NaN for a distribution."""
    if enumerated.by_truth is None:
        return np.full(alpha.size, np.nan)
    error = alpha[:, np.newaxis] - (enumerated.by_truth.below + enumerated.by_truth.above)
    return np.asarray(np.sqrt((error * error).mean(axis=1)))


def _rms_over_distribution(nodes: NodeMisses, alpha: float) -> float:
    """Return the root mean square over the distribution of the truth, for one column."""
    error = alpha - (nodes.below + nodes.above)
    return float(np.sqrt((error * error * nodes.weight).sum()))


def _interval_score(
    limits: Limits,
    enumerated: Enumerated,
    columns: Sequence[Column],
    expected_excess: Callable[[Limits], Floats],
) -> Floats:
    """Return Winkler's score of the two-sided columns, NaN for the others; shape (k,).

    Args:
        expected_excess: returns E[(L − θ)⁺ + (θ − U)⁺] of each column of a table of limits.
    """
    alpha, score = _alphas(columns), np.full(len(columns), np.nan)
    two_sided = np.array([column.side == TWO_SIDED for column in columns])
    if enumerated.mean is None or not two_sided.any():
        return score
    part = limits.with_ends(limits.lower[two_sided], limits.upper[two_sided])
    penalty = (2.0 / alpha[two_sided]) * expected_excess(part)
    score[two_sided] = enumerated.mean.length[two_sided] + penalty
    return score


def _excess_at_listed_truths(scenario: Scenario, limits: Limits) -> Floats:
    assert scenario.truth.is_discrete
    values, total = np.array(scenario.truth.values), np.zeros(limits.lower.shape[0])
    for values_at, outcomes_at, probability in probability_blocks(
        scenario, values, limits.outcomes
    ):
        p = values[values_at, np.newaxis]
        for row in range(total.size):
            lower, upper = limits.lower[row, outcomes_at], limits.upper[row, outcomes_at]
            total[row] += (probability * _excess(p, lower, upper)).sum()
    return total / values.size


def _excess_at_listed(
    family: Family, listed: Iterable[tuple[float, Integers, Floats]], limits: Limits
) -> Floats:
    """Return E[(L − θ)⁺ + (θ − U)⁺] over the listed truths and all outcomes, shape (k,).

    Of a ratio θ, L and U are their logarithms.
    """
    total, count, scale = np.zeros(limits.lower.shape[0]), 0, family.scale
    for theta, outcomes, probability in listed:
        possible, count = limits.at(outcomes), count + 1
        for row in range(total.size):
            lower, upper = scale(possible.lower[row]), scale(possible.upper[row])
            excess = _excess(scale(np.array(theta)), lower, upper)
            total[row] += (probability * excess).sum()
    return total / count


def _excess(theta: Floats | float, lower: Floats, upper: Floats) -> Floats:
    """Return (L − θ)⁺ + (θ − U)⁺, broadcast."""
    with np.errstate(invalid="ignore"):  # equal infinite logarithms, whose difference is no number
        return np.asarray(np.fmax(lower - theta, 0.0) + np.fmax(theta - upper, 0.0))


def _excess_over_distribution(scenario: Scenario, limits: Limits) -> Floats:
    assert not scenario.truth.is_discrete
    truth, model, size = scenario.truth, scenario.model, scenario.size
    weight = model.outcome_weights(truth, limits.outcomes, size)
    possible = np.flatnonzero(weight > 0)
    weight = weight[possible] / weight.sum()
    posterior = truth_posterior(model, truth, limits.outcomes[possible], size)
    rows = zip(limits.lower[:, possible], limits.upper[:, possible], strict=True)
    return np.array([(posterior_excess(posterior, *row) * weight).sum() for row in rows])


SinglePosterior = Beta | Gamma | Truncated


def posterior_excess(posterior: SinglePosterior, lower: Floats, upper: Floats) -> Floats:
    """Return E[(L − θ)⁺] + E[(θ − U)⁺] under the posterior of each outcome, shape (m,).

    The density f of a Beta or a Gamma satisfies (Vf)′ = (μ − θ)f with its mean μ and
    V = θ(1 − θ)/(a + b), or θ/b. Integrated from a boundary c of the support, that gives

        E[(L − θ)⁺] = (L − μ)F(L) + V(L)f(L) − V(c)f(c)

    and likewise above. It also holds for a part of the support, with μ still the mean of the whole:
    only then is V not 0 at the boundary.
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


def _flow(posterior: SinglePosterior, whole: Beta | Gamma, theta: Floats) -> Floats:
    """Return V(θ)f(θ), which is 0 at the boundary of the whole, where f may be infinite."""
    if isinstance(whole, Beta):
        spread = theta * (1.0 - theta) / (whole.a + whole.b)
    else:
        spread = np.where(theta < np.inf, theta, 0.0) / whole.b
    inside = spread > 0
    with np.errstate(invalid="ignore", over="ignore"):
        return np.where(inside, spread * np.exp(posterior.logpdf(theta)), 0.0)
