"""Tasks in parallel: in order, and done also where a worker process dies."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from joblib import Parallel

from harness.base.errors import HarnessError
from harness.config.values import Execution
from harness.runner.parallel import Backend, driver_backend, opened_backend, run_tasks
from tests.study.experiments import (
    FATAL,
    current_folder,
    process_of,
    process_that_grows,
    threads_for_linear_algebra,
)

TASKS = 40


@pytest.fixture
def loky():
    with opened_backend(Execution(2, "loky", 10.0)) as backend:
        yield backend


def results(backend: Backend, tries: Path, deaths: int) -> list[tuple[int, int]]:
    tasks = ((number, tries, deaths) for number in range(TASKS))
    return list(run_tasks(process_of, tasks, 2, backend, lambda number, *_: f"shard {number}"))


def test_results_are_complete_and_in_order_though_a_worker_dies(loky, tmp_path):
    found = results(loky, tmp_path / "tries", deaths=1)
    assert [number for number, _ in found] == list(range(TASKS))
    assert (tmp_path / "tries").stat().st_size == 2
    assert os.getpid() not in {process for _, process in found}


def test_workers_of_a_former_run_work_in_the_current_folder(loky, tmp_path, monkeypatch):
    for name in ("first", "second"):
        folder = tmp_path / name
        folder.mkdir()
        monkeypatch.chdir(folder)
        assert set(run_tasks(current_folder, [()] * 4, 2, loky)) == {folder}


@pytest.mark.slow
def test_a_worker_that_has_grown_is_replaced_without_a_word(loky):
    pytest.importorskip("psutil", reason="without it joblib replaces no worker that has grown")
    found = list(run_tasks(process_that_grows, ((number,) for number in range(12)), 2, loky))
    assert [number for number, _ in found] == list(range(12))
    assert len({process for _, process in found}) > 2


class Recorded:
    """Threads in which an error stands for a death, with the number of tasks of each pool."""

    deaths = (ZeroDivisionError,)
    tries = 3

    def __init__(self):
        self.sizes = []

    def pool(self, jobs):
        parallel = Parallel(n_jobs=jobs, backend="threading", return_as="generator")

        def run(tasks):
            self.sizes.append(0)
            return parallel(self.counted(tasks))

        return run

    def as_called(self, function):
        return function

    def counted(self, tasks):
        for task in tasks:
            self.sizes[-1] += 1
            yield task


def test_after_a_death_what_was_under_way_runs_alone_and_the_rest_in_parallel():
    backend, failures = Recorded(), iter([True, True])

    def divide(number):
        return number / (number != FATAL or not next(failures, False))

    found = list(run_tasks(divide, ((number,) for number in range(5000)), 2, backend))
    assert found == list(range(5000))
    first, *alone, last = backend.sizes
    # How many tasks a batch has depends on their speed; these are many times as many as a few.
    assert first < 4000
    assert set(alone) == {1}
    assert first + last == 5000


def test_the_third_try_alone_may_succeed(loky, tmp_path):
    found = results(loky, tmp_path / "tries", deaths=3)
    assert [number for number, _ in found] == list(range(TASKS))
    assert (tmp_path / "tries").stat().st_size == 4


def test_a_task_at_which_three_workers_die_alone_is_named(loky, tmp_path):
    with pytest.raises(HarnessError) as found:
        results(loky, tmp_path / "tries", deaths=100)
    assert str(found.value) == (
        "shard 7: its worker process died each time it was tried (SIGKILL(-9)); the memory may "
        "not suffice"
    )
    assert found.value.exit_code == 1
    # Once beside other tasks, and three times alone.
    assert (tmp_path / "tries").stat().st_size == 4


def test_a_task_without_a_name_goes_by_its_number(loky, tmp_path):
    tasks = [(FATAL, tmp_path / "tries", 100)]
    with pytest.raises(HarnessError, match=r"^task 1: its worker process died"):
        list(run_tasks(process_of, tasks, 2, loky))


def test_an_error_of_a_task_is_raised_as_it_is(loky):
    with pytest.raises(ValueError, match="invalid literal"):
        list(run_tasks(int, [("1",), ("x",), ("3",)], 2, loky))


def test_processes_of_loky_have_one_thread_for_linear_algebra(loky, monkeypatch):
    """joblib would give each its share of the cores, eight here."""
    monkeypatch.setattr("joblib._parallel_backends.cpu_count", lambda *_, **__: 8)
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    assert set(run_tasks(threads_for_linear_algebra, [()] * 4, 2, loky)) == {"1"}


@pytest.mark.parametrize("backend", ["threading", "loky", "dask"])
def test_only_processes_of_this_machine_compute_what_is_rounded(backend):
    with opened_backend(Execution(2, "threading" if backend == "dask" else backend, 10.0)) as same:
        assert driver_backend(Execution(2, backend, 10.0, None)) is same


ALL_ENGINES = """
import json, os, sys
from pathlib import Path
import numpy as np
import harness

def ticks_of_linear_algebra():
    # In hundredths of a second of CPU time. Of Python's own threads all have ended but one.
    ticks = 0
    for thread in Path("/proc/self/task").iterdir():
        if int(thread.name) != os.getpid() and (thread / "comm").read_text().startswith("python"):
            fields = (thread / "stat").read_text().rpartition(")")[2].split()
            ticks += int(fields[11]) + int(fields[12])
    return ticks

config = {"name": "x", "trials": {"per_size": 100_000}, "execution": {"jobs": 2}}
pair = {"first": {"uniform": [0, 1]}, "second": {"beta": [2, 0.5]}}
for change in (
    {"family": "proportion", "n": [20, 1000], "truth": {"beta": [0.5, 2]}},
    {"family": "rate", "exposure": [2, 50], "truth": {"uniform": [0, 3]}},
    {"family": "proportion_difference", "n1": [8], "n2": [12], "truth": pair},
):
    methods = ["minimal_length", "balanced_tail"]
    for seed in (1, 2, 3):
        # Nodes of quadrature are computed in the first run alone.
        harness.run({**config, **change, "methods": methods, "seed": seed}, out=None)
used = ticks_of_linear_algebra(), 100 * sum(os.times()[:2])
matrix = np.ones((1500, 1500))
for _ in range(5):
    matrix @ matrix
print(json.dumps([*used, ticks_of_linear_algebra() - used[0]]))
"""


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="reads threads from /proc")
def test_tasks_hardly_use_threads_for_linear_algebra():
    """So that threads of this process, each with its own, need no limit."""
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "4"}
    words = [sys.executable, "-c", ALL_ENGINES]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    in_the_run, whole_run, in_a_product = json.loads(done.stdout)
    assert in_the_run < 0.05 * whole_run
    assert in_a_product > 10
