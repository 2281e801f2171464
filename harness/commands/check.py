"""The command ``check``: check an interval method."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer

from harness.commands.signals import cleaning_up, on_terminal


def check(
    method: Annotated[
        str,
        typer.Argument(
            help="A method of the catalogue, file.py:function, package.module:function, a peer "
            "such as statsmodels:wilson, or an entry point of the group harness.methods.",
            metavar="METHOD",
        ),
    ],
    family: Annotated[str, typer.Option(help="The family of the method.")] = "proportion",
    against: Annotated[
        str | None, typer.Option(help="Another method, or the folder of a baseline.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="The config of an experiment with the sizes and alphas.")
    ] = None,
    contract: Annotated[
        str | None,
        typer.Option(help="nominal, at-least or none; default: as declared."),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            help="Of the mean alpha error, and of the miss rate where limits are drawn; "
            "by default 0.3·alpha."
        ),
    ] = None,
    trials: Annotated[int, typer.Option(help="At each size, if limits are drawn.")] = 20_000,
    seed: Annotated[int, typer.Option(help="Of all draws.")] = 2003,
    update: Annotated[
        Path | None, typer.Option(help="Folder in which the numbers are stored as a baseline.")
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds for each call of a user's method.")] = 10,
    output: Annotated[
        Literal["table", "json", "junit"], typer.Option("--format", help="Format of the output.")
    ] = "table",
) -> int:
    """Check whether an interval method is sound, keeps its contract, and has not become worse.

    Exit codes: 0 all checks pass; 3 a check fails; 4 a check is inconclusive; 2 the method cannot
    be loaded, or an option is wrong.
    """
    from harness.checks.baseline import validate_target, write_baseline
    from harness.checks.check import check as check_method
    from harness.checks.formats import FORMATS
    from harness.checks.subjects.naming import named
    from harness.commands.output import say

    if update is not None:
        validate_target(update, named(method, family))
    with cleaning_up(), _spinner(f"checking {method}"):
        report = check_method(
            method,
            family=family,
            against=against,
            config=config,
            contract=contract,
            margin=margin,
            trials=trials,
            seed=seed,
            timeout=timeout,
        )
    say(FORMATS[output](report))
    if update is not None:
        write_baseline(update, named(method, family), report.behaviour, report.side)
    return report.exit_code


@contextmanager
def _spinner(text: str) -> Iterator[None]:
    """Show a spinner on a terminal while the block runs, which may take minutes."""
    from harness.commands.output import console
    from harness.screen.records import escape_markup

    screen = console(stderr=True)
    if not screen.is_terminal:
        yield
        return
    with on_terminal(screen.status(escape_markup(text))):
        yield
