"""Findings of a check as a page shows them: their status in words, their picture, their command."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.base.text import printable, printable_line
from harness.checks.findings import (
    AGAINST,
    BEHAVIOUR,
    CONFORMANCE,
    CONTRACT,
    CROSS_CHECK,
    DECLARED,
    FAIL,
    INCONCLUSIVE,
    PASS,
    REMARK,
    TAILS,
    Finding,
    Grid,
    Verdict,
)
from harness.checks.report import CheckReport
from harness.families.catalogue import family_of
from harness.report.check.counter_example.draw import picture_of
from harness.report.check.counter_example.picture import Picture

MARKS: Mapping[Verdict, str] = {FAIL: "✗", INCONCLUSIVE: "?", DECLARED: "◇", REMARK: "!", PASS: "✓"}
"""The mark of each verdict, which stands beside its word; the worst first."""

KINDS: Mapping[str, str] = {
    CROSS_CHECK: "Cross-check of the numbers",
    CONFORMANCE: "Properties of an interval",
    TAILS: "Tails of the limits",
    CONTRACT: "Contract",
    BEHAVIOUR: "Exact numbers",
    AGAINST: "Comparison",
}
"""The groups of checks, causes before effects."""


@dataclass(frozen=True)
class Shown:
    """A finding on a page."""

    verdict: Verdict
    mark: str
    order: int
    """Of the verdict, from the worst on."""
    kind: str
    check: str
    message: str
    picture: Picture | None = None
    command: str = ""
    """What finds it again; "" where the whole check does."""
    number: int = 0
    """Of its counter-example on the page, from 1 on; 0 where it has none."""


def shown(report: CheckReport, words: Sequence[str] = ()) -> list[Shown]:
    """Return all findings of a report, the worst first; those to look at have numbers.

    Args:
        report: about one method.
        words: the command that checks the method, without sizes and alphas.
    """
    found: list[Shown] = []
    for verdict in MARKS:
        for finding in report.of_verdict(verdict):
            example = finding.counter_example
            picture = None if example is None else picture_of(example)
            is_shown = verdict in (FAIL, INCONCLUSIVE, DECLARED) or picture is not None
            number = 1 + sum(each.number > 0 for each in found) if is_shown else 0
            found.append(_shown(finding, report.family, picture, words, number))
    return found


def _shown(
    finding: Finding, family: str, picture: Picture | None, words: Sequence[str], number: int
) -> Shown:
    return Shown(
        verdict=finding.verdict,
        mark=MARKS[finding.verdict],
        order=list(MARKS).index(finding.verdict),
        kind=finding.kind,
        check=printable(finding.check),
        message=printable(finding.message),
        picture=picture,
        command=_command(finding, family, words) if number else "",
        number=number,
    )


def _command(finding: Finding, family: str, words: Sequence[str]) -> str:
    """The command that checks at the place of a finding alone; "" where it has none."""
    example = finding.counter_example
    grid = _grid_of_cell(finding, family) if example is None else example.grid
    if not words or "alpha" not in grid:
        return ""
    text = ";".join(f"{name}={','.join(map(_number, values))}" for name, values in grid.items())
    return printable_line(shlex.join([*words, "--grid", text]))


def _grid_of_cell(finding: Finding, family: str) -> Grid:
    """The sizes and alpha of a finding's cell; nothing where one of them is missing."""
    known = family_of(family)
    names = (*(known.sizes if known.has_outcomes else ()), "alpha")
    values = dict(_numbers(finding, names))
    return values if len(values) == len(names) else {}


def _numbers(finding: Finding, names: Sequence[str]) -> Iterator[tuple[str, tuple[float, ...]]]:
    for name in names:
        value = finding.cell.get(name)
        if isinstance(value, int | float):
            yield name, (float(value),)


def _number(value: float) -> str:
    return f"{int(value)}" if value == int(value) else f"{value!r}"
