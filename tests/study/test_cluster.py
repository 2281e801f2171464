"""Runs on a Dask cluster: a scheduler and two workers that are processes of their own."""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import types
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import psutil
import pytest
from distributed import Client
from distributed.comm import CommClosedError
from distributed.comm.tcp import TCP

import harness
from harness.base.errors import HarnessError, InputError
from harness.config.values import Execution
from harness.designs.engines import monte_carlo
from harness.designs.limits import Limits
from harness.runner import cluster
from harness.runner.parallel import opened_backend, run_tasks
from harness.runner.workload import Progress
from tests.simulation.studies import FORMS, study
from tests.study.experiments import DRAWN, LISTED, changed, process_of, stable_files, sum_of_lower

# Dask leaves sockets of a scheduler that was killed to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}
WORKER = ["-m", "distributed.cli.dask_worker"]


@contextmanager
def program(*words, stdout=subprocess.DEVNULL):
    """A Python process that ends with the context."""
    process = subprocess.Popen(
        [sys.executable, *map(str, words)],
        env=ENVIRONMENT,
        stdout=stdout,
        stderr=subprocess.DEVNULL,
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def scheduler(tmp_path):
    """The process of a scheduler, and its address."""
    file = tmp_path / "scheduler.json"
    options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", file]
    with program("-m", "distributed.cli.dask_scheduler", *options) as process:
        while not file.exists():
            time.sleep(0.05)
        time.sleep(0.1)
        yield process, json.loads(file.read_text())["address"]


@pytest.fixture
def start_worker(scheduler, tmp_path):
    """Start a worker, which has no other process to start it anew."""
    with ExitStack() as stack:

        def start(start=WORKER):
            options = ["--host", "127.0.0.1", "--nthreads", "1", "--no-nanny", "--no-dashboard"]
            folder = ["--local-directory", tmp_path / "workers"]
            return stack.enter_context(program(*start, scheduler[1], *options, *folder))

        yield start


@pytest.fixture
def small_shards(monkeypatch):
    """Many tasks, of 2^8 trials each."""
    monkeypatch.setattr(monte_carlo, "SHARD", 1 << 8)


def on(scheduler):
    """What a config says of the execution."""
    return {"backend": "dask", "address": scheduler[1], "jobs": 2}


def execution(scheduler):
    return Execution(2, "dask", 10.0, scheduler[1])


STUDY = study("t", "z", factors={"n": [5, 10]}, trials={"per_scenario": 4000}, keep="replicates")
FORM = {**FORMS["draws in batches"], "trials": {"per_scenario": 8000}}


class Killing(Progress):
    """Kills a process when so many trials are done."""

    def __init__(self, process, after):
        self.process, self.after, self.done, self.to_come = process, after, 0, 0
        self.done_at_death = None

    def expect(self, trials):
        self.to_come += trials

    def advance(self, trials):
        self.done += trials
        if self.done_at_death is None and self.done >= self.after:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.done_at_death = self.done


@pytest.mark.parametrize(
    "base", [DRAWN, LISTED, STUDY, FORM], ids=["drawn", "listed", "simulation", "form"]
)
def test_a_killed_worker_changes_no_byte(
    base, scheduler, start_worker, small_shards, monkeypatch, tmp_path
):
    expected = stable_files(harness.run(base, out=tmp_path / "threads").path)
    first, _ = start_worker(), start_worker()
    killing = Killing(first, after=1500)
    monkeypatch.setattr("harness.api.Progress", lambda: killing)
    found = harness.run(changed(base, execution=on(scheduler)), out=tmp_path / "dask")
    assert killing.done_at_death < killing.to_come / 2
    assert stable_files(found.path) == expected


USER = """
import numpy as np, os, sys

with open({log!r}, "a") as log:
    log.write(f"{{os.getppid()}}\\n")

def wide(x, n, alpha):
    return 0.9 * x / n, 0.1 + 0.9 * x / n

def jittered(x, n, alpha, rng):
    width = rng.uniform(0.1, 0.3)
    return max(0.0, x / n - width), min(1.0, x / n + width)

def fragile(x, n, alpha, rng):
    if rng.uniform() < 0.005:
        os._exit(1)
    return jittered(x, n, alpha, rng)

jittered.deterministic = fragile.deterministic = False
"""


@pytest.mark.parametrize("functions", [["wide"], ["jittered"], ["wide", "jittered", "fragile"]])
def test_functions_of_the_user_give_the_same_bytes(
    functions, scheduler, start_worker, small_shards, tmp_path
):
    """Those that draw are called by the workers, as long as no call fails."""
    worker, log = start_worker(), tmp_path / "parents"
    (tmp_path / "mine.py").write_text(USER.format(log=str(log)))
    mine = [{"path": str(tmp_path / "mine.py"), "function": each} for each in functions]
    config = changed(
        DRAWN, n=8, alpha=0.1, methods=["wald", *mine], trials={"per_size": 1000}, figures=[]
    )
    runs = [
        harness.run(changed(config, execution=execution), out=tmp_path / execution["backend"])
        for execution in ({"backend": "threading", "jobs": 2}, on(scheduler))
    ]
    first, second = (stable_files(run.path) for run in runs)
    assert first == second
    assert bool(runs[0].manifest.get("failures")) == ("fragile" in functions)
    parents = {int(line) for line in log.read_text().split()}
    assert parents == {os.getpid(), *([worker.pid] if functions != ["wide"] else [])}
    own = [child.pid for child in psutil.Process(worker.pid).children()]
    assert all(has_ended(process) for process in own)


def test_a_module_that_only_this_process_has_is_an_error_and_no_wait(
    scheduler, start_worker, monkeypatch
):
    start_worker()
    module = types.ModuleType("only_here")
    exec("def task(x):\n    return x", module.__dict__)
    monkeypatch.setitem(sys.modules, "only_here", module)
    with opened_backend(execution(scheduler)) as backend, pytest.raises(ModuleNotFoundError):
        list(run_tasks(module.task, [(1,), (2,)], 2, backend))


def test_what_cannot_be_pickled_is_an_error_and_no_wait(scheduler, start_worker):
    start_worker()
    tasks = [(number, 1) for number in range(50)] + [(threading.Lock(), 1)]
    with opened_backend(execution(scheduler)) as backend, pytest.raises(TypeError, match="pickle"):
        list(run_tasks(max, tasks, 2, backend))


def test_limits_are_sent_once_and_not_with_each_task(scheduler, start_worker, monkeypatch):
    start_worker(), start_worker()
    limits = Limits(np.arange(200_000), *np.random.default_rng(1).random((2, 3, 200_000)))
    size = limits.outcomes.nbytes + limits.lower.nbytes + limits.upper.nbytes
    with opened_backend(execution(scheduler)) as backend:
        sent = bytes_written(monkeypatch)
        found = list(run_tasks(sum_of_lower, ((i, limits) for i in range(20)), 2, backend))
    assert size > 10_000_000
    assert size < sum(sent) < size + 200_000
    assert found == [(i, limits.lower.sum(), found[i][2]) for i in range(20)]
    assert len({process for *_, process in found}) == 2


def bytes_written(monkeypatch):
    """A list that receives the number of bytes that this process sends."""
    sent = []
    write = TCP.write

    async def counted(self, *args, **options):
        sent.append(await write(self, *args, **options))
        return sent[-1]

    monkeypatch.setattr(TCP, "write", counted)
    return sent


def test_a_task_whose_workers_always_die_is_named(tmp_path):
    with opened_backend(Execution(2, "dask", 10.0)) as backend:
        tasks = ((number, tmp_path / "tries", 100) for number in range(20))
        found = run_tasks(process_of, tasks, 2, backend, lambda number, *_: f"shard {number}")
        with pytest.raises(HarnessError, match=r"^shard 7: its worker process died each time"):
            list(found)


def test_the_end_of_the_scheduler_is_one_sentence(scheduler, start_worker, tmp_path):
    start_worker()
    with opened_backend(execution(scheduler)) as backend:
        tasks = ((number, tmp_path / "tries", 0) for number in range(1000))
        results = run_tasks(process_of, tasks, 2, backend)
        next(results)
        scheduler[0].kill()
        with pytest.raises(HarnessError, match=r"^the connection to the Dask scheduler was lost$"):
            list(results)


@pytest.mark.parametrize("method", ["submit", "_gather_remote"])
def test_a_connection_that_ends_in_a_request_is_the_same_sentence(
    method, scheduler, start_worker, monkeypatch
):
    def lost(*arguments, **options):
        raise CommClosedError("reset by peer")

    start_worker()
    with opened_backend(execution(scheduler)) as backend:
        monkeypatch.setattr(Client, method, lost)
        with pytest.raises(HarnessError, match=r"^the connection to the Dask scheduler was lost$"):
            list(run_tasks(max, [(1, 2)], 2, backend))


CONFIG = json.dumps(changed(DRAWN, figures=[], execution={"jobs": 2, "backend": "dask"}))
SCRIPT = f"import harness, json; print(harness.run(json.loads({CONFIG!r}), out='out').path)"


def test_workers_of_this_machine_need_no_guard_in_the_users_script(tmp_path):
    """Processes that are copies of this one would run the script again."""
    (tmp_path / "script.py").write_text(SCRIPT)
    subprocess.run([sys.executable, "script.py"], cwd=tmp_path, check=True, env=ENVIRONMENT)
    expected = harness.run(changed(DRAWN, figures=[]), out=tmp_path / "threads")
    assert stable_files(tmp_path / "out/small/drawn") == stable_files(expected.path)


def test_workers_of_this_machine_end_with_the_run(tmp_path):
    with opened_backend(Execution(2, "dask", 10.0)) as backend:
        tasks = ((number, tmp_path / "tries", 0) for number in range(40))
        workers = {process for _, process in run_tasks(process_of, tasks, 2, backend)}
        assert workers
        assert os.getpid() not in workers
    assert all(has_ended(process) for process in workers)


def run_while_workers_are_killed(tmp_path):
    """The numbers of tasks whose workers, with what has started them, are killed after one."""
    found = []

    def run():
        with opened_backend(Execution(2, "dask", 10.0)) as backend:
            tasks = ((number, tmp_path / "tries", 0) for number in range(400))
            results = run_tasks(process_of, tasks, 2, backend)
            try:
                found.append(next(results)[0])
                (workers,) = (
                    child
                    for child in psutil.Process().children()
                    if "run_workers" in " ".join(child.cmdline())
                )
                workers.kill()
                found.extend(number for number, _ in results)
            except HarnessError as error:
                found.append(str(error))

    # A run that hangs does not end its thread.
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    return found


def test_workers_of_this_machine_that_are_killed_are_started_anew(tmp_path):
    assert run_while_workers_are_killed(tmp_path) == list(range(400))


def test_a_run_ends_where_workers_of_this_machine_are_killed_too_often(tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "_STARTS", 1)
    *_, error = run_while_workers_are_killed(tmp_path)
    assert error == (
        "the worker processes of this machine's Dask cluster have ended, and are started 1× at most"
    )


def has_ended(process):
    """Whether a process is gone within seconds, or only its parent has not noticed."""
    for _ in range(300):
        try:
            if psutil.Process(process).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.1)
    return False


def test_workers_of_this_machine_end_with_a_run_that_is_killed():
    with program("-c", SLEEPING, stdout=subprocess.PIPE) as driver:
        worker, folder = driver.stdout.readline().decode().split()
        assert Path(folder).is_dir()
        assert psutil.Process(int(worker)).status() != psutil.STATUS_ZOMBIE
        driver.kill()
        assert has_ended(int(worker))
        assert not Path(folder).exists()


SLEEPING = """
import time
from harness.config.values import Execution
from tests.study.experiments import place_of_worker
from harness.runner.parallel import opened_backend, run_tasks
with opened_backend(Execution(2, "dask", 10.0)) as backend:
    print(*run_tasks(place_of_worker, [()], 2, backend), flush=True)
    time.sleep(60)
"""


def refusal_of(execution):
    with pytest.raises(InputError) as found, opened_backend(execution):
        pass
    assert found.value.exit_code == 2
    return str(found.value)


def test_an_address_where_nobody_answers_is_refused_within_seconds(tmp_path):
    """Nothing listens at the first one; what listens at the second one never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        for port in (1, silent.getsockname()[1]):
            start = time.monotonic()
            address = f"tcp://127.0.0.1:{port}"
            assert refusal_of(Execution(2, "dask", 10.0, address)) == (
                f"no Dask scheduler answers at {address} within 5 s"
            )
            assert time.monotonic() - start < 8


def test_a_scheduler_without_workers_is_refused(scheduler, monkeypatch):
    monkeypatch.setattr(cluster, "_WORKERS", 1)
    assert refusal_of(execution(scheduler)) == (
        f"the Dask scheduler at {scheduler[1]} has no worker that answers within 1 s"
    )


OTHER = """
from harness.runner import storage
storage._PACKAGES = ("coverage-harness", "numpy")
from distributed.cli.dask_worker import main
main()
"""


def test_workers_of_other_versions_are_refused(scheduler, start_worker):
    start_worker(["-c", OTHER])
    with (
        opened_backend(execution(scheduler)) as backend,
        pytest.raises(InputError, match=r"^a worker has coverage-harness .* where this process"),
    ):
        list(run_tasks(abs, [(1,), (2,)], 2, backend))


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    monkeypatch.delitem(sys.modules, "harness.runner.cluster")
    assert refusal_of(Execution(2, "dask", 10.0)) == (
        "backend dask needs the package distributed: install the extra dask, "
        "pip install 'coverage-harness[dask]'"
    )
