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
    found = hashlib.sha256()
    files = source_files(engines, apart)
    for file in sorted({*files.values(), *_beside(files.values())}):
        found.update(str(file.relative_to(_TOP)).encode() + b"\0" + file.read_bytes())
    for package in _PACKAGES:
        found.update(f"{package} {version(package)}".encode())
    return found.hexdigest()


def source_files(modules: Iterable[str], apart: Collection[str]) -> dict[str, Path]:
    """The files of modules, and of all modules of this package that they import, by their names.

    Args:
        modules: names of modules.
        apart: names of modules and packages that are left out.
    """
    found: dict[str, Path] = {}
    waiting = list(modules)
    while waiting:
        module = waiting.pop()
        is_apart = any(f"{module}.".startswith(f"{name}.") for name in apart)
        file = None if is_apart or module in found else _file_of(module)
        if file is None:
            continue
        found[module] = file
        text = file.read_text("utf-8")
        for match in _IMPORTED.finditer(text):
            if text.endswith(("from ", "import "), 0, match.start()):
                package, names = match.groups()
                waiting.append(package)
                # A name is a module only if it is imported from a package.
                if names and (_TOP.parent / package.replace(".", "/")).is_dir():
                    waiting += [f"{package}.{name}" for name in re.findall(r"\w+", names)]
    return found


def _file_of(module: str) -> Path | None:
    """The file of a module of this package; None where there is none, as for a name within one."""
    place = _TOP.joinpath(*module.split(".")[1:])
    files = (place.with_suffix(".py"), place / "__init__.py") if place != _TOP else ()
    return next((file for file in files if file.is_file()), None)


def _beside(files: Iterable[Path]) -> Iterable[Path]:
    """The programs of R that stand beside modules, which start them."""
    return (program for folder in {file.parent for file in files} for program in folder.glob("*.R"))


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
