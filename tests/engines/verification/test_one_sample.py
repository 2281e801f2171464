"""The identity between posterior and enumeration, which an error in either engine breaks."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from harness.engines.identity import one_sample as identity
from harness.engines.identity.one_sample import TOLERANCE, evaluate_identity, scenarios_to_check
from harness.methods.catalogue import PROPORTION
from harness.sampling import binomial
from harness.scenario import Limits, SingleScenario
from harness.truths import BetaTruth, DiscreteTruth, UniformTruth

FLAT = UniformTruth(0.0, 1.0)
TRUTHS = [FLAT, UniformTruth(0.2, 0.7), BetaTruth(2.0, 8.0), BetaTruth(0.5, 0.5)]


def at(n, truth):
    return SingleScenario("proportion", n, truth)


def limits_at(n, outcomes=None, names=("wald", "minimal_length", "jeffreys")):
    x = np.arange(n + 1) if outcomes is None else outcomes
    data = x.astype(float), np.full(x.size, float(n))
    columns = [PROPORTION[name].limits(data, 0.05) for name in names]
    lower, upper = (np.array(side) for side in zip(*columns, strict=True))
    return Limits(x, lower, upper)


@pytest.mark.parametrize("truth", TRUTHS, ids=str)
@pytest.mark.parametrize("n", [1, 10, 300, 2000])
def test_both_sides_meet_far_within_the_tolerance(truth, n):
    found = evaluate_identity(at(n, truth), limits_at(n))
    assert found.discrepancy().shape == (3,)
    assert found.discrepancy().max() <= 1e-2 * TOLERANCE


@pytest.mark.parametrize("n", [10**5, 10**6])
def test_large_sizes_are_checked_in_narrow_strips(n):
    truths = [each.truth for each in scenarios_to_check(at(n, FLAT))]
    assert [truth.support[0] for truth in truths] == [0.0, 0.5]
    for truth in truths:
        low, high = truth.support
        assert 500 <= n * (high - low) <= 5000
        first, last = binomial.window(low, high, n)
        limits = limits_at(n, np.arange(first, last + 1), names=("minimal_length",))
        assert evaluate_identity(at(n, truth), limits).discrepancy().max() <= 1e-2 * TOLERANCE


def test_a_list_of_truths_is_checked_under_a_flat_one_and_others_under_their_own():
    assert scenarios_to_check(at(10, DiscreteTruth((0.1, 0.2)))) == [at(10, FLAT)]
    for truth in TRUTHS:
        assert scenarios_to_check(at(10, truth)) == [at(10, truth)]
        assert len(scenarios_to_check(at(10**6, truth))) == 2


@pytest.mark.parametrize("truth", TRUTHS, ids=str)
def test_each_part_equals_independent_sums_and_integrals(truth):
    """Posterior mass and outcome probabilities as SciPy has them, at one n."""
    n, names = 20, ("wald", "jeffreys")
    limits = limits_at(n, names=names)
    found = evaluate_identity(at(n, truth), limits)
    x = np.arange(n + 1)
    if isinstance(truth, BetaTruth):
        weight = stats.betabinom(n, truth.s, truth.t).pmf(x)
        posterior = stats.beta(truth.s + x, truth.t + n - x)
        below, above = posterior.cdf(limits.lower), posterior.sf(limits.upper)
    else:
        flat, (a, b) = stats.beta(x + 1, n - x + 1), truth.support
        weight = (flat.cdf(b) - flat.cdf(a)) / ((n + 1) * (b - a))
        mass = flat.cdf(b) - flat.cdf(a)
        below = (flat.cdf(np.clip(limits.lower, a, b)) - flat.cdf(a)) / mass
        above = (flat.cdf(b) - flat.cdf(np.clip(limits.upper, a, b))) / mass
    for side in (found.over_truths, found.over_outcomes):
        np.testing.assert_allclose(side.below, below @ weight, rtol=0, atol=1e-11)
        np.testing.assert_allclose(side.above, above @ weight, rtol=0, atol=1e-11)
        np.testing.assert_allclose(side.length, limits.length @ weight, rtol=0, atol=1e-11)


@pytest.mark.parametrize("error", [-1e-6, 1e-6])
@pytest.mark.parametrize(
    "broken", ["miss_probabilities", "integrate_under_prior", "probability_blocks"]
)
def test_an_error_of_one_in_a_million_on_either_side_is_seen(monkeypatch, broken, error):
    room = identity.posterior if broken == "integrate_under_prior" else identity
    right = getattr(room, broken)

    def wrong(*args):
        if broken == "miss_probabilities":
            below, above = right(*args)
            return below * (1 + error), above
        if broken == "integrate_under_prior":
            exact = right(*args)
            return type(exact)(
                *(exact.conditions, exact.weight, exact.below, exact.above * (1 + error)),
                exact.length,
            )
        return ((a, b, probability * (1 + error)) for a, b, probability in right(*args))

    monkeypatch.setattr(room, broken, wrong)
    found = evaluate_identity(at(20, FLAT), limits_at(20, names=("wald",))).discrepancy()
    # Wald misses on each side with a probability of several per cent.
    assert found.max() > 10 * TOLERANCE
