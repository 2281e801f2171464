"""What a check finds, and the report of all findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

Verdict = Literal["pass", "fail", "inconclusive"]

PASS: Verdict = "pass"
FAIL: Verdict = "fail"
INCONCLUSIVE: Verdict = "inconclusive"

CONFORMANCE = "conformance"
BEHAVIOUR = "behaviour"
CONTRACT = "contract"
AGAINST = "against"
CROSS_CHECK = "cross-check"
LOADING = "loading"

EXIT_CODES: Mapping[Verdict, int] = {PASS: 0, FAIL: 3, INCONCLUSIVE: 4}

_BY_WEIGHT = (FAIL, INCONCLUSIVE, PASS)


@dataclass(frozen=True)
class Finding:
    """The outcome of one check."""

    check: str
    """Its short name, as in "mirrors" or "against wilson: length"."""
    kind: str
    verdict: Verdict
    message: str
    """One sentence; of a failure with the first counter-example in full."""
    cell: Mapping[str, float | int | str]
    """Where: n, alpha, x, truth, found, expected and the like."""
    severity: float = 0.0
    """How bad a failure is, to sort the worst first."""

    def to_dict(self) -> dict[str, Any]:
        return {
            "check": self.check,
            "kind": self.kind,
            "verdict": self.verdict,
            "message": self.message,
            "cell": dict(self.cell),
            "severity": self.severity,
        }


@dataclass(frozen=True)
class CheckReport:
    """All that was found about one method."""

    method: str
    family: str
    contract: str
    """What the method was held to: nominal, at-least or none."""
    findings: tuple[Finding, ...]
    behaviour: pl.DataFrame
    """A row for each size and alpha: the exact numbers of the method."""

    @property
    def verdict(self) -> Verdict:
        """The worst one of all findings."""
        found = {finding.verdict for finding in self.findings}
        return next((verdict for verdict in _BY_WEIGHT if verdict in found), PASS)

    @property
    def passed(self) -> bool:
        return self.verdict == PASS

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.verdict]

    def of_verdict(self, verdict: Verdict) -> tuple[Finding, ...]:
        """The findings with that verdict, the worst first."""
        chosen = (finding for finding in self.findings if finding.verdict == verdict)
        return tuple(sorted(chosen, key=lambda finding: -finding.severity))

    def worst(self, count: int) -> tuple[Finding, ...]:
        """The findings that ask for attention, the failures first."""
        return (self.of_verdict(FAIL) + self.of_verdict(INCONCLUSIVE))[:count]

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as in the JSON form."""
        return {
            "method": self.method,
            "family": self.family,
            "contract": self.contract,
            "verdict": self.verdict,
            "findings": [finding.to_dict() for finding in self.findings],
            "behaviour": self.behaviour.to_dicts(),
        }

    def __str__(self) -> str:
        from harness.checks.formats import report_text

        return report_text(self)
