"""The only exceptions a user meets. Each carries the exit code of the command line."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass


class HarnessError(Exception):
    """A fault of the harness itself; its message is one clear sentence."""

    exit_code = 1


class IntervalNotFoundError(HarnessError):
    """An interval could not be computed; names method, outcome, size and alpha."""


class InputError(HarnessError):
    """The input is wrong: a config, an option, or data."""

    exit_code = 2


class NothingToDrawError(InputError):
    """A figure has nothing to show."""


@dataclass(frozen=True)
class Fault:
    """One fault of a config."""

    where: str
    """``file:line``, or ``--set`` for an override."""
    path: str
    """Keys from the top of the config down to the bad one, as in ``methods[2].prior``."""
    message: str
    """What was expected and what was found."""

    def __str__(self) -> str:
        return (
            f"{self.where}: {self.path}: {self.message}"
            if self.path
            else f"{self.where}: {self.message}"
        )


class ConfigError(InputError):
    """All faults of one or more configs at once."""

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__("\n".join(str(fault) for fault in self.faults))


class MethodError(HarnessError):
    """A user's own method failed: names the method and the outcome that caused it."""

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
