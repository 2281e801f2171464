"""A user's function that is sent as text: the answers of the function itself, or none."""

from __future__ import annotations

import pickle
from contextlib import closing

import numpy as np
import pytest

from harness.callers.function import FunctionInProcess
from harness.callers.process import FunctionLocation
from harness.callers.sent import SentFunction, SentFunctionError, close_sent_functions, sendable
from harness.callers.source import Observed

OBSERVED = Observed("proportion", (20.0,), (np.arange(21.0),))
DRAWN = """
import os
def f(x, n, alpha, rng):
    {line}
    return x / n - rng.uniform(0, 0.1), x / n + rng.uniform(0, 0.1)
f.deterministic = False
"""


@pytest.fixture
def started(tmp_path):
    """Start the function of a text in a file, and send it."""
    started = []

    def start(line):
        path = tmp_path / "mine.py"
        path.write_text(DRAWN.format(line=line))
        function = FunctionInProcess("mine", FunctionLocation("f", str(path)), 2.0)
        started.append(function)
        sent = pickle.loads(pickle.dumps(sendable(function)))
        assert isinstance(sent, SentFunction)
        path.unlink()
        return function, sent

    yield start
    for function in started:
        function.close()
    close_sent_functions()


def drawn(function):
    return function.draw(OBSERVED, 0.1, "two-sided", np.random.default_rng(1))


def test_it_draws_what_the_function_draws(started):
    function, sent = started("")
    here, there = drawn(function), drawn(sent)
    assert np.array_equal(here.lower, there.lower)
    assert np.array_equal(here.upper, there.upper)
    assert sent.content(0.1, "two-sided") == function.content(0.1, "two-sided")


@pytest.mark.parametrize("line", ["if x == 3: raise ValueError", "if x == 3: os._exit(1)"])
def test_where_a_call_fails_the_function_is_to_be_called_where_it_came_from(started, line):
    _, sent = started(line)
    with pytest.raises(SentFunctionError):
        drawn(sent)


def test_a_function_that_imports_another_file_of_its_folder_is_called_there(tmp_path):
    (tmp_path / "beside.py").write_text("")
    (tmp_path / "mine.py").write_text("import beside\n" + DRAWN.format(line=""))
    location = FunctionLocation("f", str(tmp_path / "mine.py"))
    with closing(FunctionInProcess("mine", location, 2.0)) as function:
        sent = sendable(function)
        with pytest.raises(SentFunctionError, match="beside"):
            drawn(sent)


def test_a_function_that_has_ended_its_process_is_not_sent_any_more(started):
    function, _ = started("if x == 3: os._exit(1)")
    drawn(function)
    assert sendable(function) is None


def test_a_function_of_a_module_is_not_sent(tmp_path, monkeypatch):
    (tmp_path / "own_module.py").write_text(DRAWN.format(line=""))
    monkeypatch.syspath_prepend(tmp_path)
    location = FunctionLocation("f", None, "own_module")
    with closing(FunctionInProcess("mine", location, 2.0)) as function:
        assert sendable(function) is None
