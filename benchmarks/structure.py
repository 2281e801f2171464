"""How much a reader has to hold: the path of one trial, and the weight of the package.

    python -m benchmarks.structure [--names]

The path is that of one trial from its YAML to a row of ``summary.csv``, with the config of the
section "How a run flows" of CONTRIBUTING.md, one job and no figures, in a new process: files and
functions of the package that are called, calls, the deepest stack, and how often a call stands in
another file than the call before it. Calls that importing makes are not counted, comprehensions
neither. The counts are those of Python 3.11; versions that inline comprehensions give the same.

The weight is read from the sources. A line of code is no blank line, comment or docstring; those
of a function are counted with its nested functions. A private function is used once if its name
stands once in its module, beside its definition. ``--names`` lists what is counted.
"""

from __future__ import annotations

import argparse
import ast
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "harness"

QUESTIONS = ("has_outcomes", "is_bounded", "is_ratio", "has_single_count")
"""What is asked of a family where an object that differs could say it."""
AT_HOME = ("families", "designs")
KINDS = ("SIMULATION", "CALIBRATION", "COVERAGE", "Simulation", "Calibration", "Experiment")
MOST_PARAMETERS = 12
LONGEST_FILE = 600


@dataclass
class Trail:
    """What one trial passes; the folder of the package is left out of places."""

    files: dict[str, None] = field(default_factory=dict)
    """Ordered by the first call."""
    functions: Counter[tuple[str, str]] = field(default_factory=Counter)
    deepest: int = 0
    changes: int = 0
    last: str | None = None

    def note(self, frame: FrameType, event: str, _: object) -> None:
        """Count a call, as a function of ``sys.setprofile``."""
        code = frame.f_code
        if event != "call" or not _counts(frame):
            return
        deep, outer = 1, frame.f_back
        while outer is not None:
            if outer.f_code.co_name == "_find_and_load":
                return
            deep += _counts(outer)
            outer = outer.f_back
        place = code.co_filename.removeprefix(f"{PACKAGE}/")
        self.files.setdefault(place)
        self.functions[place, code.co_qualname] += 1
        self.deepest = max(self.deepest, deep)
        self.changes += place != self.last
        self.last = place


def _counts(frame: FrameType) -> bool:
    code = frame.f_code
    return code.co_filename.startswith(f"{PACKAGE}/") and not code.co_name.startswith("<")


def config_of_one_trial() -> str:
    """The config in the section "How a run flows" of CONTRIBUTING.md."""
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("## How a run flows")[2]
    return re.findall(r"```yaml\n(.*?)```", text, re.DOTALL)[0]


def path_of_one_trial() -> Trail:
    """Run one trial and follow it; to be called in a process that has run nothing else."""
    import threading

    from harness.cli import main

    path = Trail()
    with tempfile.TemporaryDirectory(prefix="structure-") as folder:
        config = Path(folder, "one.yaml")
        config.write_text(config_of_one_trial(), encoding="utf-8")
        words = ["run", str(config), "--out", folder, "--jobs=1", "--set=figures=[]", "--quiet"]
        threading.setprofile(path.note)
        sys.setprofile(path.note)
        code = main(words)
        sys.setprofile(None)
    assert code == 0
    return path


@dataclass
class Weight:
    """What is counted in the sources; places are below the package."""

    files: int = 0
    code: int = 0
    functions: list[int] = field(default_factory=list)
    """The lines of code of each function."""
    used_once: list[str] = field(default_factory=list)
    classes: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    many_parameters: list[str] = field(default_factory=list)
    long_files: list[str] = field(default_factory=list)
    questions: Counter[str] = field(default_factory=Counter)
    """By the file outside families and designs that asks."""
    asks_for_kind: set[str] = field(default_factory=set)

    def add(self, place: str, text: str) -> None:
        """Count one file."""
        tree, lines = ast.parse(text), text.splitlines()
        code = _code_lines(tree, lines)
        imports = {
            number
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for number in range(node.lineno, (node.end_lineno or 0) + 1)
        }
        self.files += 1
        self.code += len(code - imports)
        if len(lines) > LONGEST_FILE:
            self.long_files.append(f"{place}: {len(lines)} lines")
        names = Counter(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                whole = range(node.lineno, (node.end_lineno or 0) + 1)
                self.functions.append(len(code.intersection(whole)))
                taken = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
                if len(taken) > MOST_PARAMETERS and not place.startswith("commands/"):
                    self.many_parameters.append(f"{place}: {node.name} has {len(taken)}")
            elif isinstance(node, ast.ClassDef):
                self.classes[node.name].add(place)
            elif isinstance(node, ast.Attribute) and node.attr in QUESTIONS:
                self.questions[place] += not place.startswith(AT_HOME)
        for statement in tree.body:
            if isinstance(statement, ast.FunctionDef) and names[statement.name] == 1:
                name = statement.name
                if name.startswith("_") and not name.startswith("__"):
                    self.used_once.append(f"{place}: {name}")
        if not place.startswith("kinds/") and any(_asks_for_kind(node) for node in ast.walk(tree)):
            self.asks_for_kind.add(place)


def _code_lines(tree: ast.Module, lines: list[str]) -> set[int]:
    """The numbers of the lines that are neither blank nor a comment or a docstring."""
    texts: set[int] = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        for statement in body if isinstance(body, list) else ():
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                texts.update(range(statement.lineno, (statement.end_lineno or 0) + 1))
    return {
        number
        for number, line in enumerate(lines, 1)
        if number not in texts and line.strip() and not line.strip().startswith("#")
    }


def _asks_for_kind(node: ast.AST) -> bool:
    """Whether code compares a kind of experiment, or tests an object for the record of one."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance":
        return any(name in KINDS for name in _names(node.args[1]))
    return isinstance(node, ast.Compare) and any(
        name in KINDS for side in (node.left, *node.comparators) for name in _names(side)
    )


def _names(node: ast.AST) -> Iterator[str]:
    return (each.id for each in ast.walk(node) if isinstance(each, ast.Name))


def weight() -> Weight:
    """Count the sources of the package."""
    total = Weight()
    for file in sorted(PACKAGE.rglob("*.py")):
        total.add(str(file.relative_to(PACKAGE)), file.read_text("utf-8"))
    return total


def main() -> int:
    """Run the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.structure")
    parser.add_argument("--names", action="store_true", help="list what is counted")
    parser.add_argument("--path", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.path:
        path = path_of_one_trial()
        calls = [[*place, times] for place, times in path.functions.items()]
        print(json.dumps([list(path.files), calls, path.deepest, path.changes]))
        return 0
    command = [sys.executable, "-m", "benchmarks.structure", "--path"]
    # A run looks for what others have left in the folder for temporary files: here, nothing.
    with tempfile.TemporaryDirectory(prefix="structure-") as folder:
        ran = subprocess.run(
            command,
            check=True,
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={**os.environ, "TMPDIR": folder},
        )
    printed = ran.stdout
    files, calls, deepest, changes = json.loads(printed.splitlines()[-1])
    print(f"one trial, Python {sys.version.split()[0]}")
    print(f"  files {len(files)}, functions {len(calls)}, calls {sum(c[2] for c in calls):,}")
    print(f"  frames deep {deepest}, changes of file {changes:,}")
    total = weight()
    twice = {name: sorted(places) for name, places in total.classes.items() if len(places) > 1}
    mean, median = statistics.mean(total.functions), statistics.median(total.functions)
    print("package")
    print(f"  lines of code {total.code:,} in {total.files} files")
    print(f"  functions {len(total.functions):,}, lines {mean:.2f} on average, median {median:g}")
    print(f"  private functions used once {len(total.used_once):,}")
    print(f"  names of types in two files or more {len(twice)}")
    print(f"  functions of more than {MOST_PARAMETERS} parameters {len(total.many_parameters)}")
    print(f"  files of more than {LONGEST_FILE} lines {len(total.long_files)}")
    asked = +total.questions
    print(f"  questions of families: {asked.total()} places in {len(asked)} files elsewhere")
    print(f"  files outside kinds that ask for the kind {len(total.asks_for_kind)}")
    if given.names:
        listed = [f"{times:4} {place}: {name}" for place, name, times in calls]
        listed += total.used_once + [f"{name}: {', '.join(at)}" for name, at in twice.items()]
        listed += total.many_parameters + total.long_files + sorted(total.asks_for_kind)
        listed += [f"{place}: {count} questions" for place, count in asked.items()]
        print("\n".join(listed))
    return 0


if __name__ == "__main__":
    sys.exit(main())
