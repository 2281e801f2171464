"""``interval`` of fewer than 30 clusters says what such intervals were found to cover."""

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import harness
from harness.methods.catalogue import CATALOGUE
from harness.one.data_remarks import COVERAGE

RESULTS = Path(harness.__file__).parents[1] / "results/sampling/few_clusters"
END = (
    ", by p from 0.05 to 0.95 and the correlation from 0 to 0.5; less where clusters differ in "
    "size\n"
)


def remarks(run_command, counts, *options):
    result = run_command("interval", "clustered_proportion", *counts, *options, "--format", "json")
    assert result.code == 0
    return result.err


@pytest.mark.parametrize("simulated", COVERAGE)
def test_the_coverages_are_those_of_the_results(simulated):
    cells = pl.read_parquet(RESULTS / "cells.parquet").filter(clusters=simulated)
    assert list(COVERAGE[simulated]) == list(CATALOGUE["clustered_proportion"])
    for name, (least, largest) in COVERAGE[simulated].items():
        covers = 100 * (1 - cells.filter(method=name)["actual_alpha"])
        assert (round(covers.min(), 1), round(covers.max(), 1)) == (least, largest)


def test_few_clusters_are_remarked_with_the_coverage_of_the_method(run_command):
    assert remarks(run_command, ["9/10"] * 12) == (
        "remark: 12 clusters are few: of 10 clusters of ten cases, 95 % intervals cover 94.3 to "
        "99.7 % (korn_graubard)" + END
    )


def test_fewer_clusters_than_were_simulated_have_the_coverage_of_the_fewest(run_command):
    found = remarks(run_command, ["9/10", "7/10"], "--method", "rao_scott", "--method", "cluster_t")
    assert found.startswith(
        "remark: 2 clusters are few: of 5 clusters of ten cases, 95 % intervals cover 87.7 to "
        "98.8 % (rao_scott), 51.7 to 95.1 % (cluster_t)" + END
    )


def test_a_single_cluster_is_remarked_too(run_command, tmp_path):
    file = tmp_path / "cases.csv"
    file.write_text("document,right\na,1\na,0\n")
    asked = ["--rows", str(file), "--cluster", "document", "--correct", "right"]
    found = remarks(run_command, asked)
    assert found.startswith("remark: 1 cluster is few: of 5 clusters of ten cases, ")


def test_rows_have_one_remark_with_the_fewest_and_the_most_clusters(run_command, tmp_path):
    file = tmp_path / "cases.csv"
    cases = [
        f"{model},{document},{(document + model) % 3 > 0:d}"
        for model, count in ((1, 21), (2, 25), (3, 40))
        for document in range(count)
        for _ in range(2)
    ]
    file.write_text("model,document,right\n" + "\n".join(cases) + "\n")
    asked = ["--rows", str(file), "--cluster", "document", "--correct", "right", "--by", "model"]
    found = remarks(run_command, asked)
    assert found.startswith("remark: 21 to 25 clusters are few: of 20 clusters of ten cases, ")


def test_thirty_clusters_have_no_remark(run_command):
    assert remarks(run_command, ["9/10"] * 30) == ""


def test_other_families_have_no_remark(run_command):
    assert run_command("interval", "proportion", "27/30").err == ""


def test_python_has_the_remark_of_the_command(run_command):
    found = harness.interval("clustered_proportion", x=[9] * 12, n=[10] * 12)
    assert [f"remark: {each}\n" for each in found.remarks] == [remarks(run_command, ["9/10"] * 12)]


def test_python_counts_the_clusters_of_each_row():
    x = np.array([[3.0] * 40, [3.0] * 6 + [0.0] * 34])
    found = harness.interval("clustered_proportion", "rao_scott", x=x, n=np.where(x > 0, 9, 0))
    (remark,) = found.remarks
    assert remark.startswith("6 clusters are few: of 5 clusters of ten cases, ")


def test_a_leaderboard_of_few_clusters_has_the_remark_once():
    cases = {"a": [1, 1, 0, 1] * 5, "b": [0, 1, 0, 1] * 5, "document": list("pqrst") * 4}
    found = harness.leaderboard(cases, cluster="document")
    assert sum(remark.startswith("5 clusters are few: ") for remark in found.remarks) == 1
