"""What results depend on beside a config: the program, the packages and the processor."""

from __future__ import annotations

import hashlib
import platform
import re
from collections.abc import Collection, Iterable, Mapping
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

import harness

_TOP = Path(harness.__file__).parent
_PACKAGES = ("numpy", "scipy")
_IMPORTED = re.compile(r"(harness[\w.]*)(?: import (\([^)]*\)|.*))?")
"""A module of this package, with the names that are imported from it."""


@cache
def sources_digest(engines: tuple[str, ...], apart: tuple[str, ...] = ()) -> str:
    """The SHA-256 of the sources of engines and of all that they import, with their packages.

    Args:
        engines: names of modules of this package.
        apart: names of modules and packages that are not followed, since keys of records have what
            they give.
    """
    sources = hashlib.sha256()
    files = set(source_files(engines, apart).values())
    for folder in {file.parent for file in files}:
        # Programs of R stand beside the modules that start them.
        files.update(folder.glob("*.R"))
    for file in sorted(files):
        sources.update(str(file.relative_to(_TOP)).encode() + b"\0" + file.read_bytes())
    for package in _PACKAGES:
        sources.update(f"{package} {version(package)}".encode())
    return sources.hexdigest()


def source_files(modules: Iterable[str], apart: Collection[str]) -> dict[str, Path]:
    """The files of modules, and of all modules of this package that they import, by their names.

    Args:
        modules: names of modules.
        apart: names of modules and packages that are left out.
    """
    files: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        is_apart = any(f"{module}.".startswith(f"{name}.") for name in apart)
        place = _TOP.joinpath(*module.split(".")[1:])
        if is_apart or module in files or place == _TOP:
            continue
        file = place.with_suffix(".py")
        if not file.is_file():
            file = place / "__init__.py"
        if not file.is_file():
            # It is a name within a module.
            continue
        files[module] = file
        text = file.read_text("utf-8")
        for match in _IMPORTED.finditer(text):
            if text.endswith(("from ", "import "), 0, match.start()):
                package, names = match.groups()
                waiting.append(package)
                # A name is a module only if it is imported from a package.
                if names and (_TOP.parent / package.replace(".", "/")).is_dir():
                    waiting += [f"{package}.{name}" for name in re.findall(r"\w+", names)]
    return files


@cache
def environment() -> Mapping[str, Any]:
    """The program that computed limits, and the machine, as plain data."""
    simd = np.show_config(mode="dicts")["SIMD Extensions"]
    sources = hashlib.sha256()
    for file in sorted(_TOP.rglob("*.py")):
        sources.update(str(file.relative_to(_TOP)).encode() + b"\0" + file.read_bytes())
    return {
        "program": program(sources.hexdigest()),
        "machine": {
            "system": f"{platform.system()} {platform.machine()}",
            "libc": " ".join(platform.libc_ver()).strip(),
            "processor": " ".join([*simd.get("baseline", ()), *simd.get("found", ())]),
        },
    }


def program(sources: str) -> dict[str, str]:
    """The versions of the program, with the digest of its sources, or of a part of them."""
    return {
        "coverage-harness": version("coverage-harness"),
        "python": platform.python_version(),
        **{package: version(package) for package in _PACKAGES},
        "sources": sources[:12],
    }


def environment_text(content: Mapping[str, Any]) -> str:
    """An environment in one line, for a message."""
    parts = {**content.get("program", {}), **content.get("machine", {})}
    return ", ".join(f"{name} {value}" for name, value in parts.items())
