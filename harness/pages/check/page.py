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
    Grid,
    Verdict,
)
from harness.checks.report import CheckReport
from harness.families.family import Family
from harness.methods.method import TWO_SIDED
from harness.pages.check.pictures import Picture, picture_of
from harness.report.page import Page, Part, Section
from harness.runner.manifest import versions

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
    """Of the verdict, from the worst on."""
    kind: str
    check: str
    message: str
    picture: Picture | None = None
    command: str = ""
    """What finds it again; "" where the whole check does."""
    number: int = 0
    """Of its counter-example on the page, from 1 on; 0 where it has none."""


def shown(report: CheckReport, words: Sequence[str] = ()) -> list[Shown]:
    """Return all findings of a report, the worst first; those to look at have numbers.

    Args:
        report: about one method.
        words: the command that checks the method, without sizes and alphas.
    """
    found: list[Shown] = []
    for verdict in MARKS:
        for finding in report.of_verdict(verdict):
            example = finding.counter_example
            picture = None if example is None else picture_of(example)
            is_shown = verdict in (FAIL, INCONCLUSIVE, DECLARED) or picture is not None
            number = 1 + sum(each.number > 0 for each in found) if is_shown else 0
            found.append(
                Shown(
                    verdict=verdict,
                    mark=MARKS[verdict],
                    order=list(MARKS).index(verdict),
                    kind=finding.kind,
                    check=printable(finding.check),
                    message=printable(finding.message),
                    picture=picture,
                    command=_command(finding, report.estimated, words) if number else "",
                    number=number,
                )
            )
    return found


def _command(finding: Finding, family: Family | None, words: Sequence[str]) -> str:
    """The command that checks at the place of a finding alone; "" where it has none."""
    if not words or family is None:
        return ""
    example = finding.counter_example
    grid = _grid_of_cell(finding, family) if example is None else example.grid
    if "alpha" not in grid:
        return ""
    text = ";".join(f"{name}={','.join(map(_number, values))}" for name, values in grid.items())
    return printable_line(shlex.join([*words, "--grid", text]))


def _grid_of_cell(finding: Finding, family: Family) -> Grid:
    """The sizes and alpha of a finding's cell; nothing where one of them is missing."""
    names = (*(family.sizes if family.has_outcomes else ()), "alpha")
    values = {name: finding.cell.get(name) for name in names}
    numbers = {n: (float(v),) for n, v in values.items() if isinstance(v, int | float)}
    return numbers if len(numbers) == len(names) else {}


def _number(value: float) -> str:
    return f"{int(value)}" if value == int(value) else f"{value!r}"


STYLES = ("check.css",)
_NOT_IN_KEYS = re.compile("[^a-z0-9]+")
_LONGEST_KEY = 40


@dataclass(frozen=True)
class CheckedMethod:
    """What a page says of one method."""

    report: CheckReport
    words: Sequence[str] = field(default_factory=tuple)
    """The command that checks it, without sizes and alphas."""


def check_page(methods: Sequence[CheckedMethod], command: str) -> Page:
    """Return the page of a check, with a part for each method.

    Args:
        methods: one or more, in the order of their parts.
        command: the command that makes the page again.
    """
    keys = _keys([each.report.method for each in methods])
    labels = _numbered([printable_line(each.report.method) for each in methods])
    parts = [
        _part(each, label, key, command)
        for each, label, key in zip(methods, labels, keys, strict=True)
    ]
    if len(methods) == 1:
        return Page(f"Check of {parts[0].title}", parts, command=printable_line(command))
    passed = sum(each.report.passed for each in methods)
    lead = f"{passed} of {len(methods)} methods pass."
    return Page(f"Check of {len(methods)} methods", parts, lead, printable_line(command))


def _part(method: CheckedMethod, label: str, key: str, command: str) -> Part:
    report = method.report
    findings = shown(report, method.words)
    facts = [
        ("Method", printable_line(report.method)),
        ("Family", report.family),
        ("Contract", report.contract),
    ]
    return Part(
        key=key,
        title=f"{label}: {MARKS[report.verdict]} {report.verdict.upper()}",
        sections=[
            _verdict(report, findings),
            _findings(findings, key),
            *_counter_examples(findings, key),
            made(facts, report.seed, command),
        ],
        lead=report.about,
    )


def _verdict(report: CheckReport, findings: Sequence[Shown]) -> Section:
    """The answer, as the terminal has it."""
    heading, *rows = report.number_rows()
    word = report.verdict.upper()
    context = {
        "verdict": report.verdict,
        "mark": MARKS[report.verdict],
        "word": word,
        "reasons": printable(report.verdict_in_words.removeprefix(word).lstrip(": ")),
        "sentences": [printable(each) for each in _sentences(report)],
        "heading": heading,
        "rows": rows,
        "gains": [] if report.gains is None else report.gains.rows(),
        "side": "" if report.side == TWO_SIDED else report.side,
        "counts": _counts(findings),
    }
    return Section("verdict", "The answer", "check_verdict.html", context, styles=STYLES)


def _sentences(report: CheckReport) -> list[str]:
    """What the method promises, what it keeps, how long it is, and what was stored."""
    promised = (
        "It promises nothing."
        if report.contract == "none"
        else f"It is held to the contract {report.contract}."
    )
    lengths = [each.message for each in report.findings if each.check == LENGTH_NAME]
    gains = [] if report.gains is None else [report.gains.sentence]
    found = [promised, report.keeps, *lengths, *gains, report.stored]
    return [f"{each[0].upper()}{each[1:]}" for each in found if each]


def _counts(findings: Sequence[Shown]) -> list[dict[str, object]]:
    """The number of findings of each verdict, the worst first."""
    met = Counter(each.verdict for each in findings)
    return [
        {"verdict": verdict, "mark": mark, "count": met[verdict]}
        for verdict, mark in MARKS.items()
        if met[verdict]
    ]


def _findings(findings: Sequence[Shown], key: str) -> Section:
    """All findings in a table."""
    context = {
        "findings": findings,
        "levels": _counts(findings),
        "groups": [
            (kind, words)
            for kind, words in KINDS.items()
            if any(each.kind == kind for each in findings)
        ],
        "examples": f"{key}-examples",
    }
    scripts = ("findings.js",)
    return Section("findings", "All findings", "findings.html", context, None, scripts, STYLES)


def _counter_examples(findings: Sequence[Shown], key: str) -> list[Section]:
    """The findings to look at; nothing where there are none."""
    chosen = [each for each in findings if each.number]
    if not chosen:
        return []
    title = "Counter-examples" if any(e.verdict != REMARK for e in chosen) else "Remarks, drawn"
    context = {"examples": chosen, "key": f"{key}-examples"}
    return [Section("examples", title, "counter_examples.html", context, styles=STYLES)]


def made(facts: Sequence[tuple[str, str]], seed: int | None, command: str) -> Section:
    """What decides the findings."""
    context = {
        "facts": facts,
        "seed": seed,
        "versions": versions(),
        "command": printable_line(command),
    }
    return Section("made", "How it was made", "check_made.html", context, styles=STYLES)


def _keys(labels: Sequence[str]) -> list[str]:
    """A key for each label, no two of them the same."""
    keys: list[str] = []
    for number, label in enumerate(labels, 1):
        words = _NOT_IN_KEYS.sub("-", label.lower())[:_LONGEST_KEY].strip("-")
        keys.append("-".join(["method", str(number), *([words] if words else [])]))
    return keys


def _numbered(labels: Sequence[str]) -> list[str]:
    """The labels; one that occurs more than once with the number of its occurrence."""
    return [
        f"{label} ({labels[: at + 1].count(label)})" if labels.count(label) > 1 else label
        for at, label in enumerate(labels)
    ]
