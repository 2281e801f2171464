"""Records of the engines as bytes: JSON for their structure, plain numbers for their arrays.

Nothing is unpickled, so that a journal from elsewhere runs no code.
"""

from __future__ import annotations

import dataclasses
import json
import math
import zlib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np

from harness.designs.calibration import BinTally
from harness.designs.posterior import Integrated
from harness.designs.results import Counts, Enumerated, Exact, Mean, Tally, WorstCase
from harness.designs.scores import Scores
from harness.designs.verification.comparisons import Comparison
from harness.study.simulate import Simulation
from harness.tables.scenario_result import Solution

Record = TypeVar("Record")

_RECORDS: Mapping[str, type] = {
    record.__name__: record
    for record in (
        BinTally,
        Comparison,
        Counts,
        Enumerated,
        Exact,
        Integrated,
        Mean,
        Scores,
        Simulation,
        Solution,
        Tally,
        WorstCase,
    )
}

_WORTH_COMPRESSING = 1 << 12
"""Arrays of whole numbers with at least so many bytes are compressed."""


class DamagedRecordError(ValueError):
    """Bytes that ``pack`` did not write."""


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
        kind: the type of the record.

    Raises:
        DamagedRecordError: the bytes were cut or changed, or are those of another type.
    """
    if int.from_bytes(content[:4], "little") != zlib.crc32(content[4:]):
        raise DamagedRecordError("the checksum of a record is wrong")
    try:
        end = 12 + int.from_bytes(content[4:12], "little")
        structure, lengths = json.loads(content[12:end])
        places = np.cumsum([end, *lengths]).tolist()
        arrays = [content[a:b] for a, b in pairwise(places)]
        record = _record(structure, arrays)
    except (ValueError, KeyError, TypeError, IndexError, zlib.error) as fault:
        raise DamagedRecordError(f"a record cannot be read: {fault}") from None
    if not isinstance(record, kind):
        raise DamagedRecordError(f"a record is no {kind.__name__}")
    return record


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


def _record(structure: Any, arrays: Sequence[bytes]) -> Any:
    if isinstance(structure, list):
        return tuple(_record(each, arrays) for each in structure)
    if not isinstance(structure, dict) or not structure:
        return structure
    if "float" in structure:
        return float(structure["float"])
    if "array" in structure:
        content = arrays[structure["array"]]
        content = zlib.decompress(content) if structure["packed"] else content
        flat = np.frombuffer(content, structure["stored"])
        return flat.reshape(structure["shape"]).astype(structure["type"])
    fields = {name: _record(each, arrays) for name, each in structure["fields"].items()}
    return _RECORDS[structure["record"]](**fields)
