"""Runs whose outcomes arise by another law than the family's own."""

from io import StringIO
from typing import Any

import polars as pl
import pytest
from rich.console import Console

import harness
from harness.findings.manifest import worst_cases_are_exact
from harness.kinds.coverage.screen import results_screen
from harness.kinds.load import load_experiment
from harness.kinds.run import workload_of
from tests.study.experiments import changed, in_memory

SMALL: dict[str, Any] = {
    "name": "small/sampling",
    "figures": [],
    "family": "proportion",
    "n": [10, 20],
    "alpha": [0.3, 0.05],
    "methods": ["wald", "wilson", {"name": "clopper_pearson", "side": "upper"}],
    "truth": {"values": [0, 0.1, 0.25, 0.5, 1]},
    "trials": {"per_truth": 2000},
    "seed": 41,
    "execution": {"jobs": 1},
}
RATE = changed(
    SMALL, family="rate", n=None, exposure=[1, 5], truth={"values": [0, 0.3, 4]},
    methods=["wald", "garwood"],
)  # fmt: skip
SAMPLINGS = {
    "beta_binomial": (SMALL, {"rho": 0.2}),
    "clusters": (SMALL, {"size": 5, "rho": 0.3}),
    "hypergeometric": (SMALL, {"population": 40}),
    "gamma_poisson": (RATE, {"dispersion": 2}),
}


@pytest.fixture(scope="module")
def runs():
    return {
        name: in_memory(base, sampling={name: settings})
        for name, (base, settings) in SAMPLINGS.items()
    }


def said(results):
    text = StringIO()
    console = Console(file=text, width=200)
    for part in results_screen(results, verbose=True):
        console.print(part)
    return text.getvalue()


@pytest.mark.parametrize("name", SAMPLINGS)
def test_monte_carlo_and_enumeration_agree_and_are_confirmed(name, runs):
    """A run whose engines agree fails with a probability of at most 1e-3."""
    manifest = runs[name].manifest
    assert manifest["experiment"]["engines"] == ["monte_carlo", "enumeration"]
    assert manifest["agreement"]["checked"]
    assert manifest["agreement"]["agrees"]
    assert manifest["identity"]["holds"]


@pytest.mark.parametrize("name", SAMPLINGS)
def test_trials_of_another_law_do_not_agree(name, runs):
    """The exact values of the family's own law lie outside the intervals of many cells."""
    base, _ = SAMPLINGS[name]
    drawn, own = runs[name], in_memory(base, engines=["enumeration"], trials=None)
    key = ["method", "alpha", *[each for each in ("n", "exposure") if each in base]]
    counted = drawn.summary.filter(engine="monte_carlo").select(*key, "ci_lower", "ci_upper")
    exact = own.summary.select(*key, "actual_alpha").join(counted, on=key)
    outside = exact.filter(
        ~pl.col("actual_alpha").is_between(pl.col("ci_lower"), pl.col("ci_upper"))
    )
    assert outside.height >= 0.75 * exact.height


@pytest.mark.parametrize("name", SAMPLINGS)
def test_tables_and_the_screen_name_the_sampling(name, runs):
    results, title = runs[name], load_experiment(config_of(name)).sampling.title
    tables = (results.cells, results.summary, results.ranking, results.recommendation)
    for table in filter(lambda each: each is not None, tables):
        assert table["sampling"].unique().to_list() == [title]
    assert f"Sampling: {title}. What methods promise" in said(results)


def config_of(name):
    base, settings = SAMPLINGS[name]
    return changed(base, sampling={name: settings})


@pytest.mark.parametrize("name", SAMPLINGS)
def test_only_the_worst_case_of_clusters_is_said_to_be_searched_for(name, runs):
    exact = name != "clusters"
    results = runs[name]
    assert worst_cases_are_exact(results.manifest) == exact
    anywhere = results.summary["worst_alpha_anywhere"].drop_nulls()
    assert (anywhere.len() > 0) == (exact and name != "gamma_poisson")
    assert ("that was not found to miss more than" in said(results)) == (not exact)


def test_a_run_without_the_key_says_nothing_of_sampling():
    results = in_memory(SMALL, trials=None, engines=["enumeration"])
    assert "sampling" not in results.summary.columns
    assert "sampling" not in results.manifest["experiment"]
    assert "Sampling" not in said(results)
    assert worst_cases_are_exact(results.manifest)


def test_a_correlation_of_zero_has_the_exact_values_of_the_binomial():
    exact = changed(SMALL, trials=None, seed=None, engines=["enumeration"])
    own, none = in_memory(exact), in_memory(exact, sampling={"beta_binomial": {"rho": 0}})
    for column in ("actual_alpha", "mean_length", "rms_alpha_error", "interval_score"):
        first, second = own.summary[column], none.summary[column]
        assert first.is_null().to_list() == second.is_null().to_list()
        assert ((first - second).abs() < 1e-12).drop_nulls().all()


@pytest.mark.parametrize("trials", [{"per_size": 500}, {"half_width": 0.05, "max": 4096}])
def test_under_a_distribution_monte_carlo_runs_alone_and_the_run_says_so(trials):
    results = in_memory(
        SMALL, sampling={"clusters": {"size": 5, "rho": 0.3}}, truth={"beta": [2, 3]}, trials=trials
    )
    assert results.summary["engine"].unique().to_list() == ["monte_carlo"]
    assert results.manifest["agreement"]["checked"] is False
    lines = said(results)
    assert "exact values were not compared: there are none under a distribution" in lines


def test_a_run_is_taken_up_from_its_journal_with_the_law(tmp_path, monkeypatch):
    config = changed(config_of("clusters"), n=10, alpha=0.05, methods=["wald"])
    first = harness.run(config, out=tmp_path)
    other = {**config, "sampling": {"clusters": {"size": 10, "rho": 0.3}}}
    changed_law = harness.run(other, out=tmp_path)
    again = harness.run(config, out=tmp_path)
    assert again.summary.equals(first.summary)
    assert not changed_law.summary.drop("sampling").equals(first.summary.drop("sampling"))


def test_a_function_that_fails_is_counted_under_a_law(tmp_path):
    (tmp_path / "mine.py").write_text(
        "def interval(x, n, alpha):\n"
        "    if x == n:\n"
        "        raise ValueError('no failures')\n"
        "    return x / (n + 1), (x + 1) / (n + 1)\n"
    )
    method = {"path": str(tmp_path / "mine.py"), "function": "interval", "label": "mine"}
    results = in_memory(config_of("clusters"), methods=[method, "wald"], alpha=0.05, n=10)
    assert results.manifest["agreement"]["agrees"]
    assert results.manifest["identity"]["holds"]
    row = results.summary.filter(method="mine", engine="enumeration").row(0, named=True)
    assert 0 < row["failed"] < row["actual_alpha"] < row["worst_alpha"] <= 1


@pytest.mark.parametrize("name", SAMPLINGS)
def test_its_work_is_counted(name):
    work = workload_of(load_experiment(config_of(name)))
    assert work.intervals >= work.outcomes > 0
