"""The report of all findings about one method, with what it gains and loses against another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import polars as pl

from harness.base.frames import MOST_ROWS, Tabular, html_frame
from harness.base.text import printable, shortened
from harness.checks.behaviour import LENGTH, MEAN, RELATIVE, WORST
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
    NOT_PASSED,
    PASS,
    REMARK,
    TAILS,
    Finding,
    Verdict,
    format_cell,
)
from harness.families.family import Family
from harness.methods.method import TWO_SIDED

EXIT_CODES: Mapping[Verdict, int] = {PASS: 0, FAIL: 3, INCONCLUSIVE: 4}

VERDICTS: tuple[Verdict, ...] = (*NOT_PASSED, DECLARED, REMARK, PASS)
"""The worst first."""
_KINDS = (CROSS_CHECK, CONFORMANCE, TAILS, CONTRACT, BEHAVIOUR, AGAINST)
"""Causes before effects: a failure of one kind may cause failures of the kinds after it."""

BASELINE = "its baseline"
"""What messages call the baseline of a method."""

_NUMBERS = (
    (WORST, "worst alpha"),
    (MEAN, "mean alpha error"),
    (LENGTH, "mean length"),
    (RELATIVE, "length over the shortest's"),
)
"""Columns of the exact numbers, of each of which the one furthest from 0 is shown."""

_LEAST_CHANGE = 5e-7
"""A relative change of the mean length below this is none in a sentence."""


@dataclass(frozen=True)
class GainTally:
    """At how many sizes and alphas a measure is better, the same and worse than the reference's."""

    measure: str
    better: int
    same: int
    worse: int
    mean_change: float | None
    """The mean of the differences, of lengths of the relative ones.

    A difference within the tolerance is 0. None where no difference is finite.
    """
    relative: bool

    @property
    def cells(self) -> int:
        """The number of sizes and alphas."""
        return self.better + self.same + self.worse

    @property
    def row(self) -> tuple[str, ...]:
        """The tally as text, its mean change as "+0.4 %" or "-0.00021"."""
        change = self.mean_change
        words = "none" if change == 0.0 else ""
        if change:
            words = f"{100.0 * change:+.2g} %" if self.relative else f"{change:+.2g}"
        return self.measure, f"{self.better}", f"{self.same}", f"{self.worse}", words


@dataclass(frozen=True)
class Gains:
    """The gains and losses of a method against another one or a baseline."""

    reference: str
    tallies: tuple[GainTally, ...]
    """The tallies of the worst alpha, the mean alpha error and the length."""

    @property
    def sentence(self) -> str:
        """The tallies in words.

        As "against its baseline: safer at 112 of 176 sizes and alphas, less safe at 3; longer by
        0.4 % on average". Safer is a smaller worst alpha.
        """
        worst, _, length = self.tallies
        parts = [
            f"{words} at {count} of {worst.cells} sizes and alphas"
            for words, count in (("safer", worst.better), ("less safe", worst.worse))
            if count
        ]
        if len(parts) > 1:
            parts = [f"{parts[0]}, less safe at {worst.worse}"]
        parts = parts or [f"as safe at all {worst.cells} sizes and alphas"]
        change = length.mean_change or 0.0
        if abs(change) >= _LEAST_CHANGE:
            words = "longer" if change > 0 else "shorter"
            parts.append(f"{words} by {100.0 * abs(change):.2g} % on average")
        else:
            parts.append("as long on average")
        return f"against {self.reference}: {'; '.join(parts)}"

    def rows(self) -> list[tuple[str, ...]]:
        """A heading and a row for each measure: better, same, worse and the mean change."""
        heading = (f"against {self.reference}", "better", "same", "worse", "mean change")
        return [heading, *(tally.row for tally in self.tallies)]

    def lines(self) -> list[str]:
        """The sentence, and below it the rows as a table of text, unless all is the same."""
        if all(tally.same == tally.cells for tally in self.tallies):
            return [self.sentence]
        rows = self.rows()
        widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
        return [
            self.sentence,
            *(
                "  ".join(
                    cell.rjust(width) if place else cell.ljust(width)
                    for place, (cell, width) in enumerate(zip(row, widths, strict=True))
                ).rstrip()
                for row in rows
            ),
        ]

    def to_dict(self) -> dict[str, Any]:
        """The gains and losses as plain data."""
        return {
            "reference": self.reference,
            "summary": self.sentence,
            "measures": [asdict(tally) for tally in self.tallies],
        }


@dataclass(frozen=True)
class CheckReport(Tabular):
    """All findings about one method."""

    method: str
    family: str
    contract: str
    """The contract that the method was checked against; "none" where nothing is promised."""
    findings: tuple[Finding, ...]
    behaviour: pl.DataFrame
    """The exact numbers of the method, a row for each size and alpha."""
    side: str = TWO_SIDED
    """The side of the intervals that the numbers are of."""
    seed: int | None = None
    """What the sizes, alphas and trials of the check were drawn from."""
    keeps: str = ""
    """The contracts that the method would keep, in a sentence; "" where that was not computed."""
    gains: Gains | None = None
    """What it gains and loses against another method or its baseline; None without one."""
    stored: str = ""
    """What was stored as a baseline, or why nothing was; "" where nothing was to be stored."""
    estimated: Family | None = field(default=None, repr=False)
    """What the method estimates; None where the check is on a model of the user's."""

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of all findings; remarks and declared failures leave it a pass."""
        verdicts = {finding.verdict for finding in self.findings}
        return next((verdict for verdict in NOT_PASSED if verdict in verdicts), PASS)

    @property
    def passed(self) -> bool:
        """Whether no finding is a failure or inconclusive."""
        return self.verdict == PASS

    @property
    def exit_code(self) -> int:
        """The exit code of the command line: 0 pass, 3 fail, 4 inconclusive."""
        return EXIT_CODES[self.verdict]

    def of_verdict(self, verdict: Verdict) -> tuple[Finding, ...]:
        """The findings with this verdict: causes before effects, the most severe first."""
        chosen = [finding for finding in self.findings if finding.verdict == verdict]
        chosen.sort(key=lambda finding: (_KINDS.index(finding.kind), -finding.severity))
        return tuple(chosen)

    def worst(self, count: int) -> tuple[Finding, ...]:
        """At most ``count`` findings to read, failures first and then remarks."""
        chosen = (self.of_verdict(verdict) for verdict in VERDICTS if verdict != PASS)
        return tuple(finding for findings in chosen for finding in findings)[:count]

    def to_dict(self) -> dict[str, Any]:
        """The report as plain data, as in the JSON format."""
        return {
            "method": self.method,
            "family": self.family,
            "contract": self.contract,
            "verdict": self.verdict,
            "keeps": self.keeps,
            "seed": self.seed,
            "gains": None if self.gains is None else self.gains.to_dict(),
            "stored": self.stored,
            "findings": [finding.to_dict() for finding in self.findings],
            "behaviour": self.behaviour.to_dicts(),
        }

    def _columns(self) -> dict[str, Any]:
        return {
            "kind": [finding.kind for finding in self.findings],
            "check": [finding.check for finding in self.findings],
            "verdict": [finding.verdict for finding in self.findings],
            "message": [finding.message for finding in self.findings],
        }

    def _caption(self) -> str:
        return self.headline

    def _repr_html_(self) -> str:
        """The headline with the findings to read, or with all where each has passed."""
        worst = [*self.worst(MOST_ROWS)] or [*self.findings]
        return html_frame(self._caption(), replace(self, findings=tuple(worst)).to_frame())

    def __str__(self) -> str:
        """A summary that fits a small terminal: of gains and losses or of worst alphas."""
        gains = [] if self.gains is None else self.gains.lines()
        seed = "" if self.seed is None else f" (seed {self.seed})"
        lines = [
            self.headline,
            "",
        ]
        for name, counts in self.counts().items():
            words = [f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict]]
            lines.append(f"  {name:<22} {', '.join(reversed(words))}")
        lines += [
            *([f"  {self.keeps}"] if self.keeps else []),
            *(f"  {finding.message}" for finding in self.findings if finding.check == LENGTH_NAME),
            *(self.format_numbers() if len(gains) < 2 else []),
            *(f"  {line}" for line in gains),
        ]
        worst = self.worst(_MOST_FINDINGS)
        if worst:
            lines += ["", "To know:" if self.passed else "The worst:"]
        for number, finding in enumerate(worst, 1):
            verdict = f"({finding.verdict}) " if finding.passed else ""
            message = shortened(finding.message, _MOST_LETTERS)
            lines.append(f"  {number}. {finding.check}: {verdict}{message}")
        if self.stored:
            lines += ["", self.stored]
        where = "--format json, or .findings in Python"
        lines += ["", f"All {len(self.findings)} findings{seed}: {where}"]
        return printable("\n".join(lines))

    @property
    def of_family(self) -> Family:
        """What the method estimates."""
        assert self.estimated is not None
        return self.estimated

    @property
    def about(self) -> str:
        """What the method is for, in a sentence."""
        return f"An interval for {self.of_family.title}."

    @property
    def place_names(self) -> tuple[str, ...]:
        """What says where a finding is, in the headline."""
        return (*self.of_family.sizes, "alpha")

    @property
    def headline(self) -> str:
        """The verdict in one line: what was kept, or which checks failed and where the first did.

        The place is that of the gravest finding.
        """
        return f"{self.method} ({self.family}): {self.verdict_in_words}"

    @property
    def verdict_in_words(self) -> str:
        """The headline without the method's name.

        A pass names the contract that was kept, and how many remarks and declared failures there
        are; another verdict names the checks that led to it.
        """
        verdict = self.verdict
        if self.passed:
            promised = self.contract != "none"
            notes = [] if promised else ["nothing promised"]
            for noted, words in ((DECLARED, "declared failure"), (REMARK, "remark")):
                count = len(self.of_verdict(noted))
                notes += [f"{count} {words}{'s' * (count > 1)}"] * (count > 0)
            kept = f"{verdict.upper()} {self.contract}" if promised else verdict.upper()
            return f"{kept} ({'; '.join(notes)})" if notes else kept
        findings = self.of_verdict(verdict)
        names = list(dict.fromkeys(finding.check for finding in findings))
        shown = names[:_MOST_NAMES] + ["…"] * (len(names) > _MOST_NAMES)
        cell = findings[0].cell
        place = {name: cell[name] for name in self.place_names if name in cell}
        first = f"; first at {format_cell(place)}" if place else ""
        return f"{verdict.upper()}: {', '.join(shown)}{first}"

    def counts(self) -> dict[str, Counter[Verdict]]:
        """How many findings of each kind have each verdict, by the words for the kind."""
        counts: dict[str, Counter[Verdict]] = {}
        for finding in self.findings:
            kind = finding.kind
            name = f"{kind} ({self.contract})" if kind == CONTRACT else kind
            counts.setdefault(name, Counter())[finding.verdict] += 1
        return counts

    def farthest(self, column: str) -> dict[float, dict[str, Any]]:
        """The row of each alpha whose exact number is farthest from 0, as far as one is known."""
        if column not in self.behaviour.columns:
            return {}
        finite = self.behaviour.filter(pl.col(column).is_finite())
        return {
            float(str(alpha)): part.row(int(part[column].abs().arg_max() or 0), named=True)
            for (alpha,), part in finite.group_by("alpha", maintain_order=True)
        }

    def number_rows(self) -> list[tuple[str, ...]]:
        """A heading, and for each alpha the exact numbers that are farthest from 0, with places.

        Without exact numbers there is the heading only.
        """
        exact, family = self.behaviour, self.of_family
        truths = dict(zip(family.truths, family.numbered("worst_truth"), strict=False))
        farthest = {column: self.farthest(column) for column, _ in _NUMBERS}

        def cell(column: str, alpha: float) -> str:
            row = farthest[column].get(alpha)
            if row is None:
                return ""
            place = {name: row[name] for name in family.sizes}
            if column == WORST:
                place |= {name: row[truth] for name, truth in truths.items()}
            return f"{row[column]:.4g} at {format_cell(place)}"

        alphas = [] if exact.is_empty() else exact["alpha"].unique(maintain_order=True).to_list()
        heading = ("alpha", *(title for _, title in _NUMBERS))
        return [heading, *((f"{a:g}", *(cell(column, a) for column in farthest)) for a in alphas)]

    def format_numbers(self) -> list[str]:
        """A line for each alpha with the largest miss probability and where it occurs."""
        farthest = self.farthest("worst_alpha")
        if not farthest:
            return []
        family = self.of_family
        names = dict(zip(family.numbered("worst_truth"), family.truths, strict=False))
        names = {**{size: size for size in family.sizes}, **names}
        lines = []
        for alpha, row in farthest.items():
            at = ", ".join(f"{name} = {row[column]:.4g}" for column, name in names.items())
            lines.append(f"  worst at alpha = {alpha:<6g} {row['worst_alpha']:.5g} at {at}")
        return ["", *lines[:MOST_LINES]]


_MOST_NAMES, _MOST_FINDINGS, MOST_LINES, _MOST_LETTERS = 6, 3, 4, 230
"""Limits of the summary, so that it fits a terminal of 25 lines."""
