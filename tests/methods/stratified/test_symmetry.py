"""What exchanging samples, outcomes or strata does to limits, and what one stratum is."""

import numpy as np
import pytest

from harness.methods.catalogue import CATALOGUE
from tests.methods.stratified.outcomes import limits_of, random_outcomes

UNSTRATIFIED = CATALOGUE["proportion_difference"]
METHODS = CATALOGUE["stratified_difference"]

# What two ways to compute a limit may differ by.
ROUNDING = 1e-12
names = pytest.mark.parametrize("name", METHODS)
tails = pytest.mark.parametrize("tail", [1e-8, 0.025, 0.45])
OUTCOMES = {
    "few cases": random_outcomes(1, 60, 3, 8.0),
    "two strata": random_outcomes(2, 40, 2, 1e6),
    "five strata": random_outcomes(3, 60, 5, 200.0),
}
outcomes = pytest.mark.parametrize("data", OUTCOMES.values(), ids=OUTCOMES.keys())


def equal(found, expected):
    np.testing.assert_allclose(found, expected, rtol=0, atol=ROUNDING)


@names
@tails
@outcomes
def test_exchanging_the_samples_or_the_outcomes_negates_the_limits(name, data, tail):
    x1, n1, x2, n2 = data
    lower, upper = limits_of(name, data, tail)
    assert (lower >= -1).all()
    assert (upper <= 1).all()
    assert (lower <= upper).all()
    equal(limits_of(name, (x2, n2, x1, n1), tail), (-upper, -lower))
    equal(limits_of(name, (n1 - x1, n1, n2 - x2, n2), tail), (-upper, -lower))


@names
@tails
@outcomes
def test_the_order_of_strata_and_empty_ones_change_nothing(name, data, tail):
    wide = [np.pad(column, ((0, 0), (0, 2))) for column in data]
    order = np.random.default_rng(4).permuted(
        np.tile(np.arange(wide[0].shape[1]), (len(wide[0]), 1)), axis=1
    )
    other = tuple(np.take_along_axis(column, order, axis=1) for column in wide)
    equal(limits_of(name, other, tail), limits_of(name, data, tail))


PAIRS = {
    "miettinen_nurminen": "miettinen_nurminen",
    "scas": "scas",
    "mantel_haenszel": "wald",
    "newcombe": "newcombe",
}


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("tail", [1e-10, 0.001, 0.025, 0.2])
def test_one_stratum_has_the_limits_of_the_unstratified_method(name, tail):
    for largest in (5.0, 100.0, 1e6):
        data = random_outcomes(5, 200, 1, largest)
        flat = tuple(column[:, 0] for column in data)
        method = UNSTRATIFIED[PAIRS[name]]
        equal(
            limits_of(name, data, tail),
            method.formula(flat, 2 * tail, "two-sided", (1.0, 1.0)),
        )


@names
def test_a_one_sided_limit_above_one_half_is_the_other_one_of_the_rest(name):
    data, prior = random_outcomes(6, 50, 3, 30.0), (1.0, 1.0)
    lower, _ = METHODS[name].formula(data, 0.7, "lower", prior)
    _, upper = METHODS[name].formula(data, 1 - 0.7, "upper", prior)
    equal(lower, upper)


@names
def test_limits_are_nested_in_the_tail(name):
    data = random_outcomes(7, 100, 3, 40.0)
    narrow, middle, wide = (limits_of(name, data, tail) for tail in (0.2, 0.05, 0.005))
    for inner, outer in ((narrow, middle), (middle, wide)):
        assert (outer[0] <= inner[0] + ROUNDING).all()
        assert (inner[1] <= outer[1] + ROUNDING).all()
