"""What long computations say while they run, and when they are interrupted."""

import io
import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import harness
from harness.base.underway import showing, underway
from harness.planning import power
from harness.planning.goals import Tried
from harness.screen.console import PrintableConsole, work_bar
from tests.cli.test_process import MODULE, read_all

LONG = ["size", "proportion_difference", "--method", "mover_jeffreys", "--p1", "0.9"]
LONG += ["--p2", "0.85", "--above", "0", "--probability", "0.8", "--alpha", "0.025"]
"""It takes some seconds."""


def test_the_answer_lies_between_the_largest_that_fails_and_the_next_that_reaches():
    tried = Tried()
    tried.add("power", np.array([10.0, 20.0, 40.0]), np.array([True, False, True]))
    assert tried.doing("n") == "searching n: 3 tried, between 20 and 40"
    tried.add("power", np.array([50.0, 45.0]), np.array([True, False]), np.array([0.81, 0.79]))
    assert tried.doing("n") == "searching n: 5 tried, between 45 and 50"
    assert tried.found("n") == (
        "so far n = 50 has power (0.81), and n = 45 has not; none between is excluded"
    )


def test_sizes_of_another_goal_are_forgotten():
    tried = Tried()
    tried.add("width", np.array([10.0]), np.array([False]))
    tried.add("power", np.array([5.0]), np.array([True]))
    assert tried.found("n") == "so far n = 5 has power; smaller ones are not excluded"


def test_of_blocks_within_each_other_the_outermost_is_shown():
    shown = []

    def show(doing):
        shown.append(doing())
        return underway(doing)

    with showing(show), underway(lambda: "outer"), underway(lambda: "inner"):
        pass
    assert shown == ["outer"]


def test_a_bar_shows_what_is_being_done_after_its_time_alone():
    def text(after):
        file = io.StringIO()
        console = PrintableConsole(file=file, force_terminal=True, width=120, color_system=None)
        with work_bar(console, lambda: "searching n: 3 tried\x1b[2J", after=after):
            pass
        return file.getvalue()

    assert text(60.0) == ""
    assert r"searching n: 3 tried\x1b[2J" in text(0)


@pytest.mark.parametrize("calls", [3, 9, 12])
def test_an_interrupted_search_says_which_size_reaches_the_goal(run_command, monkeypatch, calls):
    right, count = power.PowerQuestion.decided, 0

    def decided(*args):
        nonlocal count
        count += 1
        if count > calls:
            raise KeyboardInterrupt
        return right(*args)

    monkeypatch.setattr(power.PowerQuestion, "decided", decided)
    argv = ["size", "proportion", "--method", "wilson", "--p", "0.8", "--above", "0.75"]
    result = run_command(*argv, "--probability", "0.8")
    assert (result.code, result.out) == (130, "")
    monkeypatch.undo()
    asked = {"p": 0.8, "above": 0.75}
    if calls == 12:
        assert re.search(r"n = \d+ has a lower limit above 0.75 with a probability", result.err)
    for n, has in re.findall(r"n = (\d+) has (not|a lower)", result.err):
        found = harness.power("proportion", "wilson", n=int(n), **asked).probability
        assert (found >= 0.8) == (has != "not")
    assert result.err.startswith("harness: interrupted; so far n")


def on_a_terminal(stop_at=None):
    """What is shown of a long search, and its exit code; it is interrupted at some words."""
    master, slave = os.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "140"}
    with subprocess.Popen([*MODULE, *LONG], stdout=subprocess.PIPE, stderr=slave, env=env) as done:
        os.close(slave)
        shown = ""
        while stop_at is not None and stop_at not in shown:
            shown += os.read(master, 4096).decode()
        if stop_at is not None:
            done.send_signal(signal.SIGINT)
        started = time.monotonic()
        shown += read_all(master)
        done.wait(timeout=120)
        return shown, done.returncode, time.monotonic() - started


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="this platform has no pseudo-terminals")
def test_a_terminal_shows_how_many_sizes_were_tried():
    shown, code, _ = on_a_terminal()
    assert code == 0
    assert re.search(r"searching n1: \d+ tried, between \d+ and \d+", shown)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="this platform has no pseudo-terminals")
def test_an_interrupt_says_what_was_found_so_far():
    shown, code, _ = on_a_terminal("between")
    assert code == 130
    assert "harness: interrupted; so far n1 = " in shown
    assert "has a lower limit above 0 with a probability of 0.8 by mover_jeffreys" in shown
