"""A function of the Python session that calls the harness, such as one of a notebook's cell.

It is pickled, with what it refers to in its cell, for the processes that call functions of files.
"""

from __future__ import annotations

import hashlib
import inspect
from base64 import b64decode, b64encode
from textwrap import dedent

from harness.base.errors import InputError
from harness.callers.calls import ANYTHING, Function, FunctionError, describe
from harness.callers.process import FunctionLocation


def name_of(function: Function) -> str:
    """The name of a callable, or of its type."""
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else type(function).__name__


def session_location(function: Function) -> FunctionLocation:
    """The function for another process.

    Raises:
        InputError: it cannot be pickled.
    """
    import cloudpickle

    name = name_of(function)
    try:
        pickled = b64encode(cloudpickle.dumps(function)).decode()
    except Exception as fault:
        raise InputError(
            f"{name} cannot be sent to the process that calls it: {describe(fault)}"
        ) from None
    return FunctionLocation(name, pickled=pickled)


def source_of_function(function: Function, location: FunctionLocation) -> str:
    """The source text of a function; the digest of its pickle where it has none."""
    try:
        return dedent(inspect.getsource(function))
    except (OSError, TypeError):
        digest = hashlib.sha256((location.pickled or "").encode()).hexdigest()
        return f"sha256 of the pickle: {digest}"


def unpickled(name: str, pickled: str | None) -> Function:
    """The function of a pickle.

    Raises:
        FunctionError: it is not there, as in a config that was read from a file; or what it
            imports cannot be imported.
    """
    if pickled is None:
        raise FunctionError(
            f"{name} is a function of the Python session that ran this config, of which the file "
            "has the text only: give the function to harness.run again"
        )
    import cloudpickle

    try:
        function: Function = cloudpickle.loads(b64decode(pickled))
    except ANYTHING as fault:
        raise FunctionError(f"{name} cannot be loaded: {describe(fault)}") from None
    return function
