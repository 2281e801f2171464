"""The posterior of the paired difference: tails, density and the four criteria on it."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc

from harness.base.numerics.points import SignedLogitPoints
from harness.distributions import criteria
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.paired import (
    FLAT_PRIOR,
    PairedDifference,
    paired_difference_posterior,
)
from harness.distributions.posteriors.paired.integrals import PairedIntegrals
from tests.oracles import paired

# What tails and densities promise, relatively; the incomplete beta function loses some digits for
# a shape of 0.01 beside one of millions.
ACCURACY = 1e-12
OF_TINY_SHAPES = 3e-11
# What the mass outside the limits promises.
MASS = 1e-9
JEFFREYS = (0.5, 0.5, 0.5, 0.5)
TWO_SIDED = (criteria.balanced_tail, criteria.balanced_width, criteria.minimal_length)


def column(*values):
    return np.array(values, dtype=np.float64)


def counts(*cells):
    return tuple(column(cell) for cell in cells)


def tables(n):
    """Every (first_only, second_only) of n cases, the others being both."""
    first, second = (v.ravel().astype(np.float64) for v in np.mgrid[0 : n + 1, 0 : n + 1])
    possible = first + second <= n
    first, second = first[possible], second[possible]
    return n - first - second, first, second, np.zeros_like(first)


def dirichlet(u, v, r):
    return PairedDifference(
        Beta(column(u), column(v + r)),
        Beta(column(v), column(u + r)),
        is_mean=False,
        same=column(r),
    )


WHOLE = [
    (1, 1.0, 2.0),
    (1, 1.0, 32.0),
    (11, 6.0, 187.0),
    (84, 11.0, 111.0),
    (31, 0.5, 0.75),
    (3, 40.5, 1.0),
    (200, 1.0, 3.0),
]


@pytest.mark.parametrize("powers", WHOLE)
def test_tails_of_a_whole_power_are_exact_sums(powers):
    u, v, r = powers
    posterior, swapped = dirichlet(u, v, r), dirichlet(v, u, r)
    for t in (1e-9, 1e-3, 0.125, 0.5, 0.97):
        above = paired.above(u, v, r, t)
        for exact, tail, other in (
            (float(above), posterior.sf, swapped.cdf),
            (float(1 - above), posterior.cdf, swapped.sf),
        ):
            # Below it, 1 less the sum is not accurate.
            if exact > 1e-60:
                assert tail(column(t))[0] == pytest.approx(exact, rel=ACCURACY, abs=0)
                assert other(column(-t))[0] == pytest.approx(exact, rel=ACCURACY, abs=0)


@pytest.mark.parametrize(
    ("powers", "t"),
    [
        ((3, 2.0, 1e9), 1e-9),
        ((3, 0.01, 1e6), 1e-5),
        ((500, 1e9, 7.0), 1e-9),
        ((2000, 1900.0, 1e9), 1e-6),
        ((2000, 0.01, 0.02), 0.9999),
        ((50, 1.0, 0.02), 0.999),
    ],
)
def test_tails_of_extreme_powers_are_exact_sums(powers, t):
    u, v, r = powers
    exact = float(paired.above(u, v, r, t))
    posterior = dirichlet(u, v, r)
    assert posterior.sf(column(t))[0] == pytest.approx(exact, rel=OF_TINY_SHAPES, abs=0)
    assert posterior.cdf(column(t))[0] == pytest.approx(1 - exact, rel=OF_TINY_SHAPES, abs=1e-15)


@pytest.mark.parametrize(
    ("powers", "t"),
    [((0.5, 0.5, 31.0), 0.06), ((0.01, 0.01, 30.02), 1e-6), ((0.02, 1.5, 1.01), 0.3)],
)
def test_tails_of_small_powers_are_integrals_over_the_discordant_share(powers, t):
    exact = float(paired.above_by_quadrature(*powers, t))
    found = dirichlet(*powers).sf(column(t))[0]
    assert found == pytest.approx(exact, rel=OF_TINY_SHAPES, abs=0)


@pytest.mark.parametrize(
    "powers",
    [
        (1.0, 1.0, 32.0),
        (0.01, 0.01, 30.02),
        (0.5, 0.5, 31.0),
        (10.5, 5.25, 86.0),
        (700.0, 650.0, 900.0),
        (1.01, 0.01, 0.02),
        (0.01, 3.0, 0.01),
    ],
)
def test_the_density_is_gausss_function(powers):
    posterior = dirichlet(*powers)
    for t in (1e-6, 1e-3, 0.1, 0.6, 0.999):
        exact = paired.log_density(*powers, t)
        points = SignedLogitPoints.of(column(t))
        found = posterior.logpdf(points)[0]
        assert found == pytest.approx(float(exact), abs=OF_TINY_SHAPES, rel=ACCURACY)
        # A power of 2, so that t ± step is exact.
        step = 2.0 ** np.floor(np.log2(1e-6 * min(t, 1 - t)))
        rise = paired.log_density(*powers, t + step) - paired.log_density(*powers, t - step)
        slope = posterior.log_density_slope(points)[0] / (0.5 * (1 - t) * (1 + t))
        assert slope == pytest.approx(float(rise) / (2 * step), rel=1e-9, abs=1e-9 / t)


def test_one_half_is_the_share_of_the_first_at_a_difference_of_0():
    u, v, r = column(0.01, 1.0, 11.0, 1e9), column(0.03, 2.0, 6.0, 1e9 + 1e4), column(1, 5, 90, 3)
    zero = np.zeros(4)
    above = PairedIntegrals(u, v, r).tail(zero, zero + 1.0, zero > 0, upper=True)
    np.testing.assert_allclose(above, betainc(v, u, 0.5), rtol=1e-11)


def test_no_discordant_pair_in_30_has_the_limits_of_the_manual():
    data = counts(12, 0, 0, 18)
    for prior, limit in ((FLAT_PRIOR, 0.0868), (JEFFREYS, 0.0675)):
        posterior = paired_difference_posterior(data, prior)
        for criterion in TWO_SIDED:
            lower, upper = criterion(posterior, 0.05)
            assert upper.value[0] == pytest.approx(limit, abs=5e-5)
            assert lower.value[0] == pytest.approx(-upper.value[0], rel=1e-11)


def test_a_kink_at_0_has_its_closed_form():
    # u = v = 1: f(t) = (1 - |t|)^r (r + 1)/2
    posterior = paired_difference_posterior(counts(12, 0, 0, 18), FLAT_PRIOR)
    for alpha in (1e-12, 0.05, 0.5, 0.999):
        lower, upper = criteria.minimal_length(posterior, alpha)
        expected = -np.expm1(np.log(alpha) / 33.0)
        assert upper.value[0] == pytest.approx(expected, rel=1e-11)
        assert lower.value[0] == pytest.approx(-expected, rel=1e-11)


@pytest.mark.parametrize(
    ("prior", "alpha"),
    [
        (FLAT_PRIOR, 0.05),
        (JEFFREYS, 0.9),
        ((0.1, 0.05, 0.3, 0.5), 0.05),
        ((0.1, 0.05, 0.3, 0.5), 0.9),
        ((1, 3, 0.2, 1), 0.05),
    ],
)
def test_no_interval_of_few_cases_is_shorter_than_the_minimal_one(prior, alpha):
    posterior = paired_difference_posterior(tables(2), prior)
    lower, upper = criteria.minimal_length(posterior, alpha)
    outside = posterior.cdf(lower) + posterior.sf(upper)
    np.testing.assert_allclose(outside, alpha, rtol=MASS)
    length = posterior.length(lower, upper)
    for share in (0.01, 0.4, 0.99):
        other = posterior.length(posterior.ppf(alpha * share), posterior.isf(alpha - alpha * share))
        assert (length <= other * (1 + 1e-9)).all()


@pytest.mark.parametrize("criterion", TWO_SIDED)
def test_limits_change_sign_when_first_and_second_swap(criterion):
    both, first, second, neither = tables(4)
    prior, swapped = (0.7, 0.5, 1.25, 2.0), (0.7, 1.25, 0.5, 2.0)
    ours = criterion(paired_difference_posterior((both, first, second, neither), prior), 0.05)
    other = criterion(paired_difference_posterior((both, second, first, neither), swapped), 0.05)
    np.testing.assert_allclose(ours[0].value, -other[1].value, atol=1e-12)
    np.testing.assert_allclose(ours[1].value, -other[0].value, atol=1e-12)


@pytest.mark.parametrize("n", [1, 7, 200, 10**9])
def test_a_balanced_width_without_discordant_pairs_has_its_mass(n):
    posterior = paired_difference_posterior(counts(n, 0, 0, 0), FLAT_PRIOR)
    lower, upper = criteria.balanced_width(posterior, 0.05)
    assert (posterior.cdf(lower) + posterior.sf(upper))[0] == pytest.approx(0.05, rel=MASS)
    assert lower.value[0] == -upper.value[0]


def test_the_shortest_interval_about_a_pole_has_its_mass():
    # u + v = 0.03: nearly all mass is next to 0, more of it below.
    posterior = paired_difference_posterior(counts(12, 0, 0, 18), (0.01, 0.01, 0.02, 0.01))
    lower, upper = criteria.minimal_length(posterior, 0.05)
    outside = posterior.cdf(lower) + posterior.sf(upper)
    assert outside[0] == pytest.approx(0.05, rel=MASS)
    assert -lower.value[0] > 1.5 * upper.value[0] > 0.0
    assert posterior.pdf(lower)[0] == pytest.approx(posterior.pdf(upper)[0], rel=1e-6)


def sizes():
    return st.floats(0.0, 9.0).map(lambda power: float(int(10.0**power)))


@settings(max_examples=6, deadline=None, derandomize=True)
@given(
    data=st.tuples(sizes(), sizes(), sizes(), sizes()),
    shape=st.sampled_from([1.0, 0.5, 0.01]),
    alpha=st.sampled_from([1e-12, 0.05, 0.9]),
)
def test_the_mass_outside_the_limits_is_alpha_at_any_size(data, shape, alpha):
    posterior = paired_difference_posterior(counts(*data), (shape,) * 4)
    for criterion in TWO_SIDED:
        lower, upper = criterion(posterior, alpha)
        outside = (posterior.cdf(lower) + posterior.sf(upper))[0]
        assert outside == pytest.approx(alpha, rel=1e-8)
        assert lower.value[0] <= upper.value[0]


@pytest.mark.parametrize(
    ("cells", "accuracy"),
    [((50, 0, 0, 50), 0.03), ((860, 40, 20, 80), 1e-4), ((0, 300, 250, 450), 1e-6)],
)
def test_a_saddle_point_is_as_accurate_as_the_discordant_pairs_are_many(cells, accuracy):
    posterior = paired_difference_posterior(counts(*cells), FLAT_PRIOR)
    approximation = posterior.approximation()
    for prob in (1e-6, 0.025, 0.2):
        low, high = posterior.ppf(prob), posterior.isf(prob)
        assert approximation.cdf(low) == pytest.approx(prob, rel=accuracy)
        assert approximation.sf(high) == pytest.approx(prob, rel=accuracy)


@pytest.mark.parametrize("criterion", TWO_SIDED)
def test_an_outcome_alone_has_the_limits_that_it_has_among_others(criterion):
    table = counts_of_many()
    together = criterion(paired_difference_posterior(table, FLAT_PRIOR), 0.05)
    for i in range(table[0].size):
        alone = criterion(
            paired_difference_posterior(tuple(v[i : i + 1] for v in table), FLAT_PRIOR), 0.05
        )
        assert [v.coordinate[0] for v in alone] == [v.coordinate[i] for v in together]


def counts_of_many():
    cells = [(50, 0, 0, 50), (860, 40, 20, 80), (0, 300, 250, 450), (0, 7, 0, 0), (4000, 0, 3, 9)]
    return tuple(column(*v) for v in zip(*cells, strict=True))


@pytest.mark.parametrize("least", [0.01, 0.3, 1.0])
def test_the_density_of_one_case_has_a_single_peak(least):
    t = np.concatenate([-np.geomspace(0.999, 1e-6, 40), np.geomspace(1e-6, 0.999, 40)])
    priors = [
        (a, b, c, d)
        for a in (least, 1.4)
        for b in (least, 1.4)
        for c in (least, 1.2)
        for d in (least,)
    ]
    for prior in priors:
        for cells in ((1, 0, 0, 0), (0, 1, 0, 0), (0, 0, 1, 0)):
            posterior = paired_difference_posterior(counts(*cells), prior)
            many = posterior.at(np.zeros(t.size, dtype=np.intp))
            height = many.logpdf(t)
            turns = np.diff(np.sign(np.diff(height)[np.abs(np.diff(height)) > 1e-11]))
            assert (turns > 0).sum() == 0
