"""The distinct columns of arrays."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from harness.base.numerics.arrays import distinct_columns


@given(
    arrays(
        np.float64, st.tuples(st.integers(1, 3), st.integers(0, 30)), elements=st.integers(-2, 2)
    )
)
def test_distinct_columns_are_those_of_numpy(rows):
    columns, back = distinct_columns(*rows)
    expected, places = np.unique(rows, axis=1, return_inverse=True)
    assert np.array_equal(columns, expected)
    assert np.array_equal(back, places.ravel())
