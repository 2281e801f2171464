"""``plot``: draw the figures of a result from its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness.commands.signals import cleaning_up
from harness.errors import InputError


def plot(
    folder: Annotated[Path, typer.Argument(help="Folder of a result.", metavar="DIR")],
    formats: Annotated[
        list[str] | None, typer.Option("--format", help="png, svg or pdf; may be repeated.")
    ] = None,
) -> int:
    """Draw the figures of a result again, from its tables; all or none is written."""
    from harness.tables.results import load

    # What is wrong with the folder is said before the rest is loaded, which takes longer.
    results = load(folder)
    asked = results.manifest["experiment"]["figures"]
    if not asked:
        raise InputError(f"{folder}: its config asks for no figures")
    from harness.commands.output import say
    from harness.config.experiment import FigureSpec
    from harness.study.write_results import write_figures

    specs = [
        FigureSpec(figure["kind"], {k: v for k, v in figure.items() if k != "kind"})
        for figure in asked
    ]
    with cleaning_up():
        paths = write_figures(results, specs, folder, formats or ["png"])
    for path in paths:
        say(str(path))
    return 0
