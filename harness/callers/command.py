"""Programs and functions of R that give limits, as they are named: no process is started here."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from harness.base.arguments import quoted, validate_choice
from harness.base.errors import InputError
from harness.callers.location import FunctionLocation
from harness.families.family import Family
from harness.methods.method import ALL_SIDES, TWO_SIDED

TEXT, JSON = "text", "json"
FORMS = (TEXT, JSON)
"""How the lines are written that a program is asked by."""


@dataclass(frozen=True)
class Command:
    """A program of any language that answers each line of data with a line of two limits.

    The program is started once and asked through its standard input: a line holds the data of one
    outcome in the order of the family's columns, then alpha, as ``3 10 0.05``; numbers of a list
    are joined by commas. The answer is a line on its standard output, ``0.0667 0.6525``. In the
    form "json" the line is an object by the names of the columns, as
    ``{"x": 3, "n": 10, "alpha": 0.05}``. Answers are read in both forms, whichever the line was
    in: two numbers, ``[lower, upper]`` or ``{"lower": …, "upper": …}``. A line that begins with
    ``error:``, or an object ``{"error": …}``, says that there are no limits at this outcome.

    Args:
        command: the program and its arguments, as in a shell, or a sequence of words; no shell
            reads it.
        lines: "text" or "json", the form of the lines that it is asked by.
        side: "two-sided"; or "lower" or "upper" of a program that gives that limit, while the
            other one is the end of the parameter's range.
        label: what the method is called; by default the command.

    Raises:
        InputError: the command is empty or has an open quotation mark, or the form or the side is
            unknown.
    """

    command: str | tuple[str, ...]
    lines: str = TEXT
    side: str = TWO_SIDED
    label: str | None = None
    greeting: str | None = None
    """The line after which the program answers, of a program that the harness ships. Lines before
    it are not read."""

    folder: str | None = None
    """The working folder of the program; None for that of this process."""

    def __post_init__(self) -> None:
        validate_choice("lines", self.lines, FORMS)
        validate_choice("side", self.side, ALL_SIDES)
        self.words()

    def words(self) -> list[str]:
        """The program and its arguments."""
        if not isinstance(self.command, str):
            words = list(self.command) if isinstance(self.command, Iterable) else []
            sound = all(isinstance(word, str) for word in words)
        else:
            try:
                words, sound = shlex.split(self.command), True
            except ValueError as error:
                raise InputError(
                    f"command should be a program with its arguments, found "
                    f"{quoted(self.command)}: {error}"
                ) from None
        if not words or not sound:
            raise InputError(
                f"command should be a program with its arguments, found {quoted(self.command)}"
            )
        return words

    @property
    def name(self) -> str:
        """What the method is called."""
        if self.label is not None:
            return self.label
        return self.command if isinstance(self.command, str) else shlex.join(self.command)


PREFIX = "r:"
"""What the name of a method begins with that is a function of R."""
_GREETING = "harness-r"
"""The first line of the script."""
_BRIDGE = Path(__file__).with_name("bridge.R")


def is_of_r(name: str) -> bool:
    """Whether the name of a method is that of a function of R, as ``r:stats::binom.test``."""
    return name.startswith(PREFIX) and "::" in name


def without_prefix(name: str) -> str:
    """The function of R in the name of a method."""
    return name.removeprefix(PREFIX)


@dataclass(frozen=True)
class RFunction:
    """A function of a package or a file of R.

    Data are passed by the names that functions of R have for them: ``x``, ``n`` or ``T`` and the
    like; those of two samples as ``x1, n1, x2, n2``, as vectors ``x`` and ``n``, or as a table
    ``x`` with a row for each sample, the second one first, and the events in its last column.
    Alpha is passed as ``conf.level = 1 - alpha`` and the like, or as ``alpha``. The limits are the
    ``conf.int`` of the value, its columns ``lower`` and ``upper``, or its two numbers.

    Args:
        function: ``package::function``, ``package:::function`` or ``file.R::function``.
        arguments: expressions of R in the data and ``alpha``, by the names of the arguments.
        limits: an expression of R in ``value``, what the function returns, for both limits.
        side: "two-sided"; or "lower" or "upper" of a function that gives that limit, while the
            other one is the end of the parameter's range.

    Raises:
        InputError: the function has no such form, or the side is unknown.
    """

    function: str
    arguments: Mapping[str, str] = field(default_factory=dict)
    limits: str = ""
    side: str = TWO_SIDED

    def __post_init__(self) -> None:
        is_text = isinstance(self.function, str)
        place, separator, name = self.function.rpartition("::") if is_text else ("", "", "")
        if not (separator and place.strip(":") and name) or any(
            character in name for character in ":/ "
        ):
            raise InputError(
                f"a function of R should be {PREFIX}package::function or "
                f"{PREFIX}file.R::function, found {quoted(self.function)}"
            )
        validate_choice("side", self.side, ALL_SIDES)

    @property
    def name(self) -> str:
        """What the method is called: the function, with its arguments where some are given."""
        given = ", ".join(f"{name}={text}" for name, text in self.arguments.items())
        return f"{PREFIX}{self.function}" + (f"({given})" if given else "")

    def location(self, folder: str | None) -> FunctionLocation | None:
        """Where the function is in a file, relative to a folder; None for one of a package."""
        place, _, name = self.function.rpartition("::")
        if not place.lower().endswith(".r"):
            return None
        return FunctionLocation(name, str(Path(folder or "", place)))

    def command(self, family: Family) -> Command:
        """The command that calls the function with the data of a family."""
        words = (
            "Rscript",
            str(_BRIDGE),
            self.function,
            ",".join(family.data),
            self.limits,
            *(f"{name}={text}" for name, text in self.arguments.items()),
        )
        return Command(words, side=self.side, label=self.name, greeting=_GREETING)
