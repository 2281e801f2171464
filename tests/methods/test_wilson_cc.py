"""Continuity corrected Wilson limits: against print, and against the test that they invert."""

import numpy as np
import pytest
from scipy.special import ndtri

from harness.methods.proportion.score import wilson_cc
from tests.methods.one_outcome import limits

# (x, n, side, printed lower, printed upper, half a unit of the last digit); at alpha = 0.05
PRINTED = [
    # Newcombe (1998), Stat. Med. 17, 857-872, Table I.
    (81, 263, "two-sided", 0.2535, 0.3682, 5e-5),
    # R package DescTools, BinomCI (in the tests of DeepPSP/DBCI).
    (84, 101, "two-sided", 0.741331154898481, 0.896133033849034, 5e-15),
    # R 3.6.2, prop.test (in the tests of SciPy, test_morestats.py).
    (0, 10, "two-sided", 0.0, 0.3445372, 5e-8),
    (0, 10, "upper", 0.0, 0.2847374, 5e-8),
    (10, 10, "upper", 0.0, 1.0, 0.0),
    (10, 10, "lower", 0.7152626, 1.0, 5e-8),
]


@pytest.mark.parametrize(("x", "n", "side", "lower", "upper", "half_a_unit"), PRINTED)
def test_limits_hold_to_the_last_printed_digit(x, n, side, lower, upper, half_a_unit):
    found = limits("wilson_cc", x, n, 0.05, side)
    assert found == pytest.approx((lower, upper), rel=0, abs=half_a_unit)


@pytest.mark.parametrize("n", [1, 2, 9, 100])
def test_a_limit_is_half_an_outcome_and_z_deviations_from_the_estimate(n):
    x = np.arange(n + 1.0)
    for tail in (1e-10, 0.025, 0.45, 0.7):
        z = -ndtri(tail)
        lower, upper = wilson_cc((x, np.full_like(x, n)), tail)
        for limit, distance, inner in (
            (lower, x / n - lower, x > 0),
            (upper, upper - x / n, x < n),
        ):
            deviations = z * np.sqrt(limit * (1 - limit) / n)
            # Both sides of the equation are of order one.
            np.testing.assert_allclose(
                (distance - 0.5 / n)[inner], deviations[inner], rtol=0, atol=1e-14
            )
        assert lower[0] == 0
        assert upper[-1] == 1
