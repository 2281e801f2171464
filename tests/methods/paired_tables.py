"""Tables of pairs for the tests of methods for them."""

import numpy as np
from hypothesis import strategies as st

from harness.methods.catalogue import CATALOGUE

DIFFERENCES = {
    name: method
    for name, method in CATALOGUE["paired_difference"].items()
    if method.category != "Bayes"
}
"""The criteria over a posterior have tests of their own."""
RATIOS = CATALOGUE["paired_ratio"]

BOUNDARY = [
    *[
        tuple(n if i == cell else 0 for i in range(4))
        for n in (1, 2, 7, 10**9)
        for cell in range(4)
    ],
    (3, 0, 0, 4),
    (1, 0, 0, 1),
    (0, 1, 1, 0),
    (0, 4, 3, 0),
    (0, 4, 0, 1),
    (0, 0, 4, 1),
    (4, 0, 1, 0),
    (4, 1, 0, 0),
    (0, 1, 8, 0),
    (0, 0, 1, 9),
]
LARGE = [
    (500_000, 10, 2, 499_988),
    (12, 3, 1, 999_984),
    (10**6 - 5, 2, 3, 0),
    (5 * 10**8, 3, 1, 5 * 10**8 - 4),
    (4 * 10**8, 10**8, 2 * 10**8, 3 * 10**8),
    (10, 4 * 10**8, 6 * 10**8, 1),
    (10**9, 0, 1, 0),
]


def random_tables(count, seed=1998):
    """Tables of up to 3000 pairs, many with few pairs in a cell."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        n = int(np.exp(rng.uniform(np.log(2), np.log(3000))))
        shape = rng.choice([0.3, 1.0, 3.0])
        yield tuple(int(each) for each in rng.multinomial(n, rng.dirichlet([shape] * 4)))


def columns(tables):
    """The tables as the columns of a method's data."""
    return tuple(np.array(tables, dtype=float).T.reshape(4, -1))


COUNTS = st.one_of(st.integers(0, 3), st.integers(0, 200), st.integers(0, 10**9))
TABLES = st.tuples(COUNTS, COUNTS, COUNTS, COUNTS).filter(lambda table: sum(table) > 0)
TAILS = st.sampled_from([1e-12, 1e-5, 0.005, 0.025, 0.05, 0.16, 0.3, 0.45])
