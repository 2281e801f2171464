"""How limits of two samples become those of their sum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from harness.methods.comparison.mover import difference, mean, mover, once_per_sample
from harness.methods.proportion.closed_form import wald

X1, N1, X2, N2 = (np.array(column) for column in ([3.0, 50.0], [9.0, 99.0], [2.0, 7.0], [5.0, 8.0]))


def term(centre, below, above):
    """An estimate with limits at these distances."""
    return tuple(np.array([value]) for value in (centre, centre - below, centre + above))


def test_distances_add_as_squares():
    lower, upper = mover(term(10.0, 3.0, 5.0), term(20.0, 4.0, 12.0))
    assert (lower[0], upper[0]) == (30 - 5, 30 + 13)


def test_a_difference_takes_the_other_limit_of_the_second_term():
    lower, upper = difference(term(10.0, 3.0, 12.0), term(20.0, 5.0, 4.0))
    assert (lower[0], upper[0]) == (-10 - 5, -10 + 13)


def test_a_mean_is_half_a_sum():
    first, second = term(0.5, 0.3, 0.1), term(0.25, 0.2, 0.4)
    np.testing.assert_array_equal(mean(first, second), np.array(mover(first, second)) / 2)


def test_a_limit_beyond_its_estimate_counts_against_the_other():
    lower, upper = mover(term(10.0, -3.0, -5.0), term(20.0, -4.0, -12.0))
    assert (lower[0], upper[0]) == (30 + 5, 30 - 13)
    lower, upper = mover(term(10.0, -3.0, 5.0), term(20.0, 5.0, -3.0))
    assert (lower[0], upper[0]) == (30 - 4, 30 + 4)


@pytest.mark.parametrize("tail", [0.025, 0.45, 0.7])
def test_wald_limits_give_back_the_wald_limits_of_the_difference(tail):
    first, second = (X1 / N1, *wald((X1, N1), tail)), (X2 / N2, *wald((X2, N2), tail))
    lower, _ = difference(first, second)
    variance = X1 / N1 * (1 - X1 / N1) / N1 + X2 / N2 * (1 - X2 / N2) / N2
    within = (second[2] < 1) & (first[1] > 0)
    expected = X1 / N1 - X2 / N2 + ndtri(tail) * np.sqrt(variance)
    assert within.any()
    np.testing.assert_allclose(lower[within], expected[within], rtol=0, atol=1e-15)


def test_a_sample_that_recurs_is_solved_once():
    sizes = []

    def limits(data, tail):
        sizes.append(data[0].size)
        return data[0] / data[1] - tail, data[0] / data[1] + tail

    x, n = np.array([3.0, 0.0, 3.0, 3.0]), np.array([9.0, 9.0, 9.0, 10.0])
    found = once_per_sample(limits)((x, n), 0.25)
    assert sizes == [3]
    np.testing.assert_array_equal(found, (x / n - 0.25, x / n + 0.25))
