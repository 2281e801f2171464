"""Options that several commands have."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

Prior = Annotated[
    tuple[float, float] | None,
    typer.Option(help="Prior a b: Beta of a proportion, Gamma of a rate.", metavar="A B"),
]
Form = Annotated[Literal["table", "json", "csv"], typer.Option("--format", help="Output's form.")]
