"""The command of a program that gives limits."""

from __future__ import annotations

import shlex
from dataclasses import dataclass

from harness.base.arguments import quoted, validate_choice
from harness.base.errors import InputError
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
            words = list(self.command)
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
