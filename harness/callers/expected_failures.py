"""Failures of a check that a method declares, each with a reason and the place where it occurs.

In Python they are a dictionary of reasons by the names of checks; in place of a reason stands a
dictionary with the reason and the place, or a list of these:

    {"mirrors": "wider above",
     "rises with x": {"n": [10, 20], "alpha": 0.05, "reason": "a table with a gap"},
     "has width": [{"x": 0, "reason": "from 0"}, {"alpha": [0.9, None], "reason": "large alpha"}]}

As a text one of them is ``CHECK[@PLACE]:reason``, as ``mirrors@n=10..20,alpha=0.05:why``.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from harness.base.arguments import quoted
from harness.base.errors import InputError

Span = tuple[float, float]
"""The smallest and the largest number of a place, which may be infinite."""
Place = Mapping[str, Span | str]
"""What a failure may be at: numbers by the names of sizes, counts and alpha, or the name of a side.
Nothing: everywhere."""

REASON = "reason"

_NAME = "expected_failures"
_DICTIONARY = f"a reason, or a dictionary as {{'n': [10, 20], '{REASON}': 'why'}}"
_TEXT = re.compile(r"(?P<check>against .+?: [^:@]+|[^:@]+)(?:@(?P<place>[^:]*))?:(?P<reason>.*)")
_TEXT_FORM = "CHECK:reason or CHECK@n=10..20,alpha=0.05:reason"


@dataclass(frozen=True)
class ExpectedFailure:
    """A failure that is declared."""

    check: str
    """The name of the check."""
    reason: str
    place: Place = field(default_factory=dict)

    @property
    def place_in_words(self) -> str:
        """The place as ``n = 10 … 20, alpha = 0.05``; "" where that is everywhere."""
        words = []
        for name, bounds in self.place.items():
            if isinstance(bounds, str):
                words.append(f"{name} = {bounds}")
            elif bounds[0] == bounds[1]:
                words.append(f"{name} = {bounds[0]:g}")
            else:
                words.append(f"{name} = {bounds[0]:g} … {bounds[1]:g}")
        return ", ".join(words)


def expected_failures(given: object) -> tuple[ExpectedFailure, ...]:
    """Return the failures that a dictionary declares, or a list of texts, in their order.

    Raises:
        InputError: it is no such dictionary or list.
    """
    if isinstance(given, list | tuple) and all(isinstance(text, str) for text in given):
        return tuple(map(parse_expected_failure, given))
    if not isinstance(given, Mapping):
        raise InputError(f"{_NAME} should be a dictionary, found {quoted(given)}")
    failures = []
    for check, value in given.items():
        if not isinstance(check, str):
            raise InputError(f"{_NAME} should have names of checks as keys, found {quoted(check)}")
        entries = value if isinstance(value, list | tuple) and value else [value]
        for entry in entries:
            if isinstance(entry, str):
                failures.append(ExpectedFailure(check, entry))
                continue
            if not isinstance(entry, Mapping):
                raise InputError(
                    f"{_NAME}[{check!r}] should be {_DICTIONARY}, found {quoted(entry)}"
                )
            reason = entry.get(REASON)
            if not isinstance(reason, str):
                raise InputError(f"{_NAME}[{check!r}] should have a text as {REASON!r}")
            place = {str(name): _span(check, name, entry[name]) for name in entry if name != REASON}
            failures.append(ExpectedFailure(check, reason, place))
    return tuple(failures)


def _span(check: str, name: object, value: Any) -> Span | str:
    """The numbers of a place: one, or the smallest and the largest, None for an open end."""
    if isinstance(value, str):
        return value
    ends = value if isinstance(value, Sequence) else [value, value]
    if len(ends) == 2 and any(end is not None for end in ends):
        first, last = ends
        try:
            low = -math.inf if first is None else float(first)
            high = math.inf if last is None else float(last)
        except (TypeError, ValueError):
            low, high = math.nan, math.nan
        if low <= high:
            return low, high
    raise InputError(
        f"{_NAME}[{check!r}][{name!r}] should be a number or the smallest and the largest one, "
        f"found {quoted(value)}"
    )


def parse_expected_failure(text: str) -> ExpectedFailure:
    """Return the failure that a text declares.

    Args:
        text: ``CHECK:reason``, or ``CHECK@PLACE:reason`` with a place as ``n=10..20,alpha=0.05``;
            a range may be open, as ``n=100..``.

    Raises:
        InputError: it is no such text.
    """
    parts = _TEXT.fullmatch(text)
    if parts is None or not parts["check"].strip() or not parts["reason"].strip():
        raise InputError(f"an expected failure should be {_TEXT_FORM}, found {quoted(text)}")
    place = {}
    for part in parts["place"].split(",") if parts["place"] is not None else ():
        name, equals, value = (word.strip() for word in part.partition("="))
        if not (name and equals and value):
            raise InputError(
                f"the place of an expected failure should be as n=10..20,alpha=0.05, "
                f"found {quoted(part)} in {quoted(text)}"
            )
        place[name] = _parse_span(value, text)
    return ExpectedFailure(parts["check"].strip(), parts["reason"].strip(), place)


def _parse_span(value: str, text: str) -> Span | str:
    """The numbers of a text as ``10``, ``10..20``, ``10..`` or ``..20``; else the text."""
    low, is_range, high = value.partition("..")
    try:
        least = float(low) if low else -math.inf
        most = least
        if is_range:
            most = float(high) if high else math.inf
    except ValueError:
        if not is_range:
            return value
        least, most = math.nan, math.nan
    if not least <= most or value == "..":
        raise InputError(
            f"a range should be as 10..20, its smaller number first, found {quoted(value)} "
            f"in {quoted(text)}"
        )
    return least, most
