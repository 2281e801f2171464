"""One command in a process group of its own, and what is wrong with how it ended."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import harness

ROOT = Path(harness.__file__).parents[1]
DONE, REFUSED, FAILED = 0, 2, 3
_PATIENCE, _GRACE = 90.0, 6.0
"""Seconds until a command counts as hanging, and until its processes have to be gone."""
_NOT_RUN = ("run.json", "config.yaml", "journal.sqlite", ".lock")
"""Files of a result that two runs of one config need not have alike."""
_SAID_BY_PYTHON = ("Traceback (most recent", "Exception ignored", "Fatal Python error")
Limits = Mapping[int, tuple[int, int]]


@dataclass(frozen=True)
class Ending:
    """How a command ended."""

    code: int
    out: str
    err: str
    seconds: float
    left: tuple[str, ...] = ()
    """What it left: processes, and folders for temporary files."""

    def faults(self, allowed: Sequence[int]) -> list[str]:
        """Return what is wrong with it, for the exit codes that are right."""
        said, found = self.out + self.err, list(self.left)
        if self.code not in allowed:
            found.append(f"exit code {self.code}")
        found += [f"says {words!r}" for words in _SAID_BY_PYTHON if words in said]
        if self.code in (REFUSED, FAILED) and not self.err.strip():
            found.append("no sentence")
        return found and [f"{'; '.join(found)}: {self.err.strip()[-700:]}"]


@dataclass(frozen=True)
class Machine:
    """Where commands run: a folder for what they need, of which nothing lies outside."""

    place: Path
    shared: Path
    """Compiled modules and caches of all cases."""
    env: Mapping[str, str] = field(default_factory=dict)
    tmp: Path | None = None
    """The folder of temporary files, by default one below the place."""

    def run(
        self,
        *argv: str,
        limits: Limits | None = None,
        disturb: Callable[[subprocess.Popen[bytes]], None] | None = None,
    ) -> Ending:
        """Run ``python -m harness`` with some words, or a program where the first is ``-c``.

        Args:
            argv: the words.
            limits: of the resources of the process.
            disturb: is called with the process once it has started.
        """
        tmp = self.tmp or self.place / "tmp"
        tmp.mkdir(exist_ok=True)
        own = {"PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": str(self.shared / "bytecode")}
        own |= {"PYTHONDONTWRITEBYTECODE": ""}
        own |= {"MPLCONFIGDIR": str(self.shared), "XDG_CACHE_HOME": str(self.shared)}
        own |= {"TMPDIR": str(tmp), "OMP_NUM_THREADS": "1", "HOME": str(self.shared)}
        words = argv if argv[0] == "-c" else ("-m", "harness", *argv)
        out, err = self.place / "stdout.txt", self.place / "stderr.txt"
        start, killed = time.monotonic(), False
        with out.open("wb") as to_out, err.open("wb") as to_err:
            process = subprocess.Popen(
                [sys.executable, *words],
                cwd=self.place,
                env={**os.environ, **own, **self.env},
                stdin=subprocess.DEVNULL,
                stdout=to_out,
                stderr=to_err,
                start_new_session=True,
            )
            for number, limit in (limits or {}).items():
                resource.prlimit(process.pid, number, limit)
            try:
                if disturb is not None:
                    disturb(process)
                process.wait(_PATIENCE)
            except subprocess.TimeoutExpired:
                killed = True
            seconds = time.monotonic() - start
            left = [] if killed or process.returncode == -signal.SIGKILL else _left(process, tmp)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if killed:
            left = [f"no end after {_PATIENCE:g} s"]
        said, faults = (path.read_bytes().decode("utf-8", "replace") for path in (out, err))
        return Ending(process.returncode, said, faults, seconds, tuple(left))


def _left(process: subprocess.Popen[bytes], tmp: Path) -> list[str]:
    """The processes of the group and the temporary folders that do not go away."""
    deadline = time.monotonic() + _GRACE
    while True:
        alive = members(process.pid)
        folders = [path.name for path in tmp.iterdir() if path.name.startswith("harness-")]
        if not (alive or folders) or time.monotonic() > deadline:
            break
        time.sleep(0.1)
    said = [f"{len(alive)} processes run on"] if alive else []
    return said + ([f"{folders[0]} is left in TMPDIR"] if folders else [])


def members(group: int) -> list[int]:
    """Return the processes of a group that run, without its leader."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError, IndexError):
            state, _, its_group, *_ = path.read_text().rpartition(")")[2].split()
            if int(its_group) == group and state != "Z" and int(path.parent.name) != group:
                found.append(int(path.parent.name))
    return sorted(found)


def files_of(folder: Path) -> dict[str, bytes]:
    """Return what one config gives again byte for byte, by path."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in _NOT_RUN
    }


def differing(folder: Path, expected: Mapping[str, bytes]) -> list[str]:
    """Return what a result has otherwise than it should, in a sentence; nothing if it is alike."""
    found = files_of(folder)
    names = [name for name in {**expected, **found} if expected.get(name) != found.get(name)]
    # The manifest counts trials that were made again, and seconds.
    names = [name for name in names if name != "manifest.json" or name not in found]
    return [f"wrong bytes: {', '.join(sorted(names))}"] if names else []
