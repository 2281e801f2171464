"""A report as text: for a person, for a program, and for a service that reads JUnit."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from typing import Any
from xml.etree import ElementTree

from harness.checks.conformance import where
from harness.checks.records import FAIL, INCONCLUSIVE, CheckReport, Finding

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def as_table(report: CheckReport) -> str:
    """The first screen."""
    return str(report)


def as_json(report: CheckReport) -> str:
    """Everything; what is no number is null."""
    return json.dumps(_plain(report.to_dict()), indent=2, ensure_ascii=False, allow_nan=False)


def as_junit(report: CheckReport) -> str:
    """A test case for each finding; inconclusive ones are errors."""
    findings = report.findings
    suite = ElementTree.Element(
        "testsuite",
        name=_xml(f"harness check {report.method}"),
        tests=str(len(findings)),
        failures=str(sum(finding.verdict == FAIL for finding in findings)),
        errors=str(sum(finding.verdict == INCONCLUSIVE for finding in findings)),
    )
    for finding in findings:
        _case(suite, report, finding)
    ElementTree.indent(suite)
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)


FORMATS: Mapping[str, Callable[[CheckReport], str]] = {
    "table": as_table,
    "json": as_json,
    "junit": as_junit,
}


def _case(suite: ElementTree.Element, report: CheckReport, finding: Finding) -> None:
    keys = ("n", "n1", "n2", "exposure", "exposure1", "exposure2", "alpha")
    cell = {key: finding.cell[key] for key in keys if key in finding.cell}
    name = f"{finding.check} ({where(cell)})" if cell else finding.check
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=_xml(f"{report.family}.{report.method}.{finding.kind}"),
        name=_xml(name),
    )
    kind = {FAIL: "failure", INCONCLUSIVE: "error"}.get(finding.verdict)
    if kind is not None:
        ElementTree.SubElement(
            case, kind, message=_xml(finding.message), type=_xml(finding.check)
        ).text = _xml(finding.message)


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
