"""Checks of the arguments of the public functions; a refusal is an InputError of one sentence."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection
from functools import wraps
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from harness.base.errors import LONGEST_QUOTE, HarnessError, InputError, did_you_mean
from harness.base.text import shortened

_MOST_LISTED = 8
"""So many names are listed in full beside a similar one."""
_OPTION = re.compile(r"`[^`]*`|(?<![^\s(])--([a-z][a-z0-9-]*)(?: (drop|wrong|,)(?!\w))?")
"""A call that is quoted, which stays, or an option of the command line with one of some values."""

_Given = ParamSpec("_Given")
_Found = TypeVar("_Found")


def quoted(value: object) -> str:
    """The value on one line, cut where it is too long for a message."""
    return shortened(" ".join(repr(value).split()), LONGEST_QUOTE)


def validate_choice(
    name: str, value: object, known: Collection[str], more: Collection[str] | None = None
) -> str:
    """Return the text that names one of a few things.

    Args:
        name: the name of the argument in the message.
        value: what was given.
        known: what it may be.
        more: other names; where they are given, the message suggests a similar name, and then has
            the first of many known ones alone.

    Raises:
        InputError: it is none of them.
    """
    if not isinstance(value, str) or value not in known:
        guess = did_you_mean(value, [*known, *more]) if more is not None else ""
        listed = list(known)
        if guess and len(listed) > _MOST_LISTED:
            listed = [*listed[:4], "…"]
        raise InputError(
            f"{name} should be one of {', '.join(listed)}, found {quoted(value)}{guess}"
        )
    return value


def is_real(value: object) -> bool:
    """Whether a value is a real number, which true and false are not."""
    return isinstance(value, Real) and not isinstance(value, bool)


def validate_path(name: str, value: object, what: str = "a path") -> Path:
    """Return the path.

    Args:
        name: the name of the argument in the message.
        value: a text or a path.
        what: what else than a path it may be, in the message.

    Raises:
        InputError: it is neither a text nor a path.
    """
    if isinstance(value, str | os.PathLike):
        path = os.fspath(value)
        if isinstance(path, str):
            return Path(path)
    raise InputError(f"{name} should be {what}, found {quoted(value)}")


def validate_number(name: str, value: Any, expected: str = "a number") -> None:
    """Refuse what is no real number.

    Raises:
        InputError: it is none.
    """
    if not is_real(value):
        raise InputError(f"{name} should be {expected}, found {quoted(value)}")


def validate_probability(name: str, value: Any) -> None:
    """Refuse what is no number between 0 and 1.

    Raises:
        InputError: it is none, or 0, 1 or beyond.
    """
    validate_number(name, value)
    if not 0 < value < 1:
        raise InputError(f"{name} should be a number between 0 and 1, found {value:g}")


def validate_whole(name: str, value: Any, least: int) -> None:
    """Refuse what is no whole number of at least ``least``.

    Raises:
        InputError: it is none.
    """
    if not isinstance(value, Integral) or isinstance(value, bool) or value < least:
        raise InputError(f"{name} should be a whole number from {least} on, found {quoted(value)}")


def names_arguments(function: Callable[_Given, _Found]) -> Callable[_Given, _Found]:
    """Have the messages of a function name its arguments, where what it calls names options.

    A command calls the ``__wrapped__`` function, as ``inspect.unwrap`` returns it.

    >>> @names_arguments
    ... def refuse(by):
    ...     raise InputError("--by needs --key; --missing drop leaves items out")
    >>> refuse("model")
    Traceback (most recent call last):
    harness.base.errors.InputError: `by` needs `key`; `missing="drop"` leaves items out
    """

    def argument(found: re.Match[str]) -> str:
        name, value = found.groups()
        if name is None:
            return found[0]
        given = f'="{value}"' if value else ""
        return f"`{name.replace('-', '_')}{given}`"

    @wraps(function)
    def named(*args: _Given.args, **kwargs: _Given.kwargs) -> _Found:
        try:
            return function(*args, **kwargs)
        except HarnessError as fault:
            fault.args = (_OPTION.sub(argument, str(fault)),)
            raise

    return named
