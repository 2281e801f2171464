"""The page on clustered cases has the numbers of the results, which are near the exact ones."""

import doctest
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import harness
from harness.distributions.sampling.laws.clusters import draw_clusters
from harness.methods.catalogue import CATALOGUE
from tests.oracles.laws import coverage

METHODS = CATALOGUE["clustered_proportion"]

ROOT = Path(harness.__file__).parents[1]
FOLDER = ROOT / "results/clustered_questions"
CELLS = pl.read_parquet(FOLDER / "cells.parquet")
NEAR = pl.read_csv(FOLDER / "near_nominal.csv")
PAGE = (ROOT / "docs/clustered_cases.md").read_text("utf-8")
CORRELATIONS = (0.0, 0.1, 0.3, 0.5)
EVERYWHERE = pl.read_parquet(ROOT / "results/sampling/few_clusters/cells.parquet")

DEVIATIONS = 5.0
"""Standard errors by which one of 36 right coverages is off with a probability of 2.1e-5 at most:
36 times the two tails of the normal distribution."""


RHO = tuple(f"ρ = {rho:g}" for rho in CORRELATIONS)


def table(heading, columns=RHO):
    """The rows of the table of the page with that heading, by method."""
    start = f"| {heading} | " + " | ".join(columns) + " |\n"
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


def test_with_fewer_documents_the_default_alone_covers_too_much():
    near = NEAR.select("method", "rho", "near_from")
    cells = CELLS.join(near, on=["method", "rho"]).filter(pl.col("clusters") < pl.col("near_from"))
    far = cells.filter((pl.col("actual_alpha") - 0.05).abs() > 0.01)
    too_much = far.filter(pl.col("actual_alpha") < 0.04)["method"].unique().to_list()
    too_little = far.filter(pl.col("actual_alpha") > 0.06)["method"].unique().to_list()
    assert "With fewer documents `korn_graubard` covers more than\n0.96" in PAGE
    assert too_much == ["korn_graubard"]
    assert "korn_graubard" not in too_little


def test_worst_coverages_of_the_page_are_those_of_the_results():
    documents = sorted(EVERYWHERE["clusters"].unique())
    found = table("documents", map(str, documents))
    assert list(found) == list(METHODS)
    worst = EVERYWHERE.group_by("method", "clusters").agg(pl.col("actual_alpha").max())
    for method, values in found.items():
        alphas = worst.filter(method=method).sort("clusters")["actual_alpha"]
        assert values == [f"{1 - alpha:.3f}" for alpha in alphas]


def test_the_default_covers_94_per_cent_away_from_the_ends():
    inner = EVERYWHERE.filter(pl.col("truth").is_between(0.2, 0.8), pl.col("clusters") >= 10)
    assert "covers 0.94 or more at p = 0.2 … 0.8 from 10" in PAGE
    least = 1 - inner.filter(method="korn_graubard")["actual_alpha"].max()
    assert 0.94 <= least < 0.945


def test_other_intervals_are_as_much_shorter_as_the_page_says():
    summary = pl.read_csv(FOLDER.parent / "sampling/few_clusters/summary.csv")
    lengths = summary.filter(pl.col("clusters") >= 20).pivot(
        "method", index="clusters", values="mean_length"
    )
    shorter = [
        1 - lengths[name] / lengths["korn_graubard"] for name in ("rao_scott", "effective_wilson")
    ]
    assert "4 % to 8 % shorter from 20 documents on" in PAGE
    assert round(100 * min(each.min() for each in shorter)) == 4
    assert round(100 * max(each.max() for each in shorter)) == 8


# Python 3.11, numpy 2.4.6, 20,000 data sets from this seed at each correlation.
def test_coverages_of_unequal_clusters_are_computed_anew():
    sizes, found = np.resize([2, 5, 10, 23], 20), []
    for rho in CORRELATIONS:
        rng = np.random.default_rng(41)
        x, n = draw_clusters(np.full(20_000, 0.8), np.full(20_000, rho), 20, sizes, rng)
        lower, upper = METHODS["korn_graubard"].limits((x, n), 0.05)
        found.append(((lower <= 0.8) & (upper >= 0.8)).mean())
    text = "covers 0.951, 0.941, 0.929 and 0.920 at ρ = 0, 0.1, 0.3 and 0.5"
    assert text in PAGE
    stated = [float(each) for each in re.findall(r"0\.9\d\d", text)]
    # Another NumPy may draw other counts: five standard errors.
    np.testing.assert_allclose(found, stated, atol=5 * 0.0019)


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
