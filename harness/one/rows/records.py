"""Intervals of rows of data as records: a row of the data with its limits beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.families.family import POSTERIOR
from harness.methods.method import Method
from harness.one.rows.compute import Found, Setting, find_intervals, posterior_tails, unfit
from harness.one.rows.row import Row, free_name

COLUMNS = ("estimate", "lower", "upper", "alpha", "method", "side")
TAILS = ("lower_tail", "upper_tail", "actual_alpha", "alpha_error")


def intervals_by_method(
    methods: Sequence[Method], setting: Setting, rows: Sequence[Row], names_all: bool
) -> tuple[list[Found], list[str]]:
    """Return the intervals of the methods that have any, and remarks about those that have none.

    Args:
        methods: of the family.
        setting: what they are asked.
        rows: validated data.
        names_all: whether methods that need something else, or lack the side, are left out.

    Raises:
        HarnessError: no method has an interval for any row that has data.
    """
    remarks: list[str] = []
    if names_all:
        names = [name for row in rows for name in (*row.data, *row.missing)]
        reasons = {method.name: unfit(method, setting, names) for method in methods}
        remarks += _left_out(reasons)
        methods = [method for method in methods if not reasons[method.name]]
        if not methods:
            raise InputError(f"no method of {setting.family.name} fits: {'; '.join(remarks)}")
    every = [find_intervals(method, setting, rows) for method in methods]
    complete = sum(not row.missing for row in rows)
    kept = [each for each in every if len(each.faults) < complete or not complete]
    if not kept:
        raise next(iter(every[0].faults.values()))
    for each in every:
        if each not in kept:
            remarks.append(f"{each.method.name} is left out: {each.reason}")
    return kept, remarks


def _left_out(reasons: Mapping[str, str]) -> Iterator[str]:
    """Yield a remark that names the methods that are left out, by the reason."""
    by_reason: dict[str, list[str]] = {}
    for name, reason in reasons.items():
        if reason:
            by_reason.setdefault(reason, []).append(name)
    if by_reason:
        parts = (f"{', '.join(names)} ({reason})" for reason, names in by_reason.items())
        yield f"left out: {'; '.join(parts)}"


def records_of(
    found: Sequence[Found], setting: Setting, rows: Sequence[Row], in_full: bool
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """Return a record for each row and method, and the names of its columns.

    Args:
        found: the intervals of each method.
        setting: what they were asked.
        rows: the data.
        in_full: whether data, length, posterior tails and seconds are added.

    Returns:
        The records: what is shown of the row, then the columns of ``COLUMNS``. A column that is
        shown already has another name; the names are by those of ``COLUMNS``.
    """
    shown = {name for row in rows for name in row.shown}
    names = {name: free_name(name, shown) for name in (*COLUMNS, "length", *TAILS, "seconds")}
    has_tails = any(_has_posterior(each, setting) for each in found)
    more = [_in_full(each, setting, rows, has_tails) for each in found] if in_full else []
    records = []
    for place, row in enumerate(rows):
        for number, each in enumerate(found):
            values = (
                *(_known(column[place]) for column in (each.estimate, each.lower, each.upper)),
                *(setting.alpha, each.method.name, setting.side),
            )
            named = {names[name]: value for name, value in zip(COLUMNS, values, strict=True)}
            record: dict[str, Any] = {**row.shown, **named}
            if in_full:
                if not row.shown or any(isinstance(v, list) for v in row.data.values()):
                    record |= {k: v for k, v in row.data.items() if k not in record}
                record |= {names[k]: v for k, v in more[number][place].items()}
            records.append(record)
    return records, names


def _known(value: Any) -> float | None:
    """The number, or None for what is not one."""
    return None if np.isnan(value) else float(value)


def _has_posterior(found: Found, setting: Setting) -> bool:
    return POSTERIOR in setting.family.engines and not found.method.needs_population


def _in_full(
    found: Found, setting: Setting, rows: Sequence[Row], has_tails: bool
) -> list[dict[str, Any]]:
    """The rest of the figures that Ross (2003), section 4, reports of an interval."""
    length = setting.family.length(found.lower, found.upper)
    outside: list[Any] = [None] * len(rows)
    if _has_posterior(found, setting):
        outside = posterior_tails(found, setting, rows)
    records = []
    for place in range(len(rows)):
        record: dict[str, Any] = {"length": _known(length[place])}
        if has_tails:
            record |= dict.fromkeys(TAILS)
        if outside[place] is not None:
            below, above = outside[place]
            values = (below, above, below + above, setting.alpha - (below + above))
            record |= dict(zip(TAILS, values, strict=True))
        records.append({**record, "seconds": found.seconds / len(rows)})
    return records
