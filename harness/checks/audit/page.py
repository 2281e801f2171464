"""The result of an audit as a page in Markdown and as a table in CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby

from harness.base.text import printable, shortened
from harness.checks.audit.audit import Audit, Audited, Kind, Reproduction
from harness.families.catalogue import family_of

TITLES: dict[Kind, tuple[str, str]] = {
    "defect": (
        "Defects",
        "The limits are not those of the documentation, or of the paper that it names.",
    ),
    "weakness": ("Known weaknesses", "The formula is computed as documented, and has this trait."),
    "convention": ("Conventions", "A choice that a reader of the limits should know."),
}
_LONGEST = 160


def format_csv(audit: Audit) -> str:
    """One row for each function, with the columns of the page and the first failure in full."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(_COLUMNS)
    writer.writerows([value(each) for value in _COLUMNS.values()] for each in audit.functions)
    return text.getvalue()


def format_page(audit: Audit) -> str:
    """The page: what was checked, a table for each family, and the observations by kind."""
    lines = [*_head(audit)]
    ordered = sorted(audit.functions, key=lambda each: each.entry.family)
    for family, group in groupby(ordered, key=lambda each: each.entry.family):
        lines += _table(family, list(group))
    for kind in TITLES:
        chosen = [each for each in audit.reproductions if each.observation.kind == kind]
        lines += _observations(kind, chosen)
    return printable("\n".join(lines)) + "\n"


def kept(audited: Audited) -> str:
    """The contracts that a function keeps, without those that it does not keep."""
    if audited.report is None:
        return ""
    kept_part, _, _ = audited.report.keeps.partition(";")
    return kept_part.removeprefix("keeps: ").removeprefix("keeps ").strip()


_COLUMNS: Mapping[str, Callable[[Audited], str]] = {
    "package": lambda each: each.package,
    "version": lambda each: each.version,
    "family": lambda each: each.entry.family,
    "function": lambda each: each.function,
    "grid": lambda each: each.entry.grid or "",
    "verdict": lambda each: each.verdict,
    "contract_kept": kept,
    "worst_alpha": lambda each: "" if each.worst_alpha is None else f"{each.worst_alpha:.6g}",
    "first_failure": lambda each: printable(
        each.refused or next((finding.message for finding in each.failures), "")
    ),
    "seconds": lambda each: f"{each.seconds:.1f}",
}


ABOUT = (
    "A property is one that every interval should have, as limits in the right order at "
    "every count. A contract is about coverage: `at-least` (no truth is missed more often than "
    "alpha), `nominal`, `conservative` and `approximate` (alpha is kept on average). The worst "
    "alpha is the largest probability of a miss at the nominal 0.05 over all truths and sizes "
    "of the check, small sizes included. A function that takes one table at a time, or is made "
    "for few alphas, is checked at the sizes and alphas beside its verdict alone."
)


def summary(audit: Audit) -> str:
    """How many functions of which packages were checked, and how many of them are sound."""
    sound = sum(each.verdict == "sound" for each in audit.functions)
    versions = ", ".join(f"{name} {found}" for name, found in audit.versions().items())
    return (
        f"{len(audit.functions)} functions of {versions}: {sound} have every property of a sound "
        "interval, and each other one is listed with what it breaks."
    )


def skipped_sentences(audit: Audit) -> list[str]:
    """Which packages were skipped, and why, and the remarks of the list."""
    skipped = [
        f"Skipped: {each.package} ({each.functions} functions), since {each.reason}."
        for each in audit.skipped
    ]
    return [*skipped, *audit.remarks]


def _head(audit: Audit) -> Iterator[str]:
    yield "# Interval functions of other packages, checked"
    yield ""
    yield f"{summary(audit)} `python -m harness audit` makes this page (seed {audit.seed})."
    yield ""
    yield ABOUT
    for each in skipped_sentences(audit):
        yield ""
        yield each


def _table(family: str, functions: Sequence[Audited]) -> list[str]:
    title = family_of(family).title
    lines = [
        "",
        f"## {title[0].upper()}{title[1:]}",
        "",
        "| function | verdict | contract kept | worst alpha | processor, s |",
        "|---|---|---|---:|---:|",
    ]
    for each in functions:
        worst = "" if each.worst_alpha is None else f"{each.worst_alpha:.4f}"
        cells = (
            f"{each.package} `{each.function}`",
            f"{each.verdict}{_where(each)}",
            kept(each) or "none",
            worst,
            f"{each.seconds:.1f}",
        )
        lines.append(f"| {' | '.join(map(_cell, cells))} |")
    broken = [each for each in functions if each.failures or each.refused]
    if broken:
        lines += ["", "First failures:", ""]
    for each in broken:
        first = each.refused or f"{each.failures[0].check}: {each.failures[0].message}"
        first = shortened(" ".join(first.split()), _LONGEST)
        lines.append(f"- {each.package} `{each.function}`: {first}")
    return lines


def _observations(kind: Kind, found: Sequence[Reproduction]) -> list[str]:
    if not found:
        return []
    title, about = TITLES[kind]
    lines = ["", f"## {title}", "", about]
    for each in found:
        seen = each.observation
        language = "python" if seen.lines.lstrip().startswith(("from ", "import ")) else "r"
        names = ", ".join(f"`{name}`" for name in seen.functions)
        lines += ["", f"### {seen.title}", "", f"{seen.package} {each.found_version}, {names}. "]
        lines[-1] += " ".join(seen.text.split())
        lines += ["", f"```{language}", seen.lines.strip(), "```", ""]
        if each.holds:
            lines += [f"prints `{each.printed}`."]
        else:
            lines += [
                f"printed `{seen.prints}` with version {seen.version}, and prints "
                f"`{each.printed}` with this one."
            ]
    return lines


def _where(audited: Audited) -> str:
    """The grid that a function was checked on, where it was not a whole check."""
    grid = audited.entry.grid
    return f" (at {grid.replace(';', '; ')})" if grid and audited.report is not None else ""


def _cell(text: str) -> str:
    return printable(text).replace("|", "\\|").replace("\n", " ")
