"""Runs with methods for a finite population: their data have its size, and they keep their promise.

The promise is at least nominal coverage at each proportion that the population may have.
"""

from __future__ import annotations

import numpy as np
import pytest

import harness
from harness.methods.catalogue import find
from tests.methods.finite_population.rational import misses

POPULATION, SIZE, ALPHA = 60, 12, 0.1
NAMES = ("hypergeometric_exact", "hypergeometric_wang")
CONFIG = {
    "name": "finite",
    "family": "proportion",
    "n": [SIZE],
    "alpha": ALPHA,
    "methods": [*NAMES, "clopper_pearson"],
    "sampling": {"hypergeometric": {"population": POPULATION}},
    "truth": {"values": [m / POPULATION for m in range(POPULATION + 1)]},
    "trials": {"per_truth": 500},
    "engines": ["monte_carlo", "enumeration"],
    "seed": 11,
}


@pytest.fixture(scope="module")
def results():
    # A run whose engines disagree raises an error.
    return harness.run(CONFIG, out=None)


def column(frame, name, method, engine):
    rows = [row for row in frame.iter_rows(named=True) if row["method"] == method]
    return [row[name] for row in rows if row["engine"] == engine]


@pytest.mark.parametrize("name", NAMES)
def test_exact_misses_are_those_counted_in_whole_numbers(results, name):
    data = np.arange(SIZE + 1.0), np.full(SIZE + 1, 1.0 * SIZE), np.full(SIZE + 1, 1.0 * POPULATION)
    limits = find("proportion", name).limits(data, ALPHA)
    expected = misses(SIZE, POPULATION, *(np.rint(limit * POPULATION) for limit in limits))
    cells = results.cells.filter(results.cells["given"] == "truth")
    found = column(cells, "actual_alpha", name, "enumeration")
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-13)
    (worst,) = column(results.summary, "worst_alpha", name, "enumeration")
    assert worst == pytest.approx(expected.max(), abs=1e-13)
    assert worst <= ALPHA + 1e-12


def test_the_shorter_interval_is_the_admissible_one(results):
    lengths = [
        column(results.summary, "mean_length", name, "enumeration")[0]
        for name in ("hypergeometric_wang", "hypergeometric_exact", "clopper_pearson")
    ]
    assert lengths == sorted(lengths)
    assert len(set(lengths)) == 3
