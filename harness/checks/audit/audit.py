"""Check every interval function of a list, and reproduce what was observed of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

import polars as pl
from joblib import Parallel, delayed

from harness.base.errors import HarnessError
from harness.callers.command import RFunction, without_prefix
from harness.checks.audit.listing import AuditList, FunctionEntry, Language
from harness.checks.audit.reproduce import (
    Reproduction,
    installed_version,
    reproduce,
    why_absent,
)
from harness.checks.check import check
from harness.checks.report import FAIL, INCONCLUSIVE, CheckReport, Finding
from harness.methods.method import NONE

USUAL_ALPHA = 0.05


@dataclass(frozen=True)
class Audited:
    """One function, and what the check found of it."""

    package: str
    version: str
    entry: FunctionEntry
    report: CheckReport | None
    """None where the function could not be checked."""
    refused: str
    """Why it could not be checked; "" where it was."""
    seconds: float
    """Of the processor, here and in the process of the function."""

    @property
    def function(self) -> str:
        """The name of the function in its package, with its arguments."""
        name = self.entry.method.rpartition(":")[2]
        given = ", ".join(f"{key}={value}" for key, value in self.entry.arguments.items())
        return f"{name}({given})" if given else name

    @property
    def failures(self) -> tuple[Finding, ...]:
        """What it fails, the gravest first."""
        return () if self.report is None else self.report.of_verdict(FAIL)

    @property
    def verdict(self) -> str:
        """``sound``, or the names of the checks that it fails; or that it was not checked."""
        if self.report is None:
            return "not checked"
        names = dict.fromkeys(finding.check for finding in self.failures)
        if names:
            return f"fails: {', '.join(names)}"
        unclear = self.report.of_verdict(INCONCLUSIVE)
        return "not concluded" if unclear else "sound"

    @property
    def worst_alpha(self) -> float | None:
        """The largest actual alpha at the nominal 0.05, or at its only alpha, over all sizes."""
        if self.report is None or "worst_alpha" not in self.report.behaviour.columns:
            return None
        known = self.report.behaviour.filter(pl.col("worst_alpha").is_not_null())
        alphas = known["alpha"].unique().to_list()
        if not alphas:
            return None
        usual = min(alphas, key=lambda alpha: abs(alpha - USUAL_ALPHA))
        worst = known.filter(pl.col("alpha") == usual)["worst_alpha"].max()
        return float(worst) if isinstance(worst, float) else None


@dataclass(frozen=True)
class Skipped:
    """A package that is not here."""

    package: str
    functions: int
    reason: str


@dataclass(frozen=True)
class Audit:
    """All that an audit found."""

    functions: tuple[Audited, ...]
    skipped: tuple[Skipped, ...]
    reproductions: tuple[Reproduction, ...]
    seed: int

    def versions(self) -> dict[str, str]:
        """The version of each package that was audited, by its name."""
        return {each.package: each.version for each in self.functions}


def _processor_seconds() -> float:
    """The time of the processor of this process and of those that it has waited for."""
    return sum(os.times()[:4])


@dataclass(frozen=True)
class _Task:
    """One function of a package that is installed."""

    package: str
    version: str
    entry: FunctionEntry

    def _method(self) -> str | RFunction:
        """What a check takes: a name, or a function of R with its arguments."""
        name, arguments = self.entry.method, self.entry.arguments
        return RFunction(without_prefix(name), arguments) if arguments else name

    def run(self, seed: int, timeout: float, counter_examples: bool) -> Audited:
        """Check the function; nothing is promised, so that what it keeps is only found."""
        start = _processor_seconds()
        report, refused = None, ""
        try:
            report = check(
                self._method(),
                family=self.entry.family,
                contract=NONE,
                grid=self.entry.grid,
                seed=seed,
                timeout=timeout,
                counter_examples=counter_examples,
            )
        except HarnessError as error:
            refused = str(error)
        seconds = _processor_seconds() - start
        return Audited(self.package, self.version, self.entry, report, refused, seconds)


def run_audit(
    listed: AuditList,
    *,
    seed: int,
    timeout: float,
    jobs: int = 1,
    tell: Callable[[Audited], None] = lambda _: None,
    counter_examples: bool = False,
) -> Audit:
    """Check the functions of a list.

    Args:
        listed: the packages, their functions and the observations.
        seed: of all draws of the checks.
        timeout: seconds for one function.
        jobs: the number of functions that are checked at a time, in a process each.
        tell: is called with each function when it has been checked.
        counter_examples: whether findings hold the numbers of their pictures, which a page draws.

    Returns:
        What was found; packages that are not installed are skipped with the reason.
    """
    tasks, skipped = [], []
    languages: dict[str, Language] = {each.name: each.language for each in listed.packages}
    for package in listed.packages:
        found = installed_version(package.name, package.language)
        if found is None:
            reason = why_absent(package.name, package.language)
            skipped.append(Skipped(package.name, len(package.functions), reason))
        else:
            tasks += [_Task(package.name, found, entry) for entry in package.functions]
    audited = []
    for done in Parallel(n_jobs=jobs, return_as="generator")(
        delayed(task.run)(seed, timeout, counter_examples) for task in tasks
    ):
        tell(done)
        audited.append(done)
    reproductions = [
        again
        for observation in listed.observations
        if (again := reproduce(observation, languages[observation.package])) is not None
    ]
    return Audit(tuple(audited), tuple(skipped), tuple(reproductions), seed)
