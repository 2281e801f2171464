"""Reports in Markdown, as the comment of a pull request shows them."""

from __future__ import annotations

from collections.abc import Iterable

import polars as pl

from harness.base.text import printable
from harness.checks.behaviour import FAULT, LENGTH, MEAN, RELATIVE, WORST
from harness.checks.report import (
    CONTRACT,
    DECLARED,
    FAIL,
    INCONCLUSIVE,
    PASS,
    REMARK,
    CheckReport,
    Verdict,
    format_cell,
)
from harness.families.catalogue import family_of
from harness.tables.export.markdown import escaped, pipe_table

_LEVELS: tuple[Verdict, ...] = (FAIL, INCONCLUSIVE, DECLARED, REMARK, PASS)
_MOST_FINDINGS = 20
_NUMBERS = (
    (WORST, "worst alpha"),
    (MEAN, "mean alpha error"),
    (LENGTH, "mean length"),
    (RELATIVE, "length over the shortest's"),
)
"""Columns of the exact numbers, of each of which the one furthest from 0 is shown."""


def format_markdown(*reports: CheckReport) -> str:
    """A section for each report: verdict, findings that are no plain pass, and exact numbers."""
    summary = []
    if len(reports) > 1:
        passed = sum(report.passed for report in reports)
        rows = [(_code(each.method), escaped(verdict_of(each))) for each in reports]
        summary = [f"## {passed} of {len(reports)} methods pass", pipe_table(("method", ""), rows)]
    sections = [part for report in reports for part in _section(report)]
    return printable("\n\n".join([*summary, *sections]))


def _section(report: CheckReport) -> Iterable[str]:
    """The paragraphs and tables about one method."""
    yield f"### {_code(report.method)} ({escaped(report.family)})"
    yield f"**{escaped(verdict_of(report))}**"
    if report.keeps:
        yield escaped(report.keeps)
    findings = report.worst(len(report.findings))
    if findings:
        yield pipe_table(
            ("", "check", "found"),
            [
                (each.verdict, escaped(each.check), escaped(each.message))
                for each in findings[:_MOST_FINDINGS]
            ],
        )
    if len(findings) > _MOST_FINDINGS:
        yield f"And {len(findings) - _MOST_FINDINGS} more findings, which the JSON file has."
    if report.gains is not None:
        yield escaped(report.gains.sentence)
        heading, *rows = report.gains.rows()
        yield pipe_table([escaped(cell) for cell in heading], rows)
    yield _counts(report)
    worst = _worst_numbers(report)
    if worst:
        yield worst
    if report.stored:
        yield escaped(report.stored)
    if report.seed is not None:
        yield f"Seed {report.seed}."


def verdict_of(report: CheckReport) -> str:
    """The first line of the report without the method's name."""
    return report.headline.removeprefix(f"{report.method} ({report.family}): ")


def _counts(report: CheckReport) -> str:
    """The number of findings of each kind and level."""
    rows = []
    for kind in dict.fromkeys(finding.kind for finding in report.findings):
        levels = [finding.verdict for finding in report.findings if finding.kind == kind]
        name = f"{kind} ({report.contract})" if kind == CONTRACT else kind
        rows.append((escaped(name), *(str(levels.count(each) or "") for each in _LEVELS)))
    return pipe_table(("findings", *_LEVELS), rows)


def _worst_numbers(report: CheckReport) -> str:
    """A table of the exact numbers that are furthest from 0; "" where there are none."""
    heading, *rows = worst_numbers(report)
    return pipe_table(heading, rows) if rows else ""


def worst_numbers(report: CheckReport) -> list[tuple[str, ...]]:
    """A heading, and for each alpha the exact numbers that are furthest from 0, with their places.

    Without exact numbers there is the heading only.
    """
    exact = report.behaviour
    rows: list[tuple[str, ...]] = [("alpha", *(title for _, title in _NUMBERS))]
    if FAULT not in exact.columns:
        return rows
    family = family_of(report.family)
    truths = dict(zip(family.truths, family.numbered("worst_truth"), strict=True))
    for (alpha,), part in exact.group_by("alpha", maintain_order=True):
        cells = [f"{alpha:g}"]
        for column, _ in _NUMBERS:
            known = part.filter(pl.col(column).is_finite())
            if known.is_empty():
                cells.append("")
                continue
            row = known.row(int(known[column].abs().arg_max() or 0), named=True)
            place = {name: row[name] for name in family.sizes}
            if column == WORST:
                place |= {name: row[truth] for name, truth in truths.items()}
            cells.append(f"{row[column]:.4g} at {format_cell(place)}")
        rows.append(tuple(cells))
    return rows


def _code(name: str) -> str:
    return f"`{' '.join(name.split()).replace('`', chr(39)).replace('|', '¦')}`"
