"""The printing of the commands: all that they say goes through ``say`` or a ``console``.

So no name, label or message can send a terminal a control or bidirectional character.

Files that a command writes beside what it prints, in full or not at all.
"""

from __future__ import annotations

import io
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from harness.base.errors import InputError, WriteError
from harness.base.files import refuse_irregular
from harness.base.text import csv_text, json_text, printable

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

_WIDER_THAN_ANY_TABLE = 10_000
# A table of records folds its texts, but must leave room for its numbers.
NARROWEST = 80

Records = Sequence[Mapping[str, Any]]


def show(
    records: Records,
    form: str,
    texts: Sequence[dict[str, Any]] | None = None,
    in_full: bool = False,
    as_list: bool = False,
) -> None:
    """Print records as a table, as JSON or as CSV.

    Args:
        records: of the same names.
        form: table, json or csv.
        texts: what the table has in their place; None for the records.
        in_full: whether a line for each field takes the place of the table.
        as_list: whether JSON is a list of a single record too.
    """
    if form != "table":
        say(records_text(records, form, as_list))
        return
    from harness.screen.records import format_record, records_table

    if in_full:
        say("\n".join(format_record(record) for record in records))
    else:
        show_table(records_table(records, texts))


def say(text: str, err: bool = False) -> None:
    """Print a text on standard output, or on standard error.

    Raises:
        WriteError: standard output is on a full disk.
    """
    with nullcontext() if err else _printing():
        typer.echo(printable(text), err=err)


@contextmanager
def _printing() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        # The reader, as `head`, has enough.
        raise
    except OSError as fault:
        raise WriteError(f"standard output cannot be written: {fault.strerror}") from None


def console(stderr: bool = False, width: int | None = None) -> Console:
    """A console for tables and progress bars, which prints no text that is not printable."""
    from harness.screen.console import PrintableConsole

    return PrintableConsole(stderr=stderr, width=width, highlight=False)


def show_uncut(*tables: RenderableType) -> None:
    """Print tables without cutting or folding them, however wide they are."""
    with _printing():
        console(width=_WIDER_THAN_ANY_TABLE).print(*tables, sep="\n")


def show_json(content: Any) -> None:
    """Print plain data as JSON."""
    say(json_text(content))


def records_text(records: Records, form: str, as_list: bool = False) -> str:
    """Return records as JSON or as CSV.

    Args:
        records: of the same names.
        form: json or csv.
        as_list: whether JSON is a list of a single record too.
    """
    if form == "csv":
        return csv_text(records, records[0]).removesuffix("\n")
    objects = [dict(record) for record in records]
    return json_text(objects[0] if len(objects) == 1 and not as_list else objects)


def show_table(table: RenderableType) -> None:
    """Print a table, folded where a terminal is narrower than it."""
    screen = console()
    width = max(screen.width, NARROWEST) if screen.is_terminal else _WIDER_THAN_ANY_TABLE
    with _printing():
        console(width=width).print(table)


def table_text(table: RenderableType) -> str:
    """Return a table as text, however wide it is."""
    from harness.screen.console import PrintableConsole

    text = io.StringIO()
    PrintableConsole(file=text, width=_WIDER_THAN_ANY_TABLE).print(table)
    return text.getvalue()


def validate_output_files(files: Mapping[str, Path], inputs: Collection[Path]) -> None:
    """Check that files can be written, before the work whose results they are for.

    Args:
        files: the paths by the names of their options.
        inputs: files that the command reads.

    Raises:
        InputError: a file cannot be written, would replace one that is read, or is named twice.
    """
    read = {Path(os.path.realpath(file)) for file in inputs if "\0" not in str(file)}
    places: dict[Path, str] = {}
    for option, path in files.items():
        try:
            refuse_irregular(path)
            place = path.resolve()
            existing = next(folder for folder in place.parents if folder.exists())
        except (OSError, ValueError, RuntimeError) as fault:  # a loop of links, or a NUL in it
            reason = getattr(fault, "strerror", None) or str(fault)
            raise InputError(f"{option} {path} cannot be written: {reason}") from None
        try:
            # Not all that a folder's permissions allow can be done, as in /proc.
            _part(existing / place.name).write_text("", "utf-8")
            _part(existing / place.name).unlink()
        except OSError as fault:
            raise InputError(
                f"{option} {path} cannot be written: {existing} is no folder to write to "
                f"({fault.strerror})"
            ) from None
        if place in read:
            raise InputError(f"{option} {path} would replace a file that the command reads")
        if place in places:
            raise InputError(f"{option} {path} is the file of {places[place]} as well")
        places[place] = option


def say_or_write(text: str, path: Path | None) -> None:
    """Print a text, or write it to a file and print the path.

    Raises:
        WriteError: the file cannot be written.
    """
    if path is None:
        say(text)
    else:
        write_output_file(path, text)
        say(str(path))


def write_output_file(path: Path, text: str) -> None:
    """Write a text file with its folders; until it is complete, a former file stays as it is.

    Raises:
        WriteError: it cannot be written.
    """
    target = path.resolve()
    part = _part(target)
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            part.write_text(text if text.endswith("\n") else f"{text}\n", "utf-8")
            part.replace(target)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    except OSError as fault:
        raise WriteError(f"{path} cannot be written: {fault.strerror}") from None


def _part(target: Path) -> Path:
    """The file beside the target that becomes it once it is complete."""
    return target.with_name(f".{target.name[:200]}.{os.getpid()}.part")
