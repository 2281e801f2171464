"""A key of a config: what it may hold, what it means, and how a resolved config has it.

A record of an experiment states its keys beside its attributes. An attribute that a key of its own
name decides has the key in its annotation: ``bins: Annotated[int, key(Bins, "How many.", 20)]``. An
attribute whose key depends on the family has there a function from the family to the key, or to
None; where keys have other names, or are several, to the keys by their names. A form is made from
these annotations, so nothing else names a key but what reads the attribute.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, get_type_hints

from pydantic import Field
from pydantic.fields import FieldInfo

from harness.base.text import plain_number
from harness.families.family import Family


def plain(value: Any) -> Any:
    """Numbers and texts as they are, a tuple of them as a list."""
    if isinstance(value, tuple):
        return [plain(each) for each in value]
    return plain_number(value) if isinstance(value, float) else value


@dataclass(frozen=True, eq=False)
class Key:
    """A key of a config."""

    kind: Any
    """The type of its value, which yields what the experiment holds."""
    field: FieldInfo
    """Its default and its description."""
    write: Callable[[Any], Any]
    """Makes plain data of the attribute; None where the key is left out."""
    attribute: str = ""
    """That of the experiment which it decides; a form fills it in."""


Keys = Mapping[str, Key]
"""Keys by their names."""


def key(
    kind: Any,
    description: str,
    default: Any = ...,
    *,
    write: Callable[[Any], Any] = plain,
) -> Key:
    """A key with a value of that type; it is required where it has no default.

    The default is written as in a config, and validated like a value that is given.
    """
    field: Any = Field(default, description=description)
    return Key(kind, field, write)


def keys_of(record: type[Any], family: Family) -> Keys:
    """The keys that the attributes of a record state, in the order of the attributes."""
    found: dict[str, Key] = {}
    for attribute, annotation in get_type_hints(record, include_extras=True).items():
        for stated in getattr(annotation, "__metadata__", ()):
            keys = stated if isinstance(stated, Key) else stated(family)
            named = keys if isinstance(keys, Mapping) else {attribute: keys}
            found |= {
                name: replace(each, attribute=attribute)
                for name, each in named.items()
                if each is not None
            }
    return found
