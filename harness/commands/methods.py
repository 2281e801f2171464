"""``methods``: the catalogue of interval methods."""

from __future__ import annotations

from typing import Annotated

import typer

from harness.commands.options import Form


def methods(
    name: Annotated[str | None, typer.Argument(help="Show this method in full.")] = None,
    family: Annotated[str | None, typer.Option(help="List only this family.")] = None,
    output: Form = "table",
) -> int:
    """List the catalogue of interval methods."""
    from harness.commands.output import show
    from harness.methods.listing import listing

    show(listing(family, name), output, in_full=name is not None)
    return 0
