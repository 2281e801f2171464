"""The words of a command, from the values that its function was called with."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

PROGRAM = ("python", "-m", "harness")


def words_of_call(
    function: Callable[..., int], given: Mapping[str, Any], leave_out: Collection[str] = ()
) -> list[str]:
    """Return the words that call a command again; options with their default value are left out.

    Args:
        function: the command.
        given: the value of each of its parameters by name.
        leave_out: names of parameters that are not written.
    """
    hints = get_type_hints(function, include_extras=True)
    arguments: list[str] = []
    options: list[str] = []
    for name, parameter in inspect.signature(function).parameters.items():
        value = given[name]
        if name in leave_out or value == parameter.default:
            continue
        (about,) = hints[name].__metadata__
        values = value if isinstance(value, list | tuple) else [value]
        if isinstance(about, ArgumentInfo):
            arguments += map(str, values)
        else:
            options += _option(name, about, values)
    # A word that begins with a hyphen would be read as an option.
    if any(each.startswith("-") for each in arguments):
        return [*PROGRAM, function.__name__, *options, "--", *arguments]
    return [*PROGRAM, function.__name__, *arguments, *options]


def _option(name: str, about: OptionInfo, values: Sequence[Any]) -> list[str]:
    # Beside a type, the first name of an option stands where otherwise its default does.
    declared = (about.default, *(about.param_decls or ()))
    usual = f"--{name.replace('_', '-')}"
    flag = next((str(each) for each in declared if str(each).startswith("--")), usual)
    if values == [True]:
        return [flag]
    return [word for value in values for word in (flag, str(value))]
