"""Where a user's function is: in a file, in a module, or in the Python session of the caller.

A function of the session, such as one of a notebook's cell, is pickled with what it refers to
there.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import dedent
from typing import Any, Protocol

from harness.base.errors import InputError
from harness.callers.calls import ANYTHING, Function, FunctionError, describe


class Loadable(Protocol):
    """Where a function is that a process is to load."""

    @property
    def function(self) -> str:
        """The name of the function."""

    @property
    def path(self) -> str | None:
        """The file of the user's where it is."""

    def load(self) -> Function:
        """Return the function, loaded into this process.

        Raises:
            FunctionError: it cannot be loaded.
        """


@dataclass(frozen=True)
class FunctionLocation:
    """Where a user's function is: its name, with a file, an importable module or its pickle."""

    function: str
    path: str | None = None
    module: str | None = None
    pickled: str | None = field(default=None, repr=False)
    """Of a function of this Python session: its pickle in base64."""

    @property
    def place(self) -> str | None:
        """The file or the module; None for a function of the session."""
        return self.path or self.module

    def load(self) -> Function:
        """Return the function, loaded into this process.

        Raises:
            FunctionError: it cannot be loaded; or its pickle is not there, as in a config that was
                read from a file.
        """
        if self.place is not None:
            return function_of(module_of(self), self)
        if self.pickled is None:
            raise FunctionError(
                f"{self.function} is a function of the Python session that ran this config, of "
                "which the file has the text only: give the function to harness.run again"
            )
        import cloudpickle

        try:
            function: Function = cloudpickle.loads(b64decode(self.pickled))
        except ANYTHING as fault:
            raise FunctionError(f"{self.function} cannot be loaded: {describe(fault)}") from None
        return function

    def __str__(self) -> str:
        return self.function if self.place is None else f"{self.place}:{self.function}"


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


def module_of(location: FunctionLocation) -> Any:
    """Load the file or the module of a function.

    Raises:
        FunctionError: it cannot be loaded.
    """
    try:
        if location.path:
            return _module_of_file(location.path)
        return _module_of_name(location.module or "")
    except ANYTHING as fault:
        raise FunctionError(f"{location.place} cannot be loaded: {describe(fault)}") from None


def function_of(module: Any, location: FunctionLocation) -> Function:
    """Return the function of a loaded module.

    Raises:
        FunctionError: it has none of that name.
    """
    try:
        function = getattr(module, location.function, None)
    except ANYTHING as fault:
        raise FunctionError(f"{location.place} cannot be loaded: {describe(fault)}") from None
    if not callable(function):
        raise FunctionError(f"{location.place} has no function {location.function!r}")
    return function  # type: ignore[no-any-return]


_LOADED: set[str] = set()
"""The modules that were asked for by name."""


def _module_of_name(name: str) -> Any:
    # Loaded once more, a module remembers nothing; a package may be of parts that do not take it.
    if name in _LOADED and not hasattr(sys.modules.get(name), "__path__"):
        sys.modules.pop(name, None)
    _LOADED.add(name)
    return importlib.import_module(name)


def _module_of_file(path: str) -> Any:
    # Under another name than the file: it may be called like a module that it imports.
    name = f"_users_{Path(path).stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError("not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    # Last: a file of the folder goes before no library.
    sys.path.append(str(Path(path).absolute().parent))
    spec.loader.exec_module(module)
    return module
