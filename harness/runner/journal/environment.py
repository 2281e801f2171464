"""What results depend on beside a config: the program, the packages and the processor."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import harness

ENGINES = (
    *("base/numerics", "distributions", "families", "designs"),
    *("methods/significance.py", "kinds/coverage/solve.py"),
    *("kinds/calibration/engine.py", "kinds/simulation/measures.py", "kinds/simulation/trials.py"),
)
"""Folders and files that turn limits into results."""
_METHODS = ("methods", "callers")
_PACKAGES = ("numpy", "scipy")


@cache
def engines_digest() -> str:
    """The SHA-256 of the sources that turn limits into results, with the packages they use."""
    return _digest(ENGINES)


@cache
def environment() -> Mapping[str, Any]:
    """The program that computed limits, and the machine, as plain data."""
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    return {
        "program": {
            "coverage-harness": version("coverage-harness"),
            "python": platform.python_version(),
            **{package: version(package) for package in _PACKAGES},
            "sources": _digest((*ENGINES, *_METHODS))[:12],
        },
        "machine": {
            "system": f"{platform.system()} {platform.machine()}",
            "libc": " ".join(platform.libc_ver()).strip(),
            "processor": " ".join([*simd.get("baseline", ()), *simd.get("found", ())]),
        },
    }


def environment_text(content: Mapping[str, Any]) -> str:
    """An environment in one line, for a message."""
    parts = {**content.get("program", {}), **content.get("machine", {})}
    return ", ".join(f"{name} {value}" for name, value in parts.items())


def _digest(parts: tuple[str, ...]) -> str:
    top = Path(harness.__file__).parent
    found = hashlib.sha256()
    for part in parts:
        place = top / part
        files = sorted(place.rglob("*.py")) if place.is_dir() else [place]
        for file in files:
            found.update(str(file.relative_to(top)).encode() + b"\0" + file.read_bytes())
    for package in _PACKAGES:
        found.update(f"{package} {version(package)}".encode())
    return found.hexdigest()
