"""The page on clustered cases has the numbers of the results, which are near the exact ones."""

import doctest
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import harness
from harness.methods.catalogue import CATALOGUE
from tests.oracles.laws import coverage

METHODS = CATALOGUE["clustered_proportion"]

ROOT = Path(harness.__file__).parents[1]
FOLDER = ROOT / "results/clustered_questions"
CELLS = pl.read_parquet(FOLDER / "cells.parquet")
NEAR = pl.read_csv(FOLDER / "near_nominal.csv")
PAGE = (ROOT / "docs/clustered_cases.md").read_text("utf-8")
CORRELATIONS = (0.0, 0.1, 0.3, 0.5)

DEVIATIONS = 5.0
"""Standard errors by which one of 24 right coverages is off with a probability of 1.4e-5 at most:
24 times the two tails of the normal distribution."""


def table(heading):
    """The rows of the table of the page with that heading, by method."""
    start = f"| {heading} | " + " | ".join(f"ρ = {rho:g}" for rho in CORRELATIONS) + " |\n"
    lines = PAGE.split(start)[1].split("\n\n")[0].splitlines()[1:]
    found = {}
    for line in lines:
        method, *values = re.findall(r"[^|`]+", line.replace(" ", ""))
        found[method] = values
    return found


def test_coverages_of_the_page_are_those_of_the_results():
    documents = 20
    found = table(f"{documents} documents")
    assert list(found) == list(METHODS)
    for method, values in found.items():
        rows = CELLS.filter(method=method, clusters=documents).sort("rho")
        assert rows["rho"].to_list() == list(CORRELATIONS)
        assert values == [f"{1 - alpha:.3f}" for alpha in rows["actual_alpha"]]


def test_numbers_of_documents_of_the_page_are_those_of_the_results():
    found = table("near nominal from")
    assert list(found) == list(METHODS)
    for method, values in found.items():
        rows = NEAR.filter(method=method).sort("rho")
        expected = ["never" if each is None else str(each) for each in rows["near_from"]]
        assert values == expected


def test_the_intervals_of_the_page_are_computed_anew():
    (block,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    test = doctest.DocTestParser().get_doctest(block, {}, "clustered_cases.md", None, 0)
    assert len(test.examples) == 4
    assert doctest.DocTestRunner().run(test).failed == 0


def test_standard_errors_of_the_page_bound_those_of_the_results():
    errors = CELLS.group_by(pl.col("method") == "wilson").agg(pl.col("std_error").max())
    naive, others = errors.sort("method", descending=True)["std_error"]
    assert "at most 0.0035 for `wilson`, and 0.0021 for the others" in PAGE
    assert 0.003 < naive <= 0.0035
    assert 0.0019 < others <= 0.0021


@pytest.mark.parametrize("rho", CORRELATIONS)
def test_coverages_with_20_documents_are_near_the_exact_ones(rho):
    for name, method in METHODS.items():
        if not method.deterministic:
            continue
        row = CELLS.filter(method=name, clusters=20, rho=rho).row(0, named=True)

        def limits(x, n, method=method):
            return method.limits((x, n), 0.05)

        exact = coverage(limits, 0.8, rho, 20, 10)
        error = np.sqrt(exact * (1 - exact) / row["trials"])
        assert abs(1 - row["actual_alpha"] - exact) < DEVIATIONS * error
