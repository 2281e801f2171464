"""Miss probabilities and expected lengths at many listed truths of one sample.

The miss probabilities are those of `one_sample`. The probabilities of the outcomes, which weigh
the lengths, come from a recurrence and take a twentieth of the time.
"""

from __future__ import annotations

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.designs.exact.miss_sets import AT, miss_probabilities
from harness.designs.exact.one_sample import matching_runs
from harness.designs.exact.probabilities import consecutive_probabilities
from harness.designs.results import Exact
from harness.designs.scenario import Limits, SingleScenario


def at_listed_truths(scenario: SingleScenario, limits: Limits) -> Exact:
    """Return the probabilities of outcomes that miss, and the expected length, at each true value.

    Args:
        scenario: its truth is a list of t values.
        limits: the limits of k columns at all outcomes that can occur.

    Returns:
        Its conditions are the true values; below, above and length have shape (k, t).
    """
    assert scenario.truth.is_discrete
    values, sampling = np.array(scenario.truth.values), scenario.model.SAMPLING
    below, above, length = np.zeros((3, limits.lower.shape[0], values.size))
    for values_at, outcomes_at in matching_runs(scenario, values, limits):
        first = int(limits.outcomes[outcomes_at.start])
        rows = zip(limits.lower[:, outcomes_at], limits.upper[:, outcomes_at], strict=True)
        for row, (lower, upper) in enumerate(rows):
            below[row, values_at], above[row, values_at] = miss_probabilities(
                scenario.size, first, lower, upper, values[values_at], AT, sampling
            )
        length[:, values_at] = _expected(
            scenario, first, limits.length[:, outcomes_at], values[values_at]
        )
    return Exact(values, np.full(values.size, 1.0 / values.size), below, above, length)


def _expected(scenario: SingleScenario, first: int, lengths: Floats, values: Floats) -> Floats:
    """Return the expectation of k functions of the outcome at each truth, shape (k, t).

    Args:
        scenario: the size.
        first: the first outcome.
        lengths: values at consecutive outcomes from the first one on, shape (k, m).
        values: ascending truths, shape (t,).
    """
    sampling, size = scenario.model.SAMPLING, scenario.size
    last, found = first + lengths.shape[1] - 1, np.zeros((lengths.shape[0], values.size))
    low, high = scenario.model.SUPPORT
    # The recurrence needs truths inside the range; at its boundary a few outcomes are possible.
    start, stop = np.searchsorted(values, low, "right"), np.searchsorted(values, high, "left")
    for index in (*range(start), *range(stop, values.size)):
        begin, end = sampling.window(values[index], values[index], size)
        begin, end = max(begin, first), min(end, last)
        probability = sampling.pmf(np.arange(begin, end + 1), values[index], size)
        found[:, index] = _means(lengths[:, begin - first : end + 1 - first], probability[None])[0]
    inside = values[start:stop]
    blocks = consecutive_probabilities(sampling, first, last, inside, size)
    for values_at, outcomes_at, probabilities in blocks:
        means = _means(lengths[:, outcomes_at], probabilities)
        found[:, start + values_at.start : start + values_at.stop] = means.T
    return found


def _means(lengths: Floats, probabilities: Floats) -> Floats:
    """Return the sums of lengths by probabilities, shape (t, k); infinite where a length is."""
    infinite = np.isinf(lengths)
    if not infinite.any():
        return np.asarray(probabilities @ lengths.T)
    sums = probabilities @ np.where(infinite, 0.0, lengths).T
    return np.where(probabilities @ infinite.T > 0, np.inf, sums)
