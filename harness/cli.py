"""The command line: its commands in the groups of ``--help``, and what runs them."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

import harness
from harness.base.errors import WriteError
from harness.commands.audit import audit
from harness.commands.average import average
from harness.commands.check import check
from harness.commands.ending import with_exit_code
from harness.commands.init import init, methods, schema
from harness.commands.interval import help_of_family, interval
from harness.commands.leaderboard import leaderboard
from harness.commands.metrics import metrics
from harness.commands.options import with_joined_numbers
from harness.commands.output import say
from harness.commands.planning import coverage, size
from harness.commands.report import report
from harness.commands.run import merge, run
from harness.commands.significance import significance
from harness.commands.stored import export, plot, replay
from harness.commands.summarize import summarize

GROUPS: dict[str, dict[Callable[..., int], str]] = {
    "Data that you have": {
        interval: "Intervals of data or of a file: interval proportion 90/100.",
        metrics: "All metrics of a classifier, each with its interval.",
        average: "The mean over subjects or strata, or of cases with weights.",
        leaderboard: "Systems on the same cases, and which of them differ.",
        significance: "The posterior probability that one is better than the other.",
    },
    "Before there are data": {
        size: "How many cases suffice, and what a number of cases can detect.",
        coverage: "How often a method misses, and how long its intervals are.",
        methods: "The interval methods of each family: methods --family rate.",
    },
    "Studies": {
        run: "Run experiments and write results/<name>/.",
        init: "Write a config that runs, with every key and what it means.",
        merge: "Join the parts that run --shard i/m left.",
        plot: "Draw the figures of a result again, or other ones.",
        report: "Write a page about results, or the explorer.",
        export: "Write a table of a result: LaTeX, Markdown, CSV, HTML.",
        replay: "Draw one trial of a simulation study again.",
        summarize: "Bias, coverage and power of estimates that you have.",
        schema: "Print the JSON Schema of a config, for editors.",
    },
    "Methods of your own": {
        check: "Check whether an interval method is sound.",
        audit: "Check the interval functions of other packages.",
    },
}
COMMANDS = tuple(command for group in GROUPS.values() for command in group)


class CommandGroups(TyperGroup):
    """The commands, which ``--help`` lists under the heading of their group."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the commands of each group with a line on each."""
        for heading, group in GROUPS.items():
            with formatter.section(heading):
                formatter.write_dl([(command.__name__, about) for command, about in group.items()])


def _show_version(asked: bool) -> None:
    """Print the version and the folder of the package, which tells it from one of another name."""
    if asked:
        folder = Path(harness.__file__).parent
        number = ".".join(map(str, sys.version_info[:2]))
        say(f"coverage-harness {harness.__version__} from {folder} (Python {number})")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Print the version and the folder of the package.",
            callback=_show_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    pass


@cache
def _parser(name: str) -> Callable[..., Any]:
    """The parser of the command of this name, or of all commands where it is none.

    It is built once in a process.
    """
    app = typer.Typer(
        name="harness",
        cls=CommandGroups,
        callback=_options,
        help="Monte Carlo coverage validation of interval methods, checked by exact computation.",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
    )
    named = [command for command in COMMANDS if command.__name__ == name]
    for command in named or COMMANDS:
        app.command()(with_exit_code(command))
    return get_command(app)


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line on ``argv``, by default that of the process; return the exit code."""
    for stream in (sys.stdout, sys.stderr):
        # A terminal without Greek letters shows the rest.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    arguments = with_joined_numbers(sys.argv[1:] if argv is None else argv)
    asks_of_family = arguments[:1] == [interval.__name__] and "--help" in arguments[2:]
    try:
        if asks_of_family and (text := help_of_family(arguments[1])):
            say(text)
            return 0
        parser = _parser(arguments[0] if arguments else "")
        code = parser(args=arguments, prog_name="harness", standalone_mode=False)
    except SystemExit as end:
        code = end.code
    except Exception as fault:
        code = _refuse(fault)
    return code if isinstance(code, int) else 0 if code is None else 1


def _refuse(fault: Exception) -> int:
    """Print what the parser says of arguments that it does not take; return the exit code.

    Commands raise nothing but their exit code, so any other exception is not the parser's, or it
    is that its help cannot be written.
    """
    if isinstance(fault, OSError):
        fault = WriteError(f"standard output cannot be written: {fault.strerror}")
    if isinstance(fault, WriteError):
        say(f"harness: {fault}", err=True)
        return fault.exit_code
    show = getattr(fault, "show", None)
    if show is None:
        raise fault
    text = io.StringIO()
    show(file=text)
    say(text.getvalue().removesuffix("\n"), err=True)
    return int(getattr(fault, "exit_code", 2))
