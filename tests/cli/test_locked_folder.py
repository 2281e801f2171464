"""Two runs do not write to one folder, and what cannot be locked is said."""

import dataclasses
import errno
import json
import os
import signal
import subprocess
import sys
import time

import pytest

import harness
from harness.kinds.coverage import run as coverage_run
from harness.runner.lock import this_process
from tests.cli.conftest import FIGURES, SMALL, is_one_sentence
from tests.cli.test_process import INTERRUPTIBLE
from tests.study.experiments import changed, files

LONG = {"trials": {"per_size": 2_000_000_000}, "figures": []}


@pytest.mark.skipif(sys.platform == "win32", reason="this platform has other signals")
def test_a_second_run_is_refused_with_the_process_that_runs(here, config, run_command):
    path = config(**LONG)
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "run", path, "--jobs", "1", "--quiet"],
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr.readline() == "drawing\n"
            second = run_command("run", path)
            unfinished = run_command("plot", "results/small")
        finally:
            process.kill()
    assert process.wait() == -signal.SIGKILL
    assert second.code == 2
    assert is_one_sentence(second)
    assert f"is in use by process {process.pid} on " in second.err
    assert unfinished.code == 2
    assert "results/small holds no results yet: its run has not finished" in unfinished.err
    assert (here / "results" / "small" / ".lock").exists()
    assert run_command("run", config(figures=[]), "--quiet").code == 0
    assert not (here / "results" / "small" / ".lock").exists()


def test_of_two_runs_that_start_at_once_one_runs(here, config):
    # It does not end before the other one has.
    waiting = INTERRUPTIBLE.replace(
        "    return right(", "    while not os.path.exists('go'): pass\n    return right("
    )
    argv = [sys.executable, "-c", waiting, "run", config(figures=[]), "--jobs", "1", "--quiet"]
    both = [subprocess.Popen(argv, stderr=subprocess.PIPE, text=True) for _ in range(2)]
    try:
        deadline = time.monotonic() + 60
        while all(process.poll() is None for process in both):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        (here / "go").touch()
        words = {process.pid: process.communicate(timeout=60)[1] for process in both}
    finally:
        for process in both:
            process.kill()
    (winner,) = (process.pid for process in both if process.returncode == 0)
    (loser,) = (process.pid for process in both if process.returncode == 2)
    assert f"is in use by process {winner} on " in words[loser]
    assert harness.load(here / "results" / "small").summary.height > 0


@pytest.fixture
def far(here):
    """A folder of results that a process of another host has locked."""
    folder = harness.run({**SMALL, "figures": FIGURES}, out=here / "results").path
    owner = dataclasses.replace(this_process(), host="far", pid=77, since="yesterday")
    (folder / ".lock").write_text(json.dumps(dataclasses.asdict(owner)))
    return folder


def test_the_lock_of_another_host_is_taken_over_only_if_asked_for(run_command, config, far):
    before = files(far)
    for argv in (["run", config(figures=FIGURES)], ["plot", "results/small"]):
        result = run_command(*argv)
        assert result.code == 2
        assert is_one_sentence(result)
        assert "results/small is locked by process 77 on far since yesterday" in result.err
    assert files(far) == before
    assert run_command("run", config(seed=6), "--take-over", "--quiet").code == 0
    assert harness.load(far).manifest["seed"] == 6
    assert not (far / ".lock").exists()


def test_reading_does_not_ask_for_the_lock(far):
    assert harness.load(far).manifest["seed"] == SMALL["seed"]
    assert (far / ".lock").exists()


def test_a_run_that_lost_its_folder_to_another_host_writes_nothing(here, far, monkeypatch):
    (far / ".lock").unlink()
    before = files(far)
    compute = coverage_run.compute

    def compute_and_lose(*arguments):
        owner = dataclasses.replace(this_process(), host="far")
        (far / ".lock").write_text(json.dumps(dataclasses.asdict(owner)))
        return compute(*arguments)

    monkeypatch.setattr("harness.kinds.coverage.run.compute", compute_and_lose)
    with pytest.raises(
        harness.base.errors.InputError, match="taken over by another run; nothing is"
    ):
        harness.run(changed(SMALL, seed=6), out=here / "results")
    (far / ".lock").unlink()
    after = files(far)
    for found in (before, after):
        found.pop("journal.sqlite", None)
    assert after == before


@pytest.fixture
def no_locks(tmp_path_factory, monkeypatch):
    """A file system that cannot lock; the user's cache is in the folder that is returned."""
    cache = tmp_path_factory.mktemp("cache")

    def flock(handle, what):
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("harness.runner.lock.fcntl.flock", flock)
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    return cache


def test_where_nothing_can_be_locked_the_journal_is_kept_elsewhere(
    run_command, config, here, no_locks
):
    result = run_command("run", config(figures=[]), "--quiet")
    assert (result.code, result.out) == (0, "")
    (journal,) = no_locks.glob("coverage-harness/journals/*/journal.sqlite")
    place = here / "results" / "small"
    assert result.err == (
        f"harness: the file system of {place.relative_to(here)} cannot lock files, so that the "
        f"journal of the run is kept in {journal.parent}\n"
    )
    assert "journal.sqlite" not in files(place)
    assert not (place / ".lock").exists()


def test_python_warns_where_nothing_can_be_locked(here, no_locks):
    with pytest.warns(UserWarning, match="cannot lock files"):
        harness.run(changed(SMALL, figures=[]))
