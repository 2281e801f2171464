"""A call whose process was killed or stopped from outside is repeated, and draws the same again.

The random numbers are fixed by the seed of the config: nothing here is a matter of chance.
"""

import json
import os
from functools import partial

import pytest

import harness
from harness.cli import main

CONFIG = {
    "name": "lost",
    "family": "proportion",
    "n": [10, 20],
    "alpha": 0.1,
    "truth": {"uniform": [0.2, 0.8]},
    "trials": {"per_size": 9000},
    "engines": ["monte_carlo"],
    "seed": 3,
    "execution": {"jobs": 1, "timeout": 10},
    "figures": [],
}
DRAWS = """\
import os, signal, time
from pathlib import Path
import numpy as np

def f(x, n, alpha, rng):
    half = rng.uniform(0.1, 0.4, np.shape(x))
    HERE
    return np.clip(x / n - half, 0, 1), np.clip(x / n + half, 0, 1)
"""
ONCE = """\
if np.ndim(x) and n == 20:
        try:
            Path(MARK).touch(exist_ok=False)
        except FileExistsError:
            pass
        else:
            WHAT
"""
KILL = "os.kill(os.getpid(), signal.SIGKILL)"

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals")


@pytest.fixture
def run(tmp_path):
    def run(body, **keys):
        file = tmp_path / "mine.py"
        file.write_text(DRAWS.replace("HERE", body))
        method = {"path": str(file), "function": "f", "label": "mine"}
        return harness.run({**CONFIG, "methods": [method], **keys}, out=None)

    return run


@pytest.fixture
def once(tmp_path):
    return partial(ONCE.replace("MARK", repr(str(tmp_path / "mark"))).replace, "WHAT")


@pytest.mark.parametrize("what", [KILL, "os.kill(os.getpid(), signal.SIGSTOP)"])
def test_draws_are_the_same_where_the_process_was_killed_or_stopped_once(run, once, what):
    execution = {"jobs": 1, "timeout": 1}
    sound = run("pass", execution=execution)
    found = run(once(what), execution=execution)
    assert found.summary.equals(sound.summary)
    assert found.manifest["failures"] == []
    (line,) = found.manifest["repeated"]
    assert (line["method"], line["calls"]) == ("mine", 1)
    assert "repeated" not in sound.manifest


def test_an_array_that_is_lost_twice_has_failures_and_no_other_draws(run):
    found = run(f"if np.ndim(x) and n == 20: {KILL}")
    (line,) = found.manifest["failures"]
    assert line["failed_trials"] == line["trials"] == 9000
    assert line["first"].startswith("its process ended with exit code -9 at n = 20, alpha = 0.1")
    assert line["first"].endswith("and again when the call was repeated")
    sound = run("pass")
    assert found.summary.filter(n=10).equals(sound.summary.filter(n=10))


def test_limits_of_outcomes_are_repeated_too_and_the_command_says_so(once, tmp_path, capsys):
    file = tmp_path / "mine.py"
    text = DRAWS.replace(", rng)", ")").replace("rng.uniform(0.1, 0.4, np.shape(x))", "0.3")
    file.write_text(text.replace("HERE", once(KILL)))
    config = tmp_path / "lost.yaml"
    methods = [{"path": str(file), "function": "f", "label": "mine"}]
    config.write_text(json.dumps({**CONFIG, "methods": methods}))
    assert main(["run", str(config), "--out", str(tmp_path)]) == 0
    printed = " ".join(capsys.readouterr().err.split())
    assert "mine: its process ended with exit code -9" in printed
    assert "the call was repeated in a new process" in printed


@pytest.mark.parametrize("number", [1, 2])
def test_a_kill_while_a_function_is_loaded_ends_no_run_and_hides_no_file(tmp_path, number):
    loads = tmp_path / "loads"
    file = tmp_path / "mine.py"
    text = DRAWS.replace("HERE", "pass")
    text += f"loads = Path({str(loads)!r})\nloads.open('a').write('x')\n"
    text += "import beside\nif len(loads.read_text()) == beside.KILLED:\n    " + KILL + "\n"
    file.write_text(text)
    (tmp_path / "beside.py").write_text(f"KILLED = {number}\n")
    method = {"path": str(file), "function": "f", "label": "mine"}
    killed = harness.run({**CONFIG, "methods": [method]}, out=None)
    sound = harness.run({**CONFIG, "methods": [method]}, out=None)
    assert killed.manifest["failures"] == []
    assert killed.summary.equals(sound.summary)
    assert killed.manifest["content_hash"] == sound.manifest["content_hash"]
