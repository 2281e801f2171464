"""Findings of a check as a page shows them: their status in words, their picture, their command.

The page of a check: the verdict, all findings, the counter-examples drawn, how it was made.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from harness.base.text import printable, printable_line
from harness.checks.findings import (
    AGAINST,
    BEHAVIOUR,
    CONFORMANCE,
    CONTRACT,
    CROSS_CHECK,
    DECLARED,
    FAIL,
    INCONCLUSIVE,
    LENGTH_NAME,
    PASS,
    REMARK,
    TAILS,
    Finding,
    Verdict,
)
from harness.checks.report import CheckReport
from harness.families.family import Family
from harness.methods.method import TWO_SIDED
from harness.pages.pictures import Picture, picture_of
from harness.report.page import Page, PagePart, Section
from harness.runner.storage import versions

MARKS: Mapping[Verdict, str] = {FAIL: "✗", INCONCLUSIVE: "?", DECLARED: "◇", REMARK: "!", PASS: "✓"}
"""The mark of each verdict, which stands beside its word; the worst first."""

KINDS: Mapping[str, str] = {
    CROSS_CHECK: "Cross-check of the numbers",
    CONFORMANCE: "Properties of an interval",
    TAILS: "Tails of the limits",
    CONTRACT: "Contract",
    BEHAVIOUR: "Exact numbers",
    AGAINST: "Comparison",
}
"""The groups of checks, causes before effects."""


@dataclass(frozen=True)
class Shown:
    """A finding on a page."""

    verdict: Verdict
    mark: str
    order: int
    """The place of the verdict, from the worst on."""
    kind: str
    check: str
    message: str
    picture: Picture | None = None
    command: str = ""
    """What finds it again; "" where the whole check does."""
    number: int = 0
    """The number of its counter-example on the page, from 1 on; 0 where it has none."""


def shown(report: CheckReport, words: Sequence[str] = ()) -> list[Shown]:
    """Return all findings of a report, the worst first; those to look at have numbers.

    Args:
        report: about one method.
        words: the command that checks the method, without sizes and alphas.
    """
    rows: list[Shown] = []
    examples = 0
    for order, (verdict, mark) in enumerate(MARKS.items()):
        for finding in report.of_verdict(verdict):
            example = finding.counter_example
            picture = None if example is None else picture_of(example)
            is_shown = verdict in (FAIL, INCONCLUSIVE, DECLARED) or picture is not None
            examples += is_shown
            number = examples if is_shown else 0
            rows.append(
                Shown(
                    verdict=verdict,
                    mark=mark,
                    order=order,
                    kind=finding.kind,
                    check=printable(finding.check),
                    message=printable(finding.message),
                    picture=picture,
                    command=_command(finding, report.estimated, words) if number else "",
                    number=number,
                )
            )
    return rows


def _command(finding: Finding, family: Family | None, words: Sequence[str]) -> str:
    """The command that checks at the place of a finding alone; "" where it has none."""
    if not words or family is None:
        return ""
    if finding.counter_example is not None:
        grid = finding.counter_example.grid
    else:
        names = (*family.outcome_sizes, "alpha")
        values = {name: finding.cell.get(name) for name in names}
        grid = {n: (float(v),) for n, v in values.items() if isinstance(v, int | float)}
        if len(grid) < len(names):
            return ""
    if "alpha" not in grid:
        return ""
    parts = []
    for name, numbers in grid.items():
        texts = [f"{int(n)}" if n == int(n) else f"{n!r}" for n in numbers]
        parts.append(f"{name}={','.join(texts)}")
    return printable_line(shlex.join([*words, "--grid", ";".join(parts)]))


STYLES = ("check.css",)
_NOT_IN_KEYS = re.compile("[^a-z0-9]+")
_LONGEST_KEY = 40


@dataclass(frozen=True)
class MethodOnPage:
    """What a page says of one method."""

    report: CheckReport
    words: Sequence[str] = field(default_factory=tuple)
    """The command that checks it, without sizes and alphas."""

    def part(self, label: str, key: str, command: str) -> PagePart:
        """The answer, all findings, those to look at, and what decides them."""
        report, examples = self.report, f"{key}-examples"
        findings = shown(report, self.words)
        table = {
            "findings": findings,
            "levels": _counts(findings),
            "groups": [
                (kind, words)
                for kind, words in KINDS.items()
                if any(finding.kind == kind for finding in findings)
            ],
            "examples": examples,
        }
        scripts = ("findings.js",)
        sections = [
            _verdict(report, findings),
            Section("findings", "All findings", "findings.html", table, None, scripts, STYLES),
        ]
        drawn = [finding for finding in findings if finding.number]
        if drawn:
            remarks_only = all(finding.verdict == REMARK for finding in drawn)
            title = "Remarks, drawn" if remarks_only else "Counter-examples"
            context = {"examples": drawn, "key": examples}
            sections.append(
                Section("examples", title, "counter_examples.html", context, styles=STYLES)
            )
        facts = [
            ("Method", printable_line(report.method)),
            ("Family", report.family),
            ("Contract", report.contract),
        ]
        return PagePart(
            key=key,
            title=f"{label}: {MARKS[report.verdict]} {report.verdict.upper()}",
            sections=[*sections, made(facts, report.seed, command)],
            lead=report.about,
        )


def check_page(methods: Sequence[MethodOnPage], command: str) -> Page:
    """Return the page of a check, with a part for each method.

    Args:
        methods: one or more, in the order of their parts.
        command: the command that makes the page again.
    """
    names = [printable_line(method.report.method) for method in methods]
    parts = []
    for number, (method, name) in enumerate(zip(methods, names, strict=True), 1):
        # A name that occurs more than once stands with the number of its occurrence.
        occurrence = names[:number].count(name)
        label = f"{name} ({occurrence})" if names.count(name) > 1 else name
        key = _NOT_IN_KEYS.sub("-", method.report.method.lower())[:_LONGEST_KEY].strip("-")
        key = f"method-{number}-{key}" if key else f"method-{number}"
        parts.append(method.part(label, key, command))
    if len(methods) == 1:
        return Page(f"Check of {parts[0].title}", parts, command=printable_line(command))
    passed = sum(method.report.passed for method in methods)
    lead = f"{passed} of {len(methods)} methods pass."
    return Page(f"Check of {len(methods)} methods", parts, lead, printable_line(command))


def _verdict(report: CheckReport, findings: Sequence[Shown]) -> Section:
    """The answer, as the terminal has it."""
    heading, *rows = report.number_rows()
    word, gains = report.verdict.upper(), report.gains
    sentences = [
        "It promises nothing."
        if report.contract == "none"
        else f"It is held to the contract {report.contract}.",
        report.keeps,
        *(finding.message for finding in report.findings if finding.check == LENGTH_NAME),
        "" if gains is None else gains.sentence,
        report.stored,
    ]
    context = {
        "verdict": report.verdict,
        "mark": MARKS[report.verdict],
        "word": word,
        "reasons": printable(report.verdict_in_words.removeprefix(word).lstrip(": ")),
        "sentences": [
            printable(f"{sentence[0].upper()}{sentence[1:]}") for sentence in sentences if sentence
        ],
        "heading": heading,
        "rows": rows,
        "gains": [] if gains is None else gains.rows(),
        "side": "" if report.side == TWO_SIDED else report.side,
        "counts": _counts(findings),
    }
    return Section("verdict", "The answer", "check_verdict.html", context, styles=STYLES)


def _counts(findings: Sequence[Shown]) -> list[dict[str, object]]:
    """The number of findings of each verdict, the worst first."""
    met = Counter(finding.verdict for finding in findings)
    return [
        {"verdict": verdict, "mark": mark, "count": met[verdict]}
        for verdict, mark in MARKS.items()
        if met[verdict]
    ]


def made(facts: Sequence[tuple[str, str]], seed: int | None, command: str) -> Section:
    """What decides the findings."""
    context = {
        "facts": facts,
        "seed": seed,
        "versions": versions(),
        "command": printable_line(command),
    }
    return Section("made", "How it was made", "check_made.html", context, styles=STYLES)
