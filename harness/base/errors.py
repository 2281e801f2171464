"""The exceptions that users see, each with its exit code, and the issues of a config."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from harness.base.text import printable, printable_line

LONGEST_QUOTE = 60
"""The most characters of a value that a message quotes."""


NOT_CONCLUDED = 4
"""The exit code where nothing could be concluded."""


class HarnessError(Exception):
    """An error of the harness; its message is one clear sentence, which any terminal can show."""

    exit_code = 1

    def __str__(self) -> str:
        return printable(super().__str__())


class IntervalNotFoundError(HarnessError):
    """An interval was not computed; the message names method, outcome, size and alpha."""


class InputError(HarnessError):
    """The input is wrong: a config, an option, or data."""

    exit_code = 2


class WriteError(InputError):
    """A file cannot be written, as on a full disk; the message names it and what is still good."""


class FolderInUseError(InputError):
    """Another process writes to a folder of results; the message names it."""


class NothingToDrawError(InputError):
    """A figure has nothing to show."""


class FigureError(HarnessError):
    """A figure could not be drawn; the tables that it is drawn from are not affected."""


KeyPath = tuple[str | int, ...]
"""Keys and indices from the top of a config down to a value."""


@dataclass(frozen=True)
class Place:
    """Where a value of a config is written."""

    source: str
    """The name of a file, ``--set key=value`` for an override, or ``config`` for a mapping."""
    line: int | None = None

    def __str__(self) -> str:
        source = printable_line(self.source)
        return source if self.line is None else f"{source}:{self.line}"


@dataclass(frozen=True)
class ConfigIssue:
    """One fault of a config, with its place."""

    path: KeyPath
    message: str
    """What was expected and what was found."""
    place: Place | None = None
    """None until the path is looked up in the config's file."""

    def __str__(self) -> str:
        parts = (str(self.place or ""), path_text(self.path), self.message)
        return ": ".join(part for part in parts if part)


def path_text(path: KeyPath) -> str:
    """The path as it is written in messages: ``methods[2].prior``."""
    words = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return "".join(words).removeprefix(".")


MOST_ISSUES_SHOWN = 50


class ConfigError(InputError):
    """All issues of one or more configs at once; the message has the first ones."""

    def __init__(self, issues: Sequence[ConfigIssue]) -> None:
        self.issues = tuple(issues)
        lines = [str(issue) for issue in self.issues[:MOST_ISSUES_SHOWN]]
        if len(self.issues) > len(lines):
            lines.append(f"and {len(self.issues) - len(lines):,} more")
        super().__init__("\n".join(lines))


class MethodError(HarnessError):
    """A user method failed; the message names the method and the outcome that caused it."""

    exit_code = 3


def did_you_mean(word: object, known: Iterable[str]) -> str:
    """The end of a message, ``; did you mean ...?``, or nothing where no known word is similar.

    Upper and lower case count as the same letter.
    """
    if not isinstance(word, str):
        return ""
    folded = {name.casefold(): name for name in reversed(list(known))}
    similar = difflib.get_close_matches(word.casefold(), list(folded), n=1)
    return f"; did you mean {folded[similar[0]]}?" if similar else ""
