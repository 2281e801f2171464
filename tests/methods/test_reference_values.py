"""Limits held against numbers that other programs and papers print."""

import json

import numpy as np
import pytest

from harness.designs.one_sample.worst_case import worst_case
from harness.methods.catalogue import PROPORTION
from tests.methods.one_outcome import DATA, limits

# How far the other programs' own solutions lie from the true limits (R's binom at 1 of 30 is
# 3e-11 off, at 4 of 200 it is 5e-12); a row's ``error`` where a program solves less closely, as
# R's binom does by uniroot for the likelihood ratio.
CONVERGENCE_OF_OTHERS = 5e-11
PUBLISHED = json.loads((DATA / "published_proportion.json").read_text())


def last_digit(text):
    """One unit in the last place of a printed number; nothing for a limit at an end."""
    if text in ("0", "1"):
        return 0.0
    mantissa, _, power = text.partition("e")
    return 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))


@pytest.mark.parametrize(
    "row", PUBLISHED, ids=lambda r: f"{r['method']}-{r['side']}-{r['x']}/{r['n']}"
)
def test_published_limits_hold_to_their_last_digit(row):
    prior = tuple(row["prior"]) if row["prior"] else None
    found = limits(row["method"], row["x"], row["n"], row["alpha"], row["side"], prior)
    error = row.get("error", CONVERGENCE_OF_OTHERS)
    for ours, printed in zip(found, (row["lower"], row["upper"]), strict=True):
        # Digits that were cut off instead of rounded leave a whole unit.
        unit = last_digit(printed) * (1.0 if row["cut"] else 0.5)
        assert abs(ours - float(printed)) <= unit + error
        if unit == 0:
            assert ours == float(printed)


# Python 3.11, SciPy 1.17.1
# >>> from scipy.stats import binomtest
# >>> for x, n, level in [(3, 17, .95), (0, 12, .9), (12, 12, .99), (450, 1000, .95),
# ...                     (99997, 100000, .999)]:
# ...     for alternative in ("two-sided", "less", "greater"):
# ...         test = binomtest(x, n, alternative=alternative)
# ...         print(*test.proportion_ci(level, method="exact"))
# ...         print(*test.proportion_ci(level, method="wilson"))
SCIPY = [
    (3, 17, 0.05, "two-sided", (0.03798506807045371, 0.4343178728442839)),
    (3, 17, 0.05, "two-sided", (0.061911266376209945, 0.4102945856883412)),
    (3, 17, 0.05, "upper", (0.0, 0.3956414334449019)),
    (3, 17, 0.05, "upper", (0.0, 0.3689669780690258)),
    (3, 17, 0.05, "lower", (0.04989815455742296, 1.0)),
    (3, 17, 0.05, "lower", (0.07281446654706444, 1.0)),
    (0, 12, 0.1, "two-sided", (0.0, 0.220922191945552)),
    (0, 12, 0.1, "two-sided", (0.0, 0.18398119474747693)),
    (0, 12, 0.1, "upper", (0.0, 0.17459581473209634)),
    (0, 12, 0.1, "upper", (0.0, 0.120387724685665)),
    (0, 12, 0.1, "lower", (0.0, 1.0)),
    (0, 12, 0.1, "lower", (0.0, 1.0)),
    (12, 12, 0.01, "two-sided", (0.643054083417572, 1.0)),
    (12, 12, 0.01, "two-sided", (0.643953130351278, 1.0)),
    (12, 12, 0.01, "upper", (0.0, 1.0)),
    (12, 12, 0.01, "upper", (0.0, 1.0)),
    (12, 12, 0.01, "lower", (0.6812920690579609, 1.0)),
    (12, 12, 0.01, "lower", (0.6891840544701353, 1.0)),
    (450, 1000, 0.05, "two-sided", (0.4188517096799507, 0.48144346662340654)),
    (450, 1000, 0.05, "two-sided", (0.41941538407429674, 0.48096729177425873)),
    (450, 1000, 0.05, "upper", (0.0, 0.4764614890702484)),
    (450, 1000, 0.05, "upper", (0.0, 0.47597738501448766)),
    (450, 1000, 0.05, "lower", (0.4237571651541148, 1.0)),
    (450, 1000, 0.05, "lower", (0.4242924393094884, 1.0)),
    (99997, 100000, 0.001, "two-sided", (0.9998606673855057, 0.9999985029476508)),
    (99997, 100000, 0.001, "two-sided", (0.9998372726824345, 0.999994469874045)),
    (99997, 100000, 0.001, "upper", (0.0, 0.9999980946489664)),
    (99997, 100000, 0.001, "upper", (0.0, 0.9999939788720263)),
    (99997, 100000, 0.001, "lower", (0.9998693841638038, 1.0)),
    (99997, 100000, 0.001, "lower", (0.9998505406185795, 1.0)),
]
# binomtest finds its exact limits by brentq, to an absolute 2e-12 and a relative 9e-16.
BRENTQ = 1e-11


@pytest.mark.parametrize(("offset", "name"), [(0, "clopper_pearson"), (1, "wilson")])
def test_limits_agree_with_scipy_binomtest(offset, name):
    for x, n, alpha, side, expected in SCIPY[offset::2]:
        assert limits(name, x, n, alpha, side) == pytest.approx(expected, rel=0, abs=BRENTQ)


# Python 3.11, SciPy 1.17.1
# >>> from scipy.stats import beta
# >>> for x, n, s, t, level in [(3, 17, .5, .5, .95), (0, 12, 1, 1, .9), (12, 12, 2, 5, .99),
# ...                           (450, 1000, .1, .1, .95), (90, 100, 1, 1, .95)]:
# ...     print(*beta.interval(level, x + s, n - x + t))
SCIPY_BETA = [
    (3, 17, (0.5, 0.5), 0.05, (0.05234765705067391, 0.40012266262331386)),
    (0, 12, (1.0, 1.0), 0.1, (0.003937864227644453, 0.20581666518655062)),
    (12, 12, (2.0, 5.0), 0.01, (0.45075994258944013, 0.9345558417461635)),
    (450, 1000, (0.1, 0.1), 0.05, (0.4192952939193796, 0.48091406732515596)),
    (90, 100, (1.0, 1.0), 0.05, (0.825447173922881, 0.944362776164697)),
]
# 1 - level is not alpha to the last bit (1 - 0.95 is 0.05 + 4e-17), which moves a limit by less.
LEVEL_ROUNDING = 1e-14


@pytest.mark.parametrize(("x", "n", "prior", "alpha", "expected"), SCIPY_BETA)
def test_balanced_tails_agree_with_scipy_beta_interval(x, n, prior, alpha, expected):
    found = limits("balanced_tail", x, n, alpha, prior=prior)
    assert found == pytest.approx(expected, rel=LEVEL_ROUNDING)


def test_jeffreys_equal_tailed_is_balanced_tail_under_its_prior_also_at_the_ends():
    name = "jeffreys_equal_tailed"
    assert limits(name, 3, 17, 0.05) == pytest.approx(SCIPY_BETA[0][4], rel=LEVEL_ROUNDING)
    for x in (0, 8, 17):
        found = limits(name, x, 17, 0.05)
        assert found == limits("balanced_tail", x, 17, 0.05, prior=(0.5, 0.5))
        assert 0 < found[0] < found[1] < 1


@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
def test_jeffreys_moves_one_limit_at_each_end_and_no_other(side):
    for x in range(18):
        lower, upper = limits("jeffreys_equal_tailed", x, 17, 0.05, side)
        expected = (0.0 if x == 0 else lower, 1.0 if x == 17 else upper)
        assert limits("jeffreys", x, 17, 0.05, side) == expected


# Exact, by the worst case over (0, 1); Brown, Cai and DasGupta's is the first.
WORST_ALPHA = {
    "jeffreys": {5: 0.1076, 20: 0.1066, 100: 0.1199, 1000: 0.1023},
    "jeffreys_equal_tailed": dict.fromkeys((5, 20, 100, 1000), 1.0),
    "jeffreys_modified": {5: 0.0734, 20: 0.0822, 100: 0.0732, 1000: 0.0762},
}


@pytest.mark.parametrize("name", WORST_ALPHA)
def test_the_three_jeffreys_intervals_differ_in_their_worst_alpha(name):
    method = PROPORTION[name]
    for n, expected in WORST_ALPHA[name].items():
        found = method.limits((np.arange(n + 1.0), np.full(n + 1, float(n))), 0.05)
        assert worst_case(n, *found).alpha == pytest.approx(expected, rel=0, abs=5e-5)


def test_the_papers_example_90_of_100():
    # Ross (2003), the first example of section 4.
    lower, upper = limits("minimal_length", 90, 100, 0.05)
    assert (round(lower, 4), round(upper, 4)) == (0.8313, 0.9485)
