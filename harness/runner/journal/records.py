"""Records of finished tasks as bytes, and the hashes that they are found by.

JSON holds their structure, plain numbers their arrays. Nothing is unpickled, so that a journal from
elsewhere runs no code.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

Record = TypeVar("Record")


def digest(content: Mapping[str, Any], *arrays: np.ndarray[Any, Any]) -> bytes:
    """Return a hash of plain data and arrays, 16 bytes."""
    found = hashlib.blake2b(json.dumps(content, sort_keys=True).encode(), digest_size=16)
    for array in arrays:
        found.update(f"{array.dtype.str}{array.shape}".encode())
        found.update(np.ascontiguousarray(array).data)
    return found.digest()


_WORTH_COMPRESSING = 1 << 12
"""Arrays of whole numbers with at least so many bytes are compressed."""


class DamagedRecordError(ValueError):
    """Bytes that ``pack`` did not write."""


class _OtherRecordError(Exception):
    """A record holds one that a record of the type asked for never does."""


def pack(record: Any) -> bytes:
    """Return a record of the engines as bytes, with a checksum.

    Args:
        record: a dataclass of the engines; its fields are such dataclasses, arrays, tuples,
            numbers, texts, None, or mappings without entries.
    """
    arrays: list[bytes] = []
    structure = _structure(record, arrays)
    header = json.dumps([structure, [len(each) for each in arrays]]).encode()
    content = b"".join([len(header).to_bytes(8, "little"), header, *arrays])
    return zlib.crc32(content).to_bytes(4, "little") + content


def unpack(content: bytes, kind: type[Record]) -> Record:
    """Return the record that ``pack`` made these bytes of.

    Args:
        content: the bytes.
        kind: the type of the record: a dataclass, or a tuple of them.

    Raises:
        DamagedRecordError: the bytes were cut or changed, or are those of another type.
    """
    known: Any = kind
    if int.from_bytes(content[:4], "little") != zlib.crc32(content[4:]):
        raise DamagedRecordError("the checksum of a record is wrong")
    try:
        end = 12 + int.from_bytes(content[4:12], "little")
        structure, lengths = json.loads(content[12:end])
        places = np.cumsum([end, *lengths]).tolist()
        arrays = [content[a:b] for a, b in pairwise(places)]
        record: Any = _record(structure, arrays, _dataclasses_in(known))
    except _OtherRecordError:
        raise DamagedRecordError(f"a record is no {kind.__name__}") from None
    except (ValueError, KeyError, TypeError, IndexError, zlib.error) as fault:
        raise DamagedRecordError(f"a record cannot be read: {fault}") from None
    expected: Any = get_origin(kind) or kind
    members = get_args(kind)
    if not isinstance(record, expected) or (
        members and not all(isinstance(member, members[0]) for member in record)
    ):
        raise DamagedRecordError(f"a record is no {kind.__name__}")
    found: Record = record
    return found


@cache
def _dataclasses_in(kind: Any) -> Mapping[str, type]:
    """The dataclasses that a record of this type may hold, itself included, by their names."""
    found: dict[str, type] = {}
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        found[kind.__name__] = kind
        for inner in get_type_hints(kind).values():
            found |= _dataclasses_in(inner)
    for inner in get_args(kind):
        found |= _dataclasses_in(inner)
    return found


def _structure(value: Any, arrays: list[bytes]) -> Any:
    """The value as JSON; arrays stand there by their numbers and are appended to ``arrays``."""
    if isinstance(value, np.ndarray):
        return _array_structure(value, arrays)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {
            field.name: _structure(getattr(value, field.name), arrays)
            for field in dataclasses.fields(value)
        }
        return {"record": type(value).__name__, "fields": fields}
    if isinstance(value, tuple):
        return [_structure(each, arrays) for each in value]
    if isinstance(value, Mapping):
        assert not value
        return {}
    if isinstance(value, float) and not math.isfinite(value):
        return {"float": repr(float(value))}
    return value


def _array_structure(array: np.ndarray[Any, Any], arrays: list[bytes]) -> dict[str, Any]:
    """The type and the shape of an array; whole numbers take as few bytes as they need."""
    stored, packed = array, False
    if array.dtype.kind == "i" and array.size:
        if array.min() >= 0:
            stored = array.astype(np.min_scalar_type(array.max()))
        packed = stored.nbytes >= _WORTH_COMPRESSING
    content = np.ascontiguousarray(stored).tobytes()
    arrays.append(zlib.compress(content, 1) if packed else content)
    return {
        "array": len(arrays) - 1,
        "type": array.dtype.str,
        "stored": stored.dtype.str,
        "shape": list(array.shape),
        "packed": packed,
    }


def _record(structure: Any, arrays: Sequence[bytes], known: Mapping[str, type]) -> Any:
    if isinstance(structure, list):
        return tuple(_record(each, arrays, known) for each in structure)
    if not isinstance(structure, dict) or not structure:
        return structure
    if "float" in structure:
        return float(structure["float"])
    if "array" in structure:
        content = arrays[structure["array"]]
        content = zlib.decompress(content) if structure["packed"] else content
        flat = np.frombuffer(content, structure["stored"])
        return flat.reshape(structure["shape"]).astype(structure["type"])
    if structure["record"] not in known:
        raise _OtherRecordError
    fields = {name: _record(each, arrays, known) for name, each in structure["fields"].items()}
    return known[structure["record"]](**fields)
