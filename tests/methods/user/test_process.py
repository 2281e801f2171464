"""The process of a user's function: what comes out of it, and when it ends."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import numpy as np
import pytest

import harness
from harness.callers.messages import (
    LOAD,
    Message,
    MessageError,
    Patience,
    SilenceError,
    decode_answer,
    receive,
    send,
)
from harness.cli import main

CONFIG = {
    "name": "mine",
    "figures": [],
    "family": "proportion",
    "n": [4, 9],
    "alpha": [0.05, 0.1],
    "methods": [{"path": "mine.py", "function": "f", "label": "my own"}],
    "engines": ["enumeration"],
    "execution": {"jobs": 1},
}
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(Path(harness.__file__).parents[1])}
SOON = 5.0
"""Seconds in which a process that is to end has ended, on a busy machine too."""


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a user's file ``mine.py``, and its config, into the working folder."""
    monkeypatch.chdir(tmp_path)

    def write(text):
        (tmp_path / "mine.py").write_text(textwrap.dedent(text))
        (tmp_path / "c.yaml").write_text(json.dumps(CONFIG))

    return write


def is_running(pid):
    """Whether a process runs: one that has ended and waits for its parent does not."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def ends(pid):
    deadline = time.monotonic() + SOON
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not is_running(pid)


def failures():
    return harness.load("results/mine").manifest["failures"]


FORKS = {
    "the copy answers at once": ("os.fork()", 30),
    "the copy answers first": ("if os.fork(): time.sleep(0.05)", 30),
    "the copy answers later": ("if not os.fork(): time.sleep(0.05)", 30),
    "one fork after four answers": ("if x == 4: os.fork()", 26),
}
"""What the function does, and the number of the 30 outcomes that then have no limits."""


@pytest.mark.parametrize("fork", FORKS)
def test_a_function_whose_copy_answers_too_has_failed(write, fork, capfd):
    line, failed = FORKS[fork]
    write(
        f"""
        import os, time
        def f(x, n, alpha):
            {line}
            return 0.0 * x, 1.0 - alpha + 0.0 * x
        """
    )
    assert main(["run", "c.yaml", "--quiet"]) == 3
    found = failures()
    assert sum(each["failed_outcomes"] for each in found) == failed
    assert all("a copy of its process answered too" in each["first"] for each in found)
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(("given", "threads"), [(None, 1), ("2", 2)])
def test_linear_algebra_has_one_thread_unless_the_user_says_how_many(
    write, monkeypatch, given, threads
):
    for library in ("MKL", "OMP", "OPENBLAS"):
        monkeypatch.delenv(f"{library}_NUM_THREADS", raising=False)
    if given is not None:
        monkeypatch.setenv("OPENBLAS_NUM_THREADS", given)
    write(
        """
        import os
        def f(x, n, alpha):
            threads = [os.environ[f"{each}_NUM_THREADS"] for each in ("MKL", "OMP", "OPENBLAS")]
            return 0.0 * x, [int("".join(threads))] * len(x)
        """
    )
    cells = harness.run("c.yaml", out=None, overrides=["engines=[posterior]"]).cells
    assert set(cells["upper"]) == {110 + threads}


def test_a_function_may_use_processes_that_answer_nothing(write):
    write(
        """
        import os
        def f(x, n, alpha):
            child = os.fork()
            if not child:
                os._exit(0)
            os.waitpid(child, 0)
            return 0.0 * x, 1.0 - alpha + 0.0 * x
        """
    )
    results = harness.run("c.yaml", out=None)
    assert not results.manifest.get("failures")


TO_EVERY_PIPE = """
import os, pickle, struct

class Command:
    def __reduce__(self):
        return os.system, ("touch was_run",)

body = pickle.dumps({"answer": Command()})
FORMS = [body, struct.pack("<Q", len(body)) + body, b"\\0" * 100,
         b"harness\\n" + struct.pack("<QQQQ", 2, os.getpid(), len(body), 0) + body,
         b"harness\\n" + struct.pack("<QQQQ", 2, os.getpid(), 1 << 60, 0)]

def f(x, n, alpha):
    for pipe in range(3, 20):
        try:
            os.write(pipe, FORMS[FORM])
        except OSError:
            pass
    return 0.0 * x, 1.0 + 0.0 * x
"""


@pytest.mark.parametrize("form", range(5))
def test_what_a_function_writes_to_the_pipe_is_not_executed(write, tmp_path, form, capfd):
    write(TO_EVERY_PIPE.replace("FORM]", f"{form}]"))
    assert main(["run", "c.yaml", "--quiet"]) == 3
    assert sorted(each.name for each in tmp_path.iterdir()) == ["c.yaml", "mine.py", "results"]
    assert all("something else than an answer" in line["first"] for line in failures())
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    "content",
    [{}, {"answer": "text"}, {"answer": [0.0]}, {"answer": [0, 1]}, {"answer": [[0.0], [1.0]]}],
)
def test_an_answer_of_another_form_is_refused(content):
    reply = Message(1, 1, content)
    for task in (LOAD, "on_arrays", "on_numbers", "probe"):
        with pytest.raises(MessageError):
            decode_answer(task, reply, 3)
    short = Message(1, 1, {"answer": None}, {"lower": np.zeros(2), "upper": np.zeros(3)})
    with pytest.raises(MessageError):
        decode_answer("on_arrays", short, 3)


def test_a_message_arrives_as_it_was_sent():
    read, write = os.pipe()
    arrays = {
        "x": np.arange(5),
        "lower": np.array([0.1, np.nan, -np.inf]),
        "no": np.empty(0),
        "lists": np.arange(6.0).reshape(2, 3),
    }
    content = {"alpha": 0.1 + 0.2, "text": "ä\ud800", "limits": [5e-324, 1.0]}
    try:
        send(write, Message(7, 8, content, arrays))
        found = receive(read, Patience(1.0))
        assert (found.number, found.process, found.content) == (7, 8, content)
        for name, array in arrays.items():
            np.testing.assert_array_equal(found.arrays[name], array)
            assert found.arrays[name].dtype == array.dtype
            assert found.arrays[name].shape == array.shape
        send(write, Message(7, 8, content, arrays))
        with pytest.raises(MessageError):
            receive(read, Patience(1.0), longest=10)
    finally:
        os.close(read)
        os.close(write)


def test_half_a_message_is_waited_for_no_longer_than_a_whole_one():
    read, write = os.pipe()
    try:
        os.write(write, b"harness\n")
        with pytest.raises(SilenceError):
            receive(read, Patience(0.05))
    finally:
        os.close(read)
        os.close(write)


@pytest.mark.parametrize("name", ["SIGKILL", "SIGHUP"])
def test_a_function_that_computes_ends_when_the_run_is_killed(write, tmp_path, name):
    write(
        """
        import os, subprocess
        def f(x, n, alpha):
            child = subprocess.Popen(["sleep", "60"])
            print("pids", os.getpid(), child.pid, flush=True)
            while True:
                pass
        """
    )
    with subprocess.Popen(
        [sys.executable, "-m", "harness", "run", "c.yaml", "--quiet"],
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=ENVIRONMENT,
    ) as run:
        try:
            _, *pids = run.stderr.readline().split()
            assert len(pids) == 2
            assert all(map(is_running, pids))
            run.send_signal(getattr(signal, name))
            run.wait(SOON)
        finally:
            run.kill()
    assert all(map(ends, pids))


def test_what_a_function_has_started_ends_with_a_good_run(write, tmp_path):
    write(
        """
        import atexit, subprocess
        from pathlib import Path
        child = subprocess.Popen(["sleep", "60"])
        atexit.register(Path("left").write_text, str(child.pid))
        def f(x, n, alpha):
            return 0.0 * x, 1.0 + 0.0 * x
        """
    )
    assert not harness.run("c.yaml", out=None).manifest.get("failures")
    assert ends((tmp_path / "left").read_text())


def test_no_file_of_the_working_folder_goes_before_a_library(write, tmp_path):
    write("import numpy as np\ndef f(x, n, alpha):\n    return 0.0 * x, 1.0 + np.zeros_like(x)\n")
    for name in ("numpy", "polars", "pydantic", "yaml"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('not to be imported')\n")
    mine = {"module": "mine", "function": "f", "label": "my own"}
    (tmp_path / "c.yaml").write_text(json.dumps({**CONFIG, "methods": [mine]}))
    done = subprocess.run(
        [sys.executable, "-m", "harness", "run", "c.yaml", "--quiet"],
        cwd=tmp_path,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "results" / "mine" / "summary.csv").is_file()


def test_nothing_is_written_beside_the_file_of_a_function(write, tmp_path, monkeypatch):
    monkeypatch.delenv("PYTHONPYCACHEPREFIX")
    write("def f(x, n, alpha):\n    return 0 * x / n, 1 + 0 * x / n\n")
    assert main(["run", "c.yaml", "--out", "elsewhere", "--quiet"]) == 0
    assert not (tmp_path / "__pycache__").exists()
