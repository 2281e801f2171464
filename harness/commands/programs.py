"""Methods of other languages, from the options of the command ``check``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.base.errors import InputError

if TYPE_CHECKING:
    from harness.callers.r_function import RFunction
    from harness.checks.subjects.naming import AnyMethod


def methods_of(
    names: Sequence[str],
    commands: Sequence[str],
    arguments: Sequence[str],
    limits: str,
    side: str | None,
    lines: str,
) -> list[AnyMethod]:
    """The methods of a call: those that have a name, then those that are commands.

    Args:
        names: the names of methods.
        commands: programs with their arguments.
        arguments: ``NAME=EXPRESSION``, of the functions of R.
        limits: where these have their limits, an expression of R; empty where it is found.
        side: the side of programs, tables and functions of R; None for two-sided.
        lines: the form of the lines that programs are asked by.

    Raises:
        InputError: there is no method, or an option that none of them takes.
    """
    from harness.callers.command.program import Command
    from harness.callers.r_function import is_of_r
    from harness.callers.table import LimitTable, is_table
    from harness.methods.method import TWO_SIDED

    if not names and not commands:
        raise InputError("check needs a METHOD or a --command")
    of_r = [name for name in names if is_of_r(name)]
    if (arguments or limits) and not of_r:
        option = "--arg" if arguments else "--limits"
        raise InputError(f"{option} is for functions of R, such as r:stats::binom.test")
    tables = [name for name in names if is_table(name)]
    if side is not None and not (of_r or tables or commands):
        raise InputError("--side is for a --command, for tables and for functions of R")
    known = _read_arguments(arguments)
    chosen = TWO_SIDED if side is None else side
    found: list[AnyMethod] = [
        _of_r(name, known, limits, chosen)
        if name in of_r
        else LimitTable(name, chosen)
        if name in tables
        else name
        for name in names
    ]
    return [*found, *(Command(each, lines, chosen) for each in commands)]


def _of_r(name: str, arguments: dict[str, str], limits: str, side: str) -> RFunction:
    from harness.callers.r_function import RFunction, without_prefix

    return RFunction(without_prefix(name), arguments, limits, side)


def _read_arguments(arguments: Sequence[str]) -> dict[str, str]:
    """The expressions by the names of the arguments."""
    found: dict[str, str] = {}
    for each in arguments:
        name, equals, text = (part.strip() for part in each.partition("="))
        if not (name and equals and text):
            raise InputError(
                f"--arg should be NAME=EXPRESSION of R, as conf.level=1-alpha, found {each!r}"
            )
        if name in found:
            raise InputError(f"--arg gives {name} twice")
        found[name] = text
    return found
