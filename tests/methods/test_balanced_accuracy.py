"""Limits of a balanced accuracy held against hand computation and against differences."""

import numpy as np
import pytest

from harness.methods.catalogue import CATALOGUE

BALANCED = CATALOGUE["balanced_accuracy"]
DIFFERENCE = CATALOGUE["proportion_difference"]
# Quantiles of SciPy and ours, each right to a few units of 2^-53, and their sums.
ROUNDING = 1e-14
# 45 of 50 positives and 36 of 50 negatives are classified correctly.
CLASSES = (45.0, 50.0, 36.0, 50.0)


def limits(name, data, alpha, side="two-sided", catalogue=BALANCED):
    """Both limits of one outcome."""
    lower, upper = catalogue[name].limits(tuple(np.array([v]) for v in data), alpha, side)
    return float(lower[0]), float(upper[0])


# Python 3.11, SciPy 1.17.1
# >>> from math import sqrt
# >>> from scipy.stats import beta
# >>> (beta.ppf(.0125, 45, 6) + beta.ppf(.0125, 36, 15)) / 2
# >>> (beta.isf(.0125, 46, 5) + beta.isf(.0125, 37, 14)) / 2
# >>> (beta.ppf(.025, 45, 6) + beta.ppf(.025, 36, 15)) / 2
# >>> p, q = .9, .72
# >>> l1, u1, l2, u2 = (beta.ppf(.025, 45, 6), beta.isf(.025, 46, 5),
# ...                   beta.ppf(.025, 36, 15), beta.isf(.025, 37, 14))
# >>> (p + q - sqrt((p - l1)**2 + (q - l2)**2)) / 2, (p + q + sqrt((u1 - p)**2 + (u2 - q)**2)) / 2
def test_the_union_bound_agrees_with_scipys_beta_quantiles():
    both = limits("exact_union", CLASSES, 0.05)
    assert both == pytest.approx((0.6595097845393916, 0.9115518280834016), abs=ROUNDING)
    lower, _ = limits("exact_union", CLASSES, 0.05, "lower")
    assert lower == pytest.approx(0.6784796382748445, abs=ROUNDING)


def test_mover_agrees_with_scipys_beta_quantiles():
    found = limits("mover_clopper_pearson", CLASSES, 0.05)
    assert found == pytest.approx((0.7165206877238215, 0.8776443047149198), abs=ROUNDING)


@pytest.mark.parametrize(("ours", "theirs"), [("wald", "wald"), ("mover_wilson", "newcombe")])
@pytest.mark.parametrize("side", ["two-sided", "lower", "upper"])
@pytest.mark.parametrize("data", [CLASSES, (0.0, 7.0, 30.0, 31.0), (990.0, 1000.0, 940.0, 980.0)])
def test_a_mean_is_half_of_one_and_the_difference_from_the_failures(ours, theirs, side, data):
    x1, n1, x2, n2 = data
    failures = x1, n1, n2 - x2, n2
    for alpha in (1e-6, 0.05, 0.6):
        lower, upper = limits(theirs, failures, alpha, side, DIFFERENCE)
        expected = (1 + lower) / 2, (1 + upper) / 2
        assert limits(ours, data, alpha, side) == pytest.approx(expected, rel=0, abs=ROUNDING)


def test_an_exact_union_holds_what_mover_of_the_same_limits_holds():
    for data in (CLASSES, (0.0, 7.0, 30.0, 31.0), (7.0, 7.0, 2.0, 2.0)):
        for alpha in (1e-6, 0.05, 0.6):
            wide = limits("exact_union", data, alpha)
            narrow = limits("mover_clopper_pearson", data, alpha)
            assert wide[0] <= narrow[0] <= narrow[1] <= wide[1]


def test_a_faultless_classifier_has_an_interval_but_from_wald():
    faultless = (20.0, 20.0, 30.0, 30.0)
    assert limits("wald", faultless, 0.05) == (1.0, 1.0)
    for name in ("exact_union", "mover_wilson", "mover_clopper_pearson"):
        lower, upper = limits(name, faultless, 0.05)
        assert 0.5 < lower < upper == 1.0
