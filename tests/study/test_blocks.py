"""Limits that are computed in several blocks, and those of mirror images."""

import numpy as np
import polars as pl
import pytest

import harness
from tests.study.experiments import DRAWN, in_memory

FAMILY, UNIFORM = "proportion_difference", {"uniform": [0, 1]}


def limits_of_all_pairs(n1, n2, method):
    """The pairs of counts and the limits of each, in one call."""
    x1, x2 = (each.ravel() for each in np.indices((n1 + 1, n2 + 1)))
    return x1, x2, *harness.interval(FAMILY, x1=x1, n1=n1, x2=x2, n2=n2, method=method)


@pytest.mark.parametrize("sizes", [(60, 60), (90, 40)])
def test_blocks_of_mirror_images_change_no_limit(sizes):
    """At these sizes there are two blocks."""
    n1, n2 = sizes
    methods = ["newcombe", "balanced_tail"]
    truth, rest = {"first": UNIFORM, "second": UNIFORM}, {"n": None, "trials": None}
    config = {"family": FAMILY, "n1": n1, "n2": n2, "methods": methods, "truth": truth, **rest}
    cells = in_memory(DRAWN, alpha=0.05, engines=["posterior"], **config).cells
    for method in methods:
        _, _, lower, upper = limits_of_all_pairs(n1, n2, method)
        found = cells.filter(pl.col("method") == method, pl.col("given") == "outcome")
        at = found["x1"].to_numpy() * (n2 + 1) + found["x2"].to_numpy()
        assert np.array_equal(np.sort(at), np.arange(lower.size))
        assert np.array_equal(found["lower"], lower[at])
        assert np.array_equal(found["upper"], upper[at])


def test_mirror_images_of_two_samples_have_limits_mirrored_to_the_last_bit():
    n = 12
    x1, x2, lower, upper = limits_of_all_pairs(n, n, "minimal_length")
    for image in (x2 * (n + 1) + x1, (n - x1) * (n + 1) + (n - x2)):
        others = x1 != x2
        assert np.array_equal(lower[image][others], -upper[others])
