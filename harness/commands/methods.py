"""``methods``: the catalogue of interval methods."""

from __future__ import annotations

from typing import Annotated

import typer

from harness.commands.options import Form


def methods(
    name: Annotated[str | None, typer.Argument(help="Show this method in full.")] = None,
    family: Annotated[str | None, typer.Option(help="List only this family.")] = None,
    wide: Annotated[
        bool,
        typer.Option("--wide", help="Show all columns, aliases and references too, on long lines."),
    ] = False,
    output: Form = "table",
) -> int:
    """List the catalogue of interval methods, or show one in full, as in: methods wilson."""
    from harness.commands.output import NARROWEST, console, show, show_uncut
    from harness.methods.listing import listing

    records = listing(family, name)
    if output != "table" or name is not None:
        show(records, output, in_full=name is not None)
    elif wide:
        from harness.screen.records import records_table

        show_uncut(records_table(records))
    else:
        from harness.screen.records import methods_tables

        console(width=NARROWEST).print(*methods_tables(records), sep="\n")
    return 0
