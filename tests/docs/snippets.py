"""The fenced blocks of the README and of the pages, and how each of them is run."""

import contextlib
import doctest
import io
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

import harness
from harness.catalogue import with_settings
from harness.cli import main
from harness.kinds.load import load_experiment
from harness.methods.catalogue import default_method
from harness.methods.method import TWO_SIDED
from tests.checks.test_tutorial import assert_shown

ROOT = Path(harness.__file__).parents[1]
PAGES = ("README.md", *sorted(f"docs/{file.name}" for file in (ROOT / "docs").glob("*.md")))

HARNESS = re.compile(r"(?:\.venv/bin/)?python -m harness (?P<words>.*)", re.DOTALL)
FAILED_CHECK = 3
_FENCE = re.compile(
    r"^(?P<fence>```+)(?P<language>[^\n`]*)\n(?P<text>.*?)^(?P=fence)$", re.S | re.M
)


@dataclass(frozen=True)
class Block:
    """One fenced block of a page."""

    page: str
    language: str
    text: str

    @property
    def first(self) -> str:
        """Its first line, by which the lists of the test name it."""
        return self.text.partition("\n")[0].strip()


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page in their order."""
    text = (ROOT / page).read_text("utf-8")
    return [Block(page, each["language"], each["text"]) for each in _FENCE.finditer(text)]


def fences(page: str) -> int:
    """How many lines of a page open or close a block, indented ones included."""
    return len(re.findall(r"^\s*```", (ROOT / page).read_text("utf-8"), re.MULTILINE))


def run(block: Block, scope: dict[str, Any]) -> None:
    """Run a block in the working folder; what it shows of the output has to be there.

    Args:
        block: of one of the languages in ``RUNNERS``.
        scope: the names that the Python blocks of the page share.
    """
    RUNNERS[block.language](block.text, scope)


def _console(text: str, scope: dict[str, Any]) -> None:
    for part in re.split(r"^\$ ", text, flags=re.MULTILINE)[1:]:
        command, shown = _command_and_rest(part)
        code, printed = _typed(command)
        assert code == 0 or (code == FAILED_CHECK and shown), printed
        lines = [line.rstrip() for line in printed.splitlines()]
        assert_shown("\n".join(lines), [line.rstrip() for line in shown if line.strip()])


def _shell(text: str, scope: dict[str, Any]) -> None:
    if text.startswith("$ "):
        _console(text, scope)
        return
    rest = text
    while rest.strip():
        command, lines = _command_and_rest(rest)
        rest = "\n".join(lines)
        if command and not command.startswith("#"):
            code, printed = _typed(command)
            assert code == 0, printed


def _command_and_rest(text: str) -> tuple[str, list[str]]:
    """The first command, which a backslash continues, and the lines after it."""
    lines = text.splitlines()
    command = lines.pop(0).strip()
    while command.endswith("\\") and lines:
        command = f"{command[:-1].rstrip()} {lines.pop(0).strip()}"
    return command, lines


def _typed(command: str) -> tuple[int, str]:
    """The exit code of a command and what it prints; the harness runs in this process."""
    words = shlex.split(command, comments=True)
    target = words.pop() if len(words) > 2 and words[-2] == ">" else None
    if target is not None:
        words.pop()
    output = io.StringIO()
    if HARNESS.fullmatch(command):
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            code = main(words[words.index("harness") + 1 :])
        printed = output.getvalue()
    else:
        done = subprocess.run(
            words, check=False, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        code, printed = done.returncode, done.stdout
    if target is not None:
        Path(target).write_text(printed, encoding="utf-8")
    return code, printed


def _python(text: str, scope: dict[str, Any]) -> None:
    name = re.match(r"# (\S+\.py)\n", text)
    if text.startswith(">>>"):
        test = doctest.DocTestParser().get_doctest(text, scope, "page", None, 0)
        assert doctest.DocTestRunner().run(test, clear_globs=False).failed == 0
    elif name is not None:
        Path(name[1]).write_text(text, encoding="utf-8")
    else:
        exec(compile(text, "page", "exec"), scope)


def _yaml(text: str, scope: dict[str, Any]) -> None:
    name = re.match(r"# (\S+\.ya?ml)\b", text)
    if name is not None:
        Path(name[1]).write_text(text, encoding="utf-8")
    config = yaml.safe_load(text)
    if config.get("kind") == "simulation":
        assert load_experiment({"name": "page", "seed": 1, **config}).kind == "simulation"
        return
    completed = {"name": "page", "seed": 1, **config}
    known = with_settings(config["family"], completed)
    if "methods" not in config:
        completed["methods"] = [default_method(known, TWO_SIDED).name]
    assert load_experiment(completed).family.name == config["family"]


def _r(text: str, scope: dict[str, Any]) -> None:
    """Code of R, where R is installed."""
    if shutil.which("Rscript") is not None:
        subprocess.run(["Rscript", "--vanilla", "-e", text], check=True, capture_output=True)


def _file(text: str, scope: dict[str, Any]) -> None:
    """A file whose name stands in its first line, or nothing to run."""
    name = re.match(r"# (\S+\.\w+)\n", text)
    assert name is not None, "a block of this language begins with the name of its file"
    Path(name[1]).write_text(text.partition("\n")[2], encoding="utf-8")


RUNNERS = {
    "console": _console,
    "sh": _shell,
    "bash": _shell,
    "python": _python,
    "yaml": _yaml,
    "csv": _file,
    "r": _r,
}
"""What runs a block, by its language."""
