"""The command ``check``: check interval methods."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from harness.base.errors import InputError
from harness.commands.ending import cleaning_up, shown, worst_exit_code
from harness.commands.options import KNOWN_JUDGE, Quiet, read_value, words_of_call

if TYPE_CHECKING:
    from harness.callers.naming import AnyMethod
    from harness.checks.report import CheckReport


def check(
    context: typer.Context,
    # What is checked.
    methods: Annotated[
        list[str] | None,
        typer.Argument(
            help="Methods of the catalogue, file.py:function, package.module:function, a peer "
            "such as statsmodels:wilson, a function of R such as r:stats::binom.test, a table of "
            "limits such as limits.csv, or an entry point of the group harness.methods.",
            metavar="METHOD",
        ),
    ] = None,
    command: Annotated[
        list[str] | None,
        typer.Option(
            help='A program that answers lines of data with lines of limits, as "Rscript my.R".'
        ),
    ] = None,
    lines: Annotated[
        Literal["text", "json"], typer.Option(help="How a --command is asked: 3 10 0.05, or JSON.")
    ] = "text",
    arg: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=EXPRESSION", help="An argument of a function of R, in the data and alpha."
        ),
    ] = None,
    limits: Annotated[
        str, typer.Option(help="Both limits of a function of R, an expression in its value.")
    ] = "",
    side: Annotated[
        str | None,
        typer.Option(help="The side of a command, a table, or a function of R: lower or upper."),
    ] = None,
    family: Annotated[str, typer.Option(help="The family of the methods.")] = "proportion",
    # The model of the user's own on which it is checked.
    model: Annotated[
        str | None,
        typer.Option(
            metavar="FUNCTION",
            help="file.py:function or package.module:function that draws the data of a trial, "
            "f(rng, **factors), for methods f(data, alpha).",
        ),
    ] = None,
    estimand: Annotated[
        str | None,
        typer.Option(help="The true value of a --model: a factor, a number or file.py:function."),
    ] = None,
    factor: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=LEVEL,LEVEL", help="A factor of a --model; several are crossed."
        ),
    ] = None,
    alpha: Annotated[
        list[float] | None,
        typer.Option(help="Nominal probability of a miss on a --model; 0.05 if not given."),
    ] = None,
    # Where it is checked.
    config: Annotated[
        Path | None, typer.Option(help="The config of an experiment with the sizes and alphas.")
    ] = None,
    grid: Annotated[
        str | None,
        typer.Option(
            help="The only sizes and alphas that the methods are asked for, as "
            "n=10,50;alpha=0.05 or n=1..30."
        ),
    ] = None,
    print_grid: Annotated[
        bool,
        typer.Option(
            "--print-grid",
            help="Print the points that a check asks for, as CSV, and check nothing.",
        ),
    ] = False,
    thorough: Annotated[
        bool, typer.Option("--thorough", help="At all counts and alphas, however long it takes.")
    ] = False,
    stopping: Annotated[
        str | None,
        typer.Option(
            metavar="RULE",
            help="Rule by which the trials of a proportion end, with most, the most trials: "
            "'{boundaries: [{n: 13, at_most: 3}], most: 43}'.",
        ),
    ] = None,
    sensitivity: Annotated[
        float | None,
        typer.Option(help=f"Of judged_share, functions of x and n. {KNOWN_JUDGE['sensitivity']}"),
    ] = None,
    specificity: Annotated[float | None, typer.Option(help=KNOWN_JUDGE["specificity"])] = None,
    # What it is held to.
    contract: Annotated[
        str | None,
        typer.Option(
            help="nominal, at-least, conservative, approximate or none; default: as declared."
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            help="Of the mean alpha error, and of the miss rate where limits are drawn; "
            "by default 0.3·alpha."
        ),
    ] = None,
    expect_failure: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CHECK[@PLACE]:REASON",
            help="A failure that is known, as mirrors@n=10..20,alpha=0.05:why.",
        ),
    ] = None,
    # What it is compared with.
    against: Annotated[
        str | None, typer.Option(help="Another method, or the folder of a baseline.")
    ] = None,
    same: Annotated[
        str | None, typer.Option(help="Another method, whose very limits it should have.")
    ] = None,
    tolerance: Annotated[
        str | None,
        typer.Option(
            help="The largest differences that are none, such as "
            "limits=1e-9,length=1e-6,alpha=1e-6; by default 1e-9 each."
        ),
    ] = None,
    update: Annotated[
        Path | None,
        typer.Option(
            help="Folder in which the numbers and limits are stored as a baseline, if the check "
            "passes."
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Store the baseline of a method that fails as well.")
    ] = False,
    # How it is checked.
    trials: Annotated[
        int | None,
        typer.Option(
            help="At each size, if limits are drawn, by default 20000; on a --model in each "
            "scenario, by default 4000."
        ),
    ] = None,
    seed: Annotated[int, typer.Option(help="Of all draws.")] = 2003,
    timeout: Annotated[
        float | None, typer.Option(help="Seconds for all checks together; default: any number.")
    ] = None,
    call_timeout: Annotated[
        float, typer.Option(help="Seconds for each call of a user's method.")
    ] = 10,
    jobs: Annotated[
        int,
        typer.Option(
            help="Methods checked at the same time; -1 for one per core. With --update one after "
            "the other, since they share a file."
        ),
    ] = 1,
    # What is printed and written.
    output: Annotated[
        Literal["table", "json", "junit", "markdown"],
        typer.Option("--format", help="Format of what is printed."),
    ] = "table",
    junit: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report as JUnit XML as well.")
    ] = None,
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report as JSON as well.")
    ] = None,
    markdown: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the report as Markdown as well.")
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write the report as a page as well, with each counter-example drawn.",
        ),
    ] = None,
    quiet: Quiet = False,
) -> int:
    """Check whether interval methods are sound, keep their contracts, and have not become worse.

    Exit codes: 0 all checks pass; 3 a check fails; 4 a check is inconclusive; 2 a method cannot
    be loaded, or an option is wrong. Of several methods the worst one decides: 2, then 3, then 4.
    """
    from harness.base.errors import WriteError
    from harness.callers.naming import method_for
    from harness.callers.table import is_table
    from harness.checks.baseline.folder import validate_target
    from harness.checks.batch import asked_points, check_methods
    from harness.checks.formats import FORMATS
    from harness.checks.options import family_of_check
    from harness.commands.ending import print_error
    from harness.commands.output import say, validate_output_files, write_output_file
    from harness.screen.console import check_bar

    options: dict[str, Any] = {
        "family": family,
        "model": model,
        "estimand": estimand,
        "factors": factor,
        "alphas": alpha,
        "config": config,
        "grid": grid,
        "thorough": thorough,
        "stopping": None if stopping is None else read_value("stopping", stopping),
        "sensitivity": sensitivity,
        "specificity": specificity,
        "contract": contract,
        "margin": margin,
        "expected_failures": expect_failure,
        "against": against,
        "same": same,
        "tolerance": tolerance,
        "update": update,
        "force": force,
        "trials": trials,
        "seed": seed,
        "call_timeout": call_timeout,
    }
    if alpha is not None and model is None:
        raise InputError("--alpha is for a check on a --model; other checks take it from --grid")
    if print_grid and model is not None:
        raise InputError("--print-grid is not for a check on a --model, which has no grid")
    asked = {"junit": junit, "json": json, "markdown": markdown, "html": html}
    files = {form: path for form, path in asked.items() if path is not None}
    if print_grid:
        with cleaning_up():
            points = asked_points(**{**options, "against": None})
        say(points)
        return 0
    chosen = methods_of(methods or [], command or [], arg or [], limits, side, lines)
    resolved = [method_for(family_of_check(options), method) for method in chosen]
    options["counter_examples"] = html is not None
    read = [
        Path(named.location.path) for named in resolved if named.location and named.location.path
    ]
    read += [Path(name) for name in methods or () if is_table(name)]
    validate_output_files(
        {f"--{form}": path for form, path in files.items()},
        [*read, *([config] if config is not None else [])],
    )
    if update is not None and model is None:
        for named in resolved:
            validate_target(update, named)
    at_once = 1 if update is not None and (jobs == -1 or jobs > 1) else jobs
    bar = partial(check_bar, methods=[named.label for named in resolved])
    with cleaning_up(), shown(bar, quiet, otherwise=lambda number, done: None) as tell:
        results = [*check_methods(chosen, options, tell, jobs=at_once, timeout=timeout)]
    codes = [result.exit_code for result in results]
    reports = [result.report for result in results]
    for form, path in files.items():
        try:
            text = _page(reports, context.params) if form == "html" else FORMATS[form](*reports)
            write_output_file(path, text)
        except WriteError as fault:
            print_error(str(fault))
            codes.append(fault.exit_code)
    faults = [result.fault for result in results if result.fault is not None]
    for sentence in dict.fromkeys(faults):
        print_error(sentence)
    if not quiet and len(faults) < len(results):
        say(FORMATS[output](*reports))
    return worst_exit_code(codes)


_NOT_AGAIN = ("grid", "config", "thorough", "expect_failure", "print_grid", "update", "force")
"""Options without which the check of one counter-example is made."""
_UNSEEN = ("jobs", "output", "quiet")
"""Options that change nothing on the page."""
_OF_SEVERAL = (*_UNSEEN, "timeout", "junit", "json", "markdown", "html")
"""Options of the call and of what it writes."""


def _page(reports: Sequence[CheckReport], given: Mapping[str, Any]) -> str:
    """The page of the reports, in the order of the methods.

    Args:
        reports: those of the methods with a name, then those of the commands.
        given: the parameters of the command by name.
    """
    import shlex

    from harness.callers.command import is_of_r
    from harness.callers.table import is_table
    from harness.pages.check import MethodOnPage, check_page
    from harness.report.page import render

    chosen = [*(given["methods"] or []), *(given["command"] or [])]
    methods = []
    for number, (report, method) in enumerate(zip(reports, chosen, strict=True)):
        if given["model"]:
            methods.append(MethodOnPage(report, ()))
            continue
        # The command that checks this method alone, without sizes, alphas and files.
        is_command = number >= len(given["methods"] or [])
        is_r = not is_command and is_of_r(method)
        has_side = is_r or is_command or is_table(method)
        taken = {"arg": is_r, "limits": is_r, "lines": is_command, "side": has_side}
        leave_out = [*_NOT_AGAIN, *_OF_SEVERAL, *(name for name in taken if not taken[name])]
        alone = {"methods": None, "command": None, "command" if is_command else "methods": [method]}
        words = words_of_call(check, {**given, **alone}, leave_out)
        methods.append(MethodOnPage(report, words))
    return render(check_page(methods, shlex.join(words_of_call(check, given, _UNSEEN))))


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
    from harness.callers.command import Command, RFunction, is_of_r, without_prefix
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
    expressions = _read_arguments(arguments)
    chosen = TWO_SIDED if side is None else side
    named_methods: list[AnyMethod] = [
        RFunction(without_prefix(name), expressions, limits, chosen)
        if name in of_r
        else LimitTable(name, chosen)
        if name in tables
        else name
        for name in names
    ]
    return [*named_methods, *(Command(command, lines, chosen) for command in commands)]


def _read_arguments(arguments: Sequence[str]) -> dict[str, str]:
    """The expressions by the names of the arguments."""
    expressions: dict[str, str] = {}
    for argument in arguments:
        name, equals, text = (part.strip() for part in argument.partition("="))
        if not (name and equals and text):
            raise InputError(
                f"--arg should be NAME=EXPRESSION of R, as conf.level=1-alpha, found {argument!r}"
            )
        if name in expressions:
            raise InputError(f"--arg gives {name} twice")
        expressions[name] = text
    return expressions
