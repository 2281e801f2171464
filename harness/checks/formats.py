"""Reports as text: for a person, for a program, for a CI service and for a pull request."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from xml.etree import ElementTree

from harness.base.text import json_text, printable
from harness.checks.findings import (
    DECLARED,
    FAIL,
    INCONCLUSIVE,
    PASS,
    REMARK,
    Finding,
    Verdict,
)
from harness.checks.report import VERDICTS, CheckReport
from harness.tables.formats import markdown_text, pipe_table

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAGS = {FAIL: "failure", INCONCLUSIVE: "error", DECLARED: "skipped"}
"""The worst first."""


def format_table(*reports: CheckReport) -> str:
    """A summary of each report that fits a small terminal, with an empty line in between."""
    return "\n\n".join(map(str, reports))


def format_json(*reports: CheckReport) -> str:
    """The whole report as JSON, or a list of several; an infinite number is a text."""
    content = [report.to_dict() for report in reports]
    return json_text(content[0] if len(content) == 1 else content)


def format_junit(*reports: CheckReport) -> str:
    """Reports as JUnit XML: a test suite for each method, and in it a test case for each check.

    An inconclusive check is an error, and one whose failure is declared is skipped, with the
    reason. Remarks are the output of their test case.
    """
    suites = []
    for report in reports:
        cases: dict[tuple[str, str], list[Finding]] = {}
        for finding in report.findings:
            cases.setdefault((finding.kind, finding.check), []).append(finding)
        verdicts = [_worst(findings) for findings in cases.values()]
        suite = ElementTree.Element(
            "testsuite",
            name=_xml(f"harness check {report.method}"),
            tests=str(len(cases)),
            failures=str(verdicts.count(FAIL)),
            errors=str(verdicts.count(INCONCLUSIVE)),
            skipped=str(verdicts.count(DECLARED)),
        )
        properties = ElementTree.SubElement(suite, "properties")
        facts = {"verdict": report.headline, "contract": report.contract, "keeps": report.keeps}
        if report.seed is not None:
            facts["seed"] = str(report.seed)
        for name, value in facts.items():
            ElementTree.SubElement(properties, "property", name=name, value=_xml(value))
        for (kind, check), findings in cases.items():
            classname = _xml(f"{report.family}.{report.method}.{kind}")
            case = ElementTree.SubElement(suite, "testcase", classname=classname, name=_xml(check))
            verdict = _worst(findings)
            if verdict != PASS:
                worst = [finding for finding in findings if finding.verdict == verdict]
                worst.sort(key=lambda finding: -finding.severity)
                about = {"message": _xml(worst[0].message), "type": _xml(worst[0].check)}
                element = ElementTree.SubElement(case, _TAGS[verdict], about)
                element.text = _xml("\n".join(finding.message for finding in worst))
            remarks = [finding.message for finding in findings if finding.verdict == REMARK]
            if remarks:
                output = ElementTree.SubElement(case, "system-out")
                output.text = _xml("\n".join(f"remark: {message}" for message in remarks))
        suites.append(suite)
    root = suites[0]
    if len(suites) != 1:
        root = ElementTree.Element("testsuites")
        root.extend(suites)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True)


def _worst(findings: Sequence[Finding]) -> Verdict:
    verdicts = [finding.verdict for finding in findings]
    return next((verdict for verdict in _TAGS if verdict in verdicts), PASS)


def _xml(text: str) -> str:
    """The text with a replacement for every character that XML cannot hold, for a terminal."""
    return printable(_NOT_XML.sub("\ufffd", text))


_MOST_FINDINGS = 20


def format_markdown(*reports: CheckReport) -> str:
    """A section for each report: verdict, findings that are no plain pass, and exact numbers."""
    summary = []
    if len(reports) > 1:
        passed = sum(report.passed for report in reports)
        rows = [
            (_code(report.method), markdown_text(report.verdict_in_words)) for report in reports
        ]
        summary = [f"## {passed} of {len(reports)} methods pass", pipe_table(("method", ""), rows)]
    sections = [part for report in reports for part in _section(report)]
    return printable("\n\n".join([*summary, *sections]))


def _section(report: CheckReport) -> Iterable[str]:
    """The paragraphs and tables about one method."""
    yield f"### {_code(report.method)} ({markdown_text(report.family)})"
    yield f"**{markdown_text(report.verdict_in_words)}**"
    if report.keeps:
        yield markdown_text(report.keeps)
    findings = report.worst(len(report.findings))
    if findings:
        yield pipe_table(
            ("", "check", "found"),
            [
                (finding.verdict, markdown_text(finding.check), markdown_text(finding.message))
                for finding in findings[:_MOST_FINDINGS]
            ],
        )
    if len(findings) > _MOST_FINDINGS:
        yield f"And {len(findings) - _MOST_FINDINGS} more findings, which the JSON file has."
    if report.gains is not None:
        yield markdown_text(report.gains.sentence)
        heading, *rows = report.gains.rows()
        yield pipe_table([markdown_text(cell) for cell in heading], rows)
    counts = [
        (markdown_text(name), *(str(of_kind[verdict] or "") for verdict in VERDICTS))
        for name, of_kind in report.counts().items()
    ]
    yield pipe_table(("findings", *VERDICTS), counts)
    heading, *rows = report.number_rows()
    if rows:
        yield pipe_table(heading, rows)
    if report.stored:
        yield markdown_text(report.stored)
    if report.seed is not None:
        yield f"Seed {report.seed}."


def _code(name: str) -> str:
    return f"`{' '.join(name.split()).replace('`', chr(39)).replace('|', '¦')}`"


FORMATS: Mapping[str, Callable[..., str]] = {
    "table": format_table,
    "json": format_json,
    "junit": format_junit,
    "markdown": format_markdown,
}
"""Each takes one report or several."""
