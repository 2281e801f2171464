"""A file of the working folder that is called like a library neither breaks nor replaces it."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import harness
from tests.cli.conftest import FIGURES
from tests.study.experiments import files

TOP = Path(harness.__file__).parents[1]
SHADOWS = ("numpy", "yaml", "json", "joblib", "polars", "typer", "signal", "random", "csv", "rich")
"""Of these a copy in the working folder ends the program that imports it."""
OWN = """\
import math, statistics
import numpy as np

def f(x, n, alpha):
    return np.zeros(np.shape(x)), np.ones(np.shape(x))
"""
MODULE = [sys.executable, "-m", "harness"]
INSTALLED = [sys.executable, "-c", "from harness.__main__ import entry; entry()"]
"""As the installed command, whose own folder is on the path instead of the working folder."""


def run(command: list[str], *argv: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(TOP)}
    if command == INSTALLED:
        command = [command[0], "-P", *command[1:]]
    env.pop("PYTHONSAFEPATH", None)
    return subprocess.run(
        [*command, *argv], capture_output=True, text=True, timeout=120, check=False, env=env
    )


@pytest.fixture
def shadowed(here: Path) -> Path:
    for name in SHADOWS:
        (here / f"{name}.py").write_text(f"raise RuntimeError('the file {name}.py was imported')\n")
    return here


@pytest.mark.parametrize("command", [MODULE, INSTALLED], ids=["module", "installed"])
@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_libraries_go_before_files_of_the_working_folder(shadowed, config, command, backend):
    path = config(figures=FIGURES)
    argv = ["run", path, "--backend", backend, "--jobs", "2", "--quiet"]
    done = run(command, *argv)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    written = files(shadowed / "results/small")
    assert "cells.parquet" in {path.name for path in map(Path, written)}


@pytest.mark.parametrize("folder", [False, True], ids=["file", "folder"])
def test_the_installed_command_runs_beside_a_file_or_folder_of_its_name(here, config, folder):
    if folder:
        (here / "harness").mkdir()
    shadow = here / ("harness/__init__.py" if folder else "harness.py")
    shadow.write_text("raise RuntimeError('imported')\n")
    done = run(INSTALLED, "run", config(), "--backend", "loky", "--jobs", "2", "--quiet")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_folder_of_its_name_that_is_no_package_is_in_nobodys_way(here):
    (here / "harness").mkdir()
    assert run(MODULE, "methods", "wilson").stdout.startswith("name: wilson\n")


def test_a_method_may_be_in_a_file_of_any_name(here, config):
    names = ("harness", "numpy", "statistics", "json", "typing", "__main__")
    for name in names:
        (here / f"{name}.py").write_text(OWN)
    methods = [{"path": f"{name}.py", "function": "f", "label": name} for name in names]
    path = config(methods=["wald", *methods], figures=[])
    done = run(INSTALLED, "run", path)
    assert (done.returncode, done.stderr) == (0, "")
    assert all(name in done.stdout for name in names)
    assert run(INSTALLED, "check", "harness.py:f", "--contract", "none").returncode in (0, 3)


def test_programs_that_a_method_starts_find_their_own_folder(here, config):
    (here / "sibling.py").write_text("print(0.25)\n")
    (here / "program.py").write_text("import sibling\n")
    (here / "own.py").write_text(
        "import subprocess, sys\n"
        "def f(x, n, alpha):\n"
        "    done = subprocess.run([sys.executable, 'program.py'], capture_output=True)\n"
        "    return 0.0, float(done.stdout)\n"
    )
    path = config(n=1, methods=[{"path": "own.py", "function": "f"}], figures=[])
    done = run(MODULE, "run", path, "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
