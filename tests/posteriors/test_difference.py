"""Differences and means of two parameters: tails, quantiles and the four criteria."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betainc

from harness.distributions import criteria
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.difference import (
    RateDifference,
    difference_of_proportions,
    mean_of_proportions,
)
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.posteriors.ratio import (
    odds_ratio_of_proportions,
    ratio_of_proportions,
)
from harness.distributions.posteriors.truncated import Truncated
from tests.oracles import differences

# What tails promise, relatively; the rule itself reaches some 1e-13.
ACCURACY = 1e-10
# What the mass outside the limits promises: the same, and the rounding of a plain double.
MASS = 1e-9
# Of the integral against betainc, which is good to some 1e-14.
CLOSED_FORM = 1e-11
FLAT, JEFFREYS = (1.0, 1.0), (0.5, 0.5)
TWO_SIDED = (criteria.balanced_tail, criteria.balanced_width, criteria.minimal_length)


def column(*values):
    return np.array(values, dtype=np.float64)


def beta(x, n, prior=FLAT):
    return Beta.given(column(x), column(n), prior)


def outcomes(n1, n2, prior=FLAT):
    """The posteriors of every pair of outcomes."""
    x1, x2 = (v.ravel().astype(np.float64) for v in np.mgrid[0 : n1 + 1, 0 : n2 + 1])
    first = Beta.given(x1, np.full(x1.size, float(n1)), prior)
    return first, Beta.given(x2, np.full(x2.size, float(n2)), prior)


WHOLE = [(1, 2, 2, 1), (1, 11, 11, 1), (5, 8, 37, 77), (60, 41, 1, 101), (2, 90, 3, 80)]


@pytest.mark.parametrize("shapes", WHOLE)
def test_tails_of_a_difference_of_proportions_are_exact_sums(shapes):
    a1, b1, a2, b2 = shapes
    posterior = difference_of_proportions(
        Beta(column(a1), column(b1)), Beta(column(a2), column(b2))
    )
    for delta in (-0.9, -0.5, -0.125, 0.0, 1e-3, 0.25, 0.7, 0.97):
        above = differences.whole_proportions_above(*shapes, delta)
        below = 1 - above
        assert posterior.sf(column(delta))[0] == pytest.approx(_float(above), rel=ACCURACY)
        assert posterior.cdf(column(delta))[0] == pytest.approx(_float(below), rel=ACCURACY)


def _float(number):
    return float(int(number.p) / int(number.q))


@pytest.mark.parametrize(
    "shapes",
    [
        (2, 1, 0.5, 3.5),
        (3, 8, 2.7, 0.3),
        (60, 41, 0.5, 100.5),
        (1, 40, 30.5, 0.5),
        (20, 5, 900.5, 99.5),
    ],
)
def test_tails_of_broken_shapes_are_exact_sums(shapes):
    a1, b1, a2, b2 = (column(v) for v in shapes)
    posterior = difference_of_proportions(Beta(a1, b1), Beta(a2, b2))
    swapped = difference_of_proportions(Beta(a2, b2), Beta(a1, b1))
    for delta in (0.0, 1e-9, 1e-3, 0.125, 0.5, 0.97):
        exact = float(differences.proportions_above(*shapes, delta))
        if exact > 1e-300:
            assert posterior.sf(column(delta))[0] == pytest.approx(exact, rel=ACCURACY)
            assert swapped.cdf(column(-delta))[0] == pytest.approx(exact, rel=ACCURACY)


@pytest.mark.parametrize(
    "shapes", [(1, 1.0, 1, 1.0), (1, 1e-6, 3, 1e6), (4, 2.0, 40, 30.0), (100, 10.0, 7, 0.5)]
)
def test_tails_of_a_difference_of_rates_are_exact_sums(shapes):
    a1, b1, a2, b2 = shapes
    posterior = RateDifference(Gamma(column(a1), column(b1)), Gamma(column(a2), column(b2)))
    spread = np.sqrt(a1) / b1
    for delta in (0.0, 1e-3 * spread, 0.5 * spread, 3.0 * spread, 9.0 * spread):
        exact = float(differences.whole_rates_above(a1, b1, a2, b2, float(delta)))
        assert posterior.sf(column(delta))[0] == pytest.approx(exact, rel=ACCURACY)


def test_the_example_of_ross_has_his_balanced_width_limits():
    # Ross 2003, section 6: 5 of 12 against 36 of 112.
    posterior = difference_of_proportions(beta(5, 12), beta(36, 112))
    lower, upper = criteria.balanced_width(posterior, 0.05)
    assert lower.value[0] == pytest.approx(-0.1665, abs=5e-5)
    assert upper.value[0] == pytest.approx(0.3570, abs=5e-5)


@pytest.mark.parametrize("prior", [FLAT, JEFFREYS])
@pytest.mark.parametrize("build", [difference_of_proportions, mean_of_proportions])
@pytest.mark.parametrize("sizes", [(1, 1), (3, 2)])
def test_no_interval_of_small_samples_is_shorter_than_the_minimal_one(sizes, build, prior):
    posterior = build(*outcomes(*sizes, prior))
    for alpha in (0.05, 0.5, 0.9):
        lower, upper = criteria.minimal_length(posterior, alpha)
        outside = posterior.cdf(lower) + posterior.sf(upper)
        np.testing.assert_allclose(outside, alpha, rtol=MASS)
        length = posterior.length(lower, upper)
        for share in (1e-6, 0.2, 0.5, 0.8, 1.0 - 1e-6):
            other = posterior.length(
                posterior.ppf(alpha * share), posterior.isf(alpha - alpha * share)
            )
            assert (length <= other * (1 + 1e-9)).all()


@pytest.mark.parametrize("criterion", TWO_SIDED)
@pytest.mark.parametrize("prior", [FLAT, JEFFREYS])
def test_limits_swap_when_the_samples_do(criterion, prior):
    first, second = outcomes(4, 2, prior)
    lower, upper = criterion(difference_of_proportions(first, second), 0.05)
    other = criterion(difference_of_proportions(second, first), 0.05)
    np.testing.assert_allclose(lower.value, -other[1].value, atol=1e-12)
    np.testing.assert_allclose(upper.value, -other[0].value, atol=1e-12)


def test_the_mean_is_half_of_one_more_than_a_difference():
    first, second = outcomes(5, 6)
    mean = mean_of_proportions(first, second)
    difference = difference_of_proportions(
        first, Beta(second.b, second.a, second.estimate.mirrored())
    )
    for criterion in TWO_SIDED:
        limits, others = criterion(mean, 0.1), criterion(difference, 0.1)
        for ours, other in zip(limits, others, strict=True):
            np.testing.assert_allclose(ours.value, 0.5 * (1.0 + other.value), atol=1e-12)


def sizes():
    return st.floats(0.0, 6.0).map(lambda power: float(int(10.0**power)))


@settings(max_examples=8, deadline=None, derandomize=True)
@given(
    n=st.tuples(sizes(), sizes()),
    share=st.tuples(
        st.sampled_from([0.0, 0.01, 0.3, 0.5, 1.0]), st.sampled_from([0.0, 0.2, 0.9, 1.0])
    ),
    alpha=st.sampled_from([1e-10, 1e-4, 0.05, 0.5, 0.9]),
    prior=st.sampled_from([FLAT, JEFFREYS]),
    build=st.sampled_from([difference_of_proportions, mean_of_proportions]),
)
def test_every_criterion_leaves_alpha_outside_for_proportions(n, share, alpha, prior, build):
    first, second = (
        beta(np.floor(size * part), size, prior) for size, part in zip(n, share, strict=True)
    )
    posterior = build(first, second)
    _has_mass(posterior, alpha)


@settings(max_examples=8, deadline=None, derandomize=True)
@given(
    x=st.tuples(*[st.sampled_from([0.0, 1.0, 7.0, 300.0, 1e6])] * 2),
    exposure=st.tuples(*[st.floats(-6.0, 6.0).map(lambda power: 10.0**power)] * 2),
    alpha=st.sampled_from([1e-10, 1e-4, 0.05, 0.5, 0.9]),
    prior=st.sampled_from([(1.0, 0.0), (0.5, 0.0)]),
)
def test_every_criterion_leaves_alpha_outside_for_rates(x, exposure, alpha, prior):
    first, second = (
        Gamma.given(column(count), column(size), prior)
        for count, size in zip(x, exposure, strict=True)
    )
    _has_mass(RateDifference(first, second), alpha)


def _has_mass(posterior, alpha):
    low, high = posterior.support
    for criterion in TWO_SIDED:
        lower, upper = criterion(posterior, alpha)
        assert low <= lower.value[0] <= upper.value[0] <= high
        outside = posterior.cdf(lower) + posterior.sf(upper)
        assert outside[0] == pytest.approx(alpha, rel=MASS), criterion.__name__
    for side, limit in (("lower", 0), ("upper", 1)):
        points = criteria.one_sided(posterior, alpha, side)[limit]
        tail = posterior.cdf(points) if side == "lower" else posterior.sf(points)
        assert tail[0] == pytest.approx(alpha, rel=MASS)


@pytest.mark.parametrize(
    "build", [difference_of_proportions, ratio_of_proportions, odds_ratio_of_proportions]
)
def test_starts_of_quantiles_of_a_few_hundred_are_right_to_a_thousandth(build):
    posterior = build(
        Beta(np.array([241.0, 151.0]), np.array([61.0, 151.0])),
        Beta(np.array([211.0, 121.0]), np.array([91.0, 181.0])),
    )
    start, _ = posterior.approximate_interval(0.05)
    assert posterior.cdf(start) == pytest.approx([0.025, 0.025], rel=1e-3)


def test_a_difference_of_two_uniform_pieces_is_a_trapezoid():
    # Flat posteriors cut to [0.2, 0.6] and [0.1, 0.3]: the difference rises up to 0.1, is level up
    # to 0.3, and falls up to 0.5.
    flat = Beta(column(1), column(1))
    posterior = difference_of_proportions(Truncated(flat, 0.2, 0.6), Truncated(flat, 0.1, 0.3))
    for delta, below in (
        (-0.2, 0.0),
        (0.0, 0.0625),
        (0.1, 0.25),
        (0.2, 0.5),
        (0.4, 0.9375),
        (0.6, 1.0),
    ):
        assert posterior.cdf(column(delta))[0] == pytest.approx(below, abs=1e-13)
        assert posterior.sf(column(delta))[0] == pytest.approx(1.0 - below, abs=1e-13)


def test_there_is_no_probability_beyond_the_boundary():
    first, second = outcomes(2, 3, JEFFREYS)
    low, high = difference_of_proportions(first, second).boundary
    posterior = difference_of_proportions(first, second)
    assert (posterior.cdf(low) == 0).all()
    assert (posterior.sf(high) == 0).all()
    np.testing.assert_allclose(posterior.sf(low), 1.0, rtol=ACCURACY)
    np.testing.assert_allclose(posterior.cdf(high), 1.0, rtol=ACCURACY)


# python-flint 0.9.0, 160 bits: 28 panels of 24 Gauss-Legendre nodes (arb.legendre_p_root) over 11
# standard deviations of the second proportion to both sides (or from 0, and to u < 1 - delta), its
# density by lgamma times arb.beta_lower(b1, a1, regularized=True) at 1 - u - delta.
LARGE = [
    ((300001, 700001, 300501, 699501), 2.0**-11, 0.063680883977814903560),
    ((2, 1000000, 4, 999998), 2.0**-19, 0.045537870417585977128),
    ((1000, 9002, 901, 9101), 2.0**-6, 0.083605487970221567941),
]


@pytest.mark.parametrize(("shapes", "delta", "above"), LARGE)
def test_tails_keep_their_accuracy_for_large_samples(shapes, delta, above):
    a1, b1, a2, b2 = (column(v) for v in shapes)
    posterior = difference_of_proportions(Beta(a1, b1), Beta(a2, b2))
    assert posterior.sf(column(delta))[0] == pytest.approx(above, rel=ACCURACY)


@pytest.mark.parametrize("prior", [(1.0, 0.0), (0.5, 0.0)])
def test_tails_at_no_difference_are_incomplete_beta_functions_small_or_large(prior):
    """Pr(r2 < r1) = I_w(x2 + a, x1 + a) with w = E2/(E1 + E2), as r1·E1 and r2·E2 are Gamma."""
    rng = np.random.default_rng(2003)
    x1, x2 = rng.integers(0, 500, 4000), rng.integers(0, 8, 4000)
    first, second = 10.0 ** rng.uniform(-2, 2, (2, 4000))
    posterior = RateDifference(
        Gamma.given(x1.astype(float), first, prior), Gamma.given(x2.astype(float), second, prior)
    )
    zero = np.zeros(4000)
    above = betainc(x2 + prior[0], x1 + prior[0], second / (first + second))
    below = betainc(x1 + prior[0], x2 + prior[0], first / (first + second))
    assert above.max() > 1 - 1e-6
    assert above.min() < 1e-6
    np.testing.assert_allclose(posterior.sf(zero), above, rtol=CLOSED_FORM, atol=1e-20)
    np.testing.assert_allclose(posterior.cdf(zero), below, rtol=CLOSED_FORM, atol=1e-20)


@pytest.mark.parametrize(
    ("shape", "distance", "below"),
    [
        # mpmath 1.3, 30 digits, of p1 of Beta(a, 13) and p2 of Beta(2a, 7), with u = (p1/g)^a:
        # g**a/a/beta(a, 13)*quad(lambda u: (1 - g*u**(1/a))**12
        #     *betainc(2*a, 7, 0, g*(1 - u**(1/a)), regularized=True), [0, .5, 1])
        (0.02, 1e-44, 0.0026811766045236272),
        (0.02, 1e-60, 0.00029398516868693765),
        (0.02, 1e-150, 1.1703760369064935e-9),
        (0.05, 1e-150, 4.6415139118972361e-23),
    ],
)
def test_tails_of_small_shapes_next_to_an_end_are_those_of_mpmath(shape, distance, below):
    first, second = Beta(column(shape), column(13)), Beta(column(2 * shape), column(7))
    posterior = mean_of_proportions(first, second)
    assert posterior.cdf(column(distance / 2))[0] == pytest.approx(below, rel=ACCURACY)
    assert posterior.sf(column(distance / 2))[0] == pytest.approx(1 - below, rel=ACCURACY)
    mirrored = mean_of_proportions(*(Beta(each.b, each.a) for each in (first, second)))
    upper = mirrored.isf(below)
    assert upper.gap[0] == pytest.approx(distance, rel=1e-6)


def test_a_mean_of_proportions_has_a_minimal_length_interval_under_a_prior_with_a_small_shape():
    counts, prior = [(0, 0), (1, 0), (0, 5)], (0.02, 3.0)
    for x1, x2 in counts:
        posterior = mean_of_proportions(beta(x1, 10, prior), beta(x2, 10, prior))
        lower, upper = criteria.minimal_length(posterior, 1e-9)
        assert posterior.cdf(lower)[0] + posterior.sf(upper)[0] == pytest.approx(1e-9, rel=MASS)
