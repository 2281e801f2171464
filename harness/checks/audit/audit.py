"""An audit: a list of interval functions, the check of each, and observations run again."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Annotated, Any, Literal

from joblib import Parallel, delayed
from pydantic import AfterValidator, Field, ValidationError

from harness.base.errors import ConfigError, ConfigIssue, HarnessError
from harness.base.models import StrictModel, issues_of, unknown
from harness.callers.command import RFunction, without_prefix
from harness.checks.check import check
from harness.checks.findings import FAIL, INCONCLUSIVE, Finding
from harness.checks.report import CheckReport
from harness.config.files import read_text
from harness.config.yaml12 import Document, read
from harness.families.catalogue import FAMILIES
from harness.methods.method import NONE, Contract

SHIPPED = Path(__file__).with_name("packages.yaml")
"""The list that comes with the package."""

Kind = Literal["defect", "weakness", "convention"]
"""A defect gives other limits than the function's documentation; a weakness is one of the formula,
and known in the literature; a convention is a choice that a reader may not expect."""

Language = Literal["python", "R"]


def _family(name: str) -> str:
    if name not in FAMILIES:
        raise unknown("a family", list(FAMILIES))
    return name


FamilyName = Annotated[str, AfterValidator(_family)]


class FunctionEntry(StrictModel):
    """One interval function."""

    method: str
    """The method as ``check`` names it: ``statsmodels:wilson``, ``r:stats::binom.test``."""
    family: FamilyName
    arguments: Mapping[str, str] = Field(default_factory=dict)
    """Arguments of a function of R by name, as ``--arg`` of a check takes them."""
    grid: str | None = None
    """The sizes and alphas that the function is made for, as ``--grid`` of a check takes them."""
    contract: Contract = NONE
    """What its coverage is held to; lists are drawn for a contract alone."""
    trials: Annotated[int, Field(ge=100)] | None = None
    """Data sets that are drawn in each scenario of lists."""


class PackageEntry(StrictModel):
    """A package with its interval functions."""

    name: str
    language: Language
    functions: list[FunctionEntry] = Field(default_factory=list)
    """The functions that are checked; none where the package is observed alone."""


class Observation(StrictModel):
    """Something that was seen of functions, with lines that reproduce it."""

    package: str
    """The name of the package."""
    functions: Annotated[list[str], Field(min_length=1)]
    """The names of the functions in the package."""
    version: str
    """The version of the package that it was seen in."""
    kind: Kind
    title: str
    text: str
    """What is expected, by which source, and what is found."""
    lines: str
    """The lines in the package's own language."""
    prints: str
    """What they print."""


class AuditList(StrictModel):
    """All packages of an audit, and what is known about them."""

    packages: Annotated[list[PackageEntry], Field(min_length=1)]
    observations: list[Observation] = Field(default_factory=list)
    remarks: list[str] = Field(default_factory=list)
    """Sentences for the page, as on a package that has no intervals."""

    def only(self, names: tuple[str, ...]) -> AuditList:
        """The list with some of its packages; with all where no name is given."""
        if not names:
            return self
        chosen = {
            "packages": [package for package in self.packages if package.name in names],
            "observations": [seen for seen in self.observations if seen.package in names],
            "remarks": [],
        }
        return self.model_copy(update=chosen)


def load_list(path: Path = SHIPPED) -> AuditList:
    """Read the list of an audit.

    Raises:
        ConfigError: the file cannot be read or is not valid; the error has all issues.
    """
    document = read(read_text(path), str(path))
    if document.issues or document.unreadable:
        raise ConfigError(document.issues)
    try:
        listed = AuditList.model_validate(document.data)
    except ValidationError as error:
        raise ConfigError([_placed(issue, document) for issue in issues_of(error)]) from None
    names = {package.name for package in listed.packages}
    strangers = [
        ConfigIssue(
            ("observations", number, "package"),
            f"expected one of the packages {', '.join(sorted(names))}, found {seen.package!r}",
        )
        for number, seen in enumerate(listed.observations)
        if seen.package not in names
    ]
    if strangers:
        raise ConfigError([_placed(issue, document) for issue in strangers])
    return listed


def _placed(issue: ConfigIssue, document: Document) -> ConfigIssue:
    return ConfigIssue(issue.path, issue.message, document.place(issue.path))


RSCRIPT = "Rscript"
_SECONDS = 120.0
"""What a few lines may take, with the loading of their package."""


@dataclass(frozen=True)
class Reproduction:
    """What the lines of an observation printed here."""

    observation: Observation
    found_version: str
    """The version of the package that is installed."""
    printed: str
    """Standard output; of lines that raise, the last line of the error."""

    @property
    def holds(self) -> bool:
        """Whether they printed what the observation says."""
        return self.printed.split() == self.observation.prints.split()


@cache
def installed_version(package: str, language: Language) -> str | None:
    """The version of a package; None where it, or its language, is not installed."""
    if language == "python":
        try:
            return version(package)
        except PackageNotFoundError:
            return None
    if shutil.which(RSCRIPT) is None:
        return None
    code = f'cat(if (requireNamespace("{package}", quietly = TRUE)) '
    code += f'as.character(packageVersion("{package}")) else "")'
    return _output([RSCRIPT, "--vanilla", "-e", code]).strip() or None


def why_absent(package: str, language: Language) -> str:
    """Why a package is not there, in a clause."""
    if language == "R" and shutil.which(RSCRIPT) is None:
        return "R is not installed: there is no Rscript on the path"
    return f"the {'R' if language == 'R' else 'Python'} package {package} is not installed"


def reproduce(observation: Observation, language: Language) -> Reproduction | None:
    """Run the lines of an observation; None where its package is not installed."""
    version_here = installed_version(observation.package, language)
    if version_here is None:
        return None
    start = [sys.executable, "-W", "ignore", "-c"]
    command = start if language == "python" else [RSCRIPT, "--vanilla", "-e"]
    return Reproduction(observation, version_here, _output([*command, observation.lines]))


def _output(command: Sequence[str]) -> str:
    """What a command prints; the last line of its error where it fails."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        return f"no end within {_SECONDS:g} seconds"
    if done.returncode == 0:
        return done.stdout.strip()
    errors = done.stderr.strip().splitlines()
    return "\n".join([*done.stdout.strip().splitlines(), *errors[-1:]])


USUAL_ALPHA = 0.05


@dataclass(frozen=True)
class Audited:
    """One function, and what the check found of it."""

    package: str
    version: str
    entry: FunctionEntry
    report: CheckReport | None
    """The report of the check; None where the function could not be checked."""
    refused: str
    """Why it could not be checked; "" where it was."""
    seconds: float
    """Seconds of the processor, here and in the process of the function."""

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
        if self.report is None:
            return None
        rows = self.report.farthest("worst_alpha")
        usual = min(rows, key=lambda alpha: abs(alpha - USUAL_ALPHA), default=None)
        return None if usual is None else float(rows[usual]["worst_alpha"])


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
    remarks: tuple[str, ...] = ()

    def versions(self) -> dict[str, str]:
        """The version of each package that was audited, by its name."""
        return {audited.package: audited.version for audited in self.functions}


def _processor_seconds() -> float:
    """The time of the processor of this process and of those that it has waited for."""
    return sum(os.times()[:4])


def _audited(
    package: str, version_here: str, entry: FunctionEntry, options: Mapping[str, Any]
) -> Audited:
    """Check a function of a package; without a contract what it keeps is only found."""
    start = _processor_seconds()
    report, refused = None, ""
    # A name, or a function of R with its arguments.
    method: str | RFunction = entry.method
    if entry.arguments:
        method = RFunction(without_prefix(entry.method), entry.arguments)
    try:
        promised: dict[str, Any] = {"contract": entry.contract, "trials": entry.trials}
        report = check(method, family=entry.family, grid=entry.grid, **promised, **options)
    except HarnessError as error:
        refused = str(error)
    return Audited(package, version_here, entry, report, refused, _processor_seconds() - start)


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
    languages = {package.name: package.language for package in listed.packages}
    for package in listed.packages:
        version_here = installed_version(package.name, package.language)
        if version_here is None:
            reason = why_absent(package.name, package.language)
            skipped.append(Skipped(package.name, len(package.functions), reason))
        else:
            tasks += [(package.name, version_here, entry) for entry in package.functions]
    audited = []
    options = {"seed": seed, "timeout": timeout, "counter_examples": counter_examples}
    for done in Parallel(n_jobs=jobs, return_as="generator")(
        delayed(_audited)(*task, options) for task in tasks
    ):
        tell(done)
        audited.append(done)
    reproductions = [
        again
        for observation in listed.observations
        if (again := reproduce(observation, languages[observation.package])) is not None
    ]
    return Audit(tuple(audited), tuple(skipped), tuple(reproductions), seed, tuple(listed.remarks))
