"""The commands of the guide to long runs start as they stand, and give the bytes of a plain run."""

import importlib.util
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

import harness
from tests.study.experiments import stable_files

ROOT = Path(harness.__file__).parents[1]
SLURM, MERGE, LOCAL, CLUSTER = re.findall(
    r"```bash\n(.*?)```", (ROOT / "docs/long_runs.md").read_text("utf-8"), re.DOTALL
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the guide is for a POSIX shell")
needs_dask = pytest.mark.skipif(
    importlib.util.find_spec("distributed") is None, reason="needs the extra dask"
)


def bash(script, folder, **variables):
    """Run a script where the configs are; whatever it started ends with it."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    shell = subprocess.Popen(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), **variables},
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert shell.wait(300) == 0
    finally:
        # Nobody is left of a script that starts nothing in the background.
        with suppress(ProcessLookupError):
            os.killpg(shell.pid, signal.SIGKILL)


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The files of a plain run of the config that the guide runs."""
    results = harness.run(ROOT / "configs/quickstart.yaml", out=tmp_path_factory.mktemp("plain"))
    return stable_files(results.path)


@pytest.fixture
def here(tmp_path):
    (tmp_path / "configs").mkdir()
    shutil.copy(ROOT / "configs/quickstart.yaml", tmp_path / "configs")
    return tmp_path


def test_the_array_job_and_the_merge_give_the_tables_of_a_plain_run(here, plain):
    for number in ("1", "2"):
        bash(SLURM, here, SLURM_ARRAY_TASK_ID=number, SLURM_ARRAY_TASK_COUNT="2")
    bash(MERGE, here)
    assert stable_files(here / "results/quickstart") == plain


@needs_dask
def test_workers_of_this_machine_give_the_tables_of_a_plain_run(here, plain):
    bash(LOCAL, here)
    assert stable_files(here / "results/quickstart") == plain


@needs_dask
def test_the_cluster_gives_the_tables_of_a_plain_run(here, plain):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    bash(CLUSTER.replace("8786", port), here)
    assert stable_files(here / "results/quickstart") == plain
