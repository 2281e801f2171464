"""The list of an audit: packages with their interval functions, and observations about them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationError

from harness.base.errors import ConfigError, ConfigIssue
from harness.base.models import StrictModel
from harness.config.files import read_text
from harness.config.models.constraints import issues_of, unknown
from harness.config.yaml12 import Document, read
from harness.families.catalogue import FAMILIES

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
    """As ``check`` names it: ``statsmodels:wilson``, ``r:stats::binom.test``."""
    family: FamilyName
    arguments: Mapping[str, str] = Field(default_factory=dict)
    """Arguments of a function of R by name, as ``--arg`` of a check takes them."""
    grid: str | None = None
    """The sizes and alphas that the function is made for, as ``--grid`` of a check takes them."""


class PackageEntry(StrictModel):
    """A package with its interval functions."""

    name: str
    language: Language
    functions: Annotated[list[FunctionEntry], Field(min_length=1)]


class Observation(StrictModel):
    """Something that was seen of functions, with lines that reproduce it."""

    package: str
    """The name of the package."""
    functions: Annotated[list[str], Field(min_length=1)]
    """As the package names them."""
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

    def only(self, names: tuple[str, ...]) -> AuditList:
        """The list with some of its packages; with all where no name is given."""
        if not names:
            return self
        chosen = {
            "packages": [each for each in self.packages if each.name in names],
            "observations": [each for each in self.observations if each.package in names],
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
    known = {package.name for package in listed.packages}
    strangers = [
        ConfigIssue(
            ("observations", number, "package"),
            f"expected one of the packages {', '.join(sorted(known))}, found {each.package!r}",
        )
        for number, each in enumerate(listed.observations)
        if each.package not in known
    ]
    if strangers:
        raise ConfigError([_placed(issue, document) for issue in strangers])
    return listed


def _placed(issue: ConfigIssue, document: Document) -> ConfigIssue:
    return ConfigIssue(issue.path, issue.message, document.place(issue.path))
