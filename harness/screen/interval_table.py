"""Intervals on the screen: as many digits as the length of an interval is known to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.one.result import DECIMALS, number_text, shown_decimals

ESTIMATE, LOWER, UPPER, LENGTH = "estimate", "lower", "upper", "length"
LIMITS = (ESTIMATE, LOWER, UPPER)

_MISSING, _UNDEFINED = "–", "undefined"


def interval_texts(
    records: Sequence[Mapping[str, Any]], names: Mapping[str, str], percent: bool = False
) -> list[dict[str, Any]]:
    """Return records with estimates and limits as text, whose decimals rows share where they can.

    A value that is missing is a text too; an estimate such as 0/0 is undefined.

    Args:
        records: of intervals; the limits may be None.
        names: of the columns of the estimate, the limits and the length.
        percent: whether these are written as percentages.
    """
    columns = {name: names.get(name, name) for name in (*LIMITS, LENGTH)}
    factor = 100.0 if percent else 1.0
    scaled = [
        [
            None if record[columns[name]] is None else factor * record[columns[name]]
            for name in LIMITS
        ]
        for record in records
    ]
    counts = shown_decimals(scaled, DECIMALS - 2 * percent)
    texts = []
    for record, values, count in zip(records, scaled, counts, strict=True):
        text = {k: _MISSING if v is None else v for k, v in record.items()}
        for name in columns:
            column = columns[name]
            if column in record:
                value = record[column]
                if value is not None:
                    text[column] = number_text(factor * value, count, values) + " %" * percent
        if record[columns[LOWER]] is not None and record[columns[ESTIMATE]] is None:
            text[columns[ESTIMATE]] = _UNDEFINED
        texts.append(text)
    return texts


def limits_text(lower: float, upper: float, percent: bool = False) -> str:
    """An interval as text: ``0.0000 … 0.1329``."""
    record = {ESTIMATE: lower, LOWER: lower, UPPER: upper}
    (text,) = interval_texts([record], {}, percent)
    return f"{text[LOWER]} … {text[UPPER]}"
