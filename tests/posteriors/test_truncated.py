"""Posteriors restricted to a part of their range, against ball arithmetic."""

import numpy as np
import pytest
from flint import arb, ctx

from harness.base.numerics.points import RealPoints, UnitPoints
from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.posteriors.truncated import Truncated
from tests.oracles import balls, beta, gamma

# Tails are right to a quarter of this, and a difference of two of them loses a factor of four.
ACCURACY = 1e-12
# A mass below every double is carried by its logarithm, whose size costs digits.
ACCURACY_FAR_OUT = 1e-9
SMALLEST = 1e-300
BITS = 4 * balls.FIRST

RATES = (
    *((0.0, 458.0), (458.0, np.inf), (0.0, 1e-5), (599.0, 600.0), (600.0, 600.001)),
    *((1e6, 1e6 + 1), (0.5e6, 1e6), (0.0, 1e6), (1e-3, 1e3)),
)
PROPORTIONS = (
    *((0.0, 0.5), (0.5, 1.0), (0.5, 0.5001), (0.9, 0.95), (0.2, 0.8)),
    *((0.999999, 0.9999999), (1e-9, 2e-9), (0.0, 1e-3)),
)


def one(*values):
    return (np.array([value]) for value in values)


def between(cdf, sf, low, high):
    """The mass between two points, from the tails that leave more digits."""
    with ctx.workprec(BITS):
        masses = cdf(high) - cdf(low), sf(low) - sf(high)
        return max(masses, key=lambda mass: mass.rel_accuracy_bits())


def gamma_mass(a, low, high):
    ends = [balls.exact(end) if end < np.inf else None for end in (low, high)]
    return between(
        lambda end: arb(1) if end is None else gamma.cdf(a, end),
        lambda end: arb(0) if end is None else gamma.sf(a, end),
        *ends,
    )


def beta_mass(a, b, low, high):
    return between(
        lambda end: beta.cdf(a, b, end),
        lambda end: beta.sf(a, b, end),
        *(balls.exact(end) for end in (low, high)),
    )


def check(posterior, mass, inner):
    """Mass, cdf and sf at an inner point against ``mass(low, high)``; how many were compared."""
    low, high = posterior.support
    whole = mass(low, high)
    rows = [(posterior.mass(), whole)]
    with ctx.workprec(BITS):
        rows += [
            (posterior.cdf(inner), mass(low, inner) / whole),
            (posterior.sf(inner), mass(inner, high) / whole),
        ]
    accuracy = ACCURACY if float(whole) > SMALLEST else ACCURACY_FAR_OUT
    compared = 0
    for found, true in rows:
        assert np.isfinite(found[0])
        # Where two tails agree in all their bits the oracle has no digits of their difference.
        if true.rel_accuracy_bits() < 60 or float(true) < SMALLEST:
            continue
        assert abs(float(arb(found[0]) / true - 1)) <= accuracy, (posterior, float(true))
        compared += 1
    return compared


@pytest.mark.parametrize("a", [1.0, 2.0, 11.0, 101.0, 601.0, 701.0, 1e4, 1e6])
def test_rates_are_restricted_without_losing_digits(a):
    compared = 0
    for low, high in RATES:
        inner = low + 0.37 * (high - low) if high < np.inf else 1.1 * low
        posterior = Truncated(Gamma(*one(a, 1.0)), low, high)
        compared += check(posterior, lambda u, v: gamma_mass(a, u, v), inner)
    assert compared > 1.3 * len(RATES)


@pytest.mark.parametrize("n", [1, 10, 100])
def test_proportions_are_restricted_without_losing_digits(n):
    compared = 0
    outcomes = sorted({0, 1, n // 2, n})
    for x in outcomes:
        a, b = x + 1.0, n - x + 1.0
        for low, high in PROPORTIONS:
            posterior = Truncated(Beta(*one(a, b)), low, high)
            inner = low + 0.37 * (high - low)
            compared += check(posterior, lambda u, v, a=a, b=b: beta_mass(a, b, u, v), inner)
    assert compared > 1.3 * len(PROPORTIONS) * len(outcomes)


@pytest.mark.parametrize("n", [10**5, 10**8])
@pytest.mark.parametrize(("low", "high"), [(0.0, 1e-3), (1e-6, 2e-6), (1e-3, 1.5e-3), (1e-8, 0.5)])
def test_large_sizes_without_successes_follow_their_closed_form(n, low, high):
    def mass(start, stop):
        with ctx.workprec(BITS):
            return (1 - balls.exact(start)) ** (n + 1) - (1 - balls.exact(stop)) ** (n + 1)

    inner = low + (high - low) / 64
    check(Truncated(Beta(*one(1.0, n + 1.0)), low, high), mass, inner)
    mirrored = Truncated(Beta(*one(n + 1.0, 1.0)), 1 - high, 1 - low)
    with ctx.workprec(BITS):
        ends = [1 - balls.exact(end) for end in mirrored.support]
        true = ends[1] ** (n + 1), ends[0] ** (n + 1)
    whole = abs(true[0] - true[1])
    if float(whole) > SMALLEST:
        assert abs(float(arb(mirrored.mass()[0]) / whole - 1)) <= ACCURACY


def test_a_posterior_far_from_its_range_is_still_one():
    for whole, low, high in (
        (Gamma(*one(1e8, 1.0)), 0.0, 458.0),
        (Gamma(*one(2.0, 1.0)), 1e5, np.inf),
        (Beta(*one(1e6, 2.0)), 0.1, 0.2),
        (Beta(*one(1.0, 1e6)), 0.5, 1.0),
    ):
        posterior = Truncated(whole, low, high)
        assert posterior.mass() == 0
        inner = min(high, low + 2.0)
        for point in np.linspace(low, inner, 4):
            assert posterior.cdf(point) + posterior.sf(point) == pytest.approx(1, abs=1e-7)
        assert posterior.cdf(low) == posterior.sf(high) == 0
        assert posterior.sf(low) == posterior.cdf(high) == 1


def test_density_is_the_slope_of_the_cdf_and_zero_outside():
    posterior = Truncated(Gamma(*one(601.0, 1.0)), 0.0, 458.0)
    # Three-point differences of a smooth function over a thousandth of its scale.
    step = 1e-3
    for point in (440.0, 455.0, 457.9):
        slope = (posterior.cdf(point + step) - posterior.cdf(point - step)) / (2 * step)
        assert posterior.pdf(point) == pytest.approx(slope, rel=1e-6)
        assert posterior.logpdf(point) == pytest.approx(np.log(slope), rel=1e-6)
    assert posterior.pdf(458.1) == 0
    assert posterior.logpdf(459.0) == -np.inf


def test_points_outside_the_range_count_as_its_boundary():
    posterior = Truncated(Beta(*one(3.0, 4.0)), 0.2, 0.6)
    assert posterior.cdf(0.1) == posterior.sf(0.7) == 0
    assert posterior.cdf(0.7) == posterior.sf(0.1) == 1


def test_points_may_be_plain_numbers_or_carried():
    proportion = Truncated(Beta(*one(3.0, 4.0)), 0.2, 0.6)
    rate = Truncated(Gamma(*one(3.0, 4.0)), 0.2, 0.6)
    for posterior, points in (
        (proportion, UnitPoints.of(np.array([0.3]))),
        (rate, RealPoints.of(np.array([0.3]))),
    ):
        for method in (posterior.cdf, posterior.sf, posterior.pdf, posterior.logpdf):
            assert method(points) == method(0.3) == method(np.array([0.3]))


def test_a_part_of_the_outcomes_is_as_in_the_whole():
    posterior = Truncated(Gamma(np.array([1.0, 601.0, 2.0, 1e6]), np.ones(4)), 0.0, 458.0)
    index = np.array([1, 3])
    part = posterior.at(index)
    assert (posterior.size, part.size) == (4, 2)
    assert part.support == (0.0, 458.0)
    np.testing.assert_array_equal(part.cdf(457.0), posterior.cdf(457.0)[index])
    np.testing.assert_array_equal(part.logpdf(457.0), posterior.logpdf(457.0)[index])


def test_each_outcome_is_computed_by_itself():
    # One of them lies far out and is integrated; that changes no bit of the others.
    shapes = np.array([1.0, 500.0, 601.0, 1e5])
    together = Truncated(Gamma(shapes, np.ones(4)), 457.0, 458.0)
    alone = [Truncated(Gamma(*one(a, 1.0)), 457.0, 458.0) for a in shapes]
    found = [posterior.cdf(457.3)[0] for posterior in alone]
    np.testing.assert_allclose(together.cdf(457.3), found, rtol=1e-12)
