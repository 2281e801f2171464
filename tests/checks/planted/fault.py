"""A fault: one line of a sound method that is changed, and the words that tell of it."""

import re
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from harness.checks.check import check
from harness.checks.findings import FAIL
from harness.checks.report import CheckReport
from harness.families.catalogue import family_of

METHODS = Path(__file__).parent / "methods"

LEVEL = r"tail probabilities|worst alpha|mean alpha error|actual alpha|alpha error, drawn"
"""Names of the checks of how often a truth is missed."""


@dataclass(frozen=True)
class SoundMethod:
    """A sound method of one file, which holds a function of the same name."""

    name: str
    family: str
    contract: str
    """The contract that it should keep."""

    @property
    def source(self) -> str:
        return (METHODS / f"{self.name}.py").read_text()


@dataclass(frozen=True)
class Fault:
    """A fault of a sound method."""

    name: str
    method: SoundMethod
    old: str
    """A part of one line of the method's file, which occurs once in it."""
    new: str
    """What takes its place, on the same line."""
    words: str
    """A regular expression for the cause or the place, of which a failure should tell."""

    @property
    def family(self) -> str:
        return self.method.family

    @property
    def source(self) -> str:
        return self.method.source.replace(self.old, self.new)


def loaded(source: str, name: str) -> ModuleType:
    """A module of a source, which no other module can import."""
    module = ModuleType(name)
    exec(compile(source, f"{name}.py", "exec"), module.__dict__)
    return module


def report_of(
    source: str, method: SoundMethod, folder: Path | None, contract: str, **options: Any
) -> CheckReport:
    """The report of a check of the method with another source.

    A method of lists is called in this process, which is many times as fast, and so is any method
    without a folder; any other one is checked by the path of its file, as the command does.

    Args:
        source: the text of the method's file.
        method: the method.
        folder: where the file is written.
        contract: the contract.
        options: further options of the check.
    """
    if folder is None or not family_of(method.family).has_outcomes:
        function = getattr(loaded(source, method.name), method.name)
        function.expected_failures = {
            "can be pickled": "of a module that is not imported",
            **getattr(function, "expected_failures", {}),
        }
        return check(function, family=method.family, contract=contract, **options)
    file = folder / f"{method.name}.py"
    file.write_text(source)
    return check(f"{file}:{method.name}", family=method.family, contract=contract, **options)


def is_named(report: CheckReport, words: str) -> bool:
    """Whether a failure that the printed report shows tells of the cause or the place."""
    shown = [f"{each.check}: {each.message}" for each in report.worst(3) if each.verdict == FAIL]
    return any(re.search(words, line) for line in (report.headline, *shown))
