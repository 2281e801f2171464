"""The page about intervals of any language runs as it is written, where the tools are."""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import harness
from harness.cli import main
from tests.checks.test_tutorial import assert_shown
from tests.methods.user.test_r import missing

PAGE = (Path(__file__).parents[2] / "docs/any_language.md").read_text("utf-8")
HARNESS = "python -m harness "


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


def sessions():
    """The commands of all console blocks, each with the lines that are shown below it."""
    parts = [part for block in blocks("console") for part in block.split("$ ")[1:]]
    return [(part.splitlines()[0], part.splitlines()[1:]) for part in parts]


def needs():
    """Skip where a tool of the page is not there."""
    reason = missing("stats")
    if reason:
        pytest.skip(reason)
    if shutil.which("perl") is None:
        pytest.skip("perl is not installed")


def typed(command):
    """What a command prints; it ends with exit code 0."""
    words = shlex.split(command)
    if not command.startswith(HARNESS):
        subprocess.run(words, check=True)
        return ""
    target = None
    if words[-2] == ">":
        *words, _, target = words
    output = io.StringIO()
    with contextlib.redirect_stdout(output):
        assert main(words[3:]) == 0, output.getvalue()
    if target is not None:
        Path(target).write_text(output.getvalue())
    return output.getvalue()


def test_the_page_runs_as_it_is_written(tmp_path, monkeypatch):
    needs()
    monkeypatch.chdir(tmp_path)
    for language in ("perl", "r"):
        (code,) = blocks(language)
        Path(re.match(r"# (\S+)\n", code)[1]).write_text(code)
    for command, shown in sessions():
        assert_shown(typed(command), shown)
    scope = {}
    exec(blocks("python")[0], scope)
    assert scope["report"].passed
    Path("c.yaml").write_text(blocks("yaml")[0])
    rows = harness.run("c.yaml", out=None).summary
    assert rows["method"].to_list() == ["R", "R", "Hoeffding", "Hoeffding", "table", "table"]
    numbers = rows.select("worst_alpha").to_series()
    assert numbers[0] == pytest.approx(numbers[4], rel=1e-9)
    assert numbers[2] < numbers[0]


def test_the_readme_leads_to_the_page():
    readme = (Path(__file__).parents[2] / "README.md").read_text("utf-8")
    assert "(docs/any_language.md)" in readme
