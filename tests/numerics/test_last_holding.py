"""The search over whole numbers, against counting."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from harness.numerics.largest_true import last_holding


@given(st.lists(st.tuples(*[st.integers(1, 10**9)] * 3), min_size=1, max_size=20), st.booleans())
def test_the_last_number_is_found_from_any_start(cases, endless):
    last, start, room = np.array(cases, float).T
    largest = np.full(last.size, np.inf) if endless else last + room - 1
    asked = []

    def holds(k, index):
        asked.append(k)
        return k <= last[index]

    np.testing.assert_array_equal(last_holding(holds, start, largest), last)
    for tried in asked:
        assert (tried >= 2).all()
        assert (tried <= largest.max()).all()
    # Doubling and bisection: two for each binary digit of the way, and no more.
    assert len(asked) <= 2 * np.log2(1e9) + 4


def test_a_good_start_is_cheap():
    asked = []

    def holds(k, index):
        asked.append(k)
        return k <= 10**6

    last_holding(holds, np.array([10.0**6 + 2]), np.array([np.inf]))
    assert len(asked) <= 5


def test_where_there_is_one_number_nothing_is_asked():
    def holds(k, index):
        raise AssertionError

    assert last_holding(holds, np.array([7.0]), np.array([1.0])) == 1
