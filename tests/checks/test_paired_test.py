"""McNemar's exact test and Tango's interval, against published values and their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar
from scipy.special import ndtri
from scipy.stats import binomtest

from harness.checks.compare import mcnemar_p, paired_interval, trials_to_conclude
from harness.checks.scenarios import AllowedRate

# Bentur et al. (2009): 1 and 7 discordant of 21. Tango's limits to three decimals in Fagerland,
# Lydersen and Laake (2014), Stat. Med. 33, 2850–2875, table V.
BENTUR, LOWER, UPPER = (1, 7, 21), -0.517, -0.026

# Newton's method leaves relative errors of some units of 1e-16 in d − δ; the brute force below
# finds a maximum, whose place is known to the root of that only.
EXACT, BRUTE = 1e-12, 1e-5


def limits(b, c, n, alpha=0.05):
    lower, upper = paired_interval(*(np.array([float(v)]) for v in (b, c, n)), alpha)
    return float(lower[0]), float(upper[0])


def test_limits_are_the_published_ones():
    assert limits(*BENTUR) == (pytest.approx(LOWER, abs=5e-4), pytest.approx(UPPER, abs=5e-4))


def most_likely(b, c, n, delta):
    """The probability of a trial of the second kind that maximises the likelihood, by search."""

    def surprise(q):
        both = b * np.log(q + delta) if b else 0.0
        both += c * np.log(q) if c else 0.0
        rest = n - b - c
        return -(both + (rest * np.log1p(-2 * q - delta) if rest else 0.0))

    low, high = max(0.0, -delta), (1 - delta) / 2
    return minimize_scalar(
        surprise, bounds=(low, high), method="bounded", options={"xatol": 1e-13}
    ).x


@pytest.mark.parametrize("counts", [(1, 7, 21), (40, 20, 160), (3, 0, 12), (5, 5, 11), (2, 9, 500)])
@pytest.mark.parametrize("alpha", [0.001, 0.05, 0.4])
def test_a_limit_is_where_the_score_statistic_is_the_normal_quantile(counts, alpha):
    b, c, n = counts
    z = -ndtri(alpha / 2)
    for delta in limits(b, c, n, alpha):
        q = most_likely(b, c, n, delta)
        deviation = (b - c) / n - delta
        variance = (2 * q + delta - delta**2) / n
        assert deviation**2 / variance == pytest.approx(z * z, rel=BRUTE)


@given(st.integers(1, 10**7), st.data(), st.floats(1e-6, 0.9))
def test_limits_hold_the_estimate_stay_in_range_and_mirror(n, data, alpha):
    b = data.draw(st.integers(0, n))
    c = data.draw(st.integers(0, n - b))
    lower, upper = limits(b, c, n, alpha)
    assert -1 <= lower <= (b - c) / n <= upper <= 1
    mirrored = limits(c, b, n, alpha)
    assert (-mirrored[1], -mirrored[0]) == (lower, upper)
    assert lower < upper


def test_without_discordant_trials_the_limits_are_those_of_wilson_at_0():
    z = -ndtri(0.025)
    for n in (1, 44, 10**6):
        wilson = z * z / (n + z * z)
        assert limits(0, 0, n) == (pytest.approx(-wilson, rel=EXACT), pytest.approx(wilson))


# The intervals are (0.0309, 0.2181) and (−0.161, 0.161).
@pytest.mark.parametrize(
    ("counts", "margin", "expected"),
    [
        ((40, 20, 160), 0.22, "pass"),
        ((40, 20, 160), 0.03, "fail"),
        ((40, 20, 160), 0.1, "inconclusive"),
        ((0, 0, 20), 0.1, "inconclusive"),
    ],
)
def test_a_verdict_depends_on_where_the_whole_interval_lies(counts, margin, expected):
    assert AllowedRate(margin).verdict(*limits(*counts)) == expected


@pytest.mark.parametrize(
    ("b", "c", "n", "margin"), [(10, 5, 1000, 0.006), (0, 0, 10, 0.001), (30, 5, 100, 0.2)]
)
def test_the_number_of_trials_returned_concludes_and_one_less_does_not(b, c, n, margin):
    def concludes(trials):
        interval = limits(b * (trials / n), c * (trials / n), trials)
        return AllowedRate(margin).verdict(*interval) != "inconclusive"

    assert not concludes(n)
    needed = trials_to_conclude(b, c, n, margin)
    assert concludes(needed)
    assert not concludes(needed - 1)


def test_a_difference_on_the_margin_itself_is_concluded_by_no_number_of_trials():
    assert trials_to_conclude(10, 5, 1000, 0.005) is None


def test_mcnemar_is_the_binomial_test_of_the_discordant_trials():
    b, c = np.array([1, 6, 0, 5, 300, 0]), np.array([7, 16, 4, 5, 200, 0])
    expected = [
        binomtest(int(x), int(x + y)).pvalue if x + y else 1.0 for x, y in zip(b, c, strict=True)
    ]
    np.testing.assert_allclose(mcnemar_p(b, c), expected, rtol=1e-10)


def test_one_of_eight_discordant_trials_has_twice_nine_of_256_for_its_p_value():
    assert mcnemar_p(np.array([1, 7]), np.array([7, 1])).tolist() == pytest.approx([18 / 256] * 2)
