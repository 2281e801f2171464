"""The files that user functions are made of: a process of their own loads them and lists them.

What is found by reading alone misses a module of another folder, or one whose name is computed. The
functions are loaded once more by the processes that call them, after the files were read here:
where the files are still the same at the end of a run, the calls were made with them.
"""

from __future__ import annotations

import hashlib
import os
import sys
import sysconfig
from collections.abc import Iterable, Mapping
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, packages_distributions, version
from pathlib import Path

import harness
from harness.base.errors import InputError
from harness.callers.calls import FunctionError
from harness.callers.location import FunctionLocation
from harness.callers.messages import LOAD, Content, Message, ProcessError, packed, unpacked
from harness.callers.process import LOADING, PythonProcess, serve
from harness.callers.simulation.r_functions import RProcess, is_of_r

_INSTALLED = ("site-packages", "dist-packages")
"""The folders of what is installed, which is known by its version."""
_ASIDE = {"numpy", "scipy", "charset_normalizer"}
"""NumPy and SciPy, whose versions are in the keys of all records, and what NumPy loads where it is
installed, to read programs in Fortran."""


@dataclass(frozen=True)
class LoadedFiles:
    """What a process has loaded with functions, outside the standard library and this package."""

    files: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """The real path and the SHA-256 of each file, by its module, or of R by its path from the
    folder of the function."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """The versions of installed distributions; those of NumPy and SciPy are in other keys."""

    @property
    def digests(self) -> dict[str, str]:
        """The SHA-256 of the files by their real paths."""
        return dict(self.files.values())

    def beside(self, paths: Iterable[Path]) -> dict[str, str]:
        """The SHA-256 of the files other than some, and the versions, by their names."""
        aside = {os.path.realpath(path) for path in paths}
        files = {name: digest for name, (path, digest) in self.files.items() if path not in aside}
        return {**files, **self.versions}

    @property
    def is_current(self) -> bool:
        """Whether the files and the versions are still these."""
        try:
            versions = {name: version(name) for name in self.versions}
        except PackageNotFoundError:
            return False
        return versions == self.versions and file_digests(self.digests) == self.digests


def file_digests(paths: Iterable[str | Path]) -> dict[str, str]:
    """The SHA-256 of files by their paths, and nothing in place of that of a file that is gone."""
    digests = {}
    for path in map(str, paths):
        try:
            digests[path] = hashlib.sha256(Path(path).read_bytes()).hexdigest()
        except OSError:
            digests[path] = ""
    return digests


def refuse_changed(name: str, digests: Mapping[str, str]) -> None:
    """Refuse to go on with a run where a file is another than before its functions were loaded.

    Args:
        name: of the experiment.
        digests: those of the files before.

    Raises:
        InputError: a file has changed.
    """
    for path, digest in file_digests(digests).items():
        if digest != digests[path]:
            raise InputError(
                f"{name}: {path} has changed since the run began, so that its numbers may be those "
                "of either version; run it again"
            )


_LISTED: dict[tuple[object, ...], LoadedFiles] = {}
"""What was listed before, by the hashes of functions and where modules are looked for."""


def loaded_files(
    locations: Iterable[FunctionLocation], timeout: float
) -> dict[FunctionLocation, LoadedFiles]:
    """The files that functions load, of which those of one file or module share a process.

    Of functions that cannot be loaded there are none: the process that is to call them says why.

    Args:
        locations: the functions.
        timeout: seconds that a call may take; loading has more.
    """
    groups: dict[str | None, list[FunctionLocation]] = {}
    for location in locations:
        group = groups.setdefault(location.place, [])
        if location.place is None or not group:
            group.append(location)
    listed = {}
    with ExitStack() as stack:
        processes = []
        for place, group in groups.items():
            key = (*map(hash, group), Path.cwd(), *sys.path)
            if key not in _LISTED or not _LISTED[key].is_current:
                process = stack.enter_context(closing(PythonProcess("harness.callers.sources")))
                processes.append((key, process, group))
            listed[place] = key
        for key, process, group in processes:
            _LISTED.pop(key, None)
            request: Content = {"task": LOAD, "locations": packed(tuple(group))}, {}
            with suppress(FunctionError, ProcessError):
                try:
                    _LISTED[key] = process.ask(request, _listed, max(timeout, LOADING))
                except ProcessError as fault:
                    if not fault.killed:
                        continue
                    again = stack.enter_context(closing(PythonProcess("harness.callers.sources")))
                    _LISTED[key] = again.ask(request, _listed, max(timeout, LOADING))
    return {location: _LISTED.get(listed[location.place], LoadedFiles()) for location in locations}


def _listed(reply: Message) -> LoadedFiles:
    """The files that a process lists."""
    files = {str(name): (str(a), str(b)) for name, a, b in reply.content["files"]}
    return LoadedFiles(files, {str(a): str(b) for a, b in reply.content["versions"]})


def _installed_package(path: Path) -> str | None:
    """The package or module that is installed and has a file; None of a file elsewhere."""
    for folder in _INSTALLED:
        if folder in path.parts[:-1]:
            return path.parts[path.parts.index(folder) + 1].partition(".")[0]
    return None


class Listing:
    """The functions as the process has loaded them."""

    def __init__(self, request: Message) -> None:
        before = set(sys.modules)
        self._files: dict[str, str] = {}
        for location in unpacked(request.content["locations"]):
            if is_of_r(location.path):
                # The files that R reads by ``source``.
                folder = Path(str(location.path)).parent
                for path in RProcess().files(location):
                    self._files[Path(os.path.relpath(path, folder)).as_posix()] = path
            else:
                location.load()
        self._versions: dict[str, str] = {}
        self._add_modules(sorted(sys.modules.keys() - before))

    def _add_modules(self, names: Iterable[str]) -> None:
        """Add the files of modules, and the versions of what is installed."""
        standard = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")}
        aside = [Path(os.path.realpath(folder)) for folder in standard]
        aside.append(Path(os.path.realpath(harness.__file__)).parent)
        packages: Mapping[str, list[str]] | None = None
        for name in names:
            # A module may compute its attributes, and fail.
            place = getattr(sys.modules[name], "__dict__", {}).get("__file__")
            if not isinstance(place, str):
                continue
            path = Path(os.path.realpath(place))
            top = _installed_package(Path(place)) or _installed_package(path)
            if top is not None:
                if top in _ASIDE:
                    continue
                packages = packages_distributions() if packages is None else packages
                if top in packages:
                    self._versions |= {package: version(package) for package in packages[top]}
                    continue
            elif any(path.is_relative_to(folder) for folder in aside):
                continue
            # A module may lie in an archive.
            self._files[name] = str(next(file for file in (path, *path.parents) if file.exists()))

    def answer(self, request: Message) -> Content:
        """The files with their digests, and the versions."""
        digests = file_digests(self._files.values())
        files = [[name, path, digests[path]] for name, path in self._files.items()]
        return {"files": files, "versions": list(self._versions.items())}, {}


def main() -> int:
    """List the files of functions; what they print when they are loaded is theirs to say later."""
    sys.dont_write_bytecode = True
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    return serve(Listing, copies_answer=False)
