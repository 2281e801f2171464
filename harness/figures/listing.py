"""The kinds of figure and their options as records, for ``plot --list``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.base.arguments import validate_choice
from harness.figures.catalogue import FIGURES


def kinds_of_figure() -> list[dict[str, str]]:
    """Return each kind of figure, what it shows, and the kind of experiment it is of."""
    return [
        {"kind": each.name, "shows": each.title, "experiment": each.experiment}
        for each in FIGURES.values()
    ]


def options_of_figure(kind: str) -> list[dict[str, str]]:
    """Return a record for each option of a kind of figure: its value, its default, its meaning.

    Args:
        kind: of figure.

    Raises:
        InputError: there is no such kind.
    """
    schema = FIGURES[validate_choice("kind", kind, FIGURES)].options.model_json_schema()
    required = schema.get("required", ())
    return [
        {
            "option": name,
            "value": _value(each),
            "default": "required" if name in required else str(each.get("default") or ""),
            "meaning": each.get("description", ""),
        }
        for name, each in schema.get("properties", {}).items()
    ]


def _value(schema: Mapping[str, Any]) -> str:
    """What a value may be, in words."""
    choices = schema.get("anyOf") or schema.get("oneOf")
    if choices:
        return " or ".join(dict.fromkeys(_value(each) for each in choices if each != _NOTHING))
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    if schema.get("type") == "array":
        return f"list, each {_value(schema.get('items', {}))}"
    return _WORDS.get(str(schema.get("type")), str(schema.get("const", "mapping")))


_NOTHING = {"type": "null"}
_WORDS = {
    "number": "number",
    "integer": "whole number",
    "boolean": "true, false",
    "string": "text",
}
