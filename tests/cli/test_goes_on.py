"""A run that was stopped says how much of it is recorded."""

import contextlib
import io
from pathlib import Path

import pytest
from rich.console import Console

from harness.designs.engines import monte_carlo
from harness.kinds.coverage import records
from harness.kinds.load import load_experiment
from harness.kinds.run import run_experiment
from harness.runner.journal import database
from harness.runner.journal.records import environment
from harness.screen.console import progress_bar
from tests.study.experiments import Interrupting

AFTER = 5


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(monte_carlo, "SHARD", 64)
    monkeypatch.setattr(database, "SHORTEST_BATCH", 0.0)


@pytest.fixture
def stopped(run_command, config):
    """A run of 16 shards, 8 of each of two sizes, that was stopped after some of them."""
    path = config()
    with contextlib.suppress(KeyboardInterrupt):
        run_experiment(load_experiment(path), Path("results").absolute(), Interrupting(AFTER))
    return path


def test_a_run_that_goes_on_says_how_much_is_recorded(run_command, stopped):
    result = run_command("run", stopped)
    assert result.code == 0
    assert "small goes on at 31 %: 5 of 16 parts are recorded" in result.err


def test_the_bar_of_a_terminal_says_it_too():
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=120, color_system=None)
    with progress_bar(console, "paper/fig03", after=0) as progress:
        progress.found(305, 500)
    assert "paper/fig03 goes on at 61 %: 305 of 500 parts are recorded" in file.getvalue()


def test_a_run_in_full_or_anew_or_in_quiet_says_nothing_of_it(run_command, stopped):
    for options in (["--quiet"], [], ["--fresh"]):
        result = run_command("run", stopped, *options)
        assert result.code == 0
        assert "goes on" not in result.err


def test_a_run_that_another_version_began_says_so_and_is_computed_anew(
    run_command, config, monkeypatch
):
    path = config()
    here = environment()
    with monkeypatch.context() as other:
        program = {**here["program"], "coverage-harness": "0.0.1"}
        other.setattr(database, "environment", lambda: {**here, "program": program})
        # The digest itself is computed once for a process, so that it is replaced as a whole.
        other.setattr(records, "engines_digest", lambda: "that of another version")
        first = run_command("run", path)
        assert "began" not in first.err
        before = Path("results/small/summary.csv").read_bytes()
    second = run_command("run", path)
    assert "small: another version of the program began this run (coverage-harness 0.0.1, " in (
        second.err
    )
    assert "goes on" not in second.err
    assert Path("results/small/summary.csv").read_bytes() == before
    assert "began" not in run_command("run", path).err
