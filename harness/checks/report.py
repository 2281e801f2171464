"""What a check finds, and the report of all findings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from harness.methods.method import TWO_SIDED

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
_KINDS_BY_WEIGHT = (CROSS_CHECK, LOADING, CONFORMANCE, CONTRACT, BEHAVIOUR, AGAINST)
"""What one of these finds may well be the cause of what the next ones find."""


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
    """How bad a failure is, to sort the worst of a kind first."""

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
    side: str = TWO_SIDED
    """The side that the numbers are of."""

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
        """The findings with that verdict, the worst of each kind first."""
        chosen = (finding for finding in self.findings if finding.verdict == verdict)
        return tuple(sorted(chosen, key=_order))

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
        """The first screen."""
        return "\n".join(
            [self.headline, "", *self._counts(), *self._numbers(), *self._worst(), "", self._more()]
        )

    @property
    def headline(self) -> str:
        """The verdict in one line, with the names of the checks behind it."""
        asked = self.of_verdict(self.verdict) if not self.passed else ()
        names = list(dict.fromkeys(finding.check for finding in asked))
        told = names[:_MOST_NAMES] + ["…"] * (len(names) > _MOST_NAMES)
        by = f": {', '.join(told)}" if told else ""
        return f"{self.method} ({self.family}): {self.verdict.upper()}{by}"

    def _counts(self) -> list[str]:
        """A line for each kind of check."""
        kinds = dict.fromkeys(finding.kind for finding in self.findings)
        lines = []
        for kind in kinds:
            verdicts = [finding.verdict for finding in self.findings if finding.kind == kind]
            name = f"{kind} ({self.contract})" if kind == CONTRACT else kind
            counts = ", ".join(
                f"{verdicts.count(verdict)} {verdict}"
                for verdict in reversed(_BY_WEIGHT)
                if verdict in verdicts
            )
            lines.append(f"  {name:<22} {counts}")
        return lines

    def _numbers(self) -> list[str]:
        """Where the method misses most, at each alpha."""
        if "worst_alpha" not in self.behaviour.columns:
            return []
        known = self.behaviour.filter(pl.col("worst_alpha").is_not_null())
        lines = []
        for (alpha,), part in known.group_by("alpha", maintain_order=True):
            row = part.row(int(part["worst_alpha"].arg_max() or 0), named=True)
            places = [name for name in row if name in _PLACES]
            at = ", ".join(f"{_PLACES[name]} = {row[name]:.4g}" for name in places)
            lines.append(f"  worst at alpha = {alpha:<6g} {row['worst_alpha']:.5g} at {at}")
        return ["", *lines[:_MOST_ALPHAS]] if lines else []

    def _worst(self) -> list[str]:
        lines = []
        for number, finding in enumerate(self.worst(_MOST_FINDINGS), 1):
            lines.append(f"  {number}. {finding.check}: {_shortened(finding.message)}")
        return ["", "The worst:", *lines] if lines else []

    def _more(self) -> str:
        return f"All {len(self.findings)} findings: --format json, or .findings in Python"


_MOST_NAMES, _MOST_FINDINGS, _MOST_ALPHAS, _MOST_LETTERS = 6, 3, 4, 230
_PLACES = {
    "n": "n",
    "exposure": "exposure",
    "n1": "n1",
    "n2": "n2",
    "exposure1": "exposure1",
    "exposure2": "exposure2",
    "worst_truth": "truth",
    "worst_truth1": "truth1",
    "worst_truth2": "truth2",
}


def _order(finding: Finding) -> tuple[int, float]:
    return _KINDS_BY_WEIGHT.index(finding.kind), -finding.severity


def _shortened(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…"
