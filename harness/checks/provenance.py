"""What a method was made of when its baseline was written."""

from __future__ import annotations

import hashlib
import inspect
from functools import partial
from importlib.machinery import PathFinder
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from harness.checks.naming import Named
from harness.peers.catalogue import PEERS


def provenance(named: Named) -> dict[str, str]:
    """Where the method comes from, and SHA-256 of the file; of a peer, its package's version.

    No digest of a function that stands in no file.
    """
    place, _, _ = named.label.rpartition(":")
    if place in PEERS:
        return {"of": place, "version": f"{place} {version(place)}"}
    file = _file(named)
    digest = {} if file is None else {"source": hashlib.sha256(file.read_bytes()).hexdigest()}
    return {"of": _origin(named), **digest}


def _origin(named: Named) -> str:
    """What stays when a file is called by another path."""
    if named.method is not None:
        return "the catalogue"
    if named.source is None:
        return "Python"
    return str(named.source.module or Path(str(named.source.path)).name)


def _file(named: Named) -> Path | None:
    if named.source is not None:
        return Path(named.source.path) if named.source.path else _module_file(named.source.module)
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
    """Found folder by folder, since to find a module by its whole name loads its packages."""
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
