"""A run that is killed while it writes leaves its folder with the old result or the new one."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import harness
from harness.base.errors import InputError, WriteError
from harness.figures.kind import FigureSpec
from harness.kinds.load import load_experiment
from harness.runner.commit import commit, settle
from harness.runner.folder import open_run_folder
from harness.runner.lock import hold
from harness.runner.write import write_figures
from tests.study.experiments import changed, files
from tests.study.test_write_results import FIGURE, NO_FIGURE, everything

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the tests fork")

ROOT = Path(harness.__file__).parents[1]
PYTHONPATH = {**os.environ, "PYTHONPATH": str(ROOT)}
NEW = changed(NO_FIGURE, seed=8, methods=["wald", "wilson"])
"""It has tables that the old result has not."""

KILL_AT_EACH_STEP = """
import json, os, shutil, signal, sys
from pathlib import Path
from harness.runner import commit
from harness.runner.lock import hold

old, new, work = map(Path, sys.argv[1:])
STEPS = ("mkdir", "fsync", "rename", "unlink", "replace", "rmdir")
steps = []

def counted(name, right):
    def step(*arguments, **options):
        if len(steps) == last:
            os.kill(os.getpid(), signal.SIGKILL)
        steps.append(name)
        return right(*arguments, **options)
    return step

def write(folder):
    with hold(folder):
        for name in STEPS:
            setattr(os, name, counted(name, getattr(os, name)))
        commit.recover(folder)
        commit.commit(folder, lambda aside: shutil.copytree(new, aside, dirs_exist_ok=True))

last = 0
while True:
    folder = work / f"{last:03}"
    shutil.copytree(old, folder)
    child = os.fork()
    if not child:
        write(folder)
        (work / "steps.json").write_text(json.dumps(steps))
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    if status == 0:
        break
    assert os.WTERMSIG(status) == signal.SIGKILL, status
    last += 1
"""


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """The folders of an old result, with a figure, and of a new one, without."""
    place = tmp_path_factory.mktemp("results")
    folders = [
        harness.run(config, out=place / name).path
        for name, config in (("old", FIGURE), ("new", NEW))
    ]
    for folder in folders:
        (folder / "journal.sqlite").unlink()
    assert set(files(folders[1])) - set(files(folders[0])) == {"ranking.csv", "recommendation.csv"}
    return folders


@pytest.fixture(scope="module", params=["replaced", "first", "figures"])
def killed(request, results, tmp_path_factory):
    """A folder for each step of a commit at which it was killed, and whether the step is after
    the one that decides; with what was there and what came."""
    old, new = results
    work = tmp_path_factory.mktemp("killed")
    before = old
    if request.param == "first":
        before = work / "empty"
        before.mkdir()
    if request.param == "figures":
        # Of a plot: the figures and the manifest alone.
        whole = shutil.copytree(old, work / "whole")
        write_figures(harness.load(whole), [FigureSpec("alpha_by_outcome", {})], whole, ["pdf"])
        new = work / "figures only"
        new.mkdir()
        (whole / "manifest.json").rename(new / "manifest.json")
        (whole / "figures").rename(new / "figures")
        (new / "figures" / "alpha_by_outcome-wald-n3.png").unlink()
    folders = work / "folders"
    folders.mkdir()
    subprocess.run(
        [sys.executable, "-c", KILL_AT_EACH_STEP, before, new, folders], check=True, env=PYTHONPATH
    )
    steps = json.loads((folders / "steps.json").read_text())
    after = files(new) if request.param != "figures" else {**files(before), **files(new)}
    decisive = steps.index("rename")
    number = [int(path.name) for path in folders.iterdir() if path.is_dir()]
    assert sorted(number) == list(range(len(steps) + 1))
    return [
        (folders / f"{step:03}", after if step > decisive else files(before), step > decisive)
        for step in range(len(steps))
    ]


def hidden(folder):
    return {path for path in everything(folder) if Path(path).name.startswith(".")}


def test_reading_finds_the_old_or_the_new_result_byte_for_byte(killed, tmp_path):
    for folder, expected, _ in killed:
        copy = shutil.copytree(folder, tmp_path / folder.name)
        if expected:
            harness.load(copy)
            assert files(copy) == expected, folder.name
            assert hidden(copy) == set(), folder.name
        else:
            with pytest.raises(InputError, match=r"its run has not finished|holds no results"):
                harness.load(copy)


def test_the_next_run_finds_it_likewise(killed, tmp_path):
    experiment = load_experiment(NEW)
    for folder, expected, _ in killed:
        copy = shutil.copytree(folder, tmp_path / folder.name / "one")
        with open_run_folder(experiment, copy.parent):
            pass
        if not expected:
            # It was made here, in the copy.
            assert everything(copy) == set()
            continue
        assert files(copy) == expected, folder.name
        assert hidden(copy) == set(), folder.name


def test_some_are_killed_before_the_step_that_decides_and_some_while_files_move(killed):
    assert sum(not after for _, _, after in killed) >= 3
    moving = [folder for folder, _, after in killed if after and (folder / ".ready").exists()]
    assert len(moving) >= 3


def test_a_recovery_that_is_killed_in_turn_is_completed_by_the_next(results, tmp_path):
    old, new = results
    folder = shutil.copytree(old, tmp_path / "one")
    shutil.copytree(new, folder / ".ready")
    (folder / "cells.parquet").unlink()
    (folder / ".ready" / "cells.parquet").rename(folder / "cells.parquet")
    shutil.copytree(new, folder / ".new-dead")
    harness.load(folder)
    assert files(folder) == files(new)


KILLED_RUN = """
import os, signal, sys
step, number = sys.argv[1], int(sys.argv[2])
right = getattr(os, step)

def counted(*arguments, **options):
    global number
    if ".ready" in "".join(map(str, arguments)):
        if number == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        number -= 1
    return right(*arguments, **options)

setattr(os, step, counted)
from harness.cli import main
main(sys.argv[3:])
"""


@pytest.mark.parametrize(
    ("step", "number", "word"),
    [("rename", 0, "old"), ("replace", 0, "new"), ("replace", 2, "new")],
    ids=["before", "replace-0", "replace-2"],
)
def test_after_a_killed_run_the_folder_is_read_and_run_again(here, step, number, word):
    folder = harness.run(FIGURE).path
    old = files(folder)
    (here / "new.yaml").write_text(json.dumps(NEW))
    argv = ["run", "new.yaml", "--quiet"]
    done = subprocess.run(
        [sys.executable, "-c", KILLED_RUN, step, str(number), *argv], check=False, env=PYTHONPATH
    )
    assert done.returncode == -signal.SIGKILL
    assert (folder / ".lock").exists()
    copy = shutil.copytree(folder, here / "copy")
    assert harness.load(copy).manifest["seed"] == {"old": 7, "new": 8}[word]
    if word == "old":
        assert files(copy) == old
    harness.run(NEW)
    assert harness.load(folder).manifest["seed"] == 8
    assert hidden(folder) == set()
    assert not any(name.startswith("figures") for name in files(folder))


def test_files_that_cannot_be_moved_wait_for_the_next_reader(here, monkeypatch):
    folder = harness.run(FIGURE).path

    def replace(path, place):
        raise OSError(5, "Input/output error")

    with monkeypatch.context() as patch:
        patch.setattr("harness.runner.commit.os.replace", replace)
        words = "Input/output error; the new result is complete, and the next run, plot or load"
        with pytest.raises(WriteError, match=words):
            harness.run(NEW)
        with pytest.raises(InputError, match="cannot be moved to its place: Input/output error"):
            harness.load(folder)
    assert harness.load(folder).manifest["seed"] == 8
    assert hidden(folder) == set()


def test_a_result_is_read_where_nothing_can_be_written(results, tmp_path, monkeypatch):
    folder = shutil.copytree(results[0], tmp_path / "one")
    (folder / ".new-dead").mkdir()
    right = os.open

    def open_to_read(path, flags, *rest, **options):
        if flags & (os.O_RDWR | os.O_CREAT):
            raise OSError(30, "Read-only file system")
        return right(path, flags, *rest, **options)

    monkeypatch.setattr(os, "open", open_to_read)
    assert harness.load(folder).manifest["seed"] == 7


def test_a_file_that_no_run_wrote_is_not_written_over(results, tmp_path):
    old, new = results
    folder = shutil.copytree(old, tmp_path / "one")
    (folder / "ranking.csv").write_text("mine")
    before = files(folder)

    def fill(aside):
        shutil.copytree(new, aside, dirs_exist_ok=True)

    with hold(folder), pytest.raises(InputError, match=r"ranking\.csv was written by no run"):
        commit(folder, fill)
    assert files(folder) == before
    assert hidden(folder) == set()


def test_a_folder_named_ready_that_no_run_wrote_is_left_alone(results, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    folder = shutil.copytree(results[0], tmp_path / "results" / "one")
    (folder / ".ready").mkdir()
    (folder / ".ready" / "thesis.txt").write_text("ten years")
    before = files(folder)
    harness.load(folder)
    with pytest.raises(InputError, match=r"holds \.ready, which no run wrote"):
        harness.run(NEW)
    assert files(folder) == before


def test_reading_while_a_run_is_under_way_takes_nothing_from_it(results, tmp_path):
    folder = shutil.copytree(results[0], tmp_path / "one")
    with hold(folder) as held:
        (folder / ".new-abc").mkdir()
        assert not settle(folder)
        assert harness.load(folder).manifest["seed"] == 7
        assert held.is_held()
        assert (folder / ".new-abc").is_dir()


def test_a_reader_waits_for_a_run_that_moves_its_files(results, tmp_path):
    old, new = results
    folder = shutil.copytree(old, tmp_path / "one")
    code = (
        "import shutil, sys, time\n"
        "from pathlib import Path\n"
        "from harness.runner import commit, lock\n"
        "folder, new = map(Path, sys.argv[1:])\n"
        "with lock.hold(folder):\n"
        "    shutil.copytree(new, folder / '.ready')\n"
        "    (folder / '.ready' / 'summary.csv').replace(folder / 'summary.csv')\n"
        "    print('moving', flush=True)\n"
        "    time.sleep(1)\n"
        "    commit.finish(folder)\n"
    )
    argv = [sys.executable, "-c", code, str(folder), str(new)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, env=PYTHONPATH) as process:
        process.stdout.readline()
        assert harness.load(folder).manifest["seed"] == 8
    assert files(folder) == files(new)


def test_a_reader_never_meets_files_of_two_results(results, tmp_path):
    folder = shutil.copytree(results[0], tmp_path / "one")

    def write():
        for number in range(30):
            time.sleep(0.02)
            with hold(folder):
                commit(
                    folder,
                    lambda aside, number=number: shutil.copytree(
                        results[(number + 1) % 2], aside, dirs_exist_ok=True
                    ),
                )

    writer = threading.Thread(target=write)
    writer.start()
    seeds = []
    while writer.is_alive():
        # One that meets files of two results raises.
        seeds.append(harness.load(folder).manifest["seed"])
    writer.join()
    assert len(seeds) >= 3
    assert set(seeds) <= {7, 8}
    assert files(folder) == files(results[0])


UNFINISHED = {
    "a journal": ["journal.sqlite"],
    "a journal that was being written": ["journal.sqlite", "journal.sqlite-journal"],
    "a lock": [".lock"],
    "half a new result": [".new-abcd/summary.csv"],
}


@pytest.mark.parametrize("what", UNFINISHED)
def test_a_folder_without_a_result_says_that_its_run_has_not_finished(here, what):
    folder = here / "results" / "one"
    for name in UNFINISHED[what]:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    with pytest.raises(InputError, match=r"holds no results yet: its run has not finished, and"):
        harness.load(folder)
    with pytest.raises(InputError, match="would lie within the result"):
        harness.run(changed(NEW, name="one/inner"))
    assert harness.run(NEW).manifest["seed"] == 8
    assert hidden(folder) == set()
