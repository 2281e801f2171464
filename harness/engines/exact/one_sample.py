"""The enumeration engine: sums the probability of every outcome whose interval misses."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from harness.engines.exact.miss_sets import AT, miss_probabilities
from harness.engines.posterior import integrate_under_truth
from harness.engines.results import Enumerated, Exact, Mean, WorstCase, weighted
from harness.engines.worst_case.one_sample import worst_case
from harness.numerics.arrays import Floats, Integers
from harness.sampling.protocol import Sampling
from harness.scenario import Limits, SingleScenario

_BLOCK = 1 << 19
NOTHING_LEFT_OUT = 1e-9


def enumerate_one_sample(
    scenario: SingleScenario,
    limits: Limits,
    reported: Integers | None = None,
    worst: bool = True,
) -> Enumerated:
    """Exact miss probabilities per outcome, per truth and overall, and the exact worst case.

    Args:
        scenario: size and truth.
        limits: the limits of all outcomes that can occur under the truth; of all that can occur
            anywhere in ``worst_case_range`` where the worst case is wanted.
        reported: the outcomes that values are wanted for; None for all there are limits for.
        worst: whether the worst case is wanted.
    """
    truth = scenario.truth
    wanted = limits.outcomes if reported is None else reported
    if truth.is_discrete:
        at_values = _by_truth(scenario, np.array(truth.values), limits)
        by_outcome = _given_outcomes_of_values(scenario, np.array(truth.values), limits.at(wanted))
        by_truth: Exact | None = at_values
        mean: Mean | None = at_values.mean()
    else:
        by_truth = None
        by_outcome = integrate_under_truth(scenario, limits)
        mean = by_outcome.mean() if by_outcome.weight.sum() > 1.0 - NOTHING_LEFT_OUT else None
        if reported is not None:
            by_outcome = by_outcome.at(np.intersect1d(by_outcome.conditions, wanted))
    cases = worst_cases(scenario, limits, worst_case_range(scenario)) if worst else None
    return Enumerated(by_outcome, by_truth, mean, cases or (None,) * len(limits.lower))


def worst_case_range(scenario: SingleScenario) -> tuple[float, float]:
    """The truths that the worst case is sought over.

    The whole range of a proportion. The range of a rate never ends, nor do its outcomes: there
    it is the truth's own range, as far as the truth's outcomes that matter go.
    """
    model, truth = scenario.model, scenario.truth
    if model.SUPPORT[1] < np.inf:
        return model.SUPPORT
    return truth.effective_support


def worst_cases(
    scenario: SingleScenario, limits: Limits, over: tuple[float, float]
) -> tuple[WorstCase | None, ...]:
    """The exact worst case of each column over a range of truths.

    None for each where the range is a single truth, or where the limits of outcomes that can
    occur within it are not given.
    """
    sampling = scenario.model.SAMPLING
    first, last = sampling.window(over[0], over[1], scenario.size)
    start, stop = np.searchsorted(limits.outcomes, [first, last + 1])
    if int(stop - start) != last + 1 - first or not over[0] < over[1]:
        return (None,) * len(limits.lower)
    return tuple(
        worst_case(scenario.size, lower[start:stop], upper[start:stop], first, over, sampling)
        for lower, upper in zip(limits.lower, limits.upper, strict=True)
    )


def outcome_weights(scenario: SingleScenario, outcomes: Integers) -> Floats:
    """Pr(X = x) under the scenario's truth, shape (m,)."""
    truth, model = scenario.truth, scenario.model
    if not truth.is_discrete:
        return model.outcome_weights(truth, outcomes, scenario.size)
    weight = np.zeros(outcomes.size)
    values = np.array(truth.values)
    for _, outcomes_at, probability in probability_blocks(scenario, values, outcomes):
        weight[outcomes_at] += probability.sum(axis=0)
    return weight / values.size


def possible_outcomes(scenario: SingleScenario) -> Integers:
    """The outcomes that can occur under the scenario's truth, but for a probability of 1e-16."""
    merged: list[list[int]] = []
    for first, last in _windows(scenario):
        if merged and first <= merged[-1][1] + 1:
            merged[-1][1] = max(merged[-1][1], last)
        else:
            merged.append([first, last])
    return np.concatenate([np.arange(a, b + 1, dtype=np.int64) for a, b in merged])


def possible_count(scenario: SingleScenario) -> float:
    """An upper bound of the number of outcomes that can occur under the scenario's truth."""
    return float(sum(last - first + 1 for first, last in _windows(scenario)))


def _windows(scenario: SingleScenario) -> list[tuple[int, int]]:
    """The first and the last outcome that can occur, at each listed truth or for all truths."""
    truth = scenario.truth
    values = truth.values if truth.is_discrete else ()
    spans = [(value, value) for value in values] or [truth.effective_support]
    sampling, size = scenario.model.SAMPLING, scenario.size
    return [sampling.window(low, high, size) for low, high in spans]


def _by_truth(scenario: SingleScenario, values: Floats, limits: Limits) -> Exact:
    """The probability of the outcomes that miss, at each value."""
    n, sampling = scenario.size, scenario.model.SAMPLING
    k, t = limits.lower.shape[0], values.size
    below, above = np.zeros((k, t)), np.zeros((k, t))
    for values_at, outcomes_at in _matching(n, values, limits):
        first = int(limits.outcomes[outcomes_at.start])
        for row in range(k):
            below[row, values_at], above[row, values_at] = miss_probabilities(
                n,
                first,
                limits.lower[row, outcomes_at],
                limits.upper[row, outcomes_at],
                values[values_at],
                AT,
                sampling,
            )
    length = np.zeros((k, t))
    for values_at, outcomes_at, probability in probability_blocks(
        scenario, values, limits.outcomes
    ):
        for row in range(k):
            part = limits.upper[row, outcomes_at] - limits.lower[row, outcomes_at]
            length[row, values_at] = weighted(part, probability).sum(axis=1)
    return Exact(values, np.full(t, 1.0 / t), below, above, length)


def _given_outcomes_of_values(scenario: SingleScenario, values: Floats, limits: Limits) -> Exact:
    """Given the outcome, the share of its probability that comes from values it misses."""
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


def _matching(n: float, values: Floats, limits: Limits) -> Iterator[tuple[slice, slice]]:
    """For each run of consecutive outcomes, the values whose outcomes lie in it."""
    segments = limits.segments()
    starts = [int(limits.outcomes[segment.start]) for segment in segments]
    likely = np.rint(n * values).astype(np.int64)
    segment_of = np.searchsorted(starts, likely, side="right") - 1
    bounds = np.searchsorted(segment_of, np.arange(len(segments) + 1))
    for number, segment in enumerate(segments):
        values_at = slice(int(bounds[number]), int(bounds[number + 1]))
        if values_at.stop > values_at.start:
            yield values_at, segment


def probability_blocks(
    scenario: SingleScenario, values: Floats, outcomes: Integers
) -> Iterator[tuple[slice, slice, Floats]]:
    """Outcome probabilities at ascending values, in blocks of bounded size.

    Yields slices into values and outcomes, and Pr(X = x | p) of their shapes; outcomes outside
    the block's window have a probability below 1e-16.
    """
    n = scenario.size
    sampling: Sampling = scenario.model.SAMPLING
    start = 0
    while start < values.size:
        stop = start + 1
        first, last = sampling.window(values[start], values[start], n)
        while stop < values.size:
            _, further = sampling.window(values[stop], values[stop], n)
            if (stop + 1 - start) * (further - first + 1) > _BLOCK:
                break
            stop, last = stop + 1, further
        low, high = np.searchsorted(outcomes, [first, last + 1])
        x = outcomes[low:high]
        yield (
            slice(start, stop),
            slice(int(low), int(high)),
            sampling.pmf(x, values[start:stop, np.newaxis], n),
        )
        start = stop
