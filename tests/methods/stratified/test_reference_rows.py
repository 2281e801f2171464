"""Limits over strata, held against published programs and against 40 digits of their equations."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from harness.methods.catalogue.lists import STRATIFIED_DIFFERENCE as METHODS

FILE = Path(__file__).parents[2] / "data" / "stratified_difference.json"
ROWS = json.loads(FILE.read_text())["rows"]
TOLERANCE = 1e-14
"""Of the 40 digits; what programs print has the tolerance of its row."""


def found(row):
    data = tuple(np.array([values], float) for values in row["inputs"].values())
    return np.ravel(METHODS[row["method"]].formula(data, row["alpha"], "two-sided", (1.0, 1.0)))


@pytest.mark.parametrize("name", METHODS)
def test_limits_are_those_of_the_equation_and_of_the_programs(name):
    rows = [row for row in ROWS if row["method"] == name]
    assert len(rows) == 12
    for row in rows:
        limits, right = found(row), row["evaluated"]
        np.testing.assert_allclose(limits, [right["lower"], right["upper"]], atol=TOLERANCE)
        for printed in (row, row["second"]):
            expected = [printed["lower"], printed["upper"]]
            np.testing.assert_allclose(limits, expected, rtol=0, atol=row["tolerance"])


@pytest.mark.parametrize("name", METHODS)
def test_outcomes_together_have_the_limits_that_they_have_alone(name):
    rows = [row for row in ROWS if row["method"] == name and row["alpha"] == 0.05]
    most = max(len(row["inputs"]["x1"]) for row in rows)
    padded = [
        np.array([[*row["inputs"][key], *[0] * (most - len(row["inputs"][key]))] for row in rows])
        for key in ("x1", "n1", "x2", "n2")
    ]
    data = tuple(each.astype(float) for each in padded)
    together = METHODS[name].formula(data, 0.05, "two-sided", (1.0, 1.0))
    alone = np.array([found(row) for row in rows]).T
    np.testing.assert_allclose(together, alone, rtol=0, atol=TOLERANCE)
