"""The data of a family as options, each under the name that the family gives it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Annotated, Any, TypeVar

import typer

ONE_SAMPLE = {
    "x": "Count: successes, or events.",
    "n": "Trials.",
    "exposure": "Area, time or other amount.",
}
TWO_SAMPLES = {
    "x1": "Count of the first sample.",
    "n1": "Trials of the first sample.",
    "exposure1": "Exposure of the first sample.",
    "x2": "Count of the second sample.",
    "n2": "Trials of the second sample.",
    "exposure2": "Exposure of the second sample.",
}

Command = TypeVar("Command", bound=Callable[..., int])


def with_data(helps: Mapping[str, str]) -> Callable[[Command], Command]:
    """Let a command that takes ``**data`` be asked for each datum by an option of its own.

    The command line reads options off the signature of a command: the data take their place in it
    before all other options. A count is read as a number: that it is a whole one is for the family
    to say.
    """
    data = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[float | None, typer.Option(f"--{name}", help=text)],
        )
        for name, text in helps.items()
    ]

    def with_options(command: Command) -> Command:
        own = inspect.signature(command, eval_str=True)
        *parameters, _ = own.parameters.values()
        arguments = [each for each in parameters if each.kind is not each.KEYWORD_ONLY]
        options = [each for each in parameters if each.kind is each.KEYWORD_ONLY]
        told: Any = command
        told.__signature__ = own.replace(parameters=[*arguments, *data, *options])
        return command

    return with_options


def given(data: Mapping[str, float | None]) -> dict[str, float]:
    """The data that were given; whole numbers as such."""
    return {
        name: int(value) if value.is_integer() and name[0] in "xn" else value
        for name, value in data.items()
        if value is not None
    }
