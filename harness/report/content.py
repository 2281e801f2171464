"""What stands on a page: parts with sections, and the data that their scripts read."""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class Section:
    """One heading with what stands below it."""

    kind: str
    """What it is: ``answer``, ``curves``; its script is registered under this name."""
    title: str
    template: str
    """The file in the folder ``templates`` that writes it; it has ``section`` and ``id``."""
    context: Mapping[str, Any] = field(default_factory=dict)
    """What the template reads, as ``section.context``."""
    data: Any = None
    """What its script reads: plain data of JSON, with arrays as ``packed`` makes them."""
    scripts: tuple[str, ...] = ()
    """Files below the folder ``static`` or ``vendor`` that it needs, in their order."""
    styles: tuple[str, ...] = ()
    """Files below the folder ``static`` with its style sheets."""


@dataclass(frozen=True)
class Part:
    """What the page says of one run, or of one method."""

    key: str
    """Letters and digits; the ids of its sections start with it and a hyphen. A hyphen in it is
    written as a low line, so that no part's id can be that of another part's section."""
    title: str
    sections: Sequence[Section]
    lead: str = ""
    """A sentence below the title."""


@dataclass(frozen=True)
class Page:
    """A page with one part or several."""

    title: str
    parts: Sequence[Part]
    lead: str = ""
    command: str = ""
    """The command that makes the page again."""
    kind: str = "other"
    """What it is of: ``results``, and else what only its own command replaces."""


def packed(values: npt.ArrayLike, kind: str = "float64") -> dict[str, str]:
    """Return an array as text for a script, which reads it by ``await report.array(...)``.

    Args:
        values: numbers of any shape, in C order.
        kind: ``float64``, ``float32``, ``int32``, ``uint16`` or ``uint8``, as the script gets them.

    Returns:
        The little-endian bytes, with the bytes of equal rank of all numbers beside each other,
        compressed by zlib and written in base 64.
    """
    array = np.ascontiguousarray(values, dtype=np.dtype(kind).newbyteorder("<")).ravel()
    planes = np.ascontiguousarray(array.view(np.uint8).reshape(-1, array.itemsize).T)
    return {"type": kind, "packed": base64.b64encode(zlib.compress(planes.tobytes(), 9)).decode()}


def plain(value: Any) -> Any:
    """Return a value as JSON can hold it: what is not finite becomes None, as do its parts."""
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
