"""A simulation study is the same however it is run, and goes on where it was."""

import json
import math
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

import harness
from harness.base.errors import InputError
from harness.callers.simulation.requests import Stream, stream_key
from harness.cli import main
from harness.designs.precision import estimate_interval, planned_looks
from harness.kinds.run import run_part
from harness.kinds.simulation.show import study_sentences
from harness.runner.parts import Part
from harness.runner.workload import Progress
from harness.tables.results import Results
from tests.simulation.studies import MODELS, function, study, value
from tests.study.experiments import stable_files

ROOT = Path(harness.__file__).parents[1]
MEDIAN = {"path": str(Path(__file__).with_name("measured.py")), "function": "median_bias"}
SEVERAL = study("t", "z", "drawing", factors={"n": [5, 10]}, keep="replicates", measures=[MEDIAN])


def _interval(p: float, trials: int) -> tuple[float, float]:
    """Between which the fraction of a probability lies but once in 10^6."""
    return tuple(float(k) / trials for k in stats.binom.ppf([5e-7, 1 - 5e-7], trials, p))


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return harness.run(SEVERAL, out=tmp_path_factory.mktemp("whole"))


@pytest.mark.parametrize("execution", [{"jobs": 2}, {"jobs": 2, "backend": "loky"}])
def test_jobs_and_backends_change_no_byte(whole, execution, tmp_path):
    found = harness.run({**SEVERAL, "execution": execution}, out=tmp_path)
    assert stable_files(found.path) == stable_files(whole.path)


def test_parts_change_no_byte(whole, tmp_path):
    config = tmp_path / "study.yaml"
    config.write_text(json.dumps(SEVERAL))
    for number in (2, 1, 3):
        command = ["run", str(config), "--shard", f"{number}/3", "--out", str(tmp_path), "--quiet"]
        assert main(command) == 0
    assert main(["merge", str(tmp_path), "--out", str(tmp_path / "merged"), "--quiet"]) == 0
    assert stable_files(tmp_path / "merged" / "study") == stable_files(whole.path)


def test_another_method_and_more_trials_change_no_number(whole, tmp_path):
    more = study(
        "z",
        "raising",
        "t",
        "drawing",
        factors={"n": [10, 5]},
        keep="replicates",
        trials={"per_scenario": 700},
    )
    found = harness.run(more, out=None).cells.filter(pl.col("trial") <= 600)
    for n in (5, 10):
        for method in ("t", "z", "drawing"):
            columns = [
                table.filter(n=n, method=method).sort("trial").drop("scenario")
                for table in (found, whole.cells)
            ]
            assert columns[0].equals(columns[1])


def test_a_recorded_method_is_not_called_again_and_a_changed_file_is(tmp_path):
    file = tmp_path / "mine.py"
    shutil.copy(MODELS, file)
    mine = {"path": str(file), "function": "t", "label": "mine"}
    config = study("z", factors={"n": [5]})
    config["methods"].append(mine)
    calls = [harness.run(config, out=tmp_path / "out").calls for _ in range(2)]
    assert set(calls[0]) == {"model", "z", "mine"}
    assert calls[1] == {}
    file.write_text(
        file.read_text().replace("def t(data, alpha):\n", "def t(data, alpha):\n    1\n")
    )
    assert set(harness.run(config, out=tmp_path / "out").calls) == {"model", "mine"}


def test_a_changed_import_makes_records_stale(tmp_path):
    (tmp_path / "mine.py").write_text("from inner import t\n")
    (tmp_path / "inner.py").write_text("def t(data, alpha):\n    return -1.0, 1.0\n")
    config = study("z")
    config["methods"].append({"path": str(tmp_path / "mine.py"), "function": "t"})
    harness.run(config, out=tmp_path / "out")
    (tmp_path / "inner.py").write_text("def t(data, alpha):\n    return -2.0, 2.0\n")
    found = harness.run(config, out=tmp_path / "out")
    assert set(found.calls) == {"model", "t"}
    assert value(found, "mean_length", "t") == 4.0


def test_a_trial_has_its_own_numbers():
    key = stream_key(1, {"n": 5}, 0, "")
    after = Stream(key)
    after.at(3).normal(size=7)
    random.seed(3)
    assert np.array_equal(after.at(41).normal(size=5), Stream(key).at(41).normal(size=5))


@pytest.mark.parametrize("who", ["t", "z"])
def test_streams_of_scenarios_and_methods_differ(who):
    keys = {
        stream_key(s, {"n": n}, b, w)
        for s in (1, 2)
        for n in (5, 6)
        for b in (0, 9)
        for w in ("", who)
    }
    assert len(keys) == 16


def test_a_batch_has_the_coverage_of_single_trials():
    config = study("t", "z", model="normals", batch=100, trials={"per_scenario": 40_050})
    found = harness.run(config, out=None)
    for method, p in (("t", 0.95), ("z", 0.8784)):
        assert value(found, "coverage", method, "trials") == 40_050
        low, high = _interval(p, 40_050)
        assert low <= value(found, "coverage", method) <= high


# Known coverages. Each test fails but once in 10^6 seeds.


@pytest.mark.parametrize(("method", "p"), [("t", 0.95), ("z", 0.878_440)])
def test_intervals_of_a_normal_mean_cover_what_they_must(method, p):
    """Of z at n = 5 it is 1 − 2·Pr(T > 1.96) with 4 degrees of freedom."""
    assert p == 0.95 or abs(1 - 2 * stats.t.sf(1.959963984540054, 4) - p) < 1e-6
    found = harness.run(study(method, trials={"per_scenario": 20_000}), out=None)
    low, high = _interval(p, 20_000)
    assert low <= value(found, "coverage", method) <= high


def test_walds_interval_of_an_exponential_mean_covers_what_it_must():
    """With n·mean ~ Gamma(n): the mean is between 1/(1 + h) and 1/(1 − h), h = 1.96/√n."""
    half = 1.959963984540054 / 10**0.5
    p = float(np.diff(stats.gamma.cdf([10 / (1 + half), 10 / (1 - half)], 10))[0])
    config = study(
        "wald_of_exponential",
        model="exponential",
        factors={"n": [10]},
        estimand=1,
        trials={"per_scenario": 20_000},
    )
    low, high = _interval(p, 20_000)
    assert low <= value(harness.run(config, out=None), "coverage", "wald_of_exponential") <= high


# Trials until they are enough.


def test_standard_errors_asked_for_are_reached():
    config = study("t", trials={"mcse": {"coverage": 0.004, "bias": 0.01}, "max": 50_000})
    found = harness.run(config, out=None)
    assert value(found, "coverage", "t", "mcse") <= 0.004
    assert value(found, "bias", "t", "mcse") <= 0.01
    assert 1000 < value(found, "coverage", "t", "trials") < 5000


def test_a_half_width_asked_for_is_reached():
    found = harness.run(study("t", trials={"half_width": 0.01, "max": 50_000}), out=None)
    low, high = (value(found, "coverage", "t", column) for column in ("ci_lower", "ci_upper"))
    assert 0 < high - low <= 0.02


@pytest.mark.parametrize("rule", [{"mcse": {"coverage": 0.005}}, {"half_width": 0.015}])
def test_intervals_are_corrected_for_the_planned_looks_by_both_rules(rule):
    """Looks are after 1024, 2048, 4096 and 5000 trials."""
    found = harness.run(study("t", trials={**rule, "max": 5000}), out=None)
    trials = value(found, "coverage", "t", "trials")
    assert trials == 2048
    covered = np.rint(value(found, "coverage", "t") * trials).astype(np.int64)
    limits = [value(found, "coverage", "t", column) for column in ("ci_lower", "ci_upper")]
    corrected = estimate_interval(covered, np.int64(trials), looks=4)
    assert limits == pytest.approx([float(each) for each in corrected], rel=1e-12)


def test_intervals_contain_the_coverage_wherever_a_standard_error_ends_the_trials():
    """Exactly: the counts that go on after each look, with the rule √(f(1 − f)/m) ≤ 0.005.

    The interval at 95 % of each look alone would miss 0.875 in 6.5 % of the runs.
    """
    p, looks = 0.875, planned_looks(16_384, 1024)
    missed = {0: 0.0, len(looks): 0.0}
    before, going_on = 0, np.ones(1)
    for look in looks:
        step = stats.binom.pmf(np.arange(look - before + 1), look - before, p)
        probability = np.convolve(going_on, step)
        covered = np.arange(look + 1)
        ends = covered * (look - covered) / look**3 <= 0.005**2
        for correction in missed:
            lower, upper = estimate_interval(covered, np.full_like(covered, look), correction)
            missed[correction] += probability[ends & ((p < lower) | (p > upper))].sum()
        before, going_on = look, np.where(ends, 0.0, probability)
    assert going_on.sum() == 0
    assert missed[0] == pytest.approx(0.065, abs=0.0005)
    assert missed[len(looks)] < 0.05


def test_sentences_are_corrected_for_the_looks_too():
    row = {"scenario": 1, "method": "t", "measure": "coverage", "estimate": 0.935, "mcse": 0.0078}
    summary = pl.DataFrame({**row, "trials": 1000, "ci_lower": 0.918, "ci_upper": 0.949})
    of_study = {"experiment": {"factors": [{}], "alpha": 0.05}}
    said = [
        next(study_sentences(Results(pl.DataFrame(), summary, {**of_study, "trials": trials})))
        for trials in ({}, {"looks": 4})
    ]
    assert "coverage is too low" in said[0]
    assert "coverage agrees" in said[1]


def test_trials_end_at_the_largest_number():
    config = study("t", trials={"mcse": {"bias": 1e-6}, "max": 1100})
    assert value(harness.run(config, out=None), "bias", "t", "trials") == 1100


def test_trials_that_depend_on_results_have_no_parts(tmp_path):
    from harness.kinds.load import load_experiment

    experiment = load_experiment(study("t", trials={"mcse": {"bias": 1e-6}}))
    with pytest.raises(InputError, match="trials that depend on results cannot be run in parts"):
        run_part(experiment, Part(1, 2), tmp_path, Progress())


# What a study leaves.


def test_results_are_read_as_they_were_written(whole):
    read = harness.load(whole.path)
    assert read.summary.equals(whole.summary)
    assert read.differences.equals(whole.differences)
    assert read.cells.equals(whole.cells)


def test_every_column_is_described(whole):
    described = whole.dictionary.filter(pl.col("meaning") != "")
    for name, table in whole.tables.items():
        assert described.filter(table=name)["column"].to_list() == table.columns


def test_differences_are_paired(whole):
    """Both methods have the same estimate in each trial."""
    row = whole.differences.filter(scenario=1, method="z", measure="bias")
    assert row["difference"][0] == row["mcse"][0] == 0.0


def test_a_table_is_exported_for_latex(whole, capsys):
    command = ["export", str(whole.path), "--format", "latex", "--where", "measure=coverage"]
    assert main(command) == 0
    assert r"\toprule" in capsys.readouterr().out


def test_the_page_of_a_study_has_its_sentences_and_pictures(whole):
    assert main(["report", str(whole.path)]) == 0
    page = (whole.path / "report.html").read_text("utf-8")
    assert "What the study found" in page
    assert "z: coverage is too low in 2 of 2 scenarios" in page
    assert "data:image/svg+xml;base64," in page


def test_the_estimand_may_be_a_function():
    config = study("t", estimand=function("twice_n"), factors={"n": [5, 7]})
    assert harness.run(config, out=None).manifest["truths"] == [10.0, 14.0]


def test_the_resolved_config_gives_the_same_bytes(tmp_path):
    config = study("t", model="scaled", factors={"n": [5], "scale": [1.0, 2]}, null=0)
    first = harness.run(config, out=tmp_path)
    again = harness.run(first.path / "config.yaml", out=tmp_path / "again")
    assert stable_files(again.path) == stable_files(first.path)


def test_functions_may_be_of_a_module(tmp_path, monkeypatch):
    (tmp_path / "package_of_mine").mkdir()
    (tmp_path / "package_of_mine/study.py").write_text(Path(MODELS).read_text())
    (tmp_path / "package_of_mine/__init__.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    module = "package_of_mine.study"
    places = [{"module": module, "function": name} for name in ("normal", "t")]
    config = study("t", model="normal")
    found = harness.run({**config, "model": places[0], "methods": [places[1]]}, out=None)
    assert found.summary.equals(harness.run(config, out=None).summary)


def test_factors_may_be_rows_of_a_file(tmp_path):
    (tmp_path / "design.csv").write_text("n\n5\n8\n")
    (tmp_path / "study.yaml").write_text(json.dumps(study("t", factors={"csv": "design.csv"})))
    found = harness.run(tmp_path / "study.yaml", out=None)
    assert found.summary["n"].unique().sort().to_list() == [5, 8]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["slope", "variance", "z_for_t"])
def test_a_study_of_the_package_gives_the_results_that_are_stored(name, tmp_path):
    found = harness.run(ROOT / f"configs/simulations/{name}.yaml", out=tmp_path)
    stored = harness.load(ROOT / f"results/simulations/{name}")
    assert found.summary.drop(pl.selectors.float()).equals(
        stored.summary.drop(pl.selectors.float())
    )
    for column in ("estimate", "mcse"):
        assert np.allclose(found.summary[column], stored.summary[column], rtol=1e-9, atol=1e-12)


# Killed at any moment.


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there is no such signal")
def test_a_killed_run_ends_with_the_same_bytes(tmp_path):
    config = tmp_path / "study.yaml"
    slow = {**SEVERAL, "trials": {"per_scenario": 30_000}, "execution": {"jobs": 2}}
    config.write_text(json.dumps(slow))
    expected = stable_files(harness.run(slow, out=tmp_path / "plain").path)
    command = [sys.executable, "-m", "harness", "run", str(config), "--quiet"]
    command += ["--out", str(tmp_path / "killed")]
    moments = random.Random(5)
    for _ in range(5):
        process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": str(ROOT)})
        time.sleep(moments.uniform(1.0, 4.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
    assert subprocess.run(command, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)
    assert stable_files(tmp_path / "killed" / "study") == expected


def test_a_study_of_too_many_trials_is_refused_before_it_starts(tmp_path, capsys, monkeypatch):
    config = tmp_path / "study.yaml"
    config.write_text(json.dumps(study("z", trials={"per_scenario": 10**11})))
    assert main(["run", str(config), "--out", str(tmp_path / "out")]) == 2
    assert "100,000,000,000 trials would need 4.8e+03 GB" in capsys.readouterr().err
    monkeypatch.setattr("harness.kinds.simulation.run.machine_memory", lambda: math.inf)
    assert main(["run", str(config), "--out", str(tmp_path / "out")]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "more than the 10,000,000,000 that a run may compute" in said
    assert not (tmp_path / "out").exists()
