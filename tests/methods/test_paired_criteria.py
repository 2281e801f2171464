"""The criteria on the posterior of the paired difference, as methods of the catalogue."""

import numpy as np
import pytest

from harness.distributions.posteriors.paired import paired_difference_posterior
from harness.methods.catalogue import CATALOGUE

METHODS = CATALOGUE["paired_difference"]

NAMES = ("one_sided", "minimal_length", "balanced_width", "balanced_tail")
TWO_SIDED = NAMES[1:]
DATA = tuple(
    np.array(column, dtype=np.float64)
    for column in ([83, 80, 0, 12], [10, 5, 0, 0], [5, 10, 6, 0], [2, 5, 0, 18])
)
# What the mass outside the limits promises, and the rounding of a limit next to ±1.
MASS = 1e-9


def side_of(name):
    return "lower" if name == "one_sided" else "two-sided"


@pytest.mark.parametrize("name", NAMES)
def test_limits_leave_alpha_outside_under_their_own_prior(name):
    for prior in (None, (0.5, 1.0, 2.0, 0.5)):
        lower, upper = METHODS[name].limits(DATA, 0.1, side_of(name), prior)
        posterior = paired_difference_posterior(DATA, prior or (1.0, 1.0, 1.0, 1.0))
        np.testing.assert_allclose(posterior.cdf(lower) + posterior.sf(upper), 0.1, rtol=MASS)


@pytest.mark.parametrize("name", TWO_SIDED)
def test_limits_change_sign_to_the_last_bit_when_first_and_second_swap(name):
    both, first, second, neither = DATA
    lower, upper = METHODS[name].limits(DATA, 0.05)
    other = METHODS[name].limits((both, second, first, neither), 0.05)
    apart = first != second
    np.testing.assert_array_equal(lower[apart], -other[1][apart])
    np.testing.assert_array_equal(upper[apart], -other[0][apart])


@pytest.mark.parametrize("name", NAMES)
def test_limits_depend_on_the_discordant_pairs_and_the_total(name):
    assert not METHODS[name].uses_both
    both, first, second, neither = DATA
    here = METHODS[name].limits(DATA, 0.05, side_of(name))
    moved = METHODS[name].limits((both + neither, first, second, 0.0 * both), 0.05, side_of(name))
    np.testing.assert_array_equal(here, moved)


@pytest.mark.parametrize("name", TWO_SIDED)
def test_no_discordant_pair_of_30_ends_where_the_manual_says(name):
    data = tuple(column[3:] for column in DATA)
    for prior, limit in ((None, 0.087), ((0.5, 0.5, 0.5, 0.5), 0.067)):
        lower, upper = METHODS[name].limits(data, 0.05, "two-sided", prior)
        assert upper[0] == pytest.approx(limit, abs=5e-4)
        assert lower[0] == pytest.approx(-limit, abs=5e-4)
