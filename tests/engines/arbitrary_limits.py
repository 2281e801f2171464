"""Limits that no method gives, against which engines with too strong assumptions fail."""

import numpy as np
from hypothesis import strategies as st

from harness.designs.limits import Limits
from harness.methods.catalogue import PROPORTION

# Few values make limits meet each other, the ends, and their own other limit.
_coarse = st.integers(0, 6).map(lambda k: k / 6)
_fine = st.floats(0, 1, allow_subnormal=False).map(lambda v: v if v > 1e-9 else 0.0)


def _interval(values):
    return st.tuples(values, values).map(sorted)


# Wide intervals with some outcomes that cover next to nothing: gaps that are wide enough for the
# miss probability to be largest in their middle.
_wide = st.sampled_from([[0.0, 1.0], [0.0, 0.9], [0.1, 1.0], [0.0, 0.0], [0.5, 0.5], [1.0, 1.0]])

limits = st.one_of(
    st.lists(_wide, min_size=2, max_size=9),
    st.lists(_interval(_coarse), min_size=2, max_size=9),
    st.lists(_interval(_fine), min_size=2, max_size=9),
).map(lambda pairs: tuple(np.array(side) for side in zip(*pairs, strict=True)))
"""(lower, upper) of the outcomes 0 … n for n = 1 … 8, in no order whatever."""


# One of every kind: runs of outcomes that cover, limits that fall, limits that meet.
SOME_METHODS = ("wald", "wilson", "clopper_pearson", "blaker", "feldman_cousins", "minimal_length")
SOME_METHODS += ("balanced_width", "balanced_tail", "second_order", "logit", "hoeffding")


def catalogue_limits(n):
    """(name, lower, upper) of some methods, every side and a few alphas, at the outcomes 0 … n."""
    x = np.arange(n + 1.0)
    for name in SOME_METHODS:
        method = PROPORTION[name]
        for side in method.sides:
            for alpha in (0.001, 0.05, 0.6):
                yield name, *method.limits((x, np.full(n + 1, float(n))), alpha, side)


RANDOM = [
    tuple(np.sort(np.random.default_rng([2003, n, k]).random((2, n + 1)), axis=0))
    for n in range(1, 9)
    for k in range(4)
]
"""Some of the same with a fixed seed."""

ZERO_WIDTH = [(np.arange(n + 1) / n, np.arange(n + 1) / n) for n in range(1, 9)]
"""Each interval is the point x/n."""

EMPTY_MIDDLE = (np.array([0.0, 0.4, 0.0, 0.7]), np.array([0.3, 0.4, 1.0, 1.0]))
"""Outcomes 0 and 2 cover 0.1 and outcome 1 does not: the covering outcomes are not a run."""


def as_limits(lower, upper):
    """The limits of the outcomes 0 … n as one column."""
    return Limits(np.arange(lower.size), lower[np.newaxis], upper[np.newaxis])
