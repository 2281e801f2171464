"""Limits for two samples held against numbers that other programs and papers print."""

import csv
import json
import math

import numpy as np
import pytest

from harness.methods.catalogue import CATALOGUE
from tests.methods.one_outcome import DATA

PUBLISHED = json.loads((DATA / "published_difference.json").read_text())
ROSS_ROWS = list(csv.DictReader((DATA / "ross_prop_diff_ci_56.csv").read_text().splitlines()))
# Half a unit of the six digits that the program of Ross (2003) prints.
ROSS_PRINTED = 5e-7
# MetidaFreq.jl finds its limits by an iteration, to about 1e-10.
CONVERGENCE_OF_OTHERS = {"mee": 2e-10}
ROUNDING = 1e-14


def limits(family, method, data, alpha, side="two-sided"):
    """Both limits of one outcome."""
    columns = tuple(np.array([float(value)]) for value in data)
    lower, upper = CATALOGUE[family][method].limits(columns, alpha, side)
    return float(lower[0]), float(upper[0])


def half_a_unit(text):
    """Half a unit in the last place of a printed number."""
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


@pytest.mark.parametrize(
    "row", PUBLISHED, ids=lambda r: f"{r['family']}-{r['method']}-{r['data']}-{r['upper']}"
)
def test_published_limits_hold_to_their_last_digit(row):
    found = limits(row["family"], row["method"], row["data"], row["alpha"])
    allowed = ROUNDING + CONVERGENCE_OF_OTHERS.get(row["method"], 0.0)
    for ours, printed in zip(found, (row["lower"], row["upper"]), strict=True):
        # A limit beyond the range, which its source leaves out, is clipped here.
        if printed is None:
            assert ours == 1
        else:
            assert abs(ours - float(printed)) <= half_a_unit(printed) + allowed


def test_every_row_of_ross_is_compared():
    assert [row["Method"] for row in ROSS_ROWS].count("5") == 94
    assert [row["Method"] for row in ROSS_ROWS].count("6") == 95


@pytest.mark.parametrize(("number", "method"), [("5", "fagan"), ("6", "rss_normal")])
def test_limits_agree_with_ross_to_print_rounding(number, method):
    for row in ROSS_ROWS:
        if row["Method"] == number:
            data = (row["x1"], row["n1"], row["x2"], row["n2"])
            found = limits("proportion_difference", method, data, float(row["Desired alpha"]))
            printed = float(row["Lower CI Bound"]), float(row["Upper CI Bound"])
            assert found == pytest.approx(printed, rel=0, abs=ROSS_PRINTED), row


def test_the_papers_example_5_of_12_against_36_of_112():
    # Ross (2003), section 6: "the method 5 interval is -0.1878 to 0.4151".
    lower, upper = limits("proportion_difference", "fagan", (5, 12, 36, 112), 0.05)
    assert (round(lower, 4), round(upper, 4)) == (-0.1878, 0.4151)


# Python 3.11, statsmodels 0.15.0
# >>> from statsmodels.stats.proportion import confint_proportions_2indep
# >>> for data in [(7, 34, 1, 34), (0, 15, 3, 20), (990, 1000, 940, 980)]:
# ...     for method in ("wald", "agresti-caffo", "newcomb"):
# ...         for alpha in (.05, .001):
# ...             confint_proportions_2indep(*data, method=method, compare="diff", alpha=alpha)
STATSMODELS_PROPORTIONS = [
    ("wald", (7, 34, 1, 34), 0.05, (0.029169416110856966, 0.3237717603597312)),
    ("wald", (7, 34, 1, 34), 0.001, (-0.07082908067637392, 0.42377025714696215)),
    ("agresti_caffo", (7, 34, 1, 34), 0.05, (0.011611670142613911, 0.3217216631907194)),
    ("agresti_caffo", (7, 34, 1, 34), 0.001, (-0.09365067331420554, 0.4269840066475389)),
    ("newcombe", (7, 34, 1, 34), 0.05, (0.018921443885772937, 0.3403686870327074)),
    ("newcombe", (7, 34, 1, 34), 0.001, (-0.11393255229634236, 0.4598479384001398)),
    ("wald", (0, 15, 3, 20), 0.05, (-0.3064905747383051, 0.006490574738305138)),
    ("wald", (0, 15, 3, 20), 0.001, (-0.41272749063996883, 0.11272749063996881)),
    ("agresti_caffo", (0, 15, 3, 20), 0.05, (-0.31917225588800063, 0.07318295107516641)),
    ("agresti_caffo", (0, 15, 3, 20), 0.001, (-0.45235154542486417, 0.20636224061202996)),
    ("newcombe", (0, 15, 3, 20), 0.05, (-0.36041886474075696, 0.0760536711030193)),
    ("newcombe", (0, 15, 3, 20), 0.001, (-0.5176624638612417, 0.286560821205623)),
    ("wald", (990, 1000, 940, 980), 0.05, (0.016978183950780087, 0.044654469110444475)),
    ("wald", (990, 1000, 940, 980), 0.001, (0.007583869999621632, 0.054048783061602934)),
    ("agresti_caffo", (990, 1000, 940, 980), 0.05, (0.016697510937759723, 0.04484945622770587)),
    ("agresti_caffo", (990, 1000, 940, 980), 0.001, (0.007141741047983173, 0.05440522611748242)),
    ("newcombe", (990, 1000, 940, 980), 0.05, (0.017268532793432413, 0.045812272843134376)),
    ("newcombe", (990, 1000, 940, 980), 0.001, (0.007427049721453166, 0.057864359479910976)),
]


@pytest.mark.parametrize(("method", "data", "alpha", "expected"), STATSMODELS_PROPORTIONS)
def test_closed_forms_agree_with_statsmodels(method, data, alpha, expected):
    found = limits("proportion_difference", method, data, alpha)
    assert found == pytest.approx(expected, rel=0, abs=ROUNDING)


# Python 3.11, statsmodels 0.15.0
# >>> from statsmodels.stats.rates import confint_poisson_2indep
# >>> for data in [(60, 51.4775, 30, 54.3087), (3, 10., 11, 25.), (400, 20., 380, 21.)]:
# ...     for alpha in (.05, .001):
# ...         for method in ("wald", "score", "mover"):
# ...             confint_poisson_2indep(*data, method=method, compare="diff", alpha=alpha)
STATSMODELS_RATES = [
    ("wald", (60, 51.4775, 30, 54.3087), 0.05, (0.2581223514639488, 0.9681978201711487)),
    ("wald", (60, 51.4775, 30, 54.3087), 0.001, (0.01709752303887857, 1.209222648596219)),
    ("score", (60, 51.4775, 30, 54.3087), 0.05, (0.2657964612006316, 0.989192202978115)),
    ("score", (60, 51.4775, 30, 54.3087), 0.001, (0.023988804643952602, 1.2788554179565415)),
    ("mover_score", (60, 51.4775, 30, 54.3087), 0.05, (0.26193641039269794, 0.9864127183950335)),
    ("mover_score", (60, 51.4775, 30, 54.3087), 0.001, (0.013242190731144299, 1.2724548316270825)),
    ("wald", (3, 10, 11, 25), 0.05, (-0.5676136572480356, 0.28761365724803556)),
    ("wald", (3, 10, 11, 25), 0.001, (-0.8579081763871658, 0.5779081763871657)),
    ("score", (3, 10, 11, 25), 0.05, (-0.5494872765694567, 0.46671211828977655)),
    ("score", (3, 10, 11, 25), 0.001, (-0.8997303886340646, 1.2051419016098173)),
    ("mover_score", (3, 10, 11, 25), 0.05, (-0.540337420091711, 0.47369029478151514)),
    ("mover_score", (3, 10, 11, 25), 0.001, (-0.8851723822579952, 1.2147849329897213)),
    ("wald", (400, 20, 380, 21), 0.05, (-0.7694780605018301, 4.579001870025641)),
    ("wald", (400, 20, 380, 21), 0.001, (-2.584942070175826, 6.394465879699636)),
    ("score", (400, 20, 380, 21), 0.05, (-0.7667936426597841, 4.594776255191155)),
    ("score", (400, 20, 380, 21), 0.001, (-2.589947363220113, 6.451269073411575)),
    ("mover_score", (400, 20, 380, 21), 0.05, (-0.7678884498578009, 4.593704638456474)),
    ("mover_score", (400, 20, 380, 21), 0.001, (-2.593010567378845, 6.44831321687091)),
]
# At its own score limits the squared statistic is up to 1.3e-8 from z², relatively.
SCORE_OF_STATSMODELS = 1e-8


@pytest.mark.parametrize(("method", "data", "alpha", "expected"), STATSMODELS_RATES)
def test_limits_for_rates_agree_with_statsmodels(method, data, alpha, expected):
    found = limits("rate_difference", method, data, alpha)
    allowed = SCORE_OF_STATSMODELS if method == "score" else ROUNDING
    assert found == pytest.approx(expected, rel=ROUNDING, abs=allowed)


# Python 3.11, SciPy 1.17.1
# >>> from math import sqrt
# >>> from scipy.stats import beta
# >>> def three(q, *shape):
# ...     return beta.ppf(q, *shape), beta.ppf(.5, *shape), beta.isf(q, *shape)
# >>> for x1, n1, x2, n2, q in [(7, 34, 1, 34, .025), (990, 1000, 940, 980, .0005)]:
# ...     (l1, m1, u1), (l2, m2, u2) = (
# ...         three(q, x + .5, n - x + .5) for x, n in ((x1, n1), (x2, n2)))
# ...     print(m1 - m2 - sqrt((m1 - l1)**2 + (u2 - m2)**2),
# ...           m1 - m2 + sqrt((u1 - m1)**2 + (m2 - l2)**2))
SCIPY_JEFFREYS = [
    ((7, 34, 1, 34), 0.05, (0.02779715256791826, 0.330975025808835)),
    ((990, 1000, 940, 980), 0.001, (0.008267120452072039, 0.056111999108409215)),
]


@pytest.mark.parametrize(("data", "alpha", "expected"), SCIPY_JEFFREYS)
def test_mover_jeffreys_agrees_with_scipys_beta_quantiles(data, alpha, expected):
    found = limits("proportion_difference", "mover_jeffreys", data, alpha)
    assert found == pytest.approx(expected, rel=0, abs=ROUNDING)


@pytest.mark.parametrize("of_one", ["proportion", "rate"])
def test_mover_jeffreys_takes_the_limits_of_jeffreys_equal_tailed_at_no_success_too(of_one):
    def term(x, size):
        median, _ = limits(of_one, "jeffreys_equal_tailed", (x, size), 0.5, "lower")
        lower, upper = limits(of_one, "jeffreys_equal_tailed", (x, size), 0.05)
        return median, lower, upper

    (m1, l1, u1), (m2, l2, u2) = term(5, 56), term(0, 29)
    assert l2 > 0
    expected = (m1 - m2 - math.hypot(m1 - l1, u2 - m2), m1 - m2 + math.hypot(u1 - m1, m2 - l2))
    found = limits(f"{of_one}_difference", "mover_jeffreys", (5, 56, 0, 29), 0.05)
    assert found == pytest.approx(expected, rel=0, abs=ROUNDING)


def test_one_sided_limits_are_the_two_sided_ones_at_twice_the_alpha():
    data = {"proportion_difference": (7, 34, 1, 34), "rate_difference": (7, 3.5, 1, 4.0)}
    data["balanced_accuracy"] = data["proportion_difference"]
    for family, outcome in data.items():
        for name, method in CATALOGUE[family].items():
            if len(method.sides) == 3:
                both = limits(family, name, outcome, 0.05)
                lower, _ = limits(family, name, outcome, 0.025, "lower")
                _, upper = limits(family, name, outcome, 0.025, "upper")
                assert (lower, upper) == pytest.approx(both, rel=1e-9), name
