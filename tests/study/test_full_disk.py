"""A full disk is one sentence, with exit code 2, and what was there before is as it was."""

import contextlib
import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

import harness
from harness.base.errors import WriteError
from harness.cli import main
from harness.runner import commit
from tests.simulation.studies import study
from tests.study.experiments import changed, files
from tests.study.test_write_results import FIGURE, NO_FIGURE, everything

ROOT = Path(harness.__file__).parents[1]
SEED = 8

# Each case in turn: from one call on no file may grow beyond 100 bytes, as on a disk that is full.
SMALL_FILES = """
import contextlib, io, json, pathlib, resource, sys
import matplotlib.figure, polars
import harness.runner.storage as storage
from harness.cli import main

unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
CALLS = {
    "parquet": (polars.DataFrame, "write_parquet"),
    "csv": (polars.DataFrame, "write_csv"),
    "text": (pathlib.Path, "write_text"),
    "figure": (matplotlib.figure.Figure, "savefig"),
}

def run(call, argv):
    owner, name = CALLS[call]
    right = getattr(owner, name)
    def limited(*arguments, **options):
        resource.setrlimit(resource.RLIMIT_FSIZE, (100, unlimited[1]))
        try:
            return right(*arguments, **options)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)
    setattr(owner, name, limited)
    err = io.StringIO()
    try:
        with contextlib.redirect_stderr(err), contextlib.redirect_stdout(io.StringIO()):
            return main(argv), err.getvalue()
    finally:
        setattr(owner, name, right)

print(json.dumps([run(*case) for case in json.loads(sys.argv[1])]))
"""

CASES = {
    **{
        f"{call}, {kind}": (call, ["run", "new.yaml", "--out", kind])
        for call in ("parquet", "csv", "text")
        for kind in ("replaced", "first")
    },
    "figure": ("figure", ["run", "figure.yaml", "--out", "figures", "--quiet"]),
    **{
        f"figure, {form}": ("figure", ["plot", "replaced/one", "--format", form])
        for form in ("png", "svg", "pdf")
    },
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory):
    """The folder of all cases, what was there before, and exit code and words of each."""
    here = tmp_path_factory.mktemp("small")
    harness.run(FIGURE, out=here / "replaced")
    for name, config in (("new", NO_FIGURE), ("figure", FIGURE)):
        (here / f"{name}.yaml").write_text(json.dumps(changed(config, seed=SEED)))
    before = everything(here / "replaced"), files(here / "replaced")
    done = subprocess.run(
        [sys.executable, "-c", SMALL_FILES, json.dumps(list(CASES.values()))],
        cwd=here,
        capture_output=True,
        text=True,
        check=True,
        # A module that is compiled while files are short would be stored short.
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"},
    )
    return here, before, dict(zip(CASES, json.loads(done.stdout), strict=True))


def without_journal(found):
    """Files and folders but for the journal of a run, which stays for the next one."""
    return type(found)(
        each if isinstance(found, set) else (each, found[each])
        for each in found
        if not each.endswith("journal.sqlite")
    )


FULL = os.strerror(errno.EFBIG)


@pytest.mark.skipif(sys.platform == "win32", reason="this platform limits no files")
@pytest.mark.parametrize("case", CASES)
def test_a_file_that_cannot_grow_is_one_sentence_with_exit_code_2(outcomes, case):
    _, _, found = outcomes
    code, words = found[case]
    assert code == 2, words
    what = {
        "run": "replaced/one cannot be written: {}; the former result in replaced/one is as it "
        "was, and journal.sqlite keeps what is computed\n",
        "plot": "replaced/one/figures cannot be written: {}; "
        "the tables and figures in replaced/one are as they were\n",
    }[CASES[case][1][0]]
    if case.endswith("first"):
        what = "first/one cannot be written: {}; no half-written file is left, and journal"
    if case == "figure":
        what = "/figures/one are complete and none of its figures is drawn: `python -m harness plot"
    *before, fault = words.splitlines(keepends=True)
    assert what.format(FULL) in fault
    assert fault.startswith("harness: ")
    replaces = "holds the results of a config with another seed, which this run replaces"
    assert [replaces in line for line in before] == [True] * (case.endswith("replaced"))


@pytest.mark.skipif(sys.platform == "win32", reason="this platform limits no files")
def test_what_was_there_is_there_byte_for_byte(outcomes):
    here, before, _ = outcomes
    assert without_journal(everything(here / "replaced")) == without_journal(before[0])
    assert without_journal(files(here / "replaced")) == without_journal(before[1])
    assert without_journal(everything(here / "first")) <= {"one"}


@pytest.mark.skipif(sys.platform == "win32", reason="this platform limits no files")
def test_tables_are_complete_where_a_figure_cannot_be_written(outcomes):
    here, _, _ = outcomes
    folder = here / "figures" / "one"
    assert harness.load(folder).manifest["seed"] == SEED
    assert not (folder / "figures").exists()
    assert main(["plot", str(folder)]) == 0


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EIO, errno.EDQUOT])
def test_a_disk_that_says_so_only_at_the_end_is_heard(here, monkeypatch, number):
    folder = harness.run(FIGURE).path
    before = files(folder)

    def fsync(handle):
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as patch:
        patch.setattr(commit.os, "fsync", fsync)
        with pytest.raises(WriteError, match=f"{os.strerror(number)}; the former result in"):
            harness.run(changed(FIGURE, seed=SEED))
    assert without_journal(files(folder)) == without_journal(before)


@pytest.fixture
def disk(tmp_path):
    """A disk of one megabyte."""
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if shutil.which("mount") is None or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no disk can be mounted here")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


def fill(disk: Path) -> None:
    """Write to a disk until it is full."""
    with contextlib.suppress(OSError), (disk / "ballast").open("wb", buffering=0) as file:
        while True:
            file.write(b"0" * 1024)


@pytest.mark.parametrize("step", ["write_json", "write_tables", "dump"])
def test_a_disk_that_is_full_leaves_the_former_result(disk, monkeypatch, step):
    folder = harness.run(FIGURE, out=disk).path
    before = files(folder)
    right = getattr(harness.runner.write, step)

    def on_a_full_disk(*arguments):
        fill(disk)
        return right(*arguments)

    monkeypatch.setattr(harness.runner.write, step, on_a_full_disk)
    words = "No space left on device; the former result in .* is as it was, and journal"
    with pytest.raises(WriteError, match=words):
        harness.run(changed(FIGURE, seed=SEED), out=disk)
    (disk / "ballast").unlink()
    assert without_journal(files(folder)) == without_journal(before)
    monkeypatch.undo()
    assert harness.run(changed(FIGURE, seed=SEED), out=disk).manifest["seed"] == SEED


@pytest.mark.parametrize("form", ["png", "svg", "pdf"])
def test_a_disk_that_is_full_leaves_the_former_figures(disk, capsys, form):
    folder = harness.run(FIGURE, out=disk).path
    before = files(folder)
    fill(disk)
    capsys.readouterr()
    assert main(["plot", str(folder), "--format", form]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "cannot be written: No space left on device" in captured.err
    assert files(folder) == before


def test_a_disk_that_is_full_from_the_start_is_said_before_anything_is_computed(disk, monkeypatch):
    def compute(*arguments):
        raise AssertionError("computed in vain")

    monkeypatch.setattr("harness.kinds.coverage.run.compute", compute)
    fill(disk)
    with pytest.raises(WriteError, match="cannot be written: No space left on device"):
        harness.run(NO_FIGURE, out=disk)
    assert [path.name for path in disk.iterdir()] == ["ballast"]


STUDY = study("z", trials={"per_scenario": 20}, figures=[])
OF_PROCESSES = changed(NO_FIGURE, execution={"jobs": 2, "backend": "loky"})


@pytest.mark.parametrize("config", [STUDY, OF_PROCESSES], ids=["study", "loky"])
def test_a_full_folder_for_temporary_files_is_not_used(disk, tmp_path, config):
    fill(disk)
    (tmp_path / "config.yaml").write_text(json.dumps(config))
    done = subprocess.run(
        [sys.executable, "-m", "harness", "run", "config.yaml", "--quiet"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": str(disk)},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "results" / config["name"] / "summary.csv").is_file()


def test_a_folder_for_temporary_files_that_fills_up_is_a_sentence(
    disk, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(disk))
    (tmp_path / "config.yaml").write_text(json.dumps(STUDY))
    command = ["run", str(tmp_path / "config.yaml"), "--out", str(tmp_path), "--quiet"]
    fill(disk)
    assert main(command) == 2
    words = capsys.readouterr().err
    assert words.count("\n") == 1
    assert "No space left on device" in words
    assert [path.name for path in disk.iterdir()] == ["ballast"]
    (disk / "ballast").unlink()
    assert main(command) == 0
