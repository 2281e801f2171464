"""A JSON Schema as text for people: the values that a key can have."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from handbook.text import cell, code, table

Schema = Mapping[str, Any]

LONGEST_LIST = 12
"""Words of an enumeration that are written out; of more the first few are."""
_PREFIX = "#/$defs/"


class Definitions:
    """The mappings that a schema names, each with a place of its own on a page."""

    def __init__(self, defined: Mapping[str, Schema]) -> None:
        self._defined = defined

    def reached(self, schema: Schema) -> dict[str, Schema]:
        """The mappings that a schema refers to, directly or through others, in their order."""
        found: dict[str, Schema] = {}
        self._reach(schema, found)
        return found

    def _reach(self, schema: Any, found: dict[str, Schema]) -> None:
        for name in _references(schema):
            if name not in found:
                found[name] = self._defined[name]
                self._reach(self._defined[name], found)

    def value(self, schema: Schema) -> str:
        """The values that the schema allows, as HTML."""
        if "$ref" in schema:
            name = schema["$ref"].removeprefix(_PREFIX)
            return f'<a href="#{anchor(name)}">{code(self.short(name))}</a>'
        for choice in ("anyOf", "oneOf"):
            if choice in schema:
                given = [each for each in schema[choice] if each.get("type") != "null"]
                return " or ".join(dict.fromkeys(self.value(each) for each in given))
        if "const" in schema:
            return code(_written(schema["const"]))
        if "enum" in schema:
            return _words(schema["enum"])
        kind = schema.get("type")
        if kind == "array":
            return self._list(schema)
        if kind in ("number", "integer"):
            return {"number": "a number", "integer": "a whole number"}[kind] + _bounds(schema)
        if kind == "boolean":
            return f"{code('true')} or {code('false')}"
        return {"string": "text", "object": "a mapping"}.get(str(kind), "anything")

    def _list(self, schema: Schema) -> str:
        items = schema.get("items", schema.get("prefixItems", [{}])[0])
        least, most = schema.get("minItems"), schema.get("maxItems")
        each = self.value(items)
        if least is not None and least == most:
            return f"a list of {least}, each {each}"
        return f"a list of up to {most}, each {each}" if most else f"a list, each {each}"

    def short(self, name: str) -> str:
        """A mapping by its keys, as ``{per_size: …}``."""
        schema = self._defined[name]
        keys = schema.get("properties", {})
        wanted = [key for key in keys if key in schema.get("required", ())] or list(keys)
        shown = ", ".join(f"{key}: {self._glimpse(keys[key])}" for key in wanted)
        return f"{{{shown}}}"

    def _glimpse(self, schema: Schema) -> str:
        if "const" in schema:
            return str(schema["const"])
        if "$ref" in schema:
            return self.short(schema["$ref"].removeprefix(_PREFIX))
        if schema.get("type") == "array" and schema.get("minItems") == schema.get("maxItems") == 2:
            return "[…, …]"
        return "[…]" if schema.get("type") == "array" else "…"

    def keys(self, schema: Schema) -> str:
        """A table of the keys of a mapping."""
        needed = schema.get("required", ())
        rows = (
            (
                code(key),
                self.value(each),
                "required" if key in needed else default(each),
                cell(each.get("description", "")),
            )
            for key, each in schema.get("properties", {}).items()
        )
        return table(("key", "value", "left out", "meaning"), rows)


def anchor(name: str) -> str:
    """The place of a mapping on the page."""
    return f"mapping-{name.strip('_').lower()}"


def default(schema: Schema) -> str:
    """The value of a key that is left out, as HTML."""
    given = schema.get("default")
    return "" if given is None else code(_written(given))


def without_words(schema: Any) -> Any:
    """A schema with long enumerations left out, by which two mappings are told apart."""
    if isinstance(schema, Mapping):
        return {
            key: without_words(each)
            for key, each in schema.items()
            if key not in ("title", "enum") or (key == "enum" and len(each) <= LONGEST_LIST)
        }
    if isinstance(schema, list):
        return [without_words(each) for each in schema]
    return schema


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if "$ref" in schema:
            yield schema["$ref"].removeprefix(_PREFIX)
        for key, each in schema.items():
            if key != "default":
                yield from _references(each)
    elif isinstance(schema, list):
        for each in schema:
            yield from _references(each)


def _written(value: Any) -> str:
    """A value as in a config, in one line."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_written(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_written(each) for each in value) + "]"
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return json.dumps(value)


def _words(words: list[Any]) -> str:
    shown = [code(_written(word)) for word in words[:LONGEST_LIST]]
    if len(words) > LONGEST_LIST:
        return f"one of {len(words)} words: {', '.join(shown[:4])}, …"
    return " or ".join(shown)


def _bounds(schema: Schema) -> str:
    parts = [
        f"{words} {_number(schema[key])}"
        for key, words in (
            ("minimum", "from"),
            ("exclusiveMinimum", "above"),
            ("maximum", "to"),
            ("exclusiveMaximum", "below"),
        )
        if key in schema
    ]
    return " " + " ".join(parts) if parts else ""


def _number(value: float) -> str:
    return "2^128 − 1" if value == 2**128 - 1 else f"{value:,.15g}".replace(",", "&nbsp;")
