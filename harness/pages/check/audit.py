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
