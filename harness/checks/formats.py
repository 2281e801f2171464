"""A report as text: a table for a person, JSON for a program, and JUnit for a CI service."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from harness.checks.report import FAIL, INCONCLUSIVE, PASS, CheckReport, Finding, Verdict
from harness.printable import json_text, printable

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_TAGS = {FAIL: "failure", INCONCLUSIVE: "error"}


def format_table(report: CheckReport) -> str:
    """A summary that fits a small terminal."""
    return str(report)


def format_json(report: CheckReport) -> str:
    """The whole report as JSON; a number that is not finite is null."""
    content = _finite_or_none(report.to_dict())
    return json_text(content)


def format_junit(report: CheckReport) -> str:
    """The report as JUnit XML: a test case for each check; an inconclusive check is an error."""
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
    )
    for (kind, check), findings in cases.items():
        classname = _xml(f"{report.family}.{report.method}.{kind}")
        case = ElementTree.SubElement(suite, "testcase", classname=classname, name=_xml(check))
        _add_findings(case, findings)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


FORMATS: Mapping[str, Callable[[CheckReport], str]] = {
    "table": format_table,
    "json": format_json,
    "junit": format_junit,
}


def _worst(findings: Sequence[Finding]) -> Verdict:
    verdicts = [finding.verdict for finding in findings]
    return next((each for each in (FAIL, INCONCLUSIVE) if each in verdicts), PASS)


def _add_findings(case: ElementTree.Element, findings: Sequence[Finding]) -> None:
    """Add the findings of the worst verdict to a test case, unless all findings passed."""
    verdict = _worst(findings)
    if verdict == PASS:
        return
    worst = sorted(
        (finding for finding in findings if finding.verdict == verdict),
        key=lambda finding: -finding.severity,
    )
    element = ElementTree.SubElement(
        case, _TAGS[verdict], message=_xml(worst[0].message), type=_xml(worst[0].check)
    )
    element.text = _xml("\n".join(finding.message for finding in worst))


def _xml(text: str) -> str:
    """The text with a replacement for every character that XML cannot hold, for a terminal."""
    return printable(_NOT_XML.sub("\ufffd", text))


def _finite_or_none(content: Any) -> Any:
    """Plain data with None for every number that is not finite."""
    if isinstance(content, dict):
        return {key: _finite_or_none(value) for key, value in content.items()}
    if isinstance(content, list):
        return [_finite_or_none(value) for value in content]
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content
