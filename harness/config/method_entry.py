"""The ways to name an interval method in a config, as pydantic models."""

from __future__ import annotations

import keyword
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Discriminator,
    Field,
    PlainValidator,
    Tag,
    ValidationInfo,
    WithJsonSchema,
    field_validator,
)

from harness.config.constraints import Word, expected, expecting, one_line, refused, unknown
from harness.config.strict import Pair, Strict
from harness.methods.catalogue import ALIASES, CATALOGUE
from harness.methods.method import ALL_SIDES, TWO_SIDED, Method


def known_methods(family: str | None) -> dict[str, Method]:
    """By name and alias; of every family where the family itself is wrong."""
    found: dict[str, Method] = {}
    for each in [family] if family in CATALOGUE else CATALOGUE:
        found |= CATALOGUE[each]
        found |= {alias: CATALOGUE[each][name] for alias, name in ALIASES.get(each, {}).items()}
    return found


def _method_of(family_context: ValidationInfo, name: str | None) -> Method | None:
    family = (family_context.context or {}).get("family")
    return known_methods(family).get(name or "")


def _catalogue_name(value: Any, info: ValidationInfo) -> str:
    if not isinstance(value, str):
        raise expected("the name of a method, or a mapping with name, path or module")
    if _method_of(info, value) is None:
        family = (info.context or {}).get("family")
        lists_them = "; the command `harness methods` lists them"
        known = list(known_methods(family))
        raise unknown("the name of a method", known, otherwise=lists_them)
    return value


def _name_alone(value: Any, info: ValidationInfo) -> str:
    name = _catalogue_name(value, info)
    method = _method_of(info, name)
    if method is not None and TWO_SIDED not in method.sides:
        raise refused(f"{name} {method.side_advice()}, found none ({{name: {name}, side: lower}})")
    return name


def _python_name(value: str) -> str:
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in value.split(".")):
        raise ValueError(value)
    return value


def _function_name(value: str) -> str:
    if "." in value:
        raise ValueError(value)
    return _python_name(value)


def _python_file(value: str, info: ValidationInfo) -> str:
    folder = (info.context or {}).get("folder", Path())
    if not value.endswith(".py"):
        raise expected("a Python file, ending in .py")
    try:
        found = (folder / value).is_file()
    except (OSError, ValueError):  # a name too long, or with a NUL in it
        found = False
    if not found:
        raise expected("an existing Python file, relative to the config")
    return value


_NAMES = sorted(known_methods(None))
Name = Annotated[
    str,
    PlainValidator(_catalogue_name),
    WithJsonSchema({"type": "string", "enum": _NAMES}),
]
NameAlone = Annotated[
    str,
    PlainValidator(_name_alone),
    WithJsonSchema({"type": "string", "enum": _NAMES}),
]
Label = Annotated[
    str,
    AfterValidator(one_line),
    expecting("a label: one line of text, not blank, no spaces around it"),
    Field(description="What tables and figures call the method; unique in the experiment."),
]
Function = Annotated[
    str,
    AfterValidator(_function_name),
    expecting("the name of a function"),
    Field(description="Function f(x, n, alpha) -> lower, upper; x is an array of outcomes."),
]


class CatalogueMethod(Strict):
    """A method of the catalogue (`python -m harness methods` lists it)."""

    name: Name = Field(description="Name in the catalogue.")
    side: Annotated[str, Word("a side", ALL_SIDES)] = Field(
        TWO_SIDED,
        validate_default=True,
        description="An interval, or one limit that holds alpha on its side alone.",
    )
    prior: Annotated[Pair, expecting("two positive numbers [a, b]")] | None = Field(
        None, description="Beta(a, b) prior, of the methods that take one; left out, it is flat."
    )
    label: Label | None = Field(None, description="What tables and figures call the method.")

    @field_validator("side")
    @classmethod
    def _has_side(cls, side: str, info: ValidationInfo) -> str:
        method = _method_of(info, info.data.get("name"))
        if method is None or side in method.sides:
            return side
        name = info.data["name"]
        raise refused(f"{name} {method.side_advice()}, found {side}")

    @field_validator("prior")
    @classmethod
    def _takes_prior(cls, prior: list[float] | None, info: ValidationInfo) -> list[float] | None:
        method = _method_of(info, info.data.get("name"))
        if method is None or method.takes_prior:
            return prior
        others = [each.name for each in known_methods(None).values() if each.takes_prior]
        choice = ", ".join(dict.fromkeys(others))
        raise refused(f"{info.data['name']} takes no prior; the methods that do are {choice}")


class OwnMethod(Strict):
    """What the two ways to bring a method of one's own share."""

    function: Function
    side: Annotated[
        Literal["two-sided"], expecting("two-sided, as every method of your own is")
    ] = Field("two-sided", description="A method of your own is two-sided.")
    label: Label | None = Field(None, description="Left out, the function's name.")


class FileMethod(OwnMethod):
    """A function in a self-contained Python file."""

    path: Annotated[
        str,
        AfterValidator(_python_file),
        Field(description="Python file, relative to the config."),
    ]


class ModuleMethod(OwnMethod):
    """A function in a module that can be imported."""

    module: Annotated[
        str,
        AfterValidator(_python_name),
        expecting("the name of a module, such as mypackage.intervals"),
        Field(description="Importable module."),
    ]


def _shape(value: Any) -> str:
    if not isinstance(value, Mapping):
        return "<name>"
    if "path" in value:
        return "<file>"
    return "<module>" if "module" in value else "<catalogue>"


MethodEntry = Annotated[
    Annotated[NameAlone, Tag("<name>")]
    | Annotated[CatalogueMethod, Tag("<catalogue>")]
    | Annotated[FileMethod, Tag("<file>")]
    | Annotated[ModuleMethod, Tag("<module>")],
    Discriminator(_shape),
]
TAGGED: dict[str, type[Strict]] = {
    "<catalogue>": CatalogueMethod,
    "<file>": FileMethod,
    "<module>": ModuleMethod,
}
