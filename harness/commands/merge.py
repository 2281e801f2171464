"""``merge``: make the tables of a run out of its parts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness.commands.exit_codes import print_error
from harness.commands.signals import cleaning_up


def merge(
    folders: Annotated[
        list[Path], typer.Argument(help="Folders with the parts of runs.", metavar="DIR...")
    ],
    out: Annotated[Path, typer.Option(help="Folder to write results under.")] = Path("results"),
    quiet: Annotated[bool, typer.Option("--quiet", help="Print nothing but errors.")] = False,
    take_over: Annotated[
        bool,
        typer.Option("--take-over", help="Take over the lock of a dead run of another host."),
    ] = False,
) -> int:
    """Join the parts that `run --shard i/m` left, and write results/<name>/.

    The results are those of a run in one go, byte for byte.
    """
    # Imported before signals raise exceptions, which an import may swallow.
    from harness.api import merge_parts
    from harness.commands.finish import finish, progress_of
    from harness.study.parts import find_parts, refuse_unmergeable

    place, codes = out.absolute(), []
    with cleaning_up():
        found = find_parts(folders)
        for parts in found.values():
            refuse_unmergeable(parts)
        for name, parts in found.items():
            with progress_of(name, quiet) as progress:
                experiment, written = merge_parts(
                    parts, place, progress, take_over=take_over, say=print_error
                )
            codes.append(finish(written, experiment, out / name, quiet))
    return min((code for code in codes if code), default=0)
