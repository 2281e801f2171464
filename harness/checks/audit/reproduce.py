"""Run the lines of an observation in the package's own language."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version

from harness.checks.audit.listing import Language, Observation

RSCRIPT = "Rscript"
_SECONDS = 120.0
"""What a few lines may take, with the loading of their package."""


@dataclass(frozen=True)
class Reproduction:
    """What the lines of an observation printed here."""

    observation: Observation
    found_version: str
    """Of the package here."""
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
    found = installed_version(observation.package, language)
    if found is None:
        return None
    start = [sys.executable, "-W", "ignore", "-c"]
    command = start if language == "python" else [RSCRIPT, "--vanilla", "-e"]
    return Reproduction(observation, found, _output([*command, observation.lines]))


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
