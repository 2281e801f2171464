"""What a run is asked for: engines, and sides of its own."""

import itertools
import textwrap

import numpy as np
import polars as pl
import pytest

import harness
from harness.base.errors import InputError
from harness.cli import main
from harness.kinds.coverage.columns import catalogue_columns
from harness.kinds.coverage.plan import plan_scenarios
from harness.kinds.load import load_experiment
from tests.study.experiments import DRAWN, LISTED, changed, in_memory, part

# Which engines a run uses, and which outcomes each of them reports.


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
    found = catalogue_columns(experiment)
    plans = plan_scenarios(experiment, found)
    assert [each.scenario.size for each in plans] == [1, 5, 12]
    assert all(each.complete for each in plans)
    columns = found.deterministic
    assert len(columns) == 8
    assert len(set(columns)) == 8
    assert [sum(shard.trials for shard in each.shards) for each in plans] == [800, 2400, 5200]


# One-sided limits of one's own: of a side that the function and the config both name.


BOUND = """
    import numpy as np
    from scipy.special import gammaincinv

    def lower_bound(x, exposure, alpha):
        x = np.asarray(x, float)
        low = np.where(x > 0, gammaincinv(np.maximum(x, 1.0), alpha), 0.0)
        return low / exposure, np.full_like(low, np.inf)

    lower_bound.side = "lower"

    def two_sided(x, exposure, alpha):
        return lower_bound(x, exposure, alpha / 2)[0], (x + 20.0) / exposure

    def wrong(x, exposure, alpha):
        return two_sided(x, exposure, alpha)

    wrong.side = "left"
"""
"""The exact lower limit of a rate: Garwood (1936)."""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "mine.py").write_text(textwrap.dedent(BOUND))
    return tmp_path / "mine.py"


def run(file, **entry):
    config = {
        "name": "own",
        "family": "rate",
        "exposure": 2,
        "alpha": 0.05,
        "methods": [
            {"path": str(file), "label": "mine", **entry},
            {"name": "garwood", "side": "lower"},
        ],
        "truth": {"uniform": [0, 6]},
        "trials": {"per_size": 5_000},
        "seed": 1,
    }
    return harness.run(config, out=None)


def test_an_infinite_end_is_none_of_the_limits_of_a_one_sided_method(file):
    results = run(file, function="lower_bound", side="lower")
    assert results.manifest["failures"] == []
    assert results.manifest["agreement"]["agrees"]
    ours, theirs = (
        results.cells.filter(pl.col("method") == label).drop("method")
        for label in ("mine", "garwood lower")
    )
    assert ours["side"].unique().to_list() == ["lower"]
    numbers = [name for name, kind in ours.schema.items() if kind == pl.Float64]
    for name in numbers:
        one, other = (each[name].fill_null(-1.0).to_numpy() for each in (ours, theirs))
        # Two ways to the same root.
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-12, err_msg=name)


@pytest.mark.parametrize(
    ("function", "side"), [("lower_bound", "two-sided"), ("two_sided", "upper")]
)
def test_a_side_that_only_one_of_both_names_is_refused(file, function, side):
    with pytest.raises(InputError, match=r"mine: the config's side is .*should be the same"):
        run(file, function=function, side=side)


def test_a_side_that_is_none_is_refused(file):
    with pytest.raises(InputError, match="side should be one of two-sided, lower, upper"):
        run(file, function="wrong")


def test_it_is_checked_as_what_it_is(file, capsys):
    options = ["--family", "rate", "--contract", "at-least"]
    assert main(["check", f"{file}:lower_bound", *options]) == 0
    assert "PASS" in capsys.readouterr().out
    report = harness.check(
        f"{file}:lower_bound", family="rate", contract="none", grid="exposure=1;alpha=0.05"
    )
    assert "reaches the end" in {finding.check for finding in report.findings}


def test_the_mirror_of_a_limit_of_one_side_is_not_asked_for():
    def upper_bound(x, n, alpha):
        return 0.0 * x, 1.0 - 0.5 * (1.0 - x / n) ** 2

    upper_bound.side = "upper"
    found = harness.check(upper_bound, contract="none", sizes=(5,), alphas=(0.05,))
    by_name = {finding.check: finding for finding in found.findings}
    assert by_name["mirrors"].message == "does not apply to a method with limits of one side only"
    upper_bound.side = "up"
    with pytest.raises(InputError, match="upper_bound: side should be one of"):
        harness.check(upper_bound)
