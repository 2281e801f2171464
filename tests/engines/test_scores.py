"""The root mean square coverage error and the interval score, against brute force."""

from itertools import pairwise

import numpy as np
import pytest
from flint import fmpq_poly
from scipy import integrate, stats

from harness.catalogue import scenario_for
from harness.designs.design import data_of
from harness.designs.engines.solver import solver_of
from harness.designs.limits import Column, Limits
from harness.designs.one_sample.design import OneSampleSolver
from harness.designs.two_samples.design import TwoSampleSolver
from harness.distributions.truths import (
    BetaTruth,
    DiscreteTruth,
    GammaTruth,
    PairTruth,
    UniformTruth,
)
from harness.families.catalogue import family_of
from harness.methods.catalogue import CATALOGUE, PROPORTION
from tests.engines import arbitrary_limits
from tests.oracles import brute_force
from tests.oracles.brute_force import ZERO, P, rational

# Mean squares and scores are sums of a few hundred terms of order one.
SUMMED = 1e-12
# What is asked of scipy.integrate.quad between two breaks.
QUAD = 1e-9

SOME_LIMITS = [
    *arbitrary_limits.RANDOM,
    *arbitrary_limits.ZERO_WIDTH,
    arbitrary_limits.EMPTY_MIDDLE,
]
UNIFORM = [(0.0, 1.0), (0.25, 0.75), (0.0, 0.5), (0.3, 0.31), (0.9, 1.0)]
BETA = [(2.0, 8.0), (0.5, 0.5), (30.0, 2.0)]
VALUES = (0.0, 0.1, 1 / 3, 0.5, 0.77, 1.0)
ALPHA = 0.05
TWO_SIDED = [
    name
    for name, method in PROPORTION.items()
    if method.deterministic and "two-sided" in method.sides
]


def column(alpha=ALPHA, side="two-sided"):
    return Column("made up", side, alpha)


def scored(truth, lower, upper, alpha=ALPHA):
    """rms_alpha_error and interval_score of one column of limits."""
    scenario, limits = (
        scenario_for(family_of("proportion"), lower.size - 1, truth),
        arbitrary_limits.as_limits(lower, upper),
    )
    found = solver_of(scenario).scores(
        limits, OneSampleSolver(scenario).enumerate(limits), [column(alpha)]
    )
    return found.rms_alpha_error[0], found.interval_score[0]


def of_catalogue(family, scenario, names):
    """The scores of catalogue methods at ALPHA."""
    outcomes = solver_of(scenario).possible_outcomes()
    rows = [CATALOGUE[family][name].limits(data_of(scenario, outcomes), ALPHA) for name in names]
    limits = Limits(outcomes, *(np.array(side) for side in zip(*rows, strict=True)))
    known = OneSampleSolver(scenario).enumerate(limits, worst=False)
    return limits, solver_of(scenario).scores(limits, known, [column()] * len(names))


def integral(polynomial, left, right):
    if left >= right:
        return ZERO
    primitive = polynomial.integral()
    return primitive(right) - primitive(left)


@pytest.mark.parametrize("ends", UNIFORM, ids=str)
def test_rms_alpha_error_over_a_uniform_truth_is_the_integral_of_polynomials(ends):
    first, last = map(rational, ends)
    for lower, upper in SOME_LIMITS:
        total = ZERO
        for gap in brute_force.gaps(lower.tolist(), upper.tolist()):
            error = fmpq_poly([rational(ALPHA)]) - gap.missed
            total += integral(error * error, max(gap.left, first), min(gap.right, last))
        expected = total / (last - first)
        rms, _ = scored(UniformTruth(*ends), lower, upper)
        assert rms**2 == pytest.approx(int(expected.p) / int(expected.q), rel=0, abs=SUMMED)


@pytest.mark.parametrize("ends", UNIFORM, ids=str)
def test_interval_score_over_a_uniform_truth_is_the_integral_of_polynomials(ends):
    first, last = map(rational, ends)
    for lower, upper in SOME_LIMITS:
        n, penalty = lower.size - 1, ZERO
        length = brute_force.mean_length_uniform(lower.tolist(), upper.tolist(), *ends)
        for x in range(n + 1):
            chance = brute_force.probability(x, n)
            bottom, top = rational(lower[x]), rational(upper[x])
            penalty += integral((bottom - P) * chance, first, min(bottom, last))
            penalty += integral((P - top) * chance, max(top, first), last)
        expected = length + 2 / rational(ALPHA) * penalty / (last - first)
        _, score = scored(UniformTruth(*ends), lower, upper)
        assert score == pytest.approx(int(expected.p) / int(expected.q), rel=SUMMED)


def quadrature(scenario, limits, density, ends, alpha=ALPHA):
    """Mean square of the alpha error, and mean score, by scipy.integrate.quad gap by gap."""
    outcomes, lower, upper = limits.outcomes, limits.lower[0], limits.upper[0]

    def at(theta):
        chance = scenario.model.SAMPLING.pmf(outcomes, theta, scenario.size)
        missed = chance[(theta < lower) | (theta > upper)].sum()
        off = np.maximum(lower - theta, 0) + np.maximum(theta - upper, 0)
        score = (chance * (upper - lower + 2 / alpha * off)).sum()
        return (alpha - missed) ** 2, score

    breaks = np.unique(np.clip([*ends, *lower, *upper], *ends))
    return tuple(
        sum(
            integrate.quad(
                lambda theta, i=i: density(theta) * at(theta)[i], a, b, epsabs=1e-13, epsrel=1e-11
            )[0]
            for a, b in pairwise(breaks)
        )
        for i in range(2)
    )


@pytest.mark.parametrize("shapes", BETA, ids=str)
def test_both_under_a_beta_truth_are_integrals_over_its_density(shapes):
    for lower, upper in [*arbitrary_limits.RANDOM[9:12], arbitrary_limits.EMPTY_MIDDLE]:
        scenario = scenario_for(family_of("proportion"), lower.size - 1, BetaTruth(*shapes))
        square, score = quadrature(
            scenario, arbitrary_limits.as_limits(lower, upper), stats.beta(*shapes).pdf, (0.0, 1.0)
        )
        found = scored(scenario.truth, lower, upper)
        # The density is infinite at the ends under (0.5, 0.5): quad is less sure there.
        assert (found[0] ** 2, found[1]) == pytest.approx((square, score), rel=100 * QUAD)


@pytest.mark.parametrize(
    ("truth", "density", "ends"),
    [
        (UniformTruth(0.0, 4.0), lambda r: 0.25, (0.0, 4.0)),
        (UniformTruth(1.0, 1.5), lambda r: 2.0, (1.0, 1.5)),
        (GammaTruth(2.0, 1.5), stats.gamma(2.0, scale=1 / 1.5).pdf, (0.0, 40.0)),
    ],
    ids=["uniform", "narrow", "gamma"],
)
@pytest.mark.parametrize("name", ["garwood", "wald"])
def test_both_for_a_rate_are_integrals_over_the_density_of_the_truth(truth, density, ends, name):
    scenario = scenario_for(family_of("rate"), 2.0, truth)
    limits, found = of_catalogue("rate", scenario, [name])
    square, score = quadrature(scenario, limits, density, ends)
    assert found.rms_alpha_error[0] ** 2 == pytest.approx(square, rel=QUAD, abs=1e-14)
    assert found.interval_score[0] == pytest.approx(score, rel=QUAD)


def test_over_listed_truths_both_are_plain_means():
    for lower, upper in SOME_LIMITS:
        n, x = lower.size - 1, np.arange(lower.size)
        squares, each = [], []
        for p in VALUES:
            chance = stats.binom(n, p).pmf(x)
            missed = chance[(p < lower) | (p > upper)].sum()
            off = np.maximum(lower - p, 0) + np.maximum(p - upper, 0)
            squares.append((ALPHA - missed) ** 2)
            each.append((chance * (upper - lower + 2 / ALPHA * off)).sum())
        rms, score = scored(DiscreteTruth(VALUES), lower, upper)
        assert rms**2 == pytest.approx(np.mean(squares), rel=SUMMED)
        assert score == pytest.approx(np.mean(each), rel=SUMMED)


def pair_scores(truth):
    scenario = scenario_for(family_of("proportion_difference"), (4, 7), truth)
    outcomes = scenario.outcomes(np.arange(5)[:, np.newaxis], np.arange(8)[np.newaxis, :]).ravel()
    method = CATALOGUE["proportion_difference"]["wald"]
    lower, upper = method.limits(data_of(scenario, outcomes), ALPHA)
    limits = Limits(outcomes, lower[np.newaxis], upper[np.newaxis])
    known = TwoSampleSolver(scenario).enumerate(limits, worst=False)
    return lower, upper, solver_of(scenario).scores(limits, known, [column()])


def test_over_listed_pairs_of_truths_both_are_plain_means():
    one, other = (0.1, 0.5, 0.9), (0.3, 0.8)
    lower, upper, found = pair_scores(PairTruth(DiscreteTruth(one), DiscreteTruth(other)))
    squares, each = [], []
    for p in one:
        for q in other:
            chance = np.outer(stats.binom(4, p).pmf(range(5)), stats.binom(7, q).pmf(range(8)))
            chance, theta = chance.ravel(), p - q
            missed = chance[(theta < lower) | (theta > upper)].sum()
            off = np.maximum(lower - theta, 0) + np.maximum(theta - upper, 0)
            squares.append((ALPHA - missed) ** 2)
            each.append((chance * (upper - lower + 2 / ALPHA * off)).sum())
    assert found.rms_alpha_error[0] == pytest.approx(np.sqrt(np.mean(squares)), rel=SUMMED)
    assert found.interval_score[0] == pytest.approx(np.mean(each), rel=SUMMED)


def test_neither_is_known_for_pairs_of_distributions():
    flat = UniformTruth(0.0, 1.0)
    _, _, found = pair_scores(PairTruth(flat, flat))
    assert np.isnan([found.rms_alpha_error[0], found.interval_score[0]]).all()


def test_a_one_sided_interval_has_no_score():
    scenario, n = scenario_for(family_of("proportion"), 10, UniformTruth(0.0, 1.0)), 10
    x = np.arange(n + 1.0)
    rows = [
        PROPORTION["wilson"].limits((x, np.full(n + 1, float(n))), ALPHA, side)
        for side in ("lower", "two-sided", "upper")
    ]
    limits = Limits(np.arange(n + 1), *(np.array(side) for side in zip(*rows, strict=True)))
    columns = [column(side=side) for side in ("lower", "two-sided", "upper")]
    found = solver_of(scenario).scores(limits, OneSampleSolver(scenario).enumerate(limits), columns)
    assert np.isnan(found.interval_score).tolist() == [True, False, True]
    assert np.isfinite(found.rms_alpha_error).all()


@pytest.mark.parametrize("truth", [UniformTruth(0.0, 1.0), BetaTruth(0.5, 0.5)], ids=str)
@pytest.mark.parametrize("n", [1, 10, 200])
def test_no_interval_scores_better_than_the_balanced_tail_of_the_truths_own_prior(truth, n):
    """Quantiles of the right distribution minimise the expected score."""
    own = "jeffreys_equal_tailed" if isinstance(truth, BetaTruth) else "balanced_tail"
    _, found = of_catalogue(
        "proportion", scenario_for(family_of("proportion"), n, truth), TWO_SIDED
    )
    best = found.interval_score[TWO_SIDED.index(own)]
    assert found.interval_score.min() >= best * (1 - SUMMED)
    assert np.sort(found.interval_score)[2] > best * (1 + 1e-6)


def test_drawn_trials_score_as_computed():
    """400,000 trials with a fixed seed; within 5 standard errors, wrong once in 10^6 seeds."""
    scenario = scenario_for(family_of("proportion"), 30, BetaTruth(2.0, 5.0))
    limits, found = of_catalogue("proportion", scenario, ["wald", "clopper_pearson"])
    rng = np.random.default_rng(2003)
    p = rng.beta(2.0, 5.0, 400_000)
    x = rng.binomial(30, p)
    for row in range(2):
        lower, upper = limits.lower[row, x], limits.upper[row, x]
        drawn = upper - lower + 2 / ALPHA * (np.maximum(lower - p, 0) + np.maximum(p - upper, 0))
        error = drawn.std() / np.sqrt(p.size)
        assert abs(drawn.mean() - found.interval_score[row]) < 5 * error


def test_beyond_two_thousand_trials_the_score_is_known_and_the_rms_is_not():
    _, found = of_catalogue(
        "proportion", scenario_for(family_of("proportion"), 3000, UniformTruth(0, 1)), ["wald"]
    )
    assert np.isnan(found.rms_alpha_error[0])
    # The length 2z √(pq/n) of the mean √(pq) = π/8, times the score of a normal interval over its
    # length, φ(z)/(z·alpha/2) = 1.1927.
    expected = 2 * 1.959964 * np.pi / 8 / np.sqrt(3000) * 1.1927
    assert found.interval_score[0] == pytest.approx(expected, rel=0.01)


def test_a_short_range_of_truths_keeps_the_score_accurate():
    """On a range of 1e-6 the score is as smooth as its values at three truths."""
    low, high = 0.3, 0.3 + 1e-6
    scenario = scenario_for(family_of("proportion"), 20, UniformTruth(low, high))
    limits, found = of_catalogue("proportion", scenario, TWO_SIDED)
    listed = scenario_for(family_of("proportion"), 20, DiscreteTruth((low, (low + high) / 2, high)))
    ends = solver_of(listed).scores(
        limits, OneSampleSolver(listed).enumerate(limits, worst=False), [column()] * len(TWO_SIDED)
    )
    np.testing.assert_allclose(found.interval_score, ends.interval_score, rtol=1e-6)


@pytest.mark.parametrize("alpha", [1e-10, 0.9])
def test_a_very_small_and_a_very_large_alpha_have_a_score(alpha):
    n = 20
    x = np.arange(n + 1.0)
    lower, upper = PROPORTION["balanced_tail"].limits((x, np.full(n + 1, float(n))), alpha)
    rms, score = scored(UniformTruth(0.0, 1.0), lower, upper, alpha)
    squares, expected = quadrature(
        scenario_for(family_of("proportion"), n, UniformTruth(0.0, 1.0)),
        arbitrary_limits.as_limits(lower, upper),
        lambda p: 1.0,
        (0.0, 1.0),
        alpha,
    )
    assert rms == pytest.approx(np.sqrt(squares), rel=1e-6)
    assert score == pytest.approx(expected, rel=QUAD)
