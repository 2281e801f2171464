"""The command line as a process: streams, exit codes, terminals and interrupts."""

import io
import json
import logging
import os
import re
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

import harness
from harness.commands.ending import Ended, cleaning_up, ending
from harness.screen.console import progress_bar
from tests.cli.conftest import FIGURES

MODULE = [sys.executable, "-W", "error", "-m", "harness"]
# As MODULE, but it prints when it draws, and interrupts count even if the parent ignores them, as
# background jobs do.
INTERRUPTIBLE = r"""
import os, signal, sys
from harness.cli import main
from harness.kinds.coverage import trials

def simulate_shard(*task, right=trials.simulate_shard):
    os.write(2, b"drawing\n")
    return right(*task)

trials.simulate_shard = simulate_shard
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(sys.argv[1:]))
"""
SCRIPT = Path(sys.executable).parent / "harness"


def run(*argv, command=MODULE, **options):
    return subprocess.run(
        [*command, *argv], capture_output=True, text=True, timeout=60, check=False, **options
    )


def test_results_go_to_standard_output_and_faults_to_standard_error(here):
    good = run("interval", "proportion", "--x", "90", "--n", "100", "--format", "json")
    assert (good.returncode, good.stderr) == (0, "")
    assert json.loads(good.stdout)["method"] == "minimal_length"
    bad = run("interval", "proportion", "--x", "9", "--n", "1")
    assert (bad.returncode, bad.stdout) == (2, "")
    assert bad.stderr == "harness: x = 9 is larger than n = 1\n"


def test_a_reader_that_has_enough_is_no_fault(here):
    read, write = os.pipe()
    os.close(read)
    try:
        ended = subprocess.run(
            [*MODULE, "schema"], stdout=write, stderr=subprocess.PIPE, timeout=60, check=False
        )
    finally:
        os.close(write)
    assert (ended.returncode, ended.stderr) == (1, b"")


@pytest.mark.skipif(not SCRIPT.exists(), reason="the package is not installed beside this Python")
def test_the_installed_command_is_the_module(here):
    argv = ["methods", "--format", "json"]
    assert run(*argv, command=[SCRIPT]).stdout == run(*argv).stdout


def test_output_holds_no_escape_codes_even_where_the_surroundings_have_a_terminal(here, config):
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "40"}
    result = run("run", config(), env=env)
    assert result.returncode == 0
    assert "\x1b" not in result.stdout + result.stderr
    assert result.stderr == ""
    assert "…" not in result.stdout.replace(" … ", " to ")


def test_a_surrounding_that_knows_ascii_alone_gets_a_table_all_the_same(here):
    env = {**os.environ, "PYTHONIOENCODING": "ascii:strict"}
    result = run("interval", "proportion", "--x", "90", "--n", "100", env=env)
    assert (result.returncode, result.stderr) == (0, "")
    assert "0.8313" in result.stdout


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this platform has no pseudo-terminals")
def test_a_terminal_shows_a_bar_of_trials_rate_and_time_left(here, config):
    master, slave = os.openpty()
    path = config(trials={"per_size": 3_000_000}, figures=[])
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "140"}
    env.pop("NO_COLOR", None)
    with subprocess.Popen(
        [*MODULE, "run", path], stdout=subprocess.PIPE, stderr=slave, env=env
    ) as process:
        os.close(slave)
        shown = read_all(master)
        process.wait(timeout=60)
    assert process.returncode == 0
    assert "small" in shown
    assert "6,000,000 trials" in shown
    assert "M/s" in shown


def read_all(descriptor):
    """What was written to a terminal until it was closed, without its escape codes."""
    parts = []
    with open(descriptor, "rb", buffering=0) as stream:  # noqa: PTH123
        while True:
            try:
                part = stream.read(4096)
            except OSError:
                break
            if not part:
                break
            parts.append(part)
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", b"".join(parts).decode())


def test_the_bar_counts_trials():
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=120, color_system=None)
    with progress_bar(console, "paper/fig03", after=0) as progress:
        progress.expect(3_000)
        progress.advance(1_000)
        progress.advance(500)
    assert "paper/fig03" in file.getvalue()
    assert "1,500 of 3,000 trials" in file.getvalue()


ENDINGS = {
    "SIGINT": (130, "interrupted"),
    "SIGTERM": (143, "terminated"),
    "SIGHUP": (129, "the terminal was closed"),
}


@pytest.mark.parametrize(
    ("jobs", "name"), [("1", "SIGINT"), ("2", "SIGINT"), ("2", "SIGTERM"), ("1", "SIGHUP")]
)
def test_a_signal_while_drawing_ends_the_run_and_leaves_nothing(here, config, jobs, name):
    code, how = ENDINGS[name]
    path = config(trials={"per_size": 2_000_000_000}, figures=[])
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTIBLE, "run", path, "--jobs", jobs],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stderr.readline() == "drawing\n"
            process.send_signal(getattr(signal, name))
            out, err = process.communicate(timeout=20)
        finally:
            process.kill()
    assert process.returncode == code
    assert out == ""
    assert err.replace("drawing\n", "") == f"harness: {how}; nothing was finished yet\n"
    assert [entry.name for entry in here.iterdir()] == ["small.yaml"]


@pytest.mark.skipif(not hasattr(os, "openpty"), reason="this platform has no pseudo-terminals")
def test_a_run_whose_terminal_is_closed_cleans_up(here, config):
    path = config(trials={"per_size": 2_000_000_000}, figures=[])
    master, slave = os.openpty()
    # A session of its own, with the terminal as the one that ends it.
    code = (
        "import fcntl, os, sys, termios\n"
        "os.setsid()\n"
        "fcntl.ioctl(2, termios.TIOCSCTTY, 0)\n"
        "os.execv(sys.executable, [sys.executable, '-m', 'harness', *sys.argv[1:]])\n"
    )
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "140"}
    with subprocess.Popen(
        [sys.executable, "-c", code, "run", path], stdin=slave, stdout=slave, stderr=slave, env=env
    ) as process:
        os.close(slave)
        try:
            shown = b""
            while b"M/s" not in shown:
                assert select.select([master], [], [], 30)[0], shown
                shown += os.read(master, 4096)
            assert (here / "results" / "small" / ".lock").exists()
            os.close(master)
            assert process.wait(timeout=20) == ENDINGS["SIGHUP"][0]
        finally:
            process.kill()
    left = {path.name for path in (here / "results").rglob("*")}
    assert left <= {"small", "journal.sqlite"}


def test_an_ignored_hang_up_stays_ignored(here, config):
    path = config(trials={"per_size": 3_000_000}, figures=[])
    hook = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)\n" + INTERRUPTIBLE
    with subprocess.Popen(
        [sys.executable, "-c", hook, "run", path, "--jobs", "1", "--quiet"],
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr.readline() == "drawing\n"
        process.send_signal(signal.SIGHUP)
        process.communicate(timeout=60)
    assert process.returncode == 0


# As MODULE, but it interrupts itself once it imports the module that is named first.
WHILE_IMPORTED = r"""
import os, runpy, signal, sys

class Interrupting:
    def find_spec(self, name, path, target=None):
        if name == word:
            os.kill(os.getpid(), signal.SIGINT)

word = sys.argv.pop(1)
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.meta_path.insert(0, Interrupting())
runpy.run_module("harness", run_name="__main__", alter_sys=True)
"""


@pytest.mark.parametrize("module", ["harness.cli", "typer", "numpy", "polars", "scipy.special"])
def test_an_interrupt_during_imports_says_so_and_nothing_else(here, config, module):
    result = run("run", config(), command=[sys.executable, "-c", WHILE_IMPORTED, module])
    assert (result.returncode, result.stdout) == (130, "")
    assert result.stderr == "harness: interrupted\n"
    assert [entry.name for entry in here.iterdir()] == ["small.yaml"]


def test_an_interrupt_while_figures_are_drawn_says_that_the_tables_are_complete(here, config):
    hook = INTERRUPTIBLE.replace(
        "sys.exit(",
        "from matplotlib.figure import Figure\n"
        "Figure.savefig = lambda *a, **o: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.exit(",
    )
    result = run("run", config(figures=FIGURES), command=[sys.executable, "-c", hook])
    assert (result.returncode, result.stdout) == (130, "")
    folder = here / "results" / "small"
    assert result.stderr.splitlines()[-1] == (
        f"harness: interrupted; the tables in {folder} are complete, without figures: "
        f"`python -m harness plot {folder}` draws them"
    )
    assert not (folder / "figures").exists()
    assert not any(path.name.startswith(".") for path in folder.iterdir())
    assert harness.load(folder).summary.height > 0


def test_a_reader_that_stops_early_is_no_fault(here):
    with subprocess.Popen(
        [*MODULE, "schema"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()
        process.wait(timeout=30)
    assert "Traceback" not in err
    assert "fault of the harness" not in err


@pytest.fixture
def signals_restored():
    """What a process that ends need not restore."""
    numbers = [getattr(signal, name) for name in ENDINGS]
    former = [signal.getsignal(number) for number in numbers]
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    logging.disable(logging.NOTSET)
    for number, handler in zip(numbers, former, strict=True):
        signal.signal(number, handler)


@pytest.mark.usefixtures("signals_restored")
def test_a_second_interrupt_is_heard_and_a_second_hang_up_is_not():
    with cleaning_up():
        with pytest.raises(Ended) as first:
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGHUP)
        with pytest.raises(Ended) as second:
            signal.raise_signal(signal.SIGINT)
    assert ending(first.value) == ("terminated", 143)
    assert ending(second.value) == ("interrupted", 130)
