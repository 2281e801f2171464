"""Runs that are to reach a half-width: fixed trials where alphas are known, looks elsewhere."""

import contextlib
import re
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from rich.console import Console

import harness
from harness.agreement import two_sided_p
from harness.designs.precision import (
    estimate_interval,
    fixed_trials,
    fraction_interval,
    planned_looks,
)
from harness.kinds.coverage import trials
from harness.kinds.coverage.experiment import Experiment
from harness.kinds.coverage.run import compute
from harness.kinds.coverage.screen import results_screen
from harness.kinds.load import load_experiment
from harness.kinds.run import workload_of
from harness.runner.journal import database
from harness.runner.journal.database import opened
from harness.runner.workload import Progress
from harness.screen.console import workload_lines
from tests.study.experiments import Interrupting, changed, in_memory, part, stable_files

KNOWN: dict[str, Any] = {
    "name": "narrow",
    "figures": [],
    "family": "proportion",
    "n": [4, 30],
    "alpha": [0.1, 0.05],
    "methods": ["wald", "wilson"],
    "truth": {"uniform": [0, 1]},
    "trials": {"half_width": 0.006, "max": 50_000},
    "seed": 5,
    "execution": {"jobs": 1},
}
DRAWN: dict[str, Any] = {
    **KNOWN,
    "alpha": 0.05,
    "methods": ["wilson", {"name": "bootstrap_percentile", "label": "bootstrap"}],
    "trials": {"half_width": 0.02, "max": 6000},
}
UNKNOWN = {"n": [4, 5000], "engines": ["monte_carlo"], "alpha": 0.05}
"""Enumeration knows no alpha of the larger size before the outcomes are drawn."""


def counted(results: harness.Results, **levels: Any) -> pl.DataFrame:
    return part(results.summary, engine="monte_carlo", **levels)


def misses(table: pl.DataFrame) -> Any:
    return np.rint(table["actual_alpha"].to_numpy() * table["trials"].to_numpy()).astype(np.int64)


def intervals(table: pl.DataFrame) -> Any:
    return table["ci_lower"].to_numpy(), table["ci_upper"].to_numpy()


@pytest.fixture(scope="module")
def known() -> harness.Results:
    return in_memory(KNOWN)


@pytest.fixture(scope="module")
def drawn() -> harness.Results:
    return in_memory(DRAWN)


@pytest.fixture(scope="module")
def unknown() -> harness.Results:
    return in_memory(KNOWN, **UNKNOWN)


def test_trials_are_fixed_from_the_exact_alpha_that_takes_the_most(known: harness.Results) -> None:
    for n in (4, 30):
        exact = part(known.summary, engine="enumeration", n=n)["actual_alpha"].to_numpy()
        trials = counted(known, n=n)["trials"].unique().to_list()
        assert trials == [fixed_trials(exact, 0.006, 50_000).max()]


def test_intervals_of_fixed_trials_are_those_of_any_run(known: harness.Results) -> None:
    table = counted(known)
    for found, expected in zip(
        intervals(table), fraction_interval(misses(table), table["trials"].to_numpy()), strict=True
    ):
        assert (found == expected).all()
    content = known.manifest["precision"]
    assert "looks" not in content
    assert [each["stopped_by"] for each in content["sizes"]] == ["exact_alpha"] * 2
    assert all(each["reached"] and each["half_width"] <= 0.006 for each in content["sizes"])


def test_fixed_trials_are_those_of_a_run_that_asks_for_as_many(known: harness.Results) -> None:
    (trials,) = counted(known, n=30)["trials"].unique().to_list()
    asked = in_memory(KNOWN, n=30, trials={"per_size": trials})
    assert part(known.cells, n=30).equals(asked.cells)


def test_at_most_the_trials_allowed_are_made_and_the_screen_names_the_size() -> None:
    config = changed(KNOWN, alpha=0.05, trials={"half_width": 0.006, "max": 8000})
    results = harness.run(config, out=None)
    sizes = results.manifest["precision"]["sizes"]
    assert [(each["trials"], each["reached"]) for each in sizes] == [(8000, False), (8000, False)]
    (line,) = [each for each in map(str, results_screen(results)) if "wider than" in each]
    assert "n = 4, n = 30" in line


def test_trials_with_drawn_limits_stop_at_the_first_look_that_is_narrow_enough(
    drawn: harness.Results,
) -> None:
    looks = planned_looks(6000, 1024)
    content = drawn.manifest["precision"]
    assert content["looks"]["trials"] == list(looks)
    for size in content["sizes"]:
        table = counted(drawn, n=size["n"])
        assert table["trials"].unique().to_list() == [size["trials"]] == [looks[size["look"] - 1]]
        lower, upper = intervals(table)
        assert size["half_width"] == (0.5 * (upper - lower)).max() <= 0.02
        if size["look"] > 1:
            # The trials up to the look before, which the same shards make.
            fewer = {"half_width": 1e-4, "max": looks[size["look"] - 2]}
            before = counted(in_memory(DRAWN, n=size["n"], trials=fewer))
            lower, upper = estimate_interval(misses(before), before["trials"].to_numpy(), 4)
            assert (0.5 * (upper - lower)).max() > 0.02
    assert max(size["look"] for size in content["sizes"]) > 1


def test_intervals_at_looks_are_of_clopper_and_pearson_in_both_tables(
    drawn: harness.Results,
) -> None:
    for table in (counted(drawn), part(drawn.cells, engine="monte_carlo")):
        expected = estimate_interval(misses(table), table["trials"].to_numpy(), 4)
        for found, ends in zip(intervals(table), expected, strict=True):
            assert found == pytest.approx(ends, abs=1e-15)


def test_p_values_are_multiplied_by_the_looks_and_nothing_is_tested_over_sizes(
    drawn: harness.Results,
) -> None:
    (line,) = drawn.manifest["agreement"]["methods"]
    smallest = 1.0
    for cells, exact in (
        (part(drawn.cells, engine="monte_carlo"), part(drawn.cells, engine="enumeration")),
        (counted(drawn), part(drawn.summary, engine="enumeration")),
    ):
        keys = [key for key in ("n", "x") if key in cells.columns]
        pairs = part(cells, method="wilson").join(part(exact, method="wilson"), on=keys)
        for name in ("miss_below", "miss_above", "actual_alpha"):
            trials = pairs["trials"].to_numpy()
            count = np.rint(pairs[name].to_numpy() * trials).astype(np.int64)
            p_value = two_sided_p(count, trials, pairs[f"{name}_right"].to_numpy())
            smallest = min(smallest, float(p_value.min()))
    assert line["smallest_p"] == pytest.approx(min(1.0, 4 * smallest), rel=1e-6)
    assert line["tests"] == 3 * (line["cells"] + 2)
    assert (line["intervals_missing"], line["expected_missing"]) == (None, None)
    for row in drawn.manifest["overall"]:
        assert (row["std_error"], row["ci_lower"], row["ci_upper"]) == (None, None, None)
        assert row["misses"] > 0


@pytest.mark.parametrize("config", [KNOWN, DRAWN, {**KNOWN, **UNKNOWN}])
def test_the_screen_shows_every_kind_of_run(config: dict[str, Any]) -> None:
    output = StringIO()
    shown = results_screen(in_memory(config, alpha=0.05), verbose=True)
    Console(file=output, width=200).print(*shown)
    assert "Monte Carlo over all sizes" in output.getvalue()
    # No number is missing; a sentence may begin with "None of 2 methods".
    assert not re.search(r"None(?! of \d)", output.getvalue())


def test_each_size_has_its_own_way_to_end(unknown: harness.Results) -> None:
    content = unknown.manifest["precision"]
    assert [each["stopped_by"] for each in content["sizes"]] == ["exact_alpha", "looks"]
    assert content["sizes"][1]["trials"] == 16384
    assert unknown.manifest["agreement"]["agrees"]
    # The totals are those of the size with fixed trials.
    fixed = in_memory(KNOWN, **UNKNOWN | {"n": 4})
    assert counted(unknown, n=4).equals(counted(fixed))


def test_limits_at_outcomes_are_computed_look_by_look() -> None:
    """At 40,000 trials of 65,536 outcomes each look draws outcomes that no look before had."""
    results = in_memory(
        KNOWN, **UNKNOWN | {"n": 65_536, "trials": {"half_width": 0.003, "max": 40_000}}
    )
    (size,) = results.manifest["precision"]["sizes"]
    assert size["look"] > 1
    cells = part(results.cells, method="wilson")
    assert cells["trials"].sum() == size["trials"]
    assert cells["lower"].is_not_null().all()
    assert cells["x"].is_sorted()


@pytest.mark.parametrize("jobs", [2, 8])
@pytest.mark.parametrize(
    "base", [DRAWN, {**KNOWN, **UNKNOWN}], ids=["drawn limits", "drawn outcomes"]
)
def test_the_same_bytes_for_any_number_of_jobs(
    base: dict[str, Any], jobs: int, tmp_path: Path
) -> None:
    base = changed(base, alpha=0.05)
    many = {**base, "execution": {"jobs": jobs}}
    paths = [harness.run(each, out=tmp_path / str(i)).path for i, each in enumerate((base, many))]
    one, other = (stable_files(path) for path in paths if path is not None)
    assert one == other


@pytest.mark.parametrize(
    "base", [KNOWN, DRAWN, {**KNOWN, **UNKNOWN}], ids=["known", "drawn limits", "drawn outcomes"]
)
def test_a_run_that_was_stopped_goes_on_to_the_same_numbers(
    base: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "SHORTEST_BATCH", 0.0)
    monkeypatch.setattr(database, "_PAUSE", 0.0)
    experiment = load_experiment(changed(base, trials={"half_width": 0.012, "max": 40_000}))
    assert isinstance(experiment, Experiment)
    expected = compute(experiment, Progress())
    stops = 0
    for after in (1, 2, 1, 99):
        with contextlib.suppress(KeyboardInterrupt), opened(tmp_path / "j") as journal:
            found = compute(experiment, Interrupting(after), journal)
            stops += 1
    assert stops > 0
    assert found.cells.equals(expected.cells)
    assert found.summary.equals(expected.summary)
    assert found.manifest == expected.manifest


def test_finished_looks_are_not_simulated_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = load_experiment(DRAWN)
    assert isinstance(experiment, Experiment)
    with opened(tmp_path / "j") as journal:
        first = compute(experiment, Progress(), journal)
    monkeypatch.setattr(trials, "simulate_shard", None)
    with opened(tmp_path / "j") as journal:
        assert compute(experiment, Progress(), journal).manifest == first.manifest


def test_what_a_run_may_cost_is_an_upper_bound() -> None:
    experiment = load_experiment(DRAWN)
    found = workload_of(experiment)
    assert (found.trials, found.tasks, found.at_most) == (2 * 6000, 2 * 4, True)
    assert "  trials: up to 12,000" in workload_lines("narrow", found)
    # At 16,384 trials any count is narrow enough, whatever is allowed.
    many = load_experiment(changed(DRAWN, trials={"half_width": 0.02, "max": 10**9}))
    assert workload_of(many).trials == 2 * 16_384
    assert not workload_of(load_experiment({**DRAWN, "trials": {"per_size": 5}})).at_most


def test_a_size_alone_stops_where_it_does_among_others(drawn: harness.Results) -> None:
    alone = in_memory(DRAWN, n=30)
    assert part(drawn.cells, n=30).equals(alone.cells)


def test_a_failing_function_counts_its_failures_in_the_fixed_number(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import math\n\ndef mine(x, n, alpha):\n"
        "    return (math.nan, math.nan) if x == 0 else (0.0, min(1.0, x / n + 0.4))\n"
    )
    mine = {"path": str(tmp_path / "mine.py"), "function": "mine", "label": "mine"}
    results = in_memory(KNOWN, n=4, alpha=0.1, methods=[mine])
    exact = part(results.summary, engine="enumeration")["actual_alpha"].to_numpy()
    assert exact[0] > 0.2
    assert counted(results)["trials"].to_list() == fixed_trials(exact, 0.006, 50_000).tolist()
