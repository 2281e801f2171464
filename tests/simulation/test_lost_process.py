"""What a kill or a pause from outside costs a study, and what it costs the next run of it.

The random numbers are fixed by the seeds of the studies: nothing here is a matter of chance.
"""

import json
import os
import shutil

import pytest

import harness
from harness.callers.simulation.process import EndedError, TrialProcess
from harness.callers.simulation.requests import IDLE
from harness.cli import main
from tests.simulation.studies import study

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals and descriptors")

ONCE = """\
import os, signal, time
from pathlib import Path
import numpy as np

def once(what):
    try:
        Path(MARK).touch(exist_ok=False)
    except FileExistsError:
        return
    what()

def mine(data, alpha):
    if data[0] > 1:
        once(lambda: WHAT)
    half = 1.96 * np.sqrt(data.var(ddof=1) / len(data))
    return data.mean(), data.mean() - half, data.mean() + half

"""
KILL = "os.kill(os.getpid(), signal.SIGKILL)"


@pytest.fixture
def config(tmp_path):
    def config(what, more="", **keys):
        file = tmp_path / "mine.py"
        file.write_text(ONCE.replace("MARK", repr(str(tmp_path / "mark"))).replace("WHAT", what))
        file.write_text(file.read_text() + more)
        execution = {"jobs": 1, "timeout": 0.5}
        found = study("z", trials={"per_scenario": 300}, execution=execution, **keys)
        found["methods"].append({"path": str(file), "function": "mine"})
        return found

    return config


@pytest.mark.parametrize(
    ("what", "why", "is_final"),
    [
        (KILL, "ended its process with exit code -9", False),
        ("os.kill(os.getpid(), signal.SIGSTOP)", "gave no answer within 0.5 s", False),
        ("os._exit(7)", "ended its process with exit code 7", True),
    ],
)
def test_what_was_killed_or_stopped_is_asked_again_by_the_next_run(
    config, tmp_path, what, why, is_final
):
    sound = harness.run(config("None"), out=None)
    (tmp_path / "mark").unlink()
    first = harness.run(config(what), out=tmp_path)
    (line,) = first.manifest["failures"]
    assert (line["method"], line["failed"], line["first"]) == ("mine", 1, why)
    second = harness.run(config(what), out=tmp_path)
    assert bool(second.manifest["failures"]) == is_final
    assert second.summary.equals(sound.summary) != is_final


def test_a_kill_while_the_functions_are_loaded_ends_no_run(config):
    found = harness.run(config("None", f"once(lambda: {KILL})"), out=None)
    assert found.manifest["failures"] == []


def test_a_kill_between_two_calls_ends_no_run(config, monkeypatch):
    asked, real = [], TrialProcess.trials

    def trials(self, request):
        asked.append(request)
        if len(asked) == 1:
            raise EndedError(IDLE, 0, "ended its process with exit code -9")
        return real(self, request)

    monkeypatch.setattr(TrialProcess, "trials", trials)
    assert harness.run(config("None"), out=None).manifest["failures"] == []


def test_a_method_that_closes_the_descriptors_of_its_process_is_named(config, tmp_path, capsys):
    more = "def closing(data, alpha):\n    os.closerange(3, 64)\n    return mine(data, alpha)\n"
    given = config("None", more)
    given["methods"].insert(0, {"path": str(tmp_path / "mine.py"), "function": "closing"})
    path = tmp_path / "study.yaml"
    path.write_text(json.dumps(given))
    assert main(["run", str(path), "--out", str(tmp_path)]) == 3
    printed = " ".join(capsys.readouterr().err.split())
    assert "closing: no answer in 300 of 300 trials" in printed
    assert "closed the descriptors of its process" in printed
    assert "memory" not in printed
    assert "mine: no answer" not in printed


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="needs Rscript")
def test_a_method_of_r_that_closes_all_connections_is_named_and_not_the_model(tmp_path):
    file = tmp_path / "mine.R"
    file.write_text(
        "draw <- function(n) rnorm(n)\n"
        "sound <- function(data, alpha) c(mean(data), mean(data) - 1, mean(data) + 1)\n"
        "closing <- function(data, alpha) { closeAllConnections(); sound(data, alpha) }\n"
    )
    given = study(trials={"per_scenario": 6})
    given["model"] = {"r": str(file), "function": "draw"}
    given["methods"] = [{"r": str(file), "function": name} for name in ("closing", "sound")]
    found = harness.run({**given, "reference": "sound"}, out=None)
    (line,) = found.manifest["failures"]
    assert (line["method"], line["failed"]) == ("closing", 6)
    assert "closed the connections of its process" in line["first"]
