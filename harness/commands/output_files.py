"""Files that a command writes beside what it prints, in full or not at all."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

from harness.base.errors import InputError, WriteError
from harness.base.files import refuse_irregular


def validate_output_files(files: Mapping[str, Path], inputs: Collection[Path]) -> None:
    """Check that files can be written, before the work whose results they are for.

    Args:
        files: the paths by the names of their options.
        inputs: files that the command reads.

    Raises:
        InputError: a file cannot be written, would replace one that is read, or is named twice.
    """
    read = {Path(os.path.realpath(each)) for each in inputs if "\0" not in str(each)}
    places: dict[Path, str] = {}
    for option, path in files.items():
        try:
            refuse_irregular(path)
            place = path.resolve()
            existing = next(each for each in place.parents if each.exists())
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
