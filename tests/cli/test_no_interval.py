"""A method that has no interval for any data is shown so, and not with a coverage of 0."""

import pytest
import yaml

import harness
from harness.pages.results_page import markdown, results_page
from harness.report.page import render

CONFIG = {
    "name": "wild",
    "family": "clustered_mean",
    "clusters": [5, 10],
    "size": 4,
    "methods": ["cluster_t", "wild_bootstrap_t"],
    "truth": {"scores": {"beta": [9, 1]}, "rho": {"values": [0, 0.3]}},
    "trials": {"per_truth": 100},
    "seed": 3,
    "figures": [],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Of 5 clusters no p-value of the wild bootstrap is below 0.05; of 10 some are."""
    return harness.run(CONFIG, out=tmp_path_factory.mktemp("wild"))


def test_the_tables_have_no_numbers_where_there_is_no_interval(results):
    rows = results.summary.filter(method="wild_bootstrap_t").sort("clusters")
    for name in ("actual_alpha", "miss_below", "coverage", "ci_lower", "alpha_error"):
        empty, known = rows[name]
        assert empty is None
        assert known is not None
    assert rows["trials"].to_list() == [200, 200]
    cells = results.cells.filter(method="wild_bootstrap_t", clusters=5)
    assert cells["actual_alpha"].null_count() == cells.height > 0


def test_the_screen_says_that_there_is_no_interval(tmp_path, run_command):
    (tmp_path / "wild.yaml").write_text(yaml.safe_dump(CONFIG))
    result = run_command("run", str(tmp_path / "wild.yaml"), "--out", str(tmp_path), "--verbose")
    assert result.code == 0
    (line,) = (line for line in result.out.splitlines() if "no interval" in line)
    assert "wild_bootstrap_t" in line
    assert " 0.00 (" not in result.out


def test_the_page_names_the_sizes_without_an_interval(results):
    words = "no interval at clusters = 5, size = 4"
    assert words in render(results_page([results], "harness report"))
    assert words in markdown([results])


def test_the_page_has_a_row_of_a_method_without_any_interval(tmp_path):
    results = harness.run({**CONFIG, "clusters": 5}, out=tmp_path)
    assert "| Wild cluster bootstrap-t | no interval |" in markdown([results])


def test_numbers_over_all_sizes_are_of_those_with_intervals(results):
    trials = {row["method"]: row["trials"] for row in results.manifest["overall"]}
    assert trials == {"cluster_t": 400, "wild_bootstrap_t": 200}


def test_failures_of_a_function_of_ones_own_still_count_as_misses(tmp_path):
    (tmp_path / "own.py").write_text("def none(values, cluster, alpha):\n    raise ValueError\n")
    own = {"path": str(tmp_path / "own.py"), "function": "none"}
    found = harness.run({**CONFIG, "methods": [own], "clusters": 5}, out=tmp_path)
    assert found.summary["actual_alpha"].to_list() == [1.0]
