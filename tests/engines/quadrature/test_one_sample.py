"""Integrals over a distribution of truths, against SciPy's sums and exact ones."""

import numpy as np
import pytest
from flint import arb, ctx
from scipy import stats

from harness.catalogue import scenario_for
from harness.designs.design import crossed_outcomes, data_of
from harness.designs.engines.posterior import integrate_under_truth
from harness.designs.limits import Limits
from harness.designs.one_sample.exact import LARGEST_INTEGRATED, is_integrated
from harness.designs.one_sample.quadrature import Mixing, integrate, outcome_probabilities
from harness.designs.two_samples.quadrature import blocks, integrate_pairs
from harness.designs.two_samples.verification import integrate_block
from harness.distributions.truths import (
    BetaTruth,
    DiscreteTruth,
    GammaTruth,
    PairTruth,
    UniformTruth,
)
from harness.families.catalogue import FAMILIES, family_of
from harness.methods.catalogue import methods_of

FLAT = UniformTruth(0.0, 1.0)
TRUTHS = [FLAT, UniformTruth(0.2, 0.7), BetaTruth(2.0, 8.0), BetaTruth(0.5, 0.5)]
SINGULAR = BetaTruth(0.05, 0.2)
# SciPy's incomplete beta function next to a singular end is good to about this.
SCIPY = 1e-12


def limits_of(scenario, names, outcomes):
    rows = [
        methods_of(scenario.family)[name].limits(data_of(scenario, outcomes), 0.05)
        for name in names
    ]
    lower, upper = (np.array(side) for side in zip(*rows, strict=True))
    return Limits(outcomes, lower, upper)


def at(n, truth, names=("wald", "jeffreys", "minimal_length")):
    scenario = scenario_for(family_of("proportion"), n, truth)
    return scenario, limits_of(scenario, names, np.arange(n + 1))


def expected(truth, n, limits):
    """Outcome probabilities, and the miss probabilities given each outcome, as SciPy has them."""
    x = np.arange(n + 1)
    if isinstance(truth, BetaTruth):
        weight = stats.betabinom(n, truth.s, truth.t).pmf(x)
        posterior = stats.beta(truth.s + x, truth.t + n - x)
        return weight, posterior.cdf(limits.lower), posterior.sf(limits.upper)
    flat, (a, b) = stats.beta(x + 1, n - x + 1), truth.support
    mass = flat.cdf(b) - flat.cdf(a)
    share = np.where(mass > 0, mass, 1.0)
    below = (flat.cdf(np.clip(limits.lower, a, b)) - flat.cdf(a)) / share
    above = (flat.cdf(b) - flat.cdf(np.clip(limits.upper, a, b))) / share
    return mass / ((n + 1) * (b - a)), below, above


@pytest.mark.parametrize("truth", [*TRUTHS, SINGULAR, BetaTruth(0.3, 40.0)], ids=str)
@pytest.mark.parametrize("n", [1, 10, 300, 2000])
def test_means_are_those_of_scipys_sums(truth, n):
    scenario, limits = at(n, truth)
    found = integrate(Mixing.of_truth(scenario), limits)
    weight, below, above = expected(truth, n, limits)
    exact = {"rtol": 1e-11, "atol": SCIPY}
    np.testing.assert_allclose(found.mean.below, (below * weight).sum(axis=1), **exact)
    np.testing.assert_allclose(found.mean.above, (above * weight).sum(axis=1), **exact)
    np.testing.assert_allclose(found.mean.length, (limits.length * weight).sum(axis=1), **exact)


@pytest.mark.parametrize("truth", [*TRUTHS, SINGULAR], ids=str)
def test_each_outcome_has_its_probability_and_its_misses(truth):
    n = 20
    scenario, limits = at(n, truth)
    found = integrate(Mixing.of_truth(scenario), limits).by_outcome
    weight, below, above = expected(truth, n, limits)
    assert found.conditions.tolist() == list(range(n + 1))
    np.testing.assert_allclose(found.weight, weight, rtol=SCIPY)
    np.testing.assert_allclose(found.below, below, rtol=0, atol=SCIPY)
    np.testing.assert_allclose(found.above, above, rtol=0, atol=SCIPY)
    np.testing.assert_array_equal(found.length, limits.length)


@pytest.mark.parametrize(("s", "t"), [(0.05, 0.2), (0.5, 0.5), (2.0, 8.0), (40.0, 0.1)])
@pytest.mark.parametrize("n", [1, 50, 2000])
def test_outcome_probabilities_of_a_beta_truth_are_beta_binomial(s, t, n):
    mixing = Mixing.of_truth(scenario_for(family_of("proportion"), n, BetaTruth(s, t)))
    found = outcome_probabilities(mixing, np.arange(n + 1))
    assert found.sum() == pytest.approx(1.0, rel=1e-12)
    with ctx.workprec(256):
        for x in {0, 1, n // 3, n - 1, n}:
            exact = (
                arb(n).fac()
                / (arb(x).fac() * arb(n - x).fac())
                * (arb(s) + x).gamma()
                * (arb(t) + n - x).gamma()
                * (arb(s) + t).gamma()
                / ((arb(s) + t + n).gamma() * arb(s).gamma() * arb(t).gamma())
            )
            assert found[x] == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("exposure", [0.01, 2.0, 300.0])
@pytest.mark.parametrize(("s", "t"), [(0.05, 0.2), (0.5, 3.0), (2.0, 0.5), (9.5, 3.0)])
def test_outcome_probabilities_of_a_gamma_truth_are_negative_binomial(s, t, exposure):
    mixing = Mixing.of_truth(scenario_for(family_of("rate"), exposure, GammaTruth(s, t)))
    x = np.arange(60)
    exact = stats.nbinom(s, t / (t + exposure)).pmf(x)
    # Rates with a probability of 1e-17 together are left out.
    np.testing.assert_allclose(outcome_probabilities(mixing, x), exact, rtol=1e-11, atol=1e-17)


@pytest.mark.parametrize(
    "truth",
    [UniformTruth(0.0, 20.0), UniformTruth(3.0, 5.0), GammaTruth(2.0, 0.3), GammaTruth(0.5, 0.2)],
    ids=str,
)
def test_misses_of_a_rate_are_those_of_scipys_gamma(truth):
    exposure, x = 2.0, np.arange(120)
    scenario = scenario_for(family_of("rate"), exposure, truth)
    limits = limits_of(scenario, ("garwood", "wald"), x)
    integral = integrate(Mixing.of_truth(scenario), limits)
    found, average = integral.by_outcome, integral.mean
    kept = found.conditions
    lower, upper = limits.at(kept).lower, limits.at(kept).upper
    if isinstance(truth, GammaTruth):
        posterior = stats.gamma(truth.s + kept, scale=1 / (truth.t + exposure))
        below, above = posterior.cdf(lower), posterior.sf(upper)
    else:
        a, b = truth.support
        flat = stats.gamma(kept + 1.0, scale=1 / exposure)
        mass = np.where(kept < 8, flat.sf(a) - flat.sf(b), flat.cdf(b) - flat.cdf(a))
        below = (flat.cdf(np.clip(lower, a, b)) - flat.cdf(a)) / mass
        above = (flat.sf(np.clip(upper, a, b)) - flat.sf(b)) / mass
    # Far outcomes have no digits as SciPy's differences of tails.
    likely = found.weight > 1e-6
    np.testing.assert_allclose(found.below[:, likely], below[:, likely], rtol=0, atol=1e-9)
    np.testing.assert_allclose(found.above[:, likely], above[:, likely], rtol=0, atol=1e-9)
    both = [(average.below, below), (average.above, above)]
    for mean, given in both:
        whole = (given[:, likely] * found.weight[likely]).sum(axis=1)
        np.testing.assert_allclose(mean, whole, rtol=0, atol=1e-5)


def test_the_misses_at_the_nodes_have_the_mean_as_their_integral():
    scenario, limits = at(30, BetaTruth(2.0, 8.0))
    found = integrate(Mixing.of_truth(scenario), limits)
    for row, nodes in enumerate(found.nodes):
        assert nodes.weight.sum() == pytest.approx(1.0, rel=1e-13)
        assert (nodes.weight * nodes.below).sum() == found.mean.below[row]
        assert (nodes.weight * nodes.above).sum() == found.mean.above[row]
        assert 0 <= nodes.below.min() <= (nodes.below + nodes.above).max() <= 1 + 1e-13


def test_a_certain_miss_has_the_probability_one_to_the_last_bit():
    """Intervals of no width miss all truths but one; their limits are no truth of the range."""
    scenario = scenario_for(family_of("proportion"), 12, BetaTruth(0.5, 2.0))
    x = np.arange(13)
    nothing = np.where(x % 2, 1.0, 0.0)[np.newaxis]
    found = integrate(Mixing.of_truth(scenario), Limits(x, nothing, nothing)).by_outcome
    np.testing.assert_array_equal(found.below[0], x % 2)
    np.testing.assert_array_equal(found.above[0], 1 - x % 2)


@pytest.mark.parametrize("n", [10**4, 10**6, 10**9])
@pytest.mark.parametrize("truth", [FLAT, BetaTruth(0.5, 0.5), SINGULAR], ids=str)
def test_beside_one_no_digit_is_lost(n, truth):
    """The mirror image: as many failures at the mirrored truth."""
    few = np.arange(8)
    mirrored = FLAT if truth is FLAT else BetaTruth(truth.t, truth.s)
    low = Mixing.of_truth(scenario_for(family_of("proportion"), n, mirrored)).near(few)
    high = Mixing.of_truth(scenario_for(family_of("proportion"), n, truth)).near(n - few[::-1])
    np.testing.assert_allclose(
        outcome_probabilities(high, n - few[::-1])[::-1],
        outcome_probabilities(low, few),
        rtol=2e-12,
    )


@pytest.mark.parametrize(
    ("n", "first", "count"),
    [(100, 0, 5), (10**6, 10, 4), (10**6, 300_000, 32), (10**6, 999_990, 11)],
)
def test_near_some_outcomes_their_integrals_are_those_over_the_whole_range(n, first, count):
    """Under a flat truth the probability of every outcome is 1/(n + 1)."""
    x = np.arange(first, first + count)
    part = Mixing.of_truth(scenario_for(family_of("proportion"), n, FLAT)).near(x)
    np.testing.assert_allclose(outcome_probabilities(part, x), 1 / (n + 1), rtol=1e-12)
    low, high = part.span
    if first > 50:
        assert low > 0
        assert high - low < 30 / np.sqrt(n)
    else:
        assert low == 0.0
    assert (high == 1.0) == (n - first - count < 50)


@pytest.mark.parametrize("n", [10**6, 10**9])
def test_near_outcomes_beyond_the_ends_of_the_truth_there_is_a_narrow_part(n):
    """Nine standard deviations below 0.2, where the posterior alone has no mass in the range."""
    scenario = scenario_for(family_of("proportion"), n, UniformTruth(0.2, 0.7))
    spread = np.sqrt(0.16 / n)
    for centre, end in ((0.2 - 9 * spread, 0), (0.7 + 9 * spread * 1.15, 1)):
        x = np.arange(8) + round(n * centre)
        low, high = Mixing.of_truth(scenario).near(x).span
        assert (low, high)[end] == (0.2, 0.7)[end]
        assert 1 * spread < high - low < 40 * spread


def test_near_keeps_a_singular_end():
    scenario = scenario_for(family_of("proportion"), 10**6, SINGULAR)
    assert (
        Mixing.of_truth(scenario).near(np.arange(5)).span[0] == scenario.truth.effective_support[0]
    )
    rate = scenario_for(family_of("rate"), 10.0, GammaTruth(0.05, 0.2))
    assert Mixing.of_truth(rate).near(np.arange(3, 9)).span[0] == rate.truth.effective_support[0]


@pytest.mark.parametrize("prior", [(1.0, 0.0), (0.5, 0.0), (2.0, 3.0)])
def test_a_prior_without_a_finite_integral_reaches_to_the_last_outcome(prior):
    """Under r^{a − 1} e^{−br} the ratio of two outcome probabilities is known."""
    exposure, x = 5.0, np.arange(41)
    mixing = Mixing.of_prior(
        scenario_for(family_of("rate"), exposure, DiscreteTruth((1.0,))), prior, 40
    )
    found = outcome_probabilities(mixing, x)
    ratio = (x[:-1] + prior[0]) / (x[1:]) * exposure / (exposure + prior[1])
    np.testing.assert_allclose(found[1:] / found[:-1], ratio, rtol=1e-12)


def test_up_to_which_size_enumeration_integrates():
    most = LARGEST_INTEGRATED
    assert most == 2000
    assert is_integrated(scenario_for(family_of("proportion"), most, FLAT))
    assert not is_integrated(scenario_for(family_of("proportion"), most + 1, FLAT))
    assert not is_integrated(scenario_for(family_of("proportion"), 5, DiscreteTruth((0.5,))))
    assert is_integrated(scenario_for(family_of("rate"), 100.0, UniformTruth(0.0, 20.0)))
    assert not is_integrated(scenario_for(family_of("rate"), 101.0, UniformTruth(0.0, 20.0)))


# Integrals over one sample after the other are those along lines, and those of posteriors.


PROPORTIONS = PairTruth(UniformTruth(0.1, 0.9), BetaTruth(2.0, 3.0))
RATES = PairTruth(GammaTruth(2.0, 1.0), UniformTruth(0.0, 4.0))
SUMS = [
    scenario_for(family_of("proportion_difference"), (6, 7), PROPORTIONS),
    scenario_for(family_of("balanced_accuracy"), (40, 30), PROPORTIONS),
    scenario_for(family_of("rate_difference"), (3.0, 4.0), RATES),
]
RATIOS = [
    scenario_for(family_of(family), (12, 50), RATES if family == "rate_ratio" else PROPORTIONS)
    for family in FAMILIES
    if FAMILIES[family].is_ratio and FAMILIES[family].samples == 2
]


def nested_limits_of(scenario, outcomes):
    """Limits about the middle of the parameter's range, of a ratio with both infinite ends."""
    rng = np.random.default_rng(7)
    middle = scenario.family.parameter_at([np.array([0.5]), np.array([0.4])])
    below, above = rng.random((2, outcomes.size)) * 0.3
    lower, upper = middle - below, middle + above
    if scenario.family.is_ratio:
        lower[0], upper[-1] = 0.0, np.inf
    return Limits.of(scenario, outcomes, lower[np.newaxis], upper[np.newaxis])


@pytest.mark.parametrize("scenario", SUMS, ids=lambda each: each.family.name)
def test_a_sum_has_the_integrals_along_its_lines(scenario):
    for block in blocks(scenario):
        limits = nested_limits_of(scenario, crossed_outcomes(scenario, block))
        nested, lines = (
            integrate_block(scenario, block, limits),
            integrate_pairs(scenario, block, limits),
        )
        np.testing.assert_allclose(nested.below, lines.below, rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(nested.above, lines.above, rtol=1e-9, atol=1e-13)
        np.testing.assert_allclose(nested.weight, lines.weight, rtol=1e-12)


@pytest.mark.parametrize("scenario", RATIOS, ids=lambda each: each.family.name)
def test_a_ratio_has_the_tails_of_its_posterior(scenario):
    for block in blocks(scenario):
        limits = nested_limits_of(scenario, crossed_outcomes(scenario, block))
        nested, tails = (
            integrate_block(scenario, block, limits),
            integrate_under_truth(scenario, limits),
        )
        np.testing.assert_allclose(nested.below, tails.below, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(nested.above, tails.above, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(nested.weight, tails.weight, rtol=1e-12)
