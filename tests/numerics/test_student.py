"""Student's distribution against ball arithmetic."""

from __future__ import annotations

import numpy as np
import pytest
from flint import arb, ctx

from harness.base.numerics.special import mean_of_sd, upper_point, upper_tail
from tests.oracles.balls import exact, sharp

FREEDOM = (1, 2, 3, 4, 5, 9, 29, 99, 1000, 10**6)
TAILS = (1e-100, 1e-20, 1e-10, 1e-3, 0.025, 0.2, 0.299, 0.301, 0.4, 0.49, 0.4999999, 0.5 - 1e-12)


def tail_of(freedom: int, t: float) -> arb:
    """Pr(T > t) for t > 0: half of I_x(ν/2, ½) at x = ν/(ν + t²), or of 1 − I_(1 − x)(½, ν/2)."""

    def value() -> arb:
        nu, square = arb(freedom), exact(t) ** 2
        if t * t < freedom:
            y = square / (nu + square)
            return (1 - y.beta_lower(arb(0.5), nu / 2, regularized=True)) / 2
        x = nu / (nu + square)
        return x.beta_lower(nu / 2, arb(0.5), regularized=True) / 2

    return sharp(value)


def density(freedom: int, t: float) -> arb:
    def value() -> arb:
        nu = arb(freedom)
        scale = ((nu + 1) / 2).lgamma() - (nu / 2).lgamma() - (nu * arb.pi()).log() / 2
        return (scale - (nu + 1) / 2 * (1 + exact(t) ** 2 / nu).log()).exp()

    return sharp(value)


@pytest.mark.parametrize("freedom", FREEDOM)
def test_quantiles_are_good_to_14_digits_in_the_tails_and_next_to_0(freedom):
    for tail in TAILS:
        t = float(upper_point(freedom, tail))
        error = (tail_of(freedom, t) - exact(tail)) / density(freedom, t) / exact(t)
        assert abs(float(error)) < 1e-14


@pytest.mark.parametrize("tail", [1e-200, 1e-9, 0.025, 0.31, 0.45])
def test_two_and_three_values_have_closed_forms(tail):
    with ctx.workprec(800):
        a = exact(tail)
        two = 1 / (arb.pi() * a).tan()
        three = (1 - 2 * a) / (2 * a * (1 - a)).sqrt()
    found = upper_point(np.array([1.0, 2.0]), tail)
    np.testing.assert_allclose(found, [float(two), float(three)], rtol=2e-15)


def test_quantiles_are_odd_about_one_half():
    freedom = np.array([1.0, 4.0, 30.0])
    for tail in (0.25, 0.375, 0.46875):
        np.testing.assert_array_equal(upper_point(freedom, 1 - tail), -upper_point(freedom, tail))
    assert not np.signbit(upper_point(freedom, 0.5)).any()


@pytest.mark.parametrize("freedom", FREEDOM)
def test_tails_are_good_to_13_digits(freedom):
    for t in (1e-9, 1e-3, 0.5, 1.753, 2.0, 5.0, 20.0):
        expected = tail_of(freedom, t)
        assert abs(float(exact(float(upper_tail(freedom, t))) / expected - 1)) < 2e-14
        below = float(1 - expected)
        assert float(upper_tail(freedom, -t)) == pytest.approx(below, rel=2e-16)


@pytest.mark.parametrize("k", [2, 3, 5, 30, 119, 120, 121, 122, 1000, 10**6, 10**12])
def test_the_mean_of_a_standard_deviation_is_good_to_15_digits(k):
    def value() -> arb:
        gammas = (arb(k) / 2).lgamma() - (arb(k - 1) / 2).lgamma()
        return gammas.exp() * (arb(2) / (k - 1)).sqrt()

    assert abs(float(exact(float(mean_of_sd(k))) / sharp(value) - 1)) < 1e-15
