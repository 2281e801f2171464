"""A run that is killed at any moment goes on where it was, and ends with the same bytes."""

import contextlib
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

import harness
from tests.study.experiments import DRAWN, changed, stable_files

ROOT = Path(harness.__file__).parents[1]

CONFIG = changed(DRAWN, n=[5, 12, 30], trials={"per_size": 2_000_000}, execution={"jobs": 2})

RUN = """
import json, sys
import harness
from harness.designs.engines import monte_carlo
from harness.runner.journal import database

monte_carlo.SHARD = 1 << 14
database.SHORTEST_BATCH, database._PAUSE = 0.0, 0.0
commit = database.Journal.commit

def told(self, start):
    commit(self, start)
    print("recorded", flush=True)

database.Journal.commit = told
harness.run(json.load(open("c.json")), out=sys.argv[1])
print("done", flush=True)
"""

KILLS = 12
SEED = 20_261_122


def start(folder, out):
    return subprocess.Popen(
        [sys.executable, "-c", RUN, out],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        text=True,
    )


def complete(folder, out):
    with start(folder, out) as process:
        process.communicate(timeout=240)
    assert process.returncode == 0


def killed_after(process, records, pause):
    """Kill a run some time after so many records; return whether it was still under way."""
    for line in process.stdout:
        records -= line == "recorded\n"
        if records == 0 or line == "done\n":
            break
    time.sleep(pause)
    under_way = process.poll() is None
    process.kill()
    # Worker processes may hold the other end of the pipe a little longer.
    process.stdout.close()
    process.wait()
    return under_way


def test_a_run_killed_at_many_moments_ends_with_the_same_bytes(tmp_path):
    """Of the kills at least fifteen hit a run between its first and its last record."""
    config = changed(CONFIG, execution={"jobs": 2, "backend": "threading"})
    (tmp_path / "c.json").write_text(json.dumps(config))
    complete(tmp_path, "whole")
    rng = random.Random(SEED)
    hits = 0
    for _ in range(KILLS):
        with start(tmp_path, "killed") as process:
            hits += killed_after(process, rng.randint(1, 4), rng.uniform(0.0, 0.01))
    assert hits >= 9
    assert not (tmp_path / "killed" / config["name"] / "manifest.json").exists()
    complete(tmp_path, "killed")
    expected = stable_files(tmp_path / "whole" / config["name"])
    assert {"cells.parquet", "summary.csv"} < expected.keys()
    assert stable_files(tmp_path / "killed" / config["name"]) == expected


def workers_of(parent):
    """The processes with this parent, from the files of Linux."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            fields = status.read_text().rpartition(")")[2].split()
            if int(fields[1]) == parent:
                found.append(int(status.parent.name))
    return found


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs the files of Linux")
def test_the_workers_of_a_killed_run_end(tmp_path):
    config = changed(CONFIG, execution={"jobs": 2, "backend": "loky"})
    (tmp_path / "c.json").write_text(json.dumps(config))
    with start(tmp_path, "killed") as process:
        assert process.stdout.readline() == "recorded\n"
        workers = workers_of(process.pid)
        assert len(workers) >= 2
        process.kill()
        process.stdout.close()
    end = time.monotonic() + 30.0
    while any(Path(f"/proc/{each}").exists() for each in workers):
        assert time.monotonic() < end
        time.sleep(0.1)
    complete(tmp_path, "killed")
    complete(tmp_path, "whole")
    results = [stable_files(tmp_path / out / config["name"]) for out in ("killed", "whole")]
    assert results[0] == results[1]
