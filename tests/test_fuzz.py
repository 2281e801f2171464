"""Whatever is done to its input, a command understands it or refuses it in a sentence."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import harness
from benchmarks.fuzz.__main__ import SEED
from benchmarks.fuzz.campaign import KINDS, fuzz
from benchmarks.fuzz.configs import GOOD, OWN
from benchmarks.fuzz.outcomes import Outcome, in_process

FEW = {"configs": 40, "commands": 40, "folders": 4}
MORE = {"configs": 60, "commands": 30, "folders": 10}


@pytest.mark.parametrize("kind", KINDS)
def test_a_few_cases_have_no_finding(kind):
    found = fuzz(kind, range(FEW[kind]), SEED)
    assert found.findings == []
    # As many commands as cases at least, and not all of them refused.
    assert found.codes.total() >= FEW[kind]
    assert found.codes[0] > 0


@pytest.mark.parametrize("kind", KINDS)
def test_more_cases_have_no_finding(kind):
    found = fuzz(kind, range(FEW[kind], FEW[kind] + MORE[kind]), SEED)
    assert found.findings == []


@pytest.mark.parametrize("number", range(len(GOOD)))
def test_the_configs_that_are_changed_are_right(tmp_path, monkeypatch, number):
    monkeypatch.chdir(tmp_path)
    Path("own.py").write_text(OWN)
    Path("config.yaml").write_text(json.dumps(GOOD[number]))
    outcome = in_process(("run", "config.yaml", "--dry-run"))
    assert (outcome.code, outcome.err, outcome.faults()) == (0, "", [])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"code": 1}, "exit code 1"),
        ({"raised": "Traceback"}, "Traceback"),
        ({"out": "Traceback (most recent call last):"}, "a traceback"),
        ({"err": "x.py:1: RuntimeWarning: overflow\n"}, "a warning"),
        ({"out": "\x1b[31m"}, "a control character"),
        ({"err": "\u202e"}, "a control character"),
        ({"err": ""}, "refused without a word"),
        ({"cpu": 2.1}, "refused after 2.1 s"),
    ],
)
def test_each_fault_is_seen(change, words):
    good = {"argv": (), "code": 2, "out": "", "err": "harness: no\n", "cpu": 0.1}
    assert Outcome(**good).faults() == []
    faults = Outcome(**{**good, **change}).faults()
    assert len(faults) == 1
    assert words in faults[0]


def test_the_command_prints_the_seed_and_the_counts():
    command = [sys.executable, "-m", "benchmarks.fuzz", "--configs", "2", "--commands", "3"]
    done = subprocess.run(
        [*command, "--folders", "0", "--seed", "6"],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(harness.__file__).parents[1],
    )
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "seed 6"
    assert lines[1].startswith("configs: 2 cases in ")
    assert lines[2].startswith("commands: 3 cases in ")
    assert lines[2].endswith("; 0 findings")
