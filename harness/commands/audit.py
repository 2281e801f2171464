"""The command ``audit``: check the interval functions of installed packages."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from harness.commands.ending import cleaning_up
from harness.commands.options import words_of_call


def audit(
    context: typer.Context,
    packages: Annotated[
        list[str] | None,
        typer.Argument(help="Packages of the list; left out, all of them.", metavar="[PACKAGE]..."),
    ] = None,
    listed: Annotated[
        Path | None,
        typer.Option("--list", help="A list of packages; left out, the one that comes with this."),
    ] = None,
    out: Annotated[Path, typer.Option(help="Folder of the page and the table.")] = Path(
        "results/audit"
    ),
    jobs: Annotated[int, typer.Option(help="Functions that are checked at a time.")] = 1,
    seed: Annotated[int, typer.Option(help="Of all draws.")] = 2003,
    timeout: Annotated[float, typer.Option(help="Seconds for one function.")] = 600,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Print no line for each function.")
    ] = False,
    html: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a page of HTML as well, with the first failure of each function drawn.",
        ),
    ] = None,
) -> int:
    """Check interval functions of statsmodels, SciPy, Astropy, R and packages of evaluations.

    Packages that are not installed are skipped. Writes audit.md and audit.csv. Exit codes: 0 the
    audit is done, whatever it found; 2 the list or an option is wrong.
    """
    from harness.base.arguments import validate_choice, validate_whole
    from harness.base.errors import InputError
    from harness.checks.audit.audit import SHIPPED, Audited, load_list, run_audit
    from harness.checks.options import validate_seconds
    from harness.commands.output import say, validate_output_files, write_output_file
    from harness.pages.audit import format_csv, format_page

    validate_whole("jobs", jobs, 1)
    validate_seconds("timeout", timeout)
    chosen = load_list(SHIPPED if listed is None else listed)
    for name in packages or ():
        validate_choice("package", name, dict.fromkeys(package.name for package in chosen.packages))
    if html is not None:
        written = {f"the file {name}": out / name for name in ("audit.md", "audit.csv")}
        validate_output_files({**written, "--html": html}, [SHIPPED if listed is None else listed])
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise InputError(f"{out} cannot be written: {fault.strerror}") from None

    def tell(done: Audited) -> None:
        if not quiet:
            name = f"{done.package} {done.function} ({done.entry.family})"
            say(f"{name}: {done.verdict}, {done.seconds:.0f} s")

    with cleaning_up():
        report = run_audit(
            chosen.only(tuple(packages or ())),
            seed=seed,
            timeout=timeout,
            jobs=jobs,
            tell=tell,
            counter_examples=html is not None,
        )

    def command(*left_out: str) -> str:
        return shlex.join(words_of_call(audit, context.params, ("jobs", "quiet", *left_out)))

    page = format_page(report, command("html"))
    for file, text in (("audit.md", page), ("audit.csv", format_csv(report))):
        write_output_file(out / file, text)
    if html is not None:
        from harness.pages.audit import audit_page
        from harness.report.page import render

        write_output_file(html, render(audit_page(report, command())))
    say(f"{len(report.functions)} functions in {out / 'audit.md'}")
    return 0
