"""One process at a time holds the lock of a folder, and the lock of a dead one is taken over."""

import dataclasses
import errno
import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import harness
from harness.base.errors import FolderInUseError, InputError
from harness.runner import lock
from harness.runner.lock import hold, this_process

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the tests fork")

ROOT = Path(harness.__file__).parents[1]

AT_ONCE = """
import errno, fcntl, json, os, sys, time
from pathlib import Path
from harness.base.errors import FolderInUseError
from harness.runner.lock import hold

folder, count, rounds, stale, has_locks = Path(sys.argv[1]), *map(int, sys.argv[2:])

def no_locks(handle, what):
    raise OSError(errno.ENOLCK, "No locks available")

if not has_locks:
    fcntl.flock = no_locks

def take(start, say, end):
    os.read(start, 1)
    try:
        with hold(folder, patience=0.05):
            os.write(say, b"%10d held\\n" % os.getpid())
            os.read(end, 1)
    except FolderInUseError as fault:
        named = str(fault).split(" on ")[0].rpartition(" ")[2]
        os.write(say, b"%10s said\\n" % named.encode())

for _ in range(rounds):
    if stale:
        dead = os.fork()
        if not dead:
            # Killed while it holds the lock.
            held = hold(folder)
            held.__enter__()
            os.kill(os.getpid(), 9)
        os.waitpid(dead, 0)
        assert (folder / ".lock").read_bytes()
    pipes = [os.pipe() for _ in range(3)]
    children = []
    for _ in range(count):
        child = os.fork()
        if not child:
            for pipe in (pipes[0], pipes[2]):
                os.close(pipe[1])
            take(pipes[0][0], pipes[1][1], pipes[2][0])
            os._exit(0)
        children.append(child)
    os.close(pipes[1][1])
    os.close(pipes[0][1])
    said = b""
    while said.count(b"\\n") < count:
        part = os.read(pipes[1][0], 4096)
        assert part, said
        said += part
    os.close(pipes[2][1])
    for child in children:
        os.waitpid(child, 0)
    for handle in (pipes[0][0], pipes[1][0], pipes[2][0]):
        os.close(handle)
    print(json.dumps(said.decode().split("\\n")[:-1]))
    assert list(folder.iterdir()) == [], list(folder.iterdir())
"""


@pytest.mark.parametrize("has_locks", [True, False], ids=["flock", "no flock"])
@pytest.mark.parametrize("stale", [False, True], ids=["free", "of a dead process"])
def test_of_four_processes_that_start_at_once_one_gets_the_lock(tmp_path, stale, has_locks):
    rounds = 20
    argv = [str(tmp_path), "4", str(rounds), str(int(stale)), str(int(has_locks))]
    done = subprocess.run(
        [sys.executable, "-c", AT_ONCE, *argv],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == rounds
    for line in lines:
        said = [words.split() for words in json.loads(line)]
        (winner,) = (number for number, word in said if word == "held")
        others = {number for number, word in said if word == "said"}
        # A process that looks before the other has written its name says "another process".
        assert others <= {winner, "process"}


def test_a_lock_names_its_process_and_leaves_nothing(tmp_path):
    with hold(tmp_path) as held:
        assert held.by_system
        assert held.is_held()
        content = json.loads((tmp_path / ".lock").read_text())
        assert content["pid"] == os.getpid()
        assert set(content) == {"host", "pid", "boot", "started", "since"}
    assert list(tmp_path.iterdir()) == []


def test_a_thread_of_the_same_process_is_refused_too(tmp_path):
    found = []

    def take():
        try:
            with hold(tmp_path, patience=0):
                found.append("held")
        except FolderInUseError as fault:
            found.append(str(fault))

    with hold(tmp_path):
        thread = threading.Thread(target=take)
        thread.start()
        thread.join()
    assert f"is in use by process {os.getpid()} on " in found[0]


def test_a_lock_that_is_released_soon_is_waited_for(tmp_path):
    with hold(tmp_path) as held:
        threading.Timer(0.1, held.release).start()
        with hold(tmp_path, patience=5) as second:
            assert second.is_held()


def test_an_error_in_the_block_releases_the_lock(tmp_path):
    with pytest.raises(RuntimeError), hold(tmp_path):
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def write_lock(folder, **changes):
    """A lock file that is as if another process had left it."""
    content = {**dataclasses.asdict(this_process()), **changes}
    (folder / ".lock").write_text(json.dumps(content))


def number_of_no_process():
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    return process.pid


@pytest.fixture(params=[True, False], ids=["flock", "no flock"])
def locks(request, monkeypatch):
    """A file system with locks, and one without."""
    if not request.param:
        without_locks(monkeypatch)
    return request.param


def without_locks(monkeypatch, number=errno.ENOLCK):
    def flock(handle, what):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("harness.runner.lock.fcntl.flock", flock)


STALE = {
    "a dead process": lambda: {"pid": number_of_no_process()},
    "another boot": lambda: {"boot": "00000000-0000"},
    "a number that another process has now": lambda: {"pid": 1, "started": "-1"},
}


@pytest.mark.parametrize("what", STALE)
def test_the_lock_of_a_process_that_has_ended_is_taken_over(tmp_path, what, locks):
    write_lock(tmp_path, **STALE[what]())
    with hold(tmp_path) as held:
        assert held.is_held()
        assert held.by_system == locks
    assert list(tmp_path.iterdir()) == []


def test_the_lock_of_another_host_is_taken_over_only_if_asked_for(tmp_path, locks):
    write_lock(tmp_path, host="far", pid=77, since="yesterday")
    words = (
        "is locked by process 77 on far since yesterday UTC, which this host cannot ask .*take-over"
    )
    with pytest.raises(FolderInUseError, match=words), hold(tmp_path, patience=0):
        pass
    with hold(tmp_path, take_over=True) as held:
        assert held.is_held()
    assert list(tmp_path.iterdir()) == []


def test_the_lock_of_a_living_process_is_not_taken_over_where_nothing_can_be_locked(
    tmp_path, monkeypatch
):
    without_locks(monkeypatch)
    with hold(tmp_path):
        for take_over in (False, True):
            with pytest.raises(FolderInUseError, match=f"in use by process {os.getpid()}"):
                hold(tmp_path, take_over, patience=0).__enter__()


@pytest.mark.parametrize(
    "number", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS], ids=errno.errorcode.get
)
def test_a_file_system_without_locks_is_known_by_its_error(tmp_path, monkeypatch, number):
    without_locks(monkeypatch, number)
    with hold(tmp_path) as held:
        assert not held.by_system
        assert held.is_held()


def test_a_lock_file_without_a_name_is_free_after_a_while(tmp_path, monkeypatch):
    (tmp_path / ".lock").touch()
    without_locks(monkeypatch)
    with pytest.raises(FolderInUseError, match="another process"):
        hold(tmp_path, patience=0).__enter__()
    past = time.time() - 60
    os.utime(tmp_path / ".lock", (past, past))
    with hold(tmp_path):
        pass


def test_who_lost_the_lock_to_another_host_knows(tmp_path):
    with hold(tmp_path) as held:
        write_lock(tmp_path, host="far")
        assert not held.is_held()
    assert (tmp_path / ".lock").exists()


@pytest.mark.parametrize("content", ["mine", "[1]", '{"host": 1}', '{"pid": 3}', "[" * 5000])
def test_a_lock_file_of_another_program_is_left_alone(tmp_path, content, locks):
    (tmp_path / ".lock").write_text(content)
    with pytest.raises(InputError, match=r"\.lock was written by no run"):
        hold(tmp_path, patience=0).__enter__()
    assert (tmp_path / ".lock").read_text() == content


def test_a_full_disk_leaves_no_lock_file(tmp_path, monkeypatch):
    def write(handle, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(lock.os, "write", write)
    with pytest.raises(OSError, match="No space left"):
        hold(tmp_path).__enter__()
    monkeypatch.undo()
    assert list(tmp_path.iterdir()) == []
