"""Which engines a run uses, and which outcomes each of them reports."""

from __future__ import annotations

import itertools

import pytest

from harness.config.load import load_experiment
from harness.study.columns import catalogue_sources, deterministic_columns
from harness.study.plan import plan_scenarios
from tests.study.experiments import DRAWN, LISTED, changed, in_memory, part

ENGINES = ("monte_carlo", "posterior", "enumeration")
SUBSETS = [list(chosen) for size in (1, 2, 3) for chosen in itertools.combinations(ENGINES, size)]
ONE = {"methods": ["minimal_length"], "alpha": 0.05, "n": [3, 12]}


@pytest.mark.parametrize("base", [DRAWN, LISTED], ids=["drawn", "listed"])
@pytest.mark.parametrize("engines", SUBSETS, ids="+".join)
def test_a_run_reports_the_engines_asked_for_and_each_as_it_would_alone(base, engines, request):
    results = in_memory(base, **ONE, engines=engines)
    assert set(results.cells["engine"]) == set(results.summary["engine"]) == set(engines)
    whole = request.getfixturevalue("drawn" if base is DRAWN else "listed")
    for engine in engines:
        levels = {"engine": engine, "method": "minimal_length", "alpha": 0.05, "n": 12}
        ours, theirs = (part(each.summary, **levels) for each in (results, whole))
        assert ours.equals(theirs)
        ours, theirs = (part(each.cells, **levels) for each in (results, whole))
        if base is LISTED and engines == ["enumeration"]:
            # Enumeration alone has truths to report, and no outcomes.
            theirs = part(theirs, given="truth")
        assert ours.height > 0
        assert ours.equals(theirs)
    assert results.manifest["identity"]["holds"]
    assert results.manifest["agreement"]["checked"] == ("monte_carlo" in engines)


@pytest.mark.parametrize(
    ("n", "count", "expected"),
    [
        (10, 3, [0, 5, 10]),
        (5, 3, [0, 3, 5]),  # 2.5 rounds half up
        (4, 21, [0, 1, 2, 3, 4]),  # duplicates merge
        (100, 21, list(range(0, 101, 5))),
        (1, 2, [0, 1]),
    ],
)
def test_fractions_of_n_are_rounded_half_up_and_merged(n, count, expected):
    results = in_memory(DRAWN, **{**ONE, "n": n}, outcomes={"fractions": count})
    posterior, drawn, exact = (
        part(results.cells, engine=engine)["x"].to_list()
        for engine in ("posterior", "monte_carlo", "enumeration")
    )
    assert posterior == expected
    # Enumeration also has the outcomes that counts are held against.
    assert exact == sorted({*expected, *drawn})
    alone = in_memory(DRAWN, **{**ONE, "n": n}, outcomes={"fractions": count}, trials=None)
    for engine in ("posterior", "enumeration"):
        assert part(alone.cells, engine=engine)["x"].to_list() == expected


def test_posterior_means_are_empty_where_outcomes_are_left_out():
    rows = part(in_memory(DRAWN, **ONE, outcomes={"fractions": 3}).summary, engine="posterior")
    for name in ("miss_below", "miss_above", "actual_alpha", "alpha_error", "mean_length"):
        assert rows[name].null_count() == 2
    for name in ("alpha_error_min", "alpha_error_max"):
        assert rows[name].null_count() == 0


def test_fractions_leave_monte_carlo_its_outcomes_and_enumeration_its_mean():
    whole, some = (
        in_memory(DRAWN, **ONE, **change) for change in ({}, {"outcomes": {"fractions": 3}})
    )
    drawn = [part(each.cells, engine="monte_carlo") for each in (whole, some)]
    assert drawn[0].equals(drawn[1])
    means = [part(each.summary, engine="enumeration")["actual_alpha"] for each in (whole, some)]
    assert means[0].equals(means[1])
    assert some.manifest["agreement"] == whole.manifest["agreement"]


def test_every_size_is_one_scenario_and_every_method_and_alpha_one_column():
    experiment = load_experiment(changed(DRAWN))
    plans = plan_scenarios(experiment, catalogue_sources(experiment))
    assert [each.scenario.size for each in plans] == [1, 5, 12]
    assert all(each.complete for each in plans)
    columns = deterministic_columns(experiment, catalogue_sources(experiment))
    assert len(columns) == 8
    assert len(set(columns)) == 8
    assert [sum(shard.trials for shard in each.shards) for each in plans] == [800, 2400, 5200]
