"""Limits in closed form held against other programs, or against their equation worked by hand."""

import numpy as np
import pytest

from tests.methods.one_outcome import limits

# Both sides are a few operations in double precision; statsmodels iterates to 1e-15 besides.
ROUNDING = 1e-13

# Python 3.11, statsmodels 0.15.0, SciPy 1.17.1
# >>> import numpy as np
# >>> from scipy import stats
# >>> from statsmodels.api import GLM, families
# >>> from statsmodels.stats.proportion import proportion_confint
# >>> def fitted(x, n, link, alpha):
# ...     family = families.Binomial(link=link)
# ...     fit = GLM(np.array([[x, n - x]]), np.ones((1, 1)), family=family).fit(tol=1e-15)
# ...     return [link.inverse(end) for end in fit.conf_int(alpha=alpha)[0]]
# >>> links = families.links
# >>> for x, n, alpha in [(4, 20, .05), (1, 30, .01), (990, 1000, .1)]:
# ...     print(proportion_confint(x, n, alpha, "agresti_coull"))
# ...     print(proportion_confint(x + 2, n + 4, alpha, "normal"))
# ...     print(fitted(x, n, links.Logit(), alpha), fitted(x + .5, n + 1, links.Logit(), alpha))
# ...     print(fitted(x, n, links.Probit(), alpha), fitted(x, n, links.LogLog(), alpha))
# ...     sample = np.repeat([1., 0.], [x, n - x])
# ...     print(stats.ttest_1samp(sample, 0).confidence_interval(1 - alpha))
# ...     wilson = stats.binomtest(x, n).proportion_ci(1 - alpha, "wilson")
# ...     print(stats.chi2.ppf(alpha, 2 * x) / 2 / n if x < 3 else wilson.low, wilson.high)
#
# The link that statsmodels names log-log is −log(−log p).
STATSMODELS = {
    "agresti_coull": [
        (0.07491151027670703, 0.42176358455498464),
        (0.0, 0.2550673260831378),
        (0.9831820446341679, 0.9941736769908669),
    ],
    "add_four": [
        (0.07676202195629023, 0.4232379780437098),
        (0.0, 0.2135321514612432),
        (0.9824065873396962, 0.9936890301901843),
    ],
    "logit": [
        (0.07713345467710013, 0.42784690151811794),
        (0.002504497327481002, 0.32138109793415565),
        (0.9832481206962174, 0.994046996771531),
    ],
    "rindskopf": [
        (0.08773390940862023, 0.4361154004168845),
        (0.005853248167689971, 0.30513522345835664),
        (0.9826479169559672, 0.9936764500123144),
    ],
    "probit": [
        (0.07108010459920765, 0.41470881215995453),
        (0.0014835266481600545, 0.24299577504648173),
        (0.9835033244733955, 0.9941411134495246),
    ],
    "cloglog": [
        (0.06237572325662974, 0.393143902056907),
        (0.000775839368828451, 0.19882913563730348),
        (0.9832346409565836, 0.9940435787069429),
    ],
    "wald_t": [
        (0.007930940219671667, 0.39206905978032836),
        (0.0, 0.1252128634556868),  # the t interval starts at -0.0585
        (0.9848171931271751, 0.9951828068728249),
    ],
    "wilson_modified": [
        (0.08065766257979806, 0.4160174322518936),
        (0.0003350111951167146, 0.23177571643817474),
        (0.9833430074776349, 0.9940127141473999),
    ],
}
OUTCOMES = [(4, 20, 0.05), (1, 30, 0.01), (990, 1000, 0.1)]


@pytest.mark.parametrize("name", STATSMODELS)
def test_limits_agree_with_statsmodels_and_scipy(name):
    for outcome, expected in zip(OUTCOMES, STATSMODELS[name], strict=True):
        assert limits(name, *outcome) == pytest.approx(expected, rel=0, abs=ROUNDING)


# Python 3.11, SciPy 1.17.1
# >>> from scipy.stats import beta, binomtest, chi2
# >>> chi2.ppf(.05, 6) / 2 / 51, binomtest(3, 51).proportion_ci(.95, "wilson").high
# >>> binomtest(199, 200).proportion_ci(.95, "wilson").low, 1 - chi2.ppf(.05, 2) / 2 / 200
# >>> binomtest(0, 7).proportion_ci(.95, "exact").high, beta.isf(.025, 1.5, 6.5)
# >>> beta.ppf(.005, 19.5, 1.5), binomtest(30, 30).proportion_ci(.9, "exact").low
# >>> beta.interval(.95, 8.5, 12.5)
SCIPY = [
    ("wilson_modified", 3, 51, 0.05, (0.01603316563066575, 0.15924626048800422)),
    ("wilson_modified", 199, 200, 0.05, (0.972226295602107, 0.9997435335280622)),
    ("jeffreys_modified", 0, 7, 0.05, (0.0, 0.4096163972250487)),
    ("jeffreys_modified", 1, 7, 0.05, (0.0, 0.5007974616190776)),
    ("jeffreys_modified", 19, 20, 0.01, (0.7224035374737598, 1.0)),
    ("jeffreys_modified", 30, 30, 0.1, (0.9049661471446958, 1.0)),
]


@pytest.mark.parametrize(("name", "x", "n", "alpha", "expected"), SCIPY)
def test_modified_limits_agree_with_scipys_quantiles(name, x, n, alpha, expected):
    assert limits(name, x, n, alpha) == pytest.approx(expected, rel=0, abs=ROUNDING)


# Python 3.11
# >>> from math import log, sqrt
# >>> from statistics import NormalDist
# >>> .3 - 1 / (2 * sqrt(100 * .05)), .3 + 1 / (2 * sqrt(100 * .05))
# >>> [.3 + sign * sqrt(log(2 / .05) / 200) for sign in (-1, 1)], .3 + sqrt(log(1 / .05) / 200)
# >>> def corrected(x, n, z):
# ...     eta, variance = z*z/3 + 1/6, x/n * (1 - x/n)
# ...     gamma = -(13*z*z/18 + 17/18) * variance + z*z/18 + 7/36
# ...     centre, delta = (x + eta) / (n + 2*eta), z * sqrt(variance + gamma/n) / sqrt(n)
# ...     return centre - delta, centre + delta
# >>> corrected(0, 10, NormalDist().inv_cdf(.975)), corrected(3, 17, NormalDist().inv_cdf(.95))
BY_HAND = [
    ("chebyshev", 30, 100, "two-sided", (0.07639320225002103, 0.523606797749979)),
    ("hoeffding", 30, 100, "two-sided", (0.16418984842593803, 0.43581015157406194)),
    ("hoeffding", 30, 100, "upper", (0.0, 0.4223873415340408)),
    ("second_order", 0, 10, "two-sided", (0.0, 0.2374027364603989)),
    ("second_order", 3, 17, "lower", (0.06288912153075638, 1.0)),
    ("second_order", 3, 17, "upper", (0.0, 0.36230901044726926)),
]


@pytest.mark.parametrize(("name", "x", "n", "side", "expected"), BY_HAND)
def test_limits_agree_with_their_equation(name, x, n, side, expected):
    assert limits(name, x, n, 0.05, side) == pytest.approx(expected, rel=0, abs=ROUNDING)


# R package binom, "bayes" (in the tests of statsmodels, results_proportion.py): the shortest
# interval. At 0 and 30 of 30 it is the one-sided one.
BINOM_BAYES = [
    (1, 30, ("6.903016e-05", "0.1231438")),
    (29, 30, ("0.8768562", "0.999931")),
    (0, 30, ("0", "0.06151672")),
    (30, 30, ("0.9384833", "1")),
]


@pytest.mark.parametrize(("x", "n", "printed"), BINOM_BAYES)
def test_the_shortest_jeffreys_interval_is_the_one_of_rs_binom(x, n, printed):
    found = limits("jeffreys_minimal_length", x, n, 0.05)
    for ours, text in zip(found, printed, strict=True):
        # R's binom finds it by iterating to about seven digits.
        assert ours == pytest.approx(float(text), rel=1e-6, abs=0)


# R package contingencytables, test-ch2.R, AgrestiCoull_CI_1x2: adds four at every alpha.
def test_add_four_is_the_agresti_coull_interval_of_contingencytables():
    found = limits("add_four", 19, 20, 0.15)
    assert found == pytest.approx((0.7778, 0.9722), rel=0, abs=5e-5)


def test_transforms_have_the_exact_limits_at_the_ends():
    for name in ("logit", "probit", "cloglog"):
        for x, n in ((0, 1), (1, 1), (0, 30), (30, 30), (10**6, 10**6)):
            for alpha in (1e-10, 0.05, 0.9):
                exact = limits("clopper_pearson", x, n, alpha)
                assert limits(name, x, n, alpha) == pytest.approx(exact, rel=ROUNDING)


def test_a_negative_radicand_leaves_the_whole_range():
    # z = 6.5, γ₁ = −31 and γ₂ = 2.5: V + (γ₁V + γ₂)/n is −0.28 at 5 of 10.
    assert limits("second_order", 5, 10, 1e-10) == (0.0, 1.0)
    assert limits("second_order", 5, 10, 1e-10, "lower") == (0.0, 1.0)


def test_one_observation_has_no_t_interval():
    for x in (0, 1):
        assert limits("wald_t", x, 1, 0.05) == (0.0, 1.0)


@pytest.mark.parametrize("alpha", [0.05, 0.3, 0.5, 0.9])
def test_modified_wilson_is_never_shorter_than_wilson(alpha):
    for n in (1, 2, 3, 10, 50, 51, 200):
        for x in range(n + 1):
            lower, upper = limits("wilson_modified", x, n, alpha)
            inner_lower, inner_upper = limits("wilson", x, n, alpha)
            assert lower <= inner_lower < inner_upper <= upper
            changed = 0 < min(x, n - x) <= (3 if n > 50 else 2)
            if alpha == 0.05 and not changed and 0 < x < n:
                assert (lower, upper) == (inner_lower, inner_upper)


def test_log_log_limits_for_failures_are_the_complementary_ones():
    # log(−log(1 − p)) of x is log(−log q) of n − x.
    x, n, z = 4, 20, 1.959963984540054
    p = x / n
    link = np.log(-np.log1p(-p))
    delta = z * np.sqrt(p / (1 - p) / n) / -np.log1p(-p)
    expected = [-np.expm1(-np.exp(link + sign * delta)) for sign in (-1, 1)]
    lower, upper = limits("cloglog", n - x, n, 0.05)
    assert (1 - upper, 1 - lower) == pytest.approx(expected, rel=0, abs=ROUNDING)
