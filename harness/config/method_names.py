"""What methods, files and functions may be called in a config."""

from __future__ import annotations

import keyword
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, PlainValidator, ValidationInfo, WithJsonSchema

from harness.config.constraints import expected, expecting, one_line, refused, unknown
from harness.methods.catalogue import ALIASES, CATALOGUE
from harness.methods.method import TWO_SIDED, Method


def known_methods(family: str | None) -> dict[str, Method]:
    """By name and alias; of every family where the family itself is wrong."""
    found: dict[str, Method] = {}
    for each in CATALOGUE:
        if family in CATALOGUE and each != family:
            continue
        found |= CATALOGUE[each]
        found |= {alias: CATALOGUE[each][name] for alias, name in ALIASES.get(each, {}).items()}
    return found


def families_of(name: str) -> list[str]:
    """The families that have a method of that name or alias."""
    return [family for family in CATALOGUE if name in known_methods(family)]


def method_of(info: ValidationInfo, name: str | None) -> Method | None:
    """The method of that name in the config's family."""
    family = (info.context or {}).get("family")
    return known_methods(family).get(name or "")


def _catalogue_name(value: Any, info: ValidationInfo) -> str:
    if not isinstance(value, str):
        raise expected("the name of a method, or a mapping with name, path or module")
    if method_of(info, value) is None:
        family = (info.context or {}).get("family")
        others = ", ".join(families_of(value))
        if others:
            raise refused(
                f"expected the name of a method for the family {family}, found {value}, "
                f"which is one for {others}"
            )
        lists_them = "; the command `harness methods` lists them"
        known = list(known_methods(family))
        raise unknown("the name of a method", known, otherwise=lists_them)
    return value


def _name_alone(value: Any, info: ValidationInfo) -> str:
    name = _catalogue_name(value, info)
    method = method_of(info, name)
    if method is not None and TWO_SIDED not in method.sides:
        raise refused(f"{name} {method.side_advice()}, found none ({{name: {name}, side: lower}})")
    return name


def python_name(value: str) -> str:
    """A name such as mypackage.intervals."""
    if not all(part.isidentifier() and not keyword.iskeyword(part) for part in value.split(".")):
        raise ValueError(value)
    return value


def _function_name(value: str) -> str:
    if "." in value:
        raise ValueError(value)
    return python_name(value)


def python_file(value: str, info: ValidationInfo) -> str:
    """The path of a file that is there."""
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


def catalogue_name(family: str, alone: bool) -> Any:
    """A name of the family's catalogue; ``alone``: it stands for the method by itself."""
    return Annotated[
        str,
        PlainValidator(_name_alone if alone else _catalogue_name),
        WithJsonSchema({"type": "string", "enum": sorted(known_methods(family))}),
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
    Field(
        description="Function of the data and alpha that returns lower, upper: f(x, n, alpha), "
        "f(x, exposure, alpha), or f(x1, n1, x2, n2, alpha); counts are arrays."
    ),
]
