"""``init``, ``schema`` and ``methods``: a config to begin with, and what one may hold."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from harness.base.errors import InputError
from harness.commands.options import Form


def init(
    file: Annotated[
        Path | None, typer.Argument(help="The file to write; left out, <family>.yaml.")
    ] = None,
    family: Annotated[
        str | None, typer.Option(help="What is estimated; left out, a proportion.")
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="NAME", help="Start from this config, as `run` finds it."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False,
) -> int:
    """Write a config that runs, with every key and what it means.

    The experiment has the name of the file. The files that a config of --from names, such as those
    of its functions, are copied beside it.
    """
    from harness.base.arguments import validate_choice
    from harness.commands.output import say, validate_output_files, write_output_file
    from harness.config.files import SUFFIXES, find_configs
    from harness.families.catalogue import FAMILIES
    from harness.kinds.load import load_experiment
    from harness.kinds.starter import files_of_config, starter, starter_from

    if family is not None:
        validate_choice("--family", family, FAMILIES, ())
    if source is None:
        start, chosen = None, family or next(iter(FAMILIES))
    else:
        start, *others = find_configs([source])
        if others:
            raise InputError(f"--from names one config, found a folder of {1 + len(others)}")
        chosen = load_experiment(start).family_name
        if family not in (None, chosen):
            raise InputError(f"--from names a config of the family {chosen}, not {family}")
    path = file or Path(f"{chosen}.yaml")
    if path.suffix not in SUFFIXES:
        raise InputError(f"expected a {' or '.join(SUFFIXES)} file to write, found {path}")
    copies = {} if start is None else files_of_config(start)
    targets = {path.parent / name: content for name, content in copies.items()}
    targets = {
        target: content
        for target, content in targets.items()
        if not target.is_file() or target.read_bytes() != content
    }
    for target in (path, *targets):
        if target.exists() and not force:
            raise InputError(f"{target} exists; --force overwrites it")
        validate_output_files({"init": target}, [])
    text = starter(FAMILIES[chosen], path.stem) if start is None else starter_from(start, path.stem)
    for target, content in targets.items():
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        say(f"{target} is copied beside it")
    write_output_file(path, text)
    say(f"{path} is written; it is run by: python -m harness run {path}")
    return 0


def schema() -> int:
    """Print the JSON Schema of a config, for editors."""
    from harness.commands.output import show_json
    from harness.kinds.load import json_schema

    show_json(json_schema())
    return 0


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
