"""A program of any language as a method: its lines, and what it may do wrong."""

import shlex
import sys
import textwrap

import numpy as np
import pytest

from harness.base.errors import InputError
from harness.callers.command import JSON, Command
from harness.callers.program import NoAnswerError, Program, RefusalError, question, read_answer
from harness.callers.source import Observed
from harness.checks.conformance.call_checks import CallChecks
from harness.families.catalogue import family_of

PYTHON = (sys.executable, "-I", "-S", "-u", "-c")
"""A program that starts in a hundredth of a second and keeps no output in a buffer."""

ANSWER = """
    import sys
    def answer(x, n, alpha):
        return f"{x / (n + 1)} {(x + 1) / (n + 1)}"
    for line in sys.stdin:
        x, n, alpha = map(float, line.split())
"""
X = np.array([0.0, 1.0, 2.0, 3.0, 4.0])
LOWER, UPPER = X / 5, (X + 1) / 5


def program(text, head=ANSWER):
    return Command(
        (*PYTHON, textwrap.dedent(head) + textwrap.indent(textwrap.dedent(text), " " * 4))
    )


@pytest.fixture
def started():
    """Starts a program as a method; all end with the test."""
    running = []

    def start(command, timeout=5.0):
        running.append(Program(command, timeout))
        return running[-1]

    yield start
    for each in running:
        each.close()


def limits(function, n=4, alpha=0.05):
    counts = np.arange(n + 1.0)
    return function.limits(Observed(family_of("proportion"), (n,), (counts,)), alpha, "two-sided")


def call_checks(function):
    return function.probe(CallChecks(), Observed(family_of("proportion"), (4.0,), (X,)), 0.05)


@pytest.mark.parametrize(
    ("line", "pair"),
    [
        ("0.1 0.5", (0.1, 0.5)),
        ("  1e-3\tInf \r", (1e-3, np.inf)),
        ("NA NaN", (np.nan, np.nan)),
        ("[0.1, 5]", (0.1, 5.0)),
        ('{"upper": 0.5, "lower": null, "n": 3}', (np.nan, 0.5)),
    ],
)
def test_an_answer_is_two_numbers_in_either_form(line, pair):
    np.testing.assert_array_equal(read_answer(line), pair)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("Welcome to SAS", "'Welcome to SAS'"),
        ("0.5", "one number, '0.5'"),
        ("0,1 0,5", "'0,1 0,5', with a comma where a decimal point is expected"),
        ("0.1 0.5 0.95", "'0.1 0.5 0.95'"),
        ("1_0 2", "'1_0 2'"),
        ("", "an empty line"),
        ("[0.1]", "[0.1]"),
        ('["0.1", "0.5"]', "0.5"),
        ("[true, false]", "true"),
        ('{"lower": 0.1}', "lower"),
        ("{", "'{'"),
        ("[" + "9" * 400 + ", 0]", "999"),
    ],
)
def test_what_is_not_two_numbers_is_named(line, found):
    with pytest.raises(NoAnswerError) as caught:
        read_answer(line)
    assert found in str(caught.value)


@pytest.mark.parametrize("line", ["error: x is too small", '{"error": "x is too small"}'])
def test_a_program_may_say_that_there_are_no_limits(line):
    with pytest.raises(RefusalError, match=r"^x is too small$"):
        read_answer(line)


def test_a_question_holds_the_data_in_the_order_of_the_family():
    data = {"x": 3, "exposure": 0.1, "values": np.array([0.5, 1.0])}
    assert question(data, 1e-10, "text") == "3 0.1 0.5,1.0 1e-10"
    assert (
        question(data, 0.05, JSON)
        == '{"x": 3, "exposure": 0.1, "values": [0.5, 1.0], "alpha": 0.05}'
    )


@pytest.mark.parametrize("command", ["", "a 'b", ()])
def test_a_command_is_a_program_with_its_arguments(command):
    with pytest.raises(InputError, match="command should be a program with its arguments"):
        Command(command)


def test_a_command_is_read_as_a_shell_would_and_is_its_own_name():
    command = Command("Rscript 'my file.R' -q")
    assert command.words() == ["Rscript", "my file.R", "-q"]
    assert command.name == "Rscript 'my file.R' -q"
    assert Command(("a b", "c")).name == shlex.join(("a b", "c"))


def test_limits_are_those_of_the_program(started):
    found = limits(started(program("print(answer(x, n, alpha))")))
    np.testing.assert_array_equal((found.lower, found.upper), (LOWER, UPPER))
    assert not found.failures


def test_many_lines_are_written_ahead_of_long_answers(started):
    # More than both pipes hold: whoever waits for the other one's reading waits for ever.
    text = "print(answer(x, n, alpha).ljust(200))"
    found = limits(started(program(text)), n=3_000)
    np.testing.assert_array_equal(found.upper, (np.arange(3_001) + 1) / 3_001)


def test_a_json_program_is_asked_by_the_names_of_the_columns(started):
    text = """
        import json, sys
        for line in sys.stdin:
            data = json.loads(line)
            print(json.dumps([data["x"] / 5, (data["x"] + 1) / (data["n"] + 1)]))
    """
    found = limits(started(Command((*PYTHON, textwrap.dedent(text)), lines=JSON)))
    np.testing.assert_array_equal((found.lower, found.upper), (LOWER, UPPER))


def test_an_outcome_without_limits_is_one_failure_and_the_program_goes_on(started):
    text = "print('error: no limits' if x == 2 else answer(x, n, alpha))"
    found = limits(started(program(text)))
    assert found.failures == {2: "failed at x = 2, n = 4, alpha = 0.05: no limits"}
    np.testing.assert_array_equal(found.lower[[0, 1, 3, 4]], LOWER[[0, 1, 3, 4]])


def test_an_outcome_that_ends_the_program_is_one_failure_with_its_last_words(started):
    text = """
        if x == 2:
            sys.exit("x: out of memory")
        print(answer(x, n, alpha))
    """
    found = limits(started(program(text)))
    assert found.failures == {
        2: "its process ended with exit code 1 (x: out of memory) at x = 2, n = 4, alpha = 0.05"
    }
    np.testing.assert_array_equal(found.upper[[0, 1, 3, 4]], UPPER[[0, 1, 3, 4]])


def test_nonsense_at_one_outcome_moves_no_other_answer(started):
    text = """
        if x == 2:
            print("thinking")
        print(answer(x, n, alpha))
    """
    found = limits(started(program(text)))
    assert (
        found.failures
        == {
            2: "expected a line with a lower and an upper limit at x = 2, n = 4, alpha = 0.05, "
            "found 'thinking'"
        }
        or "as its first line" in found.failures[2]
    )
    np.testing.assert_array_equal(found.lower[[0, 1, 3, 4]], LOWER[[0, 1, 3, 4]])


def test_a_banner_is_named_as_the_first_line(started):
    head = "print('R version 4.2.2')\n" + textwrap.dedent(ANSWER)
    found = limits(started(program("print(answer(x, n, alpha))", head)))
    assert found.failures[0].endswith("found 'R version 4.2.2' as its first line")
    assert found.failures[4].endswith("its process was started anew 3 times")


def test_silence_is_a_failure_and_ends_the_questions(started):
    found = limits(started(program("pass"), timeout=0.05))
    assert found.failures[0] == (
        "no answer within 0.3 s at x = 0, n = 4, alpha = 0.05; expected a line with a lower and an "
        "upper limit, which a program has to flush after each line"
    )
    assert found.failures[1].startswith("not called any more")


def test_answers_of_the_line_before_are_found(started):
    head = "last = '0.1 0.2'\n" + textwrap.dedent(ANSWER)
    text = """
        print(last)
        last = answer(x, n, alpha)
    """
    found = call_checks(started(program(text, head)))
    assert found["arrays equal scalars"] is not None
    assert found["answers the same twice"] is not None


def test_a_line_too_many_is_found(started):
    head = "print('0 1')\n" + textwrap.dedent(ANSWER)
    found = call_checks(started(program("print(answer(x, n, alpha))", head)))
    assert found["has the right shape"].message == "expected 5 lines for 5, found 6"


def test_a_sound_program_passes_the_checks_of_calls(started):
    found = call_checks(started(program("print(answer(x, n, alpha))")))
    assert found
    assert set(found.values()) == {None}


def test_a_program_that_answers_worse_ahead_is_asked_one_line_at_a_time(started):
    text = """
        import os, select, sys
        while True:
            lines = os.read(0, 1 << 16).decode().splitlines()
            if not lines:
                break
            for line in reversed(lines):
                x = float(line.split()[0])
                print(x / 5, (x + 1) / 5)
    """
    function = started(Command((*PYTHON, textwrap.dedent(text))))
    found = limits(function)
    np.testing.assert_array_equal((found.lower, found.upper), (LOWER, UPPER))


def test_a_program_that_is_not_there_is_refused():
    with pytest.raises(
        InputError, match=r"^no-such-program a: the program 'no-such-program' cannot"
    ):
        Program(Command("no-such-program a"), 1.0)


def test_a_program_that_ends_before_it_answers_is_refused(started):
    function = started(program("", "import sys; sys.exit('cannot open my.R')\nif 1:\n pass\n"))
    with pytest.raises(InputError, match=r"exit code 1 \(cannot open my.R\) before it answered"):
        limits(function)
