"""A matplotlib style file of the user's: read once, and kept as the settings that it holds.

Results hold the settings themselves, so that ``plot`` draws the same figures wherever the folder of
results is and whatever has become of the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler, ValidationInfo
from pydantic_core import CoreSchema, core_schema

from harness.base.errors import did_you_mean

LONGEST_FILE = 1 << 16
"""The most bytes of a style file."""

Settings = Mapping[str, str]
"""Values of settings by their names, as they are written."""


class StyleType:
    """The pydantic type of a style: the path of a file, or the settings themselves."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.with_info_plain_validator_function(_settings)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        settings = {"type": "object", "additionalProperties": {"type": "string"}}
        return {"anyOf": [{"type": "string"}, settings]}


def _settings(value: Any, info: ValidationInfo) -> dict[str, str]:
    """The settings of a file, relative to the config, or of a mapping."""
    if isinstance(value, Mapping):
        found = {str(name): str(each) for name, each in value.items()}
        where = {name: f"setting {name}" for name in found}
    elif isinstance(value, str) and value:
        folder: Path = (info.context or {}).get("folder", Path())
        found, where = _parsed(_text(folder / value, value), value)
    else:
        raise ValueError("expected the path of a matplotlib style file, relative to the config")
    _check(found, where)
    return found


def _text(path: Path, written: str) -> str:
    try:
        if not path.is_file():
            raise ValueError("expected an existing matplotlib style file, relative to the config")
        data = path.read_bytes()[: LONGEST_FILE + 1]
    except OSError as fault:
        raise ValueError(f"{written} cannot be read: {fault.strerror}") from None
    if len(data) > LONGEST_FILE:
        raise ValueError(f"expected a style file of at most {LONGEST_FILE} bytes")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ValueError("expected a text in UTF-8") from None


def _parsed(text: str, name: str) -> tuple[dict[str, str], dict[str, str]]:
    """The settings of a file, and where in it each of them stands."""
    found: dict[str, str] = {}
    where: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        bare = _without_comment(line).strip()
        if not bare:
            continue
        key, colon, value = (part.strip() for part in bare.partition(":"))
        if not colon or not key:
            raise ValueError(f"line {number} of {name}: expected `setting: value`, found {bare}")
        if len(value) >= 2 and value[0] == value[-1] == '"':
            value = value[1:-1]
        found[key], where[key] = value, f"line {number} of {name}: {key}"
    return found, where


def _without_comment(line: str) -> str:
    """The line up to a number sign that is not within quotation marks."""
    quoted = False
    for place, letter in enumerate(line):
        if letter == '"':
            quoted = not quoted
        elif letter == "#" and not quoted:
            return line[:place]
    return line


def _check(settings: Settings, where: Mapping[str, str]) -> None:
    """Refuse settings that matplotlib does not know, or whose values it does not take."""
    import matplotlib

    known: Any = matplotlib.rcParamsDefault
    trial: Any = matplotlib.RcParams()
    for name, value in settings.items():
        if name not in known:
            guess = did_you_mean(name, list(known))
            raise ValueError(f"{where[name]} is no setting of matplotlib{guess}")
        try:
            trial[name] = value
        except ValueError as fault:
            raise ValueError(f"{where[name]}: {fault}") from None
