"""The scale of a parameter: what is said of a ratio is said of its logarithm."""

import numpy as np
import pytest

from harness.families.catalogue import FAMILIES
from harness.families.combination import IDENTITY, LOGARITHM

LOWER, UPPER = np.array([0.0, 0.5, 1.0, 2.0]), np.array([2.0, 4.0, 1.0, np.inf])


def test_every_ratio_has_the_logarithmic_scale_and_no_other_family():
    scales = {name: family.scale for name, family in FAMILIES.items()}
    ratios = {name for name, scale in scales.items() if scale is LOGARITHM}
    assert ratios == {"risk_ratio", "odds_ratio", "rate_ratio", "paired_ratio"}
    assert {scale for name, scale in scales.items() if name not in ratios} == {IDENTITY}


def test_a_ratio_and_its_inverse_have_intervals_of_one_length():
    with np.errstate(divide="ignore"):
        inverse = LOGARITHM.length(1.0 / UPPER, 1.0 / LOWER)
    np.testing.assert_array_equal(LOGARITHM.length(LOWER, UPPER), inverse)
    np.testing.assert_allclose(inverse, [np.inf, np.log(8.0), 0.0, np.inf])


def test_infinite_lengths_are_counted_and_left_out_of_means():
    np.testing.assert_array_equal(LOGARITHM.infinite(LOWER, UPPER), [1.0, 0.0, 0.0, 1.0])
    np.testing.assert_allclose(LOGARITHM.finite_length(LOWER, UPPER), [0.0, np.log(8.0), 0.0, 0.0])
    assert IDENTITY.infinite(LOWER, UPPER) is None


@pytest.mark.parametrize("scale", [IDENTITY, LOGARITHM])
def test_a_value_on_the_scale_gives_its_parameter_back(scale):
    parameter = np.array([0.25, 1.0, 7.0])
    np.testing.assert_allclose(scale.parameter_at(scale.of(parameter)), parameter, rtol=1e-15)


@pytest.mark.parametrize("scale", [IDENTITY, LOGARITHM])
def test_longer_intervals_have_a_larger_polynomial_of_the_counts(scale):
    assert (np.diff(scale.nearly_polynomial(np.array([0.1, 1.0, 2.0, 5.0]))) > 0).all()


def test_0_by_0_is_ordered_in_the_middle_of_all_ratios():
    estimates = np.array([0.0, 0.5, np.nan, 2.0, np.inf])
    assert LOGARITHM.in_order(estimates).tolist() == [0.0, 1.0 / 3.0, 0.5, 2.0 / 3.0, 1.0]
