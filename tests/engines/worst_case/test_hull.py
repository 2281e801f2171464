"""The worst case of one sample over the closed hull of the truths, against brute force."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from harness.catalogue import scenario_for
from harness.designs.design import data_of
from harness.designs.engines.solver import solver_of
from harness.designs.limits import Limits
from harness.designs.miss_sets import AT, FROM_ABOVE, FROM_BELOW, miss_probabilities
from harness.designs.one_sample.design import OneSampleSolver
from harness.designs.one_sample.worst_case import worst_case
from harness.distributions.sampling import poisson
from harness.distributions.truths import BetaTruth, DiscreteTruth, GammaTruth, UniformTruth
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE
from tests.engines import arbitrary_limits
from tests.oracles import brute_force

# Signed sums of at most 18 tails; see test_one_sample.
EXACT = 1e-14
SUMMED = 1e-12

METHODS = ("wald", "wilson", "clopper_pearson", "minimal_length", "second_order")
HULLS = [(0.85, 0.99), (0.0, 0.1), (0.2, 0.2000001), (0.4, 1.0)]
_truth = st.one_of(st.integers(0, 12).map(lambda k: k / 12), st.floats(0, 1))


def enumerated(truth, lower, upper):
    limits = arbitrary_limits.as_limits(lower, upper)
    scenario = scenario_for(family_of("proportion"), lower.size - 1, truth)
    return OneSampleSolver(scenario).enumerate(limits)


@given(arbitrary_limits.limits, _truth, _truth)
def test_over_any_range_it_is_the_supremum_of_the_polynomials(limits, a, b):
    lower, upper = limits
    over = min(a, b), max(a, b)
    found = worst_case(lower.size - 1, lower, upper, over=over)
    lower, upper = lower.tolist(), upper.tolist()
    if a == b:
        expected = sum(float(int(v.p) / int(v.q)) for v in brute_force.missed_at(lower, upper, a))
        assert (found.truths, found.side) == ((a,), "at")
    else:
        expected = float(brute_force.worst_miss(lower, upper, over))
    assert found.alpha == pytest.approx(expected, rel=0, abs=EXACT)
    for place in (*found.truths, *found.witness):
        assert over[0] <= place <= over[1]


@pytest.mark.parametrize("over", HULLS)
@pytest.mark.parametrize("name", METHODS)
def test_no_fine_grid_and_no_side_of_a_limit_within_the_hull_is_worse(name, over):
    n, (low, high) = 60, over
    x = np.arange(n + 1.0)
    lower, upper = CATALOGUE["proportion"][name].limits((x, np.full(n + 1, float(n))), 0.05)
    found = worst_case(n, lower, upper, over=over)
    limits = np.concatenate((lower, upper))
    limits = limits[(limits >= low) & (limits <= high)]
    truths = np.unique(np.concatenate((np.linspace(low, high, 20_001), limits)))
    approached = {FROM_ABOVE: truths[:-1], AT: truths, FROM_BELOW: truths[1:]}
    largest = max(
        float(np.sum(miss_probabilities(n, 0, lower, upper, at, approach), axis=0).max())
        for approach, at in approached.items()
    )
    # Between the grid's points, 1/20,000 of the hull apart, only a maximum within a gap is left.
    assert largest - SUMMED <= found.alpha <= largest + 1e-6
    if name != "second_order":
        assert found.alpha == pytest.approx(largest, abs=SUMMED)


def test_between_the_points_of_a_grid_a_method_misses_far_more_often_than_at_them():
    """The equal tails of Beta(x + ½, n − x + ½) at n = 60, as SciPy computes them."""
    x = np.arange(61)
    lower, upper = (stats.beta.ppf(tail, x + 0.5, 60.5 - x) for tail in (0.025, 0.975))
    truth = DiscreteTruth(tuple(np.linspace(0.85, 0.99, 15).tolist()))
    found = enumerated(truth, lower, upper)
    at_points = (found.by_truth.below + found.by_truth.above).max()
    assert round(float(at_points), 4) == 0.0758
    assert round(found.worst[0].alpha, 4) == 0.1174
    assert found.worst_anywhere[0].alpha == 1.0
    near = found.worst[0].witness[0]
    missed = stats.binom.pmf(x, 60, near)[(lower > near) | (upper < near)].sum()
    assert missed == pytest.approx(found.worst[0].alpha, abs=SUMMED)


@given(arbitrary_limits.limits, st.lists(_truth, min_size=1, max_size=4, unique=True))
def test_no_listed_truth_and_no_mean_is_missed_more_often(limits, values):
    found = enumerated(DiscreteTruth(tuple(sorted(values))), *limits)
    (case,), (anywhere,) = found.worst, found.worst_anywhere
    missed = (found.by_truth.below + found.by_truth.above)[0]
    assert case.alpha >= missed.max() - EXACT
    assert case.alpha >= found.mean.missed[0] - EXACT
    if len(values) == 1:
        assert case.alpha == pytest.approx(missed[0], abs=EXACT)
    assert anywhere.alpha >= case.alpha - EXACT


@pytest.mark.parametrize(
    ("truth", "over"),
    [
        (UniformTruth(0.3, 0.6), (0.3, 0.6)),
        (BetaTruth(200.0, 300.0), (0.0, 1.0)),
        (DiscreteTruth((0.25, 0.5, 0.75)), (0.25, 0.75)),
    ],
)
def test_the_range_is_the_closed_hull_of_the_support(truth, over):
    for _, lower, upper in arbitrary_limits.catalogue_limits(5):
        found = enumerated(truth, lower, upper)
        assert found.worst == (worst_case(5, lower, upper, over=over),)
        assert found.worst_anywhere == (worst_case(5, lower, upper),)
        assert found.worst[0].alpha >= found.mean.missed[0] - EXACT


def test_a_hull_needs_no_limits_of_outcomes_that_cannot_occur_in_it():
    scenario = scenario_for(family_of("proportion"), 100_000, UniformTruth(0.4, 0.41))
    outcomes = solver_of(scenario).possible_outcomes()
    assert outcomes.size < 10_000
    lower, upper = CATALOGUE["proportion"]["wilson"].limits(data_of(scenario, outcomes), 0.05)
    found = OneSampleSolver(scenario).enumerate(
        Limits(outcomes, lower[np.newaxis], upper[np.newaxis])
    )
    assert found.worst_anywhere == (None,)
    assert 0.05 < found.worst[0].alpha < 0.0515


@pytest.mark.parametrize(
    ("truth", "left_out"), [(GammaTruth(2.0, 0.5), 1e-17), (UniformTruth(1.0, 9.0), 0.0)]
)
def test_an_infinite_range_is_searched_but_for_the_mass_left_out(truth, left_out):
    assert truth.mass_left_out == left_out
    low, high = truth.effective_support
    scenario = scenario_for(family_of("rate"), 2.0, truth)
    first, last = poisson.window(low, high, 2.0)
    outcomes = np.arange(first, last + 1)
    lower, upper = CATALOGUE["rate"]["wald"].limits(data_of(scenario, outcomes), 0.05)
    found = OneSampleSolver(scenario).enumerate(
        Limits(outcomes, lower[np.newaxis], upper[np.newaxis])
    )
    assert found.worst[0] == worst_case(2.0, lower, upper, first, (low, high), poisson)
    assert found.worst_anywhere == (None,)
    if left_out:
        assert stats.gamma(2.0, scale=2.0).sf(high) == pytest.approx(left_out, rel=1e-6)
