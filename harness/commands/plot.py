"""``plot``: draw the figures of a result from its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from harness.base.errors import InputError
from harness.commands.ending import cleaning_up

if TYPE_CHECKING:
    from harness.figures.kind import FigureSpec


def plot(
    folder: Annotated[Path, typer.Argument(help="Folder of a result.", metavar="DIR")],
    formats: Annotated[
        list[str] | None, typer.Option("--format", help="png, svg or pdf; may be repeated.")
    ] = None,
    kind: Annotated[
        str | None, typer.Option(help="Draw this kind of figure, which the config need not name.")
    ] = None,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="OPTION=VALUE", help="An option of the figure of --kind."),
    ] = None,
) -> int:
    """Draw the figures of a result again, from its tables; all or none is written.

    With --kind one that the config did not ask for: plot DIR --kind coverage_curve --set n=50.
    """
    from harness.tables.results import load

    # What is wrong with the folder is said before the rest is loaded, which takes longer.
    results = load(folder)
    document = results.manifest["experiment"]
    if settings and kind is None:
        raise InputError("--set is of the figure that --kind names, found no --kind")
    specs = _of_config(folder, document) if kind is None else [_asked(document, kind, settings)]
    from harness.commands.output import say
    from harness.study.write_results import write_figures

    with cleaning_up():
        paths = write_figures(results, specs, folder, formats)
    for path in paths:
        say(str(path))
    return 0


def _of_config(folder: Path, document: Mapping[str, Any]) -> list[FigureSpec]:
    """The figures that the config asks for."""
    from harness.figures.kind import FigureSpec

    asked = document["figures"]
    if not asked:
        raise InputError(f"{folder}: its config asks for no figures; --kind names one to draw")
    return [
        FigureSpec(figure["kind"], {k: v for k, v in figure.items() if k != "kind"})
        for figure in asked
    ]


def _asked(document: Mapping[str, Any], kind: str, settings: Sequence[str] | None) -> FigureSpec:
    """The figure that the command line asks for."""
    from harness.config.validate import validate_figure

    return validate_figure(document, kind, settings or ())
