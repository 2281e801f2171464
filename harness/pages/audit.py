"""The result of an audit: as a page in Markdown or in HTML, and as a table in CSV.

The HTML has every function with its verdict, its first failure drawn, and what was seen.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from harness.base.text import csv_text, printable, printable_line, shortened
from harness.checks.audit.audit import Audit, Audited, Kind, Reproduction
from harness.checks.findings import FAIL, INCONCLUSIVE, PASS
from harness.families.catalogue import family_of
from harness.pages.check import MARKS, STYLES, Shown, made, shown
from harness.report.page import Page, PagePart, Section

TITLES: dict[Kind, tuple[str, str]] = {
    "defect": (
        "Defects",
        "The limits are not those of the documentation, or of the paper that it names.",
    ),
    "weakness": ("Known weaknesses", "The formula is computed as documented, and has this trait."),
    "convention": ("Conventions", "A choice that a reader of the limits should know."),
}
_LONGEST = 160
_COLUMNS = (
    "package",
    "version",
    "family",
    "function",
    "grid",
    "verdict",
    "contract_kept",
    "worst_alpha",
    "first_failure",
    "seconds",
)


def format_csv(audit: Audit) -> str:
    """One row for each function, with the columns of the page and the first failure in full."""
    records = []
    for audited in audit.functions:
        first = audited.failures[0].message if audited.failures else ""
        worst = audited.worst_alpha
        records.append(
            {
                "package": audited.package,
                "version": audited.version,
                "family": audited.entry.family,
                "function": audited.function,
                "grid": audited.entry.grid or "",
                "verdict": audited.verdict,
                "contract_kept": kept(audited),
                "worst_alpha": "" if worst is None else f"{worst:.6g}",
                "first_failure": printable(audited.refused or first),
                "seconds": f"{audited.seconds:.1f}",
            }
        )
    return csv_text(records, _COLUMNS)


def format_page(audit: Audit, command: str) -> str:
    """The page: what was checked, a table for each family, and the observations by kind.

    Args:
        audit: what was found.
        command: the command that makes the page again.
    """
    lines = [
        "# Interval functions of other packages, checked",
        "",
        f"{summary(audit)} `{command}` makes this page (seed {audit.seed}).",
        "",
        ABOUT,
    ]
    for sentence in skipped_sentences(audit):
        lines += ["", sentence]
    ordered = sorted(audit.functions, key=lambda audited: audited.entry.family)
    for family, group in groupby(ordered, key=lambda audited: audited.entry.family):
        lines += _table(family, list(group))
    for kind, (title, about) in TITLES.items():
        chosen = [again for again in audit.reproductions if again.observation.kind == kind]
        if chosen:
            lines += ["", f"## {title}", "", about]
        for reproduction in chosen:
            seen = reproduction.observation
            language = "python" if seen.lines.lstrip().startswith(("from ", "import ")) else "r"
            names = ", ".join(f"`{name}`" for name in seen.functions)
            text = " ".join(seen.text.split())
            prints = f"prints `{reproduction.printed}`."
            if not reproduction.holds:
                prints = (
                    f"printed `{seen.prints}` with version {seen.version}, and prints "
                    f"`{reproduction.printed}` with this one."
                )
            lines += [
                "",
                f"### {seen.title}",
                "",
                f"{seen.package} {reproduction.found_version}, {names}. {text}",
                "",
                f"```{language}",
                seen.lines.strip(),
                "```",
                "",
                prints,
            ]
    return printable("\n".join(lines)) + "\n"


def kept(audited: Audited) -> str:
    """The contracts that a function keeps, without those that it does not keep."""
    if audited.report is None:
        return ""
    kept_part, _, _ = audited.report.keeps.partition(";")
    return kept_part.removeprefix("keeps: ").removeprefix("keeps ").strip()


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
    sound = sum(audited.verdict == "sound" for audited in audit.functions)
    versions = ", ".join(f"{name} {version}" for name, version in audit.versions().items())
    return (
        f"{len(audit.functions)} functions of {versions}: {sound} have every property of a sound "
        "interval, and each other one is listed with what it breaks."
    )


def skipped_sentences(audit: Audit) -> list[str]:
    """Which packages were skipped, and why, and the remarks of the list."""
    sentences = [
        f"Skipped: {skipped.package} ({skipped.functions} functions), since {skipped.reason}."
        for skipped in audit.skipped
    ]
    return [*sentences, *audit.remarks]


def _table(family: str, functions: Sequence[Audited]) -> list[str]:
    title = family_of(family).title
    lines = [
        "",
        f"## {title[0].upper()}{title[1:]}",
        "",
        "| function | verdict | contract kept | worst alpha | processor, s |",
        "|---|---|---|---:|---:|",
    ]
    for audited in functions:
        grid, worst_alpha = audited.entry.grid, audited.worst_alpha
        # A function with a grid of its own has not had the whole check.
        where = f" (at {grid.replace(';', '; ')})" if grid and audited.report is not None else ""
        cells = (
            f"{audited.package} `{audited.function}`",
            f"{audited.verdict}{where}",
            kept(audited) or "none",
            "" if worst_alpha is None else f"{worst_alpha:.4f}",
            f"{audited.seconds:.1f}",
        )
        texts = [printable(cell).replace("|", "\\|").replace("\n", " ") for cell in cells]
        lines.append(f"| {' | '.join(texts)} |")
    broken = [audited for audited in functions if audited.failures or audited.refused]
    if broken:
        lines += ["", "First failures:", ""]
    for audited in broken:
        first = audited.refused or f"{audited.failures[0].check}: {audited.failures[0].message}"
        first = shortened(" ".join(first.split()), _LONGEST)
        lines.append(f"- {audited.package} `{audited.function}`: {first}")
    return lines


_KEY = "audit"


_Row = Mapping[str, Any]
"""What a page says of one function, or of its first failure."""


def audit_page(audit: Audit, command: str) -> Page:
    """Return the page of an audit; the time that a function took is not in it.

    Args:
        audit: what was found.
        command: the command that makes the page again.
    """
    rows, failures = _rows(audit.functions)
    packages = ", ".join(f"{a} {b}" for a, b in audit.versions().items())
    counts = {verdict: sum(row["status"] == verdict for row in rows) for verdict in MARKS}
    words = {PASS: "sound", FAIL: "with a failure", INCONCLUSIVE: "not concluded or not checked"}
    answer = {
        "sentences": [printable(summary(audit)), ABOUT.replace("`", "")],
        "skipped": [printable(sentence) for sentence in skipped_sentences(audit)],
        "counts": [
            {"verdict": verdict, "mark": MARKS[verdict], "count": counts[verdict], "words": text}
            for verdict, text in words.items()
            if counts[verdict]
        ],
    }
    families = dict.fromkeys(row["family"] for row in rows)
    table = {
        "rows": rows,
        "families": [(name, family_of(name).title) for name in families],
        "packages": list(dict.fromkeys(row["package"] for row in rows)),
        "statuses": [verdict for verdict in MARKS if any(row["status"] == verdict for row in rows)],
        "examples": f"{_KEY}-examples",
    }
    scripts = ("findings.js",)
    sections = [
        Section("answer", "The answer", "audit.html", answer, styles=STYLES),
        Section("functions", "All functions", "audit_functions.html", table, None, scripts, STYLES),
    ]
    if failures:
        context = {"failures": failures, "key": f"{_KEY}-examples"}
        title = "The first failure of each"
        sections.append(Section("examples", title, "audit_failures.html", context, styles=STYLES))
    for kind, (title, about) in TITLES.items():
        seen = [
            _observation(again) for again in audit.reproductions if again.observation.kind == kind
        ]
        if seen:
            context = {"about": about, "observations": seen}
            sections.append(Section(kind, title, "audit_observations.html", context, styles=STYLES))
    sections.append(made([("Packages", packages)], audit.seed, command))
    title = "Interval functions of other packages, checked"
    return Page(title, [PagePart(_KEY, title, sections)], command=printable_line(command))


def _rows(functions: Sequence[Audited]) -> tuple[list[_Row], list[_Row]]:
    """A row for each function by family, and the first failure of each that has one."""
    rows: list[_Row] = []
    failures: list[_Row] = []
    for audited in sorted(functions, key=lambda audited: audited.entry.family):
        failure: Shown | None = None
        if audited.report is not None and audited.failures:
            entry = audited.entry
            words = ["python", "-m", "harness", "check", entry.method, "--contract", "none"]
            words += ["--family", entry.family] if entry.family != "proportion" else []
            for name, value in entry.arguments.items():
                words += ["--arg", f"{name}={value}"]
            # The gravest one stands first.
            failure = shown(audited.report, words)[0]
            title = printable_line(f"{audited.package} {audited.function}")
            failures.append({"function": title, "found": failure})
        status = audited.report.verdict if audited.report is not None else INCONCLUSIVE
        rows.append(
            {
                "package": audited.package,
                "version": audited.version,
                "function": printable_line(audited.function),
                "family": audited.entry.family,
                "grid": "" if audited.report is None else (audited.entry.grid or ""),
                "status": status,
                "mark": MARKS[status],
                "order": list(MARKS).index(status),
                "verdict": printable_line(audited.verdict),
                "reason": printable_line(audited.refused),
                "kept": kept(audited) or "none",
                "worst_coverage": None if audited.worst_alpha is None else 1 - audited.worst_alpha,
                # Of its first failure, drawn below; 0 where it has none.
                "number": 0 if failure is None else len(failures),
            }
        )
    return rows, failures


def _observation(reproduction: Reproduction) -> dict[str, object]:
    """An observation with what its lines print here."""
    seen = reproduction.observation
    texts = {
        "title": seen.title,
        "package": f"{seen.package} {reproduction.found_version}",
        "version": seen.version,
        "text": " ".join(seen.text.split()),
        "lines": seen.lines.strip(),
        "prints": seen.prints,
        "printed": reproduction.printed,
    }
    return {
        **{name: printable(text) for name, text in texts.items()},
        "functions": [printable_line(name) for name in seen.functions],
        "holds": reproduction.holds,
    }
