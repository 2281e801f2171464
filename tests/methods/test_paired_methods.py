"""What every method for pairs has: an interval in every table, symmetries, what it depends on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.methods.method import LOWER, TWO_SIDED, UPPER
from tests.methods.paired_tables import (
    BOUNDARY,
    DIFFERENCES,
    LARGE,
    RATIOS,
    TABLES,
    TAILS,
    columns,
    random_tables,
)

PRIOR = (1.0, 1.0)
# Ends of two computations of one limit apart, in units of the last place.
ROUNDING = 4 * 2.0**-52


def limits(method, tables, alpha, side=TWO_SIDED):
    return method.formula(columns(tables), alpha, side, PRIOR)


def swapped(table):
    both, first_only, second_only, neither = table
    return both, second_only, first_only, neither


# Many tables in each of a few examples: a formula takes hardly longer for them.
examples = settings(max_examples=15)
SEVERAL = st.lists(TABLES, min_size=1, max_size=30)


@pytest.mark.parametrize("name", DIFFERENCES)
@examples
@given(SEVERAL, TAILS)
def test_limits_of_a_difference_are_in_order_and_negated_by_swapping(name, tables, tail):
    lower, upper = limits(DIFFERENCES[name], tables, 2 * tail)
    assert ((lower >= -1) & (lower <= upper) & (upper <= 1)).all()
    other_lower, other_upper = limits(DIFFERENCES[name], list(map(swapped, tables)), 2 * tail)
    np.testing.assert_array_equal(lower, -other_upper)
    np.testing.assert_array_equal(upper, -other_lower)


@pytest.mark.parametrize("name", RATIOS)
@examples
@given(SEVERAL, TAILS)
def test_limits_of_a_ratio_are_in_order_and_inverted_by_swapping(name, tables, tail):
    lower, upper = limits(RATIOS[name], tables, 2 * tail)
    assert ((lower >= 0) & (lower <= upper) & (lower < np.inf)).all()
    other_lower, other_upper = limits(RATIOS[name], list(map(swapped, tables)), 2 * tail)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(lower, 1 / other_upper, rtol=ROUNDING)
        np.testing.assert_allclose(upper, 1 / other_lower, rtol=ROUNDING)
    both, first_only, second_only, _ = columns(tables)
    assert (lower[both + first_only == 0] == 0).all()
    assert (upper[both + second_only == 0] == np.inf).all()


@pytest.mark.parametrize("method", [*DIFFERENCES.values(), *RATIOS.values()])
def test_every_table_has_an_interval_at_every_tail_and_on_every_side(method):
    tables = [*BOUNDARY, *LARGE, *random_tables(20)]
    cases = [(alpha, TWO_SIDED) for alpha in (1e-100, 0.05, 0.3173, 0.999999)]
    for alpha, side in [*cases, (0.5, LOWER), (0.5, UPPER), (0.9, LOWER), (0.9, UPPER)]:
        lower, upper = limits(method, tables, alpha, side)
        assert (lower <= upper).all()


@pytest.mark.parametrize("method", [*DIFFERENCES.values(), *RATIOS.values()])
def test_one_sided_limits_are_nested_in_the_tail(method):
    tails = np.array([1e-12, 1e-3, 0.05, 0.158, 0.16, 0.3, 0.49, 0.5, 0.51, 0.7, 0.95, 0.999])
    if "Jeffreys" in method.title:
        # Next to ½ a Jeffreys limit is close to an estimate or beyond it; from there on a larger
        # tail may move a limit that is joined by a correlation either way.
        tails = tails[np.abs(tails - 0.5) > 0.1]
    tables = [*BOUNDARY, *random_tables(100)]
    below = np.array([limits(method, tables, tail, LOWER)[0] for tail in tails])
    above = np.array([limits(method, tables, tail, UPPER)[1] for tail in tails])
    room = 1e-14
    with np.errstate(invalid="ignore"):
        assert not (np.diff(below, axis=0) < -room).any()
        assert not (np.diff(above, axis=0) > room).any()


@pytest.mark.parametrize("method", [*DIFFERENCES.values(), *RATIOS.values()])
def test_a_two_sided_interval_is_made_of_two_one_sided_ones(method):
    tables = [*BOUNDARY, *random_tables(50)]
    lower, upper = limits(method, tables, 0.1)
    np.testing.assert_array_equal(limits(method, tables, 0.05, LOWER)[0], lower)
    np.testing.assert_array_equal(limits(method, tables, 0.05, UPPER)[1], upper)


@pytest.mark.parametrize("name", ["tang", "bonett_price"])
def test_pairs_right_in_neither_have_no_influence_on_some_ratios(name):
    tables = [*BOUNDARY, *random_tables(100)]
    without = [(a, b, c, 0) for a, b, c, _ in tables]
    np.testing.assert_array_equal(
        limits(RATIOS[name], tables, 0.05), limits(RATIOS[name], without, 0.05)
    )
