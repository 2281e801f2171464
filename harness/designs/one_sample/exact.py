"""Enumeration for one sample: sums the probability of every outcome whose interval misses.

Scores are sums too, under listed truths; of a distribution they are means under its posterior.

Where many listed truths are asked for, the probabilities of the outcomes, which weigh the lengths,
come from a recurrence and take a twentieth of the time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs.design import Scenario
from harness.designs.engines.listed import consecutive_probabilities
from harness.designs.engines.posterior import enumerate_by_posterior
from harness.designs.engines.solver import Solver, excess
from harness.designs.limits import Limits
from harness.designs.miss_sets import AT, miss_probabilities
from harness.designs.one_sample.quadrature import Mixing, integrate
from harness.designs.one_sample.worst_case import worst_case
from harness.designs.results import Enumerated, Exact, WorstCase, weighted
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.posteriors.truncated import Truncated
from harness.distributions.sampling.law import Sampling
from harness.families.combination import Span
from harness.families.family import ENUMERATION
from harness.families.model import truth_posterior

# Probabilities in one block, and in one call, whose numbers fit a cache.
_BLOCK, _CELLS = 1 << 19, 1 << 16
LARGEST_INTEGRATED = 2000
"""The largest number of trials, or of expected events, with a quadrature over the truths."""


def enumerate_one_sample(solver: Solver, limits: Limits, reported: Integers) -> Enumerated:
    """Return exact miss probabilities by outcome, by truth and overall, without worst cases.

    Args:
        solver: that of one sample, with size and truth.
        limits: the limits of all outcomes that can occur under the truth.
        reported: the outcomes in the result.
    """
    scenario = solver.scenario
    if scenario.truth.is_discrete:
        values = np.array(scenario.truth.values)
        by_outcome = _by_outcome(scenario, values, limits.at(reported))
        by_truth = _by_truth(scenario, values, limits)
        return Enumerated.of(by_outcome, by_truth, by_truth.mean(), ENUMERATION, reported)
    if is_integrated(scenario):
        possible = limits.at(solver.possible_outcomes())
        integral = integrate(Mixing.of_truth(scenario), possible)
        return Enumerated.of(
            integral.by_outcome, None, integral.mean, ENUMERATION, reported, integral.nodes
        )
    return enumerate_by_posterior(scenario, limits, reported)


def is_integrated(scenario: Scenario) -> bool:
    """Whether enumeration integrates over the truth's distribution by quadrature.

    It does so up to ``LARGEST_INTEGRATED`` trials, or expected events at the largest rate. Beyond
    it the sums at all the nodes between the limits take too long, and the engine ``posterior``'s
    integrals under the truth's distribution take their place.
    """
    if scenario.truth.is_discrete:
        return False
    largest = 1.0 if scenario.model.IS_BOUNDED else scenario.truth.effective_support[1]
    return bool(scenario.size * largest <= LARGEST_INTEGRATED)


def worst_cases(
    solver: Solver, limits: Limits, over: Sequence[Span]
) -> tuple[WorstCase, ...] | None:
    """Return the exact worst case of each column over a closed range of truths.

    It is None where outcomes that can occur within the range have no limits.
    """
    (span,) = over
    scenario = solver.scenario
    sampling = scenario.model.SAMPLING
    first, last = sampling.window(*span, scenario.size)
    within = limits.run(first, last)
    if within is None:
        return None
    return tuple(
        worst_case(scenario.size, lower, upper, first, span, sampling)
        for lower, upper in zip(within.lower, within.upper, strict=True)
    )


def outcome_weights(scenario: Scenario, outcomes: Integers) -> Floats:
    """Return Pr(X = x) under the scenario's truth, shape (m,)."""
    truth, model = scenario.truth, scenario.model
    if not truth.is_discrete:
        return model.outcome_weights(truth, outcomes, scenario.size)
    weight = np.zeros(outcomes.size)
    values = np.array(truth.values)
    for _, outcomes_at, probability in probability_blocks(scenario, values, outcomes):
        weight[outcomes_at] += probability.sum(axis=0)
    return weight / values.size


def _by_truth(scenario: Scenario, values: Floats, limits: Limits) -> Exact:
    """Return the probability of the outcomes that miss, at each true value."""
    k, t = limits.lower.shape[0], values.size
    below, above = _missed_at(scenario, values, limits)
    length = np.zeros((k, t))
    for values_at, outcomes_at, probability in probability_blocks(
        scenario, values, limits.outcomes
    ):
        for row in range(k):
            lengths = limits.upper[row, outcomes_at] - limits.lower[row, outcomes_at]
            length[row, values_at] = weighted(lengths, probability).sum(axis=1)
    return Exact(values, np.full(t, 1.0 / t), below, above, length)


def _missed_at(scenario: Scenario, values: Floats, limits: Limits) -> tuple[Floats, Floats]:
    """Return the probabilities of a miss below and above at each true value, shape (k, t) each."""
    below, above = np.zeros((2, limits.lower.shape[0], values.size))
    for values_at, outcomes_at in matching_runs(scenario, values, limits):
        first = int(limits.outcomes[outcomes_at.start])
        rows = zip(limits.lower[:, outcomes_at], limits.upper[:, outcomes_at], strict=True)
        for row, (lower, upper) in enumerate(rows):
            below[row, values_at], above[row, values_at] = miss_probabilities(
                scenario.size, first, lower, upper, values[values_at], AT, scenario.model.SAMPLING
            )
    return below, above


def _by_outcome(scenario: Scenario, values: Floats, limits: Limits) -> Exact:
    """Return the share of each outcome's probability that comes from true values it misses."""
    k, m = limits.lower.shape
    weight, below, above = np.zeros(m), np.zeros((k, m)), np.zeros((k, m))
    for values_at, outcomes_at, probability in probability_blocks(
        scenario, values, limits.outcomes
    ):
        p = values[values_at, np.newaxis]
        weight[outcomes_at] += probability.sum(axis=0)
        for row in range(k):
            missed_below = p < limits.lower[row, outcomes_at]
            missed_above = p > limits.upper[row, outcomes_at]
            below[row, outcomes_at] += (probability * missed_below).sum(axis=0)
            above[row, outcomes_at] += (probability * missed_above).sum(axis=0)
    possible = weight > 0
    share = weight[possible]
    return Exact(
        limits.outcomes[possible],
        share / values.size,
        below[:, possible] / share,
        above[:, possible] / share,
        limits.length[:, possible],
    )


def matching_runs(
    scenario: Scenario, values: Floats, limits: Limits
) -> Iterator[tuple[slice, slice]]:
    """Yield the true values whose outcomes lie in each run of consecutive outcomes, and the run."""
    segments = limits.segments()
    starts = [int(limits.outcomes[segment.start]) for segment in segments]
    likely = np.rint(scenario.model.SAMPLING.mean(values, scenario.size)).astype(np.int64)
    segment_of = np.searchsorted(starts, likely, side="right") - 1
    bounds = np.searchsorted(segment_of, np.arange(len(segments) + 1))
    for number, segment in enumerate(segments):
        values_at = slice(int(bounds[number]), int(bounds[number + 1]))
        if values_at.stop > values_at.start:
            yield values_at, segment


def probability_blocks(
    scenario: Scenario, values: Floats, outcomes: Integers
) -> Iterator[tuple[slice, slice, Floats]]:
    """Yield the probabilities of outcomes at ascending true values, in blocks of bounded size.

    A block consists of a slice of the values, a slice of the outcomes and Pr(X = x | p), of the
    shape of both. Outcomes outside the slice have a probability below 1e-16 at these values.
    """
    n = scenario.size
    sampling: Sampling = scenario.model.SAMPLING
    firsts, lasts = (ends.tolist() for ends in sampling.windows(values, n))
    start = 0
    while start < values.size:
        stop = start + 1
        first = firsts[start]
        while stop < values.size and (stop + 1 - start) * (lasts[stop] - first + 1) <= _BLOCK:
            stop += 1
        last = lasts[stop - 1]
        low, high = np.searchsorted(outcomes, [first, last + 1])
        x, probability = outcomes[low:high], np.empty((stop - start, high - low))
        rows = max(1, _CELLS // max(1, x.size))
        for row in range(start, stop, rows):
            part = slice(row, min(row + rows, stop))
            values_part = values[part, np.newaxis]
            probability[row - start : part.stop - start] = sampling.pmf(x, values_part, n)
        yield slice(start, stop), slice(int(low), int(high)), probability
        start = stop


def at_listed_truths(solver: Solver, limits: Limits) -> Exact:
    """Return the probabilities of outcomes that miss, and the expected length, at each true value.

    Args:
        solver: its scenario's truth is a list of t values.
        limits: the limits of k columns at all outcomes that can occur.

    Returns:
        Its conditions are the true values; below, above and length have shape (k, t).
    """
    scenario = solver.scenario
    assert scenario.truth.is_discrete
    values = np.array(scenario.truth.values)
    below, above = _missed_at(scenario, values, limits)
    length = np.zeros_like(below)
    for values_at, outcomes_at in matching_runs(scenario, values, limits):
        first = int(limits.outcomes[outcomes_at.start])
        length[:, values_at] = _expected(
            scenario, first, limits.length[:, outcomes_at], values[values_at]
        )
    return Exact(values, np.full(values.size, 1.0 / values.size), below, above, length)


def _expected(scenario: Scenario, first: int, lengths: Floats, values: Floats) -> Floats:
    """Return the expectation of k functions of the outcome at each truth, shape (k, t).

    Args:
        scenario: the size.
        first: the first outcome.
        lengths: values at consecutive outcomes from the first one on, shape (k, m).
        values: ascending truths, shape (t,).
    """
    sampling, size = scenario.model.SAMPLING, scenario.size
    last, expectation = first + lengths.shape[1] - 1, np.zeros((lengths.shape[0], values.size))
    low, high = scenario.model.SUPPORT
    # The recurrence needs truths inside the range; at its boundary a few outcomes are possible.
    start, stop = np.searchsorted(values, low, "right"), np.searchsorted(values, high, "left")
    for index in (*range(start), *range(stop, values.size)):
        begin, end = sampling.window(values[index], values[index], size)
        begin, end = max(begin, first), min(end, last)
        probability = sampling.pmf(np.arange(begin, end + 1), values[index], size)
        expectation[:, index] = _means(
            lengths[:, begin - first : end + 1 - first], probability[None]
        )[0]
    inside = values[start:stop]
    blocks = consecutive_probabilities(sampling, first, last, inside, size)
    for values_at, outcomes_at, probabilities in blocks:
        means = _means(lengths[:, outcomes_at], probabilities)
        expectation[:, start + values_at.start : start + values_at.stop] = means.T
    return expectation


def _means(lengths: Floats, probabilities: Floats) -> Floats:
    """Return the sums of lengths by probabilities, shape (t, k); infinite where a length is."""
    infinite = np.isinf(lengths)
    if not infinite.any():
        return np.asarray(probabilities @ lengths.T)
    sums = probabilities @ np.where(infinite, 0.0, lengths).T
    return np.where(probabilities @ infinite.T > 0, np.inf, sums)


def expected_excess(solver: Solver, limits: Limits) -> Floats:
    """Return how far the truth is outside the interval on average, for each column."""
    scenario = solver.scenario
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
    excesses = (
        mean_below(posterior, lower) + mean_above(posterior, upper) for lower, upper in rows
    )
    return np.array([(given * weight).sum() for given in excesses])


SinglePosterior = Beta | Gamma | Truncated


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
