"""Whatever functions, signals, disks and files do, a run survives: a few cases of each kind."""

import subprocess
import sys
from pathlib import Path

import pytest

import harness
from benchmarks.torture.__main__ import SEED
from benchmarks.torture.campaign import KINDS, torture
from benchmarks.torture.command import Ending
from benchmarks.torture.victims import Prepared

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the cases read /proc")


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    found = Prepared(tmp_path_factory.mktemp("torture"))
    found.make()
    return found


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_a_few_cases_of_each_kind_survive(prepared, kind):
    count = torture(kind, range(2), SEED, 60.0, prepared)
    assert count.failures == []
    assert count.tried >= 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"code": 1}, "exit code 1"),
        ({"err": "Traceback (most recent call last):"}, "says 'Traceback"),
        ({"err": "Exception ignored in: x"}, "says 'Exception ignored"),
        ({"code": 2, "err": ""}, "no sentence"),
        ({"left": ("2 processes run on",)}, "2 processes run on"),
    ],
)
def test_each_fault_is_seen(change, words):
    good = {"code": 0, "out": "", "err": "", "seconds": 1.0}
    assert Ending(**good).faults((0, 2)) == []
    (fault,) = Ending(**{**good, **change}).faults((0, 2))
    assert words in fault


@pytest.mark.slow
def test_the_command_prints_a_table():
    command = [sys.executable, "-m", "benchmarks.torture", "--only", "data:0", "--seed", "6"]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(harness.__file__).parents[1],
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.splitlines()[-1].split()[:3] == ["data", "25", "25"]
