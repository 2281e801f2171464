"""What a method was made of when its baseline was written."""

from __future__ import annotations

import hashlib
import inspect
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

from harness.checks.naming import Named
from harness.peers.catalogue import PEERS


def provenance(named: Named) -> dict[str, str]:
    """SHA-256 of the file that the method stands in; of a peer, its package's version.

    Nothing of a function that stands in no file, or in a module that is not loaded here.
    """
    place, _, _ = named.label.rpartition(":")
    if place in PEERS:
        return {"version": f"{place} {version(place)}"}
    file = _file(named)
    return {} if file is None else {"source": hashlib.sha256(file.read_bytes()).hexdigest()}


def _file(named: Named) -> Path | None:
    if named.source is not None:
        return Path(named.source.path) if named.source.path else None
    function: Any = named.method.formula if named.method is not None else named.function
    while isinstance(function, partial):
        # A form of a formula holds the formula.
        function = next((part for part in function.args if callable(part)), function.func)
    try:
        file = inspect.getsourcefile(function)
    except TypeError:  # a callable object
        return None
    return Path(file) if file else None
