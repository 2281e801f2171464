"""The least lengths of a run: in the summary, in the ranking and in the answer."""

from typing import Any

import polars as pl
import pytest

import harness
from harness.catalogue import scenario_for
from harness.designs.one_sample.least_length import deterministic, guaranteed, on_average
from harness.distributions.truths import UniformTruth
from harness.families.catalogue import family_of
from harness.findings.conclusion import least_lengths
from harness.tables.answers import LEAST_LENGTHS

RUN: dict[str, Any] = {
    "name": "small",
    "family": "proportion",
    "n": [5, 20],
    "alpha": [0.05, 0.3],
    "methods": ["blaker", "wald", {"name": "wilson", "side": "upper"}],
    "truth": {"uniform": [0, 1]},
    "engines": ["enumeration"],
    "figures": [],
}


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    return harness.run(RUN, out=tmp_path_factory.mktemp("run"))


def test_the_summary_has_the_bounds_at_alpha_and_at_each_methods_own_alphas(results):
    rows = results.summary.filter(pl.col("side") == "two-sided").to_dicts()
    assert len(rows) == 8
    for row in rows:
        scenario = scenario_for(family_of("proportion"), row["n"], UniformTruth(0.0, 1.0))

        def at(bound, alpha, scenario=scenario):
            return pytest.approx(bound(scenario, pl.Series([alpha]).to_numpy())[0], rel=1e-8)

        assert row["least_length_guaranteed"] == at(guaranteed, row["alpha"])
        assert row["least_length_deterministic"] == at(deterministic, row["alpha"])
        assert row["least_length_on_average"] == at(on_average, row["alpha"])
        length, worst = row["mean_length"], row["worst_alpha_anywhere"]
        assert row["efficiency_on_average"] * length == at(on_average, row["actual_alpha"])
        if worst > 0.5:
            assert row["efficiency_guaranteed"] is None
        else:
            assert row["efficiency_guaranteed"] * length == at(guaranteed, worst)


def test_one_limit_and_other_designs_have_none(results, tmp_path):
    assert (
        results.summary.filter(side="upper")[LEAST_LENGTHS].null_count().sum_horizontal()[0] == 20
    )
    pair = {"family": "proportion_difference", "n1": [5], "n2": [7], "methods": ["wald"]}
    pair |= {"name": "pair", "engines": ["enumeration"], "figures": []}
    pair["truth"] = {"first": {"values": [0.2]}, "second": {"values": [0.5]}}
    summary = harness.run(pair, out=tmp_path).summary
    assert summary[LEAST_LENGTHS].null_count().row(0) == (1, 1, 1, 1, 1)


def test_the_ranking_has_means_over_the_sizes(results):
    rows = results.summary.filter(pl.col("side") == "two-sided")
    for row in results.ranking.to_dicts():
        of_sizes = rows.filter(method=row["method"], alpha=row["alpha"])
        for name in LEAST_LENGTHS:
            known = of_sizes[name].null_count() == 0
            assert row[name] == (pytest.approx(of_sizes[name].mean()) if known else None)


def test_a_method_that_fails_somewhere_has_no_efficiency(tmp_path):
    (tmp_path / "mine.py").write_text(
        "import numpy as np\n\n\ndef mine(x, n, alpha):\n"
        "    return np.where(x == 0, np.nan, 0.0), np.where(x == 0, np.nan, 1.0)\n"
    )
    user = {"path": str(tmp_path / "mine.py"), "function": "mine", "label": "mine"}
    summary = harness.run({**RUN, "methods": ["blaker", user]}, out=tmp_path).summary
    failed = summary.filter(method="mine")
    assert failed["least_length_guaranteed"].null_count() == 0
    assert failed["efficiency_guaranteed"].is_null().all()
    assert failed["efficiency_on_average"].is_null().all()
    assert summary.filter(method="blaker")["efficiency_guaranteed"].null_count() == 0


def test_the_answer_names_the_shortest_method_that_never_misses_too_often(results):
    assert list(least_lengths(results.summary)) == [
        "At n = 20 no method that never misses more than 5 % can be shorter than 0.3238 on "
        "average, or than 0.3448 where limits are not random; blaker has 0.3448.",
        "At n = 20 no method that never misses more than 30 % can be shorter than 0.1746 on "
        "average, or than 0.196 where limits are not random; blaker has 0.196.",
    ]
    wald = results.summary.filter(method="wald", n=5, alpha=0.05)
    assert list(least_lengths(wald)) == [
        "No method that never misses more than 5 % can be shorter than 0.5562 on average, "
        "or than 0.6272 where limits are not random."
    ]
    assert list(least_lengths(wald.drop("least_length_guaranteed"))) == []
