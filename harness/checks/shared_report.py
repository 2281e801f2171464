"""One report for all processes of a test run, which may run different tests of one method."""

from __future__ import annotations

import atexit
import hashlib
import os
import pickle
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path

from harness.checks.report import CheckReport
from harness.tables.lock import hold

RUN_ID = "PYTEST_XDIST_TESTRUNUID"
"""The variable of the environment by which pytest-xdist names a test run in its workers."""
_PATIENCE = 86_400.0
"""Seconds that a process waits for another one that makes the same check."""


def shared_report(key: str, compute: Callable[[], CheckReport]) -> CheckReport:
    """Return a report that one process of the test run computes, and the others wait for.

    Outside of a worker of pytest-xdist it is computed here.

    Args:
        key: what the report is of, the same in all workers.
        compute: makes the check.
    """
    run = os.environ.get(RUN_ID)
    if run is None:
        return compute()
    folder = _folder_of_run(run) / hashlib.sha256(key.encode()).hexdigest()[:32]
    folder.mkdir(exist_ok=True)
    stored = folder / "report"
    with hold(folder, patience=_PATIENCE):
        if stored.is_file():
            found: CheckReport = pickle.loads(stored.read_bytes())
            return found
        report = compute()
        part = stored.with_suffix(".part")
        part.write_bytes(pickle.dumps(report))
        part.replace(stored)
    return report


@lru_cache(maxsize=1)
def _folder_of_run(run: str) -> Path:
    """The folder of a test run, of this user only; the last of its workers to end removes it.

    Raises:
        PermissionError: a folder of that name is another user's.
    """
    name = f"harness-checks-{hashlib.sha256(run.encode()).hexdigest()[:32]}"
    folder = Path(tempfile.gettempdir()) / name
    folder.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and folder.stat().st_uid != os.getuid():
        raise PermissionError(f"{folder} is a folder of another user")
    mark = folder / f"worker-{os.getpid()}"
    mark.touch()
    atexit.register(_leave, folder, mark)
    return folder


def _leave(folder: Path, mark: Path) -> None:
    with suppress(OSError):
        mark.unlink()
        if not any(folder.glob("worker-*")):
            shutil.rmtree(folder)
