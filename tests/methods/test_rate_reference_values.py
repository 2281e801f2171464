"""Limits of a rate held against numbers that other programs and papers print."""

import json

import numpy as np
import pytest

from harness.distributions.posteriors.gamma import Gamma
from tests.methods.one_outcome import DATA
from tests.methods.one_rate import limits
from tests.methods.test_reference_values import CONVERGENCE_OF_OTHERS, last_digit

PUBLISHED = json.loads((DATA / "published_rate.json").read_text())


@pytest.mark.parametrize(
    "row", PUBLISHED, ids=lambda r: f"{r['method']}-{r['side']}-{r['x']}-{r['alpha']}"
)
def test_published_limits_hold_to_their_last_digit(row):
    prior = tuple(row["prior"]) if row["prior"] else None
    found = limits(row["method"], row["x"], row["exposure"], row["alpha"], row["side"], prior)
    for ours, printed in zip(found, (row["lower"], row["upper"]), strict=True):
        # Digits that were cut off instead of rounded leave a whole unit.
        unit = last_digit(printed) * (1.0 if row["cut"] else 0.5)
        assert abs(ours - float(printed)) <= unit + CONVERGENCE_OF_OTHERS
        if unit == 0:
            assert ours == float(printed)


CASES = ((3, 17.0, 0.05), (0, 12.0, 0.1), (450, 1000.0, 0.05), (40, 2.5, 0.001))
# Python 3.11, statsmodels 0.15.0, SciPy 1.17.1
# >>> from statsmodels.stats.rates import confint_poisson
# >>> for method in ("wald", "score", "exact-c", "sqrt-a", "jeff"):
# ...     for x, exposure, alpha in CASES:
# ...         print(*confint_poisson(x, exposure, method=method, alpha=alpha))
STATSMODELS = {
    "wald": (
        (0.0, 0.3761621883663833),
        (0.0, 0.0),
        (0.40842288526950965, 0.49157711473049037),
        (7.675552661453045, 24.324447338546953),
    ),
    "score": (
        (0.06001592519790117, 0.518893417195871),
        (0.0, 0.22546195450795126),
        (0.4102992725547764, 0.4935421862659177),
        (9.564009234282016, 26.767017233983076),
    ),
    "garwood": (
        (0.036392477817388316, 0.5157219452789603),
        (0.0, 0.24964435612949928),
        (0.4093779895052444, 0.4935621939434702),
        (8.958209699049764, 26.155512912879214),
    ),
    "sqrt": (
        (0.021157702818061685, 0.4447675566141185),
        (0.0, 0.14030407378526574),
        (0.4093659297845003, 0.4925547996258467),
        (8.719379460529492, 25.44613377360305),
    ),
    "jeffreys_equal_tailed": (
        (0.049702034725804554, 0.47096365513615657),
        (0.0001638391666674801, 0.1600607841955887),
        (0.40985489319528995, 0.49303911011599183),
        (9.106552160786025, 25.904046661058658),
    ),
}
# Python 3.11, SciPy 1.17.1
# >>> from scipy.optimize import brentq
# >>> from scipy.stats import norm
# >>> for x, exposure, alpha in CASES:
# ...     z = norm.isf(alpha / 2)
# ...     lower = brentq(lambda m: x - m - 0.5 - z * m**0.5, 0, x, xtol=1e-14) if x else 0.0
# ...     upper = brentq(lambda m: m - x - 0.5 - z * m**0.5, x, x + 400, xtol=1e-14)
# ...     print(lower / exposure, upper / exposure)
# The standard library of Python 3.11, in 40 decimals
# >>> from decimal import Decimal, getcontext
# >>> from statistics import NormalDist
# >>> getcontext().prec = 40
# >>> def limit(y, z):
# ...     return y * (1 - 1 / (9 * y) + z / (3 * y.sqrt())) ** 3
# >>> for x, exposure, alpha in CASES:
# ...     z, e = Decimal(NormalDist().inv_cdf(alpha / 2)), Decimal(exposure)
# ...     print(float(limit(Decimal(x), z) / e) if x else 0.0, float(limit(Decimal(x + 1), -z) / e))
BY_DEFINITION = {
    "score_cc": (
        (0.04557608938767132, 0.5623582441689587),
        (0.0, 0.30306681132644414),
        (0.4098223527428642, 0.4940652536625279),
        (9.414509447103116, 27.017222681004746),
    ),
    "byar": (
        (0.03546897476295467, 0.5156096703968434),
        (0.0, 0.2473695810721235),
        (0.409377188298241, 0.4935628297002778),
        (8.944980384583857, 26.171466687460008),
    ),
}
# Normal quantiles and roots of the others are right to some units in the last place.
ROUNDING = 1e-13


@pytest.mark.parametrize("name", [*STATSMODELS, *BY_DEFINITION])
def test_limits_agree_with_a_second_implementation(name):
    expected = (STATSMODELS | BY_DEFINITION)[name]
    for (x, exposure, alpha), pair in zip(CASES, expected, strict=True):
        assert limits(name, x, exposure, alpha) == pytest.approx(pair, rel=ROUNDING, abs=1e-15)


# Python 3.11, SciPy 1.17.1
# >>> from scipy.stats import gamma
# >>> for x, exposure, a, b, alpha in [(3, 17, 1, 0, .05), (0, 12, 1, 0, .1),
# ...                                  (450, 1000, 2, 3, .05), (99997, 1e-3, .5, 0, .001)]:
# ...     posterior = gamma(x + a, scale=1 / (exposure + b))
# ...     print(posterior.ppf(alpha / 2), posterior.isf(alpha / 2))
SCIPY_GAMMA = [
    (3, 17.0, (1.0, 0.0), 0.05, (0.06410972786037204, 0.5157219452789603)),
    (0, 12.0, (1.0, 0.0), 0.1, (0.004274441198962544, 0.24964435612949926)),
    (450, 1000.0, (2.0, 3.0), 0.05, (0.41005551454568706, 0.49312893641760164)),
    (99997, 1e-3, (0.5, 0.0), 0.001, (98960231.8336664, 101041319.86695322)),
]


@pytest.mark.parametrize(("x", "exposure", "prior", "alpha", "expected"), SCIPY_GAMMA)
def test_balanced_tails_and_one_sided_limits_agree_with_scipy_gamma(
    x, exposure, prior, alpha, expected
):
    found = limits("balanced_tail", x, exposure, alpha, prior=prior)
    assert found == pytest.approx(expected, rel=ROUNDING)
    lower = limits("one_sided", x, exposure, alpha / 2, "lower", prior)
    upper = limits("one_sided", x, exposure, alpha / 2, "upper", prior)
    assert (lower[0], upper[1]) == pytest.approx(expected, rel=ROUNDING)
    assert (upper[0], lower[1]) == (0, np.inf)


# Python 3.11, SciPy 1.17.1
# >>> from scipy.optimize import brentq, minimize_scalar
# >>> from scipy.stats import gamma
# >>> for x, alpha in [(1, .05), (10, .05), (50, .01)]:
# ...     g = gamma(x + 1)
# ...     length = lambda tail: g.isf(alpha - tail) - g.ppf(tail)
# ...     tail = minimize_scalar(length, bounds=(0, alpha), method="bounded",
# ...                            options={"xatol": 1e-12}).x
# ...     d = brentq(lambda d: g.cdf(x - d) + g.sf(x + d) - alpha, 0, 9 * x + 9, xtol=1e-14)
# ...     print(g.ppf(tail), g.isf(alpha - tail), max(x - d, 0), x + d)
SCIPY_SEARCH = [
    (1, 0.05, (0.042363334782419174, 4.7651682487415385), (0, 4.743864518390579)),
    (10, 0.05, (4.978931199636026, 17.613350199307256), (3.0243599947574378, 16.97564000524256)),
    (50, 0.01, (33.904035671770266, 70.5273908239281), (30.760022625759635, 69.23997737424037)),
]
# A minimum is found to the square root of the accuracy of its function.
SEARCH = 1e-6


@pytest.mark.parametrize(("x", "alpha", "shortest", "centred"), SCIPY_SEARCH)
def test_searches_for_the_shortest_and_the_centred_interval_find_the_same(
    x, alpha, shortest, centred
):
    assert limits("minimal_length", x, 1, alpha) == pytest.approx(shortest, rel=SEARCH)
    assert limits("balanced_width", x, 1, alpha) == pytest.approx(centred, rel=ROUNDING)


def test_jeffreys_equal_tailed_is_balanced_tail_under_its_prior_also_at_zero():
    for x in (0, 8, 1000):
        found = limits("jeffreys_equal_tailed", x, 17, 0.05)
        assert found == limits("balanced_tail", x, 17, 0.05, prior=(0.5, 0.0))
        assert 0 < found[0] < found[1]


@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_jeffreys_moves_the_lower_limit_at_zero_and_no_other(side):
    for x in (0, 1, 8, 1000):
        lower, upper = limits("jeffreys_equal_tailed", x, 17, 0.05, side)
        assert limits("jeffreys", x, 17, 0.05, side) == (0.0 if x == 0 else lower, upper)


def test_ten_events_in_an_exposure_of_fifty():
    lower, upper = limits("balanced_tail", 10, 50, 0.05)
    assert f"{10 / 50:.4f} {lower:.4f} {upper:.4f}" == "0.2000 0.1098 0.3678"


def length(name, x, alpha=0.05):
    lower, upper = limits(name, x, 1, alpha)
    return upper - lower


def test_minimal_length_saves_fifteen_per_cent_at_one_event_and_three_at_fifty():
    # Ross (2003), section 7: about 15 % and 3 % shorter than the exact tails.
    saved = [1 - length("minimal_length", x) / length("garwood", x) for x in (1, 50)]
    assert saved == pytest.approx([0.1485, 0.0342], abs=1e-4)


def test_minimal_length_is_the_shortest_of_the_posterior_intervals():
    for x in (0, 1, 10, 1000):
        for other in ("balanced_tail", "balanced_width"):
            assert length("minimal_length", x) <= length(other, x)


def test_half_of_alpha_is_missing_from_the_exact_tails_at_one_event():
    # Ross (2003), section 7: their alpha error under the flat prior is about half of alpha.
    lower, upper = limits("garwood", 1, 1, 0.05)
    posterior = Gamma.given(np.array([1.0]), np.array([1.0]), (1.0, 0.0))
    alpha_error = 0.05 - (posterior.cdf(lower) + posterior.sf(upper))[0]
    assert alpha_error / 0.05 == pytest.approx(0.4937, abs=1e-4)
