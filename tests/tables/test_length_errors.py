"""The standard error of a mean length by Monte Carlo."""

import hashlib
import json

import numpy as np
import polars as pl
import pytest

import harness
from harness.designs.results import mean_and_error


def run(family, methods, **config):
    content = {"name": "small", "family": family, "methods": methods, "figures": [], "seed": 5}
    return harness.run({**content, **config}, out=None)


def test_it_is_the_spread_of_the_lengths_over_the_root_of_the_trials():
    found = run(
        "proportion", ["wilson"], n=[10], truth={"uniform": [0, 1]}, trials={"per_size": 4000}
    )
    drawn = found.summary.filter(engine="monte_carlo").to_dicts()[0]
    exact = found.summary.filter(engine="enumeration").to_dicts()[0]
    limits = [harness.interval("proportion", "wilson", x=x, n=10) for x in range(11)]
    spread = np.std([each.upper - each.lower for each in limits])  # all counts are equally likely
    assert drawn["mean_length_std_error"] == pytest.approx(spread / 4000**0.5, rel=0.05)
    apart = abs(drawn["mean_length"] - exact["mean_length"])
    assert apart < 4 * drawn["mean_length_std_error"]
    assert exact["mean_length_std_error"] is None
    assert "length_std_error" not in found.cells.columns


def test_lengths_that_are_drawn_have_one_at_each_truth():
    truth = {"normal": {"mean": 0.0, "sd": 1.0}}
    found = run("mean", ["student_t"], k=[5], truth=truth, trials={"per_size": 4000})
    (row,) = found.summary.filter(engine="monte_carlo").to_dicts()
    (cell,) = found.cells.filter(engine="monte_carlo").to_dicts()
    assert 0 < row["mean_length_std_error"] == cell["length_std_error"]
    # A length is 2·t·s/√5 with s² chi-squared on 4 degrees of freedom: sd(s)/mean(s) = 0.363.
    assert row["mean_length_std_error"] * 4000**0.5 == pytest.approx(
        0.363 * row["mean_length"], rel=0.05
    )


def test_equal_infinite_and_single_lengths_have_an_error_of_none_or_of_0():
    third = 1.0 / 3.0
    assert mean_and_error(100 * third, 100 * third * third, 100)[1] == 0.0
    for total, squares, count in ((np.inf, np.inf, 5), (third, third**2, 1), (0.0, 0.0, 0)):
        assert np.isnan(mean_and_error(total, squares, count)[1])


def test_results_of_former_versions_are_read_without_it(tmp_path):
    config = {"n": [5], "truth": {"uniform": [0, 1]}, "engines": ["enumeration"]}
    content = {"name": "old", "family": "proportion", "methods": ["wald"], "figures": []}
    folder = harness.run({**content, **config}, out=tmp_path).path
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    summary = pl.read_csv(folder / "summary.csv")
    later = [name for name in summary.columns if name.startswith(("least_", "efficiency_"))]
    former = summary.drop("mean_length_std_error", *later).write_csv()
    (folder / "summary.csv").write_text(former, "utf-8")
    digest = hashlib.sha256(former.encode()).hexdigest()
    manifest["files"]["tables"]["summary.csv"] = digest
    (folder / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    read = harness.load(folder).summary
    assert read.columns == summary.columns
    assert read["mean_length"].to_list() == summary["mean_length"].to_list()
    assert read["least_length_guaranteed"].null_count() == read.height
