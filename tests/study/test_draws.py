"""The draws of a run are keyed by seed, size, truth and shard, and by nothing else."""

import numpy as np
import polars as pl
import pytest

from harness.base.errors import HarnessError
from harness.designs.engines import monte_carlo
from harness.kinds.coverage import plan
from harness.kinds.coverage.columns import catalogue_columns
from harness.kinds.coverage.plan import plan_scenarios
from harness.kinds.load import load_experiment
from tests.study.experiments import DRAWN, LISTED, changed, in_memory, part

BASES = pytest.mark.parametrize("base", [DRAWN, LISTED], ids=["drawn", "listed"])


def counted(results, **levels):
    """The Monte Carlo cells of some levels."""
    return part(results.cells, engine="monte_carlo", **levels)


BESIDE = [
    {"n": [1, 2, 5, 12, 40]},
    {"n": 12},
    {"alpha": [0.5, 0.05, 0.01], "n": [5, 12]},
    {"methods": ["jeffreys", "wald"], "n": [5, 12]},
    {"execution": {"jobs": 2}, "n": [5, 12]},
    {"engines": ["monte_carlo"], "n": [5, 12]},
    {"outcomes": {"fractions": 3}, "reference_prior": [3, 3], "n": 12},
    {"name": "another", "title": "Another", "n": 12},
]


@pytest.mark.parametrize("change", BESIDE, ids=lambda change: ", ".join(change))
def test_no_draw_changes_with_what_stands_beside_it(drawn, change):
    check_draws(drawn, in_memory(DRAWN, **change))


def test_no_draw_at_listed_truths_changes_with_what_stands_beside_it(listed):
    check_draws(listed, in_memory(LISTED, n=[3, 12], methods=["jeffreys", "wald"], alpha=0.05))


def check_draws(before, after):
    expected = counted(before, n=12, method="wald", alpha=0.05)
    assert expected["miss_below"].sum() > 0
    assert counted(after, n=12, method="wald", alpha=0.05).equals(expected)


def test_draws_from_tables_are_other_draws_that_agree_for_any_number_of_jobs(drawn, monkeypatch):
    monkeypatch.setattr(monte_carlo, "SHARD", 1 << 9)
    results = [
        in_memory(DRAWN, draws="thinned", execution={"jobs": jobs, "backend": backend})
        for jobs, backend in ((1, "threading"), (2, "loky"))
    ]
    assert results[0].cells.equals(results[1].cells)
    assert not counted(results[0], n=12).equals(counted(drawn, n=12))
    assert all(each.manifest["agreement"]["agrees"] for each in results)
    assert results[0].manifest["experiment"]["draws"] == "thinned"


@BASES
def test_another_seed_gives_other_draws(base):
    """The second of two seeds that differ beyond the first 64 bits is used whole."""
    results = [
        in_memory(base, n=5, methods=["wald"], alpha=0.05, seed=seed) for seed in (1, 2, 1 + 2**64)
    ]
    first, second, large = (counted(each) for each in results)
    assert not first.equals(second)
    assert not first.equals(large)
    assert all(each.manifest["agreement"]["agrees"] for each in results)


@BASES
def test_shards_of_another_size_are_merged_to_as_many_trials(base, monkeypatch):
    monkeypatch.setattr(monte_carlo, "SHARD", 1 << 8)
    config = changed(base, n=[5, 12], methods=["wald"], alpha=0.05)
    experiment = load_experiment(config)
    plans = plan_scenarios(experiment, catalogue_columns(experiment))
    assert max(len(each.shards) for each in plans) > 4
    results = in_memory(config)
    assert results.manifest["agreement"]["agrees"]
    rows = part(results.summary, engine="monte_carlo")
    assert rows["trials"].to_list() == list(results.manifest["trials"]["by_size"].values())


def trials_by_size(results):
    rows = part(results.summary, engine="monte_carlo", method="wald", alpha=0.05)
    return dict(zip(rows["n"].to_list(), rows["trials"].to_list(), strict=True))


def of_wald(base, **changes):
    return in_memory(base, methods=["wald"], alpha=0.05, **changes)


@BASES
def test_per_outcome_is_a_number_of_trials_for_each_of_n_plus_1_outcomes(base):
    results = of_wald(base, trials={"per_outcome": 30})
    assert trials_by_size(results) == {1: 60, 5: 180, 12: 390}
    assert results.manifest["trials"] == {
        "total": 630,
        "by_size": {"1": 60, "5": 180, "12": 390},
    }


@BASES
def test_per_size_is_the_number_of_trials_at_each_n(base):
    assert trials_by_size(of_wald(base, trials={"per_size": 500})) == {1: 500, 5: 500, 12: 500}


def test_per_truth_is_the_number_of_trials_at_each_value_exactly(listed):
    assert trials_by_size(listed) == {1: 1200, 5: 1200, 12: 1200}
    cells = counted(listed, given="truth", method="wald", alpha=0.05)
    assert cells["trials"].to_list() == [300] * 12
    assert cells["truth"].to_list() == [0, 0.25, 0.5, 1] * 3


def test_values_are_drawn_where_trials_are_not_given_for_each():
    cells = counted(of_wald(LISTED, n=5, trials={"per_size": 1200}), given="truth")
    shares = part(cells, method="wald", alpha=0.05)["trials"].to_list()
    assert sum(shares) == 1200
    assert len(set(shares)) > 1


def test_outcomes_beyond_the_largest_table_are_those_drawn_and_no_more(monkeypatch):
    """Limits for all outcomes would not fit; for those that came up they do."""
    monkeypatch.setattr(plan, "LARGEST_TABLE", 1 << 18)
    results = in_memory(
        DRAWN,
        n=(1 << 18) + 1,
        alpha=0.3,
        methods=["wilson"],
        trials={"per_size": 500},
        engines=["monte_carlo"],
    )
    cells = part(results.cells, method="wilson")
    assert 490 < cells.height <= 500
    assert cells["trials"].sum() == 500
    assert cells["x"].is_sorted()
    assert results.manifest["agreement"]["agrees"]
    # 500 trials at 0.3: five standard errors.
    rate = part(results.summary, method="wilson")["actual_alpha"][0]
    assert rate == pytest.approx(0.3, abs=5 * (0.21 / 500) ** 0.5)


def test_a_size_whose_table_does_not_fit_is_refused_with_a_way_out():
    with pytest.raises(HarnessError, match="n = 100000000: outcomes: all would need") as caught:
        in_memory(DRAWN, n=10**8, trials={"per_size": 10})
    assert "fractions" in str(caught.value)
    assert caught.value.exit_code == 2


def test_draws_do_not_depend_on_the_global_random_state():
    np.random.seed(1)  # noqa: NPY002
    first = of_wald(DRAWN, n=5)
    np.random.seed(2)  # noqa: NPY002
    state = np.random.get_state()[1].copy()  # noqa: NPY002
    second = of_wald(DRAWN, n=5)
    assert (np.random.get_state()[1] == state).all()  # noqa: NPY002
    assert first.cells.equals(second.cells)


def test_exact_engines_alone_draw_nothing():
    results = in_memory(DRAWN, trials=None, seed=None)
    assert results.cells["engine"].unique().sort().to_list() == ["enumeration", "posterior"]
    assert results.manifest["trials"] == {"total": 0, "by_size": {}}
    assert not results.manifest["agreement"]["checked"]
    assert results.manifest["overall"] == []
    assert (
        results.cells.select(pl.col("trials", "std_error", "ci_lower").is_null().all()).row(0)
        == (True,) * 3
    )
