"""The page of the public functions and classes: directives for mkdocstrings."""

from __future__ import annotations

import re
from inspect import isfunction
from types import ModuleType

import harness
import harness.testing

_HEAD = """# Python

Every name of this page is loaded when it is first used: `import harness` loads nothing heavy.
"""


def page() -> str:
    """A directive for each public name, functions before classes."""
    named = {name: getattr(harness, name) for name in sorted(harness.__all__)}
    documented = {
        name: value for name, value in named.items() if getattr(value, "__module__", None)
    }
    functions = [name for name, value in documented.items() if not isinstance(value, type)]
    classes = [name for name, value in documented.items() if isinstance(value, type)]
    parts = [_HEAD, "## Functions\n", *(_directive(documented[name], name) for name in functions)]
    parts += ["## Classes\n", *(_directive(documented[name], name) for name in classes)]
    parts += ["## In tests\n", *map(_of_testing, _public(harness.testing))]
    return "\n".join(parts)


def _directive(value: object, name: str) -> str:
    return f"::: {value.__module__}.{name}\n    options:\n      heading_level: 3\n"


def _of_testing(name: str) -> str:
    return f"::: harness.testing.{name}\n    options:\n      heading_level: 3\n"


def _public(module: ModuleType) -> list[str]:
    """The functions that the docstring of a module names."""
    named = re.findall(r"\w+", module.__doc__ or "")
    there = {name: vars(module).get(name) for name in dict.fromkeys(named)}
    own = (name for name, value in there.items() if isfunction(value))
    return [name for name in own if vars(module)[name].__module__ == module.__name__]
