"""Text for terminals and messages: no control characters, and words in a row."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

# The categories Cc, Cs, Zl and Zp of Unicode, and the characters of its bidirectional algorithm
# (Unicode Standard Annex 9, section 2) that are not seen themselves.
_UNSAFE = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_IN_A_TEXT = re.compile(f"[{_UNSAFE}]")
_IN_A_LINE = re.compile(f"[\t\n{_UNSAFE}]")


def printable(text: str) -> str:
    r"""The text with each control or bidirectional character as an escape, ``\x1b`` or ``\u202e``.

    Tabs and line ends stay.

    >>> print(printable("a\x1b[31mb\u202e"))
    a\x1b[31mb\u202e
    """
    return _IN_A_TEXT.sub(_escaped, text)


def printable_line(text: str) -> str:
    """The text as ``printable`` has it, with tabs and line ends as escapes too."""
    return _IN_A_LINE.sub(_escaped, text)


_FORMULA = re.compile(r"[=+\-@\t\r].", re.DOTALL)
_SIGNED_NUMBER = re.compile(r"[+-](?:[\d.,]+(?:e[+-]?\d+)?\s*%?|inf(?:inity)?|nan)\s*", re.I)


def is_formula(text: str) -> bool:
    """Whether a spreadsheet may run a text: it begins as a formula does, and is no number.

    >>> [is_formula(text) for text in ("=1+1", "-2+3", "@a", "-2.5", "+1e-3", "-", "Wilson")]
    [True, True, True, False, False, False, False]
    """
    return _FORMULA.match(text) is not None and _SIGNED_NUMBER.fullmatch(text) is None


def csv_cell(value: Any) -> Any:
    """A value as a table of CSV has it: an apostrophe stands before what is a formula."""
    return f"'{value}" if isinstance(value, str) and is_formula(value) else value


def csv_text(records: Iterable[Mapping[str, Any]], names: Iterable[str]) -> str:
    """Records as CSV, with a line of names; ends of lines are those of Unix."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = list(names)
    writer.writerow([csv_cell(name) for name in columns])
    writer.writerows([[csv_cell(record.get(name)) for name in columns] for record in records])
    return text.getvalue()


def shortened(text: str, most: int) -> str:
    """The text, of a long one its first characters and a sign that there are more."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def json_text(content: Any) -> str:
    """Plain data as indented JSON, in ASCII where it holds a character that is not printable.

    JSON has no infinite numbers, which are written as text, and nothing that is no number.

    >>> json_text([1.5, float("-inf"), float("nan")]).split()
    ['[', '1.5,', '"-inf",', 'null', ']']
    """
    content = _writable(content)
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    if printable(text) == text:
        return text
    return json.dumps(content, indent=2, ensure_ascii=True, allow_nan=False)


def _writable(content: Any) -> Any:
    """Plain data in which a float that JSON cannot write is a text, or None if it is no number."""
    if isinstance(content, dict):
        return {key: _writable(value) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_writable(value) for value in content]
    if isinstance(content, float) and not math.isfinite(content):
        return None if math.isnan(content) else str(content)
    return content


def _escaped(character: re.Match[str]) -> str:
    code = ord(character[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


def enumerated(words: Iterable[str], conjunction: str = "and") -> str:
    """The words with commas between them, and a conjunction before the last one.

    >>> enumerated(["x", "n", "alpha"]), enumerated(["x", "n"], "or"), enumerated(["x"])
    ('x, n and alpha', 'x or n', 'x')
    """
    *first, last = words
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def first_few(words: Sequence[str], most: int = 3, conjunction: str = "and") -> str:
    """A few words in a row; of many the first ones, and how many others there are.

    >>> first_few(["a", "b", "c", "d"]), first_few(["a", "b", "c", "d", "e"])
    ('a, b, c and d', 'a, b, c and 2 others')
    """
    if len(words) > most + 1:
        words = [*words[:most], f"{len(words) - most} others"]
    return enumerated(words, conjunction)


def numbered(names: Iterable[str], joint: str) -> list[str]:
    """The names, with a number behind each that an earlier one is equal to but for its capitals.

    >>> numbered(["a", "b", "A", "a"], "-")
    ['a', 'b', 'A-2', 'a-3']
    """
    taken: dict[str, str] = {}
    for wanted in names:
        name, number = wanted, 1
        while name.casefold() in taken:
            number += 1
            name = f"{wanted}{joint}{number}"
        taken[name.casefold()] = name
    return list(taken.values())


def plain_number(value: float) -> int | float:
    """2.0 as 2, so that a number has one form however it was written."""
    whole = float(value).is_integer() and abs(value) < 1e15
    return int(value) if whole else value


def option_of(name: str) -> str:
    """Return the option of the command line for a name.

    >>> option_of("first_only")
    '--first-only'
    """
    return f"--{name.replace('_', '-')}"
