"""Ratios of two parameters: tails, quantiles and criteria on the logarithm."""

import itertools

import numpy as np
import pytest

from harness.base.numerics.points import LogPoints
from harness.distributions import criteria
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.posteriors.ratio import (
    integrated_ratio_of_rates,
    odds_ratio_of_proportions,
    ratio_of_proportions,
    ratio_of_rates,
)
from harness.distributions.posteriors.truncated import Truncated
from tests.oracles import ratios

# What tails promise, relatively; 2e-13 is the largest error seen.
ACCURACY = 1e-12
# The components of a truncated one are differences of tails.
TRUNCATED = 1e-11


def column(*values):
    return np.array(values, dtype=np.float64)


def test_minimal_length_on_the_logarithm_inverts_when_the_samples_swap():
    first, second = Beta(column(8), column(4)), Beta(column(5), column(7))
    lower, upper = criteria.minimal_length(ratio_of_proportions(first, second), 0.05)
    assert lower.value[0] == pytest.approx(0.74, abs=0.005)
    assert upper.value[0] == pytest.approx(3.98, abs=0.005)
    low, high = criteria.minimal_length(ratio_of_proportions(second, first), 0.05)
    np.testing.assert_allclose(low.value, 1.0 / upper.value, rtol=1e-12)
    np.testing.assert_allclose(high.value, 1.0 / lower.value, rtol=1e-12)


@pytest.mark.parametrize("criterion", [criteria.balanced_tail, criteria.minimal_length])
def test_every_criterion_leaves_alpha_outside(criterion):
    counts = column(0, 10)
    first, second = (v.ravel() for v in np.meshgrid(counts, counts))
    ten = np.full(4, 10.0)
    for prior in ((1.0, 1.0), (0.5, 0.5)):
        betas = Beta.given(first, ten, prior), Beta.given(second, ten, prior)
        gammas = (Gamma.given(x, ten, (prior[0], 0.0)) for x in (first, second))
        for posterior in (
            ratio_of_proportions(*betas),
            odds_ratio_of_proportions(*betas),
            ratio_of_rates(*gammas),
        ):
            lower, upper = criterion(posterior, 0.05)
            outside = posterior.cdf(lower) + posterior.sf(upper)
            np.testing.assert_allclose(outside, 0.05, rtol=1e-12)


def proportions(of, a1, b1, a2, b2):
    return of(Beta(column(a1), column(b1)), Beta(column(a2), column(b2)))


SHAPES = [
    (1, 1, 0.5, 0.5),
    (1, 1, 1, 1),
    (2, 88, 423.6, 0.5),
    (5, 59, 33.2, 435.9),
    (8, 4, 5, 7),
    (30, 1, 0.5, 20.5),
    (1, 30, 0.05, 3.0),
    (3, 2, 3e5, 7e5),
    (3, 2, 3e8, 7e8),
    (2, 1, 1e9, 0.5),
]


@pytest.mark.parametrize("shapes", SHAPES)
def test_tails_of_a_risk_ratio_are_finite_sums(shapes):
    a1, b1, a2, b2 = shapes
    posterior = proportions(ratio_of_proportions, *shapes)
    swapped = proportions(ratio_of_proportions, a2, b2, a1, b1)
    for theta in (1.0, 1.0 - 2.0**-30, 0.875, 0.25, 2.0**-8):
        point, inverse = LogPoints(np.log(column(theta))), LogPoints(-np.log(column(theta)))
        above = float(ratios.risk_ratio_above(*shapes, theta))
        below = float(ratios.risk_ratio_below(*shapes, theta))
        for found, exact in (
            (posterior.sf(point), above),
            (swapped.cdf(inverse), above),
            (posterior.cdf(point), below),
            (swapped.sf(inverse), below),
        ):
            if exact > 1e-300:
                assert found[0] == pytest.approx(exact, rel=ACCURACY)


@pytest.mark.parametrize("shapes", SHAPES[:7])
def test_tails_of_an_odds_ratio_are_finite_sums(shapes):
    a1, b1, a2, b2 = shapes
    posterior = proportions(odds_ratio_of_proportions, *shapes)
    failures = proportions(odds_ratio_of_proportions, b1, a1, b2, a2)
    for theta in (2.0**-6, 0.75, 1.0, 3.0, 50.0):
        exact = float(ratios.odds_ratio_above(*shapes, theta))
        assert posterior.sf(column(theta))[0] == pytest.approx(exact, rel=ACCURACY)
        inverse = LogPoints(-np.log(column(theta)))
        assert failures.cdf(inverse)[0] == pytest.approx(exact, rel=ACCURACY)


# python-flint 0.9.0, 140 bits: the trapezoidal rule in logit p1 over 13 standard deviations to both
# sides, a third of one apart, its density by lgamma times arb.beta_lower(a2, b2, regularized=True).
LARGE = [
    (odds_ratio_of_proportions, (300001, 700001, 300501, 699501), 2**-11, 0.17629127076035681105),
    (ratio_of_proportions, (300001, 700001, 300501, 699501), 2**-11, 0.15926144696862932739),
    (ratio_of_proportions, (1000.5, 9002, 901, 9101.5), 2**-4, 0.83346388522344972086),
]


@pytest.mark.parametrize(("of", "shapes", "log_theta", "above"), LARGE)
def test_tails_keep_their_accuracy_for_large_samples(of, shapes, log_theta, above):
    found = proportions(of, *shapes).sf(LogPoints(column(log_theta)))
    assert found[0] == pytest.approx(above, rel=ACCURACY)


def test_without_failures_the_logarithm_of_a_risk_ratio_is_a_difference_of_exponentials():
    """Minus log p is exponential of rate a for p of Beta(a, 1); the density has a kink at 1."""
    for a1, a2 in ((11.0, 11.0), (1.0, 4.0), (1001.0, 6.0)):
        posterior = proportions(ratio_of_proportions, a1, 1.0, a2, 1.0)
        for alpha in (1e-6, 0.05, 0.9):
            lower, upper = criteria.minimal_length(posterior, alpha)
            np.testing.assert_allclose(lower.coordinate, np.log(alpha) / a1, rtol=1e-9)
            np.testing.assert_allclose(upper.coordinate, -np.log(alpha) / a2, rtol=1e-9)


@pytest.mark.parametrize("prior", [(1.0, 1.0), (0.5, 0.5)])
@pytest.mark.parametrize("of", [ratio_of_proportions, odds_ratio_of_proportions])
def test_no_interval_is_shorter_on_the_logarithm_than_the_minimal_one(of, prior):
    x1, x2 = (v.ravel().astype(float) for v in np.mgrid[0:2, 0:3])
    posterior = of(Beta.given(x1, np.full(6, 1.0), prior), Beta.given(x2, np.full(6, 2.0), prior))
    lower, upper = criteria.minimal_length(posterior, 0.1)
    length = posterior.length(lower, upper)
    np.testing.assert_allclose(length, np.log(upper.value / lower.value), rtol=1e-12)
    for share in (0.01, 0.3, 0.5, 0.7, 0.99):
        other = posterior.length(posterior.ppf(0.1 * share), posterior.isf(0.1 - 0.1 * share))
        assert (length <= other * (1.0 + 1e-9)).all()


def test_a_ratio_of_rates_is_the_same_by_quadrature():
    rng = np.random.default_rng(2003)
    a1, a2 = 10.0 ** rng.uniform(-1.0, 5.0, (2, 60))
    b1, b2 = 10.0 ** rng.uniform(-3.0, 3.0, (2, 60))
    first, second = Gamma(a1, b1), Gamma(a2, b2)
    closed, integrated = ratio_of_rates(first, second), integrated_ratio_of_rates(first, second)
    for prob in (1e-12, 0.01, 0.4):
        for tail, limit in (("cdf", closed.ppf(prob)), ("sf", closed.isf(prob))):
            found = getattr(integrated, tail)(limit.value)
            np.testing.assert_allclose(found, prob, rtol=1e-10)


def test_quantiles_of_a_ratio_of_rates_by_quadrature_are_right_far_out():
    """Without an event too, and with exposures that differ by a factor of a million."""
    gammas = [
        (x + a, exposure + b)
        for x in (0, 3)
        for exposure in (0.01, 1e4)
        for a, b in ((0.5, 0), (0.1, 2))
    ]
    pairs = zip(*itertools.product(gammas, repeat=2), strict=True)
    first, second = (Gamma(*np.array(each).T) for each in pairs)
    closed, integrated = ratio_of_rates(first, second), integrated_ratio_of_rates(first, second)
    for prob in (1e-100, 1e-9):
        for name in ("ppf", "isf"):
            limit, found = (getattr(each, name)(prob).value for each in (closed, integrated))
            np.testing.assert_allclose(found, limit, rtol=1e-9)


def test_a_ratio_of_two_uniform_pieces_has_areas_of_polygons_as_tails():
    """p1 on [0.25, 0.5] and p2 on [0.25, 1]: Pr(p1 < p2) is the area above the diagonal."""
    flat = Beta(column(1), column(1))
    posterior = ratio_of_proportions(Truncated(flat, 0.25, 0.5), Truncated(flat, 0.25, 1.0))
    # p1 > θ p2 on a triangle or a trapezoid of height 1/4.
    for theta, above in ((1.0, 1 / 6), (2.0, 0.0), (0.25, 1.0), (0.5, 2 / 3), (1.5, 1 / 36)):
        assert posterior.sf(column(theta))[0] == pytest.approx(above, abs=1e-13)
        assert posterior.cdf(column(theta))[0] == pytest.approx(1.0 - above, abs=1e-13)


TRUNCATIONS = [
    (ratio_of_proportions, Beta, (17, 12), (0.07, 1.0), (13, 22), (0.86, 0.95), 1.1),
    (ratio_of_proportions, Beta, (28, 5), (0.3, 0.87), (19, 19), (0.64, 1.0), 0.3),
    (odds_ratio_of_proportions, Beta, (10, 3), (0.06, 1.0), (12, 3), (0.0, 0.1), 0.9),
    (odds_ratio_of_proportions, Beta, (8, 27), (0.955, 0.984), (25, 12), (0.48, 1.0), 0.3),
    (ratio_of_rates, Gamma, (34, 1.13), (0.39, 3.03), (39, 3.88), (0.52, 5.3), 2.0),
    (ratio_of_rates, Gamma, (39, 3.39), (1.28, 6.99), (30, 2.06), (0.0, 3.11), 1.1),
]


@pytest.mark.parametrize(("of", "kind", "first", "ends1", "second", "ends2", "theta"), TRUNCATIONS)
def test_tails_of_truncated_components_are_integrals(of, kind, first, ends1, second, ends2, theta):
    x, weight = np.polynomial.legendre.leggauss(200)

    def truncated(shapes, ends, size):
        return Truncated(kind(*(np.full(size, float(v)) for v in shapes)), *ends)

    def matching(p):
        """The value of the first component in the ratio theta to p."""
        is_odds = of is odds_ratio_of_proportions
        return theta * p / (1.0 - p + theta * p) if is_odds else theta * p

    def inverse(p):
        is_odds = of is odds_ratio_of_proportions
        return p / (p + theta * (1.0 - p)) if is_odds else p / theta

    above = below = 0.0
    breaks = np.unique(np.clip([*ends2, inverse(ends1[0]), inverse(ends1[1])], *ends2))
    for low, high in itertools.pairwise(breaks):
        p2 = low + (high - low) * (0.5 + 0.5 * x)
        part = 0.5 * (high - low) * weight * truncated(second, ends2, 200).pdf(p2)
        p1 = np.clip(matching(p2), *ends1)
        above += (part * truncated(first, ends1, 200).sf(p1)).sum()
        below += (part * truncated(first, ends1, 200).cdf(p1)).sum()
    posterior = of(truncated(first, ends1, 1), truncated(second, ends2, 1))
    assert posterior.sf(column(theta))[0] == pytest.approx(above, rel=TRUNCATED)
    assert posterior.cdf(column(theta))[0] == pytest.approx(below, rel=TRUNCATED)


@pytest.mark.parametrize(
    "posterior",
    [
        proportions(ratio_of_proportions, 3, 4, 5, 6),
        proportions(odds_ratio_of_proportions, 3, 4, 5, 6),
        ratio_of_rates(Gamma(column(3), column(4)), Gamma(column(5), column(6))),
    ],
)
def test_there_is_no_probability_beyond_the_boundary_and_no_balanced_width(posterior):
    low, high = posterior.boundary
    assert posterior.cdf(low)[0] == posterior.sf(high)[0] == 0.0
    assert posterior.cdf(column(np.inf))[0] == posterior.sf(column(0.0))[0] == 1.0
    with pytest.raises(ValueError, match="no balanced-width"):
        criteria.balanced_width(posterior, 0.05)


@pytest.mark.parametrize(
    "posterior",
    [
        ratio_of_proportions(Beta(column(8), column(4)), Beta(column(5), column(7))),
        odds_ratio_of_proportions(Beta(column(8), column(4)), Beta(column(5), column(7))),
        ratio_of_rates(Gamma(column(8), column(4)), Gamma(column(5), column(7))),
    ],
)
def test_a_negative_ratio_is_below_every_ratio(posterior):
    assert posterior.sf(column(-0.5)) == 1.0
    assert posterior.cdf(column(-np.inf)) == 0.0


@pytest.mark.parametrize("of", [ratio_of_proportions, odds_ratio_of_proportions])
def test_the_smallest_shapes_have_quantiles(of):
    """The densities of both components have a pole at the same end."""
    posterior = proportions(of, 1.05, 0.05, 1.05, 0.05)
    for prob in (1e-9, 0.025):
        lower, upper = posterior.ppf(prob), posterior.isf(prob)
        np.testing.assert_allclose(posterior.cdf(lower), prob, rtol=1e-9)
        np.testing.assert_allclose(upper.coordinate, -lower.coordinate, rtol=1e-9)
