"""The methods from the posterior of Matthews' correlation and of Cohen's kappa.

Limits are compared with quantiles of four million draws of the cells by their own formula.
Coverages at 36 truths were computed apart, with limits before they are moved to the ends.
"""

from itertools import product

import numpy as np
import pytest
from scipy.stats import multinomial

import harness
from harness.distributions.posteriors.correlation import KAPPA, MCC, quantiles, shortest
from harness.families import metrics
from harness.families.confusion import cells_of_rates
from harness.methods.catalogue import CATALOGUE
from harness.methods.method import LOWER, UPPER

POSTERIORS = {"mcc": MCC, "kappa": KAPPA}
DRAWS = 4_000_000
TABLES = [
    (20, 5, 10, 165),
    (0, 0, 0, 20),
    (5, 0, 0, 45),
    (2, 2, 2, 2),
    (0, 10, 0, 40),
    (1, 5, 30, 2),
]


def mcc_of_draws(tp, fp, fn, tn):
    return (tp * tn - fp * fn) / np.sqrt((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn))


def kappa_of_draws(tp, fp, fn, tn):
    n = tp + fp + fn + tn
    chance = ((tp + fp) * (tp + fn) + (tn + fp) * (tn + fn)) / n**2
    return ((tp + tn) / n - chance) / (1 - chance)


DRAWN = {"mcc": mcc_of_draws, "kappa": kappa_of_draws}


def columns(*tables):
    return tuple(np.array(tables, dtype=np.float64).T)


def all_tables(n):
    return columns(
        *(
            (tp, fp, fn, n - tp - fp - fn)
            for tp in range(n + 1)
            for fp in range(n + 1 - tp)
            for fn in range(n + 1 - tp - fp)
        )
    )


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("family", POSTERIORS)
def test_limits_are_quantiles_of_draws_of_the_cells(family, table):
    rng = np.random.default_rng(2005)
    values = np.sort(DRAWN[family](*(rng.standard_gamma(k + 0.5, DRAWS) for k in table)))
    for probability in (0.025, 0.05, 0.95, 0.975):
        (limit,) = quantiles(POSTERIORS[family], columns(table), probability)
        # The standard error of the quantile is 2e-4 at most.
        assert limit == pytest.approx(np.quantile(values, probability), abs=1e-3)
    (low,), (high,) = shortest(POSTERIORS[family], columns(table), 0.05)
    mass = (np.searchsorted(values, high) - np.searchsorted(values, low)) / DRAWS
    assert mass == pytest.approx(0.95, abs=1e-3)
    count = round(0.95 * DRAWS)
    least = (values[count:] - values[:-count]).min()
    assert high - low == pytest.approx(least, abs=2e-3)


@pytest.mark.parametrize("family", POSTERIORS)
def test_the_four_images_of_a_table_have_the_same_limits(family):
    images = columns((7, 4, 1, 12), (7, 1, 4, 12), (12, 4, 1, 7), (12, 1, 4, 7))
    for name in ("jeffreys", "jeffreys_minimal_length"):
        lower, upper = CATALOGUE[family][name].limits(images, 0.05)
        assert np.unique(lower).size == np.unique(upper).size == 1


@pytest.mark.parametrize("name", ["jeffreys", "jeffreys_minimal_length"])
@pytest.mark.parametrize("family", POSTERIORS)
def test_a_limit_is_at_the_end_where_all_are_right_or_wrong_and_inside_elsewhere(family, name):
    tp, fp, fn, tn = data = all_tables(7)
    lower, upper = CATALOGUE[family][name].limits(data, 0.05)
    assert (upper[fp + fn == 0] == 1.0).all()
    assert (lower[tp + tn == 0] == -1.0).all()
    if name == "jeffreys":
        assert (upper[fp + fn > 0] < 1.0).all()
        assert (lower[tp + tn > 0] > -1.0).all()


@pytest.mark.parametrize("family", POSTERIORS)
def test_a_two_sided_interval_is_of_two_one_sided_limits(family):
    method, data = CATALOGUE[family]["jeffreys"], columns((20, 5, 10, 165), (3, 0, 0, 9))
    two = method.limits(data, 0.1)
    np.testing.assert_array_equal(two[0], method.limits(data, 0.05, LOWER)[0])
    np.testing.assert_array_equal(two[1], method.limits(data, 0.05, UPPER)[1])


def test_limits_of_mcc_rise_with_a_case_that_is_right_and_fall_with_one_that_is_wrong():
    tables = np.stack(all_tables(6), axis=1)
    method = CATALOGUE["mcc"]["jeffreys"]
    at = np.stack(method.limits(tuple(tables.T), 0.05))
    for cell, sign in enumerate((1, -1, -1, 1)):
        more = np.stack(method.limits(tuple((tables + np.eye(4)[cell]).T), 0.05))
        # Limits are accurate to 1e-3.
        assert (sign * (more - at) > -1e-3).all()


EXPECTED = {"mcc": (0.9425, 0.878, 0.434), "kappa": (0.942, 0.878, 0.455)}


@pytest.mark.parametrize("family", POSTERIORS)
def test_equal_tails_cover_36_truths_as_computed_apart(family):
    tables = all_tables(50)
    lower, upper = (quantiles(POSTERIORS[family], tables, each) for each in (0.025, 0.975))
    covered, lengths = [], []
    for rates in product((0.05, 0.2, 0.5), (0.5, 0.8, 0.95, 0.999), (0.9, 0.99, 0.999)):
        cells = cells_of_rates(*rates)
        chance = multinomial.pmf(np.stack(tables, axis=1), 50, cells)
        truth = getattr(metrics, family)([np.array(cell) for cell in cells])
        covered.append(chance[(lower <= truth) & (truth <= upper)].sum())
        lengths.append(chance @ (upper - lower))
    found = np.mean(covered), np.min(covered), np.mean(lengths)
    np.testing.assert_allclose(found, EXPECTED[family], atol=1.5e-3)


@pytest.mark.parametrize("family", ["mcc", "kappa", "informedness"])
def test_a_thousand_cases_that_are_all_right_have_a_short_default_interval(family):
    found = harness.interval(family, tp=500, fp=0, fn=0, tn=500)
    assert found.upper == 1.0
    assert 0.98 < found.lower < 1.0


def test_classes_that_do_not_overlap_have_a_short_default_interval_of_the_area():
    positives, negatives = np.arange(500.0) + 500.0, np.arange(500.0)
    found = harness.interval("auc", positives=positives, negatives=negatives)
    assert found.upper == 1.0
    assert 0.98 < found.lower < 1.0


def test_an_informedness_by_wilson_limits_is_the_difference_of_two_proportions():
    tables = columns((20, 5, 10, 165), (3, 0, 0, 9), (0, 4, 2, 1))
    tp, fp, fn, tn = tables
    for side in ("two-sided", "lower", "upper"):
        found = CATALOGUE["informedness"]["mover_wilson"].limits(tables, 0.05, side)
        samples = (tp, tp + fn, fp, fp + tn)
        expected = CATALOGUE["proportion_difference"]["newcombe"].limits(samples, 0.05, side)
        np.testing.assert_allclose(found, expected, atol=1e-15)


def test_an_informedness_without_a_class_has_the_limits_of_the_other_one():
    method, wilson = CATALOGUE["informedness"]["mover_wilson"], CATALOGUE["proportion"]["wilson"]
    low, high = wilson.limits(columns((9, 12)), 0.05)
    np.testing.assert_allclose(method.limits(columns((9, 0, 3, 0)), 0.05), (low - 1, high))
    np.testing.assert_allclose(method.limits(columns((0, 9, 0, 3)), 0.05), (-high, 1 - low))
