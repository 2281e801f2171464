"""``check``: a method put to the test."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Literal

import typer


def check(
    method: Annotated[
        str,
        typer.Argument(
            help="A method of the catalogue, file.py:function, package.module:function, a peer's "
            "as statsmodels:wilson, or an entry point of the group harness.methods.",
            metavar="METHOD",
        ),
    ],
    family: Annotated[str, typer.Option(help="What it estimates.")] = "proportion",
    against: Annotated[
        str | None, typer.Option(help="Another method, or the folder of a baseline.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option(help="An experiment whose sizes and alphas are taken.")
    ] = None,
    contract: Annotated[
        str | None, typer.Option(help="nominal, at-least or none; default what is declared.")
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            help="Of the mean alpha error, and of the miss rate against a method that draws; "
            "default 0.3·alpha."
        ),
    ] = None,
    trials: Annotated[int, typer.Option(help="At each size, of a method that draws.")] = 20_000,
    seed: Annotated[int, typer.Option(help="Of all draws.")] = 2003,
    update: Annotated[
        Path | None, typer.Option(help="Folder to keep the numbers in as a baseline.")
    ] = None,
    timeout: Annotated[float, typer.Option(help="Seconds for each call of a user's method.")] = 10,
    output: Annotated[
        Literal["table", "json", "junit"], typer.Option("--format", help="Output's form.")
    ] = "table",
) -> int:
    """Is an interval method sound, does it keep its promise, and has it become worse?

    Exit codes: 0 all pass; 3 something fails; 4 something could not be concluded; 2 the method
    cannot be loaded or called as asked.
    """
    from harness.checks.baseline import refuse_update
    from harness.checks.baseline import update as keep
    from harness.checks.check import check as checked
    from harness.checks.formats import FORMATS
    from harness.checks.subjects.naming import named

    if update is not None:
        refuse_update(update, named(method, family))
    with _waiting(f"checking {method}"):
        report = checked(
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
    typer.echo(FORMATS[output](report))
    if update is not None:
        keep(update, named(method, family), report.behaviour, report.side)
    return report.exit_code


@contextmanager
def _waiting(what: str) -> Iterator[None]:
    """Something that moves while a slow method is called for minutes; nothing off a terminal."""
    from rich.console import Console

    from harness.screen.records import escaped

    console = Console(stderr=True)
    if not console.is_terminal:
        yield
        return
    with console.status(escaped(what)):
        yield
