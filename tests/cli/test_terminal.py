"""Whatever a name, a label or a message holds, a terminal gets none of its control characters."""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import harness
from harness.base.text import printable
from harness.screen.console import PrintableConsole, progress_bar
from harness.testing import assert_interval_method
from tests.cli.conftest import FIGURES, SMALL

HOSTILE = "a\x1b[31m\x07\r\x9b\u202e\u2066[bold]b"
SHOWN = r"a\x1b[31m\x07\x0d\x9b\u202e\u2066[bold]b"
RAISED = "ValueError: " + SHOWN.replace(r"\x0d", " ")

FAILING = f"""
def method(x, n, alpha):
    raise ValueError({HOSTILE!r})
"""


@pytest.fixture
def hostile(here):
    """A working folder with a config of such a name, and a method that raises such a text."""
    (here / f"{HOSTILE}.py").write_text(FAILING)
    own = {"path": f"{HOSTILE}.py", "function": "method"}
    content = {**SMALL, "methods": ["wald", own], "figures": []}
    (here / f"{HOSTILE}.yaml").write_text(json.dumps(content))
    return here


def is_clean(*texts):
    return all(printable(text) == text for text in texts)


def test_a_run_prints_no_control_character(run_command, hostile):
    result = run_command("run", f"{HOSTILE}.yaml", "--out", f"{HOSTILE} out")
    assert result.code == 3
    assert is_clean(result.out, result.err)
    assert RAISED in result.err
    assert f"Written to {SHOWN} out" in result.out


def test_a_plot_names_its_files_without_control_characters(run_command, here, config):
    assert run_command("run", config(figures=FIGURES), "--out", HOSTILE).code == 0
    result = run_command("plot", f"{HOSTILE}/small")
    assert (result.code, result.err) == (0, "")
    assert result.out.startswith(f"{SHOWN}/small/figures")
    assert is_clean(result.out)


@pytest.mark.parametrize("form", ["table", "json", "junit"])
def test_a_check_prints_no_control_character(run_command, hostile, form):
    argv = ["check", f"{HOSTILE}.py:method", "--config", f"{HOSTILE}.yaml", "--format", form]
    argv += ["--grid", "n=5;alpha=0.05"]
    result = run_command(*argv)
    assert result.code == 3
    assert is_clean(result.out, result.err)
    assert r"\x1b" in result.out or r"\u001b" in result.out
    if form == "json":
        assert json.loads(result.out)["method"] == f"{HOSTILE}.py:method"


@pytest.mark.parametrize("key", ["title", "label"])
@pytest.mark.parametrize("character", ["\x1b", "\x07", "\r", "\x9b", "\u202e", "\u2066", "\u200f"])
def test_a_title_or_label_with_one_is_refused(run_command, config, key, character):
    text = f"a{character}b"
    changes = {"title": text} if key == "title" else {"methods": [{"name": "wald", "label": text}]}
    result = run_command("run", config(**changes), "--dry-run")
    assert (result.code, result.out) == (2, "")
    assert "one line of text" in result.err
    assert is_clean(result.err)


@pytest.mark.parametrize(
    "argv",
    [
        ["run", f"{HOSTILE}.yaml.yaml"],
        ["run", f"{HOSTILE}.yaml", "--set", f"{HOSTILE}=1"],
        ["run", f"{HOSTILE}.yaml", "--set", HOSTILE],
        ["run", f"{HOSTILE}.yaml", "--set", f"family={HOSTILE}"],
        ["run", f"{HOSTILE}.yaml", "--set", f"methods=[{{name: {json.dumps(HOSTILE)}}}]"],
        ["run", f"{HOSTILE}.yaml", "--backend", HOSTILE],
        ["run", f"{HOSTILE}.yaml", "--jobs", HOSTILE],
        ["run", f"{HOSTILE}.yaml", "--out", f"{HOSTILE}.py"],
        ["run", f"--{HOSTILE}"],
        ["plot", HOSTILE],
        ["plot", ".", HOSTILE],
        ["check", HOSTILE],
        ["check", f"{HOSTILE}.py:{HOSTILE}"],
        ["check", f"{HOSTILE}.py:absent"],
        ["check", "wilson", "--against", HOSTILE],
        ["check", "wilson", "--config", f"{HOSTILE}.yml"],
        ["check", "wilson", "--format", HOSTILE],
        ["methods", HOSTILE],
        ["methods", "--family", HOSTILE],
        ["interval", HOSTILE, "--x", "1"],
        ["interval", "proportion", "--x", "1", "--n", "2", "--method", HOSTILE],
        ["interval", "proportion", "--x", HOSTILE],
        ["significance", HOSTILE],
        [HOSTILE],
    ],
)
def test_a_refusal_holds_no_control_character(run_command, hostile, argv):
    result = run_command(*argv)
    assert result.code == 2
    assert is_clean(result.out, result.err)
    shown = (r"\x1b", "valid integer", "valid number", "numbers with commas")
    assert any(words in result.err for words in shown)


def test_keys_and_texts_of_a_config_are_shown_without_them(run_command, here):
    quoted = json.dumps(HOSTILE)
    text = f'{quoted}: 1\nname: {quoted}\nfamily: {quoted}\n{quoted}: 2\n"n": [{quoted}]\n'
    (here / "a.yaml").write_text(text)
    result = run_command("run", "a.yaml")
    assert result.code == 2
    assert is_clean(result.err)
    assert SHOWN in result.err


def test_a_changed_manifest_is_shown_without_them(run_command, here, config):
    run_command("run", config(figures=FIGURES))
    path = here / "results/small/manifest.json"
    content = json.loads(path.read_text())
    for figure in content["experiment"]["figures"]:
        figure[HOSTILE] = figure["method"] = HOSTILE
    path.write_text(json.dumps({**content, "title": HOSTILE}))
    result = run_command("plot", "results/small")
    assert result.code in (1, 2)
    assert is_clean(result.out, result.err)


def test_a_bar_on_a_terminal_shows_the_name_as_it_is():
    file = io.StringIO()
    console = PrintableConsole(file=file, force_terminal=True, width=120, color_system=None)
    with progress_bar(console, HOSTILE, after=0) as progress:
        progress.expect(3_000)
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", file.getvalue())
    assert SHOWN in shown
    assert is_clean(shown)


def test_a_console_prints_no_text_that_was_left_as_it_is():
    file = io.StringIO()
    console = PrintableConsole(file=file, force_terminal=True, width=120, color_system=None)
    console.print("a\x1b]0;x\x9b\u202eb", markup=False)
    assert file.getvalue() == "a\\x1b]0;x\\x9b\\u202eb\n"


def test_a_failed_assertion_holds_no_control_character(hostile):
    with pytest.raises(AssertionError) as error:
        assert_interval_method(f"{HOSTILE}.py:method", sizes=[5], alphas=[0.05])
    assert is_clean(str(error.value))
    assert RAISED in str(error.value)


def test_pytest_prints_no_control_character(hostile):
    (hostile / "test_it.py").write_text(
        "from harness.testing import parametrize_with_checks\n"
        f"@parametrize_with_checks([{f'{HOSTILE}.py:method'!r}], grid='n=5;alpha=0.05')\n"
        "def test_it(check):\n    check()\n"
    )
    command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", "test_it.py"]
    env = {**os.environ, "PYTHONPATH": str(Path(harness.__file__).parents[1])}
    done = subprocess.run(command, capture_output=True, timeout=120, check=False, env=env)
    assert done.returncode == 1
    assert is_clean(done.stdout.decode(), done.stderr.decode())
    assert b"ValueError: a\\x1b" in done.stdout


@pytest.mark.skipif(sys.platform == "darwin", reason="file names are UTF-8 there")
def test_a_file_name_that_is_no_text_is_shown_as_bytes(here):
    name = b"\xff\x1b.yaml"
    command = [os.fsencode(sys.executable), b"-m", b"harness", b"run", name]
    env = {**os.environ, "PYTHONPATH": str(Path(harness.__file__).parents[1])}
    done = subprocess.run(command, capture_output=True, timeout=60, check=False, env=env)
    assert done.returncode == 2
    assert done.stderr.startswith(rb"harness: \udcff\x1b.yaml: expected a config")


def test_names_in_brackets_are_no_markup(run_command, config):
    methods = [{"name": "wald", "label": "[red]wald[/red]"}]
    result = run_command("run", config(methods=methods, figures=[]))
    assert result.code == 0
    assert "[red]wald[/red]" in result.out
