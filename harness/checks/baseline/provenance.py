"""The origin of a method whose baseline is stored, and a digest of its file."""

from __future__ import annotations

import hashlib
import inspect
from functools import partial
from importlib.machinery import PathFinder
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from harness.callers.naming import Named
from harness.peers.catalogue import PEERS


def provenance(named: Named) -> dict[str, str]:
    """The origin of a method, and the SHA-256 of its file or the version of a peer's package.

    A function without a file has no digest.
    """
    place, _, _ = named.label.rpartition(":")
    if place in PEERS:
        return {"of": place, "version": f"{place} {version(place)}"}
    file = _source_file(named)
    digest = {} if file is None else {"source": hashlib.sha256(file.read_bytes()).hexdigest()}
    return {"of": _origin(named), **digest}


def _origin(named: Named) -> str:
    """The origin of a method; it does not depend on the folder of the method's file."""
    if named.method is not None:
        return "the catalogue"
    if named.command is not None:
        return named.label
    if named.location is None:
        return "Python"
    return str(named.location.module or Path(str(named.location.path)).name)


def _source_file(named: Named) -> Path | None:
    if named.location is not None:
        return (
            Path(named.location.path)
            if named.location.path
            else _module_file(named.location.module)
        )
    function: Any = named.method.formula if named.method is not None else named.function
    while isinstance(function, partial):
        # A form of a formula holds the formula.
        function = next((part for part in function.args if callable(part)), function.func)
    try:
        file = inspect.getsourcefile(function)
    except TypeError:  # a callable object
        return None
    return Path(file) if file else None


def _module_file(module: str | None) -> Path | None:
    """The file of a module; ``find_spec`` of its whole name would load its packages."""
    top, *below = (module or "").split(".")
    found = find_spec(top) if top else None
    for place in range(len(below)):
        if found is None:
            return None
        name = ".".join((top, *below[: place + 1]))
        found = PathFinder.find_spec(name, found.submodule_search_locations)
    if found is None or not found.has_location or found.origin is None:
        return None
    return Path(found.origin)
