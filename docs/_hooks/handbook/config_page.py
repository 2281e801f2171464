"""The page of the keys of a config, from its JSON Schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from handbook.schema_text import Definitions, Schema, anchor, default, without_words
from handbook.text import cell, code, table
from harness.base.models import model_name
from harness.families.catalogue import FAMILIES
from harness.kinds.catalogue import KINDS
from harness.kinds.load import json_schema

_HEAD = """# Every key of a config

A config is a YAML file. Which keys it has follows from `family`, and from `kind`, which is
`coverage` where it is left out. This page is made from the schema that checks a config; the same
schema completes and checks the keys in an editor: `python -m harness schema > schema.json`.

"""
FIGURES = "figures"
WITH_FAMILIES = [name for name, kind in KINDS.items() if any(kind.forms())]


@dataclass
class Variant:
    """One meaning of a key, and the families that it has it for."""

    schema: Schema
    required: bool
    families: list[str] = field(default_factory=list)


def page() -> str:
    """The page: a section for each key, with the mappings that it can be."""
    schema = json_schema()
    definitions = Definitions(schema["$defs"])
    shown: set[str] = set()
    parts = [_HEAD]
    for kind in WITH_FAMILIES:
        parts.append(f"## Keys of `kind: {kind}`\n")
        for key, variants in _variants(kind, schema["$defs"]).items():
            parts.append(_section(kind, key, variants, definitions, shown))
    return "\n".join(parts)


def _variants(kind: str, models: Mapping[str, Schema]) -> dict[str, list[Variant]]:
    """The meanings of each key, in the order in which the forms have them."""
    found: dict[str, dict[str, Variant]] = {}
    for form in KINDS[kind].forms():
        model = models[model_name(form.family.name, kind)]
        for key, schema in model["properties"].items():
            required = key in model.get("required", ())
            what = json.dumps([without_words(_general(key, schema)), required])
            by_meaning = found.setdefault(key, {})
            by_meaning.setdefault(what, Variant(schema, required)).families.append(form.family.name)
    return {key: list(by_meaning.values()) for key, by_meaning in found.items()}


def _general(key: str, schema: Schema) -> Schema:
    """What a key means apart from what is the same word in each form by definition."""
    if key in ("family", "kind", FIGURES):
        return {"description": schema.get("description")}
    if key == "methods":
        return {"description": schema.get("description")}
    return schema


def _section(
    kind: str,
    key: str,
    variants: list[Variant],
    definitions: Definitions,
    shown: set[str],
) -> str:
    rows = [
        (
            _families(kind, variant, len(variants)),
            _value(key, variant.schema, definitions),
            "required" if variant.required else default(variant.schema) or "left out",
            cell(variant.schema.get("description", "")),
        )
        for variant in variants
    ]
    parts = [f"### `{key}` {{#{kind}-{key}}}\n"]
    parts.append(table(("families", "value", "default", "meaning"), rows))
    if key != FIGURES:
        for variant in variants:
            parts += _mappings(definitions.reached(variant.schema), definitions, shown)
    return "\n".join(parts)


def _families(kind: str, variant: Variant, meanings: int) -> str:
    if meanings == 1 and len(variant.families) == sum(1 for _ in KINDS[kind].forms()):
        return "all"
    return ", ".join(f"[{name}](methods/{name}.md)" for name in variant.families)


def _value(key: str, schema: Schema, definitions: Definitions) -> str:
    if key == "family":
        return " or ".join(code(name) for name in FAMILIES)
    if key == FIGURES:
        return "a list, each one of the [kinds of figure](figures.md)"
    return definitions.value(schema)


def _mappings(
    reached: Mapping[str, Schema], definitions: Definitions, shown: set[str]
) -> list[str]:
    """The tables of mappings that have none yet; those that are alike have one together."""
    alike: dict[str, list[str]] = {}
    for name, schema in reached.items():
        if name not in shown:
            alike.setdefault(json.dumps(without_words(schema)), []).append(name)
    parts: list[str] = []
    for names in alike.values():
        shown.update(names)
        parts.append(_mapping(names, reached[names[0]], definitions))
    return parts


def _mapping(names: list[str], schema: Schema, definitions: Definitions) -> str:
    places = "".join(f'<span id="{anchor(name)}"></span>' for name in names)
    about = schema.get("description", "").partition("\n\n")[0]
    title = f"{places}{code(definitions.short(names[0]))}"
    return f"**{title}** {cell(about)}\n\n{definitions.keys(schema)}"


def forms() -> dict[str, Any]:
    """The keys of each form by its kind and family, for those who check this page."""
    return {
        f"{kind}/{each.family.name}": each.keys
        for kind in WITH_FAMILIES
        for each in KINDS[kind].forms()
    }
