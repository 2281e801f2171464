"""Criteria over posteriors of ratios: the limits where a count makes the estimate 0 or infinite."""

import numpy as np
import pytest

from harness.distributions.posteriors.beta import Beta
from harness.distributions.posteriors.gamma import Gamma
from harness.distributions.posteriors.ratio import (
    odds_ratio_of_proportions,
    ratio_of_proportions,
    ratio_of_rates,
)
from harness.methods.catalogue import CATALOGUE

METHODS = {family: CATALOGUE[family] for family in ("risk_ratio", "odds_ratio", "rate_ratio")}
POSTERIORS = {
    "risk_ratio": (Beta, ratio_of_proportions, (1.0, 1.0)),
    "odds_ratio": (Beta, odds_ratio_of_proportions, (1.0, 1.0)),
    "rate_ratio": (Gamma, ratio_of_rates, (1.0, 0.0)),
}
# Of the mass outside plain doubles.
MASS = 1e-11


def table(size):
    """All outcomes of two samples of that size, shape (m,) each."""
    x1, x2 = (v.ravel().astype(float) for v in np.mgrid[0 : size + 1, 0 : size + 1])
    return x1, np.full(x1.size, float(size)), x2, np.full(x1.size, float(size))


def ends(family, data):
    """Where the lower limit is 0, and where the upper one is infinite, by rule."""
    x1, n1, x2, n2 = data
    if family == "odds_ratio":
        return (x1 == 0) | (x2 == n2), (x1 == n1) | (x2 == 0)
    return x1 == 0, x2 == 0


def posterior(family, data):
    component, of, prior = POSTERIORS[family]
    x1, n1, x2, n2 = data
    return of(component.given(x1, n1, prior), component.given(x2, n2, prior))


def limits(family, name, data, alpha, side="two-sided"):
    method = METHODS[family][name]
    return method.formula(data, alpha, side, method.default_prior)


@pytest.mark.parametrize("family", METHODS)
@pytest.mark.parametrize("name", ["minimal_length", "balanced_tail"])
def test_limits_are_an_end_of_the_range_by_rule_and_leave_alpha_outside_elsewhere(family, name):
    data = table(3)
    zero, infinite = ends(family, data)
    found = posterior(family, data)
    for alpha in (1e-6, 0.05, 0.9):
        lower, upper = limits(family, name, data, alpha)
        np.testing.assert_array_equal(lower == 0, zero)
        np.testing.assert_array_equal(np.isinf(upper), infinite)
        outside = found.cdf(lower) + found.sf(upper)
        np.testing.assert_allclose(outside, np.where(zero & infinite, 0.0, alpha), rtol=MASS)


@pytest.mark.parametrize("family", METHODS)
@pytest.mark.parametrize("name", ["one_sided", "balanced_tail"])
def test_one_sided_limits_follow_the_rule(family, name):
    data = table(3)
    zero, infinite = ends(family, data)
    found = posterior(family, data)
    lower, open_end = limits(family, name, data, 0.05, "lower")
    np.testing.assert_array_equal(open_end, np.inf)
    np.testing.assert_allclose(found.cdf(lower), np.where(zero, 0.0, 0.05), rtol=MASS)
    open_end, upper = limits(family, name, data, 0.05, "upper")
    np.testing.assert_array_equal(open_end, 0.0)
    np.testing.assert_allclose(found.sf(upper), np.where(infinite, 0.0, 0.05), rtol=MASS)


@pytest.mark.parametrize("family", METHODS)
def test_a_ratio_has_no_balanced_width_and_its_criteria_say_the_rule(family):
    assert "balanced_width" not in METHODS[family]
    for name in ("one_sided", "minimal_length", "balanced_tail"):
        assert "The lower limit is 0 at x₁ = 0" in METHODS[family][name].description


@pytest.mark.parametrize("family", METHODS)
def test_limits_of_any_sizes_are_numbers_in_order(family):
    sizes = (1.0, 1e3, 1e9)
    x1, n1, x2, n2 = (
        np.array(column)
        for column in zip(
            *[
                (a, n, b, m)
                for n in sizes
                for m in sizes
                for a in {0.0, np.floor(n / 3), n}
                for b in {1.0, np.floor(m / 3)}
            ],
            strict=True,
        )
    )
    for name in ("minimal_length", "balanced_tail"):
        lower, upper = limits(family, name, (x1, n1, x2, n2), 1e-3)
        assert (lower < upper).all()
        zero, infinite = ends(family, (x1, n1, x2, n2))
        np.testing.assert_array_equal(lower == 0, zero)
        np.testing.assert_array_equal(np.isinf(upper), infinite)
