"""Exact miss probabilities at large sizes, against tails in ball arithmetic."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from harness.designs.miss_sets import FROM_ABOVE, FROM_BELOW, miss_probabilities
from harness.designs.one_sample.worst_case import worst_case
from harness.methods.catalogue import PROPORTION
from tests.oracles import balls, beta
from tests.oracles.accuracy_grid import promised

SIZES = (60, 1000, 10**5, 10**6)


def limits_at(n, name="wilson", alpha=0.05):
    x = np.arange(n + 1.0)
    return PROPORTION[name].limits((x, np.full(n + 1, float(n))), alpha)


def truths_at(n):
    """Places in the middle and on the scale of 1/n next to both ends, ascending."""
    near = np.array([0.01, 0.5, 1.7, 3.0, 11.0, 25.0, 38.0]) / n
    return np.unique(np.concatenate((near, [0.12, 0.3, 0.5, 0.61], 1 - near)))


def missed(n, lower, upper, p):
    """Pr(X >= first with L > p) and Pr(X <= last with U < p), the limits being in order."""
    first, last = int((lower <= p).sum()), int((upper < p).sum()) - 1
    at = balls.exact(p)
    below = beta.cdf(first, n - first + 1, at) if first <= n else 0
    above = beta.sf(last + 1, n - last, at) if last >= 0 else 0
    return below, above


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("alpha", [1e-6, 0.05, 0.5])
def test_miss_probabilities_are_right_to_the_promised_relative_accuracy(n, alpha):
    lower, upper = limits_at(n, alpha=alpha)
    truths = truths_at(n)
    found = miss_probabilities(n, 0, lower, upper, truths)
    for i, p in enumerate(truths.tolist()):
        for ours, true in zip(found, missed(n, lower, upper, p), strict=True):
            if true == 0:
                assert ours[i] == 0
            else:
                assert abs(float(ours[i] / true - 1)) <= promised(n), p


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("shift", [-2.0, 0.5, 3.0])
def test_a_block_that_misses_is_a_difference_of_tails(n, shift):
    # Every seventh outcome covers nothing: runs without end, and no monotone limits.
    x = np.arange(n + 1)
    lower, upper = np.zeros(n + 1), np.ones(n + 1)
    lower[x % 7 == 3] = 1.0
    p = min(max(0.3 + shift / np.sqrt(n), 0.05), 0.95)
    below, above = miss_probabilities(n, 0, lower, upper, np.array([p]))
    reach = 12 * np.sqrt(n * p * (1 - p)) + 12
    near = x[(x % 7 == 3) & (abs(x - n * p) < reach)].tolist()
    at = balls.exact(p)
    true = sum(balls.log_binomial(k, n - k, at).exp() for k in near)
    assert above[0] == 0
    assert abs(float(below[0] - true)) <= 10 * promised(n)


@pytest.mark.parametrize("name", ["wilson", "clopper_pearson", "minimal_length"])
def test_no_truth_is_worse_than_the_worst_case_and_its_witness_is_as_bad(name):
    n = 500
    lower, upper = limits_at(n, name)
    found = worst_case(n, lower, upper)
    ends = np.unique(np.concatenate(([0.0, 1.0], lower, upper)))
    dense = np.concatenate([np.linspace(a, b, 5) for a, b in itertools.pairwise(ends)])
    inside = np.unique(dense[(dense > 0) & (dense < 1)])
    # One part in 1e12 is the accuracy of the tails.
    assert np.sum(miss_probabilities(n, 0, lower, upper, inside), axis=0).max() <= (
        found.alpha * (1 + 1e-12)
    )
    witness = np.array([found.witness[0]])
    at_witness = np.sum(miss_probabilities(n, 0, lower, upper, witness))
    assert at_witness == pytest.approx(found.alpha, rel=1e-9)


@pytest.mark.parametrize("n", [60, 1000])
def test_the_limit_from_a_side_counts_the_intervals_that_end_there(n):
    lower, upper = limits_at(n)
    for p in (float(upper[n // 3]), float(lower[n // 2])):
        for approach in (FROM_BELOW, FROM_ABOVE):
            side = np.nextafter(p, 1.0 if approach == FROM_ABOVE else 0.0)
            found = miss_probabilities(n, 0, lower, upper, np.array([p]), approach)
            beside = missed(n, lower, upper, float(side))
            for ours, true in zip(found, beside, strict=True):
                assert float(ours[0]) == pytest.approx(float(true), rel=1e-11)
