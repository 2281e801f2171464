"""Plain data as YAML that reads back to the same values, by version 1.2 and by 1.1."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

# Beginning with a letter, such a text is never a number or a date; of the rest, version 1.1
# takes more words for truth values than 1.2 does.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_RESERVED = frozenset(["null", "true", "false", "yes", "no", "on", "off"])


def dump(document: Mapping[str, Any]) -> str:
    """One line for each key, and one for each entry of a list of mappings."""
    lines = []
    for key, value in document.items():
        if isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value):
            lines.append(f"{_text(key)}:")
            lines += [f"  - {flow(entry)}" for entry in value]
        else:
            lines.append(f"{_text(key)}: {flow(value)}")
    return "\n".join(lines) + "\n"


def flow(value: Any) -> str:
    """A value on one line.

    Raises:
        TypeError: it is not plain data.
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, list):
        return f"[{', '.join(flow(entry) for entry in value)}]"
    if isinstance(value, Mapping):
        pairs = (f"{_text(key)}: {flow(entry)}" for key, entry in value.items())
        return f"{{{', '.join(pairs)}}}"
    raise TypeError(f"{type(value).__name__} is not plain data")


def _number(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    digits, e, exponent = repr(value).partition("e")
    # 1e-05 is a number by version 1.2 alone; with a point it is one by 1.1 too.
    return digits + ".0" * (bool(e) and "." not in digits) + e + exponent


def _text(value: str) -> str:
    if _PLAIN.fullmatch(value) and value.lower() not in _RESERVED:
        return value
    return '"' + "".join(_escaped(letter) for letter in value) + '"'


def _escaped(letter: str) -> str:
    if letter in '"\\':
        return "\\" + letter
    if letter.isprintable():
        return letter
    # \x85, \u2028 and \u2029 among them, which version 1.1 takes for ends of lines.
    code = ord(letter)
    return (
        f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}" if code < 65536 else f"\\U{code:08x}"
    )
