"""Failures that a method declares: each is to occur, and is then none."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.checks.compare.cross_check import NAME as CROSS
from harness.checks.conformance.runner import names_of
from harness.checks.contract.behaviour import SOUND
from harness.checks.contract.exact import NAMES as PROMISES
from harness.checks.report import AGAINST, CONFORMANCE, FAIL, PASS, Finding
from harness.checks.subjects.subject import Subject

_SEVERITY = 500.0


def as_expected(findings: Sequence[Finding], subject: Subject) -> list[Finding]:
    """The findings with the declared failures passed; what is declared and holds has failed."""
    expected = subject.expected_failures
    judged = [_judged(finding, expected.get(finding.check)) for finding in findings]
    failed = {finding.check for finding in findings if finding.verdict == FAIL}
    looked_at = {finding.check for finding in findings}
    for check in expected:
        # What a stochastic method breaks may hold of the draws of one seed.
        if check in failed or not subject.deterministic:
            continue
        if check not in looked_at and _is_known(check, subject.family):
            continue
        text = "holds all the same" if check in looked_at else "there is no such check"
        judged.append(
            Finding(
                f"expects failure: {check}",
                CONFORMANCE,
                FAIL,
                f"{check!r} is declared as an expected failure, but {text}",
                {},
                _SEVERITY,
            )
        )
    return judged


def _is_known(check: str, family: str) -> bool:
    """Whether there is such a check, though this contract or these options ask for another."""
    return check in (*names_of(family), *PROMISES, SOUND, CROSS) or check.startswith(f"{AGAINST} ")


def _judged(finding: Finding, reason: str | None) -> Finding:
    if reason is None or finding.verdict != FAIL:
        return finding
    message = f"fails as declared ({reason}): {finding.message}"
    return replace(finding, verdict=PASS, message=message, severity=0.0)
