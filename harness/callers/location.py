"""Where a user's function is: in a file, in a module, or in the Python session of the caller.

A function of the session, such as one of a notebook's cell, is pickled with what it refers to
there.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import importlib.util
import inspect
import re
import sys
from base64 import b64decode, b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from textwrap import dedent
from types import MappingProxyType
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
    """The pickle of a function of this Python session, in base64."""

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


_LOADED: set[str] = set()
"""The modules that were asked for by name."""


def module_of(location: FunctionLocation) -> Any:
    """Load the file or the module of a function.

    Raises:
        FunctionError: it cannot be loaded.
    """
    try:
        if location.path:
            # Under another name than the file: it may be called like a module that it imports.
            name = f"_users_{Path(location.path).stem}"
            spec = importlib.util.spec_from_file_location(name, location.path)
            if spec is None or spec.loader is None:
                raise ImportError("not a Python file")
            module = importlib.util.module_from_spec(spec)
            sys.modules[name] = module
            # Last: a file of the folder goes before no library.
            sys.path.append(str(Path(location.path).absolute().parent))
            spec.loader.exec_module(module)
            return module
        name = str(location.module)
        # Loaded once more, a module remembers nothing; a package may have parts that refuse that.
        if name in _LOADED and not hasattr(sys.modules.get(name), "__path__"):
            sys.modules.pop(name, None)
        _LOADED.add(name)
        return importlib.import_module(name)
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


def source_paths(location: FunctionLocation) -> dict[str, Path]:
    """The file of a function and those of its folder that it imports, by their names there.

    They are found by reading, and not by importing. Of a module that is not found there is none,
    nor of a function of the Python session.
    """
    if location.path is not None:
        file = Path(location.path)
    elif location.module is None:
        return {}
    else:
        package, *parts = location.module.split(".")
        spec = find_spec(package)
        if spec is None or spec.origin is None:
            return {}
        file = Path(spec.origin)
        if parts:
            file = file.parent.joinpath(*parts).with_suffix(".py")
            file = file if file.is_file() else file.with_suffix("") / "__init__.py"
        if not file.is_file():
            return {}
    top = file.parent
    if location.module is not None:
        top = file.parents[location.module.count(".") + (file.name == "__init__.py")]
    paths: dict[str, Path] = {}
    waiting = [file]
    while waiting:
        file = waiting.pop()
        if not file.is_relative_to(top) or not file.is_file():
            continue
        name = file.relative_to(top).as_posix()
        if name not in paths:
            paths[name] = file
            waiting += _files_read_by(file, file.read_bytes(), top)
    return paths


def source_files(location: FunctionLocation) -> dict[str, bytes]:
    """The contents of the files of ``source_paths``, by their names."""
    return {name: path.read_bytes() for name, path in source_paths(location).items()}


def _files_read_by(file: Path, text: bytes, top: Path) -> Iterator[Path]:
    """The files that a file of R reads by ``source``, or those below a folder that one imports."""
    if file.suffix.lower() == ".r":
        for sourced in re.findall(rb"\bsource\(\s*[\"']([^\"']+)[\"']", text):
            yield file.parent / sourced.decode(errors="replace")
        return
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    for node in ast.walk(tree):
        names: list[str] = []
        folder = top
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            folder = file.parents[node.level - 1] if node.level else top
            base = [node.module] if node.module else []
            names = [*base, *(".".join([*base, alias.name]) for alias in node.names)]
        for name in names:
            place = folder.joinpath(*name.split("."))
            yield from (place.with_suffix(".py"), place / "__init__.py")


def sources_digest(
    location: FunctionLocation, beside: Mapping[str, str] = MappingProxyType({})
) -> str:
    """The SHA-256 of the files of a function, or of its pickle.

    Args:
        location: where it is.
        beside: digests or versions of what it loads beside the files of ``source_paths``, by name.
    """
    digest = hashlib.sha256((location.function + (location.pickled or "")).encode())
    for name, content in sorted(source_files(location).items()):
        digest.update(name.encode() + b"\0" + hashlib.sha256(content).digest())
    for name, loaded in sorted(beside.items()):
        digest.update(name.encode() + b"\0" + loaded.encode())
    return digest.hexdigest()
