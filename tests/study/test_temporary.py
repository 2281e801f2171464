"""Runs leave nothing in the folder for temporary files; what killed ones leave is removed."""

import os
import subprocess
import sys
import tempfile

import pytest

import harness
from harness.base import temporary
from harness.base.temporary import remove_left_behind, temporary_prefix
from harness.callers.simulation.process import TrialProcess
from harness.kinds.simulation.keys import simulation_of
from tests.simulation.studies import study
from tests.study.experiments import changed
from tests.study.test_cluster import DRAWN

pytestmark = pytest.mark.skipif(os.name != "posix", reason="numbers of processes are asked")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    return tmp_path


def test_the_next_run_removes_what_a_killed_process_has_left(folder):
    ended = subprocess.run(
        [
            sys.executable,
            "-c",
            "import os, tempfile; from harness.base.temporary import temporary_prefix as prefix\n"
            "open(tempfile.mkdtemp(prefix=prefix('files')) + '/study.py', 'w').close()\n"
            "tempfile.mkstemp(prefix=prefix('position')); os.kill(os.getpid(), 9)",
        ],
        check=False,
    )
    assert ended.returncode == -9
    assert len(list(folder.iterdir())) == 2
    mine = folder / f"{temporary_prefix('files')}mine"
    other = folder / "harness-of-someone"
    for path in (mine, other):
        path.mkdir()
    harness.run(study("z"), out=None)
    assert sorted(folder.iterdir()) == sorted([mine, other])


def test_a_link_that_a_killed_process_has_left_is_removed_and_not_what_it_leads_to(
    folder, tmp_path_factory, monkeypatch
):
    there = tmp_path_factory.mktemp("there")
    monkeypatch.setattr(temporary, "_runs", lambda _: False)
    (folder / f"{temporary_prefix('files')}link").symlink_to(there)
    remove_left_behind()
    assert there.is_dir()
    assert not list(folder.iterdir())


def test_the_process_of_a_study_has_no_file_that_a_kill_would_leave(folder, monkeypatch):
    experiment = simulation_of(study("z"), folder)[0]
    assert experiment is not None
    files = []
    ask = TrialProcess.ask

    def noting(process, *arguments):
        files.extend(folder.iterdir())
        return ask(process, *arguments)

    monkeypatch.setattr(TrialProcess, "ask", noting)
    process = TrialProcess(experiment.program, experiment.scenarios[0])
    process.close()
    assert not files


def test_a_local_cluster_leaves_no_folder_of_the_functions_that_were_sent(folder, tmp_path_factory):
    file = tmp_path_factory.mktemp("user") / "mine.py"
    file.write_text("def drawn(x, n, alpha, rng):\n    return 0.0, rng.uniform(0.5, 1.0)\n")
    method = {"path": str(file), "function": "drawn"}
    config = changed(DRAWN, n=8, alpha=0.1, methods=[method], trials={"per_size": 1000})
    execution = {"jobs": 2, "backend": "dask"}
    harness.run(changed(config, figures=[], execution=execution), out=None)
    assert not list(folder.glob("harness-*"))
