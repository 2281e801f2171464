"""Checks of several methods, and the points that a check asks for."""

from __future__ import annotations

import atexit
import hashlib
import os
import pickle
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Unpack

import numpy as np
import polars as pl

from harness.base.errors import HarnessError, InputError
from harness.base.text import plain_number
from harness.callers.naming import AnyMethod, known_family, method_for
from harness.callers.table import ALPHA
from harness.checks.check import CheckRun, check, open_subject
from harness.checks.findings import CONFORMANCE, FINISHES, INCONCLUSIVE, Finding
from harness.checks.options import CheckOptions, family_of_check, read_options, validate_seconds
from harness.checks.report import CheckReport
from harness.checks.watch import watching
from harness.methods.catalogue import methods_for
from harness.methods.method import TWO_SIDED
from harness.runner.lock import hold
from harness.runner.parallel import PROCESSES, parallel_jobs, run_tasks

CAN_BE_CHECKED = "can be checked"

Tell = Callable[[int, float], None]
"""Is told the number of a method, from 0 on, and which fraction of its check is done."""


@dataclass(frozen=True)
class Checked:
    """One of several methods."""

    report: CheckReport
    exit_code: int
    fault: str | None = None
    """Why the method could not be checked; the report then has no other finding."""


def check_methods(
    methods: Sequence[AnyMethod],
    options: Mapping[str, Any],
    tell: Tell,
    *,
    jobs: int = 1,
    timeout: float | None = None,
) -> Iterator[Checked]:
    """Check several methods, and yield the result of each in their order.

    Args:
        methods: each as ``harness.check`` takes them.
        options: arguments of ``harness.check`` that hold for each.
        tell: is told how far the checks are.
        jobs: the number of methods that are checked at the same time, each in a process of its
            own; −1 for one on each core.
        timeout: seconds that all checks together may take; by default any number.

    Raises:
        InputError: jobs is no number of processes, or the timeout is out of range.
    """
    if not (jobs == -1 or jobs >= 1):
        raise InputError(f"jobs should be at least 1, or -1 for one on each core, found {jobs}")
    if timeout is not None:
        validate_seconds("timeout", timeout)
    end = None if timeout is None else time.time() + timeout
    if parallel_jobs(jobs, len(methods)) == 1:
        for number, method in enumerate(methods):
            yield _check_one(method, options, end, partial(tell, number))
        return
    tasks = [(method, dict(options), end) for method in methods]
    for number, result in enumerate(run_tasks(_check_one, tasks, jobs, PROCESSES)):
        tell(number, 1.0)
        yield result


def _check_one(
    method: AnyMethod,
    options: Mapping[str, Any],
    end: float | None,
    tell: Callable[[float], None] = lambda done: None,
) -> Checked:
    """The result of one method; of its check not much is left to do after the time ``end``."""
    left = None if end is None else end - time.time()
    try:
        if left is not None and left <= 0:
            why = "the time of all checks was over before this one started"
            report = _unchecked(method, options, FINISHES, why)
        else:
            with watching(tell, left):
                report = check(method, **options)
    except HarnessError as fault:
        report = _unchecked(method, options, CAN_BE_CHECKED, str(fault))
        return Checked(report, fault.exit_code, str(fault))
    return Checked(report, report.exit_code)


def _unchecked(
    method: AnyMethod, options: Mapping[str, Any], check_name: str, why: str
) -> CheckReport:
    """The report about a method of which nothing was found out."""
    family = str(options["family"])
    finding = Finding(check_name, CONFORMANCE, INCONCLUSIVE, why, {})
    called = method_for(family_of_check(options), method)
    return CheckReport(
        called.label, family, "none", (finding,), pl.DataFrame(), estimated=called.family
    )


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
            report: CheckReport = pickle.loads(stored.read_bytes())
            return report
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

    @atexit.register
    def leave() -> None:
        with suppress(OSError):
            mark.unlink()
            if not any(folder.glob("worker-*")):
                shutil.rmtree(folder)

    return folder


_QUICK = ("Wald", "score")
"""Categories of methods in closed form."""


def asked_points(**options: Unpack[CheckOptions]) -> str:
    """The points that a check of a family asks for, as CSV: the family's data and alpha.

    A check of the table with columns ``lower`` and ``upper`` added finds all points that it needs,
    if it has the same options.

    Args:
        options: those of ``check``.

    Raises:
        InputError: there is no such family, its data are lists, or an option is wrong.
    """
    family = known_family(options.get("family", "proportion"))
    family.refuse_lists(f"a check of {family.name} has no grid of points: its data are lists")
    method = next(
        method
        for method in methods_for(family).values()
        if method.category in _QUICK and method.deterministic and TWO_SIDED in method.sides
    )
    settings = read_options(replace(method, sides=(TWO_SIDED,)), options)
    with open_subject(settings.method, settings) as subject:
        CheckRun(subject, settings).report()
        rows: set[tuple[float, ...]] = set()
        for observed, alpha, _ in subject.asked:
            columns = (*observed.columns(), np.full(observed.count, alpha))
            rows |= set(zip(*(column.tolist() for column in columns), strict=True))
    places = [family.data.index(name) for name in family.sizes if name in family.data]
    places += [len(family.data)]
    ordered = sorted(rows, key=lambda row: ([row[place] for place in places], row))
    lines = (",".join(repr(plain_number(value)) for value in row) for row in ordered)
    return "\n".join((",".join((*family.data, ALPHA)), *lines))
