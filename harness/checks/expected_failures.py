"""Failures that a method declares as expected: they pass, and one that does not occur fails."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from harness.checks.behaviour import EXACT_NUMBERS
from harness.checks.compare.cross_check import MONTE_CARLO_AGREES
from harness.checks.conformance.runner import property_names
from harness.checks.contract.exact import CONTRACT_CHECKS
from harness.checks.contract.lists import ERROR
from harness.checks.report import AGAINST, CONFORMANCE, FAIL, PASS, Finding
from harness.checks.subjects.subject import Subject
from harness.families.catalogue import family_of

_SEVERITY = 500.0
_RISES = "rises with x"
"""A property of the catalogue's methods for lists, which no check of a user's function asks for."""


def apply_expected_failures(findings: Sequence[Finding], subject: Subject) -> list[Finding]:
    """Pass the failures that a method declares, and fail its declarations that are wrong.

    A declaration is wrong if the check passed or does not exist. It is not wrong if the check
    exists but was not made, or if the method is stochastic: the draws of one seed may pass.

    Args:
        findings: all findings about the method.
        subject: the method, with its ``expected_failures``.

    Returns:
        The findings, with a failure for each wrong declaration at the end.
    """
    expected = subject.expected_failures
    applied = [_apply(finding, expected.get(finding.check)) for finding in findings]
    if not subject.deterministic:
        return applied
    failed = {finding.check for finding in findings if finding.verdict == FAIL}
    checked = {finding.check for finding in findings}
    for check in expected:
        if check in failed or (check not in checked and _exists(check, subject.family)):
            continue
        text = "it passes" if check in checked else "there is no such check"
        message = f"{check!r} is declared as an expected failure, but {text}"
        applied.append(
            Finding(f"expects failure: {check}", CONFORMANCE, FAIL, message, {}, _SEVERITY)
        )
    return applied


def _exists(check: str, family: str) -> bool:
    """Whether there is a check of this name for some contract and some options."""
    known = (*property_names(family), *CONTRACT_CHECKS, EXACT_NUMBERS, MONTE_CARLO_AGREES)
    if not family_of(family).has_outcomes:
        known = (*known, _RISES, ERROR)
    return check in known or check.startswith(f"{AGAINST} ")


def _apply(finding: Finding, reason: str | None) -> Finding:
    """The finding, passed if its failure is expected for a reason."""
    if reason is None or finding.verdict != FAIL:
        return finding
    message = f"fails as declared ({reason}): {finding.message}"
    return replace(finding, verdict=PASS, message=message, severity=0.0)
