"""The same config gives the same bytes: for any number of jobs, on any backend, and again."""

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

import harness
from harness.designs.engines import monte_carlo
from harness.kinds.coverage import solutions
from harness.runner.workload import Progress
from tests.study.experiments import DRAWN, LISTED, changed, files, stable_files

FILES = {"cells.parquet", "columns.csv", "summary.csv", "manifest.json"}


@pytest.fixture(scope="module")
def small_shards():
    """Shards of 2^9 trials, shared by threads, so that several merge in an order that may fail."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(monte_carlo, "SHARD", 1 << 9)
        patch.setattr(solutions, "_FEWEST_FOR_THREADS", 0)
        yield


@pytest.fixture(scope="module", params=[DRAWN, LISTED], ids=["drawn", "listed"])
def reference(request, tmp_path_factory, small_shards):
    """A config and the bytes that one job, by threads, makes of it."""
    config = changed(request.param, execution={"jobs": 1, "backend": "threading"})
    results = harness.run(config, out=tmp_path_factory.mktemp("reference"))
    return config, results.path


@pytest.mark.parametrize(
    ("jobs", "backend"),
    [(1, "threading"), (2, "threading"), (8, "threading"), (2, "loky"), (8, "loky"), (2, "dask")],
)
def test_neither_jobs_nor_backend_nor_a_second_run_change_a_byte(
    reference, jobs, backend, tmp_path
):
    config, folder = reference
    execution = {"jobs": jobs, "backend": backend}
    results = harness.run(changed(config, execution=execution), out=tmp_path)
    expected = stable_files(folder)
    assert expected.keys() >= FILES
    assert any(name.endswith(".png") for name in expected)
    assert stable_files(results.path) == expected


def test_a_killed_process_of_loky_changes_no_byte(reference, monkeypatch, tmp_path):
    config, folder = reference

    class Killing(Progress):
        done = 0
        killed: psutil.Process | None = None

        def advance(self, trials):
            self.done += trials
            if self.killed is None and self.done > 1500:
                # Not loky's resource tracker, which is the last once process numbers start anew.
                children = psutil.Process().children()
                workers = [child for child in children if "LokyProcess" in str(child.cmdline())]
                self.killed = workers[-1]
                self.killed.kill()

    killing = Killing()
    monkeypatch.setattr("harness.api.Progress", lambda: killing)
    execution = {"jobs": 2, "backend": "loky"}
    results = harness.run(changed(config, execution=execution), out=tmp_path)
    assert killing.killed is not None
    assert stable_files(results.path) == stable_files(folder)


def test_the_config_in_the_results_gives_the_same_results(reference, tmp_path):
    _, folder = reference
    results = harness.run(folder / "config.yaml", out=tmp_path)
    assert stable_files(results.path) == stable_files(folder)
    assert (results.path / "config.yaml").read_bytes() == (folder / "config.yaml").read_bytes()


def test_what_moves_from_run_to_run_stands_in_a_file_of_its_own(reference):
    _, folder = reference
    names = {name for name in files(folder) if not name.startswith("figures/")}
    assert names == FILES | {"config.yaml", "ranking.csv", "recommendation.csv", "run.json"}
    record = json.loads((folder / "run.json").read_text("utf-8"))
    assert set(record) == {"seconds", "jobs", "backend", "platform", "python", "commit"}
    assert record["seconds"] > 0
    manifest = (folder / "manifest.json").read_text("utf-8")
    assert str(Path.cwd()) not in manifest
    assert not {"seconds", "platform", "commit"} & set(json.loads(manifest))


def test_results_in_memory_are_those_written(reference):
    config, folder = reference
    results = harness.run(config, out=None)
    stored = harness.load(folder)
    assert results.path is None
    assert results.cells.equals(stored.cells)
    assert results.summary.equals(stored.summary)
    assert results.manifest == stored.manifest


def test_threads_of_the_linear_algebra_library_change_no_byte(tmp_path):
    """Sums of more than ten thousand terms, which such libraries split by cores."""
    config = changed(
        DRAWN,
        n=20_000,
        methods=["wilson"],
        alpha=[0.05, 0.3],
        trials={"per_size": 40_000},
        engines=["monte_carlo", "posterior"],
        figures=[],
    )
    (tmp_path / "c.json").write_text(json.dumps(config))
    code = "import harness, json; harness.run(json.load(open('c.json')), out={!r})"
    for threads in ("1", "2"):
        settings = {"OPENBLAS_NUM_THREADS": threads, "MKL_NUM_THREADS": threads}
        subprocess.run(
            [sys.executable, "-c", code.format(threads)],
            cwd=tmp_path,
            env={**os.environ, **settings},
            check=True,
        )
    first, second = (stable_files(tmp_path / threads / config["name"]) for threads in ("1", "2"))
    assert first.keys() >= FILES
    assert first == second
