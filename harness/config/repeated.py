"""Values given twice where each may stand once."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any

from harness.config.coverage_form import CROSS
from harness.config.document import Path
from harness.config.faults import Complaint, describe, show_path
from harness.config.form import Form

LEVELS = (int, float, str)


def repeated(values: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    """Where a value first stands, and where again."""
    first: dict[Hashable, int] = {}
    for i, value in enumerate(values):
        if first.setdefault(value, i) != i:
            yield first[value], i


def repeated_levels(form: Form, raw: Mapping[str, Any]) -> Iterator[Complaint]:
    """Values given twice, whatever else is wrong with the list they stand in."""
    for path in _lists(form, raw):
        values = _at(raw, path)
        if isinstance(values, list):
            # True is 1 to Python; the schema refuses it, and it repeats nothing.
            levels = [
                value if isinstance(value, LEVELS) and not isinstance(value, bool) else (i,)
                for i, value in enumerate(values)
            ]
            for first, again in repeated(levels):
                also = show_path((*path, first))
                found = describe(values[again])
                message = f"expected each value once, found {found}, which {also} is too"
                yield Complaint((*path, again), message)


def _lists(form: Form, raw: Mapping[str, Any]) -> Iterator[Path]:
    """Where lists of distinct values may stand; of paired sizes it is the pairs that differ."""
    if form.family.samples == 1 or raw.get(CROSS) is True:
        for size in form.family.sizes:
            yield (size,)
    if form.family.samples == 1:
        yield ("truth", "values")
    else:
        yield ("truth", "first", "values")
        yield ("truth", "second", "values")
    yield ("alpha",)
    yield ("outcomes", "values")
    yield ("engines",)


def _at(raw: Any, path: Path) -> Any:
    for key in path:
        raw = raw.get(key) if isinstance(raw, Mapping) else None
    return raw
