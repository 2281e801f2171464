"""The contract of methods for pairs, by predicates that are not those of ``harness check``."""

import itertools
import pickle
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import harness
from harness.distributions.paired_truths import CELLS
from harness.families.catalogue import family_of
from harness.families.paired import PAIRS
from harness.methods.catalogue import CATALOGUE
from harness.methods.method import LOWER, TWO_SIDED, UPPER

CASES = [
    (family, name)
    for family, methods in CATALOGUE.items()
    if family_of(family).design == PAIRS
    for name in methods
]
catalogue = pytest.mark.parametrize(("family", "name"), CASES)
MIRROR = {TWO_SIDED: TWO_SIDED, LOWER: UPPER, UPPER: LOWER}
ALPHAS = (1e-10, 1e-3, 0.05, 0.5, 0.9)
SLOW_ALPHAS = (1e-10, 0.05)
ROUNDING = 2.0**-50
"""What solving a mirrored problem rounds elsewhere: a few units of 2^-53 of 1."""
SOLVED = 1e-9
"""What is solved by quadrature is good to some 1e-11 of the mass, whichever way round it is."""


def tables_of(n):
    """All tables of n pairs, four columns."""
    rows = [
        (a, b, c, n - a - b - c)
        for a, b, c in itertools.product(range(n + 1), repeat=3)
        if a + b + c <= n
    ]
    return tuple(np.array(rows, float).T)


LARGE = tuple(
    np.array(column, float)
    for column in zip(
        (0, 0, 0, 10**9),
        (10**9, 0, 0, 0),
        (0, 10**9, 0, 0),
        (0, 10**6, 10**6, 10**8),
        (400_000, 1, 0, 599_999),
        (0, 3, 997, 0),
        (83, 10, 5, 2),
        strict=True,
    )
)
DATA = tuple(map(np.concatenate, zip(tables_of(1), tables_of(2), tables_of(5), LARGE, strict=True)))


def is_solved(family, name):
    return CATALOGUE[family][name].promise == "mean"


def alphas(family, name):
    return SLOW_ALPHAS if is_solved(family, name) else ALPHAS


def within(family, name):
    return SOLVED if is_solved(family, name) else ROUNDING


def some(family, name, data=DATA):
    """All of the tables, or a few where each takes a thousand times as long."""
    return tuple(column[:: 7 if is_solved(family, name) else 1] for column in data)


@cache
def limits_of_some(family, name, side, alpha):
    """Computed once for all properties, none of which writes to them."""
    return CATALOGUE[family][name].limits(some(family, name), alpha, side)


def over(family, name, data=None):
    method = CATALOGUE[family][name]
    for side in method.sides:
        for alpha in alphas(family, name):
            found = (
                limits_of_some(family, name, side, alpha)
                if data is None
                else method.limits(data, alpha, side)
            )
            yield side, alpha, *found


def scaled(family, values):
    """Differences as they are, of ratios the logarithm."""
    with np.errstate(divide="ignore"):
        return np.log(values) if family_of(family).is_ratio else values


def at_most(first, second, tolerance):
    """first ≤ second but for rounding, infinite ones included."""
    with np.errstate(invalid="ignore"):
        return (first <= second) | np.isclose(first, second, rtol=tolerance, atol=tolerance)


@catalogue
def test_limits_are_ordered_and_in_range_and_open_sides_reach_the_end(family, name):
    low, high = family_of(family).support
    for side, _, lower, upper in over(family, name):
        assert not np.isnan([lower, upper]).any()
        assert ((low <= lower) & (lower <= upper) & (upper <= high)).all()
        assert side != LOWER or (upper == high).all()
        assert side != UPPER or (lower == low).all()
        # Above alpha = 1/2 a lower limit lies above the estimate, which may be infinite.
        assert np.isfinite(lower).all() or (side == LOWER and high == np.inf)


@catalogue
def test_intervals_are_nested_in_alpha(family, name):
    exceptions, tolerance = CATALOGUE[family][name].exceptions, within(family, name)
    if "is nested in alpha" in exceptions:
        return
    found = list(over(family, name))
    for first, second in itertools.pairwise(found):
        if first[0] == second[0]:
            assert at_most(first[2], second[2], tolerance).all()
            assert at_most(second[3], first[3], tolerance).all()


@catalogue
def test_first_and_second_in_each_others_place_mirror_the_limits(family, name):
    both, first, second, neither = some(family, name)
    swapped = (both, second, first, neither)
    method = CATALOGUE[family][name]
    for side, alpha, lower, upper in over(family, name):
        low, high = method.limits(swapped, alpha, MIRROR[side])
        mirrored = [-scaled(family, high), -scaled(family, low)]
        for found, other in zip((lower, upper), mirrored, strict=True):
            tolerance = {"rtol": within(family, name), "atol": within(family, name)}
            np.testing.assert_allclose(scaled(family, found), other, **tolerance)


@catalogue
def test_a_pair_that_moves_from_second_only_to_first_only_lowers_no_limit(family, name):
    if "is monotone" in CATALOGUE[family][name].exceptions:
        return
    data = tables_of(2 if is_solved(family, name) else 6)
    here = np.flatnonzero(data[2] > 0)
    places = {row: place for place, row in enumerate(zip(*data, strict=True))}
    rows = zip(*(column[here] for column in data), strict=True)
    there = [places[a, b + 1, c - 1, d] for a, b, c, d in rows]
    for *_, lower, upper in over(family, name, data):
        for limit in (lower, upper):
            assert at_most(limit[here], limit[there], within(family, name)).all()


@catalogue
def test_two_sided_intervals_have_width_and_hold_the_estimate(family, name):
    exceptions = CATALOGUE[family][name].exceptions
    estimate = family_of(family).estimate(some(family, name))
    known = ~np.isnan(estimate)
    for side, _, lower, upper in over(family, name):
        if side != TWO_SIDED:
            continue
        assert "has width" in exceptions or (lower < upper).all()
        if "holds the estimate" not in exceptions:
            tolerance = within(family, name)
            assert at_most(lower[known], estimate[known], tolerance).all()
            assert at_most(estimate[known], upper[known], tolerance).all()


@catalogue
def test_limits_depend_on_both_only_where_the_method_says_so(family, name):
    method = CATALOGUE[family][name]
    n = 3 if is_solved(family, name) else 9
    data = tables_of(n)
    (index,) = np.nonzero(data[0] == 0)
    alone = tuple(column[index] for column in data)
    depends = False
    for alpha in (0.01, 0.3):
        without = method.limits(alone, alpha, method.sides[0])
        known = {row[1:3]: place for place, row in enumerate(zip(*alone, strict=True))}
        place = [known[b, c] for b, c in zip(data[1], data[2], strict=True)]
        limits = method.limits(data, alpha, method.sides[0])
        for found, expected in zip(limits, without, strict=True):
            depends |= not np.allclose(found, expected[place], rtol=1e-12, atol=1e-13)
    assert sum(column[0] for column in data) == n
    assert depends == method.uses_both


@catalogue
def test_an_array_equals_one_outcome_at_a_time_and_data_stay_untouched(family, name):
    method = CATALOGUE[family][name]
    data = tuple(np.array(column[:: 18 if is_solved(family, name) else 9]) for column in DATA)
    for column in data:
        column.setflags(write=False)
    for side in method.sides:
        together = np.array(method.limits(data, 0.05, side))
        sent = pickle.loads(pickle.dumps(method))
        np.testing.assert_array_equal(together, sent.limits(data, 0.05, side))
        for place in range(data[0].size):
            alone = method.limits(tuple(column[[place]] for column in data), 0.05, side)
            if is_solved(family, name):
                # The nodes of all integrals are summed end to end, which rounds elsewhere.
                np.testing.assert_allclose(together[:, [place]], alone, rtol=1e-13)
            else:
                np.testing.assert_array_equal(together[:, [place]], alone)


@catalogue
@settings(max_examples=15)
@given(
    counts=st.tuples(*[st.integers(0, 12) | st.integers(0, 10**8)] * 4).filter(any),
    alpha=st.floats(1e-9, 0.95),
)
def test_any_table_has_an_interval(family, name, counts, alpha):
    if is_solved(family, name):
        return
    method = CATALOGUE[family][name]
    data = dict(zip(CELLS, counts, strict=True))
    for side in method.sides:
        found = harness.interval(family, name, alpha=alpha, side=side, **data)
        low, high = family_of(family).support
        assert low <= found.lower <= found.upper <= high
