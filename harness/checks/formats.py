"""A report as text: for a person, for a program, and for a service that reads JUnit."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any
from xml.etree import ElementTree

from harness.checks.report import FAIL, INCONCLUSIVE, PASS, CheckReport, Finding, Verdict

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_table(report: CheckReport) -> str:
    """The first screen."""
    return str(report)


def as_json(report: CheckReport) -> str:
    """Everything; what is no number is null."""
    return json.dumps(_plain(report.to_dict()), indent=2, ensure_ascii=False, allow_nan=False)


def as_junit(report: CheckReport) -> str:
    """A test case for each check, whose name stays as it is; an inconclusive one is an error."""
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
        _tell(case, findings)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


FORMATS: Mapping[str, Callable[[CheckReport], str]] = {
    "table": as_table,
    "json": as_json,
    "junit": as_junit,
}


def _worst(findings: Sequence[Finding]) -> Verdict:
    verdicts = [finding.verdict for finding in findings]
    return next((each for each in (FAIL, INCONCLUSIVE) if each in verdicts), PASS)


def _tell(case: ElementTree.Element, findings: Sequence[Finding]) -> None:
    """What did not pass: the worst in a line, and all of it."""
    verdict = _worst(findings)
    if verdict == PASS:
        return
    told = sorted(
        (finding for finding in findings if finding.verdict == verdict),
        key=lambda finding: -finding.severity,
    )
    tag = {FAIL: "failure", INCONCLUSIVE: "error"}[verdict]
    ElementTree.SubElement(
        case, tag, message=_xml(told[0].message), type=_xml(told[0].check)
    ).text = _xml("\n".join(finding.message for finding in told))


def _xml(text: str) -> str:
    """Without the characters that XML cannot hold."""
    return _NOT_XML.sub("\ufffd", text)


def _plain(content: Any) -> Any:
    """With null for what is no number."""
    if isinstance(content, dict):
        return {key: _plain(value) for key, value in content.items()}
    if isinstance(content, list):
        return [_plain(value) for value in content]
    if isinstance(content, float) and not math.isfinite(content):
        return None
    return content
