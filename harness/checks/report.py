"""The findings of a check, and the report of all findings about one method."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import polars as pl

from harness.families.catalogue import family_of
from harness.methods.method import TWO_SIDED
from harness.printable import printable

Verdict = Literal["pass", "fail", "inconclusive"]

PASS: Verdict = "pass"
FAIL: Verdict = "fail"
INCONCLUSIVE: Verdict = "inconclusive"

CONFORMANCE = "conformance"
BEHAVIOUR = "behaviour"
CONTRACT = "contract"
AGAINST = "against"
CROSS_CHECK = "cross-check"

EXIT_CODES: Mapping[Verdict, int] = {PASS: 0, FAIL: 3, INCONCLUSIVE: 4}

_VERDICTS = (FAIL, INCONCLUSIVE, PASS)
"""The worst first."""
_KINDS = (CROSS_CHECK, CONFORMANCE, CONTRACT, BEHAVIOUR, AGAINST)
"""Causes before effects: a failure of one kind may cause failures of the kinds after it."""

Cell = Mapping[str, float | int | str]
"""Where a finding is: n, alpha, x, truth and the like; and numbers, as found and expected."""


def format_cell(cell: Cell) -> str:
    """The names and values of a cell, as ``n = 10, alpha = 0.05``."""
    return ", ".join(
        f"{name} = {value}" if isinstance(value, int | str) else f"{name} = {value:g}"
        for name, value in cell.items()
    )


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    check: str
    """The name of the check, as "mirrors" or "against wilson: length"."""
    kind: str
    """The kind of the check: conformance, behaviour, contract, against or cross-check."""
    verdict: Verdict
    message: str
    """One sentence; for a failure it holds the first counter-example."""
    cell: Cell
    severity: float = 0.0
    """How bad a failure is; failures of one kind are sorted by it."""

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain data, as in the JSON format."""
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
    """All findings about one method."""

    method: str
    family: str
    contract: str
    """The contract that the method was checked against: nominal, at-least or none."""
    findings: tuple[Finding, ...]
    behaviour: pl.DataFrame
    """The exact numbers of the method, a row for each size and alpha."""
    side: str = TWO_SIDED
    """The side of the intervals that the numbers are of."""

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all findings."""
        found = {finding.verdict for finding in self.findings}
        return next((verdict for verdict in _VERDICTS if verdict in found), PASS)

    @property
    def passed(self) -> bool:
        """Whether every finding passed."""
        return self.verdict == PASS

    @property
    def exit_code(self) -> int:
        """The exit code of the command line: 0 pass, 3 fail, 4 inconclusive."""
        return EXIT_CODES[self.verdict]

    def of_verdict(self, verdict: Verdict) -> tuple[Finding, ...]:
        """The findings with this verdict: causes before effects, the most severe first."""
        chosen = (finding for finding in self.findings if finding.verdict == verdict)
        return tuple(sorted(chosen, key=lambda each: (_KINDS.index(each.kind), -each.severity)))

    def worst(self, count: int) -> tuple[Finding, ...]:
        """At most ``count`` findings that did not pass, failures first."""
        return (self.of_verdict(FAIL) + self.of_verdict(INCONCLUSIVE))[:count]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, as in the JSON format."""
        return {
            "method": self.method,
            "family": self.family,
            "contract": self.contract,
            "verdict": self.verdict,
            "findings": [finding.to_dict() for finding in self.findings],
            "behaviour": self.behaviour.to_dicts(),
        }

    def __str__(self) -> str:
        """A summary that fits a small terminal."""
        lines = [
            self.headline,
            "",
            *self._format_counts(),
            *self._format_worst_alphas(),
            *self._format_worst_findings(),
            "",
            f"All {len(self.findings)} findings: --format json, or .findings in Python",
        ]
        return printable("\n".join(lines))

    @property
    def headline(self) -> str:
        """The verdict in one line, with the names of the checks that led to it."""
        findings = () if self.passed else self.of_verdict(self.verdict)
        names = list(dict.fromkeys(finding.check for finding in findings))
        shown = names[:_MOST_NAMES] + ["…"] * (len(names) > _MOST_NAMES)
        checks = f": {', '.join(shown)}" if shown else ""
        return f"{self.method} ({self.family}): {self.verdict.upper()}{checks}"

    def _format_counts(self) -> list[str]:
        """A line for each kind of check with the number of each verdict."""
        lines = []
        for kind in dict.fromkeys(finding.kind for finding in self.findings):
            verdicts = [finding.verdict for finding in self.findings if finding.kind == kind]
            name = f"{kind} ({self.contract})" if kind == CONTRACT else kind
            counts = ", ".join(
                f"{verdicts.count(verdict)} {verdict}"
                for verdict in reversed(_VERDICTS)
                if verdict in verdicts
            )
            lines.append(f"  {name:<22} {counts}")
        return lines

    def _format_worst_alphas(self) -> list[str]:
        """A line for each alpha with the largest miss probability and where it occurs."""
        if "worst_alpha" not in self.behaviour.columns:
            return []
        family = family_of(self.family)
        names = dict(zip(family.numbered("worst_truth"), family.truths, strict=True))
        names = {**{size: size for size in family.sizes}, **names}
        known = self.behaviour.filter(pl.col("worst_alpha").is_not_null())
        lines = []
        for (alpha,), part in known.group_by("alpha", maintain_order=True):
            row = part.row(int(part["worst_alpha"].arg_max() or 0), named=True)
            at = ", ".join(f"{name} = {row[column]:.4g}" for column, name in names.items())
            lines.append(f"  worst at alpha = {alpha:<6g} {row['worst_alpha']:.5g} at {at}")
        return ["", *lines[:_MOST_ALPHAS]] if lines else []

    def _format_worst_findings(self) -> list[str]:
        """A line for each of the worst findings."""
        lines = [
            f"  {number}. {finding.check}: {_shorten(finding.message)}"
            for number, finding in enumerate(self.worst(_MOST_FINDINGS), 1)
        ]
        return ["", "The worst:", *lines] if lines else []


_MOST_NAMES, _MOST_FINDINGS, _MOST_ALPHAS, _MOST_LETTERS = 6, 3, 4, 230
"""Limits of the summary, so that it fits a terminal of 25 lines."""


def _shorten(text: str) -> str:
    return text if len(text) <= _MOST_LETTERS else text[: _MOST_LETTERS - 1] + "…"
