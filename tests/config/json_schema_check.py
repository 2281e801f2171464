"""A reader of the part of JSON Schema (draft 2020-12) that the config's schema uses."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

Schema = Mapping[str, Any]

TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "null": lambda value: value is None,
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}
NOTES = {"title", "description", "default", "$defs", "$schema"}
"""Keywords that allow everything."""


def accepts(schema: Schema, value: Any, root: Schema | None = None) -> bool:
    """Whether a value is valid; a keyword unknown here is a KeyError."""
    whole = schema if root is None else root
    rules = {keyword: rule for keyword, rule in schema.items() if keyword not in NOTES}
    return all(KEYWORDS[keyword](rule, value, schema, whole) for keyword, rule in rules.items())


def _reference(rule: str, value: Any, schema: Schema, root: Schema) -> bool:
    return accepts(root["$defs"][rule.removeprefix("#/$defs/")], value, root)


def _one_of(rule: list[Schema], value: Any, schema: Schema, root: Schema) -> bool:
    return sum(accepts(choice, value, root) for choice in rule) == 1


def _any_of(rule: list[Schema], value: Any, schema: Schema, root: Schema) -> bool:
    return any(accepts(choice, value, root) for choice in rule)


def _properties(rule: Schema, value: Any, schema: Schema, root: Schema) -> bool:
    if not isinstance(value, dict):
        return True
    return all(accepts(rule[key], value[key], root) for key in rule if key in value)


def _no_others(rule: bool, value: Any, schema: Schema, root: Schema) -> bool:
    assert rule is False
    return not isinstance(value, dict) or set(value) <= set(schema["properties"])


def _items(rule: Schema, value: Any, schema: Schema, root: Schema) -> bool:
    return not isinstance(value, list) or all(accepts(rule, entry, root) for entry in value)


def _number(holds: Callable[[Any, Any], bool]) -> Callable[[Any, Any, Schema, Schema], bool]:
    return lambda rule, value, *_: not TYPES["number"](value) or holds(value, rule)


KEYWORDS: dict[str, Callable[[Any, Any, Schema, Schema], bool]] = {
    "$ref": _reference,
    "oneOf": _one_of,
    "anyOf": _any_of,
    "properties": _properties,
    "additionalProperties": _no_others,
    "items": _items,
    "type": lambda rule, value, *_: TYPES[rule](value),
    "required": lambda rule, value, *_: not isinstance(value, dict) or set(rule) <= set(value),
    "enum": lambda rule, value, *_: value in rule,
    "const": lambda rule, value, *_: value == rule,
    "pattern": lambda rule, value, *_: bool(re.search(rule, value)),
    "minLength": lambda rule, value, *_: not isinstance(value, str) or len(value) >= rule,
    "minItems": lambda rule, value, *_: not isinstance(value, list) or len(value) >= rule,
    "maxItems": lambda rule, value, *_: not isinstance(value, list) or len(value) <= rule,
    "minimum": _number(lambda value, rule: value >= rule),
    "maximum": _number(lambda value, rule: value <= rule),
    "exclusiveMinimum": _number(lambda value, rule: value > rule),
    "exclusiveMaximum": _number(lambda value, rule: value < rule),
}
