"""What a run will cost, and what is refused before anything large is made."""

import sys
import tracemalloc
from typing import Any

import numpy as np
import pytest

import harness
from harness.base.errors import InputError
from harness.designs.engines.monte_carlo import SHARD
from harness.kinds.coverage import run as study
from harness.kinds.coverage.columns import catalogue_columns
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.plan import count_scenarios, plan_scenarios, reports_truths_alone
from harness.kinds.coverage.run import coverage_workload
from harness.kinds.load import load_all, load_experiment
from harness.kinds.run import workload_of
from harness.runner.parallel import MOST_JOBS_PER_CORE, parallel_jobs
from harness.runner.workload import (
    MOST_INTERVALS,
    MOST_TRIALS,
    Workload,
    machine_memory,
    memory_for,
)
from tests.study.experiments import DRAWN, LISTED, changed, in_memory

UNIFORM = {"uniform": [0, 1]}
BASE: dict[str, Any] = {
    "name": "large",
    "family": "proportion",
    "methods": ["wilson"],
    "truth": UNIFORM,
    "seed": 1,
}
PAIRS: dict[str, Any] = {
    **changed(DRAWN, n=None, figures=[], trials={"per_size": 900}),
    "family": "proportion_difference",
    "n1": [2, 4],
    "n2": 3,
    "methods": ["wald"],
    "truth": {"first": UNIFORM, "second": {"beta": [2, 3]}},
}
RATES: dict[str, Any] = {
    **changed(DRAWN, n=None, figures=[], trials={"per_size": 900}),
    "family": "rate",
    "exposure": [0.5, 3],
    "methods": ["exact_tail"],
}


def coverage(base: dict[str, Any], **changes: Any) -> Experiment:
    found = load_experiment(changed(base, **changes))
    assert isinstance(found, Experiment)
    return found


@pytest.fixture
def small_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with 8 GB of memory."""
    monkeypatch.setattr(study, "machine_memory", lambda: 8e9)


SHAPES = [
    DRAWN,
    LISTED,
    PAIRS,
    RATES,
    changed(DRAWN, outcomes={"fractions": 4}),
    changed(DRAWN, engines=["posterior"], trials=None, figures=[]),
    changed(LISTED, engines=["enumeration"], trials=None, figures=[]),
    changed(DRAWN, engines=["monte_carlo"]),
]


@pytest.mark.parametrize("base", SHAPES)
def test_the_counts_of_the_plan_bound_what_it_lists(base: dict[str, Any]) -> None:
    experiment = coverage(base)
    plans = plan_scenarios(experiment, catalogue_columns(experiment))
    for counts, plan in zip(count_scenarios(experiment), plans, strict=True):
        assert counts.scenario == plan.scenario
        assert counts.trials == sum(shard.trials for shard in plan.shards)
        assert counts.tasks == len(plan.shards)
        assert plan.outcomes.size <= counts.outcomes
        shown = plan.outcomes if plan.shown is None else plan.shown
        reported = 0 if reports_truths_alone(experiment) else shown.size
        assert reported <= counts.shown


@pytest.mark.parametrize("base", SHAPES)
def test_the_tables_have_no_more_rows_than_estimated(base: dict[str, Any]) -> None:
    found, results = workload_of(coverage(base)), in_memory(base)
    assert results.cells.height <= found.cells <= 3 * results.cells.height
    assert results.summary.height == found.summary


def test_where_every_outcome_is_drawn_the_rows_are_exact() -> None:
    base = changed(DRAWN, n=[1, 5], truth=UNIFORM, figures=[])
    assert workload_of(coverage(base)).cells == in_memory(base).cells.height


def test_trials_tasks_and_scenarios_are_those_of_the_plan() -> None:
    found = workload_of(coverage(BASE, n=[5, 7], trials={"per_size": SHARD + 1}))
    assert (found.scenarios, found.tasks, found.trials) == (2, 4, 2 * (SHARD + 1))


TEN = {"n": [4_000_000 + i for i in range(10)], "trials": {"per_size": 10**7}}
LARGE = [
    {"n": [1_000_000 + i for i in range(10)], "trials": {"per_size": 1000}},
    {"n": range(20_000, 20_400), "trials": {"per_size": 1000}},
    {"n": [1_000_000 + i for i in range(10)], "engines": ["posterior"], "seed": None},
]


@pytest.mark.usefixtures("small_machine")
@pytest.mark.parametrize("changes", LARGE)
def test_sizes_that_do_not_fit_together_are_refused_before_they_are_made(
    changes: dict[str, Any],
) -> None:
    experiment = coverage({**BASE, "methods": ["wilson", "wald", "jeffreys"]}, **changes)
    tracemalloc.start()
    with pytest.raises(InputError, match=r"more than the 8 GB of memory .* fewer sizes \(of its"):
        coverage_workload(experiment)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10e6


@pytest.mark.usefixtures("small_machine")
def test_ten_sizes_of_four_million_are_refused_whatever_fits_of_them() -> None:
    with pytest.raises(InputError, match=r"use .*a smaller n or fewer methods"):
        coverage_workload(coverage({**BASE, **TEN, "methods": ["wilson", "wald", "jeffreys"]}))


@pytest.mark.usefixtures("small_machine")
def test_what_the_message_offers_fits() -> None:
    base = {**BASE, "n": [4_000_000 + i for i in range(10)], "engines": ["posterior"]}
    with pytest.raises(InputError, match=r"or outcomes: \{fractions: 21\}") as caught:
        coverage_workload(coverage(base))
    coverage_workload(coverage(base, outcomes={"fractions": 21}))
    fitting = int(str(caught.value).split("the smallest ")[1].split()[0])
    coverage_workload(coverage(base, n=base["n"][:fitting]))
    with pytest.raises(InputError):
        coverage_workload(coverage(base, n=base["n"][: fitting + 1]))


def test_a_run_of_days_is_refused_by_its_number_of_trials() -> None:
    base = {**BASE, "n": list(range(1, 1001)), "trials": {"per_size": 10**11}}
    asked = (
        r"100,000,000,000,000 trials over 1,000 scenarios are more than the 1,000,000,000,000 that "
        r"a run may have; use fewer trials or fewer sizes \(about one in 100\), or --shard i/m "
        r"with m of at least 100\Z"
    )
    with pytest.raises(InputError, match=asked):
        harness.run(base, out=None)
    work = workload_of(coverage(base), parts=100)
    assert work.trials == 100 * MOST_TRIALS


def test_limits_that_are_drawn_in_every_trial_are_counted_as_intervals() -> None:
    base = {**BASE, "family": "proportion_difference", "n": None, "n1": 20, "n2": 20}
    base |= {"truth": {"first": UNIFORM, "second": UNIFORM}, "engines": ["monte_carlo"]}
    base |= {"methods": ["wald"], "trials": {"per_size": MOST_INTERVALS + 1}}
    assert workload_of(coverage(base)).intervals < 1000
    runs = {**BASE, "family": "mean", "methods": ["student_t", "z_sample"]}
    runs |= {"truth": {"normal": {"mean": 0, "sd": 1}}, "k": 10}
    runs |= {"trials": {"per_size": MOST_INTERVALS}, "engines": ["monte_carlo"]}
    with pytest.raises(InputError, match="20,000,000,000 intervals over 1 scenario are more than"):
        workload_of(coverage(runs))


def test_a_run_that_cannot_be_divided_is_not_told_to() -> None:
    base = {**BASE, "n": list(range(1, 101))}
    base |= {"trials": {"half_width": 1e-6, "max": 10**11}}
    with pytest.raises(InputError, match=r"a larger half_width, .* \(about one in \d+\)\Z"):
        workload_of(coverage(base))


def test_an_exposure_with_too_many_outcomes_is_refused_and_its_trials_run() -> None:
    base = {**BASE, "family": "rate", "exposure": 1e6, "methods": ["exact_tail"]}
    base |= {"truth": {"uniform": [0, 1000]}, "trials": {"per_size": 200}}
    with pytest.raises(InputError, match="1,000,280,015 intervals"):
        harness.run(base, out=None)
    drawn = harness.run({**base, "engines": ["monte_carlo"]}, out=None)
    assert drawn.summary["trials"].to_list() == [200]


def test_outcomes_of_a_large_size_are_merged_without_hashing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = np.unique

    def unique(*values: Any, **options: Any) -> Any:
        """It may hash, which took twenty times as long."""
        assert sys._getframe(1).f_globals["__name__"] != plan_scenarios.__module__
        return right(*values, **options)

    experiment = coverage(BASE, n=4_000_000, engines=["posterior", "enumeration"])
    monkeypatch.setattr(np, "unique", unique)
    tracemalloc.start()
    (plan,) = plan_scenarios(experiment, catalogue_columns(experiment))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # A set of them would take ten times the bytes of the outcomes.
    assert peak < 7 * plan.outcomes.nbytes
    assert np.array_equal(plan.outcomes, np.arange(4_000_001))


def test_more_jobs_than_make_sense_are_capped() -> None:
    cores = parallel_jobs(-1)
    assert parallel_jobs(10**9) == MOST_JOBS_PER_CORE * cores
    assert parallel_jobs(1) == 1
    assert parallel_jobs(10**9, tasks=3) == min(3, MOST_JOBS_PER_CORE * cores)


def test_the_memory_of_this_machine_is_known_or_infinite() -> None:
    assert machine_memory() > 1e8


@pytest.mark.parametrize(("fault", "reason"), [("", ""), ("of 7 GB", ": of 7 GB")])
def test_a_lack_of_memory_says_what_was_being_made(fault: str, reason: str) -> None:
    with (
        pytest.raises(InputError, match=rf"did not suffice for the tables{reason}\Z"),
        memory_for("the tables"),
    ):
        raise MemoryError(fault)


def test_a_run_that_lacks_memory_says_what_it_was_making(monkeypatch: pytest.MonkeyPatch) -> None:
    def too_large(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(study, "coverage_tables", too_large)
    with pytest.raises(InputError, match="did not suffice for the tables"):
        in_memory(DRAWN)


def test_every_shipped_config_fits_into_a_gigabyte(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "machine_memory", lambda: 1e9)
    for experiment in load_all(["configs"]):
        workload_of(experiment)


def test_a_calibration_has_a_workload() -> None:
    both = {"uniform": [0, 1]}
    config = {
        "name": "bins",
        "kind": "calibration",
        "family": "proportion_difference",
        "n1": 5,
        "n2": 5,
        "truth": {"first": both, "second": both},
        "delta": 0.1,
        "trials": 400,
        "bins": 5,
        "seed": 1,
    }
    found = workload_of(load_experiment(config))
    assert isinstance(found, Workload)
    results = harness.run(config, out=None)
    assert (found.trials, found.tasks) == (400, 1)
    assert (found.cells, found.summary) == (results.cells.height, results.summary.height)
