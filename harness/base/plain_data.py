"""Plain data as text: YAML that reads back to the same values, and the words of messages."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import yaml

from harness.base.errors import LONGEST_QUOTE

# Beginning with a letter, such a text is never a number or a date; of the rest, YAML 1.1 takes
# more words for truth values than 1.2 does.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9_./-]*")
_RESERVED = frozenset(["null", "true", "false", "yes", "no", "on", "off"])


class _Dumper(yaml.SafeDumper):
    """PyYAML's dumper for plain data, with texts that YAML 1.1 and 1.2 read alike."""

    # PyYAML's own interface.
    yaml_representers = {  # noqa: RUF012
        kind: yaml.SafeDumper.yaml_representers[kind]
        for kind in (type(None), bool, int, float, list)
    }
    yaml_multi_representers = {}  # noqa: RUF012

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _represent_text(dumper: _Dumper, value: str) -> yaml.ScalarNode:
    plain = _PLAIN.fullmatch(value) and value.lower() not in _RESERVED
    return dumper.represent_scalar("tag:yaml.org,2002:str", value, None if plain else '"')


_PLAIN_TYPES: dict[type, Callable[[Any], Any]] = {str: str, int: int, float: float, list: list}


def _represent_other(dumper: _Dumper, value: object) -> yaml.Node:
    """A mapping, or an instance of a subclass of a plain type."""
    if isinstance(value, Mapping):
        # Pairs instead of a dict, whose keys PyYAML would sort.
        return dumper.represent_mapping("tag:yaml.org,2002:map", list(value.items()))
    for kind, plain in _PLAIN_TYPES.items():
        if isinstance(value, kind):
            return dumper.represent_data(plain(value))
    raise TypeError(f"{type(value).__name__} is not plain data")


_Dumper.add_representer(str, _represent_text)
_Dumper.add_representer(None, _represent_other)  # type: ignore[arg-type]


def dump(document: Mapping[str, Any]) -> str:
    """The document as YAML, with one line for each key and each entry of a list of mappings."""
    lines = []
    for key, value in document.items():
        if isinstance(value, list) and any(isinstance(entry, Mapping) for entry in value):
            lines.append(f"{flow(key)}:")
            lines += [f"  - {flow(entry)}" for entry in value]
        else:
            lines.append(f"{flow(key)}: {flow(value)}")
    return "\n".join(lines) + "\n"


def flow(value: Any) -> str:
    """The value as YAML on one line.

    Raises:
        TypeError: it is not plain data.
    """
    listed = yaml.dump(
        [value], Dumper=_Dumper, default_flow_style=True, allow_unicode=True, width=float("inf")
    )
    return listed.removesuffix("\n")[1:-1]


def describe(value: Any) -> str:
    """The value as its author wrote it, or what it is if that is too long for a message."""
    if value is None:
        return "nothing"
    if isinstance(value, str):
        return repr(value) if len(value) <= LONGEST_QUOTE else f"a text of {len(value)} characters"
    try:
        text = flow(value)
    except TypeError:
        return f"a value of type {type(value).__name__}"
    if len(text) <= LONGEST_QUOTE:
        return text
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return "a mapping" if isinstance(value, Mapping) else "a number of very many digits"


def expected_found(what: str, value: Any) -> str:
    """The sentence of nearly every message about a value: ``expected <what>, found <value>``."""
    return f"expected {what}, found {describe(value)}"
