"""The page of an audit: every function with its verdict, its first failure drawn, what was seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.base.text import printable, printable_line
from harness.checks.audit.audit import Audit, Audited, Reproduction
from harness.checks.audit.page import ABOUT, TITLES, kept, skipped_sentences, summary
from harness.checks.findings import FAIL, INCONCLUSIVE, PASS
from harness.families.catalogue import family_of
from harness.pages.check.page import MARKS, STYLES, Shown, made, shown
from harness.report.page import Page, PagePart, Section

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
    sections = [
        Section("answer", "The answer", "audit.html", _answer(audit, rows), styles=STYLES),
        _functions(rows),
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


def _answer(audit: Audit, rows: Sequence[_Row]) -> dict[str, object]:
    counts = {verdict: sum(row["status"] == verdict for row in rows) for verdict in MARKS}
    words = {PASS: "sound", FAIL: "with a failure", INCONCLUSIVE: "not concluded or not checked"}
    return {
        "sentences": [printable(summary(audit)), ABOUT.replace("`", "")],
        "skipped": [printable(each) for each in skipped_sentences(audit)],
        "counts": [
            {"verdict": verdict, "mark": MARKS[verdict], "count": counts[verdict], "words": text}
            for verdict, text in words.items()
            if counts[verdict]
        ],
    }


def _rows(functions: Sequence[Audited]) -> tuple[list[_Row], list[_Row]]:
    """A row for each function by family, and the first failure of each that has one."""
    rows: list[_Row] = []
    failures: list[_Row] = []
    for each in sorted(functions, key=lambda each: each.entry.family):
        found = _first_failure(each)
        if found is not None:
            name = printable_line(f"{each.package} {each.function}")
            failures.append({"function": name, "found": found})
        status = each.report.verdict if each.report is not None else INCONCLUSIVE
        rows.append(
            {
                "package": each.package,
                "version": each.version,
                "function": printable_line(each.function),
                "family": each.entry.family,
                "grid": "" if each.report is None else (each.entry.grid or ""),
                "status": status,
                "mark": MARKS[status],
                "order": list(MARKS).index(status),
                "verdict": printable_line(each.verdict),
                "reason": printable_line(each.refused),
                "kept": kept(each) or "none",
                "worst_coverage": None if each.worst_alpha is None else 1 - each.worst_alpha,
                # Of its first failure, drawn below; 0 where it has none.
                "number": 0 if found is None else len(failures),
            }
        )
    return rows, failures


def _first_failure(audited: Audited) -> Shown | None:
    """The gravest failure of a function; None where it has none."""
    if audited.report is None or not audited.failures:
        return None
    entry = audited.entry
    words = ["python", "-m", "harness", "check", entry.method, "--contract", "none"]
    words += ["--family", entry.family] if entry.family != "proportion" else []
    for name, value in entry.arguments.items():
        words += ["--arg", f"{name}={value}"]
    return shown(audited.report, words)[0]


def _functions(rows: Sequence[_Row]) -> Section:
    context = {
        "rows": rows,
        "families": [
            (name, family_of(name).title) for name in dict.fromkeys(row["family"] for row in rows)
        ],
        "packages": list(dict.fromkeys(row["package"] for row in rows)),
        "statuses": [each for each in MARKS if any(row["status"] == each for row in rows)],
        "examples": f"{_KEY}-examples",
    }
    page, scripts = "audit_functions.html", ("findings.js",)
    return Section("functions", "All functions", page, context, None, scripts, STYLES)


def _observation(found: Reproduction) -> dict[str, object]:
    """An observation with what its lines print here."""
    seen = found.observation
    texts = {
        "title": seen.title,
        "package": f"{seen.package} {found.found_version}",
        "version": seen.version,
        "text": " ".join(seen.text.split()),
        "lines": seen.lines.strip(),
        "prints": seen.prints,
        "printed": found.printed,
    }
    return {
        **{name: printable(text) for name, text in texts.items()},
        "functions": [printable_line(name) for name in seen.functions],
        "holds": found.holds,
    }
